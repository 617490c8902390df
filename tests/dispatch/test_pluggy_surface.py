"""Everything that pluggy offers works on our manager, and on the hooks that stand on it."""

import asyncio
import threading
import types

import pluggy
import pytest

from hermes_hookspecs import HOOKS, Block, hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.outcomes import Observed, ToolDecision
from hermes_sdk.dispatch.policy import PluginPolicy
from hermes_sdk.errors import PluginSignatureError

mark = pluggy.HookimplMarker("hermes")
POST = HOOKS["post_tool_call"].sample()


class Note:
    """A plain pluggy plugin that notes its calls."""

    def __init__(self, calls, name="note"):
        self.calls = calls
        self.name = name

    @mark
    def post_tool_call(self, tool_name):
        self.calls.append(self.name)


@pytest.fixture
def calls():
    return []


# -- registering -----------------------------------------------------------------------------------------------


def test_register_names_like_pluggy(manager, calls):
    note = Note(calls)
    assert manager.register(note) == str(id(note))
    assert manager.register(Note(calls), "named") == "named"
    module = types.ModuleType("a_module")
    module.post_tool_call = mark(lambda: calls.append("module"))
    assert manager.register(module) == "a_module"
    assert manager.register(None) is None
    manager.hook.post_tool_call(**POST)
    assert len(calls) == 3


def test_a_name_or_a_plugin_twice_is_refused(manager, calls):
    note = Note(calls)
    manager.register(note, "a")
    with pytest.raises(ValueError, match="name already registered"):
        manager.register(Note(calls), "a")
    with pytest.raises(ValueError, match="under a different name"):
        manager.register(note, "b")
    manager.hook.post_tool_call(**POST)
    assert calls == ["note"]


def test_the_refused_twin_leaves_policy_and_place_of_the_first(manager, plugin, calls):
    plugin("b", post_tool_call=lambda: calls.append("b"))
    manager.register(Note(calls), "a", policy=PluginPolicy(source="shell"))
    with pytest.raises(ValueError, match="already registered"):
        manager.register(Note(calls), "a", policy=PluginPolicy(source="builtin"))
    assert manager.policy("a").source == "shell"
    manager.hook.post_tool_call(**POST)
    assert calls == ["b", "note"]


def test_looking_plugins_up(manager, calls):
    note = Note(calls)
    manager.register(note, "a")
    assert manager.has_plugin("a")
    assert not manager.has_plugin("b")
    assert manager.get_plugin("a") is note
    assert manager.get_plugin("b") is None
    assert manager.get_name(note) == "a"
    assert manager.is_registered(note)
    assert not manager.is_registered(Note(calls))
    assert manager.get_plugins() == {note}
    assert manager.list_name_plugin() == [("a", note)]
    assert manager.get_canonical_name(note) == str(id(note))
    assert manager.list_plugin_distributions() == []


def test_unregister_by_plugin_by_name_and_by_both(manager, calls):
    for number, how in enumerate(({"plugin": True}, {"name": True}, {"plugin": True, "name": True})):
        note = Note(calls)
        manager.register(note, "a")
        given = {"plugin": note if how.get("plugin") else None, "name": "a" if how.get("name") else None}
        assert manager.unregister(**given) is note
        assert manager.hook.post_tool_call(**POST) == Observed()
        assert not manager.has_hook("post_tool_call")
        assert not manager.has_plugin("a"), number
    assert calls == []


def test_unregistering_who_is_not_there(manager, calls):
    assert manager.unregister(name="nobody") is None
    with pytest.raises(AssertionError, match="not registered"):
        manager.unregister(Note(calls))
    with pytest.raises(AssertionError, match="one of name or plugin"):
        manager.unregister()


def test_unregistering_with_a_name_that_is_not_its_own_changes_nothing(manager, calls):
    a, b = Note(calls, "a"), Note(calls, "b")
    manager.register(a, "a", policy=PluginPolicy(source="user"))
    manager.register(b, "b")
    with pytest.raises(ValueError, match="do not agree"):
        manager.unregister(b, "a")
    assert manager.policy("a").source == "user"
    manager.hook.post_tool_call(**POST)
    assert calls == ["a", "b"]


def test_what_was_known_about_a_plugin_goes_with_it(manager, plugin, fire):
    plugin("a", PluginPolicy(source="user"), post_tool_call=[lambda: 1 / 0, lambda params: params])
    fire("post_tool_call")
    assert manager.failures["a"].count == 1
    assert list(manager.degraded) == ["a"]
    manager.unregister(name="a")
    assert manager.failures == {}
    assert manager.degraded == {}
    plugin("a", post_tool_call=lambda: None)
    assert manager.policy("a") == PluginPolicy()


