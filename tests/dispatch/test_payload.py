"""What callbacks get: defaults, aliases, what a host left out, what it sends beyond the contract (semantics 2)."""

import asyncio
import copy
import logging

import pytest

from hermes_hookspecs import HOOKS, Modify
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import PluginPolicy


async def _awaited(hook, payload):
    return await hook(**payload)


def _monitored(manager, hook, payload):
    undo = manager.add_hookcall_monitoring(lambda *_: None, lambda *_: None)
    try:
        return getattr(manager.hook, hook)(**payload)
    finally:
        undo()


def _by_subset(manager, hook, payload):
    other = PluginHolder("other")
    other.add_callback(hook, lambda: None)
    manager.register(other, "other")
    try:
        return manager.subset_hook_caller(hook, [other])(**payload)
    finally:
        manager.unregister(other)


WAYS = {
    "sync": lambda manager, hook, payload: getattr(manager.hook, hook)(**payload),
    "async": lambda manager, hook, payload: asyncio.run(_awaited(getattr(manager.ahook, hook), payload)),
    "raw": lambda manager, hook, payload: manager.invoke_hook(hook, **payload),
    "monitored": _monitored,
    "subset": _by_subset,
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def send(request, manager):
    """Return a function that calls a hook with exactly this payload."""
    return lambda hook, /, **payload: request.param(manager, hook, payload)


def required(hook):
    """Return the sample of the arguments that a host has to send, seed's names only."""
    contract = HOOKS[hook]
    sample = contract.sample()
    return {a.name: sample[a.name] for a in contract.arguments if a.required and not a.alias_of}


def listening(hook, got, style):
    """Return a callback that puts into `got` what it is given."""
    names = [argument.name for argument in HOOKS[hook].arguments]
    pairs = ", ".join(f"{name}={name}" for name in names)
    heads = {
        "everything": "**rest",
        "by name": ", ".join(names),
        "keyword only": "*, " + ", ".join(names),
        "with defaults": ", ".join(f"{name}='own default'" for name in names),
        "some and the rest": f"{names[0]}, **rest",
        "in reverse": ", ".join(reversed(names)),
        "positional only": ", ".join(names) + ", /",
        "with star args": f"{names[0]}, *args, {names[-1]}, **rest",
    }
    bodies = {
        "everything": "rest",
        "some and the rest": f"dict(rest, {names[0]}={names[0]})",
        "with star args": f"dict(rest, {names[0]}={names[0]}, {names[-1]}={names[-1]})",
    }
    return eval(f"lambda {heads[style]}: got.append({bodies.get(style, f'dict({pairs})')})", {"got": got})


STYLES = ["everything", "by name", "keyword only", "with defaults", "some and the rest", "in reverse",
          "positional only", "with star args"]  # fmt: skip


@pytest.mark.parametrize("hook", HOOKS)
def test_every_callback_gets_every_argument_of_its_hook(manager, plugin, send, hook):
    """Seed P4 and P5: callbacks receive keyword arguments, and take **kwargs for those to come."""
    got = []
    plugin("a", **{hook: [listening(hook, got, style) for style in STYLES]})
    payload = HOOKS[hook].sample()
    send(hook, **payload)
    assert got == [payload] * len(STYLES)
    assert manager.degraded == manager.failures == {}


@pytest.mark.parametrize("hook", HOOKS)
def test_what_has_a_default_may_be_left_out(manager, plugin, send, logged, hook):
    got = []
    plugin("a", **{hook: [listening(hook, got, style) for style in STYLES]})
    payload = required(hook)
    send(hook, **payload)
    contract = HOOKS[hook]
    expected = {argument.name: argument.default for argument in contract.arguments if not argument.required} | payload
    expected |= {alias: payload[name] for alias, name in contract.aliases.items()}
    assert got == [expected] * len(STYLES)
    assert logged() == []


@pytest.mark.parametrize("hook", HOOKS)
def test_what_has_no_default_is_none_and_reported_once(manager, plugin, send, logged, hook):
    got = []
    plugin("a", **{hook: listening(hook, got, "everything")})
    for _ in range(3):
        send(hook)
    contract = HOOKS[hook]
    expected = {argument.name: None if argument.required else argument.default for argument in contract.arguments}
    if hook == "pre_tool_call":
        expected["args"] = {}
    assert got == [expected] * 3
    missing = set(required(hook))
    warnings = logged(logging.WARNING)
    assert len(warnings) == len(missing)
    for name in missing:
        assert len([line for line in warnings if f"{hook} without {name!r}" in line]) == 1


def test_a_missing_argument_that_nobody_takes_is_no_reason_to_complain(plugin, manager, logged):
    plugin("a", post_tool_call=lambda tool_name: None)
    manager.hook.post_tool_call(tool_name="x")
    assert logged() == []


@pytest.mark.parametrize("style", STYLES)
def test_a_default_is_made_anew_for_each_call(manager, plugin, send, style):
    seen = []

    def keeps(middleware_trace):
        middleware_trace.append("mine")
        seen.append(middleware_trace)

    plugin("a", pre_tool_call=keeps)
    got = []
    plugin("b", pre_tool_call=listening("pre_tool_call", got, style))
    for _ in range(3):
        send("pre_tool_call", tool_name="x", args={"a": 1})
    assert seen == [["mine"]] * 3
    assert len({id(trace) for trace in seen}) == 3
    assert [payload["middleware_trace"] for payload in got] == [["mine"]] * 3
    assert (
        HOOKS["pre_tool_call"].sample()["middleware_trace"] is not HOOKS["pre_tool_call"].sample()["middleware_trace"]
    )


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("hook", "name", "alias"),
    [(hook, name, alias) for hook, contract in HOOKS.items() for alias, name in contract.aliases.items()],
)
@pytest.mark.parametrize("given", ["name", "alias", "both"])
def test_both_names_of_an_argument_are_filled(manager, plugin, send, logged, hook, name, alias, given, style):
    got = []
    value = HOOKS[hook].sample()[name]
    payload = required(hook)
    del payload[name]
    payload |= {"name": {name: value}, "alias": {alias: value}, "both": {name: value, alias: value}}[given]
    plugin("a", **{hook: listening(hook, got, style)})
    send(hook, **payload)
    (received,) = got
    assert received[name] is value
    assert received[alias] is value
    assert logged() == []


