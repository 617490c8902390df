"""Every exception that this framework raises, and the one form of its messages.

HermesSdkError                 base: code, what, where, why, fix
├── ConfigError                config.yaml or plugin.yaml says something that cannot be used
├── PluginError                a plugin cannot be found, loaded or registered
│   ├── PluginSignatureError   an implementation asks for an argument that its hook does not send
│   └── PluginToolOverrideError  a tool of another toolset was replaced without the user's leave
├── HookDepthError             hooks fire hooks fire hooks, more than eight deep
├── StrictError                strict mode: something failed to load, is degraded or unknown
└── SessionError               a session script, transcript or model cannot be played

A message reads ``what (where): why; fix``: lower case, one sentence, no full stop. Codes are stable: `HS1xx`
configuration and manifests, `HS2xx` plugins, `HS3xx` dispatch, `HS4xx` host and sessions.
docs/reference/errors.md explains each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class HermesSdkError(Exception):
    """Base of all errors: says what failed, where, why, and how to fix it."""

    default_code: ClassVar[str] = "HS000"

    def __init__(self, what: str, *, where: str = "", why: str = "", fix: str = "", code: str | None = None) -> None:
        self.what = what
        self.where = where
        self.why = why
        self.fix = fix
        self.code = code or self.default_code
        # not super(): SignatureError is pluggy's error too, whose __init__ takes a plugin
        Exception.__init__(self, self.render())

    def render(self) -> str:
        """Return the message as one line."""
        text = f"{self.what} ({self.where})" if self.where else self.what
        if self.why:
            text += f": {self.why}"
        if self.fix:
            text += f"; {self.fix}"
        return f"[{self.code}] {text}"


class ConfigError(HermesSdkError):
    """A configuration file or manifest cannot be used as it is."""

    default_code = "HS100"


class PluginError(HermesSdkError):
    """A plugin cannot be found, loaded or registered."""

    default_code = "HS200"


class PluginSignatureError(PluginError):
    """An implementation requires an argument that its hook does not send."""

    default_code = "HS210"


class PluginToolOverrideError(PluginError, PermissionError):
    """A plugin replaces a tool without `allow_tool_override: true` (a PermissionError, as upstream's is)."""

    default_code = "HS220"


class HookDepthError(HermesSdkError, RecursionError):
    """Hooks fire each other more than eight deep."""

    default_code = "HS300"


class StrictError(HermesSdkError):
    """Strict mode refuses to start; the message lists everything that is wrong."""

    default_code = "HS230"


class SessionError(HermesSdkError):
    """A session cannot be played."""

    default_code = "HS400"


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the member of `known` that looks most like `name`, or None when none is as like as `cutoff` (0 to 1)."""
    import difflib  # a tenth of the time that `plugins list` takes, and only for messages

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return close[0] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean 'x'?`` for the nearest known name, else an empty string."""
    close = nearest(name, known)
    return f"did you mean {close!r}?" if close else ""


def counted(number: int, what: str, *, plural: str = "") -> str:
    """Return ``1 file``, ``2 files``, ``1,000 files``: a number with what is counted, `plural` where no s will do."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
