"""Directories of gateway hooks, and what a HOOK.yaml says; nothing is imported here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.config.document import YamlDocument
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import Field, check_mapping, is_flag, is_names, is_text
from hermes_sdk.errors import did_you_mean
from hermes_sdk.gateway_hooks.events import is_known, known_patterns

if TYPE_CHECKING:
    from pathlib import Path

DIRECTORY: Final = "hooks"
"""Where gateway hooks are, in the home."""
HOOK_FILE: Final = "HOOK.yaml"
HANDLER_FILE: Final = "handler.py"


def _is_events(value: Any) -> bool:
    return (is_text(value) and bool(value.strip())) or (is_names(value) and bool(value))


FIELDS: Final = (
    Field(
        "name",
        "text",
        is_text,
        "What the hook is called in messages and listings.",
        default="the directory's name",
    ),
    Field("description", "text", is_text, "One line that says what it does."),
    Field(
        "events",
        "an event, or a list of events",
        _is_events,
        "Events that it handles: names, `family:*` for a whole family. One event needs no list. Required.",
        null_is_absent=False,
    ),
    Field("enabled", "true or false", is_flag, "`false` keeps the hook from being loaded.", default="true"),
)
"""Every key of HOOK.yaml; the reference page and the checks are both made from it."""


@dataclass(frozen=True, slots=True)
class FoundHook:
    """One directory of a gateway hook, as its HOOK.yaml describes it."""

    directory: Path
    name: str
    events: tuple[str, ...] = ()
    description: str = ""
    enabled: bool = True
    problems: tuple[Problem, ...] = ()

    @property
    def refused(self) -> str:
        """Why it cannot be loaded, empty when it can."""
        return "; ".join(str(problem) for problem in self.problems if problem.severity == "error")


def find_hooks(home: Path) -> tuple[list[FoundHook], list[Problem]]:
    """Return the gateway hooks of a home, by the names of their directories, and what is wrong around them.

    A directory with neither of the two files, however they are spelt, is none of ours: it is left alone.
    """
    root = home / DIRECTORY
    try:
        directories = sorted(path for path in root.iterdir() if path.is_dir())
    except FileNotFoundError:
        return [], []
    except OSError as error:
        found = f"an unreadable directory ({error.strerror})"
        return [], [Problem("HS101", DIRECTORY, str(root), found, "a directory of hooks", "check its permissions")]
    found_hooks = []
    for path in directories:
        declared, handled = (path / HOOK_FILE).exists(), (path / HANDLER_FILE).exists()
        misnamed = "" if declared else _misnamed(path)
        if misnamed:
            fix = f"rename it to {HOOK_FILE}"
            problem = Problem("HS150", path.name, str(path / misnamed), f"a {misnamed}", f"a {HOOK_FILE}", fix)
            found_hooks.append(_broken(path, problem))
        elif declared or handled:
            found_hooks.append(_read(path, declared, handled))
    return found_hooks, []


def _misnamed(directory: Path) -> str:
    """Return the name of what was meant for a HOOK.yaml, or an empty text: hosts look for exactly that name."""
    try:
        names = sorted(path.name for path in directory.iterdir())
    except OSError:
        return ""
    return next((name for name in names if name.lower() in {"hook.yaml", "hook.yml"}), "")


def _read(directory: Path, declared: bool, handled: bool) -> FoundHook:
    if not declared:
        found = f"a {HANDLER_FILE} without {HOOK_FILE}"
        fix = "write one that names the events, or move the directory away"
        return _broken(directory, Problem("HS150", directory.name, str(directory), found, "both files", fix))
    document = YamlDocument(directory / HOOK_FILE)
    if document.broken:
        return _broken(directory, *document.problems)
    data = {} if document.data is None else document.data
    if not isinstance(data, dict):
        return _broken(directory, Problem("HS103", HOOK_FILE, document.where(), kind_of(data), "a mapping of keys"))
    values, problems = check_mapping(document, (), data, FIELDS)
    written = values.get("events", [])
    events = tuple(dict.fromkeys(event.strip() for event in ([written] if isinstance(written, str) else written)))
    problems = [*document.problems, *problems, *_unknown_events(document, events)]
    if "events" not in data:
        fix = f"known are {', '.join(known_patterns())}"
        problems.append(Problem("HS150", "events", document.where(), "nothing", "a list of events", fix))
    if not handled:
        found = f"a {HOOK_FILE} without {HANDLER_FILE}"
        problems.append(Problem("HS150", directory.name, str(directory), found, "both files", f"add {HANDLER_FILE}"))
    return FoundHook(
        directory,
        values.get("name", "").strip() or directory.name,
        events,
        values.get("description", ""),
        values.get("enabled", True),
        tuple(problems),
    )


def _broken(directory: Path, *problems: Problem) -> FoundHook:
    return FoundHook(directory, directory.name, problems=problems)


def _unknown_events(document: YamlDocument, events: tuple[str, ...]) -> list[Problem]:
    known = known_patterns()
    return [
        Problem(
            "HS151",
            "events",
            document.where(("events",)),
            f"the unknown event {event[:80]!r}",
            "an event that a gateway fires",
            did_you_mean(event, known) or f"known are {', '.join(known)}",
            "warning",
        )
        for event in events
        if not is_known(event)
    ]
