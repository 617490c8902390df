"""`gateway hooks emit`: one event at the handlers of a home, and what became of it at each."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING, Any

from hermes_sdk.cli.documents import as_data
from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK, warn
from hermes_sdk.cli.screen import console, print_json
from hermes_sdk.errors import ConfigError, did_you_mean
from hermes_sdk.gateway_hooks import Answer, HookRegistry
from hermes_sdk.gateway_hooks.events import COMMANDS, event_of, known_patterns, matches
from hermes_sdk.shell_hooks.trial import read_given

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_STYLES = {"ok": "green", "failed": "red"}


def emit_event(home: Path, event: str, context_file: Path | None, *, as_json: bool = False) -> int:
    """Hand a made-up event to the handlers of a home, print what became of it, and return the exit code.

    Raises:
        ConfigError: The event is unknown or concerns no hook, or the context cannot be used.
    """
    context = _sample(event) | ({} if context_file is None else read_given(context_file))
    registry = HookRegistry(home)
    # what handlers print must not come between the answers, least of all in a JSON document
    with contextlib.redirect_stdout(sys.stderr):
        answers = asyncio.run(_ask(registry, event, context))
    for problem in registry.problems:
        warn(str(problem))
    if not answers:
        raise ConfigError(
            f"no gateway hook handles {event}",
            where=str(home / "hooks"),
            fix="`hermes-sdk gateway hooks list` shows what there is",
            code="HS152",
        )
    if as_json:
        print_json({"event": event, "context": as_data(context), "hooks": list(map(_document, answers))})
    else:
        _show(answers)
    return EXIT_FAILED if any(answer.error for answer in answers) else EXIT_OK


async def _ask(registry: HookRegistry, event: str, context: Mapping[str, Any]) -> list[Answer]:
    registry.discover_and_load()
    try:
        answers = await registry.ask(event, context, patience=registry.handler_timeout)
    finally:
        await registry.close()
    unloaded = (status for status in registry.status() if status.state in {"failed", "refused", "off"})
    concerned = [status for status in unloaded if not status.events or matches(status.events, event)]
    return answers + [Answer(status.name, error=f"not loaded: {status.why}") for status in concerned]


def _sample(event: str) -> dict[str, Any]:
    """Return a made-up context of an event.

    Raises:
        ConfigError: No gateway fires such an event.
    """
    known = event_of(event)
    family, _, member = event.partition(":")
    if known is None or member == "*":
        examples = [name.replace("*", "reset") for name in known_patterns() if family == COMMANDS or "*" not in name]
        raise ConfigError(
            f"there is no event {event!r}",
            fix=did_you_mean(event, examples) or f"known are {', '.join(examples)}",
            code="HS151",
        )
    named = {"command": member} if family == COMMANDS else {}
    return known.sample | named


def _document(answer: Answer) -> dict[str, Any]:
    return {
        "hook": answer.hook,
        "ok": not answer.error,
        "returned": as_data(answer.value),
        "error": answer.error,
    }


def _show(answers: list[Answer]) -> None:
    from hermes_sdk.cli.tables import PlainTable

    rows = [
        (answer.hook, "failed" if answer.error else "ok", answer.error or f"returned {answer.value!r}")
        for answer in answers
    ]
    console().print(PlainTable(("hook", "outcome", "what"), rows, styles=_STYLES))