@pytest.mark.parametrize(("name", "alias"), [("arguments", "args")])
def test_of_two_different_values_the_seeds_name_wins(manager, plugin, send, logged, name, alias):
    got = []
    plugin("a", transform_tool_result=lambda arguments, args: got.append((arguments, args)))
    for _ in range(2):
        send("transform_tool_result", tool_name="x", result="y", **{name: {"a": 1}, alias: {"a": True}})
    assert got == [({"a": 1}, {"a": 1})] * 2
    assert [type(value) for pair in got for value in (pair[0]["a"], pair[1]["a"])] == [int] * 4
    (warning,) = logged(logging.WARNING)
    assert repr(name) in warning
    assert repr(alias) in warning


def test_equal_values_under_both_names_are_no_contradiction(manager, plugin, send, logged):
    plugin("a", transform_terminal_output=lambda exit_code, returncode: None)
    send("transform_terminal_output", command="x", output="y", exit_code=1, returncode=1)
    assert logged() == []


def test_an_alias_counts_where_only_one_of_the_names_is_taken(manager, plugin, send):
    got = []
    plugin("a", transform_terminal_output=[lambda exit_code: got.append(("seed", exit_code))])
    send("transform_terminal_output", command="x", output="y", returncode=3)
    manager.unregister(name="a")
    plugin("a", transform_terminal_output=[lambda returncode: got.append(("upstream", returncode))])
    send("transform_terminal_output", command="x", output="y", exit_code=4)
    assert got == [("seed", 3), ("upstream", 4)]


def test_further_arguments_go_to_those_who_name_them_or_take_everything(manager, plugin, send):
    got = []

    def everything(**rest):
        got.append(("everything", rest["mood"], rest["extra"], rest["self"]))

    class Taking:
        def method(self, tool_name, mood="none"):
            got.append((tool_name, mood))

    plugin(
        "a",
        post_tool_call=[
            lambda mood=None: got.append(mood),
            everything,
            lambda tool_name: got.append(tool_name.upper()),
            lambda *, mood="none", tool_name: got.append((tool_name, mood)),
            Taking().method,
        ],
    )
    send("post_tool_call", **required("post_tool_call") | {"tool_name": "x"}, mood="good", extra=1, self=2)
    assert got == ["good", ("everything", "good", 1, 2), "X", ("x", "good"), ("x", "good")]
    assert manager.failures == {}


NAMES_OF_OUR_OWN = ["r", "raw", "fold", "before", "payload", "rest", "rest0", "first", "started", "flat", "again",
                    "extra", "call", "self", "hook", "hook_name", "mode", "f0", "t0", "_running", "_missing",
                    "_careful", "named", "values", "kwargs", "plugin", "_current", "raised"]  # fmt: skip


