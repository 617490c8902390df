"""What the bridge loads, where it stands, what it hands over, and what it says: in hermes-agent's own manager."""

import json
import os
import subprocess
import textwrap
from pathlib import Path

import pytest
from _harness.agent_site import link_framework
from agent_process import ALL_VERSIONS, host_environ, python_of, run
from versions import UPSTREAM

from hermes_sdk.interop import answers
from hermes_sdk.interop.bridge import Bridge

HERE = Path(__file__).resolve().parent
NOTED = "from pathlib import Path\nwith Path('loaded.txt').open('a') as file:\n    file.write(__name__ + '\\n')\n"
"""Writes down each import of a plugin, in the directory that the process runs in."""
MASK = """
from hermes_sdk import hookimpl

@hookimpl
def transform_tool_result(result):
    return result + {mark!r}
"""
NATIVE_MASK = """
def register(ctx):
    ctx.register_hook("transform_tool_result", lambda result, **kwargs: result + " native")
"""
RESULT = ["transform_tool_result", {"tool_name": "t", "args": {}, "result": "x"}]


class Agent:
    """A home of hermes-agent with the bridge in its environment."""

    def __init__(self, directory, site, version=UPSTREAM):
        self.version = version
        self.home = directory / "home"
        self.site = directory / "site"
        self.bundled = directory / "bundled"
        self._path = [self.site, site, HERE]
        for made in (self.home, self.site, self.bundled):
            made.mkdir()

    def plugin(self, name, code="def register(ctx): ...\n", manifest=""):
        """Write a plugin into the home."""
        plugin = self.home / "plugins" / name
        plugin.mkdir(parents=True)
        (plugin / "__init__.py").write_text(textwrap.dedent(code) + NOTED)
        (plugin / "plugin.yaml").write_text(f"name: {name}\n{manifest}")
        return plugin

    def loads(self, *names, calls=(), enabled=("hermes-sdk",), **section):
        """Return what `bridge_probe.py` sees; `names` are those that the bridge is to load."""
        entries = {"hermes-sdk": {"plugins": list(names)}} | section.pop("entries", {})
        plugins = {"enabled": list(enabled), "entries": entries, **section}
        (self.home / "config.yaml").write_text(json.dumps({"plugins": plugins}))  # JSON is YAML
        path = {"home": self.home, "path": self._path, "bundled": self.bundled}
        return json.loads(run(self.version, HERE / "bridge_probe.py", json.dumps(list(calls)), **path).splitlines()[-1])

    def command(self, *arguments):
        """Run `hermes ...` and return it when it is over."""
        environ = host_environ(self.home) | {
            "PYTHONPATH": os.pathsep.join(map(str, self._path)),
            "HERMES_BUNDLED_PLUGINS": str(self.bundled),
            "COLUMNS": "120",
        }
        command = [str(python_of(self.version).with_name("hermes")), *arguments]
        return subprocess.run(command, env=environ, cwd=self.home, capture_output=True, text=True, check=False)


@pytest.fixture
def agent(tmp_path, framework_site):
    """A home of hermes-agent where nothing is set up yet."""
    return Agent(tmp_path, framework_site)


# -- what is loaded ----------------------------------------------------------------------------------------------


def test_only_what_is_named_is_loaded_and_nothing_of_it_twice(agent):
    agent.plugin("mine")
    agent.plugin("not_mine")
    seen = agent.loads("mine", "redaction")

    assert seen["order"] == ["redaction", "mine"]
    assert seen["loaded"] == ["hermes_plugins.mine"]
    assert seen["there"] == {
        "mine": "not enabled in config (run `hermes plugins enable mine` to activate)",
        "not_mine": "not enabled in config (run `hermes plugins enable not_mine` to activate)",
        "hermes-sdk": "loaded",
    }


def test_a_plugin_that_hermes_agent_runs_is_left_to_it_and_that_is_said(agent):
    agent.plugin("both", 'def register(ctx):\n    ctx.register_hook("on_session_start", print)\n')
    seen = agent.loads("both", "redaction", enabled=["hermes-sdk", "both"])

    assert seen["order"] == ["redaction"]
    assert seen["loaded"] == ["hermes_plugins.both"]
    assert seen["hooks"]["on_session_start"] == 1
    (problem,) = seen["problems"]
    assert problem.startswith("[HS250] plugins.entries.hermes-sdk.plugins[0] (")
    assert "take it out of plugins.enabled to have hermes-sdk run it" in problem
    assert f"WARNING: {problem}" in seen["said"]


def test_a_name_that_is_not_installed_is_reported_with_the_nearest(agent):
    seen = agent.loads("redactoin")
    assert seen["order"] == []
    assert [problem.partition(";")[2] for problem in seen["problems"]] == [" did you mean 'redaction'?"]
    assert any("these plugins: none: plugins.entries.hermes-sdk.plugins names none" in line for line in seen["said"])


