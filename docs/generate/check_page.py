"""docs/reference/check.md: the rules of `hermes-sdk check`, from their table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.check import RULES

if TYPE_CHECKING:
    from pathlib import Path

PAGE: Final = """\
<!-- Written by python docs/generate from hermes_sdk/check/rules.py; edit the rules instead. -->

# Rules of `hermes-sdk check`

`hermes-sdk check` reads a plugin and imports nothing of it. What it cannot tell from the text, it leaves alone: a
finding is meant to be true. [Check your plugin](../how-to/check-your-plugin.md) shows how to use it.

An **error** does not work; a **warning** works and should not be like that; a **note** is good to know and does not
count for the exit code. Codes are stable. `--fix` mends what is marked, in place.

| code | name | | |
|---|---|---|---|
{table}
{sections}
"""
SECTION: Final = """
## {code} {name}

{summary} {why}
"""


def render(root: Path) -> dict[Path, str]:
    """Return the page's text by the file it belongs in."""
    rows = [
        f"| `{rule.code}` | {rule.name} | {rule.severity} | {'`--fix`' if rule.fixable else ''} |"
        for rule in RULES.values()
    ]
    sections = [
        SECTION.format(code=rule.code, name=rule.name, summary=rule.summary, why=rule.why) for rule in RULES.values()
    ]
    page = PAGE.format(table="\n".join(rows), sections="".join(sections).rstrip("\n"))
    return {root / "docs" / "reference" / "check.md": page}
