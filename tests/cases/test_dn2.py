"""DN2: a user copy of a bundled plugin shadows it and is itself not enabled, so neither loads."""

import pytest

from hermes_sdk.config import Config
from hermes_sdk.plugins.enabling import enable


@pytest.fixture
def home(plugin_home):
    plugin_home.plugin("web", root=plugin_home.builtin)
    plugin_home.plugin("web")
    plugin_home.config('plugins: {enabled: ["builtin:web"]}\n')
    return plugin_home


def statuses(manager):
    return {row["source"]: row["status"] for row in manager.list_plugins()}


def test_dn2_the_bundled_one_is_in_force_and_the_copy_is_marked(home):
    manager = home.loaded()
    assert manager.plugins["web"].source == "builtin"
    assert statuses(manager) == {"builtin": "loaded", "user": "present, not enabled"}


def test_dn2_enabling_the_bare_name_puts_the_user_s_copy_in_force(home):
    manager = home.loaded()
    enable(home.path, "web", manager.discover())
    assert Config.load(home.path).get("plugins.enabled") == ["web"]
    manager.discover_and_load(force=True)
    assert manager.plugins["web"].source == "user"
    assert statuses(manager) == {"builtin": "shadowed", "user": "loaded"}
    (bundled,) = (row for row in manager.list_plugins() if row["source"] == "builtin")
    assert bundled["why"] == f"shadowed by {home.path / 'plugins' / 'web'}"


@pytest.mark.parametrize(
    ("section", "loaded"),
    [
        ("{}", "user"),
        ("{enabled: []}", None),
        ("{enabled: [web]}", "user"),
        ('{enabled: ["builtin:web"]}', "builtin"),
        ('{enabled: ["user:web"]}', "user"),
        ('{enabled: ["builtin:web", "user:web"]}', "builtin"),
        ("{enabled: [web], disabled: ['user:web']}", "builtin"),
        ("{enabled: [web], disabled: ['builtin:web']}", "user"),
        ("{enabled: [web], disabled: [web]}", None),
    ],
)
def test_dn2_never_two_and_none_only_if_the_user_wants_none(home, section, loaded):
    home.config(f"plugins: {section}\n")
    assert [plugin.source for plugin in home.loaded().plugins.values()] == ([loaded] if loaded else [])
