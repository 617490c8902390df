"""The text of a generated caller: one function that does nothing but call, its implementations unrolled.

Named keyword-only parameters, since entering ``**payload`` with fourteen arguments costs twice as much; positional
calls, each in its own ``try`` (free since Python 3.11); no record of anything until something happened. Closures
instead of generated text were measured and miss the goals by half. The text holds names of the contract only:
everything else comes in by namespace, so nothing that a plugin or a host says is ever compiled.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hermes_sdk.dispatch.implementation import HISTORY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import CodeType

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
    filtered: bool = False
    """Whether it concerns some tools only."""


@dataclass(frozen=True, slots=True)
class Mode:
    """Which caller of a hook is meant."""

    asynchronous: bool = False
    """A coroutine function that awaits asynchronous callbacks in place."""
    raw: bool = False
    """Give (raw returns, outcome) instead of the outcome."""
    traced: bool = False
    """Every implementation leaves a step with its duration."""
    wide: bool = False
    """Arguments beyond the contract came in: everybody is called with what it picks from the whole payload."""
    entry: bool = True
    """Whether this is what the host calls; False for the inside, after the careful way completed the payload."""


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
    mode: Mode = Mode()
    first: bool = False
    """For a ``list``: whether the first answer ends the call."""


class Writer:
    """Collects lines and knows on which one each implementation starts."""

    def __init__(self, rests: Mapping[tuple[str, ...], str]) -> None:
        self.rests = rests
        """The variable of each different rest that twins get (see `_rests`)."""
        self.shift = 0
        """Levels that every line is indented further."""
        self.lines: list[str] = []
        self.starts: list[int] = []

    def add(self, indent: int, *lines: str) -> None:
        """Add lines, indented by `indent` levels."""
        self.lines += ["    " * (indent + self.shift) + line for line in lines]

    def mark(self) -> None:
        """Note that the next line starts an implementation."""
        self.starts.append(len(self.lines) + 1)


def caller_text(shape: CallerShape) -> tuple[str, list[int]]:
    """Return the text of a caller named ``call`` and the lines on which its implementations start.

    The last number is the line behind the last implementation.
    """
    writer = Writer(_rests(shape))
    definition = "async def" if shape.mode.asynchronous else "def"
    missing = {*shape.required, *shape.fresh, *(name for pair in shape.aliases for name in pair)}
    parameters = ", ".join(
        f"{name}=_missing" if name in missing else f"{name}=_default_{name}" for name in shape.parameters
    )
    writer.add(0, f"{definition} call({'*, ' if parameters else ''}{parameters}{', ' if parameters else ''}**extra):")
    used = _used(shape)
    if shape.mode.entry:
        _guard(writer, shape, used)
    for alias, name in shape.aliases:
        if alias in used:
            writer.add(1, f"{alias} = {name}")
    for name in shape.fresh:
        if name in used:
            writer.add(1, f"if {name} is _missing: {name} = []")
    if shape.calls or shape.mode.raw or shape.kind == "list":
        _opening(writer, shape)
        writer.add(1, "_running.append(None)", "try:")
        for index, call in enumerate(shape.calls):
            writer.mark()
            _implementation(writer, shape, index, call)
        writer.mark()  # where the last implementation ends
        _second_judgement(writer, shape)
        writer.add(1, "finally:", "    _running.pop()")
        _ending(writer, shape)
    else:
        writer.mark()
        writer.add(1, f"return {_nothing(shape)}")
    return "\n".join(writer.lines) + "\n", writer.starts


def _guard(writer: Writer, shape: CallerShape, used: frozenset[str]) -> None:
    """Write the one test that sends everything out of the ordinary the careful way.

    What nobody takes is not looked at: with no implementation at all, hardly anything is.
    """
    doubts = ["extra", "_running"] if shape.calls else []
    doubts += [f"{name} is _missing" for name in shape.required if name in used]
    for alias, name in shape.aliases:
        if used & {alias, name}:
            doubts += [f"{name} is _missing", f"{alias} is not _missing"]
    if any(call.filtered for call in shape.calls):
        doubts.append("tool_name.__class__ is not str")
    if shape.kind == "tool":
        doubts.append("args.__class__ is not dict")
    if doubts:
        given = ", ".join(f"{name!r}: {name}" for name in shape.parameters)
        wait = "await " if shape.mode.asynchronous else ""
        writer.add(1, f"if {' or '.join(doubts)}:", f"    return {wait}_careful({{{given}}}, extra)")


def _used(shape: CallerShape) -> frozenset[str]:
    if shape.mode.wide or (shape.kind == "tool" and shape.calls):
        return frozenset(shape.parameters)
    taken = {name for call in shape.calls for name in call.names}
    if any(call.style == "twin" for call in shape.calls):
        taken |= {*shape.parameters}
    if any(call.filtered for call in shape.calls):
        taken.add("tool_name")
    return frozenset(taken | {shape.value} | ({"args"} if shape.kind == "tool" else set()))


def _opening(writer: Writer, shape: CallerShape) -> None:
    filtered = [call.filtered for call in shape.calls]
    if any(filtered):
        writer.add(1, "who = _concerned[tool_name or '']")
        if all(filtered) and not (shape.mode.traced or shape.mode.raw or shape.kind == "list"):
            writer.add(1, f"if who is _nobody: return {_nothing(shape)}")
    if shape.kind == "tool":
        writer.add(1, "before = _snapshot(args)")
        writer.add(1, "fold = _fold(args, before)" if shape.mode.traced else "fold = None")
    elif shape.kind != "list":
        writer.add(1, "fold = _fold()" if shape.mode.traced else "fold = None")
    if shape.mode.raw or shape.kind == "list":
        writer.add(1, "raw = []")
    if shape.mode.wide:
        writer.add(1, f"payload = {_payload(shape)}")
    if HISTORY in shape.parameters and not shape.mode.wide and HISTORY in _used(shape):
        writer.add(1, f"flat = _is_flat({HISTORY})")
    for rest, variable in writer.rests.items():
        writer.add(1, f"{variable} = {{{', '.join(f'{name!r}: {name}' for name in rest)}}}")


def _payload(shape: CallerShape) -> str:
    """Return a dict display of every argument."""
    return "{" + ", ".join([*(f"{name!r}: {name}" for name in shape.parameters), "**extra"]) + "}"


def _rest(shape: CallerShape, call: CallShape) -> tuple[str, ...]:
    """Return the arguments that a twin gets in its dict."""
    return tuple(name for name in shape.parameters if name not in call.names)


def _rests(shape: CallerShape) -> dict[tuple[str, ...], str]:
    """Return a variable for each different rest: callbacks pop from theirs, and copying a dict beats making one."""
    twins = [] if shape.mode.wide else [call for call in shape.calls if call.style == "twin"]
    return {rest: f"rest{number}" for number, rest in enumerate(dict.fromkeys(_rest(shape, c) for c in twins))}


def _own_rest(writer: Writer, shape: CallerShape, call: CallShape) -> None:
    """Write how a twin comes by its own dict."""
    rest = _rest(shape, call)
    writer.add(3, f"rest = {writer.rests[rest]}.copy()")
    if HISTORY in rest:
        writer.add(3, f"rest[{HISTORY!r}] = {_argument(HISTORY)}")


def _update_rests(writer: Writer, name: str, indent: int) -> None:
    """Write what keeps the prepared rests true after `name` changed."""
    for rest, variable in writer.rests.items():
        if name in rest:
            writer.add(indent, f"{variable}[{name!r}] = {name}")


def _argument(name: str) -> str:
    return f"[*map(_copy_dict, {name})] if flat else _copy({name})" if name == HISTORY else name


def _call(shape: CallerShape, index: int, call: CallShape) -> str:
    """Return the expression that calls implementation number `index`."""
    if shape.mode.wide:
        text = f"f{index}(**_pick({index}, payload))"
    elif call.style == "keyword":
        text = f"f{index}({', '.join(f'{name}={_argument(name)}' for name in call.names)})"
    else:
        values = [_argument(name) for name in call.names]
        if call.style == "twin":
            values += ["()"] * call.takes_args
            values.append("rest")
        text = f"f{index}({', '.join(values)})"
    return f"await _await({text}, l{index})" if call.awaited else text


def _implementation(writer: Writer, shape: CallerShape, index: int, call: CallShape) -> None:
    if call.filtered:
        place = sum(other.filtered for other in shape.calls[:index])
        writer.add(2, f"if who[{place}]:")
        writer.shift = 1
    _unrolled(writer, shape, index, call)
    writer.shift = 0


def _unrolled(writer: Writer, shape: CallerShape, index: int, call: CallShape) -> None:
    if shape.mode.traced and shape.kind != "list":
        writer.add(2, "first = len(fold.steps)", "started = _clock()")
    if shape.mode.wide and shape.kind == "transform":
        writer.add(2, f"payload[{shape.value!r}] = {shape.value}")
    if shape.mode.wide and shape.kind == "tool":
        writer.add(2, "payload['already_blocked'] = already_blocked")
    writer.add(2, "try:")
    if call.style == "twin" and not shape.mode.wide:
        _own_rest(writer, shape, call)
    writer.add(3, f"r = {_call(shape, index, call)}")
    settle = f"r = await _await(r, l{index})" if shape.mode.asynchronous else "r = _settle(r)"
    writer.add(3, f"if r is not None and _awaitable(r): {settle}")
    _ANSWERS[shape.kind](writer, shape, index)
    writer.add(2, "except BaseException as raised:")
    if shape.kind == "list":
        writer.add(3, f"_failed({index}, raised)")
    else:
        _failure(writer, shape, index)
    if shape.mode.traced and shape.kind != "list":
        writer.add(2, f"fold.timed({index}, first, (_clock() - started) * 1000.0)")


def _failure(writer: Writer, shape: CallerShape, index: int) -> None:
    if shape.kind == "tool":
        writer.add(3, "if fold is None: fold = _fold(args, before)")
        writer.add(3, f"before = fold.broke({index}, raised, before)")
        writer.add(3, "already_blocked = already_blocked or fold.blocked")
        _update_rests(writer, "already_blocked", 3)
        return
    writer.add(3, "if fold is None: fold = _fold()")
    if shape.kind == "transform":
        writer.add(3, f"{shape.value} = fold.withheld({index}, raised, {shape.value})")
        _update_rests(writer, shape.value, 3)
    else:
        writer.add(3, f"fold.failed({index}, raised)")


def _observed(writer: Writer, shape: CallerShape, _index: int) -> None:
    if shape.mode.raw:
        writer.add(3, "if r is not None: raw.append(r)")


def _answered(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None:")
    if shape.mode.raw:
        writer.add(4, "raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold()", f"fold.answered({index}, r)")


def _transformed(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None:")
    if shape.mode.raw:
        writer.add(4, "raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold()")
    writer.add(4, f"{shape.value} = fold.transformed({index}, r, {shape.value})")
    _update_rests(writer, shape.value, 4)


def _judged(writer: Writer, shape: CallerShape, index: int) -> None:
    writer.add(3, "if r is not None or args != before:")
    if shape.mode.raw:
        writer.add(4, "if r is not None: raw.append(r)")
    writer.add(4, "if fold is None: fold = _fold(args, before)")
    writer.add(4, f"before = fold.answer({index}, r, before)")
    writer.add(4, "already_blocked = already_blocked or fold.blocked")
    _update_rests(writer, "already_blocked", 4)


def _listed(writer: Writer, shape: CallerShape, _index: int) -> None:
    writer.add(3, "if r is not None: return [r]" if shape.first else "if r is not None: raw.append(r)")


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
    wait = "await _rejudge_async" if shape.mode.asynchronous else "_rejudge"
    raw = "raw" if shape.mode.raw else "None"
    writer.add(2, "again = None if fold is None else fold.to_ask_again()")
    writer.add(2, f"if again: {wait}(fold, again, {_payload(shape)}, {raw})")


def _nothing(shape: CallerShape) -> str:
    """Return the expression of the outcome when nobody said anything."""
    if shape.kind == "tool":
        return "_new(_nothing, ('run', None, None, args, ()))"
    if shape.kind == "transform":
        return f"_new(_nothing, ({shape.value}, ()))"
    return "_nothing"


def _ending(writer: Writer, shape: CallerShape) -> None:
    if shape.kind == "list":
        writer.add(1, "return raw")
        return
    nothing = _nothing(shape)
    something = f"fold.result({shape.value})" if shape.kind == "transform" else "fold.outcome()"
    if shape.mode.raw:
        writer.add(1, f"return (raw, {nothing}) if fold is None else (fold.forced + raw, {something})")
    else:
        writer.add(1, f"return {nothing} if fold is None else {something}")


@functools.lru_cache(maxsize=512)
def caller_code(shape: CallerShape) -> tuple[CodeType, tuple[int, ...]]:
    """Return the compiled module of a caller and the line on which each implementation starts."""
    text, starts = caller_text(shape)
    return compile(text, f"<hermes-sdk caller of {shape.hook}>", "exec"), tuple(starts)
