"""Matchers and conditions of Claude Code's hooks, written as `matcher` and `when` of an entry.

There, letters, digits, ``_``, ``-``, blanks, commas and ``|`` alone are a list of exact names; any other character
makes the matcher a regular expression that may match anywhere in a name. Here a matcher is a regular expression for the
whole name. ``Bash(git push *)`` and the like are permission rules: a tool, and what its main argument looks like.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hermes_sdk.shell_hooks.claude import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OURS: Final[Mapping[str, str]] = {theirs: ours for ours, theirs in TOOLS.items()} | {
    "MultiEdit": "patch",
    "Glob": "search_files",
    "Agent": "delegate_task",
    "BashOutput": "process",
    "KillShell": "process",
}
"""Claude Code's tool -> ours. Several of theirs may be one of ours; scripts then read the name of the usual one."""

ONLY_THEIRS: Final = (
    "NotebookEdit",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "ExitPlanMode",
    "AskUserQuestion",
    "Skill",
    "SlashCommand",
    "LS",
)
"""Tools that Claude Code has and this host has not."""

_NAMES: Final = re.compile(r"[\w\- ,|]*", re.ASCII)
_RULE: Final = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_PATH_TOOLS: Final = ("read_file", "write_file", "patch")
_ABOUT_TOOLS: Final = re.compile(r"\w+|\^[(?:]*[A-Z].*", re.DOTALL)
"""A plain name, or what begins with a capital letter, as no tool of an MCP server does."""

_MCP_SAMPLE: Final = "mcp__server__tool"
_BEFORE: Final = r"(?:.*[\s;&|(`])?"
_BEHIND: Final = r"(?:[\s;&|)`].*)?"
"""What may stand around a simple command in a compound one."""


class NotImportableError(ValueError):
    """Something of Claude Code's configuration that has no equivalent; the message says why."""


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """Which tool calls an entry is for."""

    tools: tuple[str, ...] = ()
    """Alternatives, each a regular expression for a whole tool name; none at all means every tool."""
    when: Mapping[str, str] = field(default_factory=dict)
    """Conditions on arguments."""
    remarks: tuple[str, ...] = ()

    @property
    def matcher(self) -> str:
        """The value of ``matcher``; empty for every tool."""
        return "|".join(self.tools)


def read_matcher(text: str) -> ToolChoice:
    """Return what a matcher of PreToolUse or PostToolUse chooses.

    Raises:
        NotImportableError: It chooses only tools that are not here, or cannot be understood.
    """
    if text.strip() in ("", "*"):
        return ToolChoice()
    rule = _RULE.fullmatch(text)
    if rule is not None and (rule[1] in OURS or rule[1] in ONLY_THEIRS):
        note = f"{text} is a permission rule, which matches nothing as a matcher there; taken for what it looks like"
        choice = read_rule(text)
        return ToolChoice(choice.tools, choice.when, (note, *choice.remarks))
    if _NAMES.fullmatch(text):
        return _exact([name.strip() for name in re.split(r"[|,]", text) if name.strip()])
    return _searched(text)


def _exact(names: list[str]) -> ToolChoice:
    missing = [name for name in names if name in ONLY_THEIRS]
    tools = [re.escape(OURS.get(name, name)) for name in names if name not in ONLY_THEIRS]
    if not tools:
        raise NotImportableError(_no_tool(missing))
    return ToolChoice(_once(tools), remarks=_without(missing))


def _searched(text: str) -> ToolChoice:
    try:
        pattern = _compiled(text)
    except re.error as error:
        raise NotImportableError(f"its matcher {text!r} is no regular expression here: {error}") from None
    if all(pattern.search(name) for name in (*OURS, *ONLY_THEIRS, _MCP_SAMPLE)):
        return ToolChoice()
    tools: list[str] = []
    missing: list[str] = []
    for part in _alternatives(text):
        chosen = _compiled(part)
        found = [ours for theirs, ours in OURS.items() if chosen.search(theirs)]
        only = [name for name in ONLY_THEIRS if chosen.search(name)]
        missing += only
        tools += found
        if "mcp" in part or not (found or only) or (found and not _ABOUT_TOOLS.fullmatch(part)):
            tools.append(_whole(part))  # of other names, which are the same here
    if not tools:
        raise NotImportableError(_no_tool(missing))
    choice = ToolChoice(_once(tools), remarks=_without(missing))
    try:
        _compiled(choice.matcher)
    except re.error as error:
        raise NotImportableError(f"its matcher {text!r} cannot be rewritten for whole names: {error}") from None
    return choice


