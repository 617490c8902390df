"""The text of a generated caller: one function that does nothing but call, its implementations unrolled.

Named keyword-only parameters, since entering ``**payload`` with fourteen arguments costs twice as much; positional
calls, each in its own ``try`` (free since Python 3.11); no record of anything until something happened. Closures
instead of generated text were measured and miss the goals by half. The text holds names of the contract only:
everything else comes in by namespace, so nothing that a plugin or a host says is ever compiled.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from types import CodeType
from typing import Final

from hermes_sdk.dispatch.implementation import HISTORY

KINDS: Final = ("observer", "context", "dispatch", "verify", "transform", "tool", "list")
"""The shapes of a caller; ``list`` is for hooks without a spec of ours."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """How one implementation is written into the text."""

    style: str
    """``positional``, ``twin`` (positional, the rest as a dict) or ``keyword``."""
    names: tuple[str, ...]
    """Arguments it names; with ``keyword`` all that it is given."""
    takes_args: bool = False
    """For a twin: whether it has a slot for ``*args``."""
    awaited: bool = False
    """Whether calling it gives a coroutine (asynchronous callers only)."""
    deadline: bool = False
    """Whether that coroutine has a deadline."""


@dataclass(frozen=True, slots=True)
class CallerShape:
    """Everything that decides the text of a caller."""

    hook: str
    kind: str
    parameters: tuple[str, ...]
    """Names of the contract, in its order."""
    required: tuple[str, ...] = ()
    """Parameters without a default."""
    fresh: tuple[str, ...] = ()
    """Parameters whose default is a list made anew for each call."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(alias, name) pairs."""
    value: str = ""
    """The argument that a transform hands on."""
    calls: tuple[CallShape, ...] = ()
    asynchronous: bool = False
    traced: bool = False
    """Every implementation leaves a step with its duration."""
    raw: bool = False
    """Give (raw returns, outcome) instead of the outcome."""
    wide: bool = False
    """Arguments beyond the contract came in: everybody is called with what it picks from the whole payload."""
    entry: bool = True
    """Whether this is what the host calls; False for the inside, after the careful way completed the payload."""


