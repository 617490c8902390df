"""Noticing what a callback did to the arguments, and copies that keep it away from them.

All implementations of pre_tool_call share one ``args`` dict; an addition, change or deletion in place, nested too,
counts as that implementation's modify (semantics 4.6). A flat dict of strings is watched with ``args != snapshot``,
which compares identities first and so costs the same for 10 bytes and for 50 KB.
"""

from __future__ import annotations

from typing import Any, Final

_ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes, complex})
_TEXTS: Final = frozenset({str, type(None)})


class DeepSnapshot:
    """A deep copy of ``args``; ``args != snapshot`` tells whether anything in it changed, types included."""

    __slots__ = ("copy",)
    __hash__ = None  # type: ignore[assignment]  # mutable content

    def __init__(self, args: dict[Any, Any]) -> None:
        self.copy = deep_copy(args)

    def __eq__(self, other: object) -> bool:
        return same(self.copy, other)


Snapshot = dict[Any, Any] | DeepSnapshot
"""A plain shallow copy where that is exact, else a `DeepSnapshot`."""


def snapshot(args: dict[Any, Any]) -> Snapshot:
    """Return something that ``args`` can be compared with after a callback had it."""
    for value in args.values():
        # numbers are left to the deep way: 1 == True == 1.0, which plain equality would take for unchanged
        if value.__class__ not in _TEXTS:
            try:
                return DeepSnapshot(args)
            except RecursionError:  # it contains itself: watch the top level, by identity
                break
    return args.copy()


def content(snap: Snapshot) -> dict[Any, Any]:
    """Return a fresh copy of what a snapshot holds."""
    return deep_copy(snap.copy) if isinstance(snap, DeepSnapshot) else snap.copy()


def restore(args: dict[Any, Any], snap: Snapshot) -> None:
    """Put `args` back, in place, to what it was when `snap` was taken."""
    old = content(snap)
    args.clear()
    args.update(old)


def same(left: Any, right: Any) -> bool:
    """Whether two JSON-like values are equal in value and in type, at every depth."""
    if left is right:
        return True
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def changed_keys(before: dict[Any, Any], after: dict[Any, Any]) -> list[str]:
    """Return the top-level keys that were added, changed or removed, sorted."""
    keys = {*before, *after}
    return sorted(
        str(key)
        for key in keys
        if key not in before or key not in after or not same(before[key], after[key])
    )


def deep_copy(value: Any) -> Any:
    """Copy dicts, lists and tuples at every depth; everything else is shared.

    Unlike `copy.deepcopy` it never runs code of a value: a payload may hold anything.
    """
    kind = value.__class__
    if kind in _ATOMS:
        return value
    if kind is dict:
        return {key: deep_copy(item) for key, item in value.items()}
    if kind is list:
        return [deep_copy(item) for item in value]
    if kind is tuple:
        return tuple(deep_copy(item) for item in value)
    return value


def copy_messages(history: Any) -> Any:
    """Return a new list of copied message dicts, for one implementation; anything else is given back as it is."""
    return deep_copy(history) if isinstance(history, list) else history
