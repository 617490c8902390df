"""Random plugins against a fold that is small, slow and obviously right, in every way to call a hook."""

import asyncio
import copy
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes_hookspecs import HOOKS, AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip, hookimpl
from hermes_sdk.dispatch.manager import DispatchManager
from hermes_sdk.dispatch.policy import SOURCES, PluginPolicy

# -- plugins ---------------------------------------------------------------------------------------------------


@dataclass
class Part:
    """One implementation: what it does, each time it is asked."""

    answer: Any = None
    change: tuple = ()
    """(key, value) put into `args`, (key,) taken out, or nothing."""
    fails: bool = False
    second: Any = None
    """What it answers in the second judgement."""
    second_fails: bool = False
    style: str = "named"
    band: str = ""


@dataclass
class Random:
    """One plugin."""

    name: str
    parts: list[Part]
    source: str = "direct"
    fail_closed: bool = False
    rejudge: bool = True
    asked: list = field(default_factory=list)


def value_of(part, args, judgement, value):
    """Do what a part does: change, fail or answer."""
    second = judgement == 2
    if args is not None:
        for key, *new in [part.change] if part.change else []:
            if new:
                args[key] = copy.deepcopy(new[0])
            else:
                args.pop(key, None)
    if part.second_fails if second else part.fails:
        raise ValueError("planned")
    answer = part.second if second else part.answer
    return answer(value) if callable(answer) and not isinstance(answer, type) else copy.deepcopy(answer)


def implement(hook, plugin, number, part):
    """Return a method for a plugin class, in one of the shapes that authors use."""
    value = HOOKS[hook].value

    def act(payload):
        args = payload.get("args") if hook == "pre_tool_call" else None
        judgement = payload.get("judgement", 1)
        seen = copy.deepcopy(args) if args is not None else payload.get(value) if value else None
        plugin.asked.append((number, judgement, payload.get("already_blocked"), seen))
        return value_of(part, args, judgement, payload.get(value) if value else None)

    names = {"pre_tool_call": "args, judgement, already_blocked"}.get(hook, value or "")
    pairs = ", ".join(f"{name}={name}" for name in names.split(", ") if name)
    heads = {
        "named": f"self, {names}",
        "everything": "self, **rest",
        "keyword": f"self, *, {names}" if names else "self",
    }
    rest = "rest" if part.style == "everything" else f"dict({pairs})"
    if part.style in ("async", "awaitable"):
        source = f"async def implementation(self, {names}): return act(dict({pairs}))"
    else:
        source = f"def implementation({heads[part.style]}): return act({rest})"
    namespace = {"act": act}
    exec(source, namespace)
    function = namespace["implementation"]
    if part.style == "awaitable":
        asynchronous = function
        exec(
            f"def implementation(self, {names}): return asynchronous(self, {names})",
            namespace | {"asynchronous": asynchronous},
            namespace,
        )
        function = namespace["implementation"]
    options = {part.band: True} if part.band else {}
    return hookimpl(specname=hook, rejudge=plugin.rejudge, **options)(function)


def register(manager, hook, plugin):
    members = {f"implementation_{n:02}": implement(hook, plugin, n, part) for n, part in enumerate(plugin.parts)}
    # pluggy looks at attributes by name, the order of one plugin's implementations is that of their lines
    for line, function in enumerate(members.values(), 1):
        function.__code__ = function.__code__.replace(co_firstlineno=line)
    closed = frozenset({hook} if plugin.fail_closed else ())
    instance = type("Plugin", (), members)()
    manager.register(instance, plugin.name, policy=PluginPolicy(source=plugin.source, fail_closed=closed))


# -- the reference ---------------------------------------------------------------------------------------------


def in_order(plugins):
    """Yield (plugin, number, part) in calling order."""
    groups = {"direct": 1, "shell": 2}
    bands = {"tryfirst": 0, "": 1, "trylast": 2}
    every = [(plugin, number, part) for plugin in plugins for number, part in enumerate(plugin.parts)]
    return sorted(
        every,
        key=lambda one: (
            bands[one[2].band],
            groups.get(one[0].source, 0),
            SOURCES.index(one[0].source),
            one[0].name.casefold(),
            one[0].name,
            one[1],
        ),
    )


