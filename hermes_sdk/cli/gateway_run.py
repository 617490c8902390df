"""`hermes-sdk gateway run`: plugins, a model for each chat, the runner, and the signals that end it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from rich.text import Text

from hermes_sdk.cli.gateway_control import RESTART_SIGNAL
from hermes_sdk.cli.logs import logging_to_gateway_log
from hermes_sdk.cli.problems import EXIT_OK
from hermes_sdk.cli.recording_listener import RecordingListener
from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.start import load_plugins, opened_manager, plugins_in_force
from hermes_sdk.errors import SessionError
from hermes_sdk.host.gateway.presence import Presence
from hermes_sdk.host.gateway.runner import GatewayRunner
from hermes_sdk.host.gateway.settings import GatewaySettings, PlatformSettings
from hermes_sdk.host.models import OpenAIModel, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hermes_sdk.host.events import Listener
    from hermes_sdk.host.models import Model
    from hermes_sdk.host.session_script import SessionScript
    from hermes_sdk.plugins.manager import PluginManager

logger = logging.getLogger(__name__)

DEFAULT_PLATFORM: Final = "webchat"
_FIGURES_EVERY: Final = 2.0
"""Seconds between two looks at what `gateway status` shows."""


@dataclass(frozen=True, slots=True)
class GatewayRequest:
    """What the command line asked for; exactly one of `script` and `model` is given."""

    home: Path
    script: Path | None = None
    model: str | None = None
    base_url: str | None = None
    platforms: tuple[str, ...] = ()
    """These and no others; those of the configuration where it is empty."""
    plugins: tuple[Path, ...] = ()
    workdir: Path | None = None
    strict: bool = False
    record: Path | None = None
    redacted: bool = True


class ChatScripts:
    """Scripted models: each conversation plays the turns of the script, and begins again behind the last one."""

    def __init__(self, script: SessionScript) -> None:
        self._script = script
        self._next: WeakKeyDictionary[Model, int] = WeakKeyDictionary()

    def model(self) -> Model:
        """Return the model of one more conversation."""
        script = self._script
        return ScriptedModel(name=script.model, children=script.children, plugin_answers=script.plugin_answers)

    def before_turn(self, model: Model) -> None:
        """Give a model the steps of its next turn."""
        turns = self._script.turns
        if isinstance(model, ScriptedModel) and turns:
            number = self._next.get(model, 0)
            self._next[model] = number + 1
            model.begin_turn(turns[number % len(turns)].steps)


def run_gateway(request: GatewayRequest) -> int:
    """Run the gateway until a signal ends it, and return the exit code; a restart replaces the process.

    Raises:
        HermesSdkError: It cannot start.
    """
    with ExitStack() as stack:
        stack.enter_context(logging_to_gateway_log())
        presence = Presence(request.home)
        manager = stack.enter_context(opened_manager(request.home, strict=request.strict))
        manager.kinds.add("platform")
        load_plugins(manager, request.plugins)
        listener = None
        if request.record is not None:
            manager.tracing = True
            listener = RecordingListener(request.record, manager, "gateway", redacted=request.redacted)
            stack.callback(listener.close)
        again = asyncio.run(_Sitting(request, manager, presence, listener).run())
    if again:
        logger.info("the gateway starts anew")
        sys.stdout.flush()
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, "-m", "hermes_sdk", *sys.argv[1:]])  # noqa: S606 - this program itself
    return EXIT_OK


class _Sitting:
    """One run of the gateway, from its start to the signal that ends it."""

    def __init__(
        self, request: GatewayRequest, manager: PluginManager, presence: Presence, listener: Listener | None
    ) -> None:
        self._request = request
        self._manager = manager
        self._presence = presence
        self._listener = listener
        self._again = False
        self._told = asyncio.Event()

    async def run(self) -> bool:
        """Run; return whether the process is to start anew."""
        runner = self._runner()
        name = runner.model_name
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                loop.add_signal_handler(number, self._told.set)
        loop.add_signal_handler(RESTART_SIGNAL, self._restart)
        self._presence.say("starting", {"model": name})  # not before: who reads it may send a signal
        try:
            await runner.start()
            if not runner.adapters:
                fix = "mend what the warnings above name"
                raise SessionError(
                    "no platform is connected", why=f"tried {', '.join(runner.missing)}", fix=fix, code="HS448"
                )
            self._greet(runner, name)
            told = loop.create_task(self._told.wait())
            while not told.done():
                self._presence.say("running", runner.figures() | {"model": name})
                await asyncio.wait({told}, timeout=_FIGURES_EVERY)
            self._presence.say("stopping", runner.figures() | {"model": name})
        finally:
            try:
                await runner.stop()
            finally:
                if not self._again:  # else `gateway restart` waits for what follows
                    self._presence.leave()
        return self._again

    def _restart(self) -> None:
        self._again = True
        self._told.set()

    def _runner(self) -> GatewayRunner:
        request = self._request
        model, before_turn = _models(request)
        return GatewayRunner(
            self._manager,
            model,
            settings=_settings(self._manager, request.platforms),
            workdir=request.workdir,
            before_turn=before_turn,
            listener=self._listener,
        )

    def _greet(self, runner: GatewayRunner, model: str) -> None:
        screen = console()
        screen.print(Text(plain(f"{model}; plugins: {plugins_in_force(self._manager)}"), "bold"))
        for name, adapter in sorted(runner.adapters.items()):
            url = getattr(adapter, "url", "")
            screen.print(Text(plain(f"{name} {url}".strip())), soft_wrap=True)
        screen.print(Text("Ctrl-C ends the gateway", "dim"))


def _models(request: GatewayRequest) -> tuple[Callable[[], Model], Callable[[Model], None]]:
    if request.script is not None:
        from hermes_sdk.host.session_file import load_session

        scripts = ChatScripts(load_session(request.script))
        return scripts.model, scripts.before_turn
    model = OpenAIModel(request.model or "", base_url=request.base_url)
    return (lambda: model), (lambda _: None)


def _settings(manager: PluginManager, platforms: tuple[str, ...]) -> GatewaySettings:
    settings = GatewaySettings.from_config(manager.config)
    names = platforms or tuple(settings.platforms) or (DEFAULT_PLATFORM,)
    chosen = {name: settings.platforms.get(name) or PlatformSettings() for name in names}
    if platforms:  # named on purpose: on, whatever the configuration says
        chosen = {name: each.model_copy(update={"enabled": True}) for name, each in chosen.items()}
    return settings.model_copy(update={"platforms": chosen})
