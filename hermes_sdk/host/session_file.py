"""Session files: a YAML script (see session_format.py), or a stored conversation (see transcript_file.py)."""

from __future__ import annotations

from pathlib import Path

from hermes_sdk.config.document import YamlDocument
from hermes_sdk.errors import SessionError, nearest
from hermes_sdk.host.player import play
from hermes_sdk.host.session_format import ScriptReader
from hermes_sdk.host.session_script import SessionScript
from hermes_sdk.host.transcript_file import load_transcript

__all__ = ["SessionFileError", "SessionScript", "load_session", "play"]


class SessionFileError(SessionError):
    """A session file has mistakes; the message lists all of them, each with file and line."""

    default_code = "HS430"


def load_session(path: Path | str) -> SessionScript:
    """Read a session file: ``.yaml`` and ``.yml`` are scripts, ``.json`` and ``.jsonl`` transcripts.

    Raises:
        SessionError: There is no such file, or it cannot be played; every mistake is named with its place.
    """
    path = Path(path)
    if not path.is_file():
        siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
        close = nearest(path.name, siblings)
        fix = f"did you mean {path.parent / close}?" if close else ""
        raise SessionError("no such session file", where=str(path), fix=fix, code="HS432")
    if path.suffix in (".json", ".jsonl"):
        return load_transcript(path)
    if path.suffix not in (".yaml", ".yml"):
        raise SessionError(
            "not a session file",
            where=str(path),
            why=f"the name ends in {path.suffix or 'nothing'}",
            fix="scripts are .yaml, transcripts .json or .jsonl",
            code="HS432",
        )
    reader = ScriptReader(YamlDocument(path), path)
    script = reader.read()
    if reader.problems:
        listed = "\n".join(f"  {problem}" for problem in reader.problems)
        count = len(reader.problems)
        what = "a mistake in the session file" if count == 1 else f"{count} mistakes in the session file"
        raise SessionFileError(what, where=str(path), why=f"\n{listed}")
    return script