def test_get_hookcallers_names_the_hooks_of_a_plugin(manager, calls):
    class Two(Note):
        @mark(specname="pre_llm_call")
        def anything(self):
            return "text"

    two = Two(calls)
    manager.register(two, "a")
    callers = manager.get_hookcallers(two)
    assert sorted(caller.name for caller in callers) == ["post_tool_call", "pre_llm_call"]
    assert all(isinstance(caller, pluggy.HookCaller) for caller in callers)
    assert manager.get_hookcallers(Note(calls)) is None
    (caller,) = (caller for caller in callers if caller.name == "pre_llm_call")
    assert caller(**HOOKS["pre_llm_call"].sample()).text == "text"


# -- blocking --------------------------------------------------------------------------------------------------


def test_a_blocked_plugin_goes_and_does_not_come_back(manager, calls):
    manager.register(Note(calls), "a")
    manager.set_blocked("a")
    assert manager.is_blocked("a")
    assert manager.get_plugin("a") is None
    assert manager.register(Note(calls), "a") is None
    assert manager.hook.post_tool_call(**POST) == Observed()
    assert calls == []
    assert manager.unregister(name="a") is None
    assert manager.is_blocked("a")


def test_a_blocked_name_is_not_even_looked_at(manager):
    class Broken:
        @mark
        def post_tool_call(self, params):
            """Ask for what is not sent."""

    manager.set_blocked("a")
    assert manager.register(Broken(), "a") is None
    assert manager.unblock("a")
    with pytest.raises(PluginSignatureError):
        manager.register(Broken(), "a")


def test_unblocking_lets_a_name_come_back(manager, calls):
    assert not manager.unblock("a")
    manager.set_blocked("a")
    assert manager.unblock("a")
    assert not manager.unblock("a")
    assert manager.register(Note(calls), "a") == "a"
    manager.hook.post_tool_call(**POST)
    assert calls == ["note"]


def test_a_block_is_per_name(manager, plugin, calls):
    manager.set_blocked("a")
    plugin("b", post_tool_call=lambda: calls.append("b"))
    plugin("a", post_tool_call=lambda: calls.append("a"))
    manager.hook.post_tool_call(**POST)
    assert calls == ["b"]


# -- checks ----------------------------------------------------------------------------------------------------


def test_check_pending_complains_about_hookimpls_without_a_spec(manager, plugin):
    class Typo:
        @mark
        def post_tool_cal(self):
            """Miss."""

    class Optional:
        @mark(optionalhook=True)
        def hook_of_another_host(self):
            """Wait."""

    manager.check_pending()
    plugin("callback", hook_of_a_newer_host=lambda: None)
    manager.register(Optional(), "optional")
    manager.check_pending()
    manager.register(Typo(), "typo")
    with pytest.raises(pluggy.PluginValidationError, match="unknown hook 'post_tool_cal'"):
        manager.check_pending()
    assert manager.hook.post_tool_call(**POST) == Observed()


def test_a_refused_plugin_leaves_nothing_behind(manager, calls):
    class Half(Note):
        @mark
        def pre_tool_call(self, parms):
            """Ask for what is not sent."""

    half = Half(calls)
    with pytest.raises(PluginSignatureError) as caught:
        manager.register(half, "a")
    assert isinstance(caught.value, pluggy.PluginValidationError)
    assert caught.value.plugin is half
    assert not manager.has_plugin("a")
    assert not manager.has_hook("post_tool_call")
    manager.hook.post_tool_call(**POST)
    assert calls == []
    assert manager.register(Note(calls), "a") == "a"


def test_a_wrapper_of_both_styles_is_refused(manager):
    class Both:
        @mark(wrapper=True, hookwrapper=True)
        def post_tool_call(self):
            yield

    with pytest.raises(pluggy.PluginValidationError, match="mutually exclusive"):
        manager.register(Both())


# -- the callers -----------------------------------------------------------------------------------------------


