"""What a script answered: its output and exit status, read as the hook's own kind of answer (semantics 8.2, 8.4).

Both Hermes' words and Claude Code's are understood for every entry: ``action``/``message`` and ``decision``/``reason``
and ``hookSpecificOutput``. Where fields or lines contradict each other the stricter counts, and a block is never lost:
not to a banner line in front of it, and not to a missing reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS, AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_hookspecs.directives import Directive

if TYPE_CHECKING:
    from hermes_sdk.shell_hooks.process import Run

QUOTED: Final = 200
"""Characters of a script's output that a message quotes."""

BLOCKING_EXIT: Final = 2
"""The exit status that is an answer of its own."""

_LONGEST_MESSAGE: Final = 4000
"""Characters of standard error that become a block's message."""

_TRIES: Final = 100
"""Lines of an output that are tried as the beginning of an object over several lines."""


@dataclass(frozen=True, slots=True)
class Replace:
    """pre_tool_call, Claude Code's ``updatedInput``: these are the arguments now."""

    args: dict[str, Any]
    approve: Approve | None = None
    """Where it asks a person too."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run means."""

    directive: Directive | Replace | str | None = None
    """The answer; a str for transforms; None for no opinion."""
    failure: str = ""
    """Why the run failed, for `fail_closed`."""
    remark: str = ""
    """Something worth a warning that is no failure."""
    refusal: str = ""
    """Why it was not run at all: `hooks_trust: content` suspends it."""


_Reading = tuple[Directive | Replace | str | None, str]
"""An answer or None, and what is wrong with what was meant as one."""


def read_answer(event: str, run: Run, name: str, *, exit_2_blocks: bool = True) -> Answer:
    """Return what a run means for an event.

    Args:
        event: The hook.
        run: What came of the script.
        name: How messages call the entry.
        exit_2_blocks: Whether exit status 2 is an answer (`exit_code_2: block`).
    """
    objects, stray = json_objects(run.stdout)
    readings = [_READERS.get(event, _nothing)(answer, name) for answer in objects]
    directive = max((found for found, _ in readings if found is not None), key=strictness, default=None)
    if not run.failure and run.returncode == BLOCKING_EXIT and exit_2_blocks and event == "pre_tool_call":
        block = directive if isinstance(directive, Block) else Block(_exit_2_message(run, objects, name))
        return Answer(block, "", stray)
    wrong = [problem for _, problem in readings if problem]
    if run.failure:
        wrong.insert(0, run.failure)
    elif run.returncode:
        how = f"signal {-run.returncode}" if run.returncode < 0 else f"exit status {run.returncode}"
        wrong.insert(0, f"{how}: {quoted(run.stderr)}" if run.stderr.strip() else how)
    elif run.stdout.strip() and not objects:
        return Answer(None, f"its output is no JSON object: {quoted(run.stdout)}")
    return Answer(directive, "; ".join(wrong), stray)


def quoted(text: str) -> str:
    """Return the beginning of a script's output on one line, with control characters escaped."""
    text = text.strip()
    shown = "".join(each if each.isprintable() else repr(each)[1:-1] for each in text[:QUOTED])
    return f"{shown}..." if len(text) > QUOTED else shown


def _exit_2_message(run: Run, objects: list[dict[str, Any]], name: str) -> str:
    for answer in objects:
        said = _reason(answer)
        if said:
            return said
    said = "".join(each for each in run.stderr if each.isprintable() or each in "\n\t").strip()
    default = f"blocked by {name} (exit status 2; interpreters also exit with 2 when they cannot read their script)"
    return said[:_LONGEST_MESSAGE] or default


