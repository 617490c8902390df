"""What plugins print does not reach stdout; it reaches the sink, with the plugin's name."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

from hermes_sdk.cli.capture import PrintedLines, StdoutCapture

if TYPE_CHECKING:
    import pytest


def run_capture(body: str, after: str = "") -> tuple[str, list[list[str]]]:
    """Run `body` inside a capture, in a process of its own; return its real stdout and what the sink got."""
    script = textwrap.dedent(
        """
        import json, os, subprocess, sys, threading
        from hermes_sdk.cli.capture import StdoutCapture
        got = []
        owner = lambda module: {"__main__": "main_plugin", "plug.deep": "plug"}.get(module)
        capture = StdoutCapture()
        capture.owner = owner
        capture.sink = lambda plugin, line: got.append([plugin, line])
        with capture:
        """
    )
    script += textwrap.indent(textwrap.dedent(body), "    ") + textwrap.dedent(after)
    script += "\ncapture.close()\nsys.stderr.write(json.dumps(got))\n"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    return done.stdout, json.loads(done.stderr)


def test_a_print_is_attributed_to_the_innermost_plugin_module() -> None:
    stdout, got = run_capture(
        """
        print("from main")
        exec("def call(): print('from deep')", module := {"__name__": "plug.deep"})
        module["call"]()
        """
    )
    assert stdout == ""
    assert got == [["main_plugin", "from main"], ["plug", "from deep"]]


def test_output_of_child_processes_is_caught_too() -> None:
    stdout, got = run_capture(
        """
        subprocess.run(["echo", "inherited"], check=True)
        subprocess.run(["echo", "handed over"], stdout=sys.stdout, check=True)
        sys.stdout.buffer.write(b"bytes\\n")
        """
    )
    assert stdout == ""
    assert got == [["", "inherited"], ["", "handed over"], ["", "bytes"]]


def test_the_terminal_is_still_reachable() -> None:
    stdout, got = run_capture('print("for the user", file=capture.terminal)')
    assert stdout == "for the user\n"
    assert got == []


def test_a_line_without_end_is_not_lost() -> None:
    assert run_capture('print("a", end=""); print("b"); print("open", end="")')[1] == [
        ["main_plugin", "ab"],
        ["main_plugin", "open"],
    ]


def test_lines_of_parallel_threads_are_not_mixed() -> None:
    _, got = run_capture(
        """
        def work(letter):
            for _ in range(200):
                print(letter, end=""); print(letter)
        threads = [threading.Thread(target=work, args=(letter,)) for letter in "xyz"]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        """
    )
    assert sorted(got) == [["main_plugin", letter * 2] for letter in "xyz" for _ in range(200)]


def test_a_child_that_outlives_the_capture_does_not_hold_it() -> None:
    stdout, got = run_capture(
        """
        command = "echo early; sleep 60 2>/dev/null & echo $!"
        subprocess.Popen(["sh", "-c", command]).wait()
        """
    )
    subprocess.run(["kill", got[1][1]], check=True)
    assert got[0] == ["", "early"]
    assert stdout == ""


def test_a_capture_can_be_entered_again():
    stdout, got = run_capture(
        'print("first")',
        after="""
        print("between", file=capture.terminal)
        print("and free", flush=True)
        with capture:
            print("second")
        """,
    )
    assert stdout == "between\nand free\n"
    assert got == [["main_plugin", "first"], ["main_plugin", "second"]]


def test_stdout_comes_back_after_the_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    replaced = io.StringIO()
    monkeypatch.setattr(sys, "stdout", replaced)
    lines: list[tuple[str, str]] = []
    capture = StdoutCapture()
    capture.sink = lambda plugin, line: lines.append((plugin, line))
    with capture:
        assert isinstance(sys.stdout, PrintedLines)
        assert capture.terminal is replaced
        print("caught")
    assert sys.stdout is replaced
    print("not caught")
    capture.close()
    assert lines == [("", "caught")]
    assert replaced.getvalue() == "not caught\n"
