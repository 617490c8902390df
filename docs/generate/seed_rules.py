"""docs/reference/seed-rules.md: which test and which page names each rule of the seed documents.

A mark is the word "seed" with rule ids behind it: ``seed H1.3``, ``seed P4, P5 and H2.1``,
``seed H9.1 to H9.3``. In a test it counts for the function whose docstring or comment it stands in.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_RULE: Final = re.compile(r"^- \*\*([A-Z]\d+(?:\.\d+)?)\*\* (.+)$", re.MULTILINE)
_ID: Final = r"[GPHSKX]\d+(?:\.\d+)?"
_AND: Final = r"[\s#]*(?:,\s*and|,|\band\b|\bto\b)[\s#]*"
_MARK: Final = re.compile(rf"\b[Ss]eed:?\s+({_ID}(?:{_AND}{_ID})*)\b(?!\.\d)")
_RANGE: Final = re.compile(rf"({_ID})[\s#]+to[\s#]+({_ID})|({_ID})")
_REMARK: Final = re.compile(r"\s*\[[^\]]*\]|\s*\((?:[rk]\d[^)]*)\)")

SECTIONS: Final = {
    "G": "Gateway hooks",
    "P": "Plugin hooks in general",
    "H": "Plugin hooks one by one",
    "S": "Shell hooks",
    "K": "Shell hooks, the Korean article",
    "X": "Worked examples",
}
LATER_PARTS: Final = {
    "gateway": "G1 to G23, H8.1 to H8.4, H10.1 to H10.9, X1 to X16, X29 and X30",
    "shell hooks": "S1 to S45, K1 to K22, X35 to X41",
    "template": "P13",
}
"""Rules of what is still to come, written like a mark; a test that names one takes it off this list."""

SHOWN: Final = 3
LENGTH: Final = 110

PAGE: Final = """\
<!-- Written by python docs/generate from the marks in tests and pages; see tests/README.md. -->

# Rules of the seed documents

Every rule of the two documents that this project started from, and who names it: a test that holds it, a page
that explains it, or the part that it waits for. `tests/data/contract/seed-rules.md` has the full text.

{total} rules: {tested} named by a test, {explained} by a page only, {waiting} wait for a later part,
{missing} named by nobody yet.
{sections}{unknown}"""


@dataclass(slots=True)
class Rule:
    """One rule, and who names it."""

    name: str
    text: str
    tests: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    part: str = ""
    """The later part of the project that it belongs to, if any."""

    @property
    def waits_for(self) -> str:
        """The part that it waits for: none once a test names it."""
        return "" if self.tests else self.part


def render(root: Path) -> dict[Path, str]:
    """Return the page's text by the file it belongs in."""
    page = root / "docs" / "reference" / "seed-rules.md"
    rules = read_rules((root / "tests" / "data" / "contract" / "seed-rules.md").read_text("utf-8"))
    for part, names in LATER_PARTS.items():
        for name in read_ids(names):
            rules[name].part = part
    unknown: dict[str, set[str]] = defaultdict(set)
    for place, is_test, names in _marks(root, page):
        for name in names:
            if name not in rules:
                unknown[name].add(place)
                continue
            found = rules[name].tests if is_test else rules[name].pages
            if place not in found:
                found.append(place)
    return {page: _page(list(rules.values()), unknown)}


def read_rules(text: str) -> dict[str, Rule]:
    """Return the rules of the list by id, remarks and line references left out."""
    return {name: Rule(name, _REMARK.sub("", rule).strip()) for name, rule in _RULE.findall(text)}


def read_marks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield `(offset, rule ids)` for each mark in a text."""
    for mark in _MARK.finditer(text):
        yield mark.start(), read_ids(mark[1])


def read_ids(text: str) -> list[str]:
    """Return the rule ids of ``P4, P5 and H9.1 to H9.3``, ranges written out."""
    names: list[str] = []
    for first, last, single in _RANGE.findall(text):
        names += [single] if single else _written_out(first, last)
    return names


def _written_out(first: str, last: str) -> list[str]:
    head, tail = re.fullmatch(r"(.*?)(\d+)", first), re.fullmatch(r"(.*?)(\d+)", last)
    if head is None or tail is None or head[1] != tail[1]:
        return [first, last]
    return [f"{head[1]}{number}" for number in range(int(head[2]), int(tail[2]) + 1)]


def _marks(root: Path, page: Path) -> Iterator[tuple[str, bool, list[str]]]:
    for path in sorted((root / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        functions = _functions(text)
        for offset, names in read_marks(text):
            line = text.count("\n", 0, offset) + 1
            inside = [name for name, first, last in functions if first <= line <= last]
            place = path.relative_to(root / "tests").as_posix()
            yield "::".join((place, *inside[:1])), True, names
    for path in sorted((root / "docs").rglob("*.md")):
        if path != page:
            for _, names in read_marks(path.read_text("utf-8")):
                yield path.relative_to(root / "docs").as_posix(), False, names


def _functions(text: str) -> list[tuple[str, int, int]]:
    """Return name, first and last line of each test function; none for a file that is being written."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    functions = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            decorators = [decorator.lineno for decorator in node.decorator_list]
            functions.append((node.name, min([node.lineno, *decorators]), node.end_lineno or node.lineno))
    return functions


def _page(rules: list[Rule], unknown: dict[str, set[str]]) -> str:
    sections = []
    for section, members in groupby(rules, key=lambda rule: rule.name[0]):
        rows = "\n".join(map(_row, members))
        table = f"| rule | what it says | tests | pages | waits for |\n|---|---|---|---|---|\n{rows}"
        sections.append(f"\n## {SECTIONS[section]}\n\n{table}\n")
    lost = [f"- {name}: {', '.join(sorted(places))}" for name, places in sorted(unknown.items())]
    named = [rule for rule in rules if rule.tests or rule.pages or rule.waits_for]
    return PAGE.format(
        total=len(rules),
        tested=sum(bool(rule.tests) for rule in rules),
        explained=sum(bool(rule.pages) and not rule.tests and not rule.waits_for for rule in rules),
        waiting=sum(bool(rule.waits_for) for rule in rules),
        missing=len(rules) - len(named),
        sections="".join(sections),
        unknown="\n## Marks that name no rule\n\n" + "\n".join(lost) + "\n" if lost else "",
    )


def _row(rule: Rule) -> str:
    text = rule.text if len(rule.text) <= LENGTH else rule.text[:LENGTH].rpartition(" ")[0] + " ..."
    tests = _listed([f"`{place}`" for place in rule.tests])
    pages = _listed([f"[{place.removesuffix('.md')}](../{place})" for place in rule.pages])
    waits = rule.waits_for or ("" if rule.tests or rule.pages else "**nobody yet**")
    cells = (rule.name, text, tests, pages, waits)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _listed(places: list[str]) -> str:
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return ", ".join(places[:SHOWN]) + more