class Reference:
    """Calls the parts one after another and folds by the table of semantics 2, with no thought of speed."""

    def __init__(self, plugins):
        self.order = in_order(plugins)
        self.steps = []
        self.raw = []
        self.forced = []
        self.asked = []

    def ask(self, plugin, number, part, *, args=None, judgement=1, blocked=None, value=None):
        """Return (answer, whether it failed)."""
        seen = copy.deepcopy(args) if args is not None else value
        self.asked.append((plugin.name, number, judgement, blocked, seen))
        try:
            answer = value_of(part, args, judgement, value)
        except ValueError:
            return None, True
        if answer is not None:
            self.raw.append(answer)
        return answer, False

    @property
    def calls(self):
        return sorted(self.asked, key=repr)

    def note(self, plugin, what):
        self.steps.append((plugin.name, what))

    def tool(self, args):
        verdict, approve, knew, versions = None, None, {}, [copy.deepcopy(args)]

        def force(plugin):
            nonlocal verdict
            if plugin.fail_closed and verdict is None:
                verdict = ("forced", plugin.name)
                self.note(plugin, "block")
                self.forced.append("block")

        def judge(plugin, number, part, judgement):
            nonlocal verdict, approve, args
            before = copy.deepcopy(args)
            final = judgement == 2 or verdict is not None
            answer, failed = self.ask(plugin, number, part, args=args, judgement=judgement, blocked=verdict is not None)
            if failed:
                args = before
                self.note(plugin, "failed")
                force(plugin)
                return
            if final:
                if not same(args, before):
                    self.note(plugin, "ignored")
                args = before
            kind, content = meaning_of_tool(answer)
            if kind == "modify" and not final:
                args |= copy.deepcopy(content)
            if kind == "malformed":
                self.note(plugin, "ignored")
                force(plugin)
            elif kind == "block":
                self.note(plugin, "block")
                verdict = verdict or ("block", content)
            elif kind == "approve":
                self.note(plugin, "approve")
                if verdict is None:
                    approve = approve or content
            elif kind == "modify" and final:
                self.note(plugin, "ignored")
            if not same(args, before):
                self.note(plugin, "modify")

        for index, (plugin, number, part) in enumerate(self.order):
            judge(plugin, number, part, 1)
            knew[index] = copy.deepcopy(args)
            versions.append(copy.deepcopy(args))
        if verdict is None:
            for index, (plugin, number, part) in enumerate(self.order):
                if plugin.rejudge and not same(knew[index], versions[-1]):
                    judge(plugin, number, part, 2)
        action = "block" if verdict else "approve" if approve else "run"
        if verdict and verdict[0] == "forced":
            return action, f"plugin {verdict[1]!r}", None, args
        if verdict:
            return action, verdict[1], None, args
        message, rule_key = approve or (None, None)
        return action, message, rule_key, args

    def transform(self, value, *, empty_replaces):
        for plugin, number, part in self.order:
            answer, failed = self.ask(plugin, number, part, value=value)
            if failed or (answer is not None and not isinstance(answer, str)):
                self.note(plugin, "failed" if failed else "ignored")
                if plugin.fail_closed:
                    self.note(plugin, "withhold")
                    self.forced.append("withheld")
                    value = NOTICE
            elif answer is not None and answer != value and (answer or empty_replaces):
                self.note(plugin, "transform")
                value = answer
        return value

    def context(self):
        pieces = []
        for plugin, number, part in self.order:
            answer, failed = self.ask(plugin, number, part)
            text = answer.context if isinstance(answer, AddContext) else answer
            text = text.get("context") if isinstance(text, dict) else text
            if failed:
                self.note(plugin, "failed")
            elif isinstance(text, str) and text.strip():
                self.note(plugin, "context")
                pieces.append(text)
        return "\n\n".join(pieces) or None

    def first(self, meaning):
        """Return the first answer that means something; (what, content) or None."""
        applied = None
        for plugin, number, part in self.order:
            answer, failed = self.ask(plugin, number, part)
            what, content = ("failed", None) if failed else meaning(answer)
            if what is None:
                continue
            if what in ("failed", "malformed"):
                self.note(plugin, "failed" if failed else "ignored")
            elif applied is None:
                self.note(plugin, what)
                applied = what, content
            else:
                self.note(plugin, "ignored")
        return applied

    def observe(self):
        for plugin, number, part in self.order:
            if self.ask(plugin, number, part)[1]:
                self.note(plugin, "failed")


def same(left, right):
    return repr(sorted(left.items())) == repr(sorted(right.items()))


def meaning_of_tool(answer):
    if not isinstance(answer, dict):
        if not isinstance(answer, Block | Approve | Modify):
            return None, None
        answer = answer.to_dict()
    action = answer.get("action", None)
    if "action" not in answer:
        return None, None
    if action == "block":
        message = answer.get("message")
        return ("block", message) if isinstance(message, str) and message.strip() else ("malformed", None)
    if action == "approve":
        return "approve", (answer.get("message") or None, answer.get("rule_key"))
    if action == "modify":
        return ("modify", answer["args"]) if isinstance(answer.get("args"), dict) else ("malformed", None)
    return "malformed", None


