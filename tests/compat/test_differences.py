"""The list of wanted differences: complete, short, and the same on the page."""

import ast
import sys
from pathlib import Path

import pytest
from differences import DIFFERENCES
from specimens import SPECIMENS
from versions import UPSTREAM, VERSIONS

ROOT = Path(__file__).resolve().parents[2]


def test_upstream_is_one_of_the_releases_and_they_are_in_order():
    assert UPSTREAM in VERSIONS
    assert list(VERSIONS) == sorted(set(VERSIONS), key=lambda version: tuple(map(int, version.split("."))))


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES)
def test_every_difference_says_what_and_why_in_one_line_each(difference):
    for text in (difference.section, difference.title, difference.rule, difference.upstream, difference.here):
        assert text == text.strip()
        assert text
        assert "\n" not in text
        assert "|" not in text
    assert difference.why
    assert difference.upstream != difference.here


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES)
def test_every_difference_is_shown_somewhere(difference):
    ways = [difference.id in SPECIMENS, bool(difference.shown_by), bool(difference.awaits)]
    assert ways.count(True) == 1
    if difference.shown_by:
        file, _, function = difference.shown_by.partition("::")
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_specimens_are_of_listed_differences_only():
    assert set(SPECIMENS) <= set(DIFFERENCES)


def test_every_difference_that_the_comparison_recognises_is_listed():
    here = Path(__file__).parent
    recognised = set()
    for name in ("loading.py", "pair.py", "callback_pair.py", "middleware_pair.py"):
        tree = ast.parse((here / name).read_text("utf-8"))
        texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
        recognised |= {text for text in texts if isinstance(text, str) and text.count("-") and text.islower()}
    names = {text for text in recognised if not set(text) - set("abcdefghijklmnopqrstuvwxyz-")}
    assert names
    assert names <= set(DIFFERENCES)


def test_the_page_is_written_from_the_list(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs" / "generate"), *sys.path])
    from differences_page import render

    for page, text in render(ROOT).items():
        assert page.read_text("utf-8") == text, "out of date, run: python docs/generate"
