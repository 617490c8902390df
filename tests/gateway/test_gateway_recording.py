"""A gateway that is recorded: the hooks of its agents, and those that it fires itself."""

import asyncio
import signal

from gateway_desk import call, say, until
from gateway_process import GatewayProcess, Page, texts

from hermes_sdk.trace.recording import read_recording
from hermes_sdk.trace.replaying import replay

CENSOR = (
    "def f(event, **kw):\n"
    "    if event.text == 'psst':\n        return {'action': 'skip', 'reason': 'hush'}\n"
    "    if event.text == 'hi':\n        return {'action': 'rewrite', 'text': 'good morning'}\n"
    "def register(ctx):\n    ctx.register_hook('pre_gateway_dispatch', f)\n"
)


def test_what_a_gateway_fires_itself_is_recorded_and_can_be_replayed(talk, played, tmp_path):
    talk.plugin(CENSOR)
    path = tmp_path / "r.jsonl"

    async def chat():
        runner = await talk.start([call("echo one"), say("hello")], recording=path)
        await talk.write("psst")
        assert await talk.ask("hi") == "hello"
        await talk.ask("/new")
        await until(lambda: not runner._chats["desk:dm:c1"].busy)
        assert await talk.ask("again") == "hello"
        await runner.stop()
        talk.recording.close()
        found = read_recording(path)
        fired = {}
        for entry in found.hooks():
            fired.setdefault(entry.name, []).append(entry.data)
        dispatched = [
            (each["payload"]["event"]["text"], each["outcome"]["action"]) for each in fired["pre_gateway_dispatch"]
        ]
        assert dispatched == [("psst", "skip"), ("hi", "rewrite"), ("/new", "allow"), ("again", "allow")]
        assert fired["pre_gateway_dispatch"][0]["steps"][0]["plugin"] == "probe"
        assert [each["payload"]["reason"] for each in fired["on_session_finalize"]] == ["new_session", "shutdown"]
        assert [each["session"] for each in fired["on_session_reset"]] == [fired["pre_llm_call"][1]["session"]]
        assert [each["payload"]["user_message"] for each in fired["pre_llm_call"]] == ["good morning", "again"]
        assert {"pre_tool_call", "post_tool_call", "on_session_start", "on_session_end"} < set(fired)
        assert replay(found, talk.manager).same

    played(chat())


def test_gateway_run_records(tmp_path):
    gateway = GatewayProcess(tmp_path)
    gateway.configure()
    gateway.play([{"say": "hello"}])
    command, path = gateway.command, tmp_path / "r.jsonl"
    gateway.command = lambda *arguments: [*command(*arguments), "--record", str(path)]
    gateway.start()
    try:

        async def talk():
            async with Page(gateway.base) as page:
                await page.say("my key is sk-abcdefghijklmnopqrstuvwx", "m1")
                await page.until(lambda entries: texts(entries, "agent") == ["hello"])

        asyncio.run(talk())
        assert gateway.end(signal.SIGTERM) == 0
    finally:
        gateway.close()
    recording = read_recording(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "sk-abc" not in path.read_text()
    assert {"pre_gateway_dispatch", "pre_llm_call", "on_session_finalize"} < {each.name for each in recording.hooks()}


def test_record_raw_needs_a_recording(tmp_path):
    gateway = GatewayProcess(tmp_path)
    gateway.play([{"say": "hello"}])
    done = gateway.run("run", "--script", str(gateway.script), "--record-raw")
    assert done.returncode == 2
    assert "--record-raw needs --record FILE" in done.stderr
