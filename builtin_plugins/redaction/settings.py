"""What a user may set under ``plugins.entries.redaction`` in config.yaml."""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from .kinds import KINDS, Kind
from .own_patterns import UnsafePatternError, check
from .personal import PERSONAL

_KEY: Final = "plugins.entries.redaction"
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


class Settings(BaseModel):
    """Settings of the redaction plugin."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    skip: list[str] = Field(
        default=[], description="Kinds of secrets that are left as they are, by name, such as `url-password`."
    )
    personal: list[str] = Field(
        default=[], description="Personal data that is masked too, by name, such as `email`, `card` or `iban`."
    )
    patterns: dict[str, str] = Field(
        default={},
        description="Own kinds: a name for the placeholder and a regular expression. A group called `secret` "
        "is masked where there is one, else the whole match.",
    )

    def kinds(self) -> list[Kind]:
        """Return what to look for: the user's own kinds first.

        Raises:
            ValueError: A kind that is named does not exist, or a pattern cannot be used; names the key and the place.
        """
        _check_names("skip", self.skip, KINDS)
        _check_names("personal", self.personal, PERSONAL)
        own = [self._own_kind(name, pattern) for name, pattern in self.patterns.items()]
        secrets = [kind for kind in KINDS if kind.name not in self.skip]
        return own + secrets + [kind for kind in PERSONAL if kind.name in self.personal]

    def _own_kind(self, name: str, pattern: str) -> Kind:
        key = f"{_KEY}.patterns.{name}"
        if not _NAME.fullmatch(name):
            raise ValueError(f"{key}: the name must be lower-case letters, digits and dashes, at most 40")
        if name in {*self.personal, *(kind.name for kind in KINDS)}:
            raise ValueError(f"{key}: that is a built-in kind; choose another name")
        try:
            return Kind(name, (check(pattern),))
        except re.error as error:
            raise ValueError(f"{key}: {error.msg} at position {error.pos}") from None
        except UnsafePatternError as error:
            raise ValueError(f"{key}: {error}") from None


def _check_names(setting: str, names: list[str], kinds: tuple[Kind, ...]) -> None:
    known = [kind.name for kind in kinds]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(sorted(known))}"
            raise ValueError(f"{_KEY}.{setting}: there is no kind {name!r}; {hint}")


def read(ctx: Any) -> Settings:
    """Return the settings that `ctx`'s host has for this plugin.

    Args:
        ctx: The plugin context (any type, because another host brings its own). A host without `ctx.settings`
            is asked for its configuration: the same keys, without environment variables.
    """
    if hasattr(ctx, "settings"):
        settings = ctx.settings(Settings)
        return settings if isinstance(settings, Settings) else Settings.model_validate(settings)
    from hermes_cli.config import load_config  # type: ignore[import-not-found]

    entries = (load_config().get("plugins") or {}).get("entries") or {}
    entry = entries.get("redaction") or {}
    return Settings.model_validate({key: entry[key] for key in Settings.model_fields if key in entry})
