"""Commands of Claude Code's hooks as commands of entries: the same programs, without a shell where that is possible.

There a shell reads the command, in the project's directory and with ``CLAUDE_PROJECT_DIR``. Here no shell does, and a
relative path means a file of the home.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hermes_sdk.shell_hooks.command import CommandError, joined, resolve, split_command
from hermes_sdk.shell_hooks.imported_matcher import NotImportableError

_PROJECT: Final = re.compile(r"\$(?:\{CLAUDE_PROJECT_DIR\}|CLAUDE_PROJECT_DIR\b)")
_PLUGIN: Final = re.compile(r"\$(?:\{CLAUDE_PLUGIN_ROOT\}|CLAUDE_PLUGIN_ROOT\b)")
_USER_HOME: Final = re.compile(r"(^|[\s\"])\$(?:\{HOME\}|HOME\b)(?=/)")
_THEIRS: Final = re.compile(r"\$\{?(CLAUDE_PLUGIN_\w+|user_config\.\w+)")
_BUILT_IN: Final = frozenset(
    {
        ":",
        ".",
        "!",
        "[[",
        "cd",
        "eval",
        "exec",
        "exit",
        "export",
        "for",
        "if",
        "set",
        "source",
        "trap",
        "until",
        "while",
    }
)
"""First words that a shell knows and no program is called."""

_PLAIN_PATH: Final = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a settings file comes from."""

    project: Path | None = None
    """The project that it belongs to; None for a user's own settings, which count in every project."""
    plugin: Path | None = None
    """The root of the Claude Code plugin that it belongs to."""

    @classmethod
    def of(cls, path: Path) -> Origin:
        """Tell by the place of a settings file."""
        folder = path.absolute().parent
        if folder.name == "hooks":
            return cls(plugin=folder.parent)
        if folder.name == ".claude" and folder.parent != Path.home():
            return cls(project=folder.parent)
        return cls()


def rewrite_command(command: str, origin: Origin) -> str | list[str]:
    """Return a command that a shell reads there as one that needs none here, or as words that name its shell.

    Args:
        command: As it stands in the settings.
        origin: Where these are from.

    Raises:
        NotImportableError: It needs something that only Claude Code sets.
    """
    for_shell = _substituted(command, origin)
    foreign = _THEIRS.search(for_shell)
    if foreign is not None:
        raise NotImportableError(f"it uses {foreign[1]}, which only Claude Code sets")
    text = _USER_HOME.sub(r"\1~", for_shell)
    try:
        words = split_command(text)
    except CommandError:
        return _in_shell(for_shell)
    if _means_more_to_a_shell(text) or "=" in words[0] or words[0] in _BUILT_IN:
        return _in_shell(for_shell)
    relative = _relative_positions(words)
    if not relative:
        return command if text == command else joined(words)
    if origin.project is None:
        return _in_shell(for_shell)  # relative to where the session works, as it is there
    for position in relative:
        words[position] = os.path.normpath(origin.project / words[position])
    return joined(words)


def rewrite_words(words: list[str], origin: Origin) -> list[str]:
    """Return a command that no shell reads there either.

    Raises:
        NotImportableError: It needs something that only Claude Code sets, or stands in no project.
    """
    found = [_substituted(word, origin) for word in words]
    for word in found:
        foreign = _THEIRS.search(word) or _PROJECT.search(word)
        if foreign is not None:
            raise NotImportableError(f"it uses {foreign[0].strip('${}')}, which is known in sessions only")
    for position in _relative_positions(found):
        if origin.project is None:
            raise NotImportableError(f"{found[position]} is relative to no project that is known")
        found[position] = os.path.normpath(origin.project / found[position])
    return found


def _substituted(text: str, origin: Origin) -> str:
    """Return a text with the directories filled in that are known and need no quoting."""
    for pattern, directory in ((_PROJECT, origin.project), (_PLUGIN, origin.plugin)):
        # inside of single quotes a shell would leave the variable as it is
        if directory is not None and _PLAIN_PATH.fullmatch(str(directory)) and "'" not in text:
            text = pattern.sub(str(directory), text)
    return text


def _means_more_to_a_shell(text: str) -> bool:
    """Whether a shell would expand something in a command, see several in it, or a comment."""
    expanded = re.sub(r"\\.|'[^']*'", "", text)
    bare = re.sub(r"\"[^\"]*\"", "", expanded)
    return bool(re.search(r"[$`]", expanded) or re.search(r"[*?\[{(]|(^|\s)#", bare) or "\n" in text.strip())


def _in_shell(text: str) -> list[str]:
    return ["bash", "-c", text]


def _relative_positions(words: list[str]) -> list[int]:
    """Return which words name a file relative to the home here, and to the project there."""
    here, there = resolve(words, Path("/here")), resolve(words, Path("/there"))
    return [position for position, pair in enumerate(zip(here, there, strict=True)) if pair[0] != pair[1]]
