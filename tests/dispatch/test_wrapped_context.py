"""A wrapper's text of a context hook reaches a host that reads the single contributions."""

from __future__ import annotations

from hermes_hookspecs import HOOKS, hookimpl
from hermes_sdk.dispatch.manager import DispatchManager


class Shortens:
    @hookimpl(wrapper=True)
    def pre_llm_call(self):
        outcome = yield
        return outcome._replace(text="short")


class Recalls:
    @hookimpl
    def pre_llm_call(self):
        return "a long memory"


def test_the_pieces_follow_the_text_that_a_wrapper_gives():
    manager = DispatchManager()
    manager.register(Recalls(), "recall")
    manager.register(Shortens(), "shorten")
    outcome = manager.hook.pre_llm_call(**HOOKS["pre_llm_call"].sample())
    assert (outcome.text, outcome.pieces) == ("short", ("short",))