def _compiled(text: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about "[[", which means the same in both languages so far
        return re.compile(text)


def _without(missing: list[str]) -> tuple[str, ...]:
    return (_no_tool(missing),) if missing else ()


def _no_tool(missing: list[str]) -> str:
    return f"no tool here is {' or '.join(dict.fromkeys(missing))}"


def _once(tools: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tools))


def _alternatives(pattern: str) -> Iterator[str]:
    """Yield the parts between the ``|`` of a regular expression that stand in no group."""
    part, depth, in_class = "", 0, False
    for piece in re.findall(r"\\.|.", pattern, re.DOTALL):
        if in_class:
            in_class = piece != "]"
        elif piece == "[":
            in_class = True
        elif piece in "()":
            depth += 1 if piece == "(" else -1
        elif piece == "|" and not depth:
            yield part
            part = ""
            continue
        part += piece
    yield part


def _whole(part: str) -> str:
    """Return an expression that may match anywhere as one for the whole name."""
    begins = part.startswith(("^", ".*", "mcp__"))
    ends = part.endswith(".*") or (part.endswith("$") and not part.endswith("\\$"))
    core = part.removeprefix("^")
    core = core[:-1] if ends and core.endswith("$") else core
    return f"{'' if begins else '.*'}{core}{'' if ends else '.*'}"


def read_rule(text: str) -> ToolChoice:
    """Return what a permission rule chooses: ``Bash(git push *)``, ``Edit(src/**)``, ``mcp__server``, ``Bash``.

    The conditions take rather too much than too little: a script looks at its input itself.

    Raises:
        NotImportableError: Its tool is not here, or it says of the tool what has no equivalent.
    """
    rule = _RULE.fullmatch(text)
    name, content = (rule[1], rule[2].strip()) if rule else (text.strip(), "")
    if name.startswith("mcp__"):
        whole_server = name.count("__") == 1
        return ToolChoice((f"{re.escape(name)}__.*" if whole_server else re.escape(name).replace(r"\*", ".*"),))
    if name not in OURS:
        raise NotImportableError(_no_tool([name]))
    tool = OURS[name]
    if content in ("", "*"):
        return ToolChoice((tool,))
    if tool == "terminal":
        return ToolChoice((tool,), {"args.command": _command_pattern(content)})
    if tool in _PATH_TOOLS:
        return ToolChoice((tool,), {"args.path": _path_pattern(content)})
    raise NotImportableError(f"{text} says of {name} what has no equivalent here")


def _command_pattern(content: str) -> str:
    text = re.sub(r":\*$", " *", content)
    any_arguments = text.endswith(" *")
    words = text.removesuffix(" *") if any_arguments else text
    body = ".*".join(re.escape(part).replace(r"\ ", " ") for part in words.split("*"))
    return f"{_BEFORE}{body}{_BEHIND}"


def _path_pattern(content: str) -> str:
    """Return a path in the manner of .gitignore as a pattern that any directory may stand in front of."""
    if content.startswith("//"):
        return content[1:]
    relative = content.removeprefix("./").removeprefix("/")
    return content if content.startswith("~/") else f"**/{relative}"


def narrowed(choice: ToolChoice, rule: ToolChoice) -> ToolChoice:
    """Return what a matcher and a condition choose together.

    Raises:
        NotImportableError: Nothing is chosen by both.
    """
    both = [tool for tool in rule.tools if not choice.tools or any(re.fullmatch(one, tool) for one in choice.tools)]
    if not both:
        raise NotImportableError("its matcher and its if have no tool in common, so it never runs there either")
    return ToolChoice(tuple(both), {**choice.when, **rule.when}, (*choice.remarks, *rule.remarks))