def test_the_rest_of_that_host_s_configuration_is_its_own_affair(agent):
    agent.plugin("mine")
    seen = agent.loads(
        "mine",
        disabled=["some-bundled-plugin"],
        entries={"some-bundled-plugin": {"llm": 1}},
        order={"some-bundled-plugin": {"before": ["mine"]}, "mine": {"after": ["*", "some-bundled-plugin"]}},
        some_key_of_theirs=True,
    )
    assert (seen["order"], seen["problems"]) == (["mine"], [])


def test_a_disabled_plugin_stays_out(agent):
    agent.plugin("mine")
    seen = agent.loads("mine", disabled=["mine"])
    assert (seen["here"]["mine"], seen["loaded"]) == ("disabled", [])


def test_settings_order_and_switches_are_read_with_their_place(agent):
    for name, mark in (("a", " a"), ("b", " b"), ("c", " c")):
        agent.plugin(name, MASK.format(mark=mark))
    entries = {"c": {"hooks": {"transform_tool_result": False}}, "a": {"timeout": "soon"}}
    seen = agent.loads("a", "b", "c", calls=[RESULT], order={"b": {"before": ["a"]}}, entries=entries)

    assert seen["order"] == ["b", "a", "c"]
    assert seen["answers"][0]["answers"] == ["x b a"]
    (problem,) = seen["problems"]
    assert "plugins.entries.a.timeout" in problem
    assert f"{agent.home}/config.yaml:1:" in problem


def test_a_fail_closed_plugin_that_does_not_load_blocks_there_too(agent):
    agent.plugin("gate", "raise ImportError('half of it is missing')\n", "fail_closed: true\n")
    seen = agent.loads("gate", calls=[["pre_tool_call", {"tool_name": "t", "args": {}}]])

    (answer,) = seen["answers"][0]["answers"]
    assert answer["action"] == "block"
    assert "gate" in answer["message"]


def test_strict_mode_makes_the_bridge_a_failed_plugin(agent):
    agent.plugin("broken", "raise ValueError('broken')\n")
    seen = agent.loads("broken", strict=True)

    assert "strict mode: 1 things are not in order" in seen["there"]["hermes-sdk"]
    assert seen["here"] is None
    assert seen["hooks"] == {}


def test_loading_anew_runs_each_plugin_once_again_with_one_callback_a_hook(agent):
    agent.plugin("mask", MASK.format(mark=" masked"))
    seen = agent.loads("mask", calls=[["reload", {}], RESULT])

    assert seen["loaded"] == ["hermes_plugins.mask", "hermes_plugins.mask"]
    assert seen["hooks"] == {"transform_tool_result": 1, "on_session_end": 1}
    assert seen["answers"][1]["answers"] == ["x masked"]


# -- where it stands ---------------------------------------------------------------------------------------------


def test_a_native_transform_in_front_is_named_at_load(agent):
    agent.plugin("native", NATIVE_MASK)
    agent.plugin("ours", MASK.format(mark=" ours"))
    seen = agent.loads("ours", calls=[RESULT], enabled=["native", "hermes-sdk"])

    (limit,) = seen["limits"]
    assert limit.startswith(
        "transform_tool_result: hermes_plugins.native.register.<locals>.<lambda> of hermes-agent's own"
    )
    assert f"WARNING: hermes-sdk in hermes-agent {UPSTREAM}: {limit}" in seen["said"]
    assert seen["answers"][0]["answers"] == ["x native", "x ours"]


def test_ours_leaves_a_text_that_it_did_not_change_to_those_behind(agent):
    agent.plugin(
        "ours", "from hermes_sdk import hookimpl\n@hookimpl\ndef transform_tool_result(result): return result\n"
    )
    seen = agent.loads("ours", calls=[RESULT])
    assert (seen["answers"][0]["answers"], seen["limits"]) == ([], [])


def test_a_hook_that_a_plugin_registers_later_is_listened_to(agent):
    agent.plugin(
        "late",
        """
        def register(ctx):
            def begin(**kwargs):
                ctx.register_hook("pre_llm_call", lambda **kwargs: "late context")
            ctx.register_hook("on_session_start", begin)
        """,
    )
    calls = [["on_session_start", {"session_id": "s"}], ["pre_llm_call", {"session_id": "s", "user_message": "m"}]]
    seen = agent.loads("late", calls=calls)
    assert seen["answers"][1]["answers"] == [{"context": "late context"}]


# -- answers -----------------------------------------------------------------------------------------------------


