"""Middleware: requests are chained, executions nested, and a failing one is as if it were not there."""

import asyncio

import pytest

from hermes_sdk.plugins.middleware import apply_request, run_execution


@pytest.fixture
def manager(plugin_home):
    """Return a function that gives a manager whose plugins m0, m1, ... have these middleware callbacks."""

    def manager(kind, *callbacks):
        for number in range(len(callbacks)):
            plugin_home.plugin(f"m{number}")
        made = plugin_home.loaded()
        for number, callback in enumerate(callbacks):
            made.plugins[f"m{number}"].context.register_middleware(kind, callback)
        return made

    return manager


def test_without_middleware_nothing_is_copied(manager):
    payload = {"a": 1}
    assert apply_request(manager("tool_request"), "tool_request", payload) == (payload, [])
    assert apply_request(manager("tool_request"), "tool_request", payload)[0] is payload


def test_request_middleware_is_chained_and_traced(manager):
    seen = []

    def first(tool_name, args, original_args, **kw):
        seen.append((tool_name, dict(args), dict(original_args), kw["middleware_schema_version"]))
        args["junk"] = "an answer counts for more than changes in place"
        return {"args": {"n": args["n"] + 1}, "reason": "up"}

    def second(args, original_args):
        seen.append((args, original_args))
        return {"args": {**args, "more": True}, "source": "elsewhere"}

    args = {"n": 1}
    changed, trace = apply_request(manager("tool_request", first, second), "tool_request", args, tool_name="t")
    assert (args, changed) == ({"n": 1}, {"n": 2, "more": True})
    assert seen == [("t", {"n": 1}, {"n": 1}, "hermes.middleware.v1"), ({"n": 2}, {"n": 1})]
    assert trace == [
        {"plugin": "m0", "source": "m0", "reason": "up"},
        {"plugin": "m1", "source": "elsewhere"},
    ]


def test_what_request_middleware_changes_in_place_counts_unless_it_fails(manager):
    def edits(args, **kw):
        args["nested"]["edited"] = True

    def edits_and_fails(args, **kw):
        args.clear()
        raise ValueError

    args = {"nested": {}}
    changed, trace = apply_request(manager("tool_request", edits, edits_and_fails), "tool_request", args)
    assert (args, changed) == ({"nested": {}}, {"nested": {"edited": True}})
    assert trace == [{"plugin": "m0", "source": "m0"}]


def test_request_middleware_may_be_asynchronous(manager):
    async def rewrite(request, **kw):
        await asyncio.sleep(0)
        return {"request": request | {"model": "other"}}

    changed, _ = apply_request(manager("llm_request", rewrite), "llm_request", {"model": "m"})
    assert changed == {"model": "other"}


@pytest.mark.parametrize(
    "bad",
    [
        lambda args: 1 / 0,
        lambda args: {"args": "text"},
        lambda args: {"request": {}},
        lambda args: "text",
        lambda args: None,
        lambda params: {"args": {}},
        lambda args: (_ for _ in ()).throw(SystemExit),
    ],
)
def test_a_middleware_that_fails_or_says_nothing_useful_is_passed_over(manager, bad):
    made = manager("tool_request", bad, lambda args: {"args": args | {"good": True}})
    changed, trace = apply_request(made, "tool_request", {"n": 1})
    assert changed == {"n": 1, "good": True}
    assert [entry["plugin"] for entry in trace] == ["m1"]


def wrap(name, log):
    def middleware(args, next_call, **kw):
        log.append(f"{name} before {args}")
        result = next_call({**args, name: True})
        log.append(f"{name} after")
        return f"{name}({result})"

    return middleware


def test_execution_middleware_is_nested_first_outermost(manager):
    log = []
    made = manager("tool_execution", wrap("a", log), wrap("b", log))
    assert run_execution(made, "tool_execution", {}, sorted) == "a(b(['a', 'b']))"
    assert log == ["a before {}", "b before {'a': True}", "b after", "a after"]


