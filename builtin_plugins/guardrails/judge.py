"""Judges a call: for each thing that it does the first rule that fits, and of these verdicts the strictest."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from .hosts import host_matches
from .times import Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .acts import Act
    from .calls import Call
    from .policy import Condition, LoadedPolicy, Rule

Action = Literal["allow", "approve", "block"]
_LONGEST_ARGUMENT: Final = 100_000
"""Characters of an argument that patterns are looked for in; in a longer one, any of them may be."""
_SHOWN: Final = 200
_MOST_REASONS: Final = 4
_MOST_TARGET: Final = 120


@dataclass(frozen=True, slots=True)
class Reason:
    """What one act met."""

    action: Action
    act: Act
    rule: str
    """Name of the rule; ``otherwise`` when none fits."""
    message: str
    place: str

    def __str__(self) -> str:
        said = f"{self.message}: " if self.message else ""
        where = f"rule {self.rule}" if self.rule != "otherwise" else "no rule allows it"
        text = f"{self.act}"
        text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
        return f"{said}{text} ({where}{', ' + self.place if self.place else ''})"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a call."""

    action: Action
    reasons: tuple[Reason, ...] = ()
    """Those of the strictest action, without repeats."""
    call: str = ""
    """The call itself, as text."""

    @property
    def message(self) -> str:
        """The reasons, for the model or a person."""
        shown = "; ".join(map(str, self.reasons[:_MOST_REASONS]))
        more = len(self.reasons) - _MOST_REASONS
        return f"guardrails: {shown}" + (f"; and {more} more" if more > 0 else "")

    @property
    def rule_key(self) -> str:
        """What a person's lasting answer is remembered under: the rules, and exactly what was asked about."""
        rules = "+".join(dict.fromkeys(reason.rule for reason in self.reasons))
        targets = sorted({f"{reason.act.does}:{_subject(reason.act)}" for reason in self.reasons})
        text = ",".join(targets)
        opaque = any(reason.act.does == "opaque" for reason in self.reasons)
        if opaque:  # nobody knows what else it does: the answer is for this very call
            targets.append(self.call)
        if opaque or len(text) > _MOST_TARGET:
            text = hashlib.sha256("\0".join(targets).encode("utf-8", "replace")).hexdigest()[:16]
        return f"{rules}:{text}"


def _subject(act: Act) -> str:
    if act.path is not None:
        return act.path.text
    if act.does == "opaque":
        return f"{act.why}:{act.words}"
    return act.host or act.words or act.program


def judge(loaded: LoadedPolicy, call: Call, now: datetime | None = None) -> Verdict:
    """Return what a policy makes of a call, rate limits left out.

    Args:
        loaded: The policy.
        call: The call, with its acts.
        now: An aware moment; this one by default.
    """
    moment = now or datetime.now(UTC)
    rules = [rule for rule in loaded.policy.rules if rule.action != "rewrite" and about(rule, call, moment)]
    reasons: dict[Reason, None] = {}
    for act in call.acts:
        rule = next((rule for rule in rules if touches(rule, act, call, lenient=rule.action != "allow")), None)
        if rule is None:
            reasons[Reason(loaded.policy.otherwise, act, "otherwise", "", "")] = None
        else:
            acted: Action = "allow" if rule.action == "rewrite" else rule.action
            reasons[Reason(acted, act, rule.name, rule.message, loaded.places[rule.name])] = None
    actions = {reason.action for reason in reasons}
    action: Action = "block" if "block" in actions else "approve" if "approve" in actions else "allow"
    order = {rule.name: number for number, rule in enumerate(loaded.policy.rules)}
    strictest = [reason for reason in reasons if reason.action == action]
    strictest.sort(key=lambda reason: order.get(reason.rule, len(order)))
    return Verdict(action, tuple(strictest), f"{call.tool} {json.dumps(call.args, sort_keys=True, default=str)}")


def rewritten(loaded: LoadedPolicy, call: Call, now: datetime | None = None) -> tuple[dict[str, Any], list[str]]:
    """Return a call's arguments as the rewriting rules make them, and the names of these rules.

    Values are Any: a model sends what it likes.
    """
    moment = now or datetime.now(UTC)
    args: dict[str, Any] = dict(call.args)
    applied = []
    for rule in loaded.policy.rules:
        if rule.action != "rewrite":
            continue
        call.args = args
        if about(rule, call, moment):
            changed = _changed(rule, args)
            if changed != args:
                args = changed
                applied.append(rule.name)
    call.args = args
    return args, applied