def json_objects(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the JSON objects in an output, and a remark about the rest of it.

    The whole output is one object, or failing that whatever begins and ends with a line and is one.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text:
        return [], ""
    whole = _object(text)
    if whole is not None:
        return [whole], ""
    objects, stray = _scan(text)
    return objects, f"other output beside the answer: {quoted(stray)}" if stray and objects else ""


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _scan(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the objects in a text that is not one as a whole, and everything else in it."""
    objects: list[dict[str, Any]] = []
    stray: list[str] = []
    tries = _TRIES
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else None].strip()
        found = _object(line) if line.startswith("{") else None
        if found is None and line.startswith("{") and tries:
            tries -= 1
            found, after = _over_lines(text, text.index("{", start))
            end = after if found is not None else end
        if found is not None:
            objects.append(found)
        elif line:
            stray.append(line)
        start = end + 1 if end >= 0 else len(text)
    return objects, " | ".join(stray)


def _over_lines(text: str, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return an object that begins at `start` and ends with some line, and where that line ends."""
    try:
        value, after = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start
    end = text.find("\n", after)
    if not isinstance(value, dict) or text[after : end if end >= 0 else None].strip():
        return None, start
    return value, end if end >= 0 else len(text)


_DECODER: Final = json.JSONDecoder()

_STRICTNESS: Final = (type(None), Allow, Modify, Replace, Rewrite, Approve, Skip, Block)


def strictness(directive: object) -> int:
    """Return how strict an answer is, for choosing between contradictory ones."""
    if isinstance(directive, Replace) and directive.approve is not None:
        return _STRICTNESS.index(Approve)
    return _STRICTNESS.index(type(directive)) if type(directive) in _STRICTNESS else 1


# -- one reader an event that takes answers ----------------------------------------------------------------------------


def _text(*values: object) -> str | None:
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def _words(*values: object) -> set[str]:
    """Return what was said in words; a script may have said anything."""
    return {value for value in values if isinstance(value, str)}


def _specific(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = answer.get("hookSpecificOutput")
    return inner if isinstance(inner, Mapping) else {}


def _reason(answer: Mapping[str, Any]) -> str | None:
    return _text(answer.get("message"), answer.get("reason"), _specific(answer).get("permissionDecisionReason"))


def _tool(answer: Mapping[str, Any], name: str) -> _Reading:
    specific = _specific(answer)
    said = _words(answer.get("action"), answer.get("decision"), specific.get("permissionDecision"))
    if said & {"block", "deny"}:
        return Block(_reason(answer) or f"blocked by {name}"), ""
    # their "approve" means yes, ours asks a person
    asks = answer.get("action") == "approve" or "ask" in said
    approve = Approve(_reason(answer) or "", _text(answer.get("rule_key"))) if asks else None
    updated = specific.get("updatedInput", answer.get("updatedInput"))
    if isinstance(updated, dict):
        return Replace(updated, approve), ""
    if approve is not None:
        return approve, ""
    if "modify" in said:
        args = answer.get("args", answer.get("tool_input"))
        return (Modify(args), "") if isinstance(args, dict) else (None, "'modify' needs an object as 'args'")
    unknown = said - {"approve", "allow", "defer"}
    return None, f"unknown answer: {quoted(', '.join(sorted(unknown)))}" if unknown else ""


def _context(answer: Mapping[str, Any], _name: str) -> _Reading:
    text = _text(answer.get("context"), _specific(answer).get("additionalContext"), answer.get("additionalContext"))
    if text:
        return AddContext(text), ""
    if "block" in _words(answer.get("action"), answer.get("decision")):
        return None, "a message of the user cannot be blocked"
    given = answer.get("context", "")
    return None, "" if isinstance(given, str) or given is None else "'context' must be a string"


def _verify(answer: Mapping[str, Any], _name: str) -> _Reading:
    said = _words(answer.get("action"), answer.get("decision"))
    if said & {"continue", "block"}:
        message = _reason(answer)
        return (Continue(message), "") if message else (None, "'continue' needs a message")
    return None, ""


def _dispatch(answer: Mapping[str, Any], _name: str) -> _Reading:
    action = answer.get("action")
    if action == "skip":
        return Skip(_text(answer.get("reason")) or ""), ""
    if action == "rewrite":
        text = answer.get("text")
        return (Rewrite(text), "") if isinstance(text, str) else (None, "'rewrite' needs a text")
    if action in (None, "allow"):
        return (Allow() if action else None), ""
    return None, f"unknown answer: {quoted(str(action))}"


def _transform(value: str) -> Callable[[Mapping[str, Any], str], _Reading]:
    def read(answer: Mapping[str, Any], _name: str) -> _Reading:
        for key in dict.fromkeys(("output", "result", value)):
            if answer.get(key) is not None:
                text = answer[key]
                return (text, "") if isinstance(text, str) else (None, f"{key!r} must be a string")
        return None, ""

    return read


def _nothing(_answer: Mapping[str, Any], _name: str) -> _Reading:
    return None, ""


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any], str], _Reading]]] = {
    "pre_tool_call": _tool,
    "pre_llm_call": _context,
    "pre_verify": _verify,
    "pre_gateway_dispatch": _dispatch,
    **{name: _transform(contract.value) for name, contract in HOOKS.items() if contract.value},
}

ANSWERABLE: Final = frozenset(_READERS)
"""The events on which an answer means something."""
