"""Which of the found plugins load: `plugins.enabled`, `plugins.disabled`, copies of one name, refusals."""

import pytest

from hermes_sdk.config import Config
from hermes_sdk.plugins.survey import Sources, survey


@pytest.fixture
def surveyed(plugin_home, tmp_path):
    """Return a function that gives (source:key -> (status, why), problems) for a plugins section."""

    def surveyed(section=None, **options):
        if section is not None:
            plugin_home.config(section)
        sources = Sources(plugin_home.builtin, options.pop("project_dir", None), options.pop("entry_points", False))
        known = survey(plugin_home.path, Config.load(plugin_home.path), sources, **options)
        statuses = {
            f"{decision.candidate.source}:{decision.candidate.key}": (str(decision.status), decision.why)
            for decision in known.decisions
        }
        return statuses, [str(problem) for problem in known.problems]

    return surveyed


def status(statuses):
    return {name: found for name, (found, _) in statuses.items()}


@pytest.fixture
def web_twice(plugin_home):
    """A built-in and a user's plugin of one name."""
    plugin_home.plugin("web", root=plugin_home.builtin)
    plugin_home.plugin("web")


def test_without_the_key_installed_plugins_load_and_built_in_ones_do_not(plugin_home, surveyed):
    plugin_home.plugin("own")
    plugin_home.plugin("part", root=plugin_home.builtin)
    statuses, problems = surveyed()
    assert status(statuses) == {"builtin:part": "not enabled", "user:own": "enabled"}
    assert "hermes-sdk plugins enable part" in statuses["builtin:part"][1]
    assert problems == []


@pytest.mark.parametrize("section", ["plugins:\n", "plugins: {}\n", "model: x\n", "plugins: {disabled: }\n"])
def test_an_empty_section_is_no_section(plugin_home, surveyed, section):
    plugin_home.plugin("own")
    statuses, problems = surveyed(section)
    assert (status(statuses), problems) == ({"user:own": "enabled"}, [])


def test_with_the_key_only_what_it_names_loads(plugin_home, surveyed):
    for name in ("a", "b"):
        plugin_home.plugin(name)
    plugin_home.plugin("part", root=plugin_home.builtin)
    statuses, _ = surveyed("plugins: {enabled: [a, 'builtin:part']}\n")
    assert status(statuses) == {"builtin:part": "enabled", "user:a": "enabled", "user:b": "not enabled"}
    assert status(surveyed("plugins: {enabled: []}\n")[0])["user:a"] == "not enabled"


@pytest.mark.parametrize("name", ["my_guard", "MY-GUARD", "user:my-Guard", "User: my-guard"])
def test_names_compare_without_case_and_dashes(plugin_home, surveyed, name):
    plugin_home.plugin("My-Guard")
    statuses, problems = surveyed(f"plugins: {{enabled: ['{name}']}}\n")
    assert (status(statuses), problems) == ({"user:My-Guard": "enabled"}, [])


def test_a_plugin_of_a_category_is_called_by_its_key_or_its_name(plugin_home, surveyed):
    plugin_home.plugin("tts/openai")
    plugin_home.plugin("images/openai")
    statuses, _ = surveyed("plugins: {enabled: [tts/openai]}\n")
    assert status(statuses) == {"user:images/openai": "not enabled", "user:tts/openai": "enabled"}
    assert set(status(surveyed("plugins: {enabled: [openai]}\n")[0]).values()) == {"enabled"}


def test_disabled_always_wins(plugin_home, surveyed):
    plugin_home.plugin("a")
    statuses, _ = surveyed("plugins: {enabled: [a], disabled: [A]}\n")
    assert statuses["user:a"] == ("disabled", "plugins.disabled names 'A'")


@pytest.mark.parametrize(
    ("written", "found", "hint"),
    [
        ('\'["a","b"]\'', "found text, wanted a list of names", "out of its quotes"),
        ("a", "found text, wanted a list of names", "enabled: [name, other-name]"),
        ("{a: true}", "found a mapping, wanted a list of names", "enabled: [name"),
        ("", "found nothing, wanted a list of names", "enabled: [] for none"),
        ("true", "found true or false, wanted a list of names", "enabled: [name"),
        ("[a, 3]", "plugins.enabled[1]", "need quotes"),
        ("[a, ' ']", "plugins.enabled[1]", "quotes"),
        ("[[a]]", "found a list, wanted a name", "quotes"),
    ],
)
def test_a_list_that_is_none_is_an_error_and_nothing_loads(plugin_home, surveyed, written, found, hint):
    plugin_home.plugin("a")
    plugin_home.plugin("part", root=plugin_home.builtin)
    statuses, problems = surveyed(f"plugins:\n  enabled: {written}\n")
    assert set(status(statuses).values()) == {"not enabled"}
    (problem,) = problems
    assert found in problem
    assert hint in problem
    assert f"{plugin_home.path / 'config.yaml'}:2:" in problem
    assert statuses["user:a"][1] == problem


@pytest.mark.parametrize("text", ["plugins: [a]\n", "plugins: {\n", "just text\n", "plugins: {disabled: a}\n"])
def test_nothing_loads_when_nobody_can_tell_what_is_wanted(plugin_home, surveyed, text):
    plugin_home.plugin("a")
    statuses, problems = surveyed(text)
    assert status(statuses) == {"user:a": "not enabled"}
    assert len(problems) == 1


