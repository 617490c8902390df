"""Stands in for the package of the agent itself; what patches its insides finds nothing to patch."""
