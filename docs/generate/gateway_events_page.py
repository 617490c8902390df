"""docs/reference/gateway-events.md: the events of a gateway and the keys of HOOK.yaml, from their tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.gateway_hooks.events import EVENTS, LONGEST_TEXT
from hermes_sdk.gateway_hooks.hook_file import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hermes_sdk.gateway_hooks.events import GatewayEvent

PAGE: Final = """\
<!-- Written by python docs/generate from hermes_sdk/gateway_hooks; edit the tables there instead. -->

# Gateway events

A messaging gateway hands these events to the [gateway hooks](../how-to/gateway-hooks.md) of its home (seed G10 to G17).
A handler is called as `handle(event_type, context)`; `context` is a dict with exactly the keys below. Of a message and
of a response it has the first {longest} characters. Later versions may add keys.

{events}
## HOOK.yaml

| key | type | default | meaning |
|---|---|---|---|
{fields}

An unknown key or event is a warning that names the nearest one; a value of the wrong type keeps the hook from being
loaded.
"""
EVENT: Final = """\
## {name}

{fires}

| key | type | meaning |
|---|---|---|
{keys}
"""


def render(root: Path) -> dict[Path, str]:
    """Return the page by its path."""
    fields = "\n".join(
        f"| `{field.name}` | {field.wanted} | {field.default} | {field.description} |" for field in FIELDS
    )
    page = PAGE.format(longest=LONGEST_TEXT, events="\n".join(map(_event, EVENTS)), fields=fields)
    return {root / "docs" / "reference" / "gateway-events.md": page}


def _event(event: GatewayEvent) -> str:
    return EVENT.format(name=event.name, fires=event.fires, keys="\n".join(_keys(event)))


def _keys(event: GatewayEvent) -> Iterator[str]:
    for key in event.keys:
        yield f"| `{key.name}` | `{key.type}` | {key.description} |"
