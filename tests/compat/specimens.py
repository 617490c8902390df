"""For each difference that shows in a plugin manager: plugins and a firing that show it."""

from cases import Callback, Case, Firing, Parameter, Plugin
from payload_choice import recorded

ARGS = Parameter("args")
WRITE = recorded("pre_tool_call", "write")
SHORT = recorded("transform_terminal_output", "short")
SECOND_TURN = recorded("pre_llm_call", "second")
MESSAGE = recorded("pre_gateway_dispatch", "t")
STARTED = recorded("on_session_start", "t")
BLOCK = "{'action': 'block', 'message': 'no'}"
APPROVE = "{'action': 'approve', 'message': 'sure?'}"
TOOL_REQUEST = Firing(
    "tool_request/write", "tool_request", {"tool_name": "write_file", "args": {"path": "a", "content": "b"}}
)


def case(name, *plugins, firing, **options):
    """Return a specimen."""
    return Case(name, plugins, (firing,), **options)


def plugin(name, *callbacks, **options):
    """Return a plugin with callbacks given as (hook, keywords of `Callback`)."""
    stem = options.get("directory", name)
    made = tuple(Callback(f"{stem}.c{place}", hook, **more) for place, (hook, more) in enumerate(callbacks))
    return Plugin(name, made, **options)


def answers(hook, answer, **more):
    """Return a callback that answers."""
    return hook, {"answer": answer, **more}


def changes(hook, argument, statement, **more):
    """Return a callback that changes an argument in place, named ``it`` in the statement."""
    return hook, {"changes": (argument, statement), **more}


def says_nothing(hook, **more):
    """Return a callback without an opinion."""
    return hook, more


SPECIMENS = {
    specimen.name: specimen
    for specimen in (
        case(
            "calling-order",
            plugin("Zebra", answers("pre_llm_call", "'last here'")),
            plugin("apple", answers("pre_llm_call", "'last there'")),
            firing=SECOND_TURN,
        ),
        case(
            "strictest-verdict",
            plugin("asks", answers("pre_tool_call", APPROVE)),
            plugin("blocks", answers("pre_tool_call", BLOCK)),
            firing=WRITE,
        ),
        case(
            "modified-arguments",
            plugin("modifies", answers("pre_tool_call", "{'action': 'modify', 'args': {'path': '/tmp/x'}}")),
            firing=WRITE,
        ),
        case(
            "second-judgement",
            plugin("judges", says_nothing("pre_tool_call", parameters=(ARGS,))),
            plugin("rewrites", changes("pre_tool_call", "args", "it.update(path='/tmp/x')")),
            firing=WRITE,
        ),
        case(
            "undone-changes",
            plugin("breaks", changes("pre_tool_call", "args", "it.clear()", raises="ValueError('broken')")),
            firing=WRITE,
        ),
        case(
            "chained-transforms",
            plugin("first", answers("transform_terminal_output", "str({value}) + ' masked once'")),
            plugin("second", answers("transform_terminal_output", "str({value}) + ' and twice'")),
            firing=SHORT,
        ),
        case(
            "rewrite-without-text",
            plugin("rewrites", answers("pre_gateway_dispatch", "{'action': 'rewrite'}")),
            plugin("skips", answers("pre_gateway_dispatch", "{'action': 'skip', 'reason': 'noise'}")),
            firing=MESSAGE,
        ),
        case("texts-only", plugin("counts", answers("pre_llm_call", "{'context': 7}")), firing=SECOND_TURN),
        case(
            "more-arguments",
            plugin("counts", says_nothing("pre_tool_call", parameters=(Parameter("judgement"),))),
            firing=WRITE,
        ),
        case(
            "named-arguments",
            plugin("names", answers("pre_tool_call", BLOCK, parameters=(ARGS,), rest=False)),
            firing=WRITE,
        ),
        case("same-function-twice", plugin("twice", says_nothing("on_session_start", times=2)), firing=STARTED),
        case(
            "async-callbacks",
            plugin("awaits", answers("pre_llm_call", "'recalled'", form="coroutine function")),
            firing=SECOND_TURN,
        ),
        case(
            "contained-exits",
            plugin("exits", says_nothing("on_session_start", raises="SystemExit(3)")),
            plugin("goes_on", says_nothing("on_session_start")),
            firing=STARTED,
        ),
        case(
            "private-arguments",
            plugin("edits", changes("pre_llm_call", "conversation_history", "it[0].update(content='forgotten')")),
            plugin("reads", says_nothing("pre_llm_call")),
            firing=SECOND_TURN,
        ),
        case(
            "chained-middleware",
            plugin("first", answers("tool_request", "{'args': {**{value}, 'first': 1}}")),
            plugin("second", answers("tool_request", "{'args': {**{value}, 'second': 2}}")),
            firing=TOOL_REQUEST,
        ),
        case(
            "enabled-by-default", plugin("installed", says_nothing("on_session_start")), firing=STARTED, enabled=False
        ),
        case(
            "all-or-nothing",
            plugin("half", says_nothing("on_session_start"), ends="raise ValueError('half-way')"),
            firing=STARTED,
        ),
        case(
            "register-functions",
            plugin("refused", says_nothing("on_session_start"), form="register function"),
            firing=STARTED,
        ),
        case(
            "twins-in-a-source",
            plugin("twin", says_nothing("on_session_start"), directory="one"),
            plugin("twin", says_nothing("on_session_start"), directory="two"),
            firing=STARTED,
        ),
    )
}
"""By the id of the difference."""
