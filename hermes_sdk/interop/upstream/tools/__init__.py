"""Stands in for the package of the built-in tools."""
