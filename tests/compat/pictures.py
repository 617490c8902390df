"""A picture of a value: plain JSON, the same in both hosts when the values are alike. Standard library only.

Whatever JSON has no form for becomes an object with one key in angle brackets, such as
``{"<awaitable>": "coroutine"}``.
"""

import inspect
from types import SimpleNamespace

DEEPEST = 12


def picture(value, depth=0):
    """Return the picture of any value."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else {"<float>": repr(value)}  # noqa: PLR0124
    if depth > DEEPEST:
        return {"<deeper>": type(value).__name__}
    if isinstance(value, dict):
        return {key if isinstance(key, str) else repr(key): picture(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [picture(item, depth + 1) for item in value]
    if isinstance(value, tuple):
        return {"<tuple>": [picture(item, depth + 1) for item in value]}
    if isinstance(value, SimpleNamespace):
        return {"<namespace>": picture(vars(value), depth + 1)}
    if inspect.isawaitable(value):
        return {"<awaitable>": type(value).__name__}
    if inspect.isroutine(value):
        return {"<callable>": value.__name__}
    return {"<object>": type(value).__name__}


def changes(before, after):
    """Return the items of a picture of a dict that are different in another, as they are there."""
    return {name: after.get(name) for name in {**before, **after} if before.get(name) != after.get(name)}