class Writer:
    """Collects lines and knows on which one each implementation starts."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.starts: list[int] = []

    def add(self, indent: int, *lines: str) -> None:
        """Add lines, indented by `indent` levels."""
        self.lines += ["    " * indent + line for line in lines]

    def mark(self) -> None:
        """Note that the next line starts an implementation."""
        self.starts.append(len(self.lines) + 1)


def caller_text(shape: CallerShape) -> tuple[str, list[int]]:
    """Return the text of a caller named ``call`` and the lines on which its implementations start.

    The last number is the line behind the last implementation.
    """
    writer = Writer()
    definition = "async def" if shape.asynchronous else "def"
    missing = {*shape.required, *shape.fresh, *(name for pair in shape.aliases for name in pair)}
    parameters = ", ".join(
        f"{name}=_missing" if name in missing else f"{name}=_default_{name}" for name in shape.parameters
    )
    writer.add(0, f"{definition} call({'*, ' if parameters else ''}{parameters}{', ' if parameters else ''}**extra):")
    if shape.entry:
        _guard(writer, shape)
    used = _used(shape)
    for alias, name in shape.aliases:
        if alias in used:
            writer.add(1, f"{alias} = {name}")
    for name in shape.fresh:
        if name in used:
            writer.add(1, f"if {name} is _missing: {name} = []")
    _opening(writer, shape)
    writer.add(1, "_running.append(None)", "try:")
    for index, call in enumerate(shape.calls):
        writer.mark()
        _implementation(writer, shape, index, call)
    writer.mark()  # where the last implementation ends
    _second_judgement(writer, shape)
    writer.add(1, "finally:", "    _running.pop()")
    _ending(writer, shape)
    return "\n".join(writer.lines) + "\n", writer.starts


def _guard(writer: Writer, shape: CallerShape) -> None:
    """Write the one test that sends everything out of the ordinary the careful way."""
    sent = [f"{name} is _missing" for name in shape.required]
    paired = [
        f"{name} is _missing or {alias} is not _missing" for alias, name in shape.aliases
    ]
    types = ["args.__class__ is not dict"] if shape.kind == "tool" else []
    doubts = " or ".join(["extra", "_running", *dict.fromkeys(sent), *paired, *types])
    given = ", ".join(f"{name!r}: {name}" for name in shape.parameters)
    wait = "await " if shape.asynchronous else ""
    writer.add(1, f"if {doubts}:", f"    return {wait}_careful({{{given}}}, extra)")


def _used(shape: CallerShape) -> frozenset[str]:
    if shape.wide or shape.kind == "tool":
        return frozenset(shape.parameters)
    taken = {name for call in shape.calls for name in call.names}
    if any(call.style == "twin" for call in shape.calls):
        taken |= {*shape.parameters}
    return frozenset(taken | {shape.value})


def _opening(writer: Writer, shape: CallerShape) -> None:
    if shape.kind == "tool":
        writer.add(1, "before = _snapshot(args)")
        writer.add(1, "fold = _fold(args, before)" if shape.traced else "fold = None")
    elif shape.kind != "list":
        writer.add(1, "fold = _fold()" if shape.traced else "fold = None")
    if shape.raw or shape.kind == "list":
        writer.add(1, "raw = []")
    if shape.wide:
        writer.add(1, f"payload = {_payload(shape)}")


def _payload(shape: CallerShape) -> str:
    """Return a dict display of every argument."""
    return "{" + ", ".join([*(f"{name!r}: {name}" for name in shape.parameters), "**extra"]) + "}"


def _argument(name: str) -> str:
    return f"_copy({name})" if name == HISTORY else name


def _call(shape: CallerShape, index: int, call: CallShape) -> str:
    """Return the expression that calls implementation number `index`."""
    if shape.wide:
        text = f"f{index}(**_pick({index}, payload))"
    elif call.style == "keyword":
        text = f"f{index}({', '.join(f'{name}={_argument(name)}' for name in call.names)})"
    else:
        values = [_argument(name) for name in call.names]
        if call.style == "twin":
            rest = (name for name in shape.parameters if name not in call.names)
            values += ["()"] * call.takes_args
            values.append("{" + ", ".join(f"{name!r}: {_argument(name)}" for name in rest) + "}")
        text = f"f{index}({', '.join(values)})"
    if call.awaited:
        return f"await _within({text}, t{index})" if call.deadline else f"await {text}"
    return text


def _implementation(writer: Writer, shape: CallerShape, index: int, call: CallShape) -> None:
    if shape.traced and shape.kind != "list":
        writer.add(2, "first = len(fold.steps)", "started = _clock()")
    if shape.wide and shape.kind == "transform":
        writer.add(2, f"payload[{shape.value!r}] = {shape.value}")
    if shape.wide and shape.kind == "tool":
        writer.add(2, "payload['already_blocked'] = already_blocked")
    writer.add(2, "try:", f"    r = {_call(shape, index, call)}")
    settle = "r = await r" if shape.asynchronous else "r = _settle(r)"
    writer.add(3, f"if r is not None and _awaitable(r): {settle}")
    _ANSWERS[shape.kind](writer, shape, index)
    writer.add(2, "except BaseException as error:")
    if shape.kind == "list":
        writer.add(3, f"_failed({index}, error)")
    else:
        _failure(writer, shape, index)
    if shape.traced and shape.kind != "list":
        writer.add(2, f"fold.timed({index}, first, (_clock() - started) * 1000.0)")


def _failure(writer: Writer, shape: CallerShape, index: int) -> None:
    if shape.kind == "tool":
        writer.add(3, "if fold is None: fold = _fold(args, before)")
        writer.add(3, f"before = fold.broke({index}, error, before)")
        writer.add(3, "already_blocked = already_blocked or fold.blocked")
        return
    writer.add(3, "if fold is None: fold = _fold()")
    if shape.kind == "transform":
        writer.add(3, f"{shape.value} = fold.withheld({index}, error, {shape.value})")
    else:
        writer.add(3, f"fold.failed({index}, error)")


def _observed(writer: Writer, shape: CallerShape, _index: int) -> None:
    if shape.raw:
        writer.add(3, "if r is not None: raw.append(r)")


def _answered(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None:")
    if shape.raw:
        writer.add(4, "raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold()", f"fold.answered({index}, r)")


def _transformed(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None:")
    if shape.raw:
        writer.add(4, "raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold()")
    writer.add(4, f"{shape.value} = fold.transformed({index}, r, {shape.value})")


def _judged(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None or args != before:")
    if shape.raw:
        writer.add(4, "if r is not None: raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold(args, before)")
    writer.add(4, f"before = fold.answer({index}, r, before)")
    writer.add(4, "already_blocked = already_blocked or fold.blocked")


def _listed(writer: Writer, _shape: CallerShape, _index: int) -> None:
    writer.add(3, "if r is not None: raw.append(r)")


_ANSWERS: Final = {
    "observer": _observed,
    "context": _answered,
    "dispatch": _answered,
    "verify": _answered,
    "transform": _transformed,
    "tool": _judged,
    "list": _listed,
}


def _second_judgement(writer: Writer, shape: CallerShape) -> None:
    if shape.kind != "tool":
        writer.add(2, "pass")
        return
    wait = "await _rejudge_async" if shape.asynchronous else "_rejudge"
    raw = "raw" if shape.raw else "None"
    writer.add(2, "again = None if fold is None else fold.to_ask_again()")
    writer.add(2, f"if again: {wait}(fold, again, {_payload(shape)}, {raw})")


def _ending(writer: Writer, shape: CallerShape) -> None:
    if shape.kind == "list":
        writer.add(1, "return raw")
        return
    if shape.kind == "tool":
        nothing, something = "_nothing(args)", "fold.outcome()"
    elif shape.kind == "transform":
        nothing, something = f"_nothing({shape.value})", f"fold.result({shape.value})"
    else:
        nothing, something = "_nothing", "fold.outcome()"
    if shape.raw:
        writer.add(1, f"return (raw, {nothing}) if fold is None else (fold.forced + raw, {something})")
    else:
        writer.add(1, f"return {nothing} if fold is None else {something}")


@functools.lru_cache(maxsize=512)
def caller_code(shape: CallerShape) -> tuple[CodeType, tuple[int, ...]]:
    """Return the compiled module of a caller and the line on which each implementation starts."""
    text, starts = caller_text(shape)
    return compile(text, f"<hermes-sdk caller of {shape.hook}>", "exec"), tuple(starts)

