"""`registrar`: what becomes of implementations in a host that knows callbacks and dicts only."""

import asyncio
import contextvars
import threading

import pytest

from hermes_hookspecs import AddContext, Approve, Block, Modify, Skip, hookimpl, registrar


class Context:
    """The context of a host that only keeps what is registered; the tests with real hosts are in tests/interop."""

    def __init__(self):
        self.registered = []

    def register_hook(self, hook_name, callback):
        self.registered.append((hook_name, callback))

    def fire(self, hook, **payload):
        return [callback(**payload) for name, callback in self.registered if name == hook]


@pytest.fixture
def loaded():
    """Return a function that registers a plugin and gives the context."""

    def loaded(plugin):
        ctx = Context()
        registrar(plugin)(ctx)
        return ctx

    return loaded


def answering(hook, answer, **options):
    """Return a plugin with one implementation, which gives `answer`, or raises it."""

    def implementation():
        if isinstance(answer, BaseException):
            raise answer
        return answer

    implementation.__name__ = hook
    return type("Plugin", (), {hook: staticmethod(hookimpl(**options)(implementation))})()


def test_a_class_is_refused_at_once():
    with pytest.raises(TypeError, match=r"registrar\(Guard\(\)\)"):
        registrar(type("Guard", (), {}))


def test_a_required_argument_that_the_hook_does_not_send_is_refused():
    class Guard:
        @hookimpl
        def pre_tool_call(self, tool_name, params): ...

    ctx = Context()
    with pytest.raises(ValueError, match=r"pre_tool_call does not send 'params'; it sends already_blocked, .*args"):
        registrar(Guard())(ctx)
    assert ctx.registered == []


@pytest.mark.parametrize(
    ("hook", "answer", "read"),
    [
        ("pre_tool_call", Block("no"), {"action": "block", "message": "no"}),
        ("pre_tool_call", Approve("why", "key"), {"action": "approve", "message": "why", "rule_key": "key"}),
        ("pre_tool_call", {"action": "block", "message": "no"}, {"action": "block", "message": "no"}),
        ("pre_tool_call", True, None),
        ("pre_tool_call", {"noted": 1}, None),
        ("pre_llm_call", AddContext("cats"), {"context": "cats"}),
        ("pre_llm_call", "cats", "cats"),
        ("pre_gateway_dispatch", Skip("spam"), {"action": "skip", "reason": "spam"}),
        ("transform_tool_result", "", ""),
        ("on_session_start", "anything", None),
        ("hook_of_tomorrow", {"is": "kept"}, None),
    ],
)
def test_an_answer_reaches_the_host_in_its_own_words(loaded, hook, answer, read):
    assert loaded(answering(hook, answer)).fire(hook) == [read]


def test_an_approve_without_a_key_covers_one_call_and_not_the_whole_tool(loaded):
    ctx = loaded(answering("pre_tool_call", Approve("why")))
    calls = [{"command": "a"}, {"command": "a"}, {"command": "b"}]
    keys = [ctx.fire("pre_tool_call", tool_name="terminal", args=args)[0]["rule_key"] for args in calls]

    assert keys[0] == keys[1] != keys[2]
    assert keys[0].startswith("terminal:")


@pytest.mark.parametrize("answer", [{"action": "block"}, {"action": "modify", "args": 1}, {"action": "bloc"}])
def test_a_malformed_answer_is_an_error_that_the_host_reports_and_blocks_where_failures_do(loaded, answer):
    with pytest.raises(ValueError, match="cannot be used"):
        loaded(answering("pre_tool_call", answer)).fire("pre_tool_call", args={})

    (closed,) = loaded(answering("pre_tool_call", answer, fail_closed=True)).fire("pre_tool_call", args={})
    assert closed["action"] == "block"
    assert "declared fail-closed: ValueError" in closed["message"]


def test_a_transform_that_returns_no_text_is_an_error_or_withholds(loaded):
    with pytest.raises(TypeError, match="returns str or None, not dict"):
        loaded(answering("transform_tool_result", {"result": "x"})).fire("transform_tool_result")

    (notice,) = loaded(answering("transform_tool_result", {}, fail_closed=True)).fire("transform_tool_result")
    assert notice.startswith("[output withheld")


