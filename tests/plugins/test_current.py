"""The process's managers: one a home, whoever asks first."""

from concurrent.futures import ThreadPoolExecutor

from hermes_sdk.plugins.current import discover_plugins, get_plugin_manager


def test_a_home_has_one_manager_and_the_active_home_is_read_at_call_time(plugin_home, another_home, monkeypatch):
    managers = []
    for home in (plugin_home, another_home):
        home.plugin("a")
        monkeypatch.setenv("HERMES_HOME", str(home.path))
        manager = discover_plugins()
        managers.append(manager)
        assert manager.home == home.path
        assert get_plugin_manager() is get_plugin_manager(home.path) is manager
    assert managers[0] is not managers[1]
    for manager in managers:
        manager.shutdown()
    assert get_plugin_manager() is not managers[1], "after a shutdown there is a new one"


def test_a_link_to_a_home_is_the_same_home(plugin_home, tmp_path):
    (tmp_path / "link").symlink_to(plugin_home.path)
    manager = get_plugin_manager(plugin_home.path)
    assert get_plugin_manager(tmp_path / "link") is manager
    manager.shutdown()


def test_threads_that_discover_at_once_load_every_plugin_once(plugin_home, monkeypatch):
    monkeypatch.setenv("HERMES_HOME", str(plugin_home.path))
    plugin_home.plugin("a", "import time\ncalls = []\ndef register(ctx):\n    calls.append(1)\n    time.sleep(0.05)\n")
    with ThreadPoolExecutor(8) as pool:
        managers = set(pool.map(lambda _: discover_plugins(), range(16)))
    (manager,) = managers
    assert manager.plugins["a"].module.calls == [1]
    manager.shutdown()
