"""What a run of a script means for the agent, in words: for `hooks test` and `hooks doctor` (seed S36)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hermes_hookspecs import HOOKS, AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_sdk.shell_hooks.answer import ANSWERABLE, Replace, json_objects

if TYPE_CHECKING:
    from hermes_hookspecs.directives import Directive
    from hermes_sdk.shell_hooks.answer import Answer
    from hermes_sdk.shell_hooks.entries import ShellEntry
    from hermes_sdk.shell_hooks.inspection import Level

_SHOWN: Final = 300
"""Characters of a text that a meaning quotes."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a run comes to."""

    word: str
    """``blocks``, ``asks``, ``modifies``, ``replaces``, ``adds``, ``continues``, ``skips``, ``rewrites``, ``allows``,
    ``no opinion``, ``ignored`` or ``fails``.
    """
    text: str
    """The same as a sentence."""
    level: Level


def meaning_of(entry: ShellEntry, answer: Answer, stdout: str) -> Meaning:
    """Return what an answer of an entry means.

    Args:
        entry: Whose answer.
        answer: As it was read.
        stdout: What the script printed, for what was said in vain.
    """
    directive = answer.directive
    said = "" if directive is None else _sentence(entry.event, directive)
    if answer.failure:
        return Meaning("fails", f"fails: {answer.failure}; {_consequence(entry, said)}", "wrong")
    if directive is not None:
        return Meaning(_word(directive), said, "ok")
    keys = [str(key) for found in json_objects(stdout)[0] for key in found]
    if keys and entry.event not in ANSWERABLE:
        return Meaning("ignored", f"answer ignored: {entry.event} takes none", "note")
    if answer.remark:
        return Meaning("no opinion", f"no opinion: {answer.remark}", "wrong")
    if keys:
        heard = ", ".join(dict.fromkeys(keys))
        return Meaning("no opinion", f"no opinion: nothing that it said ({heard}) means anything here", "note")
    return Meaning("no opinion", "no opinion", "ok")


def _consequence(entry: ShellEntry, said: str) -> str:
    if entry.fail_closed:
        effect = "block the call" if entry.event == "pre_tool_call" else "withhold the output"
        return f"the entry is fail-closed, so it would {effect}"
    if said:
        return f"the entry is fail-open, so its answer would still count: it {said}"
    return "the entry is fail-open, so there would be a warning and nothing else"


_WORDS: Final = {
    Block: "blocks",
    Approve: "asks",
    Modify: "modifies",
    Replace: "replaces",
    AddContext: "adds",
    Continue: "continues",
    Skip: "skips",
    Rewrite: "rewrites",
    Allow: "allows",
    str: "replaces",
}


def _word(directive: Directive | Replace | str) -> str:
    return _WORDS[type(directive)]


def _sentence(event: str, directive: Directive | Replace | str) -> str:
    match directive:
        case Block(message=message):
            return f"blocks the call with message {_quoted(message)}"
        case Approve(message=message, rule_key=rule_key):
            reason = f": {_quoted(message)}" if message else ""
            remembered = f", remembered under {rule_key!r}" if rule_key else ""
            return f"asks a person before the call{reason}{remembered}"
        case Modify(args=args):
            return f"changes arguments of the call: {_quoted(dict(args))}"
        case Replace(args=args, approve=approve):
            asks = "" if approve is None else f" and {_sentence(event, approve)}"
            return f"replaces the arguments of the call by {_quoted(args)}{asks}"
        case AddContext(context=context):
            return f"adds {len(context)} characters to the message: {_quoted(context)}"
        case Continue(message=message):
            return f"keeps the agent at work with {_quoted(message)}"
        case Skip(reason=reason):
            return f"drops the message{f': {_quoted(reason)}' if reason else ''}"
        case Rewrite(text=text):
            return f"replaces the text of the message by {_quoted(text)}"
        case Allow():
            return "lets the message through"
        case _:
            return _transform(event, directive)


def _transform(event: str, text: str) -> str:
    value = HOOKS[event].value
    if event == "transform_llm_output" and not text:
        return "leaves the answer as it is: an empty text replaces nothing here"
    return f"replaces {value} by {len(text)} characters: {_quoted(text)}"


def _quoted(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
