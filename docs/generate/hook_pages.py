"""docs/reference/hooks/: one page a hook, and an index, from the specs."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final

import spec_docstring

from hermes_hookspecs import FAMILIES, HOOKS

if TYPE_CHECKING:
    from pathlib import Path

    from hermes_hookspecs import Argument, HookContract

KINDS: Final = {
    "observer": "all implementations run, answers are ignored",
    "decision": "all implementations run, one verdict comes out",
    "context": "all contributions are joined",
    "transform": "each implementation sees what the one before it returned",
}
ORIGINS: Final = {"seed": "the Hermes hooks page", "hermes-0.19": "hermes-agent 0.19.0"}

PAGE: Final = """\
<!-- Written by python docs/generate from hermes_hookspecs.{hook.family}; edit the spec instead. -->

# {heading}

{doc.summary}

```python
{signature}
```

Kind: **{hook.kind}**, {kind}. From: {origin}. Since contract version {doc.sections[Since]}.{value}

## When it runs

{doc.sections[Runs]}

## What an implementation may return

{doc.sections[Returns]}

## How answers fold

{doc.sections[Folds]}

## When an implementation fails

{doc.sections[Fails]}

## Arguments

| argument | type | default | meaning |
|---|---|---|---|
{arguments}

An implementation names the arguments that it wants, in any order.

## Where the rules come from

{doc.sections[Source]}

## Example

```python
{doc.sections[Example]}
```
"""

INDEX: Final = """\
<!-- Written by python docs/generate from hermes_hookspecs; edit the specs instead. -->

# Hooks

{count} hooks, each a pluggy spec of the project `hermes`. A host fires `manager.hook.<name>(...)`; a plugin
implements the ones it wants. Every hook also sends `telemetry_schema_version`.

{families}

```{{toctree}}
:hidden:

{names}
```
"""


def render(root: Path) -> dict[Path, str]:
    """Return the text of every page by the file it belongs in."""
    folder = root / "docs" / "reference" / "hooks"
    return {folder / "index.md": _index()} | {folder / f"{hook.name}.md": _page(hook) for hook in HOOKS.values()}


def heading(hook: HookContract) -> str:
    """Return a page's heading: the hook with the names of its arguments, in the spec's order."""
    return f"{hook.name}({', '.join(argument.name for argument in hook.arguments)})"


def _page(hook: HookContract) -> str:
    doc = spec_docstring.parse(hook.function)
    return PAGE.format(
        hook=hook,
        doc=doc,
        heading=heading(hook),
        signature=_signature(hook),
        kind=KINDS[hook.kind],
        origin=ORIGINS[hook.origin],
        value=f" The value handed on is `{hook.value}`." if hook.value else "",
        arguments="\n".join(_row(argument, doc.arguments[argument.name]) for argument in hook.arguments),
    )


def _signature(hook: HookContract) -> str:
    arguments = "".join(f"    {argument},\n" for argument in hook.arguments)
    return f"def {hook.name}(\n{arguments}) -> {hook.returns}".replace("'", '"')


def _row(argument: Argument, meaning: str) -> str:
    kind = argument.annotation.replace("'", '"')
    default = "required" if argument.required else f"`{argument.default!r}`".replace("'", '"')
    cells = (f"`{argument.name}`", f"`{kind}`", default, meaning)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _index() -> str:
    families = []
    about = {module.__name__.rpartition(".")[2]: (module.__doc__ or "").strip() for module in FAMILIES}
    for family, hooks in groupby(HOOKS.values(), key=lambda hook: hook.family):
        rows = [
            f"| [{hook.name}]({hook.name}.md) | {hook.kind} | {spec_docstring.parse(hook.function).summary} |"
            for hook in hooks
        ]
        table = "\n".join(("| hook | kind | what an implementation does |", "|---|---|---|", *rows))
        families.append(f"## {family}\n\n{about[family]}\n\n{table}")
    return INDEX.format(count=len(HOOKS), families="\n\n".join(families), names="\n".join(HOOKS))
