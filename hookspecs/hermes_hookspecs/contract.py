"""The contract as data, read once from the spec functions: `HOOKS["pre_tool_call"].arguments`."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import api, approval, gateway, kanban, llm, session, subagent, tool
from hermes_hookspecs.markers import SpecNotes, spec_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType

    from hermes_hookspecs.markers import Kind, Origin

FAMILIES: Final[tuple[ModuleType, ...]] = (tool, llm, api, session, subagent, gateway, approval, kanban)
"""The spec modules, one a hook family; `manager.add_hookspecs` takes each of them."""


class _Required:
    """Stands for "the host must send it"; a class of its own so that it prints well and survives copying."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REQUIRED"

    def __reduce__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()
"""Default of an argument that the host must send."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a hook."""

    name: str
    annotation: str
    """The type as written in the spec."""
    default: Any
    """`REQUIRED`, or the value a dispatcher fills in; any type, as the contract allows any."""
    alias_of: str | None = None
    """The argument that this one is a second name of."""

    @property
    def required(self) -> bool:
        """Whether a host must send it; an aliased argument counts as sent when its partner is."""
        return self.default is REQUIRED

    def __str__(self) -> str:
        declared = f"{self.name}: {self.annotation}"
        return declared if self.required else f"{declared} = {self.default!r}"


@dataclass(frozen=True, slots=True)
class HookContract:
    """One hook: its arguments, how its answers fold, where it comes from."""

    name: str
    family: str
    """Name of the spec module, such as ``"tool"``."""
    kind: Kind
    """How its answers are folded."""
    origin: Origin
    """Where it was first described."""
    firstresult: bool
    """Whether one verdict comes out."""
    value: str | None
    """The argument that a transform hands from one implementation to the next."""
    arguments: tuple[Argument, ...]
    """In the order of the spec: required ones first, ``telemetry_schema_version`` last."""
    returns: str
    """What an implementation may return, as written in the spec."""
    function: Callable[..., Any]
    """The spec itself; its docstring says everything else."""

    @property
    def argument_names(self) -> frozenset[str]:
        """Every name that the hook sends."""
        return frozenset(argument.name for argument in self.arguments)

    @property
    def aliases(self) -> dict[str, str]:
        """Second names of arguments, ``{alias: name}``."""
        return {argument.name: argument.alias_of for argument in self.arguments if argument.alias_of}

    @property
    def signature(self) -> str:
        """The spec's signature on one line, such as ``on_session_start(session_id: str, ...) -> None``."""
        return f"{self.name}({', '.join(map(str, self.arguments))}) -> {self.returns}"

    def sample(self, **overrides: Any) -> dict[str, Any]:
        """Return a realistic payload with every argument, made anew each time.

        Args:
            **overrides: Values of any type that replace the sample's; unknown names are added as they are.
                The partner of an aliased argument follows, unless it is given too.
        """
        notes = spec_notes(self.function)
        payload = {argument.name: argument.default for argument in self.arguments}
        payload = copy.deepcopy(payload | dict(notes.sample if notes else {})) | overrides
        for alias, name in self.aliases.items():
            if name in overrides or alias not in overrides:
                payload[alias] = overrides.get(alias, payload[name])
            else:
                payload[name] = overrides[alias]
        return payload


def nearest_hook(name: str) -> str | None:
    """Return the known hook whose name is nearest to `name`, for "did you mean" messages."""
    import difflib

    close = difflib.get_close_matches(name, HOOKS, n=1)
    return close[0] if close else None


def _arguments(function: Callable[..., Any], notes: SpecNotes) -> Iterator[Argument]:
    # The code object says it in half the time of inspect.signature, with annotations as they were written.
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    filled = (REQUIRED,) * (len(names) - len(defaults)) + tuple(defaults)
    for name, default in zip(names, filled, strict=True):
        yield Argument(name, str(function.__annotations__[name]), default, notes.aliases.get(name))


def _read(family: str, name: str, function: Callable[..., Any], notes: SpecNotes) -> HookContract:
    return HookContract(
        name=name,
        family=family,
        kind=notes.kind,
        origin=notes.origin,
        firstresult=notes.firstresult,
        value=notes.value,
        arguments=tuple(_arguments(function, notes)),
        returns=str(function.__annotations__["return"]),
        function=function,
    )


HOOKS: Final[Mapping[str, HookContract]] = MappingProxyType(
    {
        name: _read(module.__name__.rpartition(".")[2], name, function, notes)
        for module in FAMILIES
        for name, function in vars(module).items()
        if (notes := spec_notes(function)) is not None
    }
)
"""Every hook by name, family by family."""
