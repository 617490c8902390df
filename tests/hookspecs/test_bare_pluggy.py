"""The specs work on pluggy alone, without this framework."""

import inspect

import pluggy
import pytest

from hermes_hookspecs import FAMILIES, HOOKS, Block, hookimpl


@pytest.mark.parametrize("family", FAMILIES, ids=lambda module: module.__name__)
def test_a_bare_manager_takes_a_family_and_calls_its_hooks(family):
    manager = pluggy.PluginManager("hermes")
    manager.add_hookspecs(family)
    hooks = [hook for hook in HOOKS.values() if hook.family == family.__name__.rpartition(".")[2]]
    received = {}

    class Plugin:
        pass

    plugin = Plugin()
    for hook in hooks:
        setattr(plugin, hook.name, _takes_everything(hook, received))
    manager.register(plugin)
    manager.check_pending()
    for hook in hooks:
        getattr(manager.hook, hook.name)(**hook.sample())
        assert list(received[hook.name]) == [argument.name for argument in hook.arguments]


def _takes_everything(hook, received):
    """Make an implementation that names every argument, as a plugin's author would write it."""
    names = ", ".join(argument.name for argument in hook.arguments)
    namespace = {}
    exec(f"def {hook.name}({names}): received[{hook.name!r}] = locals()", {"received": received}, namespace)
    return hookimpl(namespace[hook.name])


@pytest.fixture
def manager():
    made = pluggy.PluginManager("hermes")
    for family in FAMILIES:
        made.add_hookspecs(family)
    return made


def test_an_unknown_argument_refuses_the_plugin(manager):
    class Plugin:
        @hookimpl
        def post_tool_call(self, params):
            """Observe."""

    with pytest.raises(pluggy.PluginValidationError, match="params"):
        manager.register(Plugin())


def test_a_decision_gives_one_answer_and_an_observer_a_list(manager):
    class Plugin:
        @hookimpl
        def pre_tool_call(self, tool_name):
            return Block("no") if tool_name == "terminal" else None

        @hookimpl
        def on_session_start(self, session_id):
            return session_id

    manager.register(Plugin())
    assert manager.hook.pre_tool_call(**HOOKS["pre_tool_call"].sample()) == Block("no")
    assert manager.hook.on_session_start(**HOOKS["on_session_start"].sample(session_id="s")) == ["s"]


def test_specs_are_plain_functions_with_positional_or_keyword_parameters():
    for hook in HOOKS.values():
        parameters = inspect.signature(hook.function).parameters.values()
        assert {parameter.kind for parameter in parameters} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        assert [parameter.name for parameter in parameters] == [argument.name for argument in hook.arguments]
        assert hook.function(**hook.sample()) is None


def test_the_telemetry_version_is_the_last_argument_of_every_hook():
    for hook in HOOKS.values():
        assert hook.arguments[-1].name == "telemetry_schema_version"
        assert hook.arguments[-1].default == "hermes.observer.v1"
