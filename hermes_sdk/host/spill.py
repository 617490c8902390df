"""Keep a contribution to the user message from filling every request: what is too long goes to a file.

Each contribution of a context hook is measured on its own, so that one runaway plugin does not cost the
others their place. (Rule: semantics 2, kind ``context``; config ``hooks.output_spill``.)
"""

from __future__ import annotations

import logging
import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

logger = logging.getLogger(__name__)

DIRECTORY: Final = "hook_outputs"
"""Where the files go, below the home; one folder a session."""


@dataclass(frozen=True, slots=True)
class SpillSettings:
    """What ``hooks.output_spill`` in config.yaml says."""

    enabled: bool = True
    max_chars: int = 10_000
    preview_head: int = 500
    preview_tail: int = 500


@dataclass(frozen=True, slots=True)
class Spilled:
    """One contribution that went to a file."""

    path: str | None
    """None when the file could not be written: then the rest of the text is lost to the model."""
    characters: int
    preview: str
    """What stands in the message instead."""


def spill(piece: str, settings: SpillSettings, home: Path, session_id: str) -> Spilled | None:
    """Write `piece` to a file if it is too long; None when it may stay as it is."""
    if not settings.enabled or len(piece) <= settings.max_chars:
        return None
    folder = home / DIRECTORY / (re.sub(r"[^\w-]+", "_", session_id) or "session")
    path = folder / f"{uuid.uuid4().hex[:12]}.txt"
    saved: str | None = str(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(piece, encoding="utf-8", errors="surrogatepass")
    except OSError as error:
        logger.warning("context of %d characters cannot be kept in %s: %s", len(piece), path, error)
        saved = None
    return Spilled(saved, len(piece), _preview(piece, settings, saved))


def fit(pieces: Iterable[str], settings: SpillSettings, home: Path, session_id: str) -> tuple[str, list[Spilled]]:
    """Join contributions with one blank line, the long ones replaced by head, tail and path."""
    kept: list[str] = []
    spilled: list[Spilled] = []
    for piece in pieces:
        moved = spill(piece, settings, home, session_id)
        kept.append(moved.preview if moved else piece)
        if moved:
            spilled.append(moved)
    return "\n\n".join(kept), spilled


def _preview(piece: str, settings: SpillSettings, path: str | None) -> str:
    place = f"all of it is in {path}" if path else "the rest could not be saved"
    lines = [f"[context of {len(piece):,} characters, shortened: {place}]"]
    if settings.preview_head:
        lines += ["--- beginning ---", piece[: settings.preview_head]]
    if settings.preview_tail:
        lines += ["--- end ---", piece[-settings.preview_tail :]]
    return "\n".join(lines)