def test_a_failing_observer_stays_a_failure_even_if_it_is_called_fail_closed(loaded):
    with pytest.raises(KeyError):
        loaded(answering("post_tool_call", KeyError("k"), fail_closed=True)).fire("post_tool_call")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_sys_exit_is_a_failure_like_any_other(loaded, asynchronous):
    class Leaving:
        @hookimpl
        def on_session_end(self):
            raise SystemExit(4)

        @hookimpl(specname="on_session_start")
        async def start(self):
            raise SystemExit(4)

    hook = "on_session_start" if asynchronous else "on_session_end"
    with pytest.raises(RuntimeError, match=r"called sys\.exit\(4\)"):
        loaded(Leaving()).fire(hook)


def test_a_modify_is_merged_in_place_and_shares_nothing(loaded):
    mine = {"headers": ["a"]}
    args = {"url": "u", "headers": []}
    loaded(answering("pre_tool_call", Modify(mine))).fire("pre_tool_call", args=args)
    mine["headers"].append("b")

    assert args == {"url": "u", "headers": ["a"]}


def test_implementations_get_what_they_name_from_payload_alias_or_contract(loaded):
    seen = {}

    class Curious:
        @hookimpl
        def transform_tool_result(self, arguments, args, status, *, tool_name, session_id="mine"):
            seen.update(arguments=arguments, args=args, status=status, tool_name=tool_name, session_id=session_id)

    loaded(Curious()).fire("transform_tool_result", args={"a": 1}, result="r", unheard_of=1)

    assert seen == {"arguments": {"a": 1}, "args": {"a": 1}, "status": "ok", "tool_name": None, "session_id": ""}


def test_defaults_of_the_contract_are_made_anew_for_each_call(loaded):
    traces = []

    class Keeper:
        @hookimpl
        def pre_tool_call(self, middleware_trace):
            traces.append(middleware_trace)

    ctx = loaded(Keeper())
    ctx.fire("pre_tool_call")
    traces[0].append("mine")
    ctx.fire("pre_tool_call")

    assert traces == [["mine"], []]


def test_bands_and_the_order_of_definition_hold_within_the_plugin(loaded):
    class Several:
        @hookimpl(specname="on_session_start", trylast=True)
        def z(self): ...

        @hookimpl(specname="on_session_start")
        def b(self): ...

        @hookimpl(specname="on_session_start", tryfirst=True)
        def y(self): ...

        @hookimpl(specname="on_session_start")
        def a(self): ...

    assert [callback.__name__ for _, callback in loaded(Several()).registered] == ["y", "b", "a", "z"]


class Asynchronous:
    """Implementations that say on which loop, and in which context, they run."""

    def __init__(self):
        self.loops = []
        self.inner = None

    @hookimpl
    async def post_tool_call(self, tool_name):
        await asyncio.sleep(0)
        self.loops.append((asyncio.get_running_loop(), PLACE.get("nowhere")))
        if tool_name == "outer":
            self.inner.fire("post_tool_call", tool_name="inner")


PLACE = contextvars.ContextVar("place")


def test_asynchronous_implementations_share_a_loop_and_have_the_callers_context(loaded):
    plugin = Asynchronous()
    ctx = loaded(plugin)
    PLACE.set("here")
    ctx.fire("post_tool_call", tool_name="a")

    async def from_a_loop():
        ctx.fire("post_tool_call", tool_name="b")

    asyncio.run(from_a_loop())

    (first, second) = plugin.loops
    assert first == second
    assert first[1] == "here"
    assert [thread.name for thread in threading.enumerate() if "hookspecs" in thread.name] == ["hermes-hookspecs-loop"]


def test_an_asynchronous_implementation_may_cause_another_call(loaded):
    plugin = Asynchronous()
    plugin.inner = loaded(plugin)
    PLACE.set("there")
    plugin.inner.fire("post_tool_call", tool_name="outer")

    assert [place for _, place in plugin.loops] == ["there", "there"]
