"""One firing in both hosts, of callbacks that say what they see: cut down, step by step, to what has to be equal."""

import our_rules
from pair import HISTORY, JUDGED, Pair
from plugin_source import VALUES, WORKED_ON
from verdict import ACTS, RETURNS

from hermes_hookspecs.contract import HOOKS

SCHEMA = "telemetry_schema_version"
CALLS_DIFFER = (
    "async-callbacks",
    "named-arguments",
    "more-arguments",
    "all-or-nothing",
    "second-judgement",
    "same-function-twice",
    "enabled-by-default",
    "register-functions",
    "calling-order",
    "twins-in-a-source",
)
"""Differences by which callbacks run in one host only, or elsewhere, so that other answers are folded."""


class CallbackPair(Pair):
    """One firing in both hosts, call by call."""

    counts_once = True
    """Whether a function that was registered twice is called once here."""

    def __init__(self, case, firing, host, theirs, ours):
        super().__init__(case, firing, host, theirs, ours)
        self.sent_there = {*self.sent, SCHEMA}
        """Names of the arguments that hermes-agent sends."""
        self.sent_here = self.sent_there | (HOOKS[self.hook].argument_names if self.hook in HOOKS else set())

    def _runs_here_only(self):
        return False

    def _compare_calls(self):
        only_here = self._only_here()
        self._check_own_rules()
        theirs = self._in_our_order(self._without(self.theirs["seen"], self._only_there(only_here)))
        if self.theirs["ended"]:
            self._compare_until_exit(theirs, only_here)
        else:
            self._compare_in_order(theirs, only_here)

    def _compare_acts(self):
        if not self.theirs["ended"]:
            super()._compare_acts()

    # -- which calls there are ---------------------------------------------------------------------------------

    def _only_here(self):
        """Return the labels of callbacks that run here only, with the difference that says so."""
        found = {}
        for label, callback in self._callbacks():
            required = {each.name for each in callback.parameters if each.default is None}
            plugin = self._plugin(label)
            there = self.host["plugins"][plugin.name]
            if there.startswith("not enabled"):
                found[label] = "enabled-by-default"
            elif there != "loaded" and plugin.form == "register function":
                found[label] = "register-functions"
            elif there != "loaded":
                continue  # nor here: see _only_there
            elif not callback.is_called_with(self.sent_there):
                found[label] = "named-arguments" if required <= self.sent_there else "more-arguments"
            elif callback.is_async:
                found[label] = "async-callbacks"
            if label in found and not required <= self.sent_here:
                del found[label]  # it runs nowhere
        return found

    def _only_there(self, only_here):
        """Return the labels of callbacks whose plugin is not loaded here, with the difference that says so."""
        loaded = {name for name, status in self.host["plugins"].items() if status == "loaded"}
        return {
            label: "twins-in-a-source" if owner in loaded else "all-or-nothing"
            for label, owner in self.case.owners.items()
            if label not in only_here and (owner not in loaded or owner in self.case.twins)
        }

    def _callbacks(self):
        return [(label, each) for label, each in self.case.callbacks.items() if each.hook == self.hook]

    def _plugin(self, label):
        return next(plugin for plugin in self.case.plugins if plugin.name == self.case.owners[label])

    def _without(self, seen, only_there):
        """Return their calls without those that do not happen here: of half-loaded plugins, and second ones."""
        kept, known = [], set()
        for label, arguments, answer in seen:
            if label in only_there:
                reason = only_there[label]
            elif label in known and self.counts_once:
                reason = "same-function-twice"
            elif self.case.callbacks[label].form == "awaitable answer":
                continue  # the call is there, what it awaits is not: see _only_here
            else:
                known.add(label)
                kept.append((label, arguments, answer))
                continue
            self.verdict.recognise(RETURNS, reason)
            self._loosen(reason, answer, label)
        return kept

    def _in_our_order(self, seen):
        """Return their calls with plugins sorted without regard to case."""
        owners = self.case.owners
        ordered = sorted(seen, key=lambda entry: (owners[entry[0]].casefold(), owners[entry[0]]))
        if ordered == seen or self.theirs["ended"]:
            return seen
        self.verdict.recognise(RETURNS, "calling-order")
        return ordered

    # -- call by call ------------------------------------------------------------------------------------------

    def _compare_in_order(self, theirs, only_here):
        rest = iter(theirs)
        for label, arguments, answer in self.ours["seen"]:
            if label in only_here:
                self.verdict.recognise(RETURNS, only_here[label])
                self._loosen(only_here[label], answer, label)
                continue
            there = next(rest, None)
            if there is None:
                self._check_second_judgement(label, arguments)
                break
            self._compare_call(there, (label, arguments, answer))
        for label, _, _ in rest:
            self.verdict.problem(RETURNS, f"{label} ran there only")

    def _compare_until_exit(self, theirs, only_here):
        """Their host is gone: everything up to there must be the same."""
        self.verdict.recognise(RETURNS, "contained-exits")
        ours = [entry for entry in self.ours["seen"] if entry[0] not in only_here]
        for there, here in zip(theirs, ours, strict=False):
            self._compare_call(there, here)
        if len(theirs) > len(ours):
            self.verdict.problem(RETURNS, f"{theirs[len(ours)][0]} ran there only")

    def _compare_call(self, there, here):
        """Compare one call of one callback, then see what may differ behind it."""
        (label, theirs, their_answer), (label_here, ours, our_answer) = there, here
        if label != label_here:
            self.verdict.problem(RETURNS, f"next comes {label} there, {label_here} here")
            return
        for name in {**theirs, **ours}:
            if theirs.get(name) != ours.get(name):
                self._compare_argument(label, name, theirs.get(name), ours.get(name))
        derived = "{value}" in self.case.callbacks[label].answer and WORKED_ON.get(self.hook) in self.loose
        if their_answer != our_answer and not derived:
            self.verdict.problem(RETURNS, f"{label} answered {their_answer!r} there, {our_answer!r} here")
        self._loosen(None, our_answer, label)

    def _compare_argument(self, label, name, there, here):
        if name in self.loose:
            self.verdict.recognise(RETURNS, self.loose[name])
        elif name not in self.sent_here - self.sent_there:
            self.verdict.problem(RETURNS, f"{label} got {name}: {there!r} there, {here!r} here")
        elif any(parameter.name == name for parameter in self.case.callbacks[label].parameters):
            self.verdict.recognise(RETURNS, "more-arguments")

    def _loosen(self, reason, answer, label):
        """Note what may differ in calls behind this one; `reason` if this one itself happened in one host only."""
        changed = self.case.callbacks[label].changes
        if self.hook in VALUES and isinstance(answer, str):
            self.loose.setdefault(VALUES[self.hook], reason or "chained-transforms")
        elif self.hook == JUDGED:
            raised = isinstance(answer, dict) and "<raised>" in answer
            if our_rules.is_modify(answer):
                self.loose.setdefault("args", reason or "modified-arguments")
            elif changed and changed[0] == "args" and (reason or raised or self._blocked_until(label)):
                self.loose.setdefault("args", reason or ("undone-changes" if raised else "strictest-verdict"))
        if changed and (reason or changed[0] == HISTORY):
            self.loose.setdefault(changed[0], reason or "private-arguments")

    def _blocked_until(self, label):
        """Whether a block stands here when a callback has answered."""
        labels = [seen for seen, _, _ in self.ours["seen"]]
        answers = [answer for _, _, answer in self.ours["seen"][: labels.index(label) + 1]]
        return any(map(our_rules.is_block, answers))

    def _check_second_judgement(self, label, arguments):
        """Whatever runs here beyond the calls there has to be a second judgement."""
        again = [entry for entry in self.ours["seen"] if entry[0] == label]
        if self.hook == JUDGED and len(again) > 1 and arguments.get("judgement", 2) == 2:
            self.verdict.recognise(RETURNS, "second-judgement")
        else:
            self.verdict.problem(RETURNS, f"{label} ran here only")

    # -- our own rules -----------------------------------------------------------------------------------------

    def _check_own_rules(self):
        """What comes out here has to follow from what callbacks answered here."""
        answers = [answer for _, _, answer in self.ours["seen"]]
        given = [answer for answer in answers if answer is not None and not _is_missing(answer)]
        if self.ours["returns"] != given:
            self.verdict.problem(RETURNS, f"invoke_hook gives {self.ours['returns']!r}, callbacks answered {given!r}")
        expected = our_rules.outcome(self.hook, given, self.sent)
        acts = {name: value for name, value in self.ours["acts"].items() if name != "args"}
        if acts != expected:
            self.verdict.problem(ACTS, f"comes out as {acts!r} here, and {expected!r} by our own rules")
        if self.hook in VALUES:
            self._check_chain(VALUES[self.hook])

    def _check_chain(self, name):
        value = self.sent[name]
        for label, arguments, answer in self.ours["seen"]:
            if arguments.get(name, value) != value:
                self.verdict.problem(RETURNS, f"{label} got {name}={arguments[name]!r} here, not {value!r}")
            value = our_rules.transformed(self.hook, [answer], value)

    def _reason(self, theirs, ours):
        # what comes out here was held to our own rules: where calls differ, nothing else is to be said
        found = self.verdict.parts[RETURNS].found
        return next((each for each in CALLS_DIFFER if each in found), None) or super()._reason(theirs, ours)


def _is_missing(answer):
    """Whether a picture says that there was no answer: raised, or never awaited."""
    return isinstance(answer, dict) and bool({"<raised>", "<unfinished>"} & set(answer))
