"""Plugins that hypothesis makes up: signatures, answers, exceptions, async, order, changes in place.

The distribution is that of surveyed plugins with every oddity mixed in: most callbacks are plain functions with
``**kwargs``, and one case has few of them, so that a difference is seen by itself.
"""

from cases import Callback, Case, Parameter, Plugin
from hypothesis import strategies as st
from payload_choice import all_of
from plugin_source import MIDDLEWARE, VALUES, WORKED_ON

from hermes_hookspecs.contract import HOOKS

FORMS = ("function",) * 9 + (
    "method",
    "static method",
    "object",
    "partial",
    "wrapped",
    "closure",
    "coroutine function",
    "asynchronous object",
    "awaitable answer",
)
ANSWERS = {
    "pre_tool_call": (
        "{'action': 'block', 'message': 'no'}",
        "{'action': 'block', 'message': 'never', 'rule_key': 'x'}",
        "{'action': 'block'}",
        "{'action': 'block', 'message': ''}",
        "{'action': 'block', 'message': 7}",
        "{'action': 'block', 'message': ' '}",
        "{'action': 'approve', 'message': 'sure?'}",
        "{'action': 'approve', 'rule_key': ' key '}",
        "{'action': 'approve', 'message': 'sure?', 'rule_key': 7}",
        "{'action': 'modify', 'args': {'added': 1}}",
        "{'action': 'modify', 'args': 'nonsense'}",
        "{'action': 'BLOCK', 'message': 'no'}",
        "{'action': 'allow'}",
        "{'decision': 'block', 'reason': 'no'}",
        "{'block': True}",
    ),
    "pre_llm_call": (
        "'remembered'",
        "'  '",
        "' padded '",
        "{'context': 'remembered too'}",
        "{'context': ''}",
        "{'context': '  '}",
        "{'context': 7}",
        "{'context': None}",
        "{'text': 'elsewhere'}",
        "['remembered']",
    ),
    "pre_gateway_dispatch": (
        "{'action': 'skip', 'reason': 'noise'}",
        "{'action': 'skip'}",
        "{'action': 'rewrite', 'text': 'rewritten'}",
        "{'action': 'rewrite', 'text': ''}",
        "{'action': 'rewrite'}",
        "{'action': 'allow'}",
        "{'action': 'drop'}",
        "'skip'",
    ),
    "pre_verify": (
        "{'action': 'continue', 'message': 'run the tests'}",
        "{'action': 'continue', 'message': ' run the tests '}",
        "{'action': 'continue', 'message': ' '}",
        "{'action': 'continue'}",
        "{'action': 'Continue', 'message': 'run'}",
        "{'action': 'continue', 'reason': 'tests are red'}",
        "{'action': 'block', 'message': 'not yet'}",
        "{'decision': 'block', 'reason': 'tests are red'}",
        "{'decision': 'continue', 'message': 'go on'}",
        "{'decision': 'approve'}",
        "'continue'",
    ),
}
REWRITTEN = (
    "{'KEY': {**({value} or {}), 'added': 1}}",
    "{'KEY': {'replaced': True}, 'source': 'here', 'reason': 'because'}",
    "{'KEY': 'nonsense'}",
    "{'other': {}}",
)
EXECUTED = (
    "{next}()",
    "{next}({'replaced': True})",
    "{next}({'fail': True})",
    "[{next}(), 'and more']",
    "[{next}(), {next}()]",
    "'short cut'",
)
TRANSFORMED = ("str({value}) + '+'", "'new'", "''", "7", "b'bytes'", "{'output': 'x'}", "['x']")
ANYTHING = ("True", "False", "0", "7", "'text'", "[]", "{}", "{'action': 'block', 'message': 'no'}", "object()")
CHANGES = (
    "isinstance(it, dict) and it.update(added='here')",
    "isinstance(it, dict) and it.setdefault('nested', {}).update(deep=[1])",
    "isinstance(it, dict) and it and it.pop(next(iter(it)))",
    "isinstance(it, list) and it.append('here')",
    "isinstance(it, list) and it and isinstance(it[0], dict) and it[0].update(content='here')",
)
ERRORS = ("ValueError('broken')", "KeyError('x')", "RuntimeError()", "AssertionError()")
HOOK_NAMES = st.sampled_from([*HOOKS, *["pre_tool_call"] * 9, *["pre_llm_call", *VALUES, *MIDDLEWARE] * 3])
UNKNOWN = "on_stream_delta"
DEFAULTS = ("None", "''", "'default'", "7")


def rarely(times):
    """Return True about once in so many times; hypothesis tries its simple values, False here, more often."""
    return st.sampled_from([False] * (times - 1) + [True])


