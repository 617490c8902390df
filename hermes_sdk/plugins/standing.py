"""Standing blocks: what stands in for a fail-closed plugin that is enabled but not in force (semantics 3.2).

The declaration is read from config.yaml, which survives a missing or broken plugin, and from plugin.yaml, which
survives a failed import. A block names the plugin, the cause and the command that ends it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.markers import hookimpl
from hermes_sdk.dispatch.holder import PluginHolder
from hermes_sdk.home import safe_mode
from hermes_sdk.plugins.gates import hooks_at_stake
from hermes_sdk.plugins.loaded import declared_gate
from hermes_sdk.plugins.names import NameSet, normalised, split_source
from hermes_sdk.plugins.selection import OWN_ENTRY, Status, Wishes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from hermes_sdk.plugins.section import Entry, PluginsSection
    from hermes_sdk.plugins.selection import Decision

_DELIBERATE = (Status.DISABLED, Status.SAFE_MODE, Status.SHADOWED)


@dataclass(frozen=True, slots=True)
class StandingBlock:
    """One plugin whose gate is declared and not in force."""

    plugin: str
    hooks: tuple[str, ...]
    cause: str
    fix: str
    """The command or edit that ends the block."""

    @property
    def text(self) -> str:
        """What the model and the user read."""
        return f"plugin {self.plugin!r} is declared fail-closed and not in force: {self.cause}; {self.fix}"

    def holder(self, name: str) -> PluginHolder:
        """Return what blocks and withholds in the plugin's place, behind everything else.

        Args:
            name: The name it is going to have in pluggy.
        """
        holder = PluginHolder(name)
        holder.add_hookimpls(_Refusals(self))
        return holder


class _Refusals:
    """An instance with one `@hookimpl` for each hook of a block."""

    def __init__(self, block: StandingBlock) -> None:
        for hook in block.hooks:
            answer: Any = f"[output withheld: {block.text}]"
            if hook == "pre_tool_call":
                answer = {"action": "block", "message": block.text}
            setattr(self, hook, hookimpl(trylast=True, specname=hook)(_constant(answer)))


def _constant(answer: Any) -> Callable[[], Any]:
    def refuse() -> Any:
        return answer

    return refuse


def blocks_for_absent(
    decisions: Collection[Decision], section: PluginsSection, loaded: Collection[str]
) -> Iterator[StandingBlock]:
    """Return the blocks for plugins that are not loaded although they are enabled, or not even installed.

    Args:
        decisions: On every plugin that was found.
        section: What the user declared and enabled.
        loaded: Keys of the loaded plugins.
    """
    wishes = Wishes(section)
    for decision in decisions:
        candidate = decision.candidate
        if decision.status in _DELIBERATE or candidate.key in loaded or not wishes.may_want(candidate):
            continue
        entry = section.entry(candidate)
        hooks = hooks_at_stake(declared_gate(candidate, entry), candidate.manifest.provides_hooks)
        cause = f"{decision.status} ({decision.why})" if decision.why else str(decision.status)
        yield from block(candidate.key, entry, hooks, cause, section)
    if safe_mode() == "off":
        for entry, hooks in gates_of_nobody(decisions, section):
            yield from block(entry.name, entry, hooks, "it is not installed", section)


def gates_of_nobody(decisions: Iterable[Decision], section: PluginsSection) -> Iterator[tuple[Entry, tuple[str, ...]]]:
    """Return the entries that declare a gate for a plugin which is not installed, with the hooks at stake."""
    found = [decision.candidate for decision in decisions]
    names = {normalised(name) for candidate in found for name in (candidate.key, candidate.name)}
    for entry in section.entries:
        name = normalised(split_source(entry.name)[1])
        if name not in names and name != OWN_ENTRY and _is_wanted(entry, section):
            hooks = hooks_at_stake(bool(entry.misspelt_gate) or entry.fail_closed or False, ())
            if hooks:
                yield entry, hooks


def _is_wanted(entry: Entry, section: PluginsSection) -> bool:
    """Whether the user wants a plugin that is not there."""
    source, name = split_source(entry.name)
    if NameSet(section.disabled).find(source, name) is not None:
        return False
    return section.enabled is None or NameSet(section.enabled).find(source, name) is not None


def block(plugin: str, entry: Entry, hooks: Iterable[str], cause: str, section: PluginsSection) -> list[StandingBlock]:
    """Return the block for the hooks that the user has not switched off, if any is left."""
    stands = tuple(hook for hook in hooks if hook not in entry.hooks_off)
    if not stands:
        return []
    if section.unusable is not None:
        fix = f"mend {section.unusable.where}"
    else:
        fix = f"mend that, or go on without it: hermes-sdk plugins disable {plugin}"
    return [StandingBlock(plugin, stands, cause, fix)]
