"""docs/explanation/differences-from-upstream.md, from the list that the comparison with hermes-agent recognises."""

from __future__ import annotations

import runpy
import tomllib
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

PAGE: Final = """\
<!-- Written by python docs/generate from tests/compat/differences.toml; edit the list instead. -->

# Differences from upstream

"Upstream" is hermes-agent {upstream}, the host that existing plugins are written for. A plugin written for it runs here
unmodified; these are the places where the same plugin meets something else, and why. Every one of them is deliberate.

The list is held to the real host: `make compat` loads published plugins, the examples of the Hermes hooks page and
some hundred made-up ones in hermes-agent's own plugin manager and in ours, fires the same payloads at both, and accepts
no difference but these. Each one marked * has a plugin there that shows it; the others show in a whole agent only.
Published plugins and examples are compared with {releases}.
{sections}
## Differences from the seed

The seed is the two documents this project started from; its rules are listed in [Rules of the seed
documents](../reference/seed-rules.md). Where it contradicts itself or a safe reading of itself, we chose:

{seed}
"""
SECTION: Final = """
## {section}

{table}
"""
AWAITS: Final = " ({awaits} are still to come)"


def render(root: Path) -> dict[Path, str]:
    """Return the page's text by the file it belongs in."""
    folder = root / "tests" / "compat"
    listed = tomllib.loads((folder / "differences.toml").read_text("utf-8"))
    releases = runpy.run_path(str(folder / "versions.py"))
    *others, last = releases["VERSIONS"]
    page = PAGE.format(
        upstream=releases["UPSTREAM"],
        releases=f"{', '.join(others)} and {last}",
        sections="".join(_sections(listed["differences"].values(), releases["UPSTREAM"])),
        seed=_table(
            ("rule", "what it says", "what we do"),
            [(entry["rule"], entry["says"], entry["here"]) for entry in listed["seed"].values()],
        ),
    )
    return {root / "docs" / "explanation" / "differences-from-upstream.md": page}


def _sections(differences: Iterable[dict[str, Any]], upstream: str) -> Iterable[str]:
    for section, entries in groupby(differences, key=lambda entry: entry["section"]):
        rows = [(_title(entry), entry["upstream"], _here(entry), entry["why"]) for entry in entries]
        yield SECTION.format(section=section, table=_table(("", f"hermes-agent {upstream}", "here", "why"), rows))


def _title(entry: dict[str, Any]) -> str:
    shows = not (entry.get("shown_by") or entry.get("awaits"))
    return f"{entry['title']} \\*" if shows else entry["title"]


def _here(entry: dict[str, Any]) -> str:
    return entry["here"] + (AWAITS.format(**entry) if "awaits" in entry else "")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |".replace("|  |", "| |") for cells in (heads, *rows)]
    return "\n".join([lines[0], "|---" * len(heads) + "|", *lines[1:]])
