"""The YAML form of a session. Read this docstring for the format; `load_session` reads the files.

.. code-block:: yaml

    title: a day at work            # shown, and nothing else
    model: scripted/demo            # the name that hooks are told
    platform: cli
    system: Be brief.               # added to the system prompt
    max_iterations: 20              # model requests a turn
    files:                          # made in the work directory first
      notes/todo.txt: |
        buy milk
    approvals: [once]               # for turns that have none left of their own
    llm: ["a summary"]              # answers to plugins that use ctx.llm, in this order
    children:                       # what child agents do, by goal or shell pattern
      "count *":
        - say: there are three
    turns:
      - user: What is to do?        # text, or content parts; left out: the message that a plugin injected
        new_session: false          # true: begin a new session before this turn
        approvals: [once, deny]     # answers to this turn's prompts, in this order
        model:                      # one step a model request
          - tools:                  # several are a batch of parallel calls
              - {name: read_file, args: {path: notes/todo.txt}}
              - {name: terminal, args: {command: date}}
            sees: [milk]            # the request must contain this ...
            not_sees: sk-live-      # ... and must not contain that
          - error: {message: overloaded, status: 529, retryable: true}
          - interrupt: true         # Ctrl-C instead of an answer
          - say: Buy milk.          # the final answer
        expect:                     # left out: the turn must complete
          completed: true
          reason: null
          answer: milk
          not_answer: [secret]
          tools: [ok, ok]           # how the calls ended, in their order
    expect:
      files: {notes/todo.txt: milk} # what files must contain afterwards

Unknown keys, wrong types and unknown words are errors with file, line and the nearest valid name.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import Field, check_mapping, dotted, is_flag, is_mapping, is_text
from hermes_sdk.errors import did_you_mean
from hermes_sdk.host.events import Choice, ToolStatus
from hermes_sdk.host.models.scripted import ScriptedCall, ScriptedFailure, ScriptStep
from hermes_sdk.host.session_script import ScriptTurn, SessionScript, TurnExpectation

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.config.document import KeyPath, YamlDocument


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_texts(value: Any) -> bool:
    return is_text(value) or (isinstance(value, list) and all(is_text(item) for item in value))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_status(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text_map(value: Any) -> bool:
    return is_mapping(value) and all(is_text(key) and is_text(text) for key, text in value.items())


def _is_message(value: Any) -> bool:
    return is_text(value) or (isinstance(value, list) and all(is_mapping(part) for part in value))


_SESSION: Final = (
    Field("title", "text", is_text, "Shown."),
    Field("model", "text", is_text, "The name that hooks are told.", "scripted/demo"),
    Field("platform", "text", is_text, "Sent to hooks.", "cli"),
    Field("system", "text", is_text, "Added to the system prompt."),
    Field("max_iterations", "a whole number from 1", _is_count, "Model requests a turn."),
    Field("files", "a mapping of path to text", _is_text_map, "Made in the work directory first."),
    Field("approvals", "a list of answers", _is_list, "For turns that have none left of their own."),
    Field("llm", "a list of texts", _is_texts, "Answers to plugins that use ctx.llm."),
    Field("children", "a mapping of goal to steps", is_mapping, "What child agents do."),
    Field("turns", "a list of turns", _is_list, "The conversation."),
    Field("expect", "a mapping", is_mapping, "What must be true afterwards."),
)
_TURN: Final = (
    Field("user", "text or a list of content parts", _is_message, "What the person says."),
    Field("new_session", "true or false", is_flag, "Begin a new session before this turn.", "false"),
    Field("approvals", "a list of answers", _is_list, "Answers to this turn's prompts."),
    Field("model", "a list of steps", _is_list, "One step a model request."),
    Field("expect", "a mapping", is_mapping, "What must be true after the turn."),
)
_STEP: Final = (
    Field("say", "text", is_text, "Text of the model; the answer, when it calls no tools."),
    Field("tools", "a list of calls", _is_list, "Tool calls; several are a parallel batch."),
    Field("error", "a mapping", is_mapping, "The request fails."),
    Field("interrupt", "true or false", is_flag, "Ctrl-C instead of an answer."),
    Field("sees", "a text or a list of texts", _is_texts, "What the request must contain."),
    Field("not_sees", "a text or a list of texts", _is_texts, "What it must not contain."),
)
_CALL: Final = (
    Field("name", "text", is_text, "The tool."),
    Field("args", "a mapping", is_mapping, "Its arguments."),
    Field("id", "text", is_text, "The call's id; made by default."),
)
_ERROR: Final = (
    Field("message", "text", is_text, "What the error says."),
    Field("status", "an HTTP status", _is_status, "The endpoint's answer."),
    Field("retryable", "true or false", is_flag, "Whether the host tries again.", "false"),
)
_TURN_EXPECT: Final = (
    Field("completed", "true or false", is_flag, "Whether the turn gave an answer.", "true"),
    Field("reason", "text", is_text, "Why it gave none."),
    Field("answer", "a text or a list of texts", _is_texts, "What the answer must contain."),
    Field("not_answer", "a text or a list of texts", _is_texts, "What it must not contain."),
    Field("tools", "a list of statuses", _is_list, "How the tool calls ended."),
)
_EXPECT: Final = (Field("files", "a mapping of path to text", _is_text_map, "What files must contain."),)


class ScriptReader:
    """Reads one YAML script; what is wrong is collected in `problems`.

    Args:
        document: The file, read.
        path: Where it is.
    """

    def __init__(self, document: YamlDocument, path: Path) -> None:
        self._document = document
        self._path = path
        self.problems: list[Problem] = list(document.problems)

    def read(self) -> SessionScript:
        """Return the session; of use only when there are no problems."""
        top = self._mapping(self._document.data, (), _SESSION)
        expect = self._mapping(top.get("expect", {}), ("expect",), _EXPECT)
        turns = self._list(top.get("turns"), ("turns",))
        if not turns and not self.problems:
            self._wrong((), "no turns", "a list of turns", "add `turns:`")
        children = top.get("children", {})
        return SessionScript(
            "script",
            title=top.get("title", self._path.stem),
            path=self._path,
            model=top.get("model", "scripted/demo"),
            platform=top.get("platform", "cli"),
            system=top.get("system", ""),
            max_iterations=top.get("max_iterations"),
            files=self._files(top.get("files", {}), ("files",)),
            approvals=self._choices(top.get("approvals"), ("approvals",)),
            children={goal: self._steps(children[goal], ("children", goal)) for goal in children},
            plugin_answers=_texts(top.get("llm")),
            turns=tuple(self._turn(turn, ("turns", number)) for number, turn in enumerate(turns)),
            expect_files=self._files(expect.get("files", {}), ("expect", "files")),
        )

    def _turn(self, value: Any, path: KeyPath) -> ScriptTurn:
        turn = self._mapping(value, path, _TURN)
        return ScriptTurn(
            user=turn.get("user"),
            steps=self._steps(turn.get("model"), (*path, "model")),
            approvals=self._choices(turn.get("approvals"), (*path, "approvals")),
            new_session=turn.get("new_session", False),
            expect=self._expectation(turn.get("expect", {}), (*path, "expect")),
            where=_line(self._document.where(path)),
        )

    def _steps(self, value: Any, path: KeyPath) -> tuple[ScriptStep, ...]:
        steps = self._list(value, path)
        return tuple(self._step(step, (*path, number)) for number, step in enumerate(steps))

    def _step(self, value: Any, path: KeyPath) -> ScriptStep:
        step = self._mapping({"say": value} if is_text(value) else value, path, _STEP)
        acts = [key for key in ("say", "tools", "error", "interrupt") if step.get(key, False) is not False]
        if not acts:
            self._wrong(path, "a step that does nothing", "one of say, tools, error, interrupt")
        elif len(acts) > 1 and acts != ["say", "tools"]:
            self._wrong(path, f"{' and '.join(acts)} in one step", "say, tools or both, or error, or interrupt")
        error = self._mapping(step["error"], (*path, "error"), _ERROR) if "error" in step else None
        calls = self._list(step.get("tools"), (*path, "tools"))
        return ScriptStep(
            say=step.get("say", ""),
            tools=tuple(self._call(call, (*path, "tools", number)) for number, call in enumerate(calls)),
            error=None if error is None else _failure(error),
            interrupt=step.get("interrupt", False),
            sees=_texts(step.get("sees")),
            not_sees=_texts(step.get("not_sees")),
            where=_line(self._document.where(path)),
        )

    def _call(self, value: Any, path: KeyPath) -> ScriptedCall:
        call = self._mapping(value, path, _CALL)
        if "name" not in call:
            self._wrong(path, "a call without a name", "the tool's name", "add `name:`")
        return ScriptedCall(call.get("name", ""), call.get("args", {}), call.get("id"))

    def _expectation(self, value: Any, path: KeyPath) -> TurnExpectation:
        expect = self._mapping(value, path, _TURN_EXPECT)
        tools = expect.get("tools")
        return TurnExpectation(
            completed=expect.get("completed", "reason" not in expect),
            reason=expect.get("reason"),
            answer=_texts(expect.get("answer")),
            not_answer=_texts(expect.get("not_answer")),
            tools=None if tools is None else self._words(tools, (*path, "tools"), get_args(ToolStatus)),
        )

    def _choices(self, value: Any, path: KeyPath) -> tuple[Choice, ...]:
        return cast("tuple[Choice, ...]", self._words(value or [], path, get_args(Choice)))

    def _words(self, value: list[Any], path: KeyPath, known: tuple[str, ...]) -> Any:
        for number, word in enumerate(value):
            if word not in known:
                fix = did_you_mean(str(word), known)
                self._wrong((*path, number), repr(word), f"one of {', '.join(known)}", fix)
        return tuple(value)

    def _files(self, value: dict[str, str], path: KeyPath) -> dict[str, str]:
        for name in value:
            parts = PurePosixPath(name)
            if parts.is_absolute() or ".." in parts.parts or not parts.parts:
                self._wrong((*path, name), repr(name), "a path below the work directory")
        return value

    def _mapping(self, value: Any, path: KeyPath, fields: tuple[Field, ...]) -> dict[str, Any]:
        if not isinstance(value, dict):
            self._wrong(path, kind_of(value), "a mapping")
            return {}
        good, problems = check_mapping(self._document, path, value, fields)
        self.problems += problems
        return good

    def _list(self, value: Any, path: KeyPath) -> list[Any]:
        if value is None:
            return []
        if isinstance(value, list):
            return value
        self._wrong(path, kind_of(value), "a list")
        return []

    def _wrong(self, path: KeyPath, found: str, wanted: str, fix: str = "") -> None:
        key = dotted(path) or self._path.name
        self.problems.append(Problem("HS430", key, self._document.where(path), found, wanted, fix))


def _failure(error: dict[str, Any]) -> ScriptedFailure:
    return ScriptedFailure(error.get("message", "the model failed"), error.get("status"), error.get("retryable", False))


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _line(place: str) -> str:
    """Return ``file:line`` of ``file:line:column``: nobody looks for the column of a whole step."""
    return place.rpartition(":")[0] or place
