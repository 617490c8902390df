"""The fold of pre_tool_call: one verdict out of many, on arguments that change on the way.

All implementations run, so that audits and loop guards see every attempt. Strictness is block > approve > modify >
nothing. The first valid block is the verdict wherever it stands, and from there on answers and changes count for
nothing. Arguments are one shared dict: a `modify` merges into it, and a change in place is a modify too. Whoever
answered on arguments that changed afterwards is asked once more on the final ones. (Rule: semantics 2 and 4.6.)
"""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.directives import Approve, Block, Modify
from hermes_sdk.dispatch.answers import read_tool_directive
from hermes_sdk.dispatch.fold import Fold, refusal
from hermes_sdk.dispatch.outcomes import ToolDecision
from hermes_sdk.dispatch.watch import changed_keys, deep_copy, same, snapshot, undo_changes

if TYPE_CHECKING:
    from hermes_sdk.dispatch.guard import Guard
    from hermes_sdk.dispatch.implementation import Implementation
    from hermes_sdk.dispatch.watch import Snapshot

logger = logging.getLogger(__name__)


class ToolFold(Fold):
    """One tool call under judgement. Made when the first implementation says, changes or breaks something."""

    def __init__(self, guard: Guard, impls: tuple[Implementation, ...], args: dict[str, Any], before: Snapshot) -> None:
        super().__init__(guard, impls)
        self.args = args
        self._versions: list[tuple[int, dict[str, Any]]] = [(-1, before.copy())]
        self._writer: dict[str, int] = {}
        self._second = False
        self.block: str | None = None
        self._approve: Approve | None = None

    @property
    def blocked(self) -> bool:
        """Whether a block stands."""
        return self.block is not None

    def answer(self, index: int, answer: Any, before: Snapshot) -> Snapshot:
        """Take what an implementation answered (any type, None too) and did to the arguments.

        Returns:
            The snapshot that the next implementation's changes are told by.
        """
        impl = self._impls[index]
        directive, problem = (None, "") if answer is None else read_tool_directive(answer)
        if self.blocked or self._second:
            # either the call does not happen, or the arguments are final
            self._undo(index, before)
        elif isinstance(directive, Modify):
            self.args.update(deep_copy(directive.args))
        if problem:
            self.step(index, "ignored", problem)
            self._guard.ignored(impl, problem)
            if impl.fail_closed and not self.blocked:
                self._force(index, f"malformed answer: {problem}")
        elif isinstance(directive, Block):
            self.step(index, "block", directive.message)
            if self.block is None:
                self.block = directive.message
        elif isinstance(directive, Approve):
            self.step(index, "approve", directive.message, rule_key=directive.rule_key)
            if self._approve is None and not self.blocked:
                self._approve = directive
        elif isinstance(directive, Modify) and (self.blocked or self._second):
            self._drop(index, "modify")
        return self._changed(index, before)

    def broke(self, index: int, error: BaseException, before: Snapshot) -> Snapshot:
        """Take a failure: what the implementation changed is undone, and a fail-closed one blocks."""
        text = self.failed(index, error)
        undo_changes(self.args, before)
        if self._impls[index].fail_closed and not self.blocked:
            self._force(index, text)
        return before

    def _force(self, index: int, cause: str) -> None:
        message = refusal(self._impls[index], cause)
        self.block = message
        self.step(index, "block", message)
        self.forced.append({"action": "block", "message": message})

    def _undo(self, index: int, before: Snapshot) -> None:
        if undo_changes(self.args, before):
            self._drop(index, "change in place")

    def _drop(self, index: int, what: str) -> None:
        why = "the arguments are final" if self._second else "the call is blocked"
        self.step(index, "ignored", f"{what}: {why}")
        logger.info("pre_tool_call: %s of plugin %r is dropped: %s", what, self._impls[index].plugin, why)

    def _changed(self, index: int, before: Snapshot) -> Snapshot:
        if self.args == before:
            return before
        old = before.copy()
        keys = changed_keys(old, self.args)
        plugin = self._impls[index].plugin
        for key in keys:
            writer = self._writer.get(key)
            if writer is not None and writer != index:
                logger.info(
                    "pre_tool_call: argument %r of plugin %r is overwritten by plugin %r",
                    key,
                    self._impls[writer].plugin,
                    plugin,
                )
            self._writer[key] = index
        after = snapshot(self.args)
        version = after.copy()
        self.step(index, "modify", ", ".join(keys), value=version)
        self._versions.append((index, version))
        return after

    # -- second judgement -------------------------------------------------------------------------------------

    def to_ask_again(self) -> list[int]:
        """Return who answered on arguments that are not the final ones and must judge these, in calling order."""
        if self.blocked or len(self._versions) == 1:
            return []
        final = self._versions[-1][1]
        return [
            index
            for index, impl in enumerate(self._impls)
            if impl.rejudge and impl.signature.accepts("args") and not same(self._answered_on(index), final)
        ]

    def _answered_on(self, index: int) -> dict[str, Any]:
        """Return the arguments that an implementation knew, with its own change."""
        group = self._impls[index].notes.beside
        if group is None:
            return self._known_to(index)
        # it started together with others, and knew nothing of what those changed
        first = next(number for number, impl in enumerate(self._impls) if impl.notes.beside is group)
        known = self._known_to(first - 1).copy()
        for (_, before), (changed_by, after) in pairwise(self._versions):
            if changed_by == index:
                _carry_over(before, after, known)
        return known

    def _known_to(self, index: int) -> dict[str, Any]:
        """Return the arguments after implementation number `index` had its turn."""
        return next(args for changed_by, args in reversed(self._versions) if changed_by <= index)

    def second_judgement(self) -> Snapshot:
        """Start asking again: from here on only block and approve count."""
        self._second = True
        return snapshot(self.args)

    def outcome(self) -> ToolDecision:
        """Return the verdict."""
        steps = tuple(self.steps)
        if self.block is not None:
            return ToolDecision("block", self.block, None, self.args, steps)
        if self._approve is not None:
            return ToolDecision("approve", self._approve.message or None, self._approve.rule_key, self.args, steps)
        return ToolDecision("run", None, None, self.args, steps)


def _carry_over(before: dict[str, Any], after: dict[str, Any], args: dict[str, Any]) -> None:
    """Do to `args` what led from `before` to `after`."""
    for key in before.keys() - after.keys():
        args.pop(key, None)
    args.update((key, value) for key, value in after.items() if key not in before or not same(before[key], value))
