"""The example in each spec's docstring is a plugin that works."""

import inspect
import textwrap
from types import ModuleType

import pluggy
import pytest

from hermes_hookspecs import FAMILIES, HOOKS, AddContext, Block, Continue, Skip


def _example(hook):
    _, found, code = inspect.getdoc(hook.function).partition("\nExample:\n")
    assert found, f"{hook.name} has no example"
    return textwrap.dedent(code)


@pytest.fixture
def run():
    """Load a hook's example as a plugin module; return a function that fires the hook, and the module."""

    def load(name):
        plugin = ModuleType(f"example_{name}")
        exec(compile(_example(HOOKS[name]), f"<example of {name}>", "exec"), vars(plugin))
        manager = pluggy.PluginManager("hermes")
        for family in FAMILIES:
            manager.add_hookspecs(family)
        manager.register(plugin)
        manager.check_pending()
        caller = getattr(manager.hook, name)
        assert len(caller.get_hookimpls()) == 1
        return (lambda **overrides: caller(**HOOKS[name].sample(**overrides))), plugin

    return load


@pytest.mark.parametrize("name", HOOKS)
def test_the_example_implements_its_hook_and_runs_on_the_sample(run, name):
    fire, _ = run(name)
    fire()


def test_the_example_of_pre_tool_call_blocks(run):
    fire, _ = run("pre_tool_call")
    assert isinstance(fire(args={"command": "sudo rm -rf / --no-preserve-root"}), Block)
    assert fire(args={"command": "ls"}) is None


def test_the_examples_of_transforms_rewrite(run):
    fire, _ = run("transform_tool_result")
    assert fire(result="key sk-abcdefghijklmnop0123") == ["key [REDACTED]"]
    fire, _ = run("transform_terminal_output")
    (summary,) = fire(output="".join(f"./{number}\n" for number in range(100)))
    assert summary.endswith("./39\n[100 paths in all, the first 40 shown]")
    assert fire() == []
    fire, _ = run("transform_llm_output")
    assert fire(platform="telegram", response_text="**now**") == ["*now*"]


def test_the_example_of_pre_llm_call_adds_context(run):
    fire, _ = run("pre_llm_call")
    assert fire() == [AddContext("The user runs tests with pytest.")]
    assert fire(user_message="hello") == []


def test_the_example_of_pre_verify_sends_the_agent_back(run):
    fire, _ = run("pre_verify")
    assert isinstance(fire(changed_paths=["app.py"]), Continue)
    assert fire(changed_paths=["app.py"], attempt=1) is None


def test_the_example_of_pre_gateway_dispatch_skips(run):
    fire, _ = run("pre_gateway_dispatch")
    assert fire() is None
    event = HOOKS["pre_gateway_dispatch"].sample()["event"]
    event.text = "lunch?"
    assert isinstance(fire(event=event), Skip)


@pytest.mark.parametrize(
    ("name", "state", "expected"),
    [
        ("post_tool_call", "milliseconds", {"terminal": 1830}),
        ("on_session_end", "outcomes", {"completed": 1}),
        ("subagent_stop", "spent_ms", {"sess_20260417_7f3a": 8450}),
        ("post_api_request", "tokens", {"anthropic/claude-sonnet-4.6": 1276}),
        ("kanban_task_claimed", "claims", {"task_42": "builder"}),
        ("post_approval_response", "audit", [("sess_20260417_7f3a", "once", "rm -rf build/")]),
    ],
)
def test_the_examples_of_observers_remember(run, name, state, expected):
    fire, plugin = run(name)
    fire()
    assert getattr(plugin, state) == expected