def meaning_of_dispatch(answer):
    if isinstance(answer, Skip | Rewrite | Allow):
        answer = answer.to_dict()
    if not isinstance(answer, dict) or "action" not in answer:
        return None, None
    action = answer["action"]
    if action == "rewrite" and not isinstance(answer.get("text"), str):
        return "malformed", None
    if action not in ("skip", "rewrite", "allow"):
        return "malformed", None
    return action, (answer.get("text"), answer.get("reason") or None)


def meaning_of_verify(answer):
    if isinstance(answer, Continue):
        answer = answer.to_dict()
    if not isinstance(answer, dict):
        return None, None
    if answer.get("action") == "continue":
        text = answer.get("message")
    elif answer.get("decision") == "block":
        text = answer.get("reason")
    else:
        return ("malformed", None) if "action" in answer else (None, None)
    return ("continue", text) if isinstance(text, str) and text.strip() else ("malformed", None)


# -- what is drawn ---------------------------------------------------------------------------------------------

NOTICE = "a notice of withheld output"
JUNK = [None, None, None, True, 0, 7, "", (), [], {}, {"x": 1}, b"bytes"]
ARGS = [{}, {"command": "ls"}, {"n": 1}, {"n": True}, {"n": 1.0}, {"command": "rm"}, {"list": [1, {"a": 1}]}]
TOOL = [
    Block("b1"),
    {"action": "block", "message": "b2"},
    {"action": "block", "message": " "},
    {"action": "block"},
    Approve("a1", "rule"),
    {"action": "approve"},
    *(Modify(args) for args in ARGS),
    {"action": "modify", "args": {"n": 2}},
    {"action": "modify", "args": None},
    {"action": "unheard of"},
    *JUNK,
    *JUNK,
]
CHANGES = [
    (),
    (),
    (),
    ("n", 1),
    ("n", True),
    ("n", 2),
    ("command", "rm"),
    ("command",),
    ("list", [1]),
    ("list",),
    ("new", {}),
]
TRANSFORMS = [
    *JUNK,
    "constant",
    lambda value: value + "!",
    lambda value: value.upper(),
    lambda value: value,
    lambda value: value.replace("a", "[A]"),
]
CONTEXTS = [*JUNK, "text", " ", {"context": "c"}, {"context": ""}, {"context": 5}, AddContext("typed")]
DISPATCHES = [
    *JUNK,
    *(Skip(), Skip("r"), {"action": "skip"}, Rewrite("t"), Rewrite(""), {"action": "rewrite"}, Allow()),
    *({"action": "allow"}, {"action": "rewrite", "text": "u"}, {"action": "block", "message": "x"}),
]
VERIFIES = [
    *JUNK,
    *(Continue("c"), {"action": "continue"}, {"decision": "block", "reason": "r"}, {"decision": "allow"}),
    *({"action": "stop"}, {"action": "continue", "message": "m"}),
]


def plugins(answers, *, tool=False):
    """Draw up to five plugins."""
    pick = st.sampled_from
    part = st.builds(
        Part,
        answer=pick(answers),
        change=pick(CHANGES) if tool else st.just(()),
        fails=pick([False] * 5 + [True]),
        second=pick(answers) if tool else st.none(),
        second_fails=pick([False] * 5 + [True]) if tool else st.just(False),
        style=pick(["named", "named", "everything", "keyword", "async", "awaitable"]),
        band=pick(["", "", "", "tryfirst", "trylast"]),
    )
    plugin = st.builds(
        Random,
        name=pick(["a", "B", "b", "c", "Z", "é", "10", "9"]),
        parts=st.lists(part, min_size=1, max_size=3),
        source=pick([*SOURCES, "direct", "direct"]),
        fail_closed=pick([False, False, True]),
        rejudge=pick([True, True, False]),
    )
    return st.lists(plugin, max_size=5, unique_by=lambda plugin: plugin.name)


# -- the ways to call ------------------------------------------------------------------------------------------


async def _awaited(hook, payload):
    return await hook(**payload)


def _wide(manager, hook, payload):
    return getattr(manager.hook, hook)(**payload, future="x")


def _traced(manager, hook, payload):
    manager.tracing = True
    outcome = getattr(manager.hook, hook)(**payload)
    assert all(step.duration_ms is not None or index for index, step in enumerate(outcome.steps))
    return outcome._replace(steps=tuple(replace(s, duration_ms=None) for s in outcome.steps if s.what != "observed"))


def _wrapped(manager, hook, payload):
    class Wrapper:
        @hookimpl(wrapper=True, specname=hook)
        def wraps(self):
            yield

    manager.register(Wrapper(), "wrapper")
    return getattr(manager.hook, hook)(**payload)


