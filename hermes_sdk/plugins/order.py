"""The calling order of plugins: sources and names, then the user's `plugins.order` (semantics 1.1, 1.2)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import dotted
from hermes_sdk.errors import did_you_mean
from hermes_sdk.plugins.names import normalised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hermes_sdk.config.schema import Places
    from hermes_sdk.plugins.candidate import Candidate
    from hermes_sdk.plugins.section import OrderRule

ALL_OTHERS: Final = "*"


def calling_order(
    candidates: Sequence[Candidate], rules: Iterable[OrderRule], places: Places
) -> tuple[list[Candidate], list[Problem]]:
    """Return the plugins in calling order, and the rules that were ignored.

    Args:
        candidates: The plugins in force, already sorted by source and name.
        rules: `plugins.order`, as the user wrote it.
        places: Where the rules stand.
    """
    by_key = {candidate.key: candidate for candidate in candidates}
    constraints = _Constraints(by_key, places)
    rules = list(rules)
    if not rules:
        return list(candidates), []
    for everyone in (False, True):  # what a rule says by name beats what another says with "*"
        for rule in rules:
            constraints.add(rule, everyone=everyone)
    return [by_key[key] for key in constraints.arranged()], constraints.problems


class _Constraints:
    """Pairs of plugins of which one has to run before the other; always free of cycles."""

    def __init__(self, by_key: Mapping[str, Candidate], places: Places) -> None:
        self.problems: list[Problem] = []
        self._by_key = by_key
        self._places = places
        self._earlier: dict[str, set[str]] = defaultdict(set)
        """Plugin -> plugins that have to run before it, by any rule."""
        self._pulled: dict[str, set[str]] = defaultdict(set)
        """Plugin -> plugins that their own rule moves in front of it."""
        self._everyone: dict[str, str] = {}
        """``"*"`` as used so far: ``before`` or ``after`` -> the plugin that used it."""
        self._position = {key: position for position, key in enumerate(by_key)}

    def add(self, rule: OrderRule, *, everyone: bool) -> None:
        """Take the named targets of a rule, or (`everyone`) its ``"*"``."""
        own = self._find(rule.name)
        if own is None:
            if not everyone:
                self._unknown(rule.name, ("plugins", "order", rule.name))
            return
        for relation in ("before", "after"):
            for target in getattr(rule, relation):
                if (target == ALL_OTHERS) is not everyone:
                    continue
                if everyone:
                    self._add_everyone(rule, own, relation)
                elif (other := self._find(target)) is None:
                    self._unknown(target, ("plugins", "order", rule.name, relation))
                elif not self._add_pair(own, other, relation):
                    self._ignore(rule, relation, f"{own} and {other} would both have to run first")

    def _add_everyone(self, rule: OrderRule, own: str, relation: str) -> None:
        if relation in self._everyone:
            self._ignore(rule, relation, f"{self._everyone[relation]} is {relation} all others already")
            return
        if own in self._everyone.values():
            self._ignore(rule, relation, f"{own} cannot be before and after all others")
            return
        self._everyone[relation] = own
        for other in self._by_key:
            if other != own:
                self._add_pair(own, other, relation)  # where it cannot be, a rule by name says otherwise

    def _add_pair(self, own: str, other: str, relation: str) -> bool:
        first, second = (own, other) if relation == "before" else (other, own)
        if first == second or self._is_before(second, first):
            return False
        self._earlier[second].add(first)
        if relation == "before":
            self._pulled[second].add(first)
        return True

    def _is_before(self, first: str, second: str) -> bool:
        pending, seen = [second], set()
        while pending:
            key = pending.pop()
            if key == first:
                return True
            if key not in seen:
                seen.add(key)
                pending.extend(self._earlier.get(key, ()))
        return False

    def arranged(self) -> list[str]:
        """Return the plugins in an order that keeps every pair and moves only plugins that have a rule.

        One with ``before`` is pulled in front of the first plugin that it names; one with ``after`` waits
        until the last that it names has run.
        """
        pending = list(self._by_key)
        done: dict[str, None] = {}
        while pending:
            for key in pending:
                if self._place(key, done):
                    break
            pending = [key for key in pending if key not in done]
        return list(done)

    def _place(self, key: str, done: dict[str, None]) -> bool:
        """Append a plugin, behind those that it pulls along; return False where it has to wait."""
        for puller in sorted(self._pulled.get(key, ()), key=self._position.__getitem__):
            if puller not in done and not self._place(puller, done):
                return False
        if any(other not in done for other in self._earlier.get(key, ())):
            return False
        done[key] = None
        return True

    def _find(self, name: str) -> str | None:
        return next((key for key, candidate in self._by_key.items() if candidate.is_called(name)), None)

    def _unknown(self, name: str, path: tuple[str, ...]) -> None:
        place = self._places.where(path)
        fix = did_you_mean(normalised(name), self._by_key) or "the rule is ignored"
        wanted = "the name of a plugin in force"
        self.problems.append(Problem("HS107", dotted(path), place, repr(name), wanted, fix, "warning"))

    def _ignore(self, rule: OrderRule, relation: str, why: str) -> None:
        path = ("plugins", "order", rule.name, relation)
        found = f"a rule that closes a circle ({why})"
        fix = "the rule is ignored: delete it or the other one"
        place = self._places.where(path)
        self.problems.append(Problem("HS108", dotted(path), place, found, "an order that exists", fix, "warning"))
