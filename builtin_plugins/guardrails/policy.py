"""A policy: what its file may say, read with positions, and every mistake named where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator, model_validator
from typing_extensions import Annotated  # noqa: UP035 - pydantic reads it

from hermes_sdk.config.document import YamlDocument
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import dotted
from hermes_sdk.errors import ConfigError, did_you_mean

from .acts import DOES
from .hosts import check_pattern
from .times import Window

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT: Final = Path(__file__).with_name("default_policy.yaml")
_MOST_SHOWN: Final = 8
_RATE: Final = re.compile(
    r"\s*\d{1,9}\s*(?:/|per)\s*(?:\d{1,6}\s*)?(?:second|minute|hour|day|month|year)s?\s*", re.IGNORECASE
)
_PATH_STARTS: Final = ("/", "~", ".", "**", "$HERMES_HOME")


def _listed(value: Any) -> Any:
    """Let one value stand for a list of one (values are Any: they come from a file)."""
    return [value] if isinstance(value, str | int | float | bool) else value


Texts: TypeAlias = Annotated[list[str], BeforeValidator(_listed)]
PER: Final = ("user", "session", "tool", "platform")


def _known(value: str, known: tuple[str, ...] | dict[str, str]) -> str:
    if value not in known:
        raise ValueError(did_you_mean(value, known) or f"known are {', '.join(known)}")
    return value


def _compiled(pattern: str, where: str = "") -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{where}{pattern!r} is no regular expression: {error}") from None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Condition(_Strict):
    """What a rule or a limit is about; every key that is there must fit."""

    tool: Texts = Field(default=[], description="Names of tools; `*` stands for anything: `web_*`. All by default.")
    args: dict[str, Texts] = Field(
        default={},
        description="Arguments by path (`command`, `headers.Authorization`, `*` for any key) and what must be found in "
        "them: a regular expression, or `glob:...` for all of the text.",
    )
    does: Texts = Field(default=[], description=f"Kinds of acts: {', '.join(DOES)}.")
    program: Texts = Field(
        default=[],
        description="Programs of shell commands, `*` allowed; with a blank also what stands behind: `git push*`.",
    )
    path: Texts = Field(
        default=[],
        description="Files. `**` crosses directories, `~` is the home, `./` the session's working directory, "
        "`$HERMES_HOME` the agent's; `!` in front excludes.",
    )
    host: Texts = Field(
        default=[],
        description="Hosts: `api.example.com`, `*.example.com`, `10.0.0.0/8`, `private` (this machine and its "
        "networks), `*`; a port may follow; `!` in front excludes.",
    )
    user: Texts = Field(
        default=[], description="Who writes: `telegram:12345`, `*:12345`, `local` for the machine's own; `!` excludes."
    )
    platform: Texts = Field(default=[], description="Where from: `cli`, `telegram`, `subagent`, ...; `!` excludes.")
    time: Texts = Field(
        default=[], description="When: `mon-fri 09:00-18:00 Europe/Berlin`; days and zone may be left out."
    )

    @field_validator("does")
    @classmethod
    def _acts(cls, values: list[str]) -> list[str]:
        return [_known(value, DOES) for value in values]

    @field_validator("path")
    @classmethod
    def _paths(cls, values: list[str]) -> list[str]:
        for value in values:
            if not value.removeprefix("!").startswith(_PATH_STARTS):
                raise ValueError(f"{value!r} begins nowhere: write /..., ~/..., ./... or **/...")
        return values

    @field_validator("host")
    @classmethod
    def _hosts(cls, values: list[str]) -> list[str]:
        for value in values:
            check_pattern(value.removeprefix("!"))
        return values

    @field_validator("time")
    @classmethod
    def _times(cls, values: list[str]) -> list[str]:
        for value in values:
            Window.parse(value)
        return values

    @field_validator("args")
    @classmethod
    def _patterns(cls, values: dict[str, list[str]]) -> dict[str, list[str]]:
        for name, patterns in values.items():
            for pattern in patterns:
                if not pattern.startswith("glob:"):
                    _compiled(pattern.removeprefix("re:"), f"for `{name}`, ")
        return values


class Replacement(_Strict):
    """A change of a text."""

    pattern: str = Field(description="Regular expression; every place where it is found is replaced.")
    by: str = Field(alias="with", description=r"What stands there instead; `\1` is the first group.")

    @field_validator("pattern")
    @classmethod
    def _pattern(cls, value: str) -> str:
        _compiled(value)
        return value


class Named(Condition):
    """A rule or a limit."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="Letters, digits, `-`, `_` and `.`; once."
    )