@pytest.mark.parametrize(
    "hook", ["pre_tool_call", "post_tool_call", "pre_llm_call", "transform_tool_result", "own_hook"]
)
def test_further_arguments_may_have_any_name(manager, plugin, send, hook):
    got = []
    plugin("a", **{hook: lambda **rest: got.append(rest)})
    payload = required(hook) if hook in HOOKS else {}
    extras = dict.fromkeys(NAMES_OF_OUR_OWN, 1)
    send(hook, **payload, **extras)
    assert {name: got[0][name] for name in extras} == extras
    assert manager.failures == {}


def test_a_dict_of_everything_is_a_callbacks_own(manager, plugin, send):
    """Callbacks pop from it."""
    got = []

    def pops(**rest):
        rest.pop("tool_name")
        rest["args"] = "replaced"
        rest["new"] = 1

    plugin("a", post_tool_call=[pops, lambda **rest: got.append(rest), lambda tool_name, **rest: got.append(rest)])
    payload = HOOKS["post_tool_call"].sample()
    send("post_tool_call", **payload)
    assert got[0] == payload
    assert got[1] == {name: value for name, value in payload.items() if name != "tool_name"}


# -- conversation_history --------------------------------------------------------------------------------------

HISTORIES = {
    "flat": [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}],
    "nested": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}, {"tool_calls": [{"id": "1"}]}],
    "empty": [],
    "tuple": ({"role": "user", "content": "hello"},),
    "none": None,
}
HISTORY_HOOKS = [hook for hook, contract in HOOKS.items() if "conversation_history" in contract.argument_names]


@pytest.mark.parametrize("hook", HISTORY_HOOKS)
@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
def test_every_implementation_gets_a_history_of_its_own(manager, plugin, send, hook, history):
    """Seed H3.4 and H4.3: it is a copy."""
    original = copy.deepcopy(history)
    got = []

    def spoils(conversation_history, **rest):
        got.append(copy.deepcopy(conversation_history))
        if conversation_history:
            conversation_history[0]["content"] = "spoilt"
            conversation_history[0]["new"] = 1
            for part in conversation_history[-1].get("tool_calls", ()):
                part.clear()
        if isinstance(conversation_history, list):
            conversation_history.append("spoilt")

    class Object:
        def __call__(self, **rest):
            spoils(**rest)

    def spoils_by_name(conversation_history):
        spoils(conversation_history)

    def spoils_all(**rest):
        spoils(**rest)

    def spoils_keyword(*, conversation_history):
        spoils(conversation_history)

    async def spoils_later(conversation_history):
        spoils(conversation_history)

    callbacks = [spoils, spoils_by_name, spoils_all, spoils_keyword, spoils_later, Object()]
    plugin("a", **{hook: callbacks})
    plugin("b", PluginPolicy(timeout=30), **{hook: [spoils_by_name, spoils_keyword]})
    payload = HOOKS[hook].sample(conversation_history=history)
    send(hook, **payload)
    send(hook, **payload, future=1)
    assert got == [original] * 16
    assert history == original
    assert manager.failures == {}


def test_what_is_in_a_message_beyond_json_is_shared(manager, plugin, fire):
    part = object()
    got = []
    plugin("a", pre_llm_call=lambda conversation_history: got.append(conversation_history[0]["content"]))
    fire("pre_llm_call", conversation_history=[{"content": part}])
    assert got == [part]


def test_a_history_that_nobody_takes_is_not_copied(manager, plugin, fire):
    class Watched(list):
        def __iter__(self):
            raise AssertionError("looked at")

    plugin("a", pre_llm_call=lambda user_message: None)
    fire("pre_llm_call", conversation_history=Watched([{"role": "user"}]))
    assert manager.failures == {}


# -- managers --------------------------------------------------------------------------------------------------


def test_each_host_is_told_for_itself(logged):
    for _ in range(2):
        manager = DispatchManager()
        holder = PluginHolder("a")
        holder.add_callback("post_tool_call", lambda result: None)
        manager.register(holder, "a")
        manager.hook.post_tool_call(tool_name="x", args={}, duration_ms=1)
        manager.shutdown()
    assert len(logged(logging.WARNING)) == 2


def test_a_modified_argument_reaches_both_kinds_of_callbacks(manager, plugin, fire):
    got = []
    plugin("a", pre_tool_call=lambda: Modify({"x": 1}))
    plugin(
        "b", pre_tool_call=[lambda args, **rest: got.append(dict(args)), lambda **rest: got.append(dict(rest["args"]))]
    )
    fire("pre_tool_call", args={})
    assert got == [{"x": 1}, {"x": 1}]
