"""`hermes-sdk dev` as a process: real saves, real reloads."""

import signal
import subprocess
import threading
import time

import pytest

GOOD = """
WORD = "push"

def pre(args, **kw):
    return {"action": "block", "message": "no " + WORD} if WORD in str(args) else None

def register(ctx):
    ctx.register_hook("pre_tool_call", pre)
"""
SESSION = """
title: a session
turns:
  - user: go
    model:
      - tools: [{name: terminal, args: {command: echo push}}]
      - say: done
"""


class Dev:
    """The process, and what it printed."""

    def __init__(self, program, directory, *options):
        self.lines = []
        self._heard = threading.Condition()
        self._seen = 0
        self.process = subprocess.Popen(
            program.command("dev", str(directory), *options),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=program.env | {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"},
            cwd=program.workdir,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self._heard:
                self.lines.append(line.rstrip("\n"))
                self._heard.notify_all()

    def until(self, text):
        """Wait for a line that has a text; return the lines since the last wait."""
        with self._heard:
            found = lambda: [n for n, line in enumerate(self.lines) if n >= self._seen and text in line]  # noqa: E731
            assert self._heard.wait_for(found, 60), f"{text!r} did not come: {self.lines}"
            last = found()[0] + 1
            since, self._seen = self.lines[self._seen : last], last
            return since

    def end(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        self._reader.join(30)
        self.process.stdout.close()
        return code


@pytest.fixture
def develop(program):
    started = []

    def start(*arguments):
        started.append(Dev(program, *arguments))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()
            each.process.stdout.close()


@pytest.fixture
def plugin(tmp_path):
    directory = tmp_path / "project" / "src" / "sample"
    directory.mkdir(parents=True)
    (directory / "plugin.yaml").write_text("name: sample\n")
    (directory / "__init__.py").write_text(GOOD)
    (tmp_path / "project" / "session.yaml").write_text(SESSION)
    return directory


def test_each_save_shows_what_it_changed(develop, plugin):
    dev = develop(plugin.parents[1])
    dev.until("loaded sample: pre_tool_call")
    dev.until("hook calls of a session")
    dev.until("Ctrl-C ends")
    time.sleep(0.5)  # the watch begins behind that line
    (plugin / "__init__.py").write_text(GOOD.replace('"no "', '"never "'))
    shown = dev.until("come out as they did")
    assert any("saved __init__.py" in line for line in shown)
    assert any("message differs" in line for line in shown)
    assert any("+ never push" in line for line in shown)
    (plugin / "__init__.py").write_text("def broken(:\n")
    dev.until("why: SyntaxError: invalid syntax (__init__.py, line 1)")
    (plugin / "__init__.py").write_text(GOOD.replace('"no "', '"never "').replace('"push"', '"pull"'))
    shown = dev.until("come out as they did")
    assert any("action differs" in line for line in shown)
    assert any("now:  nobody acts" in line for line in shown)
    assert dev.end() == 0
    assert dev.lines[-1] == "ended"


def test_without_a_session_saves_are_only_loaded(develop, plugin):
    (plugin.parents[1] / "session.yaml").unlink()
    dev = develop(plugin)
    dev.until("saves are only loaded")
    time.sleep(0.5)
    (plugin / "__init__.py").write_text(GOOD + "\n")
    dev.until("saved __init__.py")
    dev.until("loaded sample")
    assert dev.end() == 0


def test_a_directory_without_a_plugin_is_refused(program):
    done = program("dev", str(program.workdir))
    assert done.code == 1
    assert "there is no plugin to develop" in done.err