def test_outcomes_are_what_that_host_reads(agent):
    agent.plugin(
        "answers",
        """
        from hermes_sdk import AddContext, Allow, Approve, Block, Continue, Rewrite, Skip, hookimpl

        @hookimpl
        def pre_tool_call(tool_name, args):
            args["seen"] = True
            return {"no": Block("no"), "key": Approve("why", "key"), "ask": Approve("why")}.get(tool_name)

        @hookimpl
        def pre_gateway_dispatch(event):
            return {"spam": Skip("spam"), "typo": Rewrite("word"), "fine": Allow()}.get(event)

        @hookimpl
        def pre_verify(attempt):
            return Continue("test it") if attempt == 0 else None

        @hookimpl
        def transform_llm_output(response_text):
            return ""
        """,
    )
    gateway = {"gateway": None, "session_store": None}
    calls = [
        *(["pre_tool_call", {"tool_name": name, "args": {"a": 1}}] for name in ("no", "key", "ask", "other")),
        *(["pre_gateway_dispatch", {"event": event, **gateway}] for event in ("spam", "typo", "fine", "other")),
        *(["pre_verify", {"attempt": attempt}] for attempt in (0, 1)),
        ["transform_llm_output", {"response_text": "text"}],
    ]
    seen = [call["answers"] for call in agent.loads("answers", calls=calls)["answers"]]

    key = seen[2][0].pop("rule_key")
    assert key.startswith("answers:ask:"), "an approve without a key covers this very call"
    assert seen == [
        [{"action": "block", "message": "no"}],
        [{"action": "approve", "message": "why", "rule_key": "answers:key"}],
        [{"action": "approve", "message": "why"}],
        [],
        [{"action": "skip", "reason": "spam"}],
        [{"action": "rewrite", "text": "word"}],
        [{"action": "allow"}],
        [],
        [{"action": "continue", "message": "test it"}],
        [],
        [],
    ]


def test_a_change_is_made_in_the_host_s_own_arguments(agent):
    agent.plugin(
        "editor", "from hermes_sdk import Modify, hookimpl\n@hookimpl\ndef pre_tool_call(): return Modify({'b': 2})\n"
    )
    (call,) = agent.loads("editor", calls=[["pre_tool_call", {"tool_name": "t", "args": {"a": 1}}]])["answers"]
    assert call == {"answers": [], "payload": {"tool_name": "t", "args": {"a": 1, "b": 2}}}


class Context:
    """As much of hermes-agent's context as a bridge needs that is tried without that host."""

    def __init__(self):
        self.hooks = {}

    def register_hook(self, name, callback):
        self.hooks[name] = callback

    def register_cli_command(self, *arguments): ...


def test_a_tool_call_that_the_framework_itself_cannot_judge_is_blocked(plugin_home, monkeypatch):
    plugin_home.plugin("any", "from hermes_sdk import hookimpl\n@hookimpl\ndef pre_tool_call(): ...\n")
    plugin_home.config("plugins: {entries: {hermes-sdk: {plugins: [any]}}}\n")
    ctx = Context()
    bridge = Bridge(ctx, plugin_home.path)
    bridge.start()
    try:
        assert ctx.hooks["pre_tool_call"](tool_name="t", args={}) is None
        monkeypatch.setattr(answers, "tool_answer", lambda *_, **__: 1 / 0)
        answer = ctx.hooks["pre_tool_call"](tool_name="t", args={})
    finally:
        bridge.close()

    message = "blocked: hermes-sdk could not judge this call: division by zero"
    assert answer == {"action": "block", "message": message}


# -- what is handed over -----------------------------------------------------------------------------------------


def test_what_plugins_register_beside_hooks_reaches_that_host_under_their_names(agent):
    plugin = agent.plugin(
        "shop",
        """
        from pathlib import Path

        def register(ctx):
            schema = {"name": "buy", "description": "Buy.", "parameters": {"type": "object", "properties": {}}}
            ctx.register_tool("buy", "shop", schema, lambda args, **kwargs: "bought")
            ctx.register_command("basket", lambda text: text)
            ctx.register_cli_command("shop", "the shop", lambda parser: None, lambda parsed: None)
            ctx.register_skill("haggle", Path(__file__).parent / "SKILL.md", "how to haggle")
            ctx.register_middleware("tool_request", lambda args, **kwargs: None)
            ctx.register_auxiliary_task("shop_advice", display_name="Advice", description="Advice on shopping")
        """,
    )
    (plugin / "SKILL.md").write_text("# Haggle\n")
    seen = agent.loads("shop")

    assert seen["limits"] == []
    assert seen["tools"] == ["buy"]
    assert seen["commands"] == ["basket"]
    assert seen["cli"] == ["sdk", "shop"]
    assert seen["skills"] == ["shop:haggle"]
    assert seen["middleware"] == ["tool_request"]