def test_unknown_names_are_reported_with_the_nearest(plugin_home, surveyed):
    plugin_home.plugin("redaction", root=plugin_home.builtin)
    section = """
        plugins:
          enabled: [redacton, 'user:redaction']
          disabled: [nobody]
          entries: {redactoin: {a: 1}, hermes-sdk: {plugins: []}}
          enabeld: [x]
          redaction: {own: settings}
    """
    _, problems = surveyed(section)
    text = "\n".join(problems)
    assert "plugins.enabled[0]" in text
    assert text.count("did you mean 'redaction'?") == 2
    assert "'redaction' comes from builtin" in text
    assert "plugins.disabled[0]" in text
    assert "did you mean 'enabled'?" in text
    assert len(problems) == 5, "neither the bridge's entry nor a plugin's own key is unknown"


def test_the_later_source_shadows_the_earlier_among_the_enabled(web_twice, surveyed, plugin_home):
    statuses, _ = surveyed("plugins: {enabled: [web]}\n")
    assert status(statuses) == {"builtin:web": "shadowed", "user:web": "enabled"}
    assert statuses["builtin:web"][1] == f"shadowed by {plugin_home.path / 'plugins' / 'web'}"


def test_a_copy_that_is_not_enabled_hides_nothing(web_twice, surveyed):
    statuses, _ = surveyed("plugins: {enabled: ['builtin:web']}\n")
    assert status(statuses) == {"builtin:web": "enabled", "user:web": "present, not enabled"}
    assert status(surveyed("plugins: {}\n")[0]) == {"builtin:web": "present, not enabled", "user:web": "enabled"}


def test_a_built_in_plugin_enabled_by_its_full_name_is_never_shadowed(web_twice, surveyed):
    statuses, _ = surveyed("plugins: {enabled: ['builtin:web', web]}\n")
    assert status(statuses) == {"builtin:web": "enabled", "user:web": "shadowed"}
    assert "never shadowed" in statuses["user:web"][1]


def test_a_broken_or_disabled_copy_hides_nothing(web_twice, surveyed, plugin_home):
    statuses, _ = surveyed("plugins: {enabled: [web], disabled: ['user:web']}\n")
    assert status(statuses) == {"builtin:web": "enabled", "user:web": "disabled"}
    plugin_home.plugin("web", manifest="name: [\n")
    statuses, _ = surveyed("plugins: {enabled: [web]}\n")
    assert status(statuses) == {"builtin:web": "enabled", "user:web": "broken manifest"}


def test_one_name_twice_in_a_source_refuses_both_and_names_both(plugin_home, surveyed):
    first, second = plugin_home.plugin("one", manifest="name: My-Guard\n"), plugin_home.plugin("my_guard")
    plugin_home.plugin("other")
    statuses, _ = surveyed()
    assert status(statuses) == {
        "user:My-Guard": "refused",
        "user:my_guard": "refused",
        "user:other": "enabled",
    }
    for name in ("user:My-Guard", "user:my_guard"):
        assert str(first) in statuses[name][1]
        assert str(second) in statuses[name][1]


def test_other_kinds_need_a_registrar(plugin_home, surveyed):
    plugin_home.plugin("irc", manifest="kind: platform\n")
    assert surveyed()[0]["user:irc"] == ("not for this host", "plugins of kind 'platform' have no registrar here")
    assert status(surveyed(kinds={"standalone", "platform"})[0]) == {"user:irc": "enabled"}


def test_a_plugin_for_another_version_is_refused(plugin_home, surveyed):
    plugin_home.plugin("old", manifest="requires_sdk: '<0.1'\n")
    plugin_home.plugin("new", manifest="requires_sdk: '>=0.1,<99'\n")
    statuses, _ = surveyed()
    assert status(statuses) == {"user:new": "enabled", "user:old": "refused"}
    assert "it requires hermes-sdk <0.1" in statuses["user:old"][1]


@pytest.mark.parametrize("value", ["1", "true", "force"])
def test_safe_mode_loads_nothing(plugin_home, surveyed, monkeypatch, value):
    plugin_home.plugin("a")
    monkeypatch.setenv("HERMES_SAFE_MODE", value)
    assert status(surveyed()[0]) == {"user:a": "safe mode"}


@pytest.mark.parametrize("key", ["failClosed", "fail-closed", "fail_close", "failed_closed", "FAIL_CLOSED"])
def test_a_misspelt_gate_refuses_the_plugin(plugin_home, surveyed, key):
    plugin_home.plugin("guard")
    statuses, _ = surveyed(f"plugins: {{entries: {{guard: {{{key}: true}}}}}}\n")
    assert status(statuses) == {"user:guard": "refused"}
    assert f"plugins.entries.guard.{key} was meant as fail_closed" in statuses["user:guard"][1]


@pytest.mark.parametrize("key", ["fail_open", "closed", "fail_closed_message", "timeout"])
def test_other_settings_are_the_plugin_s_own(plugin_home, surveyed, key):
    plugin_home.plugin("guard")
    assert status(surveyed(f"plugins: {{entries: {{guard: {{{key}: 5}}}}}}\n")[0]) == {"user:guard": "enabled"}


def test_values_of_the_wrong_type_are_named_with_their_place(plugin_home, surveyed):
    plugin_home.plugin("guard")
    section = """
        plugins:
          strict: sometimes
          hook_callback_timeout: 0
          suspend_seconds: .inf
          order: [a]
          entries:
            guard: {timeout: soon, rejudge: 2, hooks: {pre_tool_call: no, post_tool_cal: false, on_session_end: 1}}
            other: 5
    """
    statuses, problems = surveyed(section)
    text = "\n".join(problems)
    for key in ("strict", "hook_callback_timeout", "suspend_seconds", "order", "entries.guard.timeout",
                "entries.guard.rejudge", "entries.guard.hooks.on_session_end", "entries.other"):  # fmt: skip
        assert f"plugins.{key} (" in text
    assert "did you mean 'post_tool_call'?" in text
    assert status(statuses) == {"user:guard": "enabled"}
