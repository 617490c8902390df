"""RP2: one process serves two profiles through one manager, and hooks and state of A act on B."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from hermes_sdk.plugins.current import get_plugin_manager
from hermes_sdk.shell_hooks.consent import Allowlist
from hermes_sdk.shell_hooks.listing import list_hooks

DENY = """
calls = []
def deny(tool_name, tool_call_id, **kw):
    calls.append(tool_call_id)
    return {{"action": "block", "message": "{profile} says no"}}
def register(ctx):
    ctx.register_hook("pre_tool_call", deny)
    ctx.register_command("whoami", lambda text: ctx.profile_name)
    (ctx.paths.data / "mine").write_text("{profile}")
"""


@pytest.fixture
def profiles(plugin_home, another_home):
    """The managers of two profiles, each with a plugin of the same name."""
    managers = {}
    for profile, home in (("A", plugin_home), ("B", another_home)):
        home.plugin("deny", DENY.format(profile=profile))
        managers[profile] = home.loaded()
    return managers


def ids(profile):
    return [f"{profile}{number}" for number in range(200)]


def test_rp2_calls_from_two_threads_are_judged_by_their_own_profile(profiles):
    def judge(profile):
        decide = profiles[profile].hook.pre_tool_call
        return {decide(tool_name="t", args={}, tool_call_id=call_id).message for call_id in ids(profile)}

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(judge, "AB")) == [{"A says no"}, {"B says no"}]
    for profile, manager in profiles.items():
        assert manager.plugins["deny"].module.calls == ids(profile)


def test_rp2_calls_from_two_tasks_are_judged_by_their_own_profile(profiles):
    async def judge(profile):
        messages = set()
        for call_id in ids(profile):
            decision = await profiles[profile].ahook.pre_tool_call(tool_name="t", args={}, tool_call_id=call_id)
            messages.add(decision.message)
            await asyncio.sleep(0)
        return messages

    async def both():
        return await asyncio.gather(judge("A"), judge("B"))

    assert asyncio.run(both()) == [{"A says no"}, {"B says no"}]


def test_rp2_module_state_registrations_and_files_are_separate(profiles):
    first, second = (profiles[profile].plugins["deny"] for profile in "AB")
    assert first.module is not second.module
    assert [plugin.context.paths.data.joinpath("mine").read_text() for plugin in (first, second)] == ["A", "B"]
    profiles["A"].unload("deny")
    assert not profiles["A"].hook.pre_tool_call(tool_name="t", args={}).blocked
    assert profiles["B"].hook.pre_tool_call(tool_name="t", args={}).blocked
    assert list(profiles["B"].registrations.commands) == ["whoami"]


def test_rp2_the_convenience_keeps_profiles_apart_too(plugin_home, another_home):
    first, second = get_plugin_manager(plugin_home.path), get_plugin_manager(another_home.path)
    assert (first.home, second.home) == (plugin_home.path, another_home.path)
    assert first is not second
    for manager in (first, second):
        manager.shutdown()


@pytest.fixture
def shell_profiles(shell_home, tmp_path):
    """Two homes with a script of their own, each approved in its own home only."""
    homes = {"A": shell_home, "B": type(shell_home)(tmp_path / "B")}
    managers = {}
    for profile, home in homes.items():
        script = home.answering(f"deny{profile}.sh", f'{{"action": "block", "message": "{profile} says no"}}')
        managers[profile] = home.started({"pre_tool_call": [{"command": script}]})
    yield homes, managers
    homes["B"].close()


def test_rp2_shell_hooks_of_two_homes_do_not_mix(shell_profiles):
    """Seed K2, K6."""
    homes, managers = shell_profiles

    def judge(profile):
        return {managers[profile].hook.pre_tool_call(tool_name="t", args={}).message for _ in range(20)}

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(judge, "ABAB"))
    assert found == [{"A says no"}, {"B says no"}] * 2

    async def both():
        calls = [managers[profile].ahook.pre_tool_call(tool_name="t", args={}) for profile in "AB" * 5]
        return [decision.message for decision in await asyncio.gather(*calls)]

    assert asyncio.run(both()) == ["A says no", "B says no"] * 5
    for profile, home in homes.items():
        commands = [approval.command for approval in Allowlist(home.path).approvals()]
        assert commands == [str(home.path.parent / f"deny{profile}.sh")]
        assert list_hooks(home.path).home == home.path
