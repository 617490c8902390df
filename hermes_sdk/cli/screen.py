"""Text for people: what may reach a terminal, where it goes, and the consoles that draw it.

Tool output, plugin text and config values are foreign text. They are shown as rich `Text`, which knows no
markup, after `plain` made control characters visible, so that nothing a plugin says can move the cursor,
change colours or set a window title.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_UNSAFE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks: they reorder what stands around them
    "\u2028\u2029\ud800-\udfff]"  # other line ends, lone surrogates
)
_CARRIAGE_RETURN: Final = re.compile(r"\r\n?")


def plain(text: object) -> str:
    r"""Return `text` with every control character spelled out (``\x1b``); tabs become spaces, lines stay."""
    lines = _CARRIAGE_RETURN.sub("\n", str(text)).expandtabs(4)
    return _UNSAFE.sub(_spelled, lines)


def one_line(text: object) -> str:
    """Return `text` made plain and on one line, runs of white space collapsed."""
    return " ".join(plain(text).split())


def shortened(text: str, width: int) -> str:
    """Return `text` cut to `width` characters, the cut shown by an ellipsis."""
    return text if len(text) <= width else text[: max(width - 1, 0)].rstrip() + "…"


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"  # noqa: PLR2004 - what fits two hex digits


def console(stream: TextIO | None = None, *, width: int | None = None) -> Console:
    """Return a console on `stream` (default stdout): colours only on a terminal and without `NO_COLOR`."""
    from rich.console import Console

    return Console(
        file=stream or sys.stdout,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        legacy_windows=False,
    )


def print_json(document: Any) -> None:
    """Print one JSON document on stdout; `document` is whatever `json` takes, the rest becomes text."""
    import json

    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=plain) + "\n")
    sys.stdout.flush()
