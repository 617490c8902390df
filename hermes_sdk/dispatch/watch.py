"""Noticing what a callback did to the arguments, and copies that keep it away from them.

All implementations of pre_tool_call share one ``args`` dict; an addition, change or deletion in place, nested too,
counts as that implementation's modify (semantics 4.6). A flat dict of strings is watched with ``args != snapshot``,
which compares identities first and so costs the same for 10 bytes and for 50 KB.
"""

from __future__ import annotations

import marshal
from typing import Any, Final, cast

_ATOMS: Final = frozenset({str, int, float, bool, type(None), bytes, complex})
_TEXTS: Final = frozenset({str, type(None)})
_PLAIN: Final = 2
"""The marshal format without references, which depend on more than the value."""


class PackedSnapshot:
    """Nested JSON-like ``args`` as bytes, which tell ``1`` from ``True`` and are made and compared in C."""

    __slots__ = ("packed",)
    __hash__ = None  # type: ignore[assignment]  # compared by content

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    def __eq__(self, other: object) -> bool:
        try:
            if marshal.dumps(cast("Any", other), _PLAIN) == self.packed:
                return True
        except ValueError:  # something came in that is not JSON-like
            return False
        return same(self.copy(), other)  # equal but for the order of keys?

    def copy(self) -> dict[Any, Any]:
        """Return a fresh copy of what was packed."""
        args: dict[Any, Any] = marshal.loads(self.packed)  # noqa: S302 - packed by this process a moment ago
        return args


class DeepSnapshot:
    """A deep copy of ``args`` that hold more than JSON does; compared value by value, types included."""

    __slots__ = ("_copy",)
    __hash__ = None  # type: ignore[assignment]  # compared by content

    def __init__(self, args: dict[Any, Any]) -> None:
        self._copy = deep_copy(args)

    def __eq__(self, other: object) -> bool:
        return same(self._copy, other)

    def copy(self) -> dict[Any, Any]:
        """Return a fresh copy of what was copied."""
        args: dict[Any, Any] = deep_copy(self._copy)
        return args


Snapshot = dict[Any, Any] | PackedSnapshot | DeepSnapshot
"""Compared with ``args != snapshot``; `copy` gives back what it was taken of."""


def snapshot(args: dict[Any, Any]) -> Snapshot:
    """Return something that ``args`` can be compared with after a callback had it."""
    for value in args.values():
        # numbers are left to the exact ways: 1 == True == 1.0, which plain equality would take for unchanged
        if value.__class__ not in _TEXTS:
            return _exact(args)
    return args.copy()


def _exact(args: dict[Any, Any]) -> Snapshot:
    try:
        return PackedSnapshot(marshal.dumps(args, _PLAIN))
    except ValueError:
        pass
    try:
        return DeepSnapshot(args)
    except RecursionError:  # it contains itself: watch the top level, by identity
        return args.copy()


def undo_changes(args: dict[Any, Any], snap: Snapshot) -> bool:
    """Put `args` back, in place, to what it was when `snap` was taken; return whether it was changed."""
    try:
        changed = args != snap
    except BaseException:  # comparing runs code of what was put there
        changed = True
    if changed:
        old = snap.copy()
        args.clear()
        args.update(old)
    return changed


def same(left: Any, right: Any) -> bool:
    """Whether two JSON-like values are equal in value and in type, at every depth.

    A subclass of dict or list counts as one, since copies of it are plain.
    """
    if left is right:
        return True
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def changed_keys(before: dict[Any, Any], after: dict[Any, Any]) -> list[str]:
    """Return the top-level keys that were added, changed or removed, sorted."""
    keys = {*before, *after}
    return sorted(
        str(key) for key in keys if key not in before or key not in after or not same(before[key], after[key])
    )


def deep_copy(value: Any) -> Any:
    """Copy dicts, lists and tuples at every depth; everything else is shared.

    Unlike `copy.deepcopy` it never runs code of a value: a payload may hold anything. The copy of a subclass of dict
    or list is a plain one.
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
    if isinstance(value, dict):
        return {key: deep_copy(item) for key, item in dict.items(value)}
    if isinstance(value, list):
        return [deep_copy(item) for item in list.__iter__(value)]
    return value


def any_copy(value: Any) -> Any:
    """Copy like `deep_copy`, also what contains itself or is nested too deep for that."""
    try:
        return deep_copy(value)
    except RecursionError:
        return _copy_of_graph(value)


def _copy_of_graph(value: Any) -> Any:
    copies: dict[int, Any] = {}
    unfilled: list[tuple[Any, Any]] = []

    def copy_of(item: Any) -> Any:
        if not isinstance(item, dict | list):
            return item
        if id(item) not in copies:
            copies[id(item)] = {} if isinstance(item, dict) else []
            unfilled.append((item, copies[id(item)]))
        return copies[id(item)]

    copied = copy_of(value)
    while unfilled:
        original, copy = unfilled.pop()
        if isinstance(original, dict):
            copy.update((key, copy_of(item)) for key, item in dict.items(original))
        else:
            copy.extend(map(copy_of, list.__iter__(original)))
    return copied


def is_flat(history: Any) -> bool:
    """Whether a history is the usual list of dicts without containers in them, which can be copied in C."""
    if history.__class__ is not list:
        return False
    for message in history:
        if message.__class__ is not dict:
            return False
        for value in message.values():
            if value.__class__ not in _ATOMS:
                return False
    return True
