"""One run of middleware in both hosts. Request middleware is chained here, and shares one dict there."""

from callback_pair import CallbackPair
from pair import HISTORY
from plugin_source import MIDDLEWARE, WORKED_ON
from verdict import ACTS, RETURNS

__all__ = ["MIDDLEWARE", "MiddlewarePair"]


class MiddlewarePair(CallbackPair):
    """One run of middleware in both hosts, call by call."""

    counts_once = False

    def __init__(self, case, firing, host, theirs, ours):
        super().__init__(case, firing, host, theirs, ours)
        self.key = WORKED_ON[self.hook]
        """The argument that is rewritten."""
        self.nested = self.hook.endswith("execution")
        given = {f"original_{self.key}", "middleware_schema_version", *(["next_call"] if self.nested else [])}
        self.sent_there |= given
        self.sent_here |= given

    def compare(self):
        """Fill `verdict`."""
        super().compare()
        self.verdict.count(ACTS)
        self._compare_acts()

    def _compare_in_order(self, theirs, only_here):
        here = [only_here[label] for label, _, _ in self.ours["seen"] if label in only_here]
        there = [why for label, why in self._only_there(only_here).items() if label in dict(self._callbacks())]
        reason = next(iter(here + there), None)
        if (
            self.nested and reason
        ):  # whoever ran in one host only decided whether anything inside of it runs, and what comes out
            self.verdict.recognise(RETURNS, reason)
            self.loose |= dict.fromkeys(self.sent, reason)
        else:
            super()._compare_in_order(theirs, only_here)

    def _check_own_rules(self):
        if self.nested or self._changes_in_place():
            return
        value = self.sent[self.key]
        for _, _, answer in self.ours["seen"]:
            value = answer[self.key] if self._rewrites(answer) else value
        if self.ours["acts"]["payload"] != value:
            self.verdict.problem(ACTS, f"comes out as {self.ours['acts']['payload']!r} here, not {value!r}")

    def _changes_in_place(self):
        return any(callback.changes for _, callback in self._callbacks())

    def _compare_acts(self):
        if self._changes_in_place():  # which is a rewrite here, and none there
            self.theirs["acts"].pop("rewrites", None)
            self.ours["acts"].pop("rewrites", None)
        super()._compare_acts()

    def _rewrites(self, answer):
        return isinstance(answer, dict) and isinstance(answer.get(self.key), dict)

    def _loosen(self, reason, answer, label):
        changed = self.case.callbacks[label].changes
        raised = isinstance(answer, dict) and "<raised>" in answer
        if self.nested:
            if reason:
                self.loose.setdefault(self.key, reason)
            return
        if self._rewrites(answer):
            self.loose.setdefault(self.key, reason or "chained-middleware")
        elif changed and changed[0] == self.key and (reason or raised):
            self.loose.setdefault(self.key, reason or "undone-changes")
        if changed and (changed[0] in {f"original_{self.key}", HISTORY} or (reason and changed[0] != self.key)):
            self.loose.setdefault(changed[0], reason or "private-arguments")

    def _reason(self, theirs, ours):
        return self.loose.get(self.key) or super()._reason(theirs, ours)
