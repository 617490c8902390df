"""TC4: a plugin that returns a value cuts off all later ones; empty values count as answers.

Everybody runs once whatever others return. A str replaces, the empty one too in the two tool transforms; None
leaves the value; anything else is ignored with a warning; a transform that raises leaves the previous value.
"""

import logging

import pytest

from hermes_hookspecs.contract import HOOKS

TRANSFORMS = {
    "transform_tool_result": "result",
    "transform_terminal_output": "output",
    "transform_llm_output": "response_text",
}
AUDIT = """
seen = []
def register(ctx):
    for hook, value in {transforms!r}.items():
        ctx.register_hook(hook, lambda value=value, **k: seen.append(k[value]))
"""


@pytest.fixture
def transform(plugin_home):
    """Return a function: what a plugin does, the hook -> (value, what the auditor behind it saw, manager)."""

    def transform(expression, hook):
        plugin_home.plugin(
            "tr",
            f"""
            def register(ctx):
                ctx.register_hook({hook!r}, lambda **k: {expression})
            """,
        )
        plugin_home.plugin("zz_audit", AUDIT.format(transforms=TRANSFORMS))
        manager = plugin_home.loaded()
        outcome = getattr(manager.hook, hook)(**HOOKS[hook].sample(**{TRANSFORMS[hook]: "abc"}))
        return outcome.value, manager.plugins["zz_audit"].module.seen, manager

    return transform


@pytest.mark.parametrize("hook", TRANSFORMS)
def test_tc4_none_changes_nothing_and_everybody_behind_still_runs(transform, hook):
    assert transform("None", hook)[:2] == ("abc", ["abc"])


@pytest.mark.parametrize("hook", TRANSFORMS)
def test_tc4_a_str_replaces_and_the_auditor_sees_it_once(transform, hook):
    assert transform("'new'", hook)[:2] == ("new", ["new"])


@pytest.mark.parametrize(
    ("hook", "value"),
    [("transform_tool_result", ""), ("transform_terminal_output", ""), ("transform_llm_output", "abc")],
)
def test_tc4_the_empty_str_replaces_tool_output_and_leaves_an_answer(transform, hook, value):
    assert transform("''", hook)[:2] == (value, [value])


@pytest.mark.parametrize("hook", TRANSFORMS)
@pytest.mark.parametrize("expression", ["False", "0", "{}", "{'result': 'x'}", "b'bytes'", "['x']"])
def test_tc4_other_types_are_ignored_with_a_warning_that_names_the_plugin(transform, hook, expression, caplog):
    with caplog.at_level(logging.WARNING):
        value, seen, _ = transform(expression, hook)
    assert (value, seen) == ("abc", ["abc"])
    assert any("tr" in message and hook in message for message in caplog.messages)


@pytest.mark.parametrize("hook", TRANSFORMS)
def test_tc4_a_transform_that_raises_leaves_the_value_and_the_chain_goes_on(transform, hook):
    value, seen, manager = transform("1 / 0", hook)
    assert (value, seen) == ("abc", ["abc"])
    assert "ZeroDivisionError" in manager.failures["tr"].last
