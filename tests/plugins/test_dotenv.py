"""`<home>/.env` is read as a shell would, below the real environment."""

from __future__ import annotations

import logging
import os

from hermes_sdk.config.dotenv import environment, export_dotenv, read_dotenv

FILE = r"""
# a comment
PLAIN=value
export EXPORTED = spaced out   # trailing comment
SINGLE='as $it is # here'
DOUBLE="a \"quoted\"\tvalue\\" # comment
HASH=a#b
EMPTY=
EQUALS=a=b
"""


def test_the_usual_notations_are_understood(tmp_path):
    (tmp_path / ".env").write_text(FILE)
    assert read_dotenv(tmp_path) == {
        "PLAIN": "value",
        "EXPORTED": "spaced out",
        "SINGLE": "as $it is # here",
        "DOUBLE": 'a "quoted"\tvalue\\',
        "HASH": "a#b",
        "EMPTY": "",
        "EQUALS": "a=b",
    }


def test_a_line_that_is_no_assignment_is_named_without_its_content(tmp_path, caplog):
    (tmp_path / ".env").write_text('GOOD=1\nsk-secret\nOPEN="never closed\n2BAD=x\n')
    with caplog.at_level(logging.WARNING):
        assert read_dotenv(tmp_path) == {"GOOD": "1"}
    assert [record.getMessage().rpartition(".env:")[2][:1] for record in caplog.records] == ["2", "3", "4"]
    assert "sk-secret" not in caplog.text
    assert "never closed" not in caplog.text


def test_the_environment_wins_over_the_file(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("HSDK_TEST_A=file\nHSDK_TEST_B=file\n")
    monkeypatch.setenv("HSDK_TEST_A", "real")
    monkeypatch.delenv("HSDK_TEST_B", raising=False)
    assert (environment(tmp_path)["HSDK_TEST_A"], environment(tmp_path)["HSDK_TEST_B"]) == ("real", "file")
    monkeypatch.setattr(os, "environ", {"HSDK_TEST_A": "real"})
    assert export_dotenv(tmp_path) == ["HSDK_TEST_B"]
    assert export_dotenv(tmp_path) == []


def test_an_absent_or_unreadable_file_sets_nothing(tmp_path, caplog):
    assert read_dotenv(tmp_path) == {}
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    assert read_dotenv(tmp_path) == {}
    assert "UnicodeDecodeError" in caplog.text
