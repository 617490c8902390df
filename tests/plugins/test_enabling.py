"""`plugins enable` and `plugins disable` write config.yaml and say what they did."""

import pytest

from hermes_sdk.config import Config
from hermes_sdk.errors import ConfigError, PluginError
from hermes_sdk.plugins.enabling import disable, enable


@pytest.fixture
def change(plugin_home):
    """Return a function that enables or disables and gives (lists as written, the messages)."""

    def change(what, name):
        candidates = plugin_home.manager().discover()
        done = what(plugin_home.path, name, candidates)
        plugins = Config.load(plugin_home.path).get("plugins")
        return plugins, "\n".join(done.messages)

    return change


def test_the_first_enable_names_everything_that_loads_already_and_says_so(plugin_home, change):
    plugin_home.plugin("a")
    plugin_home.plugin("b")
    plugin_home.plugin("redaction", root=plugin_home.builtin)
    plugins, said = change(enable, "redaction")
    assert plugins == {"enabled": ["a", "b", "builtin:redaction"]}
    assert "plugins.enabled was absent" in said
    assert "(a, b)" in said


def test_the_name_is_written_with_its_source_only_where_nobody_but_a_built_in_has_it(plugin_home, change):
    plugin_home.plugin("web", root=plugin_home.builtin)
    plugin_home.config("plugins: {enabled: []}\n")
    assert change(enable, "WEB")[0] == {"enabled": ["builtin:web"]}
    plugin_home.plugin("web")
    assert change(enable, "web")[0] == {"enabled": ["web"]}, "the bare name replaces the full one"
    assert change(enable, "builtin:web")[0] == {"enabled": ["builtin:web"]}


def test_enabling_takes_a_plugin_out_of_disabled(plugin_home, change):
    plugin_home.plugin("a")
    plugin_home.config("plugins:\n  enabled: [a]\n  disabled: [x, A]  # for now\n")
    plugins, said = change(enable, "a")
    assert plugins == {"enabled": ["a"], "disabled": ["x"]}
    assert "taken out of plugins.disabled" in said
    assert "# for now" in (plugin_home.path / "config.yaml").read_text()


def test_disabling_touches_nothing_but_disabled(plugin_home, change):
    plugin_home.plugin("a")
    plugins, said = change(disable, "a")
    assert plugins == {"disabled": ["a"]}
    assert "running host" in said
    assert change(disable, "A") == ({"disabled": ["a"]}, "a is disabled already")
    plugin_home.config("plugins: {enabled: [a]}\n")
    assert change(disable, "user:a")[0] == {"enabled": ["a"], "disabled": ["user:a"]}


def test_what_is_enabled_already_changes_nothing(plugin_home, change):
    plugin_home.plugin("a")
    plugin_home.config("plugins: {enabled: [a]}\n")
    before = (plugin_home.path / "config.yaml").read_bytes()
    assert change(enable, "a")[1] == "a is enabled already"
    assert (plugin_home.path / "config.yaml").read_bytes() == before


def test_a_plugin_that_is_gone_can_be_disabled_but_not_enabled(plugin_home, change):
    plugin_home.config("plugins: {entries: {guard: {fail_closed: true}}}\n")
    assert change(disable, "guard")[0]["disabled"] == ["guard"]
    with pytest.raises(PluginError, match="HS203"):
        change(enable, "guard")


@pytest.mark.parametrize("what", [enable, disable])
def test_an_unknown_name_is_refused_with_the_nearest(plugin_home, change, what):
    plugin_home.plugin("redaction", root=plugin_home.builtin)
    with pytest.raises(PluginError, match="did you mean 'redaction'"):
        change(what, "redacton")
    with pytest.raises(PluginError, match="comes from builtin"):
        change(what, "user:redaction")


@pytest.mark.parametrize("what", [enable, disable])
@pytest.mark.parametrize("text", ["plugins: {enabled: a}\n", "plugins: {\n"])
def test_a_configuration_that_cannot_be_read_is_refused(plugin_home, change, what, text):
    plugin_home.plugin("a")
    plugin_home.config(text)
    with pytest.raises(ConfigError, match=r"config.yaml:"):
        change(what, "a")
    assert (plugin_home.path / "config.yaml").read_text() == text