def test_execution_middleware_need_not_go_on(manager):
    made = manager("tool_execution", lambda next_call: "cached", wrap("b", []))
    assert run_execution(made, "tool_execution", {}, lambda args: pytest.fail("ran")) == "cached"


def test_raising_before_next_call_skips_the_middleware(manager, caplog):
    made = manager("tool_execution", lambda next_call: 1 / 0, wrap("b", []))
    assert run_execution(made, "tool_execution", {}, lambda args: "ran") == "b(ran)"
    assert "ZeroDivisionError" in caplog.text


def test_raising_after_next_call_leaves_the_result_from_downstream(manager):
    runs = []

    def late(next_call):
        next_call()
        raise SystemExit

    made = manager("tool_execution", late)
    assert run_execution(made, "tool_execution", {}, lambda args: runs.append(1) or "ran") == "ran"
    assert runs == [1]


def test_next_call_runs_the_tool_once_only(manager):
    runs, kept = [], []

    def twice(next_call):
        kept.append(next_call)
        next_call()
        return next_call()

    made = manager("tool_execution", twice)
    assert run_execution(made, "tool_execution", {}, lambda args: runs.append(1) or "ran") == "ran"
    with pytest.raises(RuntimeError, match="once"):
        kept[0]()
    assert runs == [1]


def test_a_kept_next_call_is_dead_after_the_middleware_returned(manager):
    kept = []
    made = manager("tool_execution", lambda next_call: kept.append(next_call) or "instead")
    assert run_execution(made, "tool_execution", {}, lambda args: pytest.fail("ran")) == "instead"
    with pytest.raises(RuntimeError, match="before it returns"):
        kept[0]()


def test_an_error_of_the_tool_passes_through_and_is_nobody_else_s(manager):
    made = manager("tool_execution", wrap("a", []), wrap("b", []))
    error = OSError("the tool's own")

    def fail(args):
        raise error

    with pytest.raises(OSError, match="own") as caught:
        run_execution(made, "tool_execution", {}, fail)
    assert caught.value is error
    assert made.failures == {}


def test_a_middleware_may_deal_with_an_error_of_the_tool(manager):
    def rescue(next_call):
        try:
            return next_call()
        except OSError:
            return "rescued"

    def fail(args):
        raise OSError

    assert run_execution(manager("tool_execution", rescue), "tool_execution", {}, fail) == "rescued"


def test_a_middleware_that_fails_over_an_error_of_the_tool_does_not_hide_it(manager):
    def clumsy(next_call):
        try:
            return next_call()
        except OSError:
            raise KeyError("while cleaning up") from None

    def fail(args):
        raise OSError("first")

    made = manager("tool_execution", clumsy)
    with pytest.raises(OSError, match="first"):
        run_execution(made, "tool_execution", {}, fail)
    assert "KeyError" in made.failures["m0"].last


def test_execution_middleware_may_be_asynchronous(manager):
    async def around(request, next_call, **kw):
        await asyncio.sleep(0)
        return f"async({next_call(request)})"

    async def lets_through(next_call):
        return next_call()

    made = manager("llm_execution", around, lets_through)
    assert run_execution(made, "llm_execution", {"model": "m"}, lambda request: request["model"]) == "async(m)"

    def fail(request):
        raise OSError("down")

    with pytest.raises(OSError, match="down"):
        run_execution(made, "llm_execution", {}, fail)


def test_the_original_is_what_the_host_says_it_is(manager):
    seen = []

    def look(args, original_args, next_call):
        seen.append((args, original_args))
        return next_call()

    made = manager("tool_execution", look)
    run_execution(made, "tool_execution", {"n": 2}, lambda args: "", original_args={"n": 1})
    run_execution(made, "tool_execution", {"n": 2}, lambda args: "")
    assert seen == [({"n": 2}, {"n": 1}), ({"n": 2}, {"n": 2})]


def test_unknown_kinds_are_warned_about_and_kept(manager, caplog):
    made = manager("api_request", lambda **kw: None)
    assert made.has_middleware("api_request")
    assert "unknown middleware 'api_request'" in caplog.text
