"""General rules of plugin hooks, on plugins from a home."""

import os

import pytest

from hermes_hookspecs.contract import HOOKS
from hermes_sdk.host.models.scripted import ScriptStep

OBSERVERS = [hook.name for hook in HOOKS.values() if hook.kind == "observer" and hook.origin == "seed"]


def test_the_nine_observers_of_the_page():
    """Seed P8 and P10."""
    assert sorted(OBSERVERS) == [
        "on_session_end",
        "on_session_finalize",
        "on_session_reset",
        "on_session_start",
        "post_approval_response",
        "post_llm_call",
        "post_tool_call",
        "pre_approval_request",
        "subagent_stop",
    ]


@pytest.mark.parametrize("hook", OBSERVERS)
def test_what_an_observer_returns_is_ignored(plugin_home, hook):
    """Seed P7, P10, H2.5, H4.4, H5.4, H6.5, H7.5, H8.4, H9.4 and H12.3: whatever it is, as H11.6 has it too."""
    answers = '[{"action": "block", "message": "no"}, "text", {"context": "c"}, True, False, 0, object()]'
    plugin_home.plugin(
        "answers",
        f"""
        def register(ctx):
            for answer in {answers}:
                ctx.register_hook({hook!r}, lambda answer=answer, **kwargs: answer)
        """,
    )
    manager = plugin_home.loaded()
    outcome = getattr(manager.hook, hook)(**HOOKS[hook].sample())
    assert type(outcome).__name__ == "Observed"
    assert outcome.steps == ()
    assert manager.failures == {}


def test_a_callback_with_kwargs_survives_arguments_of_later_versions(plugin_home):
    """Seed P5: new arguments land in `**kwargs`; a callback without it gets what it names."""
    plugin_home.plugin(
        "seen",
        """
        seen = []
        def with_kwargs(tool_name, **kwargs):
            seen.append(("with", tool_name, kwargs["from_the_future"]))
        def without(tool_name):
            seen.append(("without", tool_name))
        def register(ctx):
            ctx.register_hook("post_tool_call", with_kwargs)
            ctx.register_hook("post_tool_call", without)
        """,
    )
    manager = plugin_home.loaded()
    manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample(tool_name="terminal"), from_the_future=1)
    assert manager.plugins["seen"].module.seen == [("with", "terminal", 1), ("without", "terminal")]


def test_a_plugin_of_the_home_blocks_and_adds_context_without_being_asked_for(plugin_home):
    """Seed P11 and P12: `plugins/<name>/` in the home, in-process, loaded on trust when nothing is configured."""
    plugin_home.plugin(
        "trusted",
        """
        import os
        pid = os.getpid()
        def register(ctx):
            ctx.register_hook("pre_tool_call", lambda **kwargs: {"action": "block", "message": "no"})
            ctx.register_hook("pre_llm_call", lambda **kwargs: {"context": "hello"})
        """,
    )
    manager = plugin_home.loaded()
    assert manager.hook.pre_tool_call(tool_name="terminal", args={}).blocked_by("trusted")
    assert manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample()).text == "hello"
    assert manager.plugins["trusted"].module.pid == os.getpid()


@pytest.mark.parametrize("platform", ["cli", "telegram", "discord"])
def test_plugin_hooks_fire_on_the_command_line_and_in_chats(plugin_home, start, platform):
    """Seed P1: the same plugin, whatever the session's surface; it is told which."""
    plugin_home.plugin(
        "where",
        """
        seen = []
        def register(ctx):
            for hook in ("on_session_start", "pre_llm_call", "post_llm_call", "on_session_end"):
                ctx.register_hook(hook, lambda hook=hook, platform="", **kwargs: seen.append((hook, platform)))
        """,
    )
    manager = plugin_home.loaded()
    agent = start(manager, ScriptStep(say="hi"), platform=platform)
    agent.run_turn("hello")
    hooks = ["on_session_start", "pre_llm_call", "post_llm_call", "on_session_end"]
    assert manager.plugins["where"].module.seen == [(hook, platform) for hook in hooks]


def test_a_rate_limit_blocks_after_some_calls(plugin_home):
    """Seed H1.7: counters, limits and policies are what pre_tool_call is for."""
    plugin_home.plugin(
        "limit",
        """
        from collections import Counter
        calls = Counter()
        def limit(tool_name, session_id="", **kwargs):
            calls[session_id] += 1
            if calls[session_id] > 2:
                return {"action": "block", "message": f"{tool_name}: the limit of this session is reached"}
        def register(ctx):
            ctx.register_hook("pre_tool_call", limit)
        """,
    )
    manager = plugin_home.loaded()
    decisions = [
        manager.hook.pre_tool_call(tool_name="web_search", args={}, session_id=session).action
        for session in ("a", "a", "a", "b")
    ]
    assert decisions == ["run", "run", "block", "run"]


def test_a_long_result_gets_a_header_and_a_report_a_schema(plugin_home):
    """Seed H13.4 and H14.4: one plugin marks terminal output, another wraps results; both apply in turn."""
    plugin_home.plugin(
        "a_marker",
        """
        def register(ctx):
            ctx.register_hook("transform_terminal_output", lambda output, **kwargs: "[marked] " + output)
        """,
    )
    plugin_home.plugin(
        "b_wrapper",
        """
        import json
        def wrap(tool_name, arguments, result, **kwargs):
            if tool_name == "delegate_task":
                return json.dumps({"report": json.loads(result), "goal": arguments["goal"]})
            if len(result) > 100:
                return f"[{len(result)} characters]\\n{result}"
        def register(ctx):
            ctx.register_hook("transform_tool_result", wrap)
        """,
    )
    manager = plugin_home.loaded()

    def result(**overrides):
        return manager.hook.transform_tool_result(**HOOKS["transform_tool_result"].sample(**overrides)).value

    assert result(result="x" * 200).startswith("[200 characters]\n")
    assert result(result="short") == "short"
    report = result(tool_name="delegate_task", arguments={"goal": "g"}, args={"goal": "g"}, result='{"ok": 1}')
    assert report == '{"report": {"ok": 1}, "goal": "g"}'
    output = manager.hook.transform_terminal_output(**HOOKS["transform_terminal_output"].sample(output="out"))
    assert output.value == "[marked] out"
