"""One firing in both hosts, of plugins that only answer."""

import our_rules
from pictures import picture
from plugin_source import VALUES
from verdict import ACTS, RETURNS, Verdict
from versions import UPSTREAM

from hermes_hookspecs.contract import HOOKS

JUDGED = "pre_tool_call"
HISTORY = "conversation_history"
COPIED_THERE = {(JUDGED, "middleware_trace"), ("pre_verify", "changed_paths")}
"""What hermes-agent's own functions copy on the way, so that a change cannot be seen from outside."""


class Pair:
    """One firing in both hosts.

    Args:
        case: Where it belongs.
        firing: What was fired.
        host: All that was seen in hermes-agent.
        theirs: What was seen of this firing there.
        ours: What was seen of it here.
    """

    def __init__(self, case, firing, host, theirs, ours):
        self.case = case
        self.hook = firing.hook
        self.sent = picture(firing.payload)
        self.host = host
        self.theirs = theirs
        self.ours = ours
        self.verdict = Verdict()
        self.loose = {}
        """Arguments that may differ from here on, with the difference that is to blame."""

    def compare(self):
        """Fill `verdict`."""
        if self.ours["ended"]:
            self.verdict.problem(RETURNS, f"ended by {self.ours['ended']} here")
        elif self._runs_here_only():
            return
        else:
            self.verdict.count(RETURNS)
            self._compare_calls()
            self._compare_changes()
            if self.hook in HOOKS:
                self.verdict.count(ACTS)
                self._compare_acts()

    def _runs_here_only(self):
        """Whether no plugin is loaded there, so that there is nothing to compare; the plugins' part says why."""
        return (
            all(status != "loaded" for status in self.host["plugins"].values()) and not self.host["registered"]["hooks"]
        )

    def _compare_calls(self):
        theirs, ours = self.theirs["returns"], self.ours["returns"]
        if theirs == ours or self._chained(theirs):
            return
        if len(theirs) == len(ours) and all(map(self._asks_instead, theirs, ours)):
            self.verdict.recognise(RETURNS, "older-releases")
            return
        self.verdict.problem(RETURNS, f"returns {theirs!r} there, {ours!r} here")

    def _asks_instead(self, there, here):
        """Whether answers are equal, or a plugin that found a host without approvals blocks there and asks here."""
        if there == here:
            return True
        asks = isinstance(here, dict) and here.get("action") == "approve"
        return asks and not self.host["knows approve"] and our_rules.is_block(there)

    def _chained(self, answers):
        """Whether more than one text was made of a value."""
        if self.hook not in VALUES or sum(isinstance(answer, str) for answer in answers) < 2:
            return False
        self.verdict.recognise(RETURNS, "chained-transforms")
        return True

    def _compare_changes(self):
        """What is changed in place reaches the host's own dict in both; only the history is everybody's own here."""
        theirs, ours = self.theirs["changed"], self.ours["changed"]
        for name in {**theirs, **ours}:
            if theirs.get(name) == ours.get(name) or (self.hook, name) in COPIED_THERE:
                continue
            if name in self.loose:
                self.verdict.recognise(RETURNS, self.loose[name])
            elif name == HISTORY and name not in ours:
                self.verdict.recognise(RETURNS, "private-arguments")
            else:
                text = f"{name} is changed to {theirs.get(name)!r} there, {ours.get(name)!r} here"
                self.verdict.problem(RETURNS, text)

    # -- what the host does ------------------------------------------------------------------------------------

    def _compare_acts(self):
        """Compare what the host does; a different rule has to be one of ours."""
        theirs, ours = dict(self.theirs["acts"]), dict(self.ours["acts"])
        if "args" in self.loose:
            theirs.pop("args", None)
            ours.pop("args", None)
        if theirs == ours:
            return
        reason = self._reason(theirs, ours)
        if reason:
            self.verdict.recognise(ACTS, reason)
        else:
            self.verdict.problem(ACTS, f"the host does {theirs!r} there, {ours!r} here")

    def _reason(self, theirs, ours):
        """Return the difference by which the same answers lead to another outcome, or None."""
        answers = self.theirs["returns"]
        if self.host["version"] != UPSTREAM and self._is_beyond(ours):
            return "older-releases"
        if any(self._has_no_text(answer) for answer in answers):
            return "texts-only"
        if self.hook == JUDGED and theirs["action"] == "approve" and ours["action"] == "block":
            return "strictest-verdict" if any(map(our_rules.is_block, answers)) else None
        if self.hook == "pre_gateway_dispatch":
            return "rewrite-without-text" if any(map(_rewrites_nothing, answers)) else None
        return "chained-transforms" if self._chained(answers) else None

    def _has_no_text(self, answer):
        """Whether hermes-agent takes something for a message or context that is blank, or no text at all."""
        key = {JUDGED: "message", "pre_llm_call": "context"}.get(self.hook)
        value = answer.get(key) if key and isinstance(answer, dict) else None
        return bool(value) and our_rules.text(value) is None

    def _is_beyond(self, ours):
        """Whether what happens here is nothing that this release of theirs knows."""
        asks = self.hook == JUDGED and ours["action"] == "approve"
        return self.hook not in self.host["known hooks"] or (asks and not self.host["knows approve"])


def _rewrites_nothing(answer):
    return isinstance(answer, dict) and answer.get("action") == "rewrite" and not isinstance(answer.get("text"), str)
