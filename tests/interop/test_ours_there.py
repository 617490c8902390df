"""A plugin of the SDK loads in every release of hermes-agent by one line, and under our own manager just once."""

import json
import shutil
from pathlib import Path

import pytest
from _harness.agent_site import add_distribution
from agent_process import ALL_VERSIONS, run

from hermes_sdk import PluginManager

HERE = Path(__file__).resolve().parent
PLUGINS = HERE / "plugins"
SESSION = {"session_id": "s1", "completed": False, "interrupted": True, "model": "m", "platform": "cli"}
CALLS = [
    ["pre_tool_call", {"tool_name": "delete", "args": {}}],
    ["pre_tool_call", {"tool_name": "deploy", "args": {}}],
    ["pre_tool_call", {"tool_name": "fetch", "args": {"url": "u"}}],
    ["post_tool_call", {"tool_name": "fetch", "args": {}, "result": "{}", "task_id": "", "duration_ms": 1}],
    ["transform_tool_result", {"tool_name": "fetch", "args": {"secret": "s3cret"}, "result": "is s3cret"}],
    [
        "transform_terminal_output",
        {"command": "ls", "output": "files", "returncode": 2, "task_id": "", "env_type": "l"},
    ],
    ["transform_llm_output", {"response_text": "it is s3cret", "session_id": "s1", "model": "m", "platform": "cli"}],
    ["pre_llm_call", {"session_id": "s1", "user_message": "cats", "conversation_history": [], "is_first_turn": True}],
    ["on_session_end", SESSION],
]


@pytest.fixture(scope="module", params=ALL_VERSIONS)
def version(request):
    """A release of hermes-agent."""
    return request.param


def write_home(home):
    """Write a home with one plugin as a directory; the other one is to be installed."""
    shutil.copytree(PLUGINS / "by_instance", home / "plugins" / "by_instance")
    (home / "config.yaml").write_text("plugins:\n  enabled: [by_instance, by-module]\n", "utf-8")
    return home


def write_site(site):
    """Write a directory with the other plugin as an installed distribution."""
    shutil.copytree(PLUGINS / "by_module", site / "by_module")
    add_distribution(site, "by-module", "1.0", {"hermes_agent.plugins": {"by-module": "by_module"}})
    return site


@pytest.fixture(scope="module")
def there(version, contract_site, tmp_path_factory):
    """What a release of hermes-agent made of the two plugins."""
    directory = tmp_path_factory.mktemp(f"hermes-agent-{version}")
    path = [contract_site, write_site(directory / "site")]
    bundled = directory / "bundled"
    bundled.mkdir()
    script = HERE / "ours_there_worker.py"
    home = write_home(directory / "home")
    printed = run(version, script, json.dumps(CALLS), home=home, path=path, bundled=bundled)
    return json.loads(printed.splitlines()[-1])


def answers(seen, number):
    return seen["calls"][number]["answers"]


def test_both_load_as_directory_and_as_entry_point(there):
    assert there["plugins"] == {"by_instance": "loaded", "by-module": "loaded"}


def test_a_block_is_what_the_host_reads(there):
    assert answers(there, 0) == [{"action": "block", "message": "nothing is deleted here"}]
    assert there["calls"][0]["act"] == ["block", "nothing is deleted here"]


def test_an_approve_reaches_a_person_or_blocks(there, version):
    action, message = there["calls"][1]["act"]

    if version in ("0.13.0", "0.15.2", "0.17.0"):  # they overlook it, which would let the call through
        assert action == "block"
        assert (
            message
            == "blocked: a person has to approve this, and nobody can be asked here: a deployment needs a person"
        )
    else:
        assert (action, message) == ("approve", "a deployment needs a person")
        assert answers(there, 1)[0]["rule_key"] == "deploy"


def test_a_modify_changes_the_arguments_in_place(there):
    assert answers(there, 2) == []
    assert there["calls"][2]["payload"]["args"] == {"url": "u", "timeout": 5}


def test_a_transform_is_awaited_and_gets_names_of_the_contract(there):
    assert answers(there, 4) == ["is ***"]
    assert answers(there, 5) == ["files [exit code 2, cwd '']"]


def test_a_fail_closed_transform_withholds(there):
    (notice,) = answers(there, 6)

    assert notice.startswith("[output withheld: plugin ")
    assert "declared fail-closed: LookupError: the list of secrets is gone" in notice


def test_a_context_is_what_the_host_reads(there):
    assert answers(there, 7) == [{"context": "about cats"}]


def test_a_module_sees_every_call_once_and_cannot_end_the_host(there):
    # each tool call is fired twice: by the test, and by the function that says what the host makes of it
    assert [name for name, _ in there["by_module"]] == ["delete"] * 2 + ["deploy"] * 2 + ["fetch"] * 2 + ["s1"]
    first = there["by_module"][0][1]
    assert {"args", "session_id", "already_blocked", "judgement", "telemetry_schema_version"} <= set(first)
    assert any("on_session_end called sys.exit(3)" in line for line in there["said_later"])


def test_what_the_host_cannot_do_is_said_when_the_plugin_loads(there, version):
    (said,) = [line for line in there["said"] if "plugin Guard in" in line]

    assert said.startswith(f"WARNING hermes_hookspecs.agent_host: plugin Guard in hermes-agent {version}: ")
    assert "tryfirst and trylast of pre_tool_call count among the plugin's own implementations only" in said
    assert "transform_tool_result is not chained, the first plugin that returns a text wins" in said
    assert "fail_closed of transform_llm_output holds while the plugin is loaded only" in said
    assert "the wrapper round post_tool_call is left out, there are none" in said
    assert ("pre_verify is never fired" in said) == (version not in ("0.18.2", "0.19.0"))
    assert ("no person can be asked, so an approve blocks" in said) == (version in ("0.13.0", "0.15.2", "0.17.0"))
    assert there["by_instance"] == []
    assert "post_tool_call" not in there["hooks"]


def test_under_our_own_manager_each_implementation_runs_once_and_pluggy_knows_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(write_site(tmp_path / "site"))
    manager = PluginManager(write_home(tmp_path / "home"))
    try:
        manager.discover_and_load()
        assert list(manager.plugins) == ["by_instance", "by-module"]
        assert manager.hook.pre_tool_call(tool_name="delete", args={}).message == "nothing is deleted here"
        assert manager.hook.pre_tool_call(tool_name="fetch", args={"url": "u"}).args == {"url": "u", "timeout": 5}
        outcome = manager.hook.transform_tool_result(tool_name="t", arguments={"secret": "x1"}, result="is x1")
        manager.hook.post_tool_call(tool_name="wrapped", args={}, result="", duration_ms=0)
        seen = manager.plugins["by-module"].module.SEEN

        assert outcome.value == "is ***"
        assert manager.plugins["by_instance"].module.ENTERED == ["wrapped"]  # there are wrappers here
        assert [name for name, _ in seen] == ["delete", "fetch"]
    finally:
        manager.shutdown()
