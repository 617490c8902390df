"""Comparing one home in both hosts: what is different on purpose is recognised, anything else is a problem."""

from callback_pair import CallbackPair
from loading import compare_loading
from middleware_pair import MIDDLEWARE, MiddlewarePair
from pair import Pair
from verdict import ACTS, HOOKS, RETURNS, Verdict


def compare(case, theirs, ours):
    """Return the verdict on one case.

    Args:
        case: What both hosts loaded and fired.
        theirs: What was to be seen in a release of hermes-agent.
        ours: What was to be seen here, by way of calling (`our_ways.WAYS`).
    """
    verdict = Verdict()
    raw, folded = ours["invoke_hook"], ours["hook"]
    _compare_ways(ours, verdict)
    compare_loading(case, theirs, raw, verdict)
    if theirs["ended"]:
        return verdict
    for firing, there, here, acted in zip(
        case.firings, theirs["firings"], raw["firings"], folded["firings"], strict=True
    ):
        pair = _kind(case, firing)(case, firing, theirs, there, {**here, "acts": acted["acts"]})
        pair.compare()
        verdict.add(pair.verdict, firing.call)
    return verdict


def _kind(case, firing):
    if not case.speaks:
        return Pair
    return MiddlewarePair if firing.hook in MIDDLEWARE else CallbackPair


def _compare_ways(ours, verdict):
    """Compare our own ways of calling with each other."""
    raw, folded, awaited = (ours[way] for way in ("invoke_hook", "hook", "ahook"))
    for way, other in (("hook", folded), ("ahook", awaited)):
        for key in ("ended", "plugins", "registered"):
            if raw[key] != other[key]:
                verdict.problem(HOOKS, f"{key} here: {raw[key]} by invoke_hook, {other[key]} by {way}")
        for one, two in zip(raw["firings"], other["firings"], strict=True):
            for key in ("seen", "changed", "ended"):
                if one[key] != two[key]:
                    text = f"{one['call']}: {key} here: {one[key]} by invoke_hook, {two[key]} by {way}"
                    verdict.problem(RETURNS, text)
    for one, two in zip(folded["firings"], awaited["firings"], strict=True):
        if one["acts"] != two["acts"]:
            verdict.problem(ACTS, f"{one['call']}: here: {one['acts']} by hook, {two['acts']} by ahook")