@st.composite
def parameters(draw, hook, sent):
    """Return the parameters of a callback: mostly what the host sends."""
    ours_only = sorted(HOOKS[hook].argument_names - set(sent)) if hook in HOOKS else []
    pool = [*sorted(sent), *(ours_only if draw(rarely(5)) else [])]
    names = draw(st.lists(st.sampled_from(pool), unique=True, max_size=4))
    if draw(rarely(15)):
        names.append("something_else")
    chosen = []
    for name in names:
        default = draw(st.sampled_from([None, None, *DEFAULTS]))
        if name in ours_only or name == "something_else":
            default = draw(st.sampled_from([None, *DEFAULTS, *DEFAULTS]))
        chosen.append(Parameter(name, draw(rarely(6)), default))
    return tuple(chosen)


@st.composite
def callbacks(draw, label, hooks):
    """Return one callback on one of the hooks."""
    hook = draw(st.sampled_from(hooks))
    sent = set.intersection(*(set(firing.payload) for firing in all_of(hook)))
    payload = all_of(hook)[0].payload
    pool = answers(hook)
    changeable = sorted(name for name in sent if isinstance(payload[name], dict | list))
    changes = None
    if changeable and draw(rarely(4)):
        changes = (draw(st.sampled_from(changeable)), draw(st.sampled_from(CHANGES)))
    return Callback(
        label,
        hook,
        draw(parameters(hook, sent)),
        not draw(rarely(7)),
        draw(st.sampled_from(FORMS)),
        changes,
        draw(st.sampled_from([*["None"] * (len(pool) // 3), *pool, draw(st.sampled_from(ANYTHING))])),
        draw(st.sampled_from([""] * 8 + list(ERRORS))),
        2 if draw(rarely(25)) else 1,
    )


def answers(hook):
    """Return sources of answers, good and bad, to a hook."""
    if hook.endswith("_request") and hook in MIDDLEWARE:
        return tuple(answer.replace("KEY", WORKED_ON[hook]) for answer in REWRITTEN)
    if hook in MIDDLEWARE:
        return EXECUTED
    return TRANSFORMED if hook in VALUES else ANSWERS.get(hook, ANYTHING)


@st.composite
def cases(draw):
    """Return a home of one to three plugins, and the firings of the hooks they implement."""
    hooks = draw(st.lists(HOOK_NAMES, min_size=1, max_size=2))
    plugins = []
    for number in range(draw(st.sampled_from([1, 1, 2, 3]))):
        name = f"plugin_{number}"
        count = draw(st.sampled_from([1, 1, 2, 3]))
        made = tuple(draw(callbacks(f"{name}.c{place}", hooks)) for place in range(count))
        ends = draw(st.sampled_from([""] * 30 + ["raise ValueError('half-way')"]))
        plugins.append(Plugin(name, made, draw(registrations(name)), ends))
    fired = dict.fromkeys(callback.hook for plugin in plugins for callback in plugin.callbacks)
    firings = [draw(st.sampled_from(all_of(hook))) for hook in fired]
    return Case("generated", tuple(plugins), tuple(firings))


@st.composite
def registrations(draw, name):
    """Return further statements of ``register(ctx)``."""
    chosen = draw(st.lists(st.sampled_from(REGISTRATIONS), max_size=2, unique=True)) if draw(rarely(4)) else []
    return tuple(statement.replace("NAME", name) for statement in chosen)


REGISTRATIONS = (
    "ctx.register_command('/NAME Do It', lambda text: text)",
    "ctx.register_command('NAME', lambda text: text, description='does it', args_hint=' <file> ')",
    "ctx.register_command('', lambda text: text)",
    "ctx.register_cli_command('NAME', 'helps', lambda parser: None)",
    "ctx.register_cli_command('NAME', 'helps', lambda parser: None, print, description='at length')",
    "ctx.register_tool('NAME_tool', 'NAME', {'description': 'a tool', 'parameters': {}}, lambda args, **kw: '')",
    "ctx.register_tool('NAME_tool', 'NAME', {'name': 'NAME_tool'}, print, requires_env=['A'], emoji='e')",
    "ctx.register_auxiliary_task('NAME', 'A task', 'does it', defaults={'timeout': 5})",
    "ctx.register_auxiliary_task(key='NAME', display_name='A task', description='does it')",
    "ctx.register_skill('howto', __import__('pathlib').Path(__file__), 'tells how')",
    f"ctx.register_hook({UNKNOWN!r}, lambda **kwargs: None)",
    "ctx.register_middleware('something', lambda **kwargs: None)",
    "ctx.supports_nothing_of_the_kind()",
)
"""The last one fails with AttributeError in both hosts."""
