"""Our `ctx` has every member of hermes-agent's, with its parameters, and we know its hooks and middleware."""

import inspect
import json
import subprocess

import pytest
from environments import environment, host_environ, is_made
from hosts import HERE
from packaging.version import Version
from versions import UPSTREAM, VERSIONS

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginContext
from hermes_sdk.check.context_rules import MEMBERS
from hermes_sdk.check.releases import HOOK_SINCE, MEMBER_SINCE, OURS_ALONE, RELEASES
from hermes_sdk.plugins.middleware import KINDS


@pytest.fixture(
    scope="module",
    params=[pytest.param(each, marks=() if each == UPSTREAM else pytest.mark.compat) for each in VERSIONS],
)
def theirs(request, tmp_path_factory):
    """What one release has."""
    version = request.param
    if version == UPSTREAM and not is_made(version):
        pytest.skip(f"hermes-agent {version} is not installed: python tests/compat/environments.py {version}")
    command = [str(environment(version) / "bin" / "python"), str(HERE / "their_members.py")]
    home = tmp_path_factory.mktemp("home")
    done = subprocess.run(command, env=host_environ(home), cwd=home, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_no_member_is_missing(theirs):
    assert [name for name in theirs["context"] if not hasattr(PluginContext, name)] == []


def test_methods_take_the_same_parameters(theirs):
    for name, expected in theirs["context"].items():
        member = inspect.getattr_static(PluginContext, name)
        assert (expected is None) == isinstance(member, property), name
        if expected is None:
            continue
        own = {each.name: each for each in inspect.signature(member).parameters.values()}
        place = {parameter: number for number, parameter in enumerate(own)}
        numbers = []
        for parameter, kind, required in expected:
            assert own[parameter].kind.name == kind, f"{name}({parameter})"
            assert required or own[parameter].default is not inspect.Parameter.empty or kind.startswith("VAR"), name
            numbers.append(place[parameter])
        assert numbers == sorted(numbers), name


def test_every_hook_and_middleware_is_known(theirs):
    assert set(theirs["hooks"]) <= set(HOOKS)
    assert set(theirs["middleware"]) <= set(KINDS)
    assert theirs["group"] == "hermes_agent.plugins"


def test_since_when_hooks_and_members_are_there_is_known(theirs, request):
    version = Version(request.node.callspec.params["theirs"])
    hooks = {name for name in HOOKS if Version(HOOK_SINCE.get(name, RELEASES[0])) <= version}
    assert set(theirs["hooks"]) == hooks
    members = {name for name in MEMBERS - OURS_ALONE if Version(MEMBER_SINCE.get(name, RELEASES[0])) <= version}
    assert set(theirs["context"]) | {"manifest"} == members