def _changed(rule: Rule, args: dict[str, Any]) -> dict[str, Any]:
    changed = {**args, **rule.set}
    for name, replacement in rule.replace.items():
        value = changed.get(name)
        if isinstance(value, str):
            changed[name] = re.sub(replacement.pattern, replacement.by, value)
    return changed


def about(condition: Condition, call: Call, now: datetime) -> bool:
    """Whether a rule or limit is about a call, as far as its tool, arguments, user, platform and time say."""
    if condition.tool and not any(fnmatchcase(call.tool, pattern) for pattern in condition.tool):
        return False
    lenient = getattr(condition, "action", "block") != "allow"
    if condition.user and not _listed(condition.user, _names(call.caller.user), fnmatchcase, lenient=lenient):
        return False
    if condition.platform and not _listed(condition.platform, call.caller.platforms, fnmatchcase, lenient=lenient):
        return False
    if condition.time and not any(Window.parse(text).holds(now) for text in condition.time):
        return False
    return all(
        _argument(call.args, path.split("."), patterns, lenient=lenient) for path, patterns in condition.args.items()
    )


def touches(condition: Condition, act: Act, call: Call, *, lenient: bool) -> bool:
    """Whether a rule or limit is about an act.

    Args:
        condition: The rule or limit.
        act: The act.
        call: The call that it is part of.
        lenient: Whether it is enough that it may be; else it must be for certain.
    """
    if condition.does and act.does not in condition.does:
        return False
    if condition.program and not any(_program(pattern, act, lenient=lenient) for pattern in condition.program):
        return False
    if condition.path and not _path(condition.path, act, call, lenient=lenient):
        return False
    return not condition.host or (act.host is not None and _host(condition.host, act.host, lenient=lenient))


def _program(pattern: str, act: Act, *, lenient: bool) -> bool:
    if not act.program:
        return False
    names = [act.program, act.program.rpartition("/")[2]] if lenient else [act.program]
    if " " not in pattern:
        return any(fnmatchcase(name, pattern) for name in names)
    if "…" in act.words and not lenient:
        return False
    behind = act.words[len(act.program) :]
    return any(fnmatchcase(name + behind, pattern) for name in names)


def _path(patterns: list[str], act: Act, call: Call, *, lenient: bool) -> bool:
    path = act.path
    if path is None:
        return False
    wanted, unwanted = _split(patterns)
    may, surely = call.places.may_touch, call.places.stays_within
    positive, negative = (may, surely) if lenient else (surely, may)
    if any(negative(pattern, path, recursive=act.recursive) for pattern in unwanted):
        return False
    return not wanted or any(positive(pattern, path, recursive=act.recursive) for pattern in wanted)


def _host(patterns: list[str], host: str, *, lenient: bool) -> bool:
    wanted, unwanted = _split(patterns)
    if not host:  # it could be any
        return (lenient or not unwanted) and (not wanted or "*" in wanted)
    if any(host_matches(pattern, host) for pattern in unwanted):
        return False
    return not wanted or any(host_matches(pattern, host) for pattern in wanted)


def _split(patterns: list[str]) -> tuple[list[str], list[str]]:
    unwanted = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return [pattern for pattern in patterns if not pattern.startswith("!")], unwanted


def _names(user: str) -> tuple[str, ...]:
    return (user, user.partition(":")[2]) if ":" in user else (user,) if user else ()


def _listed(patterns: list[str], values: Iterable[str], matches: Callable[[str, str], bool], *, lenient: bool) -> bool:
    """Whether one of some values is listed; what nobody knows is only taken for one that is not excluded."""
    wanted, unwanted = _split(patterns)
    found = list(values)
    if not found:
        return lenient and not wanted
    if any(matches(value, pattern) for value in found for pattern in unwanted):
        return False
    return not wanted or any(matches(value, pattern) for value in found for pattern in wanted)


def _argument(args: Mapping[str, Any], path: list[str], patterns: list[str], *, lenient: bool) -> bool:
    return any(
        _found(pattern, value) if len(value) <= _LONGEST_ARGUMENT else lenient
        for value in _values(args, path)
        for pattern in patterns
    )


def _values(value: Any, path: list[str]) -> Iterator[str]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _values(item, path)
    elif not path:
        if not isinstance(value, dict):
            yield {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    elif isinstance(value, dict):
        step, *rest = path
        for key, item in value.items():
            if step in ("*", key):
                yield from _values(item, rest)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.removeprefix("re:"), re.DOTALL)


def _found(pattern: str, value: str) -> bool:
    if pattern.startswith("glob:"):
        return fnmatchcase(value, pattern[5:])
    return _pattern(pattern).search(value) is not None
