"""Events and the handlers that get them."""

import asyncio

from hermes_sdk.gateway_hooks import HookRegistry

RETURNS = "def handle(event_type, context):\n    return {value}\n"


def collect(registry, event, context=None):
    return asyncio.run(registry.emit_collect(event, context))


def test_plain_and_async_handlers_get_name_and_context(home, registry, fire):
    """Seed G3 to G8 and G19: one directory a hook, `handle` may be either kind of function."""
    body = "handle(event_type, context):\n    note(f'{WHO} {event_type} {context}')\n"
    home.hook("plain", f"{home.note}WHO = 'plain'\ndef {body}", ["agent:start"])
    home.hook(
        "waiting",
        f"{home.note}import asyncio\nWHO = 'waiting'\nasync def {body}    await asyncio.sleep(0)\n",
        ["agent:start"],
    )
    assert fire(registry(), ("agent:start", {"message": "hi"}), ("agent:end", {}))
    assert sorted(home.lines()) == [f"{name} agent:start {{'message': 'hi'}}" for name in ("plain", "waiting")]


def test_exact_subscriptions_come_first_and_nobody_gets_an_event_twice(home, registry):
    """Seed G18 and G20."""
    home.hook("a", RETURNS.format(value="'a'"), ["command:*"])
    home.hook("b", RETURNS.format(value="event_type"), ["command:*", "command:reset", "command:reset"])
    home.hook("c", RETURNS.format(value="'c'"), ["command:reset"])
    made = registry()
    assert made.handlers_of("command:reset") == ["b", "c", "a"]
    assert collect(made, "command:reset") == ["command:reset", "c", "a"]
    assert collect(made, "command:help") == ["a", "command:help"]
    assert collect(made, "command") == []


def test_a_handler_that_raises_leaves_the_others_alone(home, registry, caplog):
    """Seed G2 and G9: whatever is raised, SystemExit too, is logged once with its place."""
    home.hook("a", "import sys\ndef handle(event_type, context):\n    sys.exit(3)\n")
    home.hook("b", "async def handle(event_type, context):\n    raise ValueError('b is broken')\n")
    home.hook("c", RETURNS.format(value="'fine'"))
    made = registry()
    for _ in range(3):
        assert collect(made, "agent:start") == ["fine"]
    figures = {status.name: (status.handled, status.failed, status.last_error) for status in made.status()}
    assert figures == {
        "a": (3, 3, "agent:start: SystemExit: 3"),
        "b": (3, 3, "agent:start: ValueError: b is broken"),
        "c": (3, 0, ""),
    }
    warnings = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line.partition("\n")[0] for line in sorted(warnings)] == [
        f"gateway hook 'a' failed in agent:start at {home.path}/hooks/a/handler.py:3: SystemExit: 3",
        f"gateway hook 'b' failed in agent:start at {home.path}/hooks/b/handler.py:2: ValueError: b is broken",
    ]


def test_each_handler_has_its_own_copy_of_the_context(home, registry):
    home.hook("a", "def handle(event_type, context):\n    context['tool_names'].clear()\n    context.clear()\n")
    home.hook("b", RETURNS.format(value="context"))
    given = {"tool_names": ["x"], "deep": {"er": [1]}}
    [seen] = collect(registry(), "agent:start", given)
    assert seen == given == {"tool_names": ["x"], "deep": {"er": [1]}}
    assert seen["deep"] is not given["deep"]


def test_long_texts_are_cut_to_their_first_500_characters(home, registry):
    home.hook("a", RETURNS.format(value="context"), ["agent:end", "session:start"])
    text = "x" * 501
    made = registry()
    assert collect(made, "agent:end", {"message": text, "response": text, "user_id": text}) == [
        {"message": text[:500], "response": text[:500], "user_id": text}
    ]
    assert collect(made, "session:start", {"message": text}) == [{"message": text}]


def test_answers_come_in_order_and_none_is_no_answer(home, registry):
    home.hook(
        "a", "import asyncio\nasync def handle(e, c):\n    await asyncio.sleep(0.05)\n    return 1\n", "command:x"
    )
    home.hook("b", RETURNS.format(value="None"), "command:x")
    home.hook("c", RETURNS.format(value="0"), "command:x")
    assert collect(registry(), "command:x") == [1, 0]


def test_a_reload_reads_the_files_as_they_are_then(home, registry):
    home.hook("a", RETURNS.format(value="1"))
    made = registry()
    made.discover_and_load()  # a second time does nothing
    assert collect(made, "agent:start") == [1]
    home.hook("a", RETURNS.format(value="2"))
    home.hook("b", RETURNS.format(value="3"))
    made.reload()
    assert collect(made, "agent:start") == [2, 3]
    assert [hook["name"] for hook in made.loaded_hooks] == ["a", "b"]


def test_a_closed_registry_hands_nothing_over(home, registry):
    home.hook("a", f"{home.note}def handle(e, c):\n    note(e)\n")
    made = registry()

    async def run():
        for _ in range(50):
            await made.emit("agent:start")
        await made.close()
        await made.emit("agent:start")
        await made.close()

    asyncio.run(run())
    assert len(home.lines()) == 50


def test_a_home_without_hooks_costs_nothing(home):
    made = HookRegistry(home.path)
    made.discover_and_load()
    assert collect(made, "gateway:startup", {"platforms": []}) == []
    assert (made.status(), made.problems) == ([], [])


def test_safe_mode_loads_no_handler(home, registry, monkeypatch):
    home.hook("a", "raise SystemExit\n")
    monkeypatch.setenv("HERMES_SAFE_MODE", "1")
    [status] = registry().status()
    assert (status.state, status.why) == ("off", "HERMES_SAFE_MODE is set")
