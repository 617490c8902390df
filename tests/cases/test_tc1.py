"""TC1: two transforms on one hook: the second valid result is dropped with no log.

Transforms are chained in calling order, whatever the order of discovery; every plugin that changed the value is named.
"""

import pytest

from hermes_hookspecs.contract import HOOKS

REPLACES = """
def register(ctx):
    ctx.register_hook({hook!r}, lambda {value}="", **k: {value}.replace({old!r}, {new!r}))
"""


@pytest.mark.parametrize("written_first", ["a", "b"])
def test_tc1_every_transform_gets_what_the_one_before_it_gave(plugin_home, written_first):
    hook = {"hook": "transform_tool_result", "value": "result"}
    texts = {"a": REPLACES.format(old="k1", new="[A]", **hook), "b": REPLACES.format(old="k2", new="[B]", **hook)}
    for name in sorted(texts, reverse=written_first == "b"):
        plugin_home.plugin(name, texts[name])
    outcome = plugin_home.loaded().hook.transform_tool_result(**HOOKS["transform_tool_result"].sample(result="k1 k2"))
    assert outcome.value == "[A] [B]"
    assert [(step.plugin, step.what) for step in outcome.steps] == [("a", "transform"), ("b", "transform")]


@pytest.mark.parametrize(
    ("hook", "value"), [("transform_terminal_output", "output"), ("transform_llm_output", "response_text")]
)
def test_tc1_the_other_transforms_are_chained_too(plugin_home, hook, value):
    for name, old, new in [("a", "k1", "k2"), ("b", "k2", "[B]")]:
        plugin_home.plugin(name, REPLACES.format(hook=hook, value=value, old=old, new=new))
    outcome = getattr(plugin_home.loaded().hook, hook)(**HOOKS[hook].sample(**{value: "k1 k2"}))
    assert outcome.value == "[B] [B]"
