"""Edits of config.yaml change the lists and nothing else."""

from __future__ import annotations

import stat

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes_sdk.config.atomic import write_atomically
from hermes_sdk.config.edit import write_lists
from hermes_sdk.errors import ConfigError


def edit(home, text, **lists):
    path = home / "config.yaml"
    path.write_bytes(text.encode())
    write_lists(path, "plugins", lists)
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "lists", "after"),
    [
        ("", {"enabled": ["a"]}, "plugins:\n  enabled:\n    - a\n"),
        ("# mine\nmodel: x", {"disabled": ["a"]}, "# mine\nmodel: x\nplugins:\n  disabled:\n    - a\n"),
        ("plugins:  # all\nb: 1\n", {"disabled": ["a"]}, "plugins:  # all\n  disabled:\n    - a\nb: 1\n"),
        ("plugins: {}\n", {"disabled": ["a"]}, "plugins: {disabled: [a]}\n"),
        ("plugins: null\n", {"disabled": ["a"]}, "plugins: {disabled: [a]}\n"),
        ("plugins:\n  disabled: # none\n", {"disabled": ["a"]}, "plugins:\n  disabled: [a] # none\n"),
        ("plugins:\n  enabled: []\n", {"enabled": ["a", "b"]}, "plugins:\n  enabled: [a, b]\n"),
        ("plugins:\n  enabled:\n  - a\n", {"enabled": []}, "plugins:\n  enabled: []\n"),
        ("plugins:\n  enabled: [a,]\n", {"enabled": []}, "plugins:\n  enabled: []\n"),
        ("plugins:\n  enabled: ['builtin:w']\n", {"enabled": ["w"]}, "plugins:\n  enabled: [w]\n"),
        ("plugins:\r\n  enabled:\r\n    - a\r\n", {"enabled": ["a", "b"]},
         "plugins:\r\n  enabled:\r\n    - a\r\n    - b\r\n"),
        ("plugins:\n  enabled: [a]\n", {"enabled": ["yes", "1", "builtin:w", "é"]},
         'plugins:\n  enabled: ["yes", "1", "builtin:w", "é"]\n'),
        ("{model: x}\n", {"enabled": ["a"]}, "{plugins: {enabled: [a]}, model: x}\n"),
    ],
)  # fmt: skip
def test_a_list_is_edited_in_the_style_of_the_file(tmp_path, before, lists, after):
    assert edit(tmp_path, before, **lists) == after


def test_comments_and_layout_around_an_item_stay(tmp_path):
    text = "# top\nplugins:\n  enabled:\n    - a  # 1st\n    # on b\n    - b\n\n  # end\nother: {x: 1}\n"
    added = edit(tmp_path, text, enabled=["a", "b", "c"])
    assert added == text.replace("    - b\n", "    - b\n    - c\n")
    assert edit(tmp_path, added, enabled=["a", "b"]) == text


@pytest.mark.parametrize(
    "text",
    [
        "shared: &s [a]\nplugins:\n  enabled: *s\n",
        "plugins: [a]\n",
        "\tplugins: x\n",
        "- a\n",
        "a: 1\n...\n",
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_left_alone(tmp_path, text):
    with pytest.raises(ConfigError, match=r"write by hand plugins.enabled: \[\"a\", \"b\"\]") as caught:
        edit(tmp_path, text, enabled=["a", "b"])
    assert caught.value.code == "HS109"
    assert (tmp_path / "config.yaml").read_text() == text


def test_a_file_that_is_not_text_is_left_alone(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(b"a: \xff\n")
    with pytest.raises(ConfigError, match="HS101"):
        write_lists(path, "plugins", {"enabled": ["a"]})
    assert path.read_bytes() == b"a: \xff\n"


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode_and_byte_order_mark(tmp_path):
    path = tmp_path / "home" / "config.yaml"
    write_lists(path, "plugins", {"enabled": ["a"]})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_bytes(b"\xef\xbb\xbfplugins: {}\n")
    path.chmod(0o644)
    write_lists(path, "plugins", {"enabled": ["a"]})
    assert path.read_bytes() == b"\xef\xbb\xbfplugins: {enabled: [a]}\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [entry.name for entry in path.parent.iterdir()] == ["config.yaml"]


def test_a_linked_file_stays_a_link(tmp_path):
    real = tmp_path / "dotfiles.yaml"
    real.write_text("plugins: {}\n")
    link = tmp_path / "config.yaml"
    link.symlink_to(real)
    write_lists(link, "plugins", {"enabled": ["a"]})
    assert link.is_symlink()
    assert "[a]" in real.read_text()


def test_a_failed_write_leaves_the_old_content_and_no_scraps(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "text, not bytes")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


names = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)
lists_of_names = st.lists(names, max_size=4, unique=True)


@settings(max_examples=60, deadline=None)
@given(before=lists_of_names, after=lists_of_names, flow=st.booleans(), other=names)
def test_any_names_survive_an_edit_and_other_keys_do_not_change(tmp_path_factory, before, after, flow, other):
    home = tmp_path_factory.mktemp("home")
    data = {"before": [other], "plugins": {"enabled": before, "entries": {other: {"k": other}}}, "z": 1.5}
    text = yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    edited = yaml.safe_load(edit(home, text, enabled=after))
    assert edited == data | {"plugins": data["plugins"] | {"enabled": after}}
