"""The specs send what the seed documents say, under the names that they use."""

import typing

import pytest

from hermes_hookspecs import HOOKS

PROMPT = "command description pattern_key pattern_keys session_key surface"
SEED_ARGUMENTS = {
    "pre_tool_call": "tool_name args task_id",
    "post_tool_call": "tool_name args result task_id duration_ms",
    "pre_llm_call": "session_id user_message conversation_history is_first_turn model platform",
    "post_llm_call": "session_id user_message assistant_response conversation_history model platform",
    "on_session_start": "session_id model platform",
    "on_session_end": "session_id completed interrupted model platform",
    "on_session_finalize": "session_id platform",
    "on_session_reset": "session_id platform",
    "subagent_stop": "parent_session_id child_role child_summary child_status duration_ms",
    "pre_gateway_dispatch": "event gateway session_store",
    "pre_approval_request": PROMPT,
    "post_approval_response": f"{PROMPT} choice",
    "transform_tool_result": "tool_name arguments result task_id",
    "transform_terminal_output": "command output exit_code cwd task_id",
}


@pytest.mark.parametrize("name", SEED_ARGUMENTS)
def test_a_hook_sends_every_argument_of_the_seed(name):
    """Seed H1.3, H2.3, H3.3, H4.3, H5.3, H6.3, H7.3, H8.2, H9.3, H10.3, H11.3, H12.2, H13.2 and H14.2."""
    wanted = SEED_ARGUMENTS[name].split()
    assert set(wanted) <= HOOKS[name].argument_names
    required = [argument.name for argument in HOOKS[name].arguments if argument.required]
    assert set(required) <= set(wanted), "a host written from the seed could not fire it"


def test_every_hook_of_the_seed_is_compared():
    assert set(SEED_ARGUMENTS) == {name for name, hook in HOOKS.items() if hook.origin == "seed"}


def _values(hook, argument):
    return set(typing.get_args(typing.get_type_hints(HOOKS[hook].function)[argument]))


def test_the_statuses_of_a_child_are_there():
    """Seed H9.3; "timeout" is hermes-agent's."""
    assert _values("subagent_stop", "child_status") == {
        "completed",
        "failed",
        "interrupted",
        "error",
        "timeout",
    }


def test_the_surfaces_and_choices_of_a_prompt_are_there():
    """Seed H11.5 and H12.2; the "smart" ones are hermes-agent's."""
    assert _values("pre_approval_request", "surface") == {"cli", "gateway", "smart"}
    choices = _values("post_approval_response", "choice")
    assert {choice for choice in choices if not choice.startswith("smart_")} == {
        "once",
        "session",
        "always",
        "deny",
        "timeout",
    }


def test_an_unset_task_is_empty_before_and_none_in_transforms():
    """Seed H1.3, H2.3, H13.2 and H14.2."""
    defaults = {
        name: argument.default
        for name in SEED_ARGUMENTS
        for argument in HOOKS[name].arguments
        if argument.name == "task_id"
    }
    assert defaults["pre_tool_call"] == defaults["post_tool_call"] == ""
    assert defaults["transform_tool_result"] is defaults["transform_terminal_output"] is None
