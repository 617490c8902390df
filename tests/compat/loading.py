"""Comparing what both hosts loaded and registered."""

from verdict import HOOKS
from versions import UPSTREAM

MISSING_THERE = ("object has no attribute", "unexpected keyword argument", "No module named", "cannot import name")
"""What a plugin says that uses more than an older release has."""


def compare_loading(case, theirs, ours, verdict):
    """Compare plugins and registrations; the result goes into `verdict`."""
    if theirs["ended"] and ours["ended"] is None:
        verdict.recognise(HOOKS, "contained-exits")
        return
    if theirs["ended"] != ours["ended"]:
        verdict.problem(HOOKS, f"loading ended: {theirs['ended']} there, {ours['ended']} here")
    for plugin in case.plugins:
        there, here = theirs["plugins"][plugin.name], ours["plugins"][plugin.name]
        if (there == "loaded") == (here == "loaded"):
            continue
        reason = _reason(case, plugin, theirs["version"], there, here)
        if reason:
            verdict.recognise(HOOKS, reason)
        else:
            verdict.problem(HOOKS, f"{plugin.name} is {there!r} there, {here!r} here")
    _compare_registrations(case, theirs, ours, verdict)
    verdict.count(HOOKS, len(ours["registered"]["hooks"]))


def only_here(theirs, ours, name):
    """Whether a plugin is loaded here and not there."""
    return theirs["plugins"][name] != "loaded" and ours["plugins"][name] == "loaded"


def _reason(case, plugin, version, there, here):
    if here != "loaded":
        return "twins-in-a-source" if plugin.name in case.twins and here.startswith("refused") else None
    if plugin.form == "register function":
        return "register-functions"
    if not case.enabled:
        return "enabled-by-default"
    return "older-releases" if version != UPSTREAM and any(text in there for text in MISSING_THERE) else None


def _compare_registrations(case, theirs, ours, verdict):
    there, here = theirs["registered"], ours["registered"]
    for callback in case.callbacks.values():
        if callback.times > 1 and there["hooks"].get(callback.hook, 0) > here["hooks"].get(callback.hook, 0):
            there["hooks"][callback.hook] -= callback.times - 1
            verdict.recognise(HOOKS, "same-function-twice")
    if there == here:
        return
    pairs = [(status == "loaded", ours["plugins"][name] == "loaded") for name, status in theirs["plugins"].items()]
    if (False, False) in pairs and _within(here, there):
        verdict.recognise(HOOKS, "all-or-nothing")
    elif not (((False, True) in pairs and _within(there, here)) or ((True, False) in pairs and _within(here, there))):
        for kind in there:
            if there[kind] != here[kind]:
                verdict.problem(HOOKS, f"{kind}: {there[kind]} there, {here[kind]} here")


def _within(smaller, larger):
    """Whether everything in `smaller` is in `larger` too, hooks no more often."""
    for kind, entries in smaller.items():
        for name, value in entries.items():
            other = larger[kind].get(name)
            if other is None or (other < value if isinstance(value, int) else other != value):
                return False
    return True