WAYS = {
    "sync": lambda manager, hook, payload: getattr(manager.hook, hook)(**payload),
    "async": lambda manager, hook, payload: asyncio.run(_awaited(getattr(manager.ahook, hook), payload)),
    "traced": _traced,
    "wide": _wide,
    "wrapped": _wrapped,
    "raw": lambda manager, hook, payload: manager.invoke_hook(hook, **payload),
}


def outcomes(hook, drawn, payload):
    """Yield (way, outcome or raw returns, what was asked, the payload afterwards), each on a manager of its own."""
    for way, call in WAYS.items():
        manager = DispatchManager()
        for plugin in drawn:
            plugin.asked = []
        for plugin in drawn:
            register(manager, hook, plugin)
        sent = copy.deepcopy(payload)
        result = call(manager, hook, sent)
        asked = [(plugin.name, *asked) for plugin in drawn for asked in plugin.asked]
        manager.shutdown()
        yield way, result, asked, sent


def told(outcome):
    return [(step.plugin, step.what) for step in outcome.steps]


def noticed(value):
    """Return a value with every notice of withheld output made the same: the reference does not know its text."""
    return NOTICE if isinstance(value, str) and "output withheld" in value else value


def check(hook, drawn, payload, fold, compare):
    """Compare every way of calling with the reference."""
    for way, result, asked, sent in outcomes(hook, drawn, payload):
        reference = Reference(drawn)
        expected = fold(reference)
        assert sorted([(*call[:-1], noticed(call[-1])) for call in asked], key=repr) == reference.calls, way
        if way == "raw":
            forced = len(reference.forced)
            assert result[forced:] == reference.raw, way
            assert all("fail-closed" in str(answer) for answer in result[:forced])
        else:
            assert told(result) == reference.steps, way
            compare(result, expected, sent)


thorough = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")


@thorough
@given(plugins(TOOL, tool=True), st.sampled_from(ARGS))
def test_tool_decisions(drawn, args):
    def compare(outcome, expected, sent):
        action, message, rule_key, final = expected
        assert (outcome.action, outcome.rule_key) == (action, rule_key)
        if message is not None and message.startswith("plugin "):
            assert message in outcome.message
            assert "fail-closed" in outcome.message
        else:
            assert outcome.message == message
        assert same(outcome.args, final)
        assert outcome.args is sent["args"]

    payload = HOOKS["pre_tool_call"].sample(args=args)
    check("pre_tool_call", drawn, payload, lambda reference: reference.tool(copy.deepcopy(args)), compare)


@thorough
@given(plugins(TRANSFORMS), st.sampled_from([hook for hook, contract in HOOKS.items() if contract.kind == "transform"]))
def test_transforms(drawn, hook):
    def compare(outcome, expected, _sent):
        assert noticed(outcome.value) == expected

    if any(plugin.fail_closed for plugin in drawn):
        for part in (part for plugin in drawn for part in plugin.parts):
            part.answer = None if callable(part.answer) else part.answer  # it would work on the text of a notice
    payload = HOOKS[hook].sample(**{HOOKS[hook].value: "banana"})
    empty_replaces = hook != "transform_llm_output"
    check(hook, drawn, payload, lambda ref: ref.transform("banana", empty_replaces=empty_replaces), compare)


@thorough
@given(plugins(CONTEXTS))
def test_contexts(drawn):
    def compare(outcome, expected, _sent):
        assert outcome.text == expected
        assert "\n\n".join(outcome.pieces) == (expected or "")

    check("pre_llm_call", drawn, HOOKS["pre_llm_call"].sample(), Reference.context, compare)


@thorough
@given(plugins(DISPATCHES))
def test_dispatch_decisions(drawn):
    def compare(outcome, expected, _sent):
        action, (text, reason) = expected or ("allow", (None, None))
        assert outcome[:3] == (action, text if action == "rewrite" else None, reason if action == "skip" else None)

    hook = "pre_gateway_dispatch"
    check(hook, drawn, HOOKS[hook].sample(), lambda reference: reference.first(meaning_of_dispatch), compare)


@thorough
@given(plugins(VERIFIES))
def test_verify_decisions(drawn):
    def compare(outcome, expected, _sent):
        assert outcome.message == (expected[1] if expected else None)

    check(
        "pre_verify", drawn, HOOKS["pre_verify"].sample(), lambda reference: reference.first(meaning_of_verify), compare
    )


@thorough
@given(plugins([*JUNK, Block("no"), "text", {"action": "block"}]))
def test_observers(drawn):
    check("post_tool_call", drawn, HOOKS["post_tool_call"].sample(), Reference.observe, lambda *_: None)
