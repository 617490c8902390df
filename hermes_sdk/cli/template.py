"""Baking the template: what was asked for is checked first, so that nothing is written for a wrong wish."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hermes_sdk.cli.ask import someone_is_there
from hermes_sdk.cli.problems import EXIT_OK
from hermes_sdk.cli.screen import plain
from hermes_sdk.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*")
_DEFAULTS: Final = {"kind": "guard", "style": "hookimpl", "packaging": "pip", "license": "MIT"}
_CHOICES: Final = {
    "kind": ("guard", "observer", "redaction", "memory-recall", "tool", "gateway-hook", "shell-hook"),
    "style": ("hookimpl", "register"),
    "packaging": ("pip", "directory"),
    "license": ("MIT", "Apache-2.0", "BSD-3-Clause", "none"),
}
_ONLY: Final = {
    ("tool", "style"): ("register", "a tool is registered through ctx"),
    ("gateway-hook", "style"): ("register", "a gateway hook is a function `handle`"),
    ("gateway-hook", "packaging"): ("directory", "gateways read hooks from the home"),
    ("shell-hook", "style"): ("register", "a shell hook is a script"),
    ("shell-hook", "packaging"): ("directory", "config.yaml names the script"),
}
"""Where a kind leaves no choice: what it is, and why."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asked for; None where it did not say."""

    name: str
    kind: str | None = None
    style: str | None = None
    packaging: str | None = None
    license: str | None = None
    author: str = ""
    description: str = ""


def template_directory() -> Path:
    """Return where the template is: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "cookiecutter_template"
    return inside if inside.is_dir() else package.parent / "cookiecutter-template"


def bake(wish: Wish, output: Path, *, ask: bool) -> int:
    """Make the plugin's directory, say what to do next, and return the exit code.

    Args:
        wish: What is wanted.
        output: Where the directory is made.
        ask: Whether to ask for what is left out, if somebody is there.

    Raises:
        PluginError: The wish cannot be granted; nothing was written.
    """
    _check_name(wish.name)
    chosen = _chosen(wish, ask=ask and someone_is_there())
    module = wish.name.lower().replace("-", "_")
    target = output / (wish.name if chosen["packaging"] == "pip" else module)
    if target.exists():
        raise _refused(wish.name, f"{target} is there already", "choose another name, or another --output")
    try:
        from cookiecutter.main import cookiecutter  # type: ignore[import-untyped] # it has no types
    except ModuleNotFoundError as error:
        if error.name != "cookiecutter":
            raise
        raise _refused(wish.name, "cookiecutter is not installed", "pip install 'hermes-sdk[new]'") from None
    output.mkdir(parents=True, exist_ok=True)
    given = {"name": wish.name, **chosen, "author": wish.author, "description": wish.description}
    with tempfile.TemporaryDirectory() as private, contextlib.redirect_stdout(io.StringIO()):
        # what cookiecutter remembers of its user, and would write into their home, does not matter here
        config = Path(private, "config.yaml")
        config.write_text(json.dumps({"replay_dir": private, "cookiecutters_dir": private}), "utf-8")
        template = str(template_directory())
        try:
            cookiecutter(template, no_input=True, output_dir=str(output), extra_context=given, config_file=str(config))
        except OSError as error:
            shutil.rmtree(target, ignore_errors=True)  # half a plugin would be in the way of the next attempt
            why = (error.strerror or str(error)).lower()
            raise _refused(wish.name, why, "make room there, or choose another --output") from error
        except BaseException:
            shutil.rmtree(target, ignore_errors=True)
            raise
    _say(target, chosen, module)
    return EXIT_OK


def _check_name(name: str) -> None:
    module = name.lower().replace("-", "_")
    if _NAME.fullmatch(name) is None:
        why = "a name begins with a letter and has letters, digits, and single '-' or '_' between them"
        raise _refused(name, why, "for example: my-plugin")
    if iskeyword(module) or module in sys.stdlib_module_names or module in {"hermes_sdk", "hermes_hookspecs"}:
        raise _refused(name, f"{module!r} is a module of Python or of hermes-sdk already", f"for example: my-{name}")


def _chosen(wish: Wish, *, ask: bool) -> dict[str, str]:
    chosen: dict[str, str] = {}
    for key in ("kind", "style", "packaging", "license"):
        given: str | None = getattr(wish, key)
        only = _ONLY.get((chosen.get("kind", ""), key))
        if only is not None and given not in (None, only[0]):
            raise _refused(
                wish.name, f"--{key} {given} does not go with --kind {chosen['kind']}: {only[1]}", f"leave --{key} out"
            )
        if only is not None:
            chosen[key] = only[0]
        elif given is not None:
            chosen[key] = str(given)
        else:
            chosen[key] = _asked(key, _CHOICES[key]) if ask else _DEFAULTS[key]
    return chosen


def _asked(key: str, choices: Sequence[str]) -> str:
    import typer

    while True:
        answer = str(typer.prompt(f"{key} ({', '.join(choices)})", default=_DEFAULTS[key])).strip()
        if answer in choices:
            return answer
        print(f"choose one of {', '.join(choices)}")


def _say(target: Path, chosen: dict[str, str], module: str) -> None:
    kind = chosen["kind"]
    print(f"made {plain(target)}")
    print("next:")
    print(f"  cd {plain(target)}")
    print("  pytest")
    if kind in {"gateway-hook", "shell-hook"}:
        print("  cat README.md")
        return
    where = f"src/{module}" if chosen["packaging"] == "pip" else "."
    print(f"  hermes-sdk run session.yaml --plugin {where}")
    print("  hermes-sdk check .")


def _refused(name: str, why: str, fix: str) -> PluginError:
    return PluginError(f"no plugin {name!r} is made", why=why, fix=fix, code="HS261")
