"""The page's examples for the two approval hooks."""

import logging
import os
import time

import pytest

from hermes_hookspecs.contract import HOOKS


@pytest.fixture
def osascript(tmp_path, monkeypatch):
    """Put a stand-in for the macOS program on PATH; returns a function that waits for its arguments."""
    directory = tmp_path / "bin"
    directory.mkdir()
    program = directory / "osascript"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > "{directory}/part"\nmv "{directory}/part" "{directory}/seen"\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")

    def seen():
        while not (directory / "seen").exists():
            time.sleep(0.01)
        return (directory / "seen").read_text().splitlines()

    return seen


# the example starts the program and never waits for it
@pytest.mark.filterwarnings("ignore:subprocess .* is still running:ResourceWarning")
def test_x31_a_desktop_notice_is_shown(load, osascript):
    """Seed X31, H11.6 and H11.7: osascript gets the reason and the first 80 characters of the command."""
    manager, _ = load("x31")
    command = "rm -rf " + "x" * 100
    outcome = manager.hook.pre_approval_request(
        **HOOKS["pre_approval_request"].sample(command=command, description="recursive delete")
    )
    assert outcome.steps == ()
    assert osascript() == [
        "-e",
        f'display notification "recursive delete: {command[:80]}" with title "Hermes needs approval"',
    ]


def test_x31_without_the_program_nothing_but_the_notice_fails(load, monkeypatch, tmp_path):
    """Seed X31, P6: on a machine without osascript the failure is contained and names the plugin."""
    monkeypatch.setenv("PATH", str(tmp_path))
    manager, _ = load("x31")
    outcome = manager.hook.pre_approval_request(**HOOKS["pre_approval_request"].sample())
    assert [(step.plugin, step.what) for step in outcome.steps] == [("x31", "failed")]
    assert "osascript" in manager.failures["x31"].last


@pytest.mark.parametrize("choice", ["once", "session", "always", "deny", "timeout"])
def test_x32_every_answer_is_logged(load, caplog, choice):
    """Seed X32, H12.2: the choice, the first 60 characters of the command, the session; a timeout too."""
    manager, module = load("x32")
    with caplog.at_level(logging.INFO, logger=module.__name__):
        manager.hook.post_approval_response(
            **HOOKS["post_approval_response"].sample(command="y" * 80, choice=choice, session_key="s-1")
        )
    assert caplog.messages == [f"approval {choice}: {'y' * 60} for session s-1"]