def test_a_hook_on_the_manager_looks_like_pluggys_caller(manager, calls):
    note = Note(calls)
    manager.register(note, "a")
    hook = manager.hook.post_tool_call
    assert hook.name == "post_tool_call"
    assert hook.has_spec()
    assert hook.spec.name == "post_tool_call"
    assert not hook.is_historic()
    assert manager.hook.pre_tool_call.spec.opts["firstresult"]
    (impl,) = hook.get_hookimpls()
    assert isinstance(impl, pluggy.HookImpl)
    assert (impl.plugin, impl.plugin_name) == (note, "a")
    assert {impl.tryfirst, impl.trylast, impl.wrapper, impl.hookwrapper, impl.optionalhook} == {False}


def test_arguments_go_by_keyword_only(manager, calls):
    manager.register(Note(calls), "a")
    with pytest.raises(TypeError):
        manager.hook.post_tool_call("terminal")
    assert calls == []


def test_every_hook_of_the_contract_is_there(manager):
    names = {name for name in vars(manager.hook) if not name.startswith("_")}
    assert names == set(HOOKS)
    firstresult = {name for name in names if getattr(manager.hook, name).spec.opts["firstresult"]}
    assert firstresult == {"pre_tool_call", "pre_gateway_dispatch", "pre_verify"}
    assert manager.project_name == "hermes"


def changes(manager, calls):
    """Yield what is called after each of many changes, as (what happened, names that ran)."""
    a, b = Note(calls, "a"), Note(calls, "b")
    yield "nothing", []
    manager.register(b, "b")
    yield "register", ["b"]
    manager.register(a, "a")
    yield "register another", ["a", "b"]
    manager.set_policy("a", PluginPolicy(source="shell"))
    yield "policy", ["b", "a"]
    manager.set_policy("b", PluginPolicy(hooks_off=frozenset({"post_tool_call"})))
    yield "switched off", ["a"]
    manager.set_policy("b", PluginPolicy())
    manager.tracing = True
    yield "tracing", ["b", "a"]
    undo = manager.add_hookcall_monitoring(lambda *_: None, lambda *_: None)
    yield "monitoring", ["b", "a"]
    undo()
    manager.tracing = False
    yield "no monitoring", ["b", "a"]

    class Wrapper:
        @hookimpl(wrapper=True)
        def post_tool_call(self):
            calls.append("in")
            yield
            calls.append("out")

    manager.register(Wrapper(), "w")
    yield "wrapper", ["in", "b", "a", "out"]
    manager.unregister(name="w")
    yield "no wrapper", ["b", "a"]
    manager.set_blocked("a")
    yield "blocked", ["b"]
    manager.unregister(b)
    yield "unregister", []


CAPTURES = {
    "hook": lambda manager: manager.hook.post_tool_call,
    "ahook": lambda manager: lambda **payload: asyncio.run(_awaited(manager.ahook.post_tool_call, payload)),
    "captured ahook": lambda manager: _captured_ahook(manager.ahook.post_tool_call),
    "invoke_hook": lambda manager: lambda **payload: manager.invoke_hook("post_tool_call", **payload),
    "caller": lambda manager: manager.subset_hook_caller("post_tool_call", []),
    "wide": lambda manager: _wide(manager.hook.post_tool_call),
}


async def _awaited(hook, payload):
    return await hook(**payload)


def _captured_ahook(hook):
    return lambda **payload: asyncio.run(_awaited(hook, payload))


def _wide(hook):
    return lambda **payload: hook(**payload, future=1)


@pytest.mark.parametrize("call_always", [True, False], ids=["called at every step", "called at the end"])
@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_a_captured_hook_stays_right_whatever_changes(manager, calls, capture, call_always):
    hook = capture(manager)
    if call_always:
        hook(**POST)
    for what, expected in changes(manager, calls):
        calls.clear()
        if call_always or what == "wrapper":
            hook(**POST)
            assert calls == expected, what


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_every_hook_that_was_ever_captured_stays_right(manager, calls, capture):
    captured = []
    for what, expected in changes(manager, calls):
        captured.append(capture(manager))
        for hook in captured:
            calls.clear()
            hook(**POST)
            assert calls == expected, what


def test_the_attributes_of_a_captured_hook_show_what_is_there_now(manager, calls):
    hook = manager.hook.post_tool_call
    manager.register(Note(calls), "a")
    assert [impl.plugin_name for impl in hook.get_hookimpls()] == ["a"]


# -- changes during a call -------------------------------------------------------------------------------------


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_who_is_registered_during_a_call_is_called_from_the_next_one_on(manager, plugin, calls, capture):
    def registers():
        calls.append("a")
        if not manager.has_plugin("b"):
            manager.register(Note(calls, "b"), "b")

    plugin("a", post_tool_call=registers)
    plugin("c", post_tool_call=lambda: calls.append("c"))
    hook = capture(manager)
    hook(**POST)
    assert calls == ["a", "c"]
    calls.clear()
    hook(**POST)
    assert calls == ["a", "b", "c"]


