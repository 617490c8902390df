"""`hooks import`: Claude Code's settings as a `hooks:` block, shown, and written only when asked to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.cli.tables import print_pair
from hermes_sdk.config.insert import as_yaml
from hermes_sdk.shell_hooks.importing import import_settings, write_block

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_sdk.shell_hooks.importing import Imported


def import_hooks(path: Path, home: Path, *, write: bool, as_json: bool) -> int:
    """Show what a settings file comes to, write it if asked to, and return the exit code.

    The block goes to stdout, everything else to stderr: `hooks import FILE > block.yaml` gives the block alone.

    Raises:
        ConfigError: The settings cannot be read, or config.yaml cannot be edited safely.
    """
    imported = import_settings(path, home)
    code = EXIT_OK if imported.count else EXIT_FAILED
    if not as_json:
        _show(imported)
    written = write_block(imported.block, home) if write and imported.count else None
    if as_json:
        print_json(
            {
                "hooks": imported.block,
                "remarks": [
                    {"where": remark.where, "kind": remark.kind, "text": remark.text} for remark in imported.remarks
                ],
                "written_to": None if written is None else str(written[0]),
                "added": 0 if written is None else written[1],
            }
        )
    elif written is not None:
        _say(f"{written[1]} added to {written[0]}, {imported.count - written[1]} were there already")
        _say("they run once they are approved: read the scripts, then: hermes-sdk hooks approve")
    elif imported.count:
        _say(f"nothing is written; --write adds this to the configuration of {home}")
    return code


def _show(imported: Imported) -> None:
    if imported.count:
        print(plain(as_yaml({"hooks": imported.block})), end="", flush=True)
    else:
        _say("nothing of it can be taken over")
    screen = console(sys.stderr)
    for kind in ("changed", "left out"):
        for remark in imported.remarks:
            if remark.kind == kind:
                print_pair(screen, f"{kind} {remark.where}", remark.text)


def _say(text: str) -> None:
    sys.stderr.write(plain(text) + "\n")
