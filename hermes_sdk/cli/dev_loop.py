"""The rounds of `hermes-sdk dev`: load, replay, say what changed, wait for the next save."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.text import Text

from hermes_sdk.cli.problems import EXIT_OK, report
from hermes_sdk.cli.recording_listener import RecordingListener
from hermes_sdk.cli.screen import console, plain
from hermes_sdk.cli.start import load_plugins, opened_manager
from hermes_sdk.cli.trace_screen import show_differences
from hermes_sdk.errors import HermesSdkError, PluginError, counted
from hermes_sdk.host.session_file import load_session, play
from hermes_sdk.plugins.discovery import has_manifest, plugins_inside
from hermes_sdk.plugins.manifest import MANIFEST_NAMES
from hermes_sdk.trace.recording import read_recording
from hermes_sdk.trace.replaying import replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from hermes_sdk.plugins.manager import PluginManager
    from hermes_sdk.trace.recording import Recording

SESSION: Final = "session.yaml"
_WATCHED: Final = frozenset({".py", ".yaml", ".yml", ".json", ".toml", ".md", ".txt"})


def develop(path: Path, home: Path, session: Path | None, recording: Path | None) -> int:
    """Watch a plugin until Ctrl-C and return the exit code.

    Raises:
        PluginError: There is no plugin in `path`, or watchfiles is not installed.
        SessionError: The session or the recording cannot be used.
    """
    directory = plugin_directory(path.absolute())
    saves = _saves(directory)
    found = session or next((each for each in (path / SESSION, directory / SESSION) if each.is_file()), None)
    with opened_manager(home) as manager:
        load_plugins(manager)
        developing = Developing(manager, directory, console())
        developing.load()
        developing.baseline(read_recording(recording) if recording else None, found)
        try:
            for changed in saves:
                developing.saved(changed)
        except KeyboardInterrupt:
            pass
    print("ended")
    return EXIT_OK


def plugin_directory(path: Path) -> Path:
    """Return the directory with the plugin's manifest: `path`, or the one package of a project that has one.

    Raises:
        PluginError: There is none, or several.
    """
    if has_manifest(path):
        return path
    found = plugins_inside(path)
    if len(found) == 1:
        return found[0]
    names = ", ".join(each.name for each in found)
    raise PluginError(
        "there is no plugin to develop" if not found else "there are several plugins",
        where=str(path),
        why=f"neither it nor a directory in it or in src has a {MANIFEST_NAMES[0]}" if not found else names,
        fix="name the directory with the plugin's manifest",
        code="HS260",
    )


def _saves(directory: Path) -> Iterator[list[Path]]:
    try:
        import watchfiles
    except ModuleNotFoundError:
        raise PluginError(
            "a plugin cannot be watched",
            why="watchfiles is not installed",
            fix="pip install 'hermes-sdk[watch]'",
            code="HS262",
        ) from None
    for changes in watchfiles.watch(directory, raise_interrupt=True, debounce=200, step=50):
        files = sorted({Path(name) for _, name in changes if Path(name).suffix in _WATCHED})
        if files:
            yield files


class Developing:
    """One plugin under development.

    Args:
        manager: Where it is loaded.
        directory: Its directory.
        screen: Where everything is shown.
    """

    def __init__(self, manager: PluginManager, directory: Path, screen: Console) -> None:
        self._manager = manager
        self._directory = directory
        self._screen = screen
        self._recording: Recording | None = None

    def load(self) -> bool:
        """Load the plugin anew and return whether that worked; what went wrong is shown."""
        try:
            plugin = self._manager.load_plugin(self._directory)
        except HermesSdkError as error:
            report(error)
            return False
        hooks = ", ".join(plugin.hooks) or "no hooks"
        self._say(f"loaded {plugin.key}: {hooks}")
        return True

    def baseline(self, recording: Recording | None, session: Path | None) -> None:
        """Settle what saves are compared with: a recording, or a session that is played now."""
        if recording is None and session is not None:
            recording = self._recorded(session)
        self._recording = recording
        if recording is None:
            self._say(f"no {SESSION} and no --recording: saves are only loaded")
            return
        self._recording = replay(recording, self._manager).updated(recording)
        self._say(
            f"comparing with {counted(len(list(recording.hooks())), 'hook call')} of {recording.header.get('title')}"
        )
        self._say(f"watching {self._directory}, Ctrl-C ends")

    def saved(self, files: Iterable[Path]) -> None:
        """Load what was saved, and show what comes out differently than before."""
        names = ", ".join(str(each.relative_to(self._directory)) for each in files)
        self._say(f"saved {names}", "bold")
        if not self.load() or self._recording is None:
            return
        found = replay(self._recording, self._manager)
        self._recording = found.updated(self._recording)
        show_differences(self._screen, found)

    def _recorded(self, session: Path) -> Recording:
        script = load_session(session)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, "session.jsonl")
            self._manager.tracing = True
            listener = RecordingListener(path, self._manager, script.title or session.name)
            try:
                result = play(self._manager, script, listener=listener)
            finally:
                listener.close()
            for problem in result.problems:
                self._say(f"the session: {problem}", "yellow")
            return read_recording(path)

    def _say(self, text: str, style: str = "") -> None:
        self._screen.print(Text(plain(text), style), soft_wrap=True)
