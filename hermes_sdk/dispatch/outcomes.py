"""What comes out of one hook call: the folded, typed outcome with its provenance.

One class a kind of hook, all frozen. `steps` names the implementations that answered, changed something or
failed, in calling order; with tracing on it names every implementation and how long it took.
(Rule: semantics 2, "One hook call, one outcome".)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal


@dataclass(frozen=True, slots=True)
class Step:
    """What one implementation did in one hook call."""

    plugin: str
    """Name under which the plugin is registered."""
    source: str
    """Where the plugin came from: ``builtin``, ``user``, ``project``, ``entrypoint``, ``direct``, ``shell``."""
    what: str
    """``block``, ``approve``, ``modify``, ``context``, ``transform``, ``skip``, ``rewrite``, ``allow``,
    ``continue``, ``withhold``, ``ignored``, ``wrapped``, ``failed``, or ``observed`` (only with tracing on)."""
    detail: str = ""
    """One line for people: the message, the names of the changed arguments, why an answer was ignored."""
    duration_ms: float | None = None
    """How long the implementation ran, in ms; None unless tracing is on."""
    error: str | None = None
    """``ErrorClass: text`` of a failure; text only, so that no payload is kept alive by a traceback."""
    rule_key: str | None = None
    """The rule key of an ``approve``."""


@dataclass(frozen=True, slots=True)
class ToolDecision:
    """Outcome of pre_tool_call."""

    action: Literal["run", "approve", "block"]
    message: str | None
    """Why: the block's message that the model sees, or the first approve's reason."""
    rule_key: str | None
    """What an approval may be remembered under, of the first approve."""
    args: dict[str, Any]
    """The final arguments; the tool runs with these."""
    steps: tuple[Step, ...] = ()

    @property
    def blocked(self) -> bool:
        """Whether the tool must not run."""
        return self.action == "block"

    @property
    def needs_approval(self) -> bool:
        """Whether a person must be asked first."""
        return self.action == "approve"

    def blocked_by(self, plugin: str) -> bool:
        """Whether the standing block came from `plugin`."""
        blocks = (step.plugin for step in self.steps if step.what == "block")
        return self.blocked and next(blocks, None) == plugin


@dataclass(frozen=True, slots=True)
class DispatchDecision:
    """Outcome of pre_gateway_dispatch."""

    action: Literal["allow", "skip", "rewrite"]
    """``allow`` also when nobody had an opinion."""
    text: str | None = None
    reason: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class VerifyDecision:
    """Outcome of pre_verify: a `message` keeps the agent going, None lets the turn finish."""

    message: str | None = None
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class AddedContext:
    """Outcome of a context hook: all contributions joined with one blank line, or None."""

    text: str | None = None
    steps: tuple[Step, ...] = ()
    pieces: tuple[str, ...] = ()
    """The contributions one by one, for a host that moves oversized ones elsewhere."""


@dataclass(frozen=True, slots=True)
class Transformed:
    """Outcome of a transform hook: the value after the last implementation."""

    value: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Observed:
    """Outcome of an observer hook."""

    steps: tuple[Step, ...] = ()


Outcome = ToolDecision | DispatchDecision | VerifyDecision | AddedContext | Transformed | Observed
"""Whatever a hook of the contract gives."""

NOTHING_OBSERVED: Final = Observed()
NO_CONTEXT: Final = AddedContext()
NO_DISPATCH: Final = DispatchDecision("allow")
NO_VERIFY: Final = VerifyDecision()


def value_unchanged(value: str) -> Transformed:
    """Return the outcome of a transform that nobody answered."""
    outcome = _new(Transformed)
    _set_value(outcome, value)
    _set_value_steps(outcome, ())
    return outcome


def run_unchanged(args: dict[str, Any]) -> ToolDecision:
    """Return the decision to run a tool about which nobody said anything."""
    decision = _new(ToolDecision)
    _set_action(decision, "run")
    _set_message(decision, None)
    _set_rule_key(decision, None)
    _set_args(decision, args)
    _set_steps(decision, ())
    return decision


# A frozen dataclass pays for `object.__setattr__` and its keyword arguments in `__init__`: 700 against 250 ns for a
# ToolDecision. These two are made once a call, so they are filled in through their slots.
_new: Final = object.__new__


def _slot(owner: type, name: str) -> Callable[[object, object], None]:
    setter: Callable[[object, object], None] = vars(owner)[name].__set__
    return setter


_set_value: Final = _slot(Transformed, "value")
_set_value_steps: Final = _slot(Transformed, "steps")
_set_action: Final = _slot(ToolDecision, "action")
_set_message: Final = _slot(ToolDecision, "message")
_set_rule_key: Final = _slot(ToolDecision, "rule_key")
_set_args: Final = _slot(ToolDecision, "args")
_set_steps: Final = _slot(ToolDecision, "steps")
