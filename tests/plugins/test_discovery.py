"""Plugins are found in four sources, in calling order, and nothing of them is imported."""

import os
import sys

import pytest

from hermes_sdk.plugins.discovery import builtin_directory, discover


@pytest.fixture
def found(plugin_home):
    def found(**options):
        return discover(plugin_home.path, **{"builtin_dir": plugin_home.builtin, "entry_points": False} | options)

    return found


def keys(found):
    return [(candidate.source, candidate.key) for candidate in found.candidates]


BOMB = "raise SystemExit('imported')\n"


def test_sources_come_in_order_and_names_alphabetically_whatever_their_case(
    plugin_home, found, tmp_path, monkeypatch, installed
):
    project = tmp_path / "project"
    for name in ("b", "A", "c"):
        plugin_home.plugin(name, BOMB)
    plugin_home.plugin("Z", BOMB, root=plugin_home.builtin)
    plugin_home.plugin("p", BOMB, root=project / ".hermes" / "plugins")
    installed("dist", modules={"zz": BOMB}, entry_points={"hermes_agent.plugins": {"e": "zz", "D": "zz"}})
    monkeypatch.setenv("HERMES_ENABLE_PROJECT_PLUGINS", "yes")
    wanted = [("builtin", "Z"), ("user", "A"), ("user", "b"), ("user", "c"), ("project", "p"),
              ("entrypoint", "D"), ("entrypoint", "e")]  # fmt: skip
    assert [key for key in keys(found(project_dir=project, entry_points=True)) if key in wanted] == wanted
    assert "zz" not in sys.modules


def test_project_plugins_need_the_switch(plugin_home, found, tmp_path, monkeypatch):
    plugin_home.plugin("p", BOMB, root=tmp_path / ".hermes" / "plugins")
    assert keys(found(project_dir=tmp_path)) == []
    monkeypatch.setenv("HERMES_ENABLE_PROJECT_PLUGINS", "1")
    monkeypatch.chdir(tmp_path)
    assert keys(found()) == [("project", "p")]


def test_a_host_started_in_the_home_does_not_find_the_user_s_plugins_twice(tmp_path, monkeypatch, plugin_home):
    home = tmp_path / ".hermes"
    plugin_home.plugin("p", BOMB, root=home / "plugins")
    monkeypatch.setenv("HERMES_ENABLE_PROJECT_PLUGINS", "1")
    monkeypatch.chdir(tmp_path)
    assert keys(discover(home, builtin_dir=plugin_home.builtin, entry_points=False)) == [("user", "p")]


def test_a_category_is_one_level_deep(plugin_home, found):
    plugin_home.plugin("tts/openai", BOMB, "name: other\n")
    plugin_home.plugin("tts/deep/er", BOMB)
    (plugin_home.path / "plugins" / "tts" / "__init__.py").write_text(BOMB)
    (candidate,) = found().candidates
    assert (candidate.key, candidate.name, candidate.manifest.key) == ("tts/openai", "other", "tts/openai")


def test_order_follows_directories_not_manifest_names(plugin_home, found):
    plugin_home.plugin("a", BOMB, "name: zebra\n")
    plugin_home.plugin("b", BOMB, "name: ant\n")
    assert keys(found()) == [("user", "zebra"), ("user", "ant")]


def test_plugin_yml_counts_too(plugin_home, found):
    directory = plugin_home.plugin("p", BOMB, "")
    (directory / "plugin.yml").write_text("version: 2\n")
    assert [(candidate.key, candidate.version) for candidate in found().candidates] == [("p", "2")]


def test_code_without_a_manifest_is_pointed_out(plugin_home, found):
    plugin_home.plugin("p", BOMB, "")
    (candidate,) = found().candidates
    assert "add a plugin.yaml with 'name: p'" in candidate.broken


def test_a_manifest_without_code_is_pointed_out(plugin_home, found):
    (plugin_home.plugin("p") / "__init__.py").unlink()
    assert "__init__.py" in found().candidates[0].broken


def test_a_broken_manifest_does_not_hide_the_others(plugin_home, found):
    plugin_home.plugin("a", BOMB, "name: [\n")
    plugin_home.plugin("b", BOMB)
    assert [bool(candidate.broken) for candidate in found().candidates] == [True, False]


def test_hidden_directories_caches_and_files_are_passed_over(plugin_home, found):
    plugins = plugin_home.path / "plugins"
    for name in (".git", "__pycache__", "fine"):
        plugin_home.plugin(name, BOMB)
    for name in ("README.md", ".hidden.py"):
        (plugins / name).write_text("hello")
    (plugins / "empty").mkdir()
    assert keys(found()) == [("user", "fine")]
    assert found().problems == []