def test_replacing_a_tool_of_that_host_needs_the_user_s_leave_for_the_plugin(agent):
    agent.plugin(
        "thief",
        """
        def register(ctx):
            schema = {"name": "terminal", "description": "Mine.", "parameters": {"type": "object", "properties": {}}}
            ctx.register_tool("terminal", "thief", schema, lambda args, **kwargs: "mine", override=True)
        """,
    )
    assert agent.loads("thief")["here"]["thief"] == "failed"
    seen = agent.loads("thief", entries={"thief": {"allow_tool_override": True}})
    assert (seen["here"]["thief"], seen["tools"], seen["limits"]) == ("loaded", ["terminal"], [])


EXECUTION = """
from hermes_sdk import Block, hookimpl

def register(ctx):
    ctx.register_middleware("tool_execution", rewrite)
    ctx.register_restorer(lambda args, **about: {key: value.replace("<1>", "original") for key, value in args.items()})

def rewrite(args, next_call, **kwargs):
    return next_call(args | {"path": args["path"].replace("~", "/etc")})

@hookimpl
def pre_tool_call(args):
    return Block("not in /etc") if "/etc" in args["path"] else None
"""


def test_execution_middleware_is_judged_again_and_originals_are_put_back_at_the_tool(agent):
    agent.plugin("execution", EXECUTION)
    calls = [["tool_execution", {"tool_name": "t", "args": {"path": path}}] for path in ("<1>", "~/x")]
    seen = agent.loads("execution", calls=calls)["answers"]

    assert seen[0] == {"reached": [{"path": "original"}], "result": "ran"}
    assert seen[1] == {"reached": [], "result": '{"error": "not in /etc"}'}


# -- every release -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_every_release_runs_the_bridge_and_hears_what_it_cannot_do(version, tmp_path):
    site = tmp_path / "framework"
    site.mkdir()
    agent = Agent(tmp_path, link_framework(site, python_of(version).parents[1]), version)
    agent.plugin("mask", MASK.format(mark=" masked"))
    agent.plugin(
        "several",
        """
        from hermes_sdk import Approve, hookimpl

        @hookimpl
        def pre_tool_call(): return Approve("why", "key")

        @hookimpl
        def pre_verify(): ...

        def register(ctx):
            ctx.register_middleware("tool_request", lambda args, **kwargs: {"args": args | {"more": True}})
        """,
    )
    seen = agent.loads("mask", "several", calls=[RESULT, ["pre_tool_call", {"tool_name": "t", "args": {}}]])

    assert seen["order"] == ["mask", "several"]
    assert seen["answers"][0]["answers"] == ["x masked"]
    (answer,) = seen["answers"][1]["answers"]
    asks = version in ("0.18.2", "0.19.0")
    assert answer["action"] == ("approve" if asks else "block")
    missing = [] if asks else ["pre_verify is never fired"]
    missing += ["middleware is never fired"] if version in ("0.13.0", "0.15.2") else []
    missing += [] if asks else ["no person can be asked, so an approve blocks"]
    assert seen["limits"] == missing


# -- the command line --------------------------------------------------------------------------------------------


def test_hermes_sdk_is_the_command_line_and_knows_the_plugins_that_run_there(agent):
    agent.plugin("native", NATIVE_MASK)
    agent.plugin("ours", MASK.format(mark=" ours"))
    agent.loads("ours", "redaction", enabled=["native", "hermes-sdk"])

    doctor = agent.command("sdk", "doctor")
    assert doctor.returncode == 1
    assert f"inside of: hermes-agent {UPSTREAM}\nplugins: redaction, ours\n" in doctor.stdout
    assert "stands in front of hermes-sdk" in " ".join(doctor.stdout.split())

    listed = json.loads(agent.command("sdk", "plugins", "list", "--json").stdout)["plugins"]
    assert {row["key"]: row["status"] for row in listed if row["enabled"]} == {"redaction": "loaded", "ours": "loaded"}

    refused = agent.command("sdk", "plugins", "enable", "memory_recall")
    assert refused.returncode == 1
    assert "error [HS251]" in refused.stderr
    assert "list the plugins that hermes-sdk is to run under plugins.entries.hermes-sdk.plugins" in refused.stderr

    assert agent.command("sdk", "--version").stdout.startswith("hermes-sdk ")


def test_hermes_agent_switches_the_bridge_on_by_its_name(agent):
    enabled = agent.command("plugins", "enable", "hermes-sdk", "--no-allow-tool-override")
    assert enabled.returncode == 0, enabled.stderr
    assert agent.command("sdk", "config", "path").stdout.strip() == str(agent.home / "config.yaml")
