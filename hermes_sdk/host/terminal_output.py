"""What happens to the raw output of a command after transform_terminal_output: cut, strip, redact.

The order is the documented one: first the cut, so that nothing behind it costs more than 50,000 characters,
then ANSI sequences, then secrets. (Rule: hooks.yaml, transform_terminal_output; seed H14.1.)
"""

from __future__ import annotations

import re
from typing import Final

from hermes_sdk.masking import redact

MAX_OUTPUT: Final = 50_000
"""Characters that the model gets at most."""

_HEAD_SHARE: Final = 0.4
"""How much of a cut output is its beginning; errors tend to stand at the end."""

_ANSI: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: titles, links
    r"|\x1b[PX^_][^\x1b]*\x1b\\"  # DCS and other strings
    r"|\x1b[ -/]*[0-~]"  # two-character sequences
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]"  # control characters but tab, newline and return
)


def processed(output: str, *, redact_secrets: bool = True) -> str:
    """Return the output as the model gets it."""
    text = strip_ansi(cut(output))
    return redact(text) if redact_secrets else text


def cut(output: str) -> str:
    """Keep beginning and end of an output that is longer than `MAX_OUTPUT` characters."""
    if len(output) <= MAX_OUTPUT:
        return output
    notice = f"\n\n[... {len(output):,} characters in all, the middle is cut ...]\n\n"
    room = MAX_OUTPUT - len(notice)
    head = int(room * _HEAD_SHARE)
    return output[:head] + notice + output[head - room :]


def strip_ansi(output: str) -> str:
    """Remove colours, cursor movements and other control sequences."""
    return _ANSI.sub("", output) if not output.isprintable() else output
