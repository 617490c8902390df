"""Audit log: every decision of hooks and people, append-only, chained by hashes, secrets masked."""

from __future__ import annotations

import atexit
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.agent_host import AgentHost
from hermes_sdk.plugins.any_host import paths_of, settings_of

from .auditor import Auditor, this_process
from .chain import Chain
from .commands import Commands
from .settings import KeyProblemError, Settings
from .writer import LogProblemError, Writer

if TYPE_CHECKING:
    from pathlib import Path


def register(ctx: Any) -> None:
    """Read the settings and put hooks and commands in place.

    Args:
        ctx: The plugin context (any type: hermes-agent's own is fine too).
    """
    settings = settings_of(ctx, Settings)
    key, problem = _key(settings)
    folded = hasattr(ctx, "register_hookimpls")

    def where() -> Path:
        if problem:
            raise LogProblemError(problem)
        if settings.directory is None:
            return paths_of(ctx).data
        settings.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        return settings.directory

    chain = Chain(key)
    writer = Writer(
        where,
        chain,
        started=this_process(_host("hermes-sdk" if folded else "hermes-agent")),
        max_bytes=settings.max_bytes,
        keep=settings.keep,
        fsync=settings.fsync,
    )
    auditor = Auditor(settings, chain, writer, folded=folded)
    if folded:
        ctx.register_hookimpls(auditor.wrappers())
    else:
        host = AgentHost(ctx)
        for hook, callback in auditor.callbacks().items():
            if host.fires(hook):
                ctx.register_hook(hook, callback)
    if hasattr(ctx, "on_unload"):
        ctx.on_unload(auditor.close)
    else:
        atexit.register(auditor.close)
    commands = Commands(where, settings)
    ctx.register_cli_command(
        "audit",
        "check and read the audit log",
        commands.setup,
        description="Check and read the log that the audit_log plugin keeps.",
    )


def _key(settings: Settings) -> tuple[bytes | None, str]:
    """Return (key, why it cannot be used); where tools are to be blocked then, the plugin has to load to do that.

    Raises:
        KeyProblemError: It cannot be used, and the user does not want tools to be blocked.
    """
    try:
        return settings.secret(), ""
    except KeyProblemError as error:
        if settings.on_failure == "block":
            return None, str(error)
        raise


def _host(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:  # run from a checkout
        return name