@pytest.mark.parametrize("capture", CAPTURES.values(), ids=CAPTURES)
def test_who_is_unregistered_during_a_call_is_called_to_its_end(manager, plugin, calls, capture):
    """As in pluggy, which copies its list: the call finishes as it began."""

    def unregisters():
        calls.append("a")
        manager.unregister(name="b")
        manager.unregister(name="a")

    plugin("a", post_tool_call=unregisters)
    plugin("b", post_tool_call=lambda: calls.append("b"))
    hook = capture(manager)
    hook(**POST)
    assert calls == ["a", "b"]
    hook(**POST)
    assert calls == ["a", "b"]


def test_a_plugin_that_registers_and_fires_during_a_call_reaches_the_new_one(manager, plugin, calls):
    def registers():
        manager.register(Note(calls, "new"), "new")
        manager.hook.post_tool_call(**POST)

    plugin("a", post_tool_call=registers)
    manager.hook.post_tool_call(**POST)
    assert calls == ["new"]
    assert manager.failures == {}


def test_a_failure_during_registration_in_a_call_is_the_callbacks(manager, plugin):
    plugin("a", post_tool_call=lambda: manager.register(Note([]), "a"))
    outcome = manager.hook.post_tool_call(**POST)
    assert "already registered" in outcome.steps[0].error


def test_calls_and_changes_in_many_threads_never_miss_a_standing_plugin(manager, plugin):
    """Each call runs everybody that stood when it began."""
    seen = threading.local()
    plugin("a", pre_tool_call=lambda: seen.names.append("a"))
    plugin("z", pre_tool_call=lambda: Block("no"))
    hook = manager.hook.pre_tool_call
    stop = threading.Event()
    wrong = []

    def calls_all_the_time():
        while not stop.is_set():
            seen.names = []
            for call in (hook, manager.hook.pre_tool_call, lambda **p: manager.invoke_hook("pre_tool_call", **p)):
                answer = call(tool_name="x", args={})
                blocked = answer.blocked if isinstance(answer, ToolDecision) else answer[-1] == Block("no")
                if not blocked:
                    wrong.append(answer)
            if seen.names != ["a"] * 3:
                wrong.append(seen.names)

    threads = [threading.Thread(target=calls_all_the_time) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(150):
        holder = PluginHolder("m")
        holder.add_callback("pre_tool_call", lambda **_: None)
        manager.register(holder, "m")
        manager.tracing = number % 3 == 0
        manager.set_policy("m", PluginPolicy(source="user"))
        manager.unregister(holder)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert manager.failures == {}


# -- monitoring and tracing ------------------------------------------------------------------------------------


def test_monitors_see_every_call_its_payload_and_its_folded_outcome(manager, plugin):
    seen = []

    def before(hook, impls, payload):
        seen.append(("before", hook, [impl.plugin_name for impl in impls], payload["tool_name"]))

    def after(result, hook, impls, payload):
        seen.append(("after", hook, [impl.plugin_name for impl in impls], result.get_result().message))

    undo = manager.add_hookcall_monitoring(before, after)
    plugin("b", pre_tool_call=lambda: Block("no"))
    plugin("a", pre_tool_call=lambda: None)
    expected = [("before", "pre_tool_call", ["a", "b"], "x"), ("after", "pre_tool_call", ["a", "b"], "no")]
    outcome = manager.hook.pre_tool_call(tool_name="x", args={})
    assert outcome.message == "no"
    assert seen == expected
    assert manager.invoke_hook("pre_tool_call", tool_name="x", args={}) == [Block("no")]
    assert asyncio.run(_awaited(manager.ahook.pre_tool_call, {"tool_name": "x", "args": {}})).message == "no"
    assert seen == expected * 3
    undo()
    undo()
    manager.hook.pre_tool_call(tool_name="x", args={})
    assert len(seen) == 6


def test_monitors_get_defaults_aliases_and_extras(manager):
    seen = []
    manager.add_hookcall_monitoring(lambda hook, impls, payload: seen.append(dict(payload)), lambda *_: None)
    manager.hook.transform_tool_result(tool_name="x", args={"a": 1}, result="y", future=1)
    (payload,) = seen
    assert set(payload) == HOOKS["transform_tool_result"].argument_names | {"future"}
    assert payload["arguments"] == {"a": 1}
    assert payload["status"] == "ok"


def test_the_latest_monitor_is_outermost(manager):
    seen = []
    for name in ("first", "second"):
        manager.add_hookcall_monitoring(
            lambda *_, name=name: seen.append(f"{name} before"), lambda *_, name=name: seen.append(f"{name} after")
        )
    manager.hook.post_tool_call(**POST)
    assert seen == ["second before", "first before", "first after", "second after"]


def test_monitored_steps_name_every_implementation(manager, plugin):
    """Somebody watches, so steps and durations are worth their price."""
    plugin("a", post_tool_call=lambda: None)
    manager.add_hookcall_monitoring(lambda *_: None, lambda *_: None)
    (step,) = manager.hook.post_tool_call(**POST).steps
    assert (step.plugin, step.what) == ("a", "observed")
    assert step.duration_ms >= 0


def test_monitors_hear_of_an_interrupt(manager, plugin):
    def interrupts():
        raise KeyboardInterrupt

    seen = []
    manager.add_hookcall_monitoring(lambda *_: None, lambda result, *_: seen.append(result.exception))
    plugin("a", post_tool_call=interrupts)
    with pytest.raises(KeyboardInterrupt):
        manager.hook.post_tool_call(**POST)
    assert isinstance(seen[0], KeyboardInterrupt)
    plugin("b", pre_llm_call=lambda: "fine")
    assert manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample()).text == "fine"


