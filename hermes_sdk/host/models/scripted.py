"""A model that says what a script says: for tests, demonstrations and reproducible sessions."""

from __future__ import annotations

import fnmatch
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hermes_sdk.errors import did_you_mean
from hermes_sdk.host.conversation import text_of
from hermes_sdk.host.models.base import ModelError, ModelReply, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call in a script."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    """None gives each call an id of its own."""

    def to_call(self) -> ToolCall:
        """Return the call as a model asks for it."""
        return ToolCall.parse(self.name, dict(self.args), self.id)


@dataclass(frozen=True, slots=True)
class ScriptedFailure:
    """A request that the model does not answer."""

    message: str
    status: int | None = None
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """What the model does with one request: say something, call tools, or fail."""

    say: str = ""
    tools: tuple[ScriptedCall, ...] = ()
    """Several are a batch of parallel calls."""
    error: ScriptedFailure | None = None
    interrupt: bool = False
    """Ctrl-C instead of an answer."""
    sees: tuple[str, ...] = ()
    """Texts that the request must contain; what it lacks is kept in `ScriptedModel.mismatches`."""
    not_sees: tuple[str, ...] = ()
    """Texts that the request must not contain."""
    where: str = ""
    """``file:line`` of the step, for messages."""


class ScriptedModel:
    """Plays the steps of a script, one a request.

    Args:
        steps: The steps of the first turn; `begin_turn` gives it those of the next.
        name: Sent as ``model`` to hooks.
        children: Steps of child agents by their goal, exact or as a shell pattern.
        plugin_answers: What plugins that use ``ctx.llm`` get, in this order.
    """

    provider = "scripted"
    base_url = ""

    def __init__(
        self,
        steps: Iterable[ScriptStep] = (),
        *,
        name: str = "scripted/demo",
        children: Mapping[str, Sequence[ScriptStep]] | None = None,
        plugin_answers: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.mismatches: list[str] = []
        """Expectations of steps that a request did not meet, also those of child agents."""
        self._steps = deque(steps)
        self._children = dict(children or {})
        self._plugin_answers = deque(plugin_answers)
        self._lock = threading.Lock()
        self._plugin_model: ScriptedModel | None = None

    def begin_turn(self, steps: Iterable[ScriptStep]) -> None:
        """Drop what is left of the last turn and play `steps` next."""
        with self._lock:
            self._steps = deque(steps)

    @property
    def remaining(self) -> int:
        """Steps that nobody asked for yet."""
        return len(self._steps)

    def complete(self, request: dict[str, Any]) -> ModelReply:
        """Play the next step.

        Raises:
            ModelError: The step says so, or there is none.
            KeyboardInterrupt: The step says so.
        """
        with self._lock:
            if not self._steps:
                raise ModelError("the script has no step for this request", fix="add a step with `say:`")
            step = self._steps.popleft()
        self._check(step, request)
        if step.interrupt:
            raise KeyboardInterrupt
        if step.error is not None:
            failure = step.error
            raise ModelError(failure.message, status_code=failure.status, retryable=failure.retryable)
        return ModelReply(
            text=step.say,
            tool_calls=tuple(call.to_call() for call in step.tools),
            finish_reason="tool_calls" if step.tools else "stop",
            usage=Usage(),
            model=self.name,
        )

    def for_child(self, goal: str) -> ScriptedModel:
        """Return a model with the steps of the child agent that has this goal.

        Raises:
            ModelError: The script has none for it.
        """
        steps = self._children.get(goal)
        if steps is None:
            matches = (pattern for pattern in self._children if fnmatch.fnmatchcase(goal, pattern))
            pattern = next(matches, None)
            if pattern is None:
                raise ModelError(
                    f"the script has no child agent with the goal {goal!r}",
                    fix=did_you_mean(goal, self._children) or "add it under `children:`",
                )
            steps = self._children[pattern]
        child = ScriptedModel(steps, name=self.name, children=self._children)
        child.mismatches = self.mismatches
        return child

    def for_plugins(self) -> ScriptedModel:
        """Return the model that answers ``ctx.llm`` from the script's `llm:` list."""
        if self._plugin_model is None:
            answers = [ScriptStep(say=answer) for answer in self._plugin_answers]
            self._plugin_model = ScriptedModel(answers, name=self.name)
        return self._plugin_model

    def _check(self, step: ScriptStep, request: dict[str, Any]) -> None:
        if not step.sees and not step.not_sees:
            return
        seen = "\n".join(text_of(message.get("content")) for message in request.get("messages", ()))
        missing = [f"the model does not see {text!r}" for text in step.sees if text not in seen]
        unwanted = [f"the model sees {text!r}" for text in step.not_sees if text in seen]
        where = f"{step.where}: " if step.where else ""
        self.mismatches.extend(where + problem for problem in (*missing, *unwanted))
