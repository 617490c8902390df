"""The gateway of a home from outside: its status, its end, its pairing."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.cli.problems import EXIT_FAILED, EXIT_OK
from hermes_sdk.cli.screen import console, plain, print_json
from hermes_sdk.errors import SessionError, counted
from hermes_sdk.host.gateway.database import Database
from hermes_sdk.host.gateway.pairing import Pairing
from hermes_sdk.host.gateway.presence import running_gateway

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

RESTART_SIGNAL: Final = signal.SIGUSR1
_LONGEST: Final = 120.0
"""Seconds to wait for a gateway to end; running turns may take that long."""
_POLL: Final = 0.1


def print_status(home: Path, *, as_json: bool) -> int:
    """Show the running gateway and return the exit code."""
    found = running_gateway(home)
    if as_json:
        print_json({"home": str(home), "running": found is not None, "gateway": found})
    elif found is None:
        print(f"no gateway runs for {plain(home)}")
    else:
        from hermes_sdk.cli.tables import print_pair

        screen = console()
        print_pair(screen, "gateway", f"{found.get('state')} in pid {found['pid']} since {found.get('started')}")
        print_pair(screen, "model", str(found.get("model") or ""))
        print_pair(screen, "platforms", ", ".join(found.get("platforms") or ()) or "none")
        for name, why in (found.get("missing") or {}).items():
            print_pair(screen, "not connected", f"{name}: {why}")
        print_pair(screen, "chats", f"{found.get('chats')}, with {counted(found.get('turns') or 0, 'turn')} running")
        _print_hooks(screen, found.get("hooks") or [])
    return EXIT_OK if found is not None and not found.get("missing") else EXIT_FAILED


def _print_hooks(screen: Console, hooks: list[dict[str, Any]]) -> None:
    """Print a row for each gateway hook of the running gateway."""
    from hermes_sdk.cli.tables import PlainTable, print_pair

    if not hooks:
        print_pair(screen, "hooks", "none")
        return
    figures = ("handled", "failed", "dropped", "late", "queued")
    rows = [
        (hook["name"], hook["state"], *(hook[name] for name in figures), hook["last_error"] or hook["why"])
        for hook in hooks
    ]
    screen.print(PlainTable(("hook", "state", *figures, "trouble"), rows, numbers=figures))


def restart_gateway(home: Path) -> int:
    """Restart the running gateway, wait until it runs again, and return the exit code.

    Raises:
        SessionError: None runs, or it does not come back.
    """
    found = _running(home)
    os.kill(found["pid"], RESTART_SIGNAL)
    deadline = time.monotonic() + _LONGEST
    while time.monotonic() < deadline:
        time.sleep(_POLL)
        now = running_gateway(home)
        if now is not None and now.get("run") != found.get("run") and now.get("state") == "running":
            print(f"the gateway runs again in pid {now['pid']}")
            return EXIT_OK
        if not _lives(found["pid"]):
            break
    raise SessionError(
        "the gateway did not come back",
        where=f"pid {found['pid']}",
        fix="see `hermes-sdk logs`, then `hermes-sdk gateway run`",
        code="HS446",
    )


def stop_gateway(home: Path) -> int:
    """End the running gateway, wait for it, and return the exit code.

    Raises:
        SessionError: None runs, or it does not end.
    """
    found = _running(home)
    os.kill(found["pid"], signal.SIGTERM)
    deadline = time.monotonic() + _LONGEST
    while time.monotonic() < deadline:
        if running_gateway(home) is None:
            print("the gateway has ended")
            return EXIT_OK
        time.sleep(_POLL)
    raise SessionError(
        "the gateway does not end", where=f"pid {found['pid']}", fix="see `hermes-sdk logs`", code="HS446"
    )


def print_pairing(home: Path, *, as_json: bool) -> int:
    """List who is paired and who asked, and return the exit code."""
    with _pairing(home) as pairing:
        users, requests = pairing.users(), pairing.requests()
    if as_json:
        print_json({"users": [asdict(user) for user in users], "requests": [asdict(user) for user in requests]})
        return EXIT_OK
    rows = [("paired", user) for user in users] + [("asks", user) for user in requests]
    if not rows:
        print("nobody is paired, nobody asks")
        return EXIT_OK
    from hermes_sdk.cli.tables import PlainTable

    cells = [(what, user.platform, user.user_id, user.user_name, _time(user.since)) for what, user in rows]
    console().print(PlainTable(("", "platform", "user", "name", "since"), cells))
    return EXIT_OK


def approve_code(home: Path, code: str) -> int:
    """Let the user of a code in and return the exit code.

    Raises:
        SessionError: No request has this code.
    """
    with _pairing(home) as pairing:
        user = pairing.approve(code)
    print(f"{plain(user.user_id)} of {plain(user.platform)} is paired")
    return EXIT_OK


def revoke_user(home: Path, platform: str, user_id: str) -> int:
    """Shut a user out and return the exit code.

    Raises:
        SessionError: No such user is paired.
    """
    with _pairing(home) as pairing:
        pairing.revoke(platform, user_id)
    print(f"{plain(user_id)} of {plain(platform)} is not paired any more")
    return EXIT_OK


@contextlib.contextmanager
def _pairing(home: Path) -> Iterator[Pairing]:
    database = Database(home)
    try:
        yield Pairing(database)
    finally:
        database.close()


def _running(home: Path) -> dict[str, Any]:
    found = running_gateway(home)
    if found is None:
        raise SessionError(
            "no gateway runs", where=str(home), fix="start one with `hermes-sdk gateway run`", code="HS447"
        )
    return found


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _time(since: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(since))
