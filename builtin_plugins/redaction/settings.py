"""What a user may set under ``plugins.entries.redaction`` in config.yaml."""

from __future__ import annotations

import difflib
import re
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from hermes_sdk.masking.kinds import KINDS, Kind

from .destinations import Host
from .own_patterns import UnsafePatternError, needs_re2
from .personal import PERSONAL
from .vault import SHELL_ARGUMENTS, Permission

_KEY: Final = "plugins.entries.redaction"
_PROGRAMS: Final = frozenset(("code", "script", "source"))
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


class Restore(BaseModel):
    """One place where a tool gets originals instead of placeholders."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str = Field(description="Name of the tool.")
    argument: str = Field(
        description="Path to the argument, such as `headers.Authorization`; `*` stands for any key or place. Of a "
        "shell command (`command`, `cmd`), only a plain call of curl gets originals."
    )
    hosts: list[str] = Field(
        description="Where the tool may send them: `api.example.com`, `*.example.com` (hosts below it), "
        "`http://localhost:8080`. An empty list says that the argument stays on this machine."
    )
    url: str = Field(default="url", description="Path to the argument that holds the address.")

    def permission(self) -> Permission:
        """Return the same, checked.

        Raises:
            ValueError: A host is none, or the place could send originals anywhere.
        """
        last = self.argument.rpartition(".")[2]
        if last in _PROGRAMS:
            raise ValueError(f"{self.argument!r} holds a program, which could send an original anywhere")
        if last in SHELL_ARGUMENTS and not self.hosts:
            raise ValueError(f"{self.argument!r} holds a shell command, which can reach any host: name the hosts")
        return Permission(self.tool, self.argument, tuple(map(Host.parse, self.hosts)), self.url)


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

    arguments: list[str] = Field(
        default=[],
        description="Tools whose arguments are masked before hooks, people and the tool see them, by name; "
        "`*` stands for anything: `web_*`, or `*` for every tool.",
    )
    restore: list[Restore] = Field(default=[], description="Where tools get originals back; nowhere by default.")

    def permissions(self) -> list[Permission]:
        """Return where originals may be put back.

        Raises:
            ValueError: A place cannot be allowed; names the key.
        """
        permissions = []
        for place, restore in enumerate(self.restore):
            try:
                permissions.append(restore.permission())
            except ValueError as error:
                raise ValueError(f"{_KEY}.restore[{place}]: {error}") from None
        return permissions

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
            return Kind(name, (pattern,), flags=0, by_re2=needs_re2(pattern))
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
