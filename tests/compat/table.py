"""The printed table: plugin x release x (hooks, returns, acts)."""

from verdict import PARTS

CELL = 16
EXPLAINED = """\
hooks: registrations of hooks; returns: firings whose answers and changed arguments are the same; acts: those after
which the host does the same. A letter stands for differences on purpose that showed, an exclamation mark for others.
"""


class Table:
    """Verdicts by plugin and release."""

    def __init__(self, versions):
        self._versions = versions
        self._rows = {}
        self._letters = {}

    def add(self, name, version, verdict):
        """Add a verdict."""
        self._rows.setdefault(name, {})[version] = verdict

    def render(self):
        """Return the table with its legend."""
        width = max(map(len, self._rows))
        head = f"{'':{width}}" + "".join(f"  {version:^{CELL}}" for version in self._versions)
        parts = f"{'plugin':{width}}" + "  hooks/returns/acts".ljust(CELL + 2)
        lines = [head, parts.rstrip()]
        for name, verdicts in self._rows.items():
            cells = (self._cell(verdicts.get(version)) for version in self._versions)
            lines.append(f"{name:{width}}" + "".join(f"  {cell:^{CELL}}" for cell in cells))
        legend = [f"{letter}: {difference}" for difference, letter in self._letters.items()]
        return "\n".join([line.rstrip() for line in lines] + ["", EXPLAINED.rstrip(), *legend])

    def _cell(self, verdict):
        if verdict is None:
            return "-"
        return " / ".join(self._figure(verdict.parts[name]) for name in PARTS)

    def _figure(self, part):
        letters = "".join(self._letter(difference) for difference in sorted(part.found))
        return f"{part.compared}{letters}{'!' if part.problems else ''}"

    def _letter(self, difference):
        return self._letters.setdefault(difference, chr(ord("a") + len(self._letters)))
