"""Narrow terminals: no character is lost, and no table becomes columns of single letters."""

from __future__ import annotations

import io

import pytest

from hermes_sdk.cli.rows import Row, RowPrinter
from hermes_sdk.cli.screen import console
from hermes_sdk.cli.tables import PlainTable, print_pair

SCRIPT = "sh ~/.hermes/agent-hooks/the-guard-of-production-machines.sh --only=terminal"
NARROW = (20, 30, 40, 60)


def joined(text: str) -> str:
    """What is there, without blanks and folds."""
    return "".join(text.split())


@pytest.mark.parametrize("columns", NARROW)
@pytest.mark.parametrize("command", [("hooks", "list"), ("hooks", "doctor", "--no-run")], ids=["list", "doctor"])
def test_no_character_of_a_script_is_missing(program, columns, command):
    program.config(f"hooks: {{pre_tool_call: [{{command: '{SCRIPT}', matcher: terminal, fail_closed: true}}]}}\n")
    out = program(*command, COLUMNS=str(columns)).out
    assert joined(SCRIPT) in joined(out)
    assert max(map(len, out.splitlines())) <= columns


@pytest.mark.parametrize("columns", NARROW)
def test_no_character_of_a_timeline_is_missing(columns):
    stream = io.StringIO()
    RowPrinter(console(stream, width=columns)).print(Row("blocked", "shell:sh guard.sh", SCRIPT, lines=None))
    assert joined(SCRIPT) in joined(stream.getvalue())


@pytest.mark.parametrize("columns", NARROW)
def test_a_table_without_room_for_its_words_becomes_pairs(columns):
    stream = io.StringIO()
    rows = [("memory_recall", "1.0.0", "entrypoint", "·"), ("redaction", "", "builtin", "3")]
    console(stream, width=columns).print(
        PlainTable(("plugin", "version", "source", "calls"), rows, numbers=("calls",), nothing="·")
    )
    shown = stream.getvalue()
    assert max(map(len, shown.splitlines())) <= columns
    words = shown.split()
    assert {"memory_recall", "entrypoint", "redaction"} <= set(words)
    # as pairs each row has its titles, but for cells that say nothing
    is_table = columns >= 60
    assert words.count("plugin") + words.count("plugin:") == (1 if is_table else 2)
    assert words.count("calls") + words.count("calls:") == 1
    assert ("·" in shown) == is_table


def test_a_pair_stands_beside_its_label_where_it_fits():
    stream = io.StringIO()
    screen = console(stream, width=20)
    print_pair(screen, "calls", "2")
    print_pair(screen, "calls", "as many as there are")
    assert stream.getvalue().splitlines() == ["calls: 2", "calls:", "  as many as there", "  are"]
