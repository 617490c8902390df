"""Reference of the plugin guardrails: what a policy may say, and the commands that its own policy was tried with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import yaml

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import BaseModel

POLICY: Final = """\
<!-- Written by python docs/generate from builtin_plugins/guardrails/policy.py; edit the descriptions there instead. -->

# Policy of guardrails

What may stand in `guardrails.yaml`. [Guard tools](../how-to/guard-tools.md) shows how to use it; the same as a JSON
schema, for editors: `hermes-sdk guardrails schema`.

{policy}
## Conditions

What a rule or a limit is about. A condition of several keys fits when all of them do, a key of several values when one
of them does; a value with `!` in front takes out what the others let in. A list of one may be written without brackets.

{condition}
## A rule

A condition, and


{rule}
## A limit

A condition, and

{limit}
## A replacement

{replacement}
## A tool

Arguments are named by their path: `command`, `headers.Authorization`. The tools of hermes-agent are known, and those of
others are judged by the names of their arguments (`command`, `path`, `url`, ...), as the worst that they may be; what
stands here comes instead.

{tool}
## Kinds of acts

What `does` is about. A call of a tool that does none of these is a `call`.

| kind | meaning |
|---|---|
{acts}
## The policy that comes along

```yaml
{default}```
"""
COMMANDS: Final = """\
<!-- Written by python docs/generate from tests/data/guardrails/commands.yaml, which a test holds to be true. -->

# Commands that guardrails was tried with

What the policy that comes along with [guardrails](../how-to/guard-tools.md) makes of each, when the session works in
`~/app`. The tables are ways around a rule that were tried, most of them with `rm -rf ~`, which is blocked; where it
cannot be known what a command does, a person is asked. The last list is everyday work, which is left alone.

The list is as long as our imagination: a command that gets past it and should not is a bug, please report it.

{bypasses}
## Left alone

{ordinary}
"""
_SAID: Final = {"block": "blocked", "approve": "asked about"}


def policy(root: Path) -> dict[Path, str]:
    """Return the policy's page by the file it belongs in."""
    sys.path.insert(0, str(root / "builtin_plugins"))
    from guardrails.acts import DOES  # type: ignore[import-not-found]
    from guardrails.policy import DEFAULT, Condition, Limit, Policy, Replacement, Rule, Tool  # type: ignore[import-not-found]

    page = POLICY.format(
        policy=_table(Policy),
        condition=_table(Condition),
        rule=_table(Rule, Condition),
        limit=_table(Limit, Condition),
        replacement=_table(Replacement),
        tool=_table(Tool),
        acts="".join(f"| `{kind}` | {meaning} |\n" for kind, meaning in DOES.items()),
        default=DEFAULT.read_text("utf-8"),
    )
    return {root / "docs" / "reference" / "guardrails-policy.md": page}


def commands(root: Path) -> dict[Path, str]:
    """Return the page of commands by the file it belongs in."""
    tried = yaml.safe_load((root / "tests" / "data" / "guardrails" / "commands.yaml").read_text("utf-8"))
    ways = "".join(map(_way, tried["bypasses"])).rstrip("\n")
    ordinary = "".join(f"- {_code(text)}\n" for text in tried["ordinary"]).rstrip("\n")
    page = COMMANDS.format(bypasses=ways + "\n", ordinary=ordinary)
    return {root / "docs" / "reference" / "guardrails-commands.md": page}


def _table(model: type[BaseModel], without: type[BaseModel] | None = None) -> str:
    rows = []
    for name, field in model.model_fields.items():
        if without is not None and name in without.model_fields:
            continue
        default = "required" if field.is_required() else _shown(field.default)
        description = (field.description or "").replace("|", "\\|")
        rows.append(f"| `{field.alias or name}` | {default} | {description} |\n")
    return "| key | default | |\n|---|---|---|\n" + "".join(rows)


def _shown(value: Any) -> str:
    """Return a default as YAML has it (any: fields differ)."""
    if value in ([], {}, ""):
        return ""
    return f"`{yaml.safe_dump(value, default_flow_style=True).partition(chr(10))[0].strip()}`"


def _way(way: dict[str, Any]) -> str:
    rows = [f"| {_code(text)} | {_SAID[action]} |\n" for each in way["commands"] for action, text in each.items()]
    return f"## {way['way'].capitalize()}\n\n| command | |\n|---|---|\n{''.join(rows)}\n"


def _code(command: str) -> str:
    """Return a command as code in a table."""
    ticks = "``" if "`" in command else "`"
    blank = " " if "`" in command else ""
    text = command.replace("\t", "⇥").replace("|", "\\|")
    return f"{ticks}{blank}{text}{blank}{ticks}"
