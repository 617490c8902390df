"""The two markers: `hookspec` declares a hook of the contract, `hookimpl` marks an implementation.

Both are thin layers over pluggy's markers for the project name ``hermes``, so a plugin that uses
``pluggy.HookimplMarker("hermes")`` directly works just as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, overload

import pluggy

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT: Final = "hermes"
"""The pluggy project name that specs and implementations share."""

TELEMETRY_SCHEMA_VERSION: Final = "hermes.observer.v1"
"""Value of the argument that every hook receives beside its own."""

Kind: TypeAlias = Literal["observer", "decision", "context", "transform"]
"""How the answers of a hook are folded."""

Origin: TypeAlias = Literal["seed", "hermes-0.19"]
"""Where a hook was first described."""

_F = TypeVar("_F", bound=Callable[..., Any])
_pluggy_hookspec: Final = pluggy.HookspecMarker(PROJECT)
_pluggy_hookimpl: Final = pluggy.HookimplMarker(PROJECT)

_SPEC_NOTES: Final = "hermes_spec_notes"
_IMPL_NOTES: Final = "hermes_impl_notes"


@dataclass(frozen=True, slots=True)
class SpecNotes:
    """What a spec says beyond its signature."""

    kind: Kind
    """How answers are folded."""
    origin: Origin
    """Where the hook was first described."""
    firstresult: bool
    """Whether one verdict comes out, as pluggy's option of that name says it."""
    value: str | None
    """The argument that a transform hands from one implementation to the next."""
    aliases: Mapping[str, str]
    """Second names of an argument: ``{alias: name}``."""
    sample: Mapping[str, Any]
    """A realistic payload: values of the arguments that a host must send."""


@dataclass(frozen=True, slots=True)
class ImplNotes:
    """What our marker says beyond pluggy's options."""

    fail_closed: bool = False
    """A failure of this implementation blocks or withholds instead of having no opinion."""
    timeout: float | None = None
    """Deadline of one call, in seconds; None leaves it to the configuration."""
    rejudge: bool = True
    """Whether pre_tool_call may be asked again after the arguments changed."""


_DEFAULT_NOTES: Final = ImplNotes()


def hookspec(
    *,
    kind: Kind,
    origin: Origin = "seed",
    firstresult: bool = False,
    value: str | None = None,
    aliases: Mapping[str, str] | None = None,
    sample: Mapping[str, Any] | None = None,
    warn_on_impl_args: Mapping[str, Warning] | None = None,
) -> Callable[[_F], _F]:
    """Declare a hook of the contract.

    Args:
        kind: How answers fold: ``observer``, ``decision``, ``context`` or ``transform``.
        origin: ``seed`` or ``hermes-0.19``.
        firstresult: One verdict comes out; on bare pluggy the first answer ends the call.
        value: For a transform, the argument that is handed on.
        aliases: Second names of arguments, ``{alias: name}``.
        sample: A realistic payload for tests and documentation.
        warn_on_impl_args: Deprecated arguments, as pluggy's marker takes them.
    """
    notes = SpecNotes(kind, origin, firstresult, value, dict(aliases or {}), dict(sample or {}))

    def mark(function: _F) -> _F:
        setattr(function, _SPEC_NOTES, notes)
        return _pluggy_hookspec(function, firstresult=firstresult, warn_on_impl_args=warn_on_impl_args)

    return mark


@overload
def hookimpl(function: _F, /) -> _F: ...
@overload
def hookimpl(
    *,
    wrapper: bool = ...,
    hookwrapper: bool = ...,
    optionalhook: bool = ...,
    tryfirst: bool = ...,
    trylast: bool = ...,
    specname: str | None = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_F], _F]: ...
def hookimpl(
    function: _F | None = None,
    /,
    *,
    wrapper: bool = False,
    hookwrapper: bool = False,
    optionalhook: bool = False,
    tryfirst: bool = False,
    trylast: bool = False,
    specname: str | None = None,
    fail_closed: bool = False,
    timeout: float | None = None,
    rejudge: bool = True,
) -> _F | Callable[[_F], _F]:
    """Mark a function or method as an implementation of the hook of the same name.

    Args:
        function: The implementation, when the marker is used without parentheses.
        wrapper: A generator that yields once, around the whole folded call.
        hookwrapper: The same in pluggy's old style (`yield` gives a ``pluggy.Result``).
        optionalhook: No complaint when the host does not know the hook.
        tryfirst: Run in the first of the three bands.
        trylast: Run in the last of the three bands.
        specname: Implement this hook instead of the function's name.
        fail_closed: A failure blocks the tool call or withholds the output.
        timeout: Deadline of one call in seconds.
        rejudge: False opts out of pre_tool_call's second judgement.

    Raises:
        ValueError: `timeout` is not a positive number of seconds.
    """
    if timeout is not None and not timeout > 0:
        raise ValueError(f"hookimpl timeout must be a positive number of seconds, not {timeout!r}")
    notes = ImplNotes(fail_closed, timeout, rejudge)

    def mark(implementation: _F) -> _F:
        # what is called in the end is the function inside a staticmethod or classmethod
        setattr(getattr(implementation, "__func__", implementation), _IMPL_NOTES, notes)
        return _pluggy_hookimpl(
            implementation,
            wrapper=wrapper,
            hookwrapper=hookwrapper,
            optionalhook=optionalhook,
            tryfirst=tryfirst,
            trylast=trylast,
            specname=specname,
        )

    return mark if function is None else mark(function)


def spec_notes(function: Callable[..., Any]) -> SpecNotes | None:
    """Return what `hookspec` noted on a spec function, or None when it is not one of ours."""
    notes = getattr(function, _SPEC_NOTES, None)
    return notes if isinstance(notes, SpecNotes) else None


def impl_notes(function: Callable[..., Any]) -> ImplNotes:
    """Return what `hookimpl` noted on an implementation; the defaults where it noted nothing."""
    notes = getattr(function, _IMPL_NOTES, None)
    return notes if isinstance(notes, ImplNotes) else _DEFAULT_NOTES