def test_what_somebody_took_for_a_plugin_is_pointed_out(plugin_home, found):
    plugins = plugin_home.path / "plugins"
    plugin_home.plugin("fine", BOMB, part="")
    (plugins / "single.py").write_text(BOMB)
    (plugins / "gone").symlink_to(plugins / "nowhere")
    (plugins / "loop").symlink_to(plugins / "loop")
    plugin_home.plugin("project/src/deep", BOMB)
    (plugins / "project" / "pyproject.toml").write_text("")
    assert keys(found()) == [("user", "fine")]
    assert {(problem.key, problem.found, problem.severity) for problem in found().problems} == {
        ("single.py", "a file", "warning"),
        ("gone", "a link that leads nowhere", "warning"),
        ("loop", "a link that leads nowhere", "warning"),
        ("project", "a project", "warning"),
    }
    assert "move it to single/__init__.py" in " ".join(map(str, found().problems))


def test_a_linked_plugin_is_found(plugin_home, found, tmp_path):
    real = plugin_home.plugin("real", BOMB, root=tmp_path / "elsewhere")
    (plugin_home.path / "plugins").mkdir()
    (plugin_home.path / "plugins" / "linked").symlink_to(real)
    assert keys(found()) == [("user", "real")]


def test_odd_directory_names_are_names(plugin_home, found):
    for name in ("with blank", "ünïcode", "dots.and.more", "-dash", "a'quote"):
        plugin_home.plugin(name, BOMB, f'name: "{name}"\n')
    assert {key for _, key in keys(found())} == {"with blank", "ünïcode", "dots.and.more", "-dash", "a'quote"}


def test_a_file_in_place_of_the_plugins_directory_is_a_problem(plugin_home, found):
    (plugin_home.path / "plugins").write_text("not a directory")
    assert [problem.code for problem in found().problems] == ["HS101"]


def test_a_manifest_that_is_a_pipe_or_a_directory_is_a_broken_one(plugin_home, found):
    directory = plugin_home.plugin("pipe", BOMB, "")
    os.mkfifo(directory / "plugin.yaml")
    (plugin_home.plugin("tree", BOMB, "") / "plugin.yaml").mkdir()
    assert [candidate.broken[:7] for candidate in found().candidates] == ["[HS101]", "[HS101]"]


def test_our_own_built_in_plugins_are_found():
    assert (builtin_directory() / "redaction" / "plugin.yaml").is_file()


def test_an_entry_point_brings_its_distribution_along(found, installed):
    metadata = "Metadata-Version: 2.1\nName: Hermes-Demo\nVersion: 1.2\nSummary: a demo\n\nName: not a header\n"
    installed("hermes-demo", "1.2", entry_points={"hermes_agent.plugins": {"demo": "hermes_demo:register"}},
              metadata=metadata)  # fmt: skip
    (candidate,) = (each for each in found(entry_points=True).candidates if each.key == "demo")
    assert (candidate.distribution, candidate.version) == ("Hermes-Demo", "1.2")
    assert candidate.manifest.description == "a demo"
    assert candidate.place == "Hermes-Demo 1.2 (hermes_demo:register)"


def test_a_near_miss_of_the_group_is_pointed_out(found, installed):
    for number, group in enumerate(("hermes-agent.plugins", "hermes_agent.plugin", "hermes.plugins", "pytest11")):
        installed(f"dist-{number}", entry_points={group: {"hermes": "m"}})
    pointed_out = [problem for problem in found(entry_points=True).problems if "dist-" in problem.where]
    assert sorted(problem.key for problem in pointed_out) == [
        "hermes-agent.plugins", "hermes.plugins", "hermes_agent.plugin",
    ]  # fmt: skip


def test_a_damaged_distribution_does_not_hide_the_others(found, installed, caplog):
    installed("damaged", entry_points="[hermes_agent.plugins]\nthis line has no equals sign\n")
    installed("unnamed", entry_points={"hermes_agent.plugins": {"unnamed": "m"}}, metadata="")
    installed("sound", entry_points={"hermes_agent.plugins": {"sound": "m"}})
    found_keys = [key for _, key in keys(found(entry_points=True))]
    assert {"sound", "unnamed"} <= set(found_keys)


def test_the_first_of_two_distributions_with_one_name_counts(found, installed, tmp_path, monkeypatch):
    installed("twice", "1.0", entry_points={"hermes_agent.plugins": {"twice": "m"}})
    installed("Twice", "2.0", entry_points={"hermes_agent.plugins": {"twice": "m"}})
    assert len([key for key in keys(found(entry_points=True)) if key == ("entrypoint", "twice")]) == 1


def test_our_own_bridge_is_never_loaded_by_ourselves(found, installed):
    installed("hermes_sdk", entry_points={"hermes_agent.plugins": {"bridge": "m"}})
    assert ("entrypoint", "bridge") not in keys(found(entry_points=True))
