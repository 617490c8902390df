"""What goes wrong on the way to a person."""


class OutletError(Exception):
    """A notice did not get through; the text says why."""
