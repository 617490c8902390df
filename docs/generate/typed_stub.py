"""hookspecs/hermes_hookspecs/typed.pyi: what type checkers know of each hook, from the specs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hermes_hookspecs.contract import HOOKS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hermes_hookspecs.contract import HookContract

HEAD: Final = """\
# Written by python docs/generate from the specs; edit those instead.
from collections.abc import Awaitable, Callable
from typing import Any, Literal, Protocol, TypeVar, overload

from hermes_hookspecs.directives import AddContext, Allow, Approve, Block, Continue, Modify, Rewrite, Skip
from hermes_hookspecs.gateway import GatewayRunner, MessageEvent, SessionStore
"""
PROTOCOL: Final = """
class {title}(Protocol):
    def __call__(self, *, {arguments}) -> {returns}: ...

_{title} = TypeVar("_{title}", bound={title})

@overload
def {name}(function: _{title}, /) -> _{title}: ...
@overload
def {name}(
    *,
    tryfirst: bool = ...,
    trylast: bool = ...,
    optionalhook: bool = ...,
    fail_closed: bool = ...,
    timeout: float | None = ...,
    rejudge: bool = ...,
) -> Callable[[_{title}], _{title}]: ...
"""


def render(root: Path) -> dict[Path, str]:
    """Return the stub's text by the file it belongs in."""
    parts = [HEAD]
    parts += [
        PROTOCOL.format(title=_title(hook), name=hook.name, arguments=_arguments(hook), returns=_returns(hook))
        for hook in HOOKS.values()
    ]
    parts.append("\nclass Hooks:\n" + "".join(_methods()))
    parts.append("\nclass Context(Protocol):\n" + "".join(_registrars()))
    parts.append("    def __getattr__(self, name: str) -> Any: ...\n")
    return {root / "hookspecs" / "hermes_hookspecs" / "typed.pyi": "".join(parts)}


def _title(hook: HookContract) -> str:
    return "".join(word.capitalize() for word in hook.name.split("_"))


def _arguments(hook: HookContract) -> str:
    return ", ".join(f"{argument.name}: {argument.annotation}" for argument in hook.arguments)


def _returns(hook: HookContract) -> str:
    return f"{hook.returns} | Awaitable[{hook.returns}]"


def _methods() -> Iterator[str]:
    for hook in HOOKS.values():
        yield f"    def {hook.name}(self, *, {_arguments(hook)}) -> {_returns(hook)}: ...\n"


def _registrars() -> Iterator[str]:
    for hook in HOOKS.values():
        yield "    @overload\n"
        yield f'    def register_hook(self, hook_name: Literal["{hook.name}"], callback: {_title(hook)}) -> None: ...\n'
