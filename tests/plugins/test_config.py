"""config.yaml is read with positions and never raises for what it says."""

from __future__ import annotations

import os

import pytest

from hermes_sdk.config import Config
from hermes_sdk.config.document import YamlDocument


def config_of(home, text):
    content = text if isinstance(text, bytes) else text.encode()
    (home / "config.yaml").write_bytes(content)
    return Config.load(home)


def test_an_absent_file_is_an_empty_configuration(tmp_path):
    config = Config.load(tmp_path / "nowhere")
    assert config.get("plugins.enabled", "default") == "default"
    assert (config.problems, config.broken) == ([], False)


def test_a_key_that_is_there_and_empty_is_not_absent(tmp_path):
    config = config_of(tmp_path, "plugins:\n  enabled:\n")
    assert config.has("plugins.enabled")
    assert config.get("plugins.enabled", "default") is None
    assert not config.has("plugins.disabled")


def test_every_key_and_list_item_has_its_place(tmp_path):
    config = config_of(tmp_path, "model: x\nplugins:\n  enabled: [a,\n    b]\n  entries:\n    my.plugin: {k: 1}\n")
    path = tmp_path / "config.yaml"
    assert config.where("plugins") == f"{path}:2:1"
    assert config.where("plugins.enabled") == f"{path}:3:3"
    assert config.where(("plugins", "enabled", 1)) == f"{path}:4:5"
    assert config.where(("plugins", "entries", "my.plugin", "k")) == f"{path}:6:17"
    assert config.where("plugins.entries.absent") == f"{path}:5:3", "the nearest parent stands in"
    assert config.get(("plugins", "entries", "my.plugin", "k")) == 1


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("a: 1\n\tb: 2\n", ":2:1", "tab"),
        ("a: [1\n", ":2:1", "',' or ']'"),
        (b"ok: 1\na: \xff\n", ":2", "not UTF-8"),
        ("a: 2026-13-45\n", ":1:4", "cannot represent"),
        ("a:\n  - !!int secret-value\n", ":2:5", "cannot represent"),
        ("a: !!python/object:os.system x\n", ":1:4", "constructor"),
        ("a: 1\n---\nb: 2\n", ":2:1", "another document"),
        ("a: \x00\n", "", "#x0000"),
        ("[" * 5000, ":1:", "nesting"),
        ("- a list\n", ":1:1", "a list"),
        ("just text\n", ":1:1", "text"),
    ],
)
def test_a_broken_file_is_one_problem_with_its_place(tmp_path, text, place, found):
    config = config_of(tmp_path, text)
    (problem,) = config.problems
    assert config.broken
    assert config.data == {}
    assert problem.where.startswith(f"{tmp_path / 'config.yaml'}{place}")
    assert found in problem.found
    assert problem.code in str(problem)
    assert "secret-value" not in str(problem), "messages name types and places, not values"


def test_tabs_are_explained(tmp_path):
    assert "no tabs" in config_of(tmp_path, "a:\n\tb: 1\n").problems[0].fix


def test_a_byte_order_mark_and_windows_line_ends_are_fine(tmp_path):
    config = config_of(tmp_path, b"\xef\xbb\xbfplugins:\r\n  enabled: [a]\r\n")
    assert config.get("plugins.enabled") == ["a"]
    assert config.where("plugins.enabled").endswith(":2:3")


def test_a_key_given_twice_is_pointed_out_and_the_last_counts(tmp_path):
    config = config_of(tmp_path, "plugins: {enabled: [a]}\nplugins: {enabled: [b]}\n")
    assert config.get("plugins.enabled") == ["b"]
    assert config.where("plugins.enabled").endswith(":2:11")
    assert [(problem.code, problem.where.rpartition("config.yaml")[2]) for problem in config.problems] == [
        ("HS105", ":2:1")
    ]


def test_aliases_that_refer_to_themselves_do_not_hang_the_reader(tmp_path):
    assert config_of(tmp_path, "a: &x [*x]\n").problems == []
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))
    assert config_of(tmp_path, bomb).problems == []


def test_a_pipe_or_directory_in_place_of_the_file_is_a_problem_not_a_hang(tmp_path):
    os.mkfifo(tmp_path / "config.yaml")
    assert "pipe" in Config.load(tmp_path).problems[0].found
    (tmp_path / "plugin.yaml").mkdir()
    document = YamlDocument(tmp_path / "plugin.yaml", shown="plugin.yaml")
    assert (document.broken, document.problems[0].found) == (True, "a directory")


def test_a_number_can_be_read_as_it_was_written(tmp_path):
    (tmp_path / "plugin.yaml").write_text("version: 1.10\n")
    document = YamlDocument(tmp_path / "plugin.yaml")
    assert (document.data["version"], document.written(("version",))) == (1.1, "1.10")


def test_a_mapping_can_stand_in_for_the_file(tmp_path):
    config = Config.of(tmp_path, {"plugins": {"enabled": ["a"]}})
    assert config.get("plugins.enabled") == ["a"]
    assert config.where("plugins.enabled") == "plugins.enabled"


def test_shell_hooks_come_from_cli_config_when_config_has_none(tmp_path):
    (tmp_path / "cli-config.yaml").write_text("hooks_auto_accept: true\nmodel: ignored\n")
    config = config_of(tmp_path, "plugins: {}\n")
    assert config.get("hooks_auto_accept") is True
    assert config.get("model") is None
    assert config.where("hooks_auto_accept").endswith("cli-config.yaml:1:1")
    assert config.where("plugins").endswith(f"{os.sep}config.yaml:1:1")


def test_config_yaml_overrules_cli_config_and_says_so(tmp_path):
    (tmp_path / "cli-config.yaml").write_text("hooks: {pre_tool_call: []}\n")
    config = config_of(tmp_path, "hooks: {post_tool_call: []}\n")
    assert list(config.get("hooks")) == ["post_tool_call"]
    assert "cli-config.yaml:1:1" in str(config.problems[0])


def test_a_section_that_looks_like_one_of_ours_is_reported_and_others_are_not(tmp_path):
    config = config_of(tmp_path, "plugin: {enabled: [a]}\nhoks: {}\nmodel: x\ntools: []\nplatforms: {}\nagent: {}\n")
    assert [(problem.key, problem.fix, problem.severity) for problem in config.problems] == [
        ("plugin", "did you mean 'plugins'?", "warning"),
        ("hoks", "did you mean 'hooks'?", "warning"),
    ]
    assert config_of(tmp_path, "plugins: {}\nplugin: {}\n").problems == []
