"""Stands in front of tools: reads the call, judges it, counts it, and answers as hooks do."""

from __future__ import annotations

import logging
from collections import OrderedDict
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import Approve, Block

from .calls import Call, Reader, working_directory
from .counting import LibraryCounter, LimitsUnavailableError, exceeded
from .judge import Verdict, judge, rewritten
from .policy_file import BrokenPolicyError, PolicyFile
from .who import Callers

if TYPE_CHECKING:
    from pathlib import Path

    from .policy import LoadedPolicy
    from .settings import Settings

logger = logging.getLogger(__name__)

_SESSIONS_KEPT: Final = 1_000


def missing(package: str = "") -> str:
    """Say which packages are to be installed where one is not there."""
    extra = "guardrails,redis" if package == "redis" else "guardrails"
    return f"packages are missing: pip install 'hermes-sdk[{extra}]'"


class Guard:
    """Judges the calls of one process.

    Args:
        settings: The plugin's settings.
        home: The agent's home.
    """

    def __init__(self, settings: Settings, home: Path) -> None:
        self.callers = Callers()
        self.file = PolicyFile(home, settings.policy)
        self._settings = settings
        self._counter: LibraryCounter | None = None
        self._reader: tuple[LoadedPolicy, Reader] | None = None
        self._cwds: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._lock = Lock()

    def pre_tool_call(
        self,
        tool_name: str,
        args: dict[str, Any],
        session_id: str = "",
        judgement: int = 1,
        already_blocked: bool = False,
        **_: Any,
    ) -> dict[str, Any] | None:
        """Answer one call; its arguments (Any: a model's) are changed in place where a rule rewrites them.

        In place, because that is a change to every host, also together with an approve.
        """
        loaded: LoadedPolicy | None = None
        try:
            loaded = self.file.current()
            if loaded is None:
                return None
            args = args if isinstance(args, dict) else {}
            call = Call(tool_name, args, session_id or "", self.callers.of(session_id or ""))
            return self._answer(loaded, call, args, again=judgement > 1, counted=not already_blocked)
        except BrokenPolicyError as error:
            return Block(f"guardrails: every tool is blocked until the policy is mended: {error}").to_dict()
        except Exception as error:
            if isinstance(error, ImportError):
                why = missing(error.name or "")
            else:
                why = f"{type(error).__name__}: {error}"
                logger.exception("a call of %s could not be judged", tool_name)
            if loaded is None or loaded.policy.fail_closed:
                return Block(f"guardrails: the call could not be judged, so it is blocked: {why}").to_dict()
            return None

    def _answer(
        self, loaded: LoadedPolicy, call: Call, args: dict[str, Any], *, again: bool, counted: bool
    ) -> dict[str, Any] | None:
        changed, rules = rewritten(loaded, call)
        if rules and again:
            message = (
                f"the call must be changed by the rule {rules[0]}, but it was changed by something else after that"
            )
            return Block(f"guardrails: {message}").to_dict()
        self.read(loaded, call)
        verdict = judge(loaded, call)
        if verdict.action != "block" and not again and counted and loaded.policy.limits:
            verdict = self._counted(loaded, call, verdict)
        if verdict.action == "block":
            return Block(verdict.message).to_dict()
        if rules:
            logger.info("%s: changed by %s", call.tool, ", ".join(rules))
            args.clear()
            args.update(changed)
        if verdict.action == "approve":
            return Approve(verdict.message, verdict.rule_key).to_dict()
        return None

    def read(self, loaded: LoadedPolicy, call: Call) -> None:
        """Find out what a call does, from where its session is."""
        if self._reader is None or self._reader[0] is not loaded:
            self._reader = loaded, Reader(loaded.policy.tools, self.file.home)
        workdir, starts_there = working_directory()
        before = () if starts_there else self._cwds.get(call.session_id, ())
        self._reader[1].read(call, workdir, before)
        if not starts_there:
            with self._lock:
                self._cwds[call.session_id] = call.cwds
                self._cwds.move_to_end(call.session_id)
                if len(self._cwds) > _SESSIONS_KEPT:
                    self._cwds.popitem(last=False)

    def _counted(self, loaded: LoadedPolicy, call: Call, verdict: Verdict) -> Verdict:
        with self._lock:
            if self._counter is None:
                storage = self._settings.limits_storage.get_secret_value()
                self._counter = LibraryCounter(storage, self._settings.limits_down)
        try:
            return exceeded(loaded, call, verdict, self._counter, datetime.now(UTC))
        except LimitsUnavailableError:
            message = "the counts of the rate limits cannot be reached, and `limits_down` is `block`"
            raise RuntimeError(message) from None
