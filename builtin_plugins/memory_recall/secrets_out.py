"""Masks what looks like a secret before anything is written to the memory file."""

from __future__ import annotations

import re
from typing import Final

_FORMATS: Final = (
    r"A(?:KIA|SIA)[A-Z2-7]{16}",
    r"gh[opsur]_[A-Za-z0-9]{36,}",
    r"github_pat_\w{40,}",
    r"glpat-[A-Za-z0-9_-]{20,}",
    r"xox[abceoprs]-[A-Za-z0-9-]{10,}",
    r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{32,}",
    r"AIza[A-Za-z0-9_-]{35}",
    r"hf_[A-Za-z0-9]{34,}",
    r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?:(?!-----END)[\s\S])*(?:-----END [A-Z0-9 ]{1,60}-----)?",
)
_IN_URL: Final = r"(?P<user>://[^\s:/@]{0,64}:)[^\s/@]+(?=@)"
_NAMED: Final = (
    r"(?P<name>(?i:password|passwd|pwd|passphrase|secret|token|api[_-]?key|credentials?|pin)"
    r"[\"']?\s{0,4}(?:[:=]|is\b)\s{0,4}[\"']?)(?=[^\s\"',;]{0,100}[0-9])[^\s\"',;]{4,}"
)
_SECRET: Final = re.compile("|".join((*_FORMATS, _IN_URL, _NAMED)), re.ASCII)


def without_secrets(text: str) -> str:
    """Return `text` with ``[masked]`` where a secret stood; what names it stays."""
    return _SECRET.sub(lambda match: f"{match['user'] or match['name'] or ''}[masked]", text)
