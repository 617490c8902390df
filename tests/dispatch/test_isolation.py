"""Whatever a callback raises stays in its own call (semantics 3.1). Seed G2 and P6."""

import asyncio
import gc
import logging
import sys
import weakref

import pytest

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.policy import PluginPolicy

SYNC = "plain function"
ASYNC = "async def"


class BrokenTextError(Exception):
    def __str__(self):
        raise ValueError("no text today")


class ExitingTextError(Exception):
    def __str__(self):  # noqa: PLE0307 - that is the point
        sys.exit("no text, no host")

    __repr__ = __str__


class NeverEqualError(Exception):
    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("compared")


class MultilineError(Exception):
    def __str__(self):
        return "first\nsecond"


RAISED = [
    lambda: ValueError("plain"),
    lambda: SystemExit(3),
    GeneratorExit,
    lambda: asyncio.CancelledError("on my own"),
    RecursionError,
    MemoryError,
    lambda: StopIteration(5),
    StopAsyncIteration,
    lambda: BaseException("bare"),
    lambda: BaseExceptionGroup("group", [SystemExit(1), ValueError("in group")]),
    BrokenTextError,
    ExitingTextError,
    lambda: NeverEqualError("x"),
    MultilineError,
    lambda: UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"),
    lambda: LookupError("lone \ud800 surrogate"),
    lambda: SyntaxError("bad", ("f.py", 1, 1, "text", 1, 2)),
]
"""Makers of exceptions."""

each_error = pytest.mark.parametrize("make", RAISED, ids=lambda make: type(make()).__name__)


def raising(make, style):
    def callback(**_):
        raise make()

    async def acallback(**_):
        raise make()

    return callback if style == SYNC else acallback


@pytest.mark.parametrize("timeout", [None, 60.0], ids=["", "deadline"])
@pytest.mark.parametrize("style", [SYNC, ASYNC])
@each_error
def test_an_exception_of_a_callback_reaches_neither_the_host_nor_the_others(
    manager, plugin, fire, make, style, timeout
):
    """Seed P6."""
    seen = []
    plugin("a", post_tool_call=lambda **_: seen.append("before"))
    plugin("bad", PluginPolicy(timeout=timeout), post_tool_call=raising(make, style))
    plugin("z", post_tool_call=lambda **_: seen.append("after"))

    for _ in range(3):
        outcome = fire("post_tool_call")

    assert seen == ["before", "after"] * 3
    assert [(step.plugin, step.what) for step in outcome.steps] == [("bad", "failed")]
    if not isinstance(make(), StopIteration):  # which a coroutine turns into a RuntimeError
        assert outcome.steps[0].error.startswith(type(make()).__name__)
    assert manager.failures["bad"].count == 3


@pytest.mark.parametrize("timeout", [None, 60.0], ids=["", "deadline"])
@pytest.mark.parametrize("style", [SYNC, ASYNC])
@each_error
@pytest.mark.parametrize("hook", ["pre_tool_call", "pre_llm_call", "transform_tool_result", "an_unknown_hook"])
def test_an_exception_is_contained_in_an_asynchronous_call_too(manager, plugin, afire, hook, make, style, timeout):
    plugin("bad", PluginPolicy(timeout=timeout), **{hook: raising(make, style)})
    plugin("z", **{hook: lambda **_: None})

    async def host():
        call = manager.ahook.an_unknown_hook() if hook == "an_unknown_hook" else afire(hook)
        return await call

    asyncio.run(host())
    assert manager.failures["bad"].count == 1


@pytest.mark.parametrize("when", ["before", "after", "closing"])
@pytest.mark.parametrize("old_style", [False, True], ids=["wrapper", "hookwrapper"])
@each_error
def test_an_exception_of_a_wrapper_leaves_the_outcome(manager, plugin, fire, afire, make, when, old_style):
    class Wraps:
        @hookimpl(wrapper=not old_style, hookwrapper=old_style)
        def pre_tool_call(self, tool_name):
            if when == "before":
                raise make()
            yield
            if when == "closing":
                yield  # once too often
            raise make()

    manager.register(Wraps(), "bad")
    plugin("z", pre_tool_call=lambda **_: {"action": "block", "message": "stands"})
    assert fire("pre_tool_call").message == "stands"
    assert asyncio.run(afire("pre_tool_call")).message == "stands"
    assert manager.invoke_hook("pre_tool_call", **HOOKS["pre_tool_call"].sample()) == [
        {"action": "block", "message": "stands"}
    ]
    assert manager.failures["bad"].count == 3


