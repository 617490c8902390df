"""The hook contract of Hermes agents: what each hook sends, what it may be answered, how answers fold.

Needs pluggy and nothing else, so that a plugin can depend on it alone. A plugin imports `hookimpl`, the typed
directives, and `registrar`, which lets it load in hermes-agent too; a host adds each module of `FAMILIES` to its
plugin manager; tools read the contract as data from `HOOKS`.
"""

from hermes_hookspecs.contract import FAMILIES, HOOKS, REQUIRED, Argument, HookContract, nearest_hook
from hermes_hookspecs.directives import (
    AddContext,
    Allow,
    Approve,
    Block,
    Continue,
    Directive,
    Modify,
    Rewrite,
    Skip,
)
from hermes_hookspecs.gateway import GatewayRunner, MessageEvent, MessageSource, SessionStore
from hermes_hookspecs.markers import (
    PROJECT,
    TELEMETRY_SCHEMA_VERSION,
    ImplNotes,
    Kind,
    Origin,
    SpecNotes,
    hookimpl,
    hookspec,
    impl_notes,
    spec_notes,
)
from hermes_hookspecs.registrar import registrar

__all__ = [
    "FAMILIES",
    "HOOKS",
    "PROJECT",
    "REQUIRED",
    "TELEMETRY_SCHEMA_VERSION",
    "AddContext",
    "Allow",
    "Approve",
    "Argument",
    "Block",
    "Continue",
    "Directive",
    "GatewayRunner",
    "HookContract",
    "ImplNotes",
    "Kind",
    "MessageEvent",
    "MessageSource",
    "Modify",
    "Origin",
    "Rewrite",
    "SessionStore",
    "Skip",
    "SpecNotes",
    "hookimpl",
    "hookspec",
    "impl_notes",
    "nearest_hook",
    "registrar",
    "spec_notes",
]
