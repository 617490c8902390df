"""Stands in for the package of the messaging gateway."""
