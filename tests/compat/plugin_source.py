"""The text of plugins that `cases` describes, and the homes they stand in."""

from textwrap import indent

PRELUDE = '''\
"""A plugin that says what it sees."""

import functools

from compat_probe import saw


def shown(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper
'''

FORMS = {
    "function": "def {name}({signature}):\n{body}\n",
    "coroutine function": "async def {name}({signature}):\n{body}\n",
    "method": (
        "class Holder_{name}:\n    def method(self, {signature}):\n{deeper}\n\n\n{name} = Holder_{name}().method\n"
    ),
    "static method": (
        "class Holder_{name}:\n    @staticmethod\n    def method({signature}):\n{deeper}\n\n\n"
        "{name} = Holder_{name}.method\n"
    ),
    "object": "class Holder_{name}:\n    def __call__(self, {signature}):\n{deeper}\n\n\n{name} = Holder_{name}()\n",
    "asynchronous object": (
        "class Holder_{name}:\n    async def __call__(self, {signature}):\n{deeper}\n\n\n{name} = Holder_{name}()\n"
    ),
    "partial": "def given_{name}(self, {signature}):\n{body}\n\n\n{name} = functools.partial(given_{name}, None)\n",
    "wrapped": "@shown\ndef {name}({signature}):\n{body}\n",
    "closure": (
        "def make_{name}():\n    def made({signature}):\n{deeper}\n\n    return made\n\n\n{name} = make_{name}()\n"
    ),
    "awaitable answer": "def {name}({signature}):\n{later}\n",
}


def source_of(plugin):
    """Return the text of a plugin's module."""
    if plugin.source is not None:
        return plugin.source
    parts = [PRELUDE, *map(callback_source, plugin.callbacks)]
    hooks = [
        f"ctx.{_registrar(callback)}({callback.hook!r}, {name_of(callback)})"
        for callback in plugin.callbacks
        for _ in range(callback.times)
    ]
    statements = [*hooks, *plugin.registers, *([plugin.ends] if plugin.ends else [])] or ["pass"]
    parts.append("def register(ctx):\n" + "".join(f"    {statement}\n" for statement in statements))
    return "\n\n".join(parts)


def _registrar(callback):
    return "register_middleware" if callback.hook in MIDDLEWARE else "register_hook"


def name_of(callback):
    """Return the name of a callback in its module."""
    return callback.label.replace(".", "_")


def callback_source(callback):
    """Return the text that defines a callback."""
    given = f"answers = saw({callback.label!r}, locals())\n"
    ending = _ending(callback)
    body = given + ending
    later = f"{given}\nasync def later():\n{indent(ending, '    ')}\nreturn later()\n"
    return FORMS[callback.form].format(
        name=name_of(callback),
        signature=_signature(callback),
        body=indent(body, "    ").rstrip(),
        deeper=indent(body, "        ").rstrip(),
        later=indent(later, "    ").rstrip(),
    )


def _signature(callback):
    positional = [parameter for parameter in callback.parameters if not parameter.keyword_only]
    keyword_only = [parameter for parameter in callback.parameters if parameter.keyword_only]
    required_first = sorted(positional, key=lambda parameter: parameter.default is not None)
    written = [*map(_parameter, required_first), *(["*"] if keyword_only else []), *map(_parameter, keyword_only)]
    return ", ".join([*written, *(["**rest"] if callback.rest else [])])


def _parameter(parameter):
    return parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"


def _ending(callback):
    lines = ""
    if callback.changes:
        argument, statement = callback.changes
        lines += f"it = {_value_of(callback, argument)}\n{statement}\n"
    if callback.raises:
        return f'{lines}answers({{"<raised>": {callback.raises.partition("(")[0]!r}}})\nraise {callback.raises}\n'
    return f"{lines}return answers({_answer(callback)})\n"


def _answer(callback):
    """Return the source of an answer: ``{value}`` and ``{next}`` stand for what the callback was given."""
    value = _value_of(callback, WORKED_ON.get(callback.hook, ""))
    return callback.answer.replace("{value}", value).replace("{next}", _value_of(callback, "next_call"))


def _value_of(callback, argument):
    named = argument in {parameter.name for parameter in callback.parameters}
    return argument if named else f"rest.get({argument!r})" if callback.rest else "None"


MIDDLEWARE = ("tool_request", "llm_request", "tool_execution", "llm_execution")
VALUES = {
    "transform_terminal_output": "output",
    "transform_tool_result": "result",
    "transform_llm_output": "response_text",
}
"""The argument that a transform works on."""
WORKED_ON = VALUES | {kind: "args" if kind.startswith("tool") else "request" for kind in MIDDLEWARE}
"""The argument that answers are made from."""