def test_enable_tracing_writes_what_pluggy_writes(manager, plugin):
    lines = []
    manager.trace.root.setwriter(lines.append)
    undo = manager.enable_tracing()
    plugin("a", post_tool_call=lambda: manager.hook.on_session_start(session_id="s", model="m", platform="p"))
    manager.hook.post_tool_call(**POST)
    text = "".join(lines)
    assert "post_tool_call [hook]" in text
    assert "    on_session_start [hook]" in text
    assert "session_id: s" in text
    assert "finish post_tool_call --> Observed(" in text
    undo()
    lines.clear()
    manager.hook.post_tool_call(**POST)
    assert lines == []


# -- pluggy's other ways to call -------------------------------------------------------------------------------


def test_a_subset_leaves_plugins_out_with_all_that_they_have(manager, plugin, calls):
    class Wrapper(Note):
        @mark(wrapper=True, specname="post_tool_call")
        def wraps(self):
            calls.append("wrapper")
            yield

    a, w = Note(calls, "a"), Wrapper(calls, "w")
    manager.register(a, "a")
    manager.register(w, "w")
    b = plugin("b", post_tool_call=lambda: calls.append("b"))
    manager.subset_hook_caller("post_tool_call", [a, w])(**POST)
    assert calls == ["b"]
    calls.clear()
    manager.subset_hook_caller("post_tool_call", [b])(**POST)
    assert calls == ["wrapper", "a", "w"]


def test_a_subset_folds_orders_and_isolates_like_any_call(manager, plugin):
    out = plugin("a", pre_tool_call=lambda: Block("left out"))
    plugin("c", pre_tool_call=lambda: 1 / 0)
    plugin("b", pre_tool_call=lambda: Block("first"))
    outcome = manager.subset_hook_caller("pre_tool_call", [out])(tool_name="x", args={})
    assert isinstance(outcome, ToolDecision)
    assert outcome.message == "first"
    assert [step.plugin for step in outcome.steps] == ["b", "c"]
    assert manager.failures["c"].count == 1


def test_a_subset_follows_later_registrations(manager, plugin, calls):
    a = Note(calls, "a")
    manager.register(a, "a")
    subset = manager.subset_hook_caller("post_tool_call", [a])
    assert isinstance(subset, pluggy.HookCaller)
    subset(**POST)
    assert calls == []
    plugin("b", post_tool_call=lambda: calls.append("b"))
    plugin("0", post_tool_call=lambda: calls.append("0"))
    subset(**POST)
    assert calls == ["0", "b"]
    manager.unregister(name="b")
    manager.unregister(a)
    manager.register(a, "again")
    calls.clear()
    subset(**POST)
    assert calls == ["0"]
    assert [impl.plugin_name for impl in subset.get_hookimpls()] == ["0"]


def test_a_subset_without_anybody_to_leave_out_is_the_hook_itself(manager, calls):
    subset = manager.subset_hook_caller("post_tool_call", [object()])
    manager.register(Note(calls), "a")
    assert subset(**POST) == Observed()
    assert calls == ["note"]