def test_a_callback_that_recurses_without_end_is_one_failure(manager, plugin, fire):
    def endless(**kwargs):
        return endless(**kwargs)

    plugin("deep", post_tool_call=endless)
    fire("post_tool_call")
    assert "RecursionError" in manager.failures["deep"].last


def test_ctrl_c_during_a_callback_reaches_the_host(plugin, fire):
    def callback(**_):
        raise KeyboardInterrupt

    plugin("slow", post_tool_call=callback)
    with pytest.raises(KeyboardInterrupt):
        fire("post_tool_call")


def test_ctrl_c_is_not_lost_in_an_asynchronous_callback(plugin, fire):
    async def callback(**_):
        raise KeyboardInterrupt

    plugin("slow", post_tool_call=callback)
    with pytest.raises(KeyboardInterrupt):
        fire("post_tool_call")


def test_cancelling_the_task_of_the_host_ends_its_hook_call(manager, plugin, afire):
    async def waits(**_):
        await asyncio.sleep(3600)

    plugin("waits", post_tool_call=waits)

    async def host():
        task = asyncio.create_task(afire("post_tool_call"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(host())
    assert not manager.failures.get("waits")


@pytest.mark.parametrize("swallow", ["return", "raise"])
@pytest.mark.parametrize("returned", [False, True], ids=["async def", "returned awaitable"])
def test_a_callback_that_swallows_the_cancellation_of_the_host_does_not_save_itself(plugin, afire, swallow, returned):
    async def stubborn(**_):
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            if swallow == "raise":
                raise ValueError("something else") from None

    plugin("stubborn", post_tool_call=(lambda **_: stubborn()) if returned else stubborn)

    async def host():
        task = asyncio.create_task(afire("post_tool_call"))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(host())


def test_a_timeout_of_the_host_around_a_hook_call_is_the_hosts(manager, plugin, afire):
    async def waits(**_):
        await asyncio.sleep(3600)

    plugin("waits", pre_llm_call=waits)

    async def host():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await afire("pre_llm_call")

    asyncio.run(host())
    assert not manager.failures.get("waits")


def test_closing_an_unfinished_hook_call_is_not_taken_for_a_failure(manager, plugin, afire):
    async def waits(**_):
        await Forever()

    class Forever:
        def __await__(self):
            while True:
                yield

    plugin("waits", post_tool_call=waits)
    call = afire("post_tool_call")
    call.send(None)
    call.close()
    assert not manager.failures.get("waits")


def test_a_failure_in_cleaning_up_after_a_cancellation_is_the_plugins(manager, plugin, fire, afire):
    """The host's task is cancelled, and fires a last hook on its way out: that call goes to its end."""
    seen = []

    def cancels(**_):
        raise asyncio.CancelledError

    plugin("cancels", on_session_end=cancels)
    plugin("z", on_session_end=lambda **_: seen.append("z"))

    async def host():
        try:
            await asyncio.sleep(3600)
        finally:
            fire("on_session_end")
            seen.append("host")

    async def main():
        task = asyncio.create_task(host())
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    assert seen == ["z", "host"]
    assert manager.failures["cancels"].count == 1


def test_an_answer_that_breaks_when_it_is_looked_at_is_a_failure(manager, plugin, fire):
    class Hostile:
        def __getattribute__(self, name):
            raise SystemExit(name)

    class HostileDict(dict):
        def __contains__(self, key):
            raise SystemExit(key)

        def get(self, key, default=None):
            raise SystemExit(key)

    for number, answer in enumerate([Hostile(), HostileDict(action="block", message="x")]):
        plugin(f"hostile{number}", pre_tool_call=lambda answer=answer, **_: answer)
    plugin("z", pre_tool_call=lambda **_: {"action": "block", "message": "still judged"})
    assert fire("pre_tool_call").message == "still judged"


def test_an_answer_that_claims_every_attribute_is_not_taken_for_an_awaitable(manager, plugin, fire):
    class Anything:
        def __getattr__(self, name):
            return self

        def __call__(self, *_):
            return self

    plugin("proxy", post_tool_call=lambda **_: Anything())
    assert fire("post_tool_call").steps == ()
    assert not manager.failures


# -- what is said and counted ------------------------------------------------------------------------------


def test_a_failure_is_logged_once_with_plugin_hook_place_and_traceback_then_summarised(manager, plugin, fire, caplog):
    """Seed P6."""

    def fails(**_):
        return {}["missing"]

    plugin("guard", post_tool_call=fails)
    for _ in range(120):
        fire("post_tool_call")

    first, *repeats = caplog.records
    text = first.getMessage()
    line = fails.__code__.co_firstlineno + 1
    assert first.levelno == logging.WARNING
    assert "'guard'" in text
    assert "post_tool_call" in text
    assert f"{__file__}:{line}" in text
    assert "Traceback (most recent call last)" in text
    assert 'return {}["missing"]' in text
    assert [record.getMessage().rpartition(": ")[2] for record in repeats] == ["10 times so far", "100 times so far"]
    assert manager.failures["guard"].count == 120
    assert manager.failures["guard"].last == f"post_tool_call: KeyError: 'missing' ({__file__}:{line})"


def test_different_failures_of_one_callback_are_each_logged(plugin, fire, caplog):
    errors = iter([ValueError("a"), TypeError("b"), ValueError("c")])

    def fails(**_):
        raise next(errors)

    plugin("guard", post_tool_call=fails)
    for _ in range(3):
        fire("post_tool_call")
    assert ["ValueError" in record.getMessage() for record in caplog.records] == [True, False]


def test_the_place_named_is_in_the_plugin_even_when_a_library_raises(manager, plugin, fire):
    import json

    def parses(**_):
        json.loads("{")

    plugin("parser", post_tool_call=parses)
    fire("post_tool_call")
    assert f"({__file__}:{parses.__code__.co_firstlineno + 1})" in manager.failures["parser"].last


def test_a_failure_without_a_frame_of_the_plugin_is_placed_at_the_callback(manager, plugin, fire):
    plugin("builtin", post_tool_call=getattr)  # takes no keywords, and has no frame
    fire("post_tool_call")
    assert manager.failures["builtin"].last.endswith(f"({getattr!r})")


def test_the_text_of_a_failure_is_kept_short(manager, plugin, fire):
    def fails(**_):
        raise ValueError("x" * 1_000_000)

    plugin("wordy", post_tool_call=fails)
    outcome = fire("post_tool_call")
    assert len(manager.failures["wordy"].last) < 2_000
    assert len(outcome.steps[0].error) < 1_000


SECRET = "sk-very-secret-0123456789"


@pytest.mark.parametrize(
    "answer",
    [
        {"action": SECRET},
        {"action": ["list", SECRET]},
        {"action": "block", "message": {"secret": SECRET}},
        {"action": "block", "message": [SECRET]},
        {"action": "modify", "args": SECRET},
        {"action": "modify", "args": {"command": SECRET}},
        [SECRET],
    ],
    ids=str,
)
def test_no_value_of_a_payload_or_an_answer_is_logged_at_info_or_above(plugin, fire, caplog, answer):
    caplog.set_level(logging.INFO)

    def changes(args, **_):
        args["command"] = SECRET + "!"

    plugin("a", pre_tool_call=changes)
    plugin("answers", pre_tool_call=lambda **_: answer)
    plugin("b", pre_tool_call=lambda **_: {"action": "modify", "args": {"command": SECRET + "?"}})
    fire("pre_tool_call", args={"command": SECRET})
    assert SECRET not in caplog.text


@pytest.mark.parametrize("hook", ["transform_tool_result", "pre_llm_call", "post_tool_call", "pre_gateway_dispatch"])
def test_no_value_is_logged_by_the_other_kinds_of_hook(plugin, fire, caplog, hook):
    caplog.set_level(logging.INFO)
    answers = [{"action": SECRET}, [SECRET], SECRET.encode(), {"action": "rewrite", "text": [SECRET]}]
    for number, answer in enumerate(answers):
        plugin(f"p{number}", **{hook: lambda answer=answer, **_: answer})
    fire(hook, **{"result": SECRET} if "tool" in hook else {})
    assert SECRET not in caplog.text


def test_a_different_unknown_action_at_every_call_is_one_warning_and_takes_no_memory(manager, plugin, fire, caplog):
    """Seed H1.6."""
    count = iter(range(1_000_000))
    plugin("chatty", pre_tool_call=lambda **_: {"action": f"log-{next(count)}"})
    for _ in range(50):
        assert fire("pre_tool_call").action == "run"
    assert len(caplog.records) == 1
    assert len(manager._dispatcher.guard.log._noted) == 1


# -- what is kept alive ------------------------------------------------------------------------------------


class Payload:
    """Something that can be watched for being freed."""


class HoldingError(Exception):
    def __init__(self, payload):
        super().__init__("holds it")
        self.payload = payload


def fail_holding(result, **_):
    local = result
    raise HoldingError(local)


async def fail_holding_later(result, **_):
    await asyncio.sleep(0)
    raise HoldingError(result)


@pytest.mark.parametrize("callback", [fail_holding, fail_holding_later])
@pytest.mark.parametrize("timeout", [None, 30.0])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_nothing_keeps_the_payload_of_a_failed_call_alive(
    manager, plugin, fire, afire, callback, timeout, asynchronous
):
    plugin("holder", PluginPolicy(timeout=timeout), post_tool_call=callback)
    payload = Payload()
    alive = weakref.ref(payload)
    if asynchronous:
        asyncio.run(afire("post_tool_call", result=payload))
    else:
        fire("post_tool_call", result=payload)
    assert manager.failures["holder"].count == 1
    del payload
    gc.collect()
    assert alive() is None


def test_the_payload_of_a_failed_call_is_freed_without_waiting_for_the_collector(plugin, fire):
    plugin("holder", post_tool_call=fail_holding)
    payload = Payload()
    alive = weakref.ref(payload)
    gc.disable()
    try:
        fire("post_tool_call", result=payload)
        del payload
        assert alive() is None
    finally:
        gc.enable()


def test_an_unregistered_plugin_is_freed(manager, fire):
    class Plugin:
        @hookimpl
        def post_tool_call(self, tool_name):
            raise ValueError(tool_name)

    plugin = Plugin()
    gone = weakref.ref(plugin)
    manager.register(plugin, "gone")
    fire("post_tool_call")
    manager.unregister(name="gone")
    assert not manager.failures
    del plugin
    gc.collect()
    assert gone() is None


# -- other code of a plugin --------------------------------------------------------------------------------


@each_error
@pytest.mark.parametrize("style", [SYNC, ASYNC])
def test_isolated_code_that_raises_gives_the_error_as_text(manager, make, style):
    value, text = manager.call_isolated("tool-shop", "tool search", raising(make, style), query="x")
    assert value is None
    assert text
    assert manager.failures["tool-shop"].count == 1
    assert manager.failures["tool-shop"].last.startswith("tool search: ")


def test_isolated_code_gives_its_value_awaited_or_not(manager):
    async def later(value):
        await asyncio.sleep(0)
        return value * 2

    assert manager.call_isolated("p", "tool double", lambda value: value * 2, 4) == (8, None)
    assert manager.call_isolated("p", "tool double", later, value=4) == (8, None)
    assert manager.call_isolated("p", "command", lambda: None) == (None, None)
    assert not manager.failures


def test_ctrl_c_in_isolated_code_reaches_the_host(manager):
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        manager.call_isolated("p", "command /slow", interrupted)


def test_isolated_code_that_cannot_be_looked_at_is_contained(manager):
    class Odd:
        def __call__(self):
            raise ValueError("odd")

        def __getattr__(self, name):
            return self

        def __repr__(self):
            raise RuntimeError("no repr")

    _, text = manager.call_isolated("p", "tool odd", Odd())
    assert text == "ValueError: odd"
