"""`hermes-sdk guardrails`: checks a policy, and says what it makes of calls that were recorded or are written down."""

from __future__ import annotations

import json
import sys
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.errors import ConfigError, SessionError
from hermes_sdk.trace.recording import FORMAT, read_recording

from .calls import Call, Reader
from .counting import exceeded
from .judge import Verdict, judge, rewritten
from .policy import DEFAULT, load_policy, schema
from .who import Callers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from .policy import LoadedPolicy
    from .policy_file import PolicyFile

_OUTCOMES: Final = {"allow": "allowed", "approve": "asked about", "block": "blocked"}
_ARGUMENTS: Final = ("args", "arguments", "tool_input")


def set_up(parser: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    commands = parser.add_subparsers(dest="what", required=True)
    check = commands.add_parser("check", help="check a policy, and what it would have done")
    check.add_argument("policy", nargs="?", type=Path, help="the policy; the one that is in force by default")
    check.add_argument("--against", type=Path, metavar="FILE", help="a recording, or JSON lines with tool and args")
    check.add_argument("--workdir", type=Path, default=Path(), metavar="DIR", help="where the session worked")
    check.add_argument("--json", action="store_true", help="print one JSON document")
    explain = commands.add_parser("explain", help="say what a shell command does, and what the policy makes of it")
    explain.add_argument("command", help="the command, in quotes")
    explain.add_argument("--policy", type=Path, help="the policy; by default the one that is in force")
    explain.add_argument("--workdir", type=Path, default=Path(), metavar="DIR", help="where it would run")
    commands.add_parser("schema", help="print the JSON schema of a policy")
    commands.add_parser("default", help="print the policy that is used when there is no other")


def run(file: PolicyFile, options: argparse.Namespace) -> int:
    """Run the command; returns its exit code.

    Args:
        file: The policy that is in force.
        options: The arguments.

    Raises:
        ConfigError: The policy cannot be used, or packages are missing.
        SessionError: There are no calls to read.
    """
    try:
        return _run(file, options)
    except ImportError as error:
        fix = "pip install 'hermes-sdk[guardrails]'"
        raise ConfigError("commands cannot be read", why=f"{error.name} is not installed", fix=fix) from None


def _run(file: PolicyFile, options: argparse.Namespace) -> int:
    if options.what == "schema":
        _print(json.dumps(schema(), indent=2, ensure_ascii=False))
    elif options.what == "default":
        _print(DEFAULT.read_text("utf-8").rstrip("\n"))
    elif options.what == "explain":
        _explain(load_policy(options.policy or file.path), file.home, options)
    else:
        _check(load_policy(options.policy or file.path), file.home, options)
    return 0


def _print(text: str) -> None:
    sys.stdout.write(_visible(text) + "\n")


def _visible(text: str) -> str:
    """Return text whose control characters cannot act on a terminal: commands are foreign text."""
    return "".join(each if each.isprintable() or each == "\n" else f"\\x{ord(each):02x}" for each in text)


def _explain(loaded: LoadedPolicy, home: Path, options: argparse.Namespace) -> None:
    call = Call("terminal", {"command": options.command})
    Reader(loaded.policy.tools, home).read(call, str(options.workdir.absolute()))
    for act in call.acts:
        _print(f"- {act}")
    verdict = judge(loaded, call)
    why = f":{verdict.message.removeprefix('guardrails:')}" if verdict.action != "allow" else ""
    _print(_OUTCOMES[verdict.action] + why)


# -- against a recording -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Judged:
    """One recorded call, and what the policy makes of it."""

    number: int
    call: Call
    verdict: Verdict
    rewritten_by: list[str]

    def as_data(self) -> dict[str, Any]:
        """Return it for JSON (Any: what JSON has)."""
        return {
            "number": self.number,
            "tool": self.call.tool,
            "session": self.call.session_id,
            "user": self.call.caller.user,
            "action": self.verdict.action,
            "rewritten_by": self.rewritten_by,
            "does": [str(act) for act in self.call.acts],
            "reasons": [
                {"rule": each.rule, "where": each.place, "act": str(each.act), "message": each.message}
                for each in self.verdict.reasons
            ],
        }

    def __str__(self) -> str:
        changed = f" (changed by {', '.join(self.rewritten_by)})" if self.rewritten_by else ""
        why = "" if self.verdict.action == "allow" else self.verdict.message.removeprefix("guardrails:")
        return f"{self.number:>4}  {self.verdict.action:<8} {self.call.tool}{changed}{':' if why else ''}{why}"


def _check(loaded: LoadedPolicy, home: Path, options: argparse.Namespace) -> None:
    rules, limits = len(loaded.policy.rules), len(loaded.policy.limits)
    about = f"{loaded.source}: {rules} rules, {limits} rate limits, in order"
    judged = list(_judged(loaded, home, options.against, options.workdir.absolute())) if options.against else []
    counts = {action: sum(each.verdict.action == action for each in judged) for action in _OUTCOMES}
    if options.json:
        document = {
            "policy": loaded.source,
            "rules": rules,
            "limits": limits,
            "calls": [each.as_data() for each in judged],
        }
        _print(json.dumps(document | {"counts": counts}, indent=2, ensure_ascii=False))
        return
    _print(about)
    for each in judged:
        _print(str(each).replace("\n", " "))
    if options.against:
        _print(f"{len(judged)} calls: " + ", ".join(f"{counts[action]} {said}" for action, said in _OUTCOMES.items()))


def _judged(loaded: LoadedPolicy, home: Path, path: Path, workdir: Path) -> Iterator[Judged]:
    reader, counter = Reader(loaded.policy.tools, home), _RecordedCounter()
    for number, (call, moment) in enumerate(_calls(path), start=1):
        _, rules = rewritten(loaded, call, moment)
        reader.read(call, str(workdir))
        verdict = judge(loaded, call, moment)
        if verdict.action != "block":
            counter.now = moment
            verdict = exceeded(loaded, call, verdict, counter, moment)
        yield Judged(number, call, verdict, rules)


def _calls(path: Path) -> Iterator[tuple[Call, datetime]]:
    """Yield the calls of a recording, or of a file with one JSON object a line, and when each was.

    Raises:
        SessionError: It is neither.
    """
    try:
        first = path.open("rb").readline(65_536).decode("utf-8", "replace")
    except OSError as error:
        raise SessionError("the calls cannot be read", where=str(path), why=str(error.strerror), code="HS460") from None
    if FORMAT in first:
        yield from _recorded(path)
    else:
        yield from _listed(path)


def _recorded(path: Path) -> Iterator[tuple[Call, datetime]]:
    recording = read_recording(path)
    callers = Callers()
    started = _moment(recording.header.get("recorded_at"))
    for entry in recording.hooks():
        payload = entry.data.get("payload")
        if not isinstance(payload, dict):
            continue
        if entry.name == "pre_llm_call":
            callers.note(**payload)
        elif entry.name == "subagent_start":
            callers.note_child(**payload)
        elif entry.name == "pre_tool_call" and payload.get("judgement", 1) == 1:
            session = str(payload.get("session_id") or "")
            moment = started + timedelta(milliseconds=float(entry.data.get("at_ms") or 0))
            yield Call(str(payload.get("tool_name")), _args(payload), session, callers.of(session)), moment


def _listed(path: Path) -> Iterator[tuple[Call, datetime]]:
    for place, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1):
        if not line.strip() or line.startswith("//"):
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            data = None
        tool = data.get("tool") or data.get("tool_name") if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(tool, str):
            raise SessionError(
                "this is no list of tool calls",
                where=f"{path}:{place}",
                why="a line is no JSON object with `tool` and `args`",
                fix="give a recording of `hermes-sdk run SESSION --record FILE`, or one such object a line",
                code="HS461",
            )
        callers = Callers()
        session = str(data.get("session_id") or "")
        callers.note(session, str(data.get("platform") or ""), str(data.get("user") or ""))
        yield Call(tool, _args(data), session, callers.of(session)), _moment(data.get("at"))


def _args(data: dict[str, Any]) -> dict[str, Any]:
    return next((dict(data[name]) for name in _ARGUMENTS if isinstance(data.get(name), dict)), {})


def _moment(value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return datetime.now(UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(slots=True)
class _RecordedCounter:
    """Counts on the clock of a recording: the library counts on that of now."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    _hits: dict[tuple[str, ...], deque[datetime]] = field(default_factory=dict)

    def hit(self, limit: str, *key: str) -> bool:
        """Count once more in a window that moves."""
        from limits import parse

        item = parse(limit)
        hits = self._hits.setdefault(key, deque())
        while hits and hits[0] <= self.now - timedelta(seconds=item.get_expiry()):
            hits.popleft()
        if len(hits) >= item.amount:
            return False
        hits.append(self.now)
        return True
