"""The gateway's log file, and `hermes-sdk logs` that shows it."""

import logging
import subprocess
import time

import pytest

from hermes_sdk.cli.log_file import Follower, print_log
from hermes_sdk.cli.logs import GATEWAY_LOG_FILE, LOG_FILE, ScreenLog, logging_to, logging_to_gateway_log

boot = logging.getLogger("hooks.boot-md")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def gateway_log(home):
    with logging_to(ScreenLog()), logging_to_gateway_log():
        yield home / GATEWAY_LOG_FILE


def test_a_gateway_has_a_log_of_its_own(home):
    with logging_to(ScreenLog()):
        with logging_to_gateway_log():
            boot.info("Running BOOT.md (%d chars)", 12)
        boot.info("and then")
    assert (home / GATEWAY_LOG_FILE).read_text().endswith(" INFO hooks.boot-md: Running BOOT.md (12 chars)\n")
    assert (home / LOG_FILE).read_text().endswith(" INFO hooks.boot-md: and then\n")


def test_no_record_can_pose_as_another_or_move_the_cursor(gateway_log, capsys):
    boot.warning("a\x1b[2J\r\n2026-01-01 00:00:00,000 ERROR forged: b")
    boot.info("c")
    lines = gateway_log.read_text().splitlines()
    assert [line.partition(": ")[2] for line in lines] == ["a\\x1b[2J", "b", "c"]
    assert lines[1].startswith("    2026")
    print_log(gateway_log.parents[1], "gateway", lines=10, level="ERROR")
    assert capsys.readouterr().out == ""


def test_the_last_lines_come_from_files_put_aside_too(gateway_log, capsys):
    for number in range(4):
        boot.info("line %d", number)
        gateway_log.rename(gateway_log.with_name(f"gateway.log.{3 - number}") if number < 3 else gateway_log)
        if number < 3:
            gateway_log.touch()
            for handler in logging.getLogger().handlers:
                handler.close()
                if hasattr(handler, "_file"):
                    handler._file = None
    print_log(gateway_log.parents[1], "gateway", lines=3)
    assert [line[-6:] for line in capsys.readouterr().out.splitlines()] == ["line 1", "line 2", "line 3"]


def test_levels_keep_all_lines_of_a_record(gateway_log, capsys):
    boot.info("one")
    boot.error("two\nmore of two")
    boot.debug("never logged")
    print_log(gateway_log.parents[1], "gateway", lines=10, level="WARNING")
    shown = capsys.readouterr().out.splitlines()
    assert [line.rpartition(": ")[2] for line in shown] == ["two", "    more of two"]


def test_following_loses_nothing_when_the_file_is_put_aside(tmp_path):
    log = tmp_path / "gateway.log"
    handler = logging.handlers.RotatingFileHandler(log, maxBytes=300, backupCount=5)
    follower, seen = Follower(log), []
    for number in range(200):
        handler.emit(logging.makeLogRecord({"msg": f"record number {number}"}))
        if number % 30 == 0:  # two or three files further, each time
            seen.extend(follower.lines())
    seen.extend(follower.lines())
    handler.close()
    follower.close()
    assert seen == [f"record number {number}" for number in range(200)]


def test_a_follower_waits_for_a_log_that_is_not_there_yet(tmp_path):
    follower = Follower(tmp_path / "gateway.log")
    assert list(follower.lines()) == []
    (tmp_path / "gateway.log").write_text("first\nhalf")
    assert list(follower.lines()) == ["first"]
    with (tmp_path / "gateway.log").open("a") as log:
        log.write(" a line\n")
    assert list(follower.lines()) == ["half a line"]
    follower.close()


def test_the_command_follows_and_greps_as_the_tutorial_does(program):
    """Seed X14: `logs --follow --level INFO | grep boot-md`."""
    (program.home / "logs").mkdir()
    log = program.home / "logs" / "gateway.log"
    log.write_text("2026-01-01 00:00:00,000 INFO other: x\n2026-01-01 00:00:00,001 DEBUG hooks.boot-md: y\n")
    follow = subprocess.Popen(
        program.command("logs", "--follow", "--level", "INFO"), stdout=subprocess.PIPE, env=program.env, text=True
    )
    grep = subprocess.Popen(
        ["grep", "--line-buffered", "-m1", "boot-md"], stdin=follow.stdout, stdout=subprocess.PIPE, text=True
    )
    follow.stdout.close()
    deadline = time.monotonic() + 60
    try:
        with log.open("a") as out:
            while grep.poll() is None or follow.poll() is None:  # grep ends after one line, and so does the writer
                assert time.monotonic() < deadline
                out.write("2026-01-01 00:00:00,002 INFO hooks.boot-md: Running BOOT.md (3 chars)\n")
                out.flush()
                time.sleep(0.1)
        assert grep.stdout.read() == "2026-01-01 00:00:00,002 INFO hooks.boot-md: Running BOOT.md (3 chars)\n"
    finally:
        for process in (follow, grep):
            process.kill()
            process.wait()
        grep.stdout.close()


def test_a_log_that_is_not_there_is_an_error_that_says_what_is(program):
    done = program("logs")
    assert done.code == 1
    assert f"{program.home}/logs/gateway.log" in done.err
    assert "`hermes-sdk gateway run` writes it" in done.err
    (program.home / "logs").mkdir()
    (program.home / "logs" / "hermes-sdk.log").touch()
    assert "did you mean 'hermes-sdk'?" in program("logs", "hermes_sdk").err
    unknown = program("logs", "nothing").err
    assert "hermes-sdk" in unknown
    assert "gateway run" not in unknown
