"""What generated plugins import to say what they saw and what they answered. Standard library only."""

from pictures import picture

SEEN = []
"""One ``[label, arguments, answer]`` for each call, in order; the host's worker empties it before each firing."""


def saw(label, arguments):
    """Note that a callback runs, with its arguments as they are at this moment."""
    given = {name: value for name, value in arguments.items() if name not in {"rest", "more", "self"}}
    entry = [label, picture({**given, **arguments.get("rest", {})}), {"<unfinished>": True}]
    SEEN.append(entry)

    def answers(value):
        entry[2] = picture(value)
        return value

    return answers


def taken():
    """Return what was seen since the last time."""
    seen = SEEN[:]
    SEEN.clear()
    return seen
