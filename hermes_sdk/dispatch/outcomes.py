"""What comes out of one hook call: the folded, typed outcome with its provenance.

One class a kind of hook. They are named tuples, because one is made for every call that carries arguments or a value:
90 ns, where a frozen dataclass takes 700. `steps` names the implementations that answered, changed something or
failed, in calling order; with tracing on it names every implementation and how long it took.
(Rule: semantics 2, "One hook call, one outcome".)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple


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
    value: Any = field(default=None, compare=False, repr=False)
    """What the call carried on with after a step that changed something: the arguments after a ``modify``, the text
    after a ``transform``, the contribution of a ``context``; None for other steps. Not shown: it may be private."""


class ToolDecision(NamedTuple):
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
        wrappers = [step.plugin for step in self.steps if step.what == "wrapped" and step.detail == "block"]
        blocks = (step.plugin for step in self.steps if step.what == "block")
        return self.blocked and (wrappers[-1] if wrappers else next(blocks, None)) == plugin


class DispatchDecision(NamedTuple):
    """Outcome of pre_gateway_dispatch."""

    action: Literal["allow", "skip", "rewrite"]
    """``allow`` also when nobody had an opinion."""
    text: str | None = None
    reason: str | None = None
    steps: tuple[Step, ...] = ()


class VerifyDecision(NamedTuple):
    """Outcome of pre_verify: a `message` keeps the agent going, None lets the turn finish."""

    message: str | None = None
    steps: tuple[Step, ...] = ()


class AddedContext(NamedTuple):
    """Outcome of a context hook: all contributions joined with one blank line, or None."""

    text: str | None = None
    steps: tuple[Step, ...] = ()
    pieces: tuple[str, ...] = ()
    """The contributions one by one, for a host that moves oversized ones elsewhere."""


class Transformed(NamedTuple):
    """Outcome of a transform hook: the value after the last implementation."""

    value: str
    steps: tuple[Step, ...] = ()


class Observed(NamedTuple):
    """Outcome of an observer hook."""

    steps: tuple[Step, ...] = ()


Outcome = ToolDecision | DispatchDecision | VerifyDecision | AddedContext | Transformed | Observed
"""Whatever a hook of the contract gives."""

NOTHING_OBSERVED: Final = Observed()
NO_CONTEXT: Final = AddedContext()
NO_DISPATCH: Final = DispatchDecision("allow")
NO_VERIFY: Final = VerifyDecision()
