"""hermes-agent's own plugin manager and ours do the same with the same plugins, but for the listed differences."""

import pytest
from cases import Callback, Case, Plugin
from generated import cases
from hypothesis import HealthCheck, given, settings
from payload_choice import recorded
from seed_cases import seed_cases
from specimens import SPECIMENS

HERE = "__import__('importlib.util').util.find_spec('hermes_sdk') is not None"
"""What a plugin would ask to behave differently on purpose."""
FIRING = recorded("transform_terminal_output", "short")


@pytest.mark.parametrize("name", SPECIMENS)
def test_a_specimen_shows_its_difference_and_nothing_else(beside, name):
    verdict = beside().compare(SPECIMENS[name])

    assert verdict.problems == []
    assert verdict.found == {name}


@pytest.mark.parametrize("case", seed_cases(), ids=lambda case: case.name)
def test_examples_of_the_seed_page_do_the_same_in_both(beside, case):
    verdict = beside().compare(case)

    assert verdict.problems == []
    assert verdict.found == set()
    assert all(part.compared for part in verdict.parts.values())


@settings(
    max_examples=25,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases())
def test_made_up_plugins_do_the_same_in_both(beside, case):
    assert beside().compare(case).problems == []


def _case(*callbacks, **plugin):
    return Case(
        "host-dependent", (Plugin("asks_where", callbacks, **plugin),), (FIRING, recorded("pre_tool_call", "rm"))
    )


@pytest.mark.parametrize(
    ("case", "part"),
    [
        (_case(Callback("a", FIRING.hook, answer=f"'here' if {HERE} else 'there'")), "returns"),
        (_case(Callback("a", "pre_tool_call", changes=("args", f"it.update(where={HERE})"))), "returns"),
        (_case(registers=(f"{HERE} and ctx.register_hook('post_tool_call', print)",)), "hooks"),
        (_case(registers=(f"ctx.register_command('here' if {HERE} else 'there', print)",)), "hooks"),
        (_case(ends=f"{HERE} and 1 / 0"), "hooks"),
    ],
)
def test_what_is_different_on_no_purpose_is_found(beside, case, part):
    verdict = beside().compare(case)

    assert verdict.parts[part].problems


def test_plugins_that_say_nothing_of_themselves_are_compared_by_what_they_answer(beside):
    source = f"def register(ctx):\n    ctx.register_hook({FIRING.hook!r}, lambda **_: 'here' if {HERE} else 'there')\n"
    verdict = beside().compare(Case("host-dependent", (Plugin("asks_where", source=source),), (FIRING,)))

    assert verdict.parts["hooks"].problems == []
    assert len(verdict.parts["returns"].problems) == 1
    assert len(verdict.parts["acts"].problems) == 1


@pytest.mark.compat
def test_an_older_release_does_less_with_the_same_answer(beside):
    asks = Callback("a", "pre_tool_call", answer="{'action': 'approve', 'message': 'sure?'}")
    case = Case("asks", (Plugin("asks", (asks,)),), (recorded("pre_tool_call", "write"),))

    assert beside("0.17.0").compare(case).found == {"older-releases"}
    assert beside("0.18.2").compare(case).found == set()
