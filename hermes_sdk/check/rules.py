"""Every rule of the checker as data: what docs/reference/check.md shows, and what findings refer to by code."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Severity: TypeAlias = Literal["error", "warning", "note"]
"""``error``: it does not work; ``warning``: it works and should not be like that; ``note``: good to know."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing that is looked for."""

    code: str
    """Stable; never used for anything else."""
    name: str
    severity: Severity
    """The usual one; a finding may be milder or stricter, as its rule says."""
    summary: str
    why: str
    fixable: bool = False
    """Whether ``--fix`` can mend it without changing what the plugin does."""


_ALL: Final = (
    Rule(
        "HC001",
        "unreadable",
        "error",
        "A file cannot be parsed as Python.",
        "The plugin cannot be imported, and nothing else in the file can be checked.",
    ),
    Rule(
        "HC002",
        "unknown-suppression",
        "warning",
        "A comment `# hermes: ignore[...]` names no rule, or a rule that finds nothing there.",
        "A suppression that suppresses nothing hides the next mistake in its line.",
    ),
    Rule(
        "HC101",
        "unknown-hook",
        "warning",
        "A hook of that name is in no contract; an error where a known name is one typing slip away.",
        "It is kept and fired by name, so that plugins for a newer host load, and no host known today fires it.",
    ),
    Rule(
        "HC102",
        "unknown-argument",
        "error",
        "An implementation takes an argument that the hook does not send; a warning where it has a default.",
        "A callback with a required one is not called and its plugin is degraded, a `@hookimpl` refuses its plugin; "
        "one with a default never gets another value.",
    ),
    Rule(
        "HC103",
        "no-room-for-arguments",
        "warning",
        "A callback of `ctx.register_hook` has no `**kwargs`.",
        "Hosts add arguments. hermes-agent passes all of them, and a callback without room fails at each firing.",
        fixable=True,
    ),
    Rule(
        "HC104",
        "generator",
        "error",
        "A callback has `yield` in it and is no wrapper.",
        "Calling it makes a generator whose body never runs.",
    ),
    Rule(
        "HC105",
        "unusable-answer",
        "warning",
        "An answer is written in a form that its hook does not understand, or given to a hook that ignores answers.",
        "It has no effect: a block that is misspelled blocks nothing.",
    ),
    Rule(
        "HC201",
        "blocking-call",
        "warning",
        "A hook that fires for every tool call, model request or message waits for a network, a process or the clock; "
        "an asynchronous one does so on the loop.",
        "The agent stands still meanwhile. Use a client with a short timeout, `ctx.background`, or an awaitable.",
    ),
    Rule(
        "HC202",
        "bare-except",
        "warning",
        "`except:` or `except BaseException:` that does not raise again.",
        "It swallows Ctrl-C and the cancellation of the host's own task. Failures of a hook are contained anyway.",
        fixable=True,
    ),
    Rule(
        "HC203",
        "print",
        "warning",
        "`print` in what a host runs: `register`, a hook, a command of a session.",
        "It writes into the agent's screen, or into a protocol that runs over stdout. Use a logger.",
    ),
    Rule(
        "HC204",
        "ends-the-process",
        "warning",
        "`sys.exit`, `exit` or `os._exit` in what a host runs.",
        "SystemExit counts as a failure of the plugin; os._exit ends the agent with everything it had open.",
    ),
    Rule(
        "HC301",
        "entry-point-group",
        "error",
        "An entry point group that is nearly `hermes_agent.plugins`.",
        "No host looks there, and the plugin is never found.",
        fixable=True,
    ),
    Rule(
        "HC302",
        "entry-point-target",
        "error",
        "An entry point names a module or an object that is not there.",
        "Loading the plugin fails with an import error.",
    ),
    Rule(
        "HC303",
        "manifest",
        "error",
        "plugin.yaml says something that cannot be used, or that is unknown.",
        "The plugin is refused, or the key has no effect.",
    ),
    Rule(
        "HC304",
        "nothing-to-load",
        "error",
        "There is no manifest, no `__init__.py`, or neither `register(ctx)` nor a `@hookimpl`.",
        "A host finds no plugin there, or one that does nothing.",
    ),
    Rule(
        "HC305",
        "provides-hooks",
        "warning",
        "`provides_hooks` in plugin.yaml names a hook that the code does not register.",
        "A fail-closed plugin that is not in force leaves its block on the hooks that it lists.",
    ),
    Rule(
        "HC401",
        "secret",
        "error",
        "A file of the package contains what looks like a secret.",
        "Whoever installs the plugin can read it. Revoke it, and read it from the environment.",
    ),
    Rule(
        "HC501",
        "unknown-context-member",
        "error",
        "`ctx` has no such member.",
        "It raises AttributeError, and loading is all or nothing.",
    ),
    Rule(
        "HC502",
        "host-internals",
        "warning",
        "A module of hermes-agent's insides is imported without a way out, or patched.",
        "Where hermes-agent is not installed the import fails or the patch reaches nobody; elsewhere each release may "
        "break it.",
    ),
    Rule(
        "HC503",
        "host-version",
        "note",
        "What it uses came with a certain release of hermes-agent, or exists in hermes-sdk only; a warning where the "
        "declared dependency admits an older release.",
        "An older host ignores the hook, or raises AttributeError.",
    ),
)

RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.code: rule for rule in _ALL})
"""By code, in the order of the codes."""
