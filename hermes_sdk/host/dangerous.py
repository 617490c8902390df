"""Which terminal commands the host never runs without asking a person.

A pattern is no sandbox: it catches what agents and people write by mistake, not what somebody hides on
purpose. Plugins can only add to this, with an `approve` or `block` in pre_tool_call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class DangerousPattern:
    """One kind of dangerous command."""

    key: str
    """Sent to approval hooks as ``pattern_key``, and what `session` and `always` are remembered under."""
    description: str
    pattern: re.Pattern[str]


_BOUNDARY: Final = r"(?:^|[;&|({`\n]|\$\()\s*(?:\w+=\S*\s+)*"
"""Where a command begins: at the start, behind an operator, in a substitution; assignments may come first."""

_WRAPPERS: Final = r"(?:(?:sudo|doas|env|exec|nohup|time|xargs|command)\s+(?:-\S+\s+|\w+=\S*\s+)*)*(?:\S*/)?"
"""Commands that run the command behind them, and the path of a program."""

_SYSTEM_PATH: Final = r"(?:/etc/|/usr/|/bin/|/sbin/|/boot/|/lib/|/var/lib/)"


def _program(words: str) -> str:
    return _BOUNDARY + _WRAPPERS + words


def _pattern(key: str, description: str, *alternatives: str) -> DangerousPattern:
    return DangerousPattern(key, description, re.compile("|".join(alternatives), re.IGNORECASE | re.MULTILINE))


PATTERNS: Final = (
    _pattern("rm_rf", "recursive delete", _program(r"rm\b[^;&|\n]*\s(?:-\w*r\w*|--recursive)\b")),
    _pattern("rm_root", "delete at the root of the file system", _program(r"rm\b[^;&|\n]*\s/(?:\s|\*|$)")),
    _pattern("find_delete", "delete by find", _program(r"find\b[^;&|\n]*\s(?:-delete\b|-exec\s+(?:\S*/)?rm\b)")),
    _pattern("sudo", "run with another user's rights", _BOUNDARY + r"(?:\S*/)?(?:sudo|doas)\b"),
    _pattern("chmod_open", "let everyone write", _program(r"chmod\b[^;&|\n]*\s(?:0?777|[ao]\+\w*w)")),
    _pattern("chown_recursive", "change owners recursively", _program(r"chown\b[^;&|\n]*\s(?:-\w*R|--recursive)")),
    _pattern("mkfs", "make a file system", _program(r"mkfs(?:\.\w+)?\b")),
    _pattern("dd_device", "write to a device", _program(r"dd\b[^;&|\n]*\bof=/dev/"), r">\s*/dev/(?:sd|nvme|hd)"),
    _pattern("shutdown", "stop the machine", _program(r"(?:shutdown|reboot|halt|poweroff)\b")),
    _pattern("kill_all", "kill many processes", _program(r"(?:kill\s+(?:-\S+\s+)+-1\b|killall\b|pkill\b)")),
    _pattern("fork_bomb", "fork bomb", r":\s*\(\)\s*\{[^}]*:\s*\|\s*:\s*&[^}]*\}"),
    _pattern(
        "pipe_to_shell",
        "run what was downloaded",
        r"\b(?:curl|wget)\b[^;&\n]*\|\s*(?:sudo\s+)?(?:\S*/)?(?:ba|z|da|k)?sh\b",
    ),
    _pattern("write_system", "write to a system path", r">>?\s*" + _SYSTEM_PATH, r"\btee\b.*\s" + _SYSTEM_PATH),
    _pattern("write_ssh", "write to SSH keys or settings", r">>?\s*(?:~|\$HOME|/root|/home/[^/\s]+)/\.ssh/"),
    _pattern("git_reset_hard", "throw local changes away", _program(r"git\b[^;&|\n]*\sreset\b[^;&|\n]*--hard")),
    _pattern("git_clean", "delete untracked files", _program(r"git\b[^;&|\n]*\sclean\b[^;&|\n]*\s-\w*f")),
    _pattern(
        "git_force_push",
        "rewrite a remote branch",
        _program(r"git\b[^;&|\n]*\spush\b[^;&|\n]*\s(?:-f\b|--force)"),
    ),
    _pattern("sql_drop", "drop a table or database", r"\bdrop\s+(?:table|database|schema)\b"),
    _pattern(
        "sql_delete_all",
        "delete every row",
        r"\bdelete\s+from\s+[\w.`]+\s*(?:;|\"|'|$)",
        r"\btruncate\s+table\b",
    ),
    _pattern("systemctl_stop", "stop a service", _program(r"systemctl\b[^;&|\n]*\s(?:stop|disable|mask)\b")),
    _pattern("crontab_remove", "remove the crontab", _program(r"crontab\b[^;&|\n]*\s-r\b")),
)
"""In the order in which matches are reported: the first one is the primary."""


def dangers(command: str) -> list[DangerousPattern]:
    """Return the patterns that `command` matches, none when it looks harmless."""
    # the shell joins lines at a backslash, and drops one before a letter and empty quotes inside a word
    plain = re.sub(r"\\\n", " ", command)
    plain = re.sub(r"\\(?=\w)|(?<=\w)(?:\"\"|'')(?=\w)", "", plain)
    return [danger for danger in PATTERNS if danger.pattern.search(plain)]
