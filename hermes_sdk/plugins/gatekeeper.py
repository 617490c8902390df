"""Watches that every declared gate is in force, and sets standing blocks where one is not."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from hermes_hookspecs.markers import impl_notes
from hermes_sdk.dispatch.policy import GATED_HOOKS
from hermes_sdk.plugins.gates import hooks_at_stake, hooks_covered
from hermes_sdk.plugins.standing import StandingBlock, block, blocks_for_absent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hermes_sdk.plugins.loaded import LoadedPlugin
    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.plugins.section import PluginsSection
    from hermes_sdk.plugins.selection import Decision

logger = logging.getLogger(__name__)


class Gatekeeper:
    """Keeps the standing blocks of one manager as they have to be."""

    def __init__(self, manager: PluginManager) -> None:
        self._manager = manager
        self._names: dict[StandingBlock, str] = {}
        self._lock = threading.RLock()

    @property
    def blocks(self) -> list[StandingBlock]:
        """The blocks that stand."""
        return list(self._names)

    def update(self, decisions: Sequence[Decision], section: PluginsSection) -> None:
        """Set the blocks that these decisions need, and end all others."""
        plugins = self._manager.plugins
        needed = list(blocks_for_absent(decisions, section, plugins))
        for plugin in plugins.values():
            for hook, cause in self._unanswered(plugin):
                needed += block(plugin.key, plugin.entry, (hook,), cause, section)
        self._set(needed)

    def hold(self) -> None:
        """Stand in for all loaded fail-closed plugins until the next `update`: they are about to be reloaded."""
        held = []
        for plugin in self._manager.plugins.values():
            hooks = tuple(hook for hook in hooks_covered(plugin.fail_closed) if hook in plugin.hooks)
            if hooks:
                held.append(StandingBlock(plugin.key, hooks, "it is being reloaded", "try again in a moment"))
        self._set([*self._names, *held], quiet=True)

    def clear(self) -> None:
        """End every block."""
        self._set([])

    def _set(self, blocks: list[StandingBlock], *, quiet: bool = False) -> None:
        """Replace the blocks; the new ones stand before the old ones end, so that no call slips through."""
        with self._lock:
            ended = {each: name for each, name in self._names.items() if each not in blocks}
            for each in dict.fromkeys(blocks):
                if each not in self._names:
                    if not quiet:
                        logger.error("%s", each.text)
                    name = self._free_name(each.plugin)
                    self._manager.register(each.holder(name), name)
                    self._names[each] = name
            for each, name in ended.items():
                self._manager.unregister(name=name)
                del self._names[each]

    def _free_name(self, plugin: str) -> str:
        """Return a name for pluggy: the plugin's own stays free for the plugin."""
        name = free = f"{plugin} (not in force)"
        number = 2
        while self._manager.has_plugin(free):
            free = f"{name} {number}"
            number += 1
        return free

    def _unanswered(self, plugin: LoadedPlugin) -> Iterator[tuple[str, str]]:
        """Return (declared hook, why the loaded plugin does not guard it)."""
        if not plugin.fail_closed:
            return
        problems = {hook: self._manager.callback_problems(plugin.key, hook) for hook in GATED_HOOKS}
        implemented = tuple(hook for hook, found in problems.items() if found is not None)
        declared = hooks_at_stake(plugin.fail_closed, plugin.manifest.provides_hooks or implemented)
        for hook in declared:
            found = problems[hook]
            if found is None:
                others = ", ".join(plugin.hooks) or "none"
                yield hook, f"it has no callback on {hook}, only on {others}"
            elif found:
                yield hook, f"a callback cannot be called: {'; '.join(found)}"

    def warn_about_markers(self, plugin: LoadedPlugin) -> None:
        """Point out gates that only the code declares: if its import fails nobody knows of them."""
        declared = hooks_covered(plugin.fail_closed)
        for hook, callback in plugin.holder.callbacks():
            if impl_notes(callback).fail_closed and hook not in declared:
                logger.warning(
                    "plugin %r: %s is fail_closed in its code only, so a failed import would open it;"
                    " declare fail_closed in plugin.yaml or config.yaml too",
                    plugin.key,
                    hook,
                )
