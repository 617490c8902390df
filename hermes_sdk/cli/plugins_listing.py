"""The installed plugins of a home, printed as a table, in full, or as JSON; no plugin is imported for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hermes_sdk.cli.screen import print_json
from hermes_sdk.errors import PluginError, did_you_mean
from hermes_sdk.plugins.names import normalised, split_source

if TYPE_CHECKING:
    from pathlib import Path


def print_list(home: Path, *, load: bool = False, as_json: bool = False) -> None:
    """Print every plugin of `home`; `load` loads them first, to see what really registers and what fails."""
    rows, problems = _rows(home, load=load)
    if as_json:
        print_json({"plugins": rows, "problems": problems})
        return
    from hermes_sdk.cli.plugins_screen import show_list

    show_list(rows, problems)


def print_details(home: Path, name: str, *, load: bool = False, as_json: bool = False) -> None:
    """Print all that is known about a plugin and other copies of the same name.

    Raises:
        PluginError: No such plugin is installed.
    """
    rows, _ = _rows(home, load=load)
    source, bare = split_source(name)
    copies = [
        row
        for row in rows
        if source in (None, row["source"]) and normalised(bare) in (normalised(row["key"]), normalised(row["name"]))
    ]
    if not copies:
        fix = did_you_mean(bare, [row["key"] for row in rows])
        fix = fix or "`hermes-sdk plugins list` shows what is installed"
        raise PluginError(f"no plugin {name!r} is installed", fix=fix, code="HS203")
    if as_json:
        print_json({"plugins": copies})
        return
    from hermes_sdk.cli.plugins_screen import show_details

    show_details(copies)


def _rows(home: Path, *, load: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """Return rows as `plugins.listing.list_installed` makes them, and what is wrong with the configuration.

    Inside of hermes-agent they are about the plugins of the bridge, which are loaded there.
    """
    from hermes_sdk.interop.running import running_bridge
    from hermes_sdk.plugins.listing import list_installed

    bridge = running_bridge(home)
    if bridge is not None:
        return bridge.manager.list_plugins(), [str(problem) for problem in bridge.manager.problems]
    rows, problems = list_installed(home)
    if load:
        from hermes_sdk.cli.start import load_plugins, opened_manager

        with opened_manager(home) as manager:
            load_plugins(manager)
            rows = manager.list_plugins()
    return rows, [str(problem) for problem in problems]
