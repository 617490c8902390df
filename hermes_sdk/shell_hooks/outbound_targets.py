"""``hooks.outbound`` of config.yaml: where copies of events are sent, each problem with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hermes_hookspecs import HOOKS
from hermes_sdk.config.problems import Problem, kind_of
from hermes_sdk.config.schema import Field, check_mapping, dotted, is_flag, is_names, is_seconds, is_text
from hermes_sdk.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hermes_sdk.config import Config
    from hermes_sdk.config.document import KeyPath

EVENT: Final = "outbound"
"""What stands in the place of an event in the allowlist."""

DEFAULT_TIMEOUT: Final = 10.0

OUTBOUND_FIELDS: Final = (
    Field("url", "text", is_text, "Where deliveries are posted."),
    Field("events", "a list of names", is_names, "The events that are sent; there is no default."),
    Field("secret_env", "text", is_text, "Variable with the key of the signature; also read from `<home>/.env`."),
    Field("timeout", "a positive number of seconds", is_seconds, "Seconds for one attempt.", "10"),
    Field("enabled", "true or false", is_flag, "`false` switches the target off.", "true"),
)
"""Every key of an outbound target."""


@dataclass(frozen=True, slots=True, eq=False)
class OutboundTarget:
    """One target, compared by identity. Consent is given to it as to an entry, on the event ``outbound``."""

    url: str
    events: tuple[str, ...]
    secret_env: str
    """Name of the variable that holds the key; the key itself is in no configuration."""
    where: str
    """``file:line:column``."""
    timeout: float = DEFAULT_TIMEOUT
    """Seconds."""

    @property
    def event(self) -> str:
        """What stands in the place of an event in the allowlist."""
        return EVENT

    @property
    def command(self) -> str:
        """What consent is given to."""
        return f"POST {self.url}"

    @property
    def argv(self) -> tuple[str, ...]:
        """No words: nothing is started."""
        return ()

    @property
    def name(self) -> str:
        """How messages call the target."""
        return f"outbound:{self.url}"


def read_outbound(config: Config) -> tuple[list[OutboundTarget], list[Problem]]:
    """Return the targets of a configuration that can be used, and what is wrong with the others."""
    path: KeyPath = ("hooks", EVENT)
    listed = config.get(path)
    if listed is None:
        return [], []
    if isinstance(listed, dict):  # one target, written without its dash
        listed, paths = [listed], [path]
    elif isinstance(listed, list):
        paths = [(*path, number) for number in range(len(listed))]
    else:
        return [], [Problem("HS121", dotted(path), config.where(path), kind_of(listed), "a list of targets")]
    targets: list[OutboundTarget] = []
    problems: list[Problem] = []
    for values, place in zip(listed, paths, strict=True):
        target, found = _read_target(config, place, values)
        problems += found
        if target is not None:
            targets.append(target)
    return targets, problems


def _read_target(config: Config, path: KeyPath, values: Any) -> tuple[OutboundTarget | None, list[Problem]]:
    where = config.where(path)
    if not isinstance(values, dict):
        return None, [Problem("HS121", dotted(path), where, kind_of(values), "a mapping with a url")]
    good, problems = check_mapping(config, path, values, OUTBOUND_FIELDS)
    if good.get("enabled") is False:
        return None, []
    problems += [
        Problem(
            "HS123", dotted(path), where, f"a target that cannot be used ({wrong})", "one that can", "it is left out"
        )
        for wrong in _what_is_wrong(good)
    ]
    if any(problem.severity == "error" for problem in problems):
        return None, problems
    events = tuple(dict.fromkeys(good["events"]))
    timeout = float(good.get("timeout", DEFAULT_TIMEOUT))
    return OutboundTarget(good["url"], events, good["secret_env"], where, timeout), problems


def _what_is_wrong(values: Mapping[str, Any]) -> Iterator[str]:
    if not re.match(r"https?://[^/\s]+", values.get("url", "")):
        yield "it needs a url that starts with http:// or https://"
    if not values.get("secret_env"):
        yield "it needs secret_env, the name of the variable with the key of the signature"
    if not values.get("events"):
        yield "it needs events, a list of names"
    for event in values.get("events", ()):
        if event not in HOOKS:
            yield " ".join(filter(None, (f"{event!r} is no event;", did_you_mean(event, HOOKS)))).rstrip(";")
