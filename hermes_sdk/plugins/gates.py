"""What ``fail_closed`` declares: hooks on which a plugin's failure blocks or withholds (semantics 3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.problems import Problem
from hermes_sdk.config.schema import dotted
from hermes_sdk.dispatch.policy import GATED_HOOKS
from hermes_sdk.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hermes_sdk.config.document import KeyPath
    from hermes_sdk.config.schema import Places

FailClosed = bool | tuple[str, ...]
"""A declaration: false, true, or the hooks that it counts for."""

_DEFAULT_GATE: Final = "pre_tool_call"


def read_fail_closed(document: Places, path: KeyPath, value: bool | list[str]) -> tuple[FailClosed, list[Problem]]:
    """Read a declaration of the right type.

    A known hook that can neither block nor withhold makes the whole declaration void: its author took it for
    something else. A misspelt one does not, or a slip would open the gate: the nearest hook stands in.
    """
    if isinstance(value, bool):
        return value, []
    problems = []
    gates: list[str] = []
    void = False
    for index, hook in enumerate(value):
        if hook in GATED_HOOKS:
            gates.append(hook)
            continue
        void = void or _is_hook(hook)
        close = nearest(hook, GATED_HOOKS)
        gates.append(close or _DEFAULT_GATE)
        where = (*path, index)
        fix = f"did you mean {close!r}?" if close else f"{hook!r} can neither block nor withhold"
        wanted = f"one of {', '.join(GATED_HOOKS)}"
        problems.append(Problem("HS208", dotted(where), document.where(where), repr(hook), wanted, fix))
    return (False if void else tuple(dict.fromkeys(gates))), problems


def _is_hook(name: str) -> bool:
    from hermes_hookspecs.contract import HOOKS  # twenty of the milliseconds that `plugins list` has

    return name in HOOKS


def hooks_at_stake(declared: FailClosed, provides_hooks: Iterable[str]) -> tuple[str, ...]:
    """Return the hooks that a standing block covers while the plugin is not in force."""
    if not isinstance(declared, bool):
        return declared
    if not declared:
        return ()
    return tuple(hook for hook in GATED_HOOKS if hook in set(provides_hooks)) or (_DEFAULT_GATE,)


def hooks_covered(declared: FailClosed) -> frozenset[str]:
    """Return the hooks on which a failure of the loaded plugin blocks or withholds."""
    if isinstance(declared, bool):
        return frozenset(GATED_HOOKS) if declared else frozenset()
    return frozenset(declared)


def is_near_miss(key: Any) -> bool:
    """Whether a key (of any YAML type) is ``fail_closed`` misspelt, which must not open the gate silently."""
    if not isinstance(key, str):
        return False
    plain = key.casefold().replace("_", "").replace("-", "")
    return key != "fail_closed" and _distance_at_most_two(plain, "failclosed")


def _distance_at_most_two(left: str, right: str) -> bool:
    """Whether at most two letters must be added, left out or changed (Levenshtein)."""
    limit = 2
    if abs(len(left) - len(right)) > limit:
        return False
    row = list(range(len(right) + 1))
    for number, letter in enumerate(left, start=1):
        above, row = row, [number]
        for column, other in enumerate(right, start=1):
            change = above[column - 1] + (letter != other)
            row.append(min(change, above[column] + 1, row[column - 1] + 1))
    return row[-1] <= limit
