"""Entries that start together and are folded in declared order (semantics 8.5)."""

import asyncio
import json
import threading

import pytest

from hermes_hookspecs import HOOKS

CALL = {"tool_name": "terminal", "args": {"command": "ls"}}
BLOCK = '{"action": "block", "message": "no"}'


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


# -- side by side ----------------------------------------------------------------------------------------------------


def meeting(shell_home, tmp_path, count):
    """Return scripts that end only when all of them have started: each waits for the others."""
    script = shell_home.script(
        "meet.sh",
        f"""
        cat >/dev/null; touch {tmp_path}/here.$1
        while [ $(ls {tmp_path}/here.* | wc -l) -lt {count} ]; do sleep 0.01; done
        echo "{{\\"context\\": \\"$1\\"}}"
        """,
    )
    return [{"command": f"{script} {number}", "timeout": 30} for number in range(count)]


@pytest.mark.parametrize("way", ["hook", "ahook"])
def test_entries_of_pre_llm_call_start_together_and_are_joined_in_declared_order(shell_home, tmp_path, way):
    manager = shell_home.started({"pre_llm_call": meeting(shell_home, tmp_path, 3)})
    payload = HOOKS["pre_llm_call"].sample()
    added = (
        asyncio.run(manager.ahook.pre_llm_call(**payload)) if way == "ahook" else manager.hook.pre_llm_call(**payload)
    )
    assert added.text == "0\n\n1\n\n2"


@pytest.mark.parametrize("way", ["hook", "ahook"])
def test_observers_that_are_parallel_start_together(shell_home, tmp_path, way):
    entries = [entry | {"parallel": True} for entry in meeting(shell_home, tmp_path, 2)]
    manager = shell_home.started({"post_tool_call": entries})
    payload = HOOKS["post_tool_call"].sample()
    if way == "ahook":
        asyncio.run(manager.ahook.post_tool_call(**payload))
    else:
        manager.hook.post_tool_call(**payload)
    assert manager.failures == {}
    assert len(list(tmp_path.glob("here.*"))) == 2


def test_other_observers_run_one_after_another(shell_home, tmp_path):
    script = shell_home.script("s.sh", f"echo start $1 >> {tmp_path}/log; sleep 0.05; echo end $1 >> {tmp_path}/log")
    manager = shell_home.started({"post_tool_call": [{"command": f"{script} {number}"} for number in range(2)]})
    manager.hook.post_tool_call(**HOOKS["post_tool_call"].sample())
    assert (tmp_path / "log").read_text().split("\n")[:4] == ["start 0", "end 0", "start 1", "end 1"]


def test_a_condition_is_decided_when_the_group_starts(shell_home, tmp_path):
    """The second entry matches the arguments of that moment, whatever the first one makes of them."""
    rewrite = shell_home.answering("a.sh", '{"action": "modify", "args": {"command": "git status"}}')
    guard = shell_home.script("b.sh", f"cat >> {tmp_path}/read; echo '{BLOCK}'")
    manager = shell_home.started(
        {"pre_tool_call": [{"command": rewrite}, {"command": guard, "when": {"args.command": "rm .*"}}]}
    )
    assert manager.hook.pre_tool_call(tool_name="terminal", args={"command": "rm x"}).blocked
    assert len(lines(tmp_path / "read")) == 1


def test_a_condition_that_only_the_changed_arguments_meet_is_met_in_the_second_judgement(shell_home, tmp_path):
    rewrite = shell_home.answering("a.sh", '{"action": "modify", "args": {"command": "rm x"}}')
    guard = shell_home.script("b.sh", f"cat >> {tmp_path}/read; echo '{BLOCK}'")
    manager = shell_home.started(
        {"pre_tool_call": [{"command": rewrite}, {"command": guard, "when": {"args.command": "rm .*"}}]}
    )
    assert manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ls"}).blocked
    assert [each["extra"]["judgement"] for each in lines(tmp_path / "read")] == [2]


def test_who_opts_out_is_not_asked_again(shell_home, tmp_path):
    first = shell_home.script("a.sh", f"cat >> {tmp_path}/read; echo '{{}}'")
    rewrite = shell_home.answering("b.sh", '{"action": "modify", "args": {"command": "rm x"}}')
    manager = shell_home.started({"pre_tool_call": [{"command": first, "rejudge": False}, {"command": rewrite}]})
    assert manager.hook.pre_tool_call(**CALL).args == {"command": "rm x"}
    assert len(lines(tmp_path / "read")) == 1


def test_calls_of_many_threads_do_not_mix(shell_home):
    echo = shell_home.script(
        "echo.sh", r"""sed -n 's/.*"command":"\([0-9]*\)".*/{"action": "block", "message": "\1"}/p'"""
    )
    manager = shell_home.started({"pre_tool_call": [{"command": f"{echo} {number}"} for number in range(2)]})
    found = {}

    def judge(number):
        for turn in range(5):
            call = str(number * 100 + turn)
            found[call] = manager.hook.pre_tool_call(tool_name="t", args={"command": call}).message

    threads = [threading.Thread(target=judge, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 30
    assert all(call == message for call, message in found.items())
