"""Completing a payload: defaults, aliases, and a word about what a host left out (semantics 2)."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hermes_sdk.dispatch.plan import MISSING
from hermes_sdk.dispatch.watch import deep_copy, same

if TYPE_CHECKING:
    from hermes_hookspecs.contract import HookContract
    from hermes_sdk.dispatch.failures import FailureLog
    from hermes_sdk.dispatch.own_spec import OwnSpec

logger = logging.getLogger(__name__)


def split(contract: HookContract | None, payload: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (arguments of the contract, `MISSING` where not sent; further arguments)."""
    if contract is None:
        return {}, dict(payload)
    named = {argument.name: payload.get(argument.name, MISSING) for argument in contract.arguments}
    return named, {name: value for name, value in payload.items() if name not in named}


def complete(contract: HookContract | None, named: Mapping[str, Any], log: FailureLog) -> dict[str, Any]:
    """Return the arguments with nothing missing.

    An alias is filled from its partner, an omitted argument from its default (made anew), any other with None, which
    is reported once. Where both names of an argument are given and differ, the seed's name wins.
    """
    if contract is None:
        return dict(named)
    values = dict(named)
    for alias, name in contract.aliases.items():
        _join(contract.name, values, alias, name, log)
    for argument in contract.arguments:
        if values[argument.name] is not MISSING:
            continue
        if argument.required:
            values[argument.name] = None
            if log.once("", contract.name, argument.name):
                logger.warning("the host fired %s without %r: callbacks get None for it", contract.name, argument.name)
        else:
            values[argument.name] = deep_copy(argument.default)
    if not isinstance(values.get("tool_name"), str | None):
        values["tool_name"] = str(values["tool_name"])
    if contract.name == "pre_tool_call" and not isinstance(values["args"], dict):
        values["args"] = _shared_args(values["args"], log)
    return values


def complete_own(hook: str, spec: OwnSpec, payload: Mapping[str, Any], log: FailureLog) -> dict[str, Any]:
    """Return the arguments of a hook of the host's own with nothing missing that its spec declares."""
    values = {name: deep_copy(default) for name, default in spec.defaults.items() if name not in payload}
    values |= payload
    for name in spec.required:
        if name not in values:
            values[name] = None
            if log.once("", hook, name):
                logger.warning("the host fired %s without %r: callbacks get None for it", hook, name)
    return values


class StandIn(dict[str, Any]):
    """The empty dict that callbacks judge where the host sent arguments that are none."""

    def __init__(self, sent: Any) -> None:
        super().__init__()
        self.sent = sent
        """What the host sent, for whoever can pass any value on."""


def _shared_args(args: Any, log: FailureLog) -> dict[str, Any]:
    """Return the dict that implementations of pre_tool_call share where the host sent none."""
    if isinstance(args, Mapping):
        return dict(args)
    if log.once("", "pre_tool_call", "args"):
        found = type(args).__name__
        logger.warning("the host fired pre_tool_call with %s as 'args': callbacks judge an empty dict", found)
    return StandIn(args)


def _join(hook: str, values: dict[str, Any], alias: str, name: str, log: FailureLog) -> None:
    """Make both names of an argument mean the same value; leave both missing where neither was sent."""
    first, second = values[name], values[alias]
    if first is MISSING:
        values[name] = second
        if second is MISSING:
            values[name] = values[alias] = None
            if log.once("", hook, name):
                logger.warning("the host fired %s without %r: callbacks get None for it", hook, name)
        return
    if second is not MISSING and not same(first, second) and log.once("", hook, alias):
        logger.warning("the host fired %s with different values of %r and %r: %r counts", hook, name, alias, name)
    values[alias] = first
