"""What is found about an entry's files without starting anything (seed S38)."""

import os

import pytest

from hermes_sdk.config import Config
from hermes_sdk.shell_hooks.entries import read_entries
from hermes_sdk.shell_hooks.inspection import inspect_files


@pytest.fixture
def inspect(tmp_path):
    """Return a function that inspects a command and gives {check: (level, text)}."""

    def inspect(command, path=None):
        config = Config.of(tmp_path, {"hooks": {"post_tool_call": [{"command": command}]}})
        (entry,) = read_entries(config).entries
        environment = {"PATH": os.environ["PATH"] if path is None else path}
        return {check.name: (check.level, check.text) for check in inspect_files(entry, environment)}

    return inspect


@pytest.fixture
def script(tmp_path):
    """Return a function that writes an executable file into the home."""

    def script(content, mode=0o755):
        path = tmp_path / "hook"
        path.write_bytes(content)
        path.chmod(mode)
        return path

    return script


def test_a_script_that_is_in_order(inspect, script):
    path = script(b"#!/usr/bin/env bash\necho\n")
    assert inspect("./hook") == {"executable": ("ok", str(path)), "shebang": ("ok", "/usr/bin/env bash")}


def test_a_program_that_is_not_there(inspect):
    assert inspect("no-such-program-here --x")["program"][0] == "wrong"
    assert inspect("./missing")["program"][0] == "wrong"


def test_a_program_of_a_relative_directory_in_path_does_not_count(inspect, script, tmp_path, monkeypatch):
    script(b"#!/bin/sh\n")
    monkeypatch.chdir(tmp_path)
    assert inspect("hook", path=".")["program"][0] == "wrong"


def test_a_script_without_execute_permission_names_the_command_that_gives_it(inspect, script):
    path = script(b"#!/bin/sh\n", 0o644)
    level, text = inspect("./hook")["executable"]
    assert level == "wrong"
    assert f"chmod +x {path}" in text


def test_a_script_named_behind_an_interpreter_needs_neither_permission_nor_shebang(inspect, script):
    path = script(b"echo\n", 0o644)
    found = inspect("sh ./hook")
    assert found["script"] == ("ok", str(path))
    assert {level for level, _ in found.values()} == {"ok"}


def test_a_missing_script_behind_an_interpreter_is_found(inspect):
    assert inspect("sh ./hook")["script"][0] == "wrong"


def test_a_directory_is_no_script(inspect, tmp_path):
    (tmp_path / "hook").mkdir()
    assert inspect("sh ./hook")["script"][0] == "wrong"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"echo\n", "names no interpreter"),
        (b"\xef\xbb\xbf#!/bin/sh\n", "byte order mark"),
        (b"#!/bin/sh\r\necho\r\n", "carriage return"),
        (b"#!/no/such/interpreter\n", "there is no interpreter /no/such/interpreter"),
        (b"#!/usr/bin/env no-such-interpreter\n", "finds no no-such-interpreter"),
        (b"#!/usr/bin/env -S no-such-interpreter -x\n", "finds no no-such-interpreter"),
        (b"#!\n", "names no interpreter"),
        (b"", "names no interpreter"),
    ],
)
def test_a_first_line_that_starts_nothing_is_found(inspect, script, content, said):
    script(content)
    level, text = inspect("./hook")["shebang"]
    assert level == "wrong"
    assert said in text


def test_a_compiled_program_needs_no_shebang(inspect, script):
    script(b"\x7fELF\x02\r\n")
    assert {level for level, _ in inspect("./hook").values()} == {"ok"}


@pytest.mark.parametrize("command", ["./hook", "bash ./hook", "sh hook.d/../hook"])
def test_windows_line_ends_of_a_shell_script_are_found(inspect, script, tmp_path, command):
    (tmp_path / "hook.d").mkdir()
    script(b"#!/bin/sh\necho\r\n")
    assert inspect(command)["line ends"][0] == "wrong"


def test_windows_line_ends_of_another_script_matter_in_the_first_line_only(inspect, script):
    script(b"#!/usr/bin/env python3\nprint()\r\n")
    assert "line ends" not in inspect("./hook")
    assert "line ends" not in inspect("python3 ./hook")


def test_code_on_the_command_line_has_no_file_to_look_at(inspect):
    assert set(inspect("sh -c 'echo x'")) == {"program"}


def test_http_entries_have_no_files(tmp_path):
    config = Config.of(tmp_path, {"hooks": {"post_tool_call": [{"type": "http", "url": "http://x/"}]}})
    (entry,) = read_entries(config).entries
    assert list(inspect_files(entry, {})) == []
