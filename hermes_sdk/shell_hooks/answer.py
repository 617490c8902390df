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


@dataclass(frozen=True, slots=True)
class Replace:
    """pre_tool_call, Claude Code's ``updatedInput``: these are the arguments now."""

    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one run means."""

    directive: Directive | Replace | str | None = None
    """The answer; a str for transforms; None for no opinion."""
    failure: str = ""
    """Why the run failed, for `fail_closed`."""
    remark: str = ""
    """Something worth a warning that is no failure."""


def read_answer(event: str, run: Run, name: str, *, exit_2_blocks: bool = True) -> Answer:
    """Return what a run means for an event.

    Args:
        event: The hook.
        run: What came of the script.
        name: How messages call the entry.
        exit_2_blocks: Whether exit status 2 is an answer (`exit_code_2: block`).
    """
    directive, problem, remark = _read_stdout(event, run.stdout, name)
    if run.failure:
        return Answer(directive, run.failure, remark)
    if run.returncode == BLOCKING_EXIT and exit_2_blocks and event == "pre_tool_call":
        return Answer(directive if isinstance(directive, Block) else Block(_exit_2_message(run, name)), "", remark)
    if run.returncode:
        how = f"signal {-run.returncode}" if run.returncode < 0 else f"exit status {run.returncode}"
        said = f": {quoted(run.stderr)}" if run.stderr.strip() else ""
        return Answer(directive, f"{how}{said}", remark)
    return Answer(directive, problem, remark)


def quoted(text: str) -> str:
    """Return the beginning of a script's output with control characters escaped, on one line."""
    text = text.strip()
    shown = text[:QUOTED].encode("unicode_escape").decode("ascii") if not text[:QUOTED].isprintable() else text[:QUOTED]
    return f"{shown}..." if len(text) > QUOTED else shown


def _exit_2_message(run: Run, name: str) -> str:
    if run.stderr.strip():
        return run.stderr.strip()[:4000]
    return f"blocked by {name} (exit status 2; interpreters also exit with 2 when they cannot read their script)"


def _read_stdout(event: str, stdout: str, name: str) -> tuple[Directive | Replace | str | None, str, str]:
    """Return (answer, why there is none although something was printed, a remark)."""
    if not stdout.strip():
        return None, "", ""
    objects, stray = json_objects(stdout)
    if not objects:
        return None, f"its output is no JSON object: {quoted(stdout)}", ""
    readings = [_READERS.get(event, _nothing)(answer, name) for answer in objects]
    directives = [directive for directive, _ in readings if directive is not None]
    remark = "; ".join([*(problem for _, problem in readings if problem), *stray])
    if not directives:
        return None, "", remark
    return max(directives, key=strictness), "", remark


def json_objects(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the JSON objects in an output, and remarks about the rest.

    The whole output is one object, or failing that every line that is one counts.
    """
    whole = _object(text)
    if whole is not None:
        return [whole], []
    objects, stray = [], []
    for line in filter(str.strip, text.splitlines()):
        found = _object(line)
        if found is None:
            stray.append(line)
        else:
            objects.append(found)
    return objects, [f"other output beside the answer: {quoted(' | '.join(stray))}"] if stray else []


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


_STRICTNESS: Final = (type(None), Allow, Modify, Replace, Rewrite, Approve, Skip, Block)


def strictness(directive: object) -> int:
    """Return how strict an answer is, for choosing between contradictory ones."""
    return _STRICTNESS.index(type(directive)) if type(directive) in _STRICTNESS else 1


# -- one reader an event that takes answers ----------------------------------------------------------------------------

_Reading = tuple[Directive | Replace | str | None, str]


def _text(*values: object) -> str | None:
    return next((value for value in values if isinstance(value, str) and value.strip()), None)


def _specific(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = answer.get("hookSpecificOutput")
    return inner if isinstance(inner, Mapping) else {}


def _tool(answer: Mapping[str, Any], name: str) -> _Reading:
    specific = _specific(answer)
    permission = specific.get("permissionDecision")
    said = {answer.get("action"), answer.get("decision"), permission} - {None}
    message = _text(answer.get("message"), answer.get("reason"), specific.get("permissionDecisionReason"))
    if said & {"block", "deny"}:
        return Block(message or f"blocked by {name}"), ""
    if answer.get("action") == "approve" or "ask" in said:
        return Approve(message or "", _text(answer.get("rule_key"))), ""
    updated = specific.get("updatedInput", answer.get("updatedInput"))
    if isinstance(updated, dict):
        return Replace(updated), ""
    if answer.get("action") == "modify":
        args = answer.get("args", answer.get("tool_input"))
        return (Modify(args), "") if isinstance(args, dict) else (None, "'modify' needs an object as 'args'")
    unknown = said - {"approve", "allow", "modify"}
    return None, f"unknown answer {sorted(map(str, unknown))}" if unknown else ""


def _context(answer: Mapping[str, Any], _name: str) -> _Reading:
    text = _text(answer.get("context"), _specific(answer).get("additionalContext"), answer.get("additionalContext"))
    return (AddContext(text), "") if text else (None, "")


def _verify(answer: Mapping[str, Any], _name: str) -> _Reading:
    if answer.get("action") == "continue" or answer.get("decision") == "block":
        message = _text(answer.get("message"), answer.get("reason"))
        return (Continue(message), "") if message else (None, "'continue' needs a message")
    return None, ""


def _dispatch(answer: Mapping[str, Any], _name: str) -> _Reading:
    action = answer.get("action")
    if action == "skip":
        return Skip(_text(answer.get("reason")) or ""), ""
    if action == "rewrite":
        text = answer.get("text")
        return (Rewrite(text), "") if isinstance(text, str) else (None, "'rewrite' needs a text")
    return (Allow(), "") if action == "allow" else (None, "")


def _transform(value: str) -> Callable[[Mapping[str, Any], str], _Reading]:
    def read(answer: Mapping[str, Any], _name: str) -> _Reading:
        for key in dict.fromkeys(("output", "result", value)):
            if key in answer:
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
