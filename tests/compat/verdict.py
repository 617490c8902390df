"""What a comparison found, part by part: what was registered, what came back, what the host does."""

from dataclasses import dataclass, field

HOOKS, RETURNS, ACTS = PARTS = ("hooks", "returns", "acts")
"""Registrations; what callbacks saw, answered and changed; what the host does with that."""


@dataclass
class Part:
    """One part of a verdict."""

    compared: int = 0
    """How many things were the same, or different on purpose."""
    found: set[str] = field(default_factory=set)
    """Ids of the wanted differences that showed."""
    problems: list[str] = field(default_factory=list)
    """Everything else, a line each."""


class Verdict:
    """What one case, or one firing of it, came to."""

    def __init__(self):
        self.parts = {name: Part() for name in PARTS}

    def recognise(self, part, difference):
        """Note a wanted difference by its id."""
        self.parts[part].found.add(difference)

    def problem(self, part, text):
        """Note what nobody wanted."""
        self.parts[part].problems.append(text)

    def count(self, part, number=1):
        """Note that so many things were compared."""
        self.parts[part].compared += number

    def add(self, other, call):
        """Take the verdict on one firing."""
        for name, part in other.parts.items():
            self.parts[name].compared += part.compared
            self.parts[name].found |= part.found
            self.parts[name].problems += [f"{call}: {problem}" for problem in part.problems]

    @property
    def found(self):
        """Ids of all wanted differences that showed."""
        return set().union(*(part.found for part in self.parts.values()))

    @property
    def problems(self):
        """Everything that nobody wanted."""
        return [problem for part in self.parts.values() for problem in part.problems]