class Rule(Named):
    """One rule."""

    action: Literal["allow", "approve", "block", "rewrite"] = Field(
        description="`allow`, `approve` (a person is asked), `block`, or `rewrite` (arguments are changed and judged)."
    )
    message: str = Field(default="", description="What the model or the person is told.")
    set: dict[str, Any] = Field(default={}, description="For `rewrite`: arguments and their new values.")
    replace: dict[str, Replacement] = Field(
        default={}, description="For `rewrite`: arguments and what is replaced in them."
    )

    @model_validator(mode="after")
    def _fits(self) -> Rule:
        changes = bool(self.set or self.replace)
        if changes != (self.action == "rewrite"):
            raise ValueError("`set` and `replace` belong to the action `rewrite`, which needs one of them")
        if self.action == "rewrite" and (self.does or self.program or self.path or self.host):
            raise ValueError("a rewrite is about arguments: it takes tool, args, user, platform and time")
        return self


class Limit(Named):
    """One rate limit."""

    limit: str = Field(description="`30/minute`, `5 per 10 seconds`, `1000/day`.")
    per: Texts = Field(
        default=["user"], description=f"Who has a count of their own: {', '.join(PER)}; an empty list counts everybody."
    )
    action: Literal["approve", "block"] = Field(default="block", description="What a call too many meets.")
    message: str = Field(default="", description="What the model or the person is told.")

    @field_validator("limit")
    @classmethod
    def _rate(cls, value: str) -> str:
        if not _RATE.fullmatch(value):
            raise ValueError("write a number and a time, such as 30/minute or 5 per 10 seconds")
        return value

    @field_validator("per")
    @classmethod
    def _who(cls, values: list[str]) -> list[str]:
        return [_known(value, PER) for value in values]


class Tool(_Strict):
    """What the arguments of a tool are, where their names do not say it."""

    shell: Texts = Field(default=[], description="Arguments that hold shell commands.")
    code: Texts = Field(default=[], description="Arguments that hold code of another language: opaque.")
    read: Texts = Field(default=[], description="Arguments that name files to read.")
    write: Texts = Field(default=[], description="Arguments that name files to make or change.")
    delete: Texts = Field(default=[], description="Arguments that name files to delete.")
    connect: Texts = Field(default=[], description="Arguments that hold addresses or hosts.")


class Policy(_Strict):
    """A policy file."""

    version: Literal[1] = Field(default=1, description="Of this format.")
    fail_closed: bool = Field(
        default=True, description="Whether a call is blocked that cannot be judged because something is broken."
    )
    otherwise: Literal["allow", "approve", "block"] = Field(default="allow", description="For what no rule is about.")
    rules: list[Rule] = Field(
        default=[], description="For each thing that a call does, the first one that fits counts."
    )
    limits: list[Limit] = Field(default=[], description="How often; counted for calls that the rules let through.")
    tools: dict[str, Tool] = Field(default={}, description="Tools of plugins, and what their arguments are.")


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """A policy, and where each of its rules stands."""

    policy: Policy
    source: str
    places: dict[str, str]
    """Name of a rule or limit -> ``file:line:column``, the file by its name alone: messages go to the model too."""


