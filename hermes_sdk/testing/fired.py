"""An outcome as tests ask it: answers that say why, when an assertion about them fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from hermes_sdk.dispatch.outcomes import Outcome, Step

_LONGEST: Final = 60


class Answer:
    """Yes or no; its repr, which pytest shows of a failed assertion, says what happened instead."""

    def __init__(self, *, yes: bool, why: str) -> None:
        self._yes = yes
        self._why = why

    def __bool__(self) -> bool:
        return self._yes

    def __repr__(self) -> str:
        return f"{self._yes} ({self._why})"


class Fired:
    """What one hook call gave. Every attribute of the outcome is there: ``action``, ``message``, ``args``, ``value``,
    ``text``, ``steps``.

    Args:
        hook: The hook.
        outcome: Its outcome.
    """  # noqa: D205 - the list is one sentence

    def __init__(self, hook: str, outcome: Outcome) -> None:
        self.hook = hook
        self.outcome = outcome

    def __getattr__(self, name: str) -> Any:
        # Any: each kind of outcome has fields of its own
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.outcome, name)

    def __repr__(self) -> str:
        return f"<{self.hook}: {self._came_out()}>"

    def steps_of(self, plugin: str) -> list[Step]:
        """Return what one plugin did."""
        return [step for step in self.outcome.steps if step.plugin == plugin]

    def blocked_by(self, plugin: str) -> Answer:
        """Whether the block that stands came from a plugin; of a transform, whether it withheld the output."""
        blocked = getattr(self.outcome, "blocked_by", None)
        yes = bool(blocked(plugin)) if blocked is not None else self._did(plugin, "withhold", "skip")
        return self._answer(yes=yes, what=f"blocked by {plugin!r}")

    def asked_by(self, plugin: str) -> Answer:
        """Whether a plugin wants a person to be asked, and no block stands in front of that."""
        yes = self._did(plugin, "approve") and getattr(self.outcome, "action", "") == "approve"
        return self._answer(yes=yes, what=f"asked by {plugin!r}")

    def changed_by(self, plugin: str) -> Answer:
        """Whether a plugin changed the arguments, the text or the message."""
        return self._answer(yes=self._did(plugin, "modify", "transform", "rewrite"), what=f"changed by {plugin!r}")

    def added_by(self, plugin: str) -> Answer:
        """Whether a plugin added context, or kept the agent going."""
        return self._answer(yes=self._did(plugin, "context", "continue"), what=f"added by {plugin!r}")

    def failed_in(self, plugin: str) -> Answer:
        """Whether a plugin's implementation failed."""
        yes = any(step.error is not None for step in self.steps_of(plugin))
        return self._answer(yes=yes, what=f"failed in {plugin!r}")

    def _did(self, plugin: str, *what: str) -> bool:
        return any(step.what in what for step in self.steps_of(plugin))

    def _answer(self, *, yes: bool, what: str) -> Answer:
        return Answer(yes=yes, why=f"{self.hook} was {'' if yes else 'not '}{what}: it {self._came_out()}")

    def _came_out(self) -> str:
        outcome = self.outcome
        fields = {
            name: getattr(outcome, name) for name in outcome._fields if name in {"action", "message", "value", "text"}
        }
        shown = ", ".join(f"{name}={_short(value)}" for name, value in fields.items() if value is not None)
        steps = "; ".join(
            f"{step.plugin} {step.what}"
            + (f" {step.error}" if step.error else f" {_short(step.detail)}" if step.detail else "")
            for step in outcome.steps
        )
        return f"gave {shown or 'nothing'}, steps: {steps or 'none'}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
