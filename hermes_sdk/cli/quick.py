"""Commands that prompts, scripts and completions call all the time, without the command-line library.

Loading typer and building its commands takes longer (0.06 s, from 0.29 on 0.17 s, since that loads pydantic) than
listing a thousand plugins. The very command lines below skip it; with any other option the usual way does the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_sdk.home import hermes_home

if TYPE_CHECKING:
    from collections.abc import Callable


def _list_plugins() -> None:
    from hermes_sdk.cli.plugins_listing import print_list

    print_list(hermes_home())


def _list_plugins_as_json() -> None:
    from hermes_sdk.cli.plugins_listing import print_list

    print_list(hermes_home(), as_json=True)


def _config_path() -> None:
    from hermes_sdk.cli.config_path import print_config_path

    print_config_path(hermes_home())


QUICK: Final[dict[tuple[str, ...], Callable[[], None]]] = {
    ("plugins", "list"): _list_plugins,
    ("plugins", "list", "--json"): _list_plugins_as_json,
    ("config", "path"): _config_path,
}
"""Command lines, complete, and what each does."""
