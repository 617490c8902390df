"""The two markers, over pluggy's own."""

import pluggy
import pytest

from hermes_hookspecs import PROJECT, hookimpl, hookspec, impl_notes, spec_notes
from hermes_hookspecs.markers import ImplNotes


def _manager(*functions):
    manager = pluggy.PluginManager(PROJECT)

    class Plugin:
        pass

    plugin = Plugin()
    for function in functions:
        setattr(plugin, function.__name__, function)
    manager.register(plugin)
    return manager


def test_an_implementation_needs_no_parentheses():
    @hookimpl
    def on_session_start(session_id):
        return session_id

    assert _manager(on_session_start).hook.on_session_start(session_id="s") == ["s"]
    assert impl_notes(on_session_start) == ImplNotes(fail_closed=False, timeout=None, rejudge=True)


def test_our_options_are_noted_beside_pluggys():
    @hookimpl(tryfirst=True, fail_closed=True, timeout=0.5, rejudge=False)
    def pre_tool_call(args):
        return args

    (implementation,) = _manager(pre_tool_call).hook.pre_tool_call.get_hookimpls()
    assert implementation.tryfirst
    assert impl_notes(pre_tool_call) == ImplNotes(fail_closed=True, timeout=0.5, rejudge=False)


def test_specname_implements_a_hook_of_another_name():
    @hookimpl(specname="on_session_start")
    def remember(session_id):
        return f"remembered {session_id}"

    assert _manager(remember).hook.on_session_start(session_id="s") == ["remembered s"]


def test_pluggys_own_marker_works_and_has_default_notes():
    @pluggy.HookimplMarker("hermes")
    def on_session_start(session_id):
        return session_id

    assert _manager(on_session_start).hook.on_session_start(session_id="s") == ["s"]
    assert impl_notes(on_session_start) == ImplNotes()


@pytest.mark.parametrize("timeout", [0, -1, float("nan")])
def test_a_timeout_that_is_no_time_is_refused(timeout):
    with pytest.raises(ValueError, match="positive number of seconds"):
        hookimpl(timeout=timeout)


def test_notes_reach_through_methods():
    class Plugin:
        @hookimpl(fail_closed=True)
        def pre_tool_call(self, args):
            return args

    assert impl_notes(Plugin().pre_tool_call).fail_closed


def test_a_spec_is_a_pluggy_spec_with_notes():
    class Specs:
        @hookspec(kind="decision", firstresult=True, aliases={"b": "a"}, sample={"a": 1})
        def my_hook(self, a, b=None):
            """Decide."""

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    assert manager.hook.my_hook.spec.opts["firstresult"]
    notes = spec_notes(Specs.my_hook)
    assert (notes.kind, notes.origin, notes.firstresult) == ("decision", "seed", True)
    assert (notes.value, notes.aliases, notes.sample) == (None, {"b": "a"}, {"a": 1})


def test_a_spec_warns_about_a_removed_argument():
    class Specs:
        @hookspec(kind="observer", warn_on_impl_args={"old": DeprecationWarning("old goes away")})
        def my_hook(self, old):
            """Observe."""

    class Plugin:
        @hookimpl
        def my_hook(self, old):
            """Observe."""

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(Specs)
    with pytest.warns(DeprecationWarning, match="old goes away"):
        manager.register(Plugin())


def test_plain_functions_have_no_spec_notes():
    assert spec_notes(len) is None
    assert spec_notes(test_plain_functions_have_no_spec_notes) is None
