"""The port that an adapter with an HTTP server listens on: opened whole or not at all."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Final

from aiohttp import web

from hermes_sdk.config import Config
from hermes_sdk.errors import SessionError

if TYPE_CHECKING:
    from pathlib import Path

_SHUTDOWN_SECONDS: Final = 2.0
"""How long requests may take to end when the port closes."""


class Listener:
    """One address and port.

    Args:
        platform: Whose it is, for messages.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        home: Whose configuration says so, for messages.
    """

    def __init__(self, platform: str, host: str, port: int, home: Path) -> None:
        self._platform = platform
        self._host = host
        self._wanted = port
        self._home = home
        self._runner: web.AppRunner | None = None
        self.port = 0
        """The port, once it is bound."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, once it is bound; an IPv6 address stands in brackets (RFC 3986)."""
        return f"http://{f'[{self._host}]' if ':' in self._host else self._host}:{self.port}"

    async def start(self, app: web.Application) -> None:
        """Listen.

        Raises:
            SessionError: The address cannot be listened on; nothing is left open then.
        """
        runner = web.AppRunner(app, access_log=None, handle_signals=False, shutdown_timeout=_SHUTDOWN_SECONDS)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._host, self._wanted).start()
        except OSError as error:
            await runner.cleanup()
            raise self._refused(error) from error
        self._runner = runner
        self.port = int(runner.addresses[0][1])

    async def stop(self) -> None:
        """Close the port; does nothing where it is not open."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.cleanup()

    def _refused(self, error: OSError) -> SessionError:
        section = ("gateway", "platforms", self._platform)
        key, fix = "port", "0 takes a free one"
        match error.errno:
            case errno.EADDRINUSE:
                why = "another program listens there"
                fix = "end that one, or choose another port; 0 takes a free one"
            case errno.EACCES:
                why = "this user may not open that port"
                fix = "choose one above 1023"
            case _:
                key, why, fix = "host", str(error.strerror or error), "name an address that this machine has"
        return SessionError(
            f"platform {self._platform} cannot listen on {self._host} port {self._wanted}",
            where=f"gateway.platforms.{self._platform}.{key}, {Config.load(self._home).where((*section, key))}",
            why=why,
            fix=fix,
            code="HS449",
        )
