"""OW3: a wrapper that raises after its yield skips the teardown of outer ones, or masks the first error."""

import pytest

from hermes_hookspecs.contract import HOOKS

RAISES = """
from hermes_sdk import hookimpl
@hookimpl({style}=True)
def post_tool_call(tool_name):
    yield
    raise RuntimeError("teardown")
"""
OUTER = """
from hermes_sdk import hookimpl
seen = []
@hookimpl({style}=True, tryfirst=True)
def post_tool_call(tool_name):
    seen.append("in")
    try:
        yield
    finally:
        seen.append("finally")
"""
YIELDS = """
from hermes_sdk import hookimpl
@hookimpl({style}=True)
def post_tool_call(tool_name):
    for _ in range({yields}):
        yield
"""
INNER = """
seen = []
def observe(tool_name, **k):
    seen.append(tool_name)
    {then}
def register(ctx):
    ctx.register_hook("post_tool_call", observe)
"""
each_style = pytest.mark.parametrize("style", ["wrapper", "hookwrapper"])
each_inner = pytest.mark.parametrize("then", ["pass", 'raise ValueError("inner")'], ids=["inner ok", "inner raises"])


@pytest.fixture
def run(plugin_home):
    """Return a function: plugins by name -> (manager, outcome of one post_tool_call)."""

    def run(**plugins):
        for name, text in plugins.items():
            plugin_home.plugin(name, text)
        manager = plugin_home.loaded()
        return manager, manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample(tool_name="terminal"))

    return run


@each_style
@each_inner
def test_ow3_the_outer_teardown_runs_when_an_inner_wrapper_raises(run, style, then):
    manager, outcome = run(outer=OUTER.format(style=style), w=RAISES.format(style=style), inner=INNER.format(then=then))
    assert manager.plugins["outer"].module.seen == ["in", "finally"]
    assert manager.plugins["inner"].module.seen == ["terminal"]
    errors = {step.plugin: step.error for step in outcome.steps}
    assert errors == ({"inner": "ValueError: inner"} if "raise" in then else {}) | {"w": "RuntimeError: teardown"}


@each_style
@each_inner
def test_ow3_each_error_is_attributed_to_its_own_plugin(run, style, then):
    manager, _ = run(outer=OUTER.format(style=style), w=RAISES.format(style=style), inner=INNER.format(then=then))
    expected = {"w": "teardown"} | ({"inner": "inner"} if "raise" in then else {})
    assert {name: failures.count for name, failures in manager.failures.items()} == dict.fromkeys(expected, 1)
    for name, text in expected.items():
        assert text in manager.failures[name].last
        assert f"{name}/__init__.py" in manager.failures[name].last


@each_style
@pytest.mark.parametrize(("yields", "named"), [(0, "did not yield"), (2, "yielded more than once")])
def test_ow3_a_wrong_number_of_yields_is_an_error_of_that_plugin(run, style, yields, named):
    manager, outcome = run(
        outer=OUTER.format(style=style), w=YIELDS.format(style=style, yields=yields), inner=INNER.format(then="pass")
    )
    assert manager.plugins["outer"].module.seen == ["in", "finally"]
    assert manager.plugins["inner"].module.seen == ["terminal"]
    assert list(manager.failures) == ["w"]
    assert named in manager.failures["w"].last
    assert "w/__init__.py" in manager.failures["w"].last
    assert [(step.plugin, step.what) for step in outcome.steps] == [("w", "failed")]