def test_a_subset_gets_extra_arguments_and_fills_missing_ones(manager, plugin, calls):
    out = Note([])
    manager.register(out, "out")
    plugin("a", post_tool_call=lambda task_id, **rest: calls.append((task_id, rest["self"])))
    subset = manager.subset_hook_caller("post_tool_call", [out])
    subset(tool_name="x", args={}, result="", duration_ms=1, self="me")
    assert calls == [("", "me")]


def test_monitors_of_a_subset_see_the_subset(manager, plugin):
    seen = []
    out = plugin("a", post_tool_call=lambda: None)
    plugin("b", post_tool_call=lambda: None)
    manager.add_hookcall_monitoring(lambda hook, impls, _: seen.extend(i.plugin_name for i in impls), lambda *_: None)
    manager.subset_hook_caller("post_tool_call", [out])(**POST)
    assert seen == ["b"]


def test_call_extra_adds_methods_to_one_call_at_the_end_of_the_middle_band(manager, plugin, calls):
    class First:
        @mark(tryfirst=True)
        def post_tool_call(self):
            calls.append("first")

    class Last:
        @mark(trylast=True)
        def post_tool_call(self):
            calls.append("last")

    manager.register(Last(), "a")
    manager.register(First(), "b")
    plugin("c", post_tool_call=lambda: calls.append("c"))
    extra = [lambda tool_name: calls.append(f"extra {tool_name}"), lambda **rest: calls.append("extra 2")]
    outcome = manager.hook.post_tool_call.call_extra(extra, {**POST, "tool_name": "x"})
    assert outcome == Observed()
    assert calls == ["first", "c", "extra x", "extra 2", "last"]
    calls.clear()
    manager.hook.post_tool_call(**POST)
    assert calls == ["first", "c", "last"]


def test_call_extra_folds_and_isolates(manager, plugin):
    plugin("a", pre_tool_call=lambda already_blocked: Block("a"))
    seen = []
    outcome = manager.hook.pre_tool_call.call_extra(
        [lambda: 1 / 0, lambda already_blocked: seen.append(("extra", already_blocked))], {"tool_name": "x", "args": {}}
    )
    assert outcome.message == "a"
    assert [(step.plugin, step.what) for step in outcome.steps] == [("a", "block"), ("<temp>", "failed")]
    assert seen == [("extra", True)]


def test_call_extra_without_methods_is_the_call(manager, plugin):
    plugin("a", transform_tool_result=lambda result: result + "!")
    payload = HOOKS["transform_tool_result"].sample(result="x")
    assert manager.hook.transform_tool_result.call_extra([], payload).value == "x!"


def test_call_extra_refuses_a_method_that_asks_for_what_is_not_sent(manager):
    with pytest.raises(pluggy.HookCallError, match="post_tool_call sends 'result', not 'reslt'"):
        manager.hook.post_tool_call.call_extra([lambda reslt: reslt], POST)


def test_call_extra_of_a_subset(manager, plugin, calls):
    out = Note(calls, "out")
    manager.register(out, "out")
    plugin("a", post_tool_call=lambda: calls.append("a"))
    manager.subset_hook_caller("post_tool_call", [out]).call_extra([lambda: calls.append("extra")], POST)
    assert calls == ["a", "extra"]


def test_a_hook_goes_with_its_manager(calls):
    """Two managers share nothing, not even the text of their callers."""
    one, two = DispatchManager(), DispatchManager()
    one.register(Note(calls, "one"), "a")
    two.register(Note(calls, "two"), "a")
    one.hook.post_tool_call(**POST)
    two.hook.post_tool_call(**POST)
    assert calls == ["one", "two"]
    one.set_blocked("a")
    two.hook.post_tool_call(**POST)
    assert calls == ["one", "two", "two"]
    one.shutdown()
    two.shutdown()


def test_arguments_by_position_are_refused_in_the_hook_s_name(calls):
    manager = DispatchManager()
    refused = r"^post_tool_call\(\) takes 0 positional arguments but 1 was given$"
    for _ in range(3):  # before and after the caller is worked out
        with pytest.raises(TypeError, match=refused):
            manager.hook.post_tool_call("terminal")
        with pytest.raises(TypeError, match=refused):
            asyncio.run(manager.ahook.post_tool_call("terminal"))
        manager.hook.post_tool_call(**POST)
        manager.register(Note(calls))
