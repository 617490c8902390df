"""The contract as data: samples, signatures, names."""

import copy
import pickle
import typing

import pytest

import hermes_hookspecs
from hermes_hookspecs import FAMILIES, HOOKS, REQUIRED, Argument, nearest_hook


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_a_sample_has_every_argument_and_no_other(hook):
    sample = hook.sample()
    assert list(sample) == [argument.name for argument in hook.arguments]
    assert REQUIRED not in sample.values()


@pytest.mark.parametrize("hook", HOOKS.values(), ids=HOOKS)
def test_sample_values_have_the_declared_types(hook):
    types = typing.get_type_hints(hook.function)
    for name, value in hook.sample().items():
        assert _fits(value, types[name]), f"{name}={value!r} is no {types[name]}"


def _fits(value, declared):
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if declared is typing.Any or getattr(declared, "_is_protocol", False):
        return True
    if origin is typing.Literal:
        return value in arguments
    if origin is list:
        return isinstance(value, list) and all(_fits(item, arguments[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict)
    if origin is not None:
        return any(_fits(value, argument) for argument in arguments)
    return type(value) is declared or (declared is float and type(value) is int)


def test_samples_share_nothing():
    first, second = HOOKS["pre_llm_call"].sample(), HOOKS["pre_llm_call"].sample()
    first["conversation_history"][0]["content"] = "changed"
    assert second["conversation_history"][0]["content"] != "changed"
    HOOKS["pre_tool_call"].sample()["middleware_trace"].append({})
    assert HOOKS["pre_tool_call"].sample()["middleware_trace"] == []


def test_a_sample_takes_overrides_and_unknown_arguments():
    sample = HOOKS["on_session_start"].sample(platform="telegram", later="added")
    assert (sample["platform"], sample["later"]) == ("telegram", "added")


@pytest.mark.parametrize("given", ["args", "arguments"])
def test_an_overridden_name_takes_its_partner_along(given):
    sample = HOOKS["transform_tool_result"].sample(**{given: {"path": "x"}})
    assert sample["args"] == sample["arguments"] == {"path": "x"}


def test_both_names_given_stay_as_given():
    sample = HOOKS["transform_terminal_output"].sample(exit_code=1, returncode=2)
    assert (sample["exit_code"], sample["returncode"]) == (1, 2)


def test_ids_pair_up_from_sample_to_sample():
    before, after = HOOKS["pre_tool_call"].sample(), HOOKS["post_tool_call"].sample()
    for name in ("session_id", "turn_id", "tool_call_id", "api_request_id", "args"):
        assert before[name] == after[name]
    assert HOOKS["subagent_start"].sample()["child_session_id"] == HOOKS["subagent_stop"].sample()["child_session_id"]


def test_aliases_name_their_partner():
    assert HOOKS["transform_tool_result"].aliases == {"args": "arguments"}
    assert HOOKS["transform_terminal_output"].aliases == {"returncode": "exit_code"}
    assert sum(len(hook.aliases) for hook in HOOKS.values()) == 2


def test_a_signature_reads_like_the_spec():
    assert HOOKS["on_session_start"].signature == (
        "on_session_start(session_id: str, model: str, platform: str, "
        "telemetry_schema_version: str = 'hermes.observer.v1') -> None"
    )


def test_required_is_one_object_and_prints_well():
    assert repr(REQUIRED) == "REQUIRED"
    assert copy.deepcopy(REQUIRED) is REQUIRED
    assert pickle.loads(pickle.dumps(REQUIRED)) is REQUIRED
    assert str(Argument("count", "int", 0)) == "count: int = 0"


def test_the_nearest_hook_is_found_or_none():
    assert nearest_hook("pre_tool_cal") == "pre_tool_call"
    assert nearest_hook("on_sesion_end") == "on_session_end"
    assert nearest_hook("entirely_different") is None


def test_hooks_are_grouped_by_family():
    assert list(dict.fromkeys(hook.family for hook in HOOKS.values())) == [
        module.__name__.rpartition(".")[2] for module in FAMILIES
    ]


def test_the_contract_cannot_be_changed_by_accident():
    with pytest.raises(TypeError):
        HOOKS["mine"] = HOOKS["pre_tool_call"]
    with pytest.raises(AttributeError):
        HOOKS["pre_tool_call"].kind = "observer"


def test_everything_public_is_there_and_listed_once():
    names = hermes_hookspecs.__all__
    assert len(set(names)) == len(names)
    assert all(hasattr(hermes_hookspecs, name) for name in names)
