"""HC201 to HC204: what runs inside the host, from the hooks down to the functions that they call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from hermes_sdk.check.finding import Edit, Finding, Place, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hermes_sdk.check.program import Function, Module, Program
    from hermes_sdk.check.registrations import Registration

HOT: Final = frozenset(
    {
        "pre_tool_call",
        "post_tool_call",
        "transform_tool_result",
        "transform_terminal_output",
        "transform_llm_output",
        "pre_llm_call",
        "pre_api_request",
        "post_api_request",
        "pre_gateway_dispatch",
    }
)
"""Hooks that fire for every tool call, model request or message: the agent waits for each of them."""

_HTTP: Final = ("get", "post", "put", "patch", "delete", "head", "options", "request")
BLOCKING: Final = frozenset(
    {
        "time.sleep", "input", "os.system", "os.popen", "os.wait", "os.waitpid",
        "subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
        "subprocess.getoutput", "subprocess.getstatusoutput",
        "urllib.request.urlopen", "urllib.request.urlretrieve", "socket.create_connection", "socket.getaddrinfo",
        "smtplib.SMTP", "smtplib.SMTP_SSL", "select.select",
    }
    | {f"requests.{method}" for method in _HTTP}
    | {f"httpx.{method}" for method in (*_HTTP, "stream")}
)  # fmt: skip
"""Calls that wait for a process, a network, a person or the clock."""

_ENDS: Final = frozenset({"sys.exit", "exit", "quit", "os._exit", "os.abort"})


class Reached:
    """The functions that run when a hook fires, each with the hook and the way that leads to it.

    Args:
        program: The plugin.
    """

    def __init__(self, program: Program) -> None:
        self._program = program

    def calls(self, start: Function) -> Iterator[tuple[ast.Call, Function, tuple[str, ...]]]:
        """Yield every call that runs in `start` and in the functions of the plugin that it calls.

        Returns:
            (call, the function it stands in, names of the functions on the way).
        """
        seen: set[int] = set()
        waiting: list[tuple[Function, tuple[str, ...]]] = [(start, ())]
        while waiting:
            function, way = waiting.pop()
            if id(function.node) in seen:
                continue
            seen.add(id(function.node))
            for node in function.body():
                if not isinstance(node, ast.Call):
                    continue
                yield node, function, way
                called = self._program.function(node.func, function.module)
                if called is not None and not (called.is_async and not _is_awaited(node, function.module)):
                    waiting.append((called, (*way, called.name)))


def body_findings(program: Program, found: Iterable[Registration], entries: Iterable[Function]) -> Iterator[Finding]:
    """Yield what runs in hooks and in ``register`` and should not.

    Args:
        program: The plugin.
        found: What it registers.
        entries: Functions that a host calls besides hooks.
    """
    reached = Reached(program)
    said: set[tuple[str, Place]] = set()
    hooks = [(registration.hook, registration.function) for registration in found if registration.function]
    for hook, function in [*hooks, *(("", entry) for entry in entries)]:
        for call, inside, way in reached.calls(function):
            for finding in _about_call(call, inside, way, hook, function):
                if (finding.code, finding.place) not in said:
                    said.add((finding.code, finding.place))
                    yield finding
    for module in program.modules.values():
        yield from _bare_excepts(module)


def _about_call(
    call: ast.Call, inside: Function, way: tuple[str, ...], hook: str, start: Function
) -> Iterator[Finding]:
    module = inside.module
    name = module.dotted(call.func)
    place = place_of(module.path, module.lines, call)
    where = f"in {hook or start.name}" + (f", by way of {' and '.join(way)}" if way else "")
    if name == "print":
        if not any(word.arg == "file" for word in call.keywords):
            yield Finding("HC203", "warning", place, f"print writes into the agent's screen ({where})", "use a logger")
    elif name in _ENDS:
        message = f"{name} ends more than the plugin ({where})"
        yield Finding("HC204", "warning", place, message, "return, or raise an exception")
    elif name in BLOCKING and not _waits_for_nothing(call, name):
        if start.is_async or inside.is_async:
            message = f"{name} blocks the event loop ({where})"
            yield Finding("HC201", "warning", place, message, "await asyncio.to_thread, or use an asynchronous client")
        elif hook in HOT:
            message = f"{name} holds the agent up each time ({where})"
            yield Finding("HC201", "warning", place, message, _way_out(call, name))


def _way_out(call: ast.Call, name: str) -> str:
    if name == "time.sleep":
        return "do slow work in ctx.background"
    timeout = next((word.value for word in call.keywords if word.arg == "timeout"), None)
    if timeout is None:
        return "give it a timeout, or move it to ctx.background"
    return "move what need not be waited for to ctx.background"


def _waits_for_nothing(call: ast.Call, name: str) -> bool:
    first = call.args[0] if call.args else None
    return name == "time.sleep" and isinstance(first, ast.Constant) and first.value == 0


def _is_awaited(call: ast.Call, module: Module) -> bool:
    return isinstance(module.parents.get(call), ast.Await)


def _bare_excepts(module: Module) -> Iterator[Finding]:
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.ExceptHandler) or any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
            continue
        bare = node.type is None
        if node.type is not None and module.dotted(node.type) != "BaseException":
            continue
        place = place_of(module.path, module.lines, node)
        written = "except:" if bare else "except BaseException:"
        start = Place(place.path, place.line, place.column, place.line, place.column + len(written))
        text = module.lines[place.line - 1][place.column - 1 :]
        edits = (Edit(start, "except Exception:"),) if text.startswith(written) else ()
        message = f"{written[:-1]!r} swallows Ctrl-C and the end of the host's own task"
        yield Finding("HC202", "warning", start, message, "write 'except Exception:'", edits)
