"""Foreign text on a terminal: no control characters, no markup, no surprises in width."""

from __future__ import annotations

import io

import pytest

from hermes_sdk.cli.rows import Row, RowPrinter
from hermes_sdk.cli.screen import console, one_line, plain, shortened


def drawn(*rows: Row, width: int = 80, names: tuple[str, ...] = ()) -> str:
    stream = io.StringIO()
    printer = RowPrinter(console(stream, width=width))
    printer.align(names)
    for row in rows:
        printer.print(row)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("50%\r100%\r\n", "50%\n100%\n"),
        ("a\x00b\x7f\x9b", "a\\x00b\\x7f\\x9b"),
        ("pay\u202eexe.gpj", "pay\\u202eexe.gpj"),
        ("lone \ud800 surrogate", "lone \\ud800 surrogate"),
        ("tab\there", "tab here"),
        ("zażółć 메시지", "zażółć 메시지"),
        (None, "None"),
    ],
)
def test_control_characters_are_spelled_out(given: object, shown: str) -> None:
    assert plain(given) == shown


def test_one_line_collapses_white_space() -> None:
    assert one_line("  a\n\tb  c ") == "a b c"


def test_a_cut_is_shown_by_an_ellipsis() -> None:
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"


def test_markup_in_plugin_text_is_shown_as_written() -> None:
    shown = drawn(Row("blocked", "guard", "[bold]no[/bold] [link=http://x]y[/link] :smile:"))
    assert "[bold]no[/bold] [link=http://x]y[/link] :smile:" in shown
    assert "\x1b" not in shown


def test_no_line_is_wider_than_the_terminal() -> None:
    rows = [
        Row("result", "terminal", "long " * 60),
        Row("result", "terminal", "x" * 300),
        Row("context", "日本語プラグイン", "한국어 메시지 " * 20),
        Row("observed", "a-plugin-with-a-very-long-distribution-name", "pre_tool_call, post_tool_call", 2, 3),
    ]
    from rich.cells import cell_len

    for width in (40, 80, 120):
        for line in drawn(*rows, width=width, names=("memory_recall",)).splitlines():
            assert cell_len(line) <= width, line


def test_continuation_lines_stand_under_the_text() -> None:
    first, second, *_ = drawn(Row("context", "memory", "one\ntwo")).splitlines()
    assert first.index("one") == second.index("two")


def test_long_text_is_cut_and_the_rest_is_counted() -> None:
    shown = drawn(Row("result", "terminal", "\n".join(str(number) for number in range(20))))
    assert "… 16 more lines" in shown
    assert "\n".join(drawn(Row("answer", "", "a\nb\nc\nd\ne\nf", lines=None)).split()).endswith("f")


def test_one_line_over_the_limit_is_shown_instead_of_counted() -> None:
    assert "more lines" not in drawn(Row("result", "terminal", "1\n2\n3\n4\n5"))


def test_rows_of_child_agents_are_indented() -> None:
    assert drawn(Row("run", "terminal", "ls", depth=1, child=2)).startswith(" 2│ run")


def test_colours_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    RowPrinter(console(stream, width=80)).print(Row("blocked", "guard", "no"))
    assert "\x1b[" in stream.getvalue()

    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    RowPrinter(console(stream, width=80)).print(Row("blocked", "guard", "no"))
    assert "\x1b[31" not in stream.getvalue()
    assert "\x1b[1;31" not in stream.getvalue()