def schema() -> dict[str, Any]:
    """Return the JSON schema of a policy file (Any: what JSON has)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Policy.model_json_schema(by_alias=True)}


def load_policy(path: Path) -> LoadedPolicy:
    """Read a policy.

    Raises:
        ConfigError: It cannot be read or used; names every mistake with file, line and column.
    """
    document = YamlDocument(path)
    if not document.exists:
        raise ConfigError("there is no policy", where=str(path), fix="check the path", code="HS101")
    if document.problems:
        raise _all(path, document.problems)
    if not isinstance(document.data, dict):
        problem = Problem("HS103", path.name, document.where(), kind_of(document.data), "a mapping with `rules`")
        raise problem.error()
    try:
        policy = Policy.model_validate(document.data)
    except ValidationError as error:
        raise _all(path, list(_problems(error, document))) from None
    named: tuple[tuple[str, Sequence[Named]], ...] = (("rules", policy.rules), ("limits", policy.limits))
    places: dict[str, str] = {}
    for kind, several in named:
        for number, each in enumerate(several):
            if each.name in places:
                where = document.where((kind, number, "name"))
                fix = f"the other one is at {places[each.name]}"
                raise Problem("HS105", each.name, where, "a name given twice", "each name once", fix).error()
            places[each.name] = document.where((kind, number)).replace(document.path, path.name, 1)
    return LoadedPolicy(policy, str(path), places)


def says_fail_open(path: Path) -> bool:
    """Whether a policy that cannot be used says at least that failures let calls through."""
    data = YamlDocument(path).data
    return isinstance(data, dict) and data.get("fail_closed") is False


def _all(path: Path, problems: list[Problem]) -> ConfigError:
    if len(problems) == 1:
        return problems[0].error()
    shown = [f"{each.where} {each.key}: found {each.found}, wanted {each.wanted}" for each in problems[:_MOST_SHOWN]]
    fixes = [each.fix for each in problems if each.fix]
    return ConfigError(
        f"{path.name} has {len(problems)} mistakes",
        where=problems[0].where,
        why="; ".join(shown),
        fix="; ".join(fixes),
        code="HS106",
    )


def _problems(error: ValidationError, document: YamlDocument) -> Iterator[Problem]:
    for detail in error.errors(include_url=False):
        path = tuple(step for step in detail["loc"] if step != "[key]")
        where, key = document.where(path), dotted(path) or document.path.rpartition("/")[2]
        kind, message = detail["type"], detail["msg"]
        if kind == "extra_forbidden":
            known = _keys_at(path[:-1])
            fix = did_you_mean(str(path[-1]), known) or f"known are {', '.join(known)}"
            yield Problem("HS104", key, where, "an unknown key", "a known one", fix)
        elif kind == "missing":
            yield Problem("HS103", key, where, "nothing", f"the key {path[-1]!r}", f"add `{path[-1]}`")
        elif kind == "literal_error":
            expected = str(detail.get("ctx", {}).get("expected"))
            fix = did_you_mean(str(detail["input"]), re.findall(r"'([^']*)'", expected))
            yield Problem("HS106", key, where, repr(detail["input"]), expected, fix)
        elif kind == "value_error":
            found = repr(detail["input"]) if isinstance(detail["input"], str | list) else kind_of(detail["input"])
            yield Problem("HS106", key, where, found, "something else", message.removeprefix("Value error, "))
        else:
            yield Problem(
                "HS103", key, where, kind_of(detail["input"]), message.removeprefix("Input should be ").lower()
            )


def _keys_at(path: tuple[Any, ...]) -> list[str]:
    """Return the keys that may stand below a place of a policy."""
    models: dict[str, type[BaseModel]] = {"rules": Rule, "limits": Limit, "tools": Tool}
    model: type[BaseModel] = models.get(str(path[0]), Policy) if path else Policy
    if "replace" in path:
        model = Replacement
    return [field.alias or name for name, field in model.model_fields.items()]
