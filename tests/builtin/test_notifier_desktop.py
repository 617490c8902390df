"""The notifier plugin with the real `notify-send` and `gdbus`, on a real D-Bus with a notification service."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
README = HERE.parents[1] / "builtin_plugins" / "notifier" / "README.md"
MISSING = [name for name in ("notify-send", "gdbus", "dbus-run-session") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")


@pytest.fixture
def on_a_bus(tmp_path, monkeypatch):
    """Return a function that runs `hermes-sdk` on a bus of its own and gives what the desktop was asked for."""
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "config.yaml").write_text("plugins: {enabled: ['builtin:notifier']}\n")

    def on_a_bus(*arguments):
        service = [sys.executable, str(HERE / "notification_service.py")]
        command = ["dbus-run-session", "--", *service, sys.executable, "-m", "hermes_sdk", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        *printed, calls = done.stdout.splitlines()
        return printed, json.loads(calls)

    return on_a_bus


def test_the_session_of_the_readme_shows_what_the_readme_says(on_a_bus, blocks, tmp_path):
    (tmp_path / "clean.yaml").write_text(next(block for block in blocks("notifier") if "clean.yaml" in block))
    _, calls = on_a_bus("run", "clean.yaml")
    shown, closed = calls
    assert f"{shown['title']}\n{shown['text']}\n" in blocks("notifier")
    assert shown["urgency"] == 2
    assert closed == {"closed": shown["shown"]}


def test_what_programs_read_in_texts_is_shown_as_it_is(on_a_bus, tmp_path):
    command = r"""rm -rf build -- "<b>\n\x41&amp;" $(id)"""
    script = {
        "turns": [{"user": "go", "approvals": ["deny"], "model": [{"tools": [{"name": "terminal"}]}, {"say": "ok"}]}]
    }
    script["turns"][0]["model"][0]["tools"][0]["args"] = {"command": command}
    (tmp_path / "s.yaml").write_text(json.dumps(script))
    _, calls = on_a_bus("run", "s.yaml")
    markup = command.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")  # as the desktop's markup wants it
    assert calls[0]["text"].endswith(markup)


def test_the_test_command_says_that_the_desktop_works(on_a_bus):
    printed, calls = on_a_bus("notifier", "test", "--seconds", "0")
    assert printed == ["desktop (notify-send): shown and taken back"]
    assert [*calls[0]] == ["shown", "title", "text", "urgency"]
    assert calls[1] == {"closed": 1}
