"""Programs that give some of their words to a shell, or run the scripts of a directory or of a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ..paths import plain, quoted
from .flow import SOMETHING, Stream
from .unknown import unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from .invocation import Invocation

_SCRIPTS: Final = {
    "hyperfine": (
        "-p -s -c -C --prepare --setup --cleanup --conclude",
        "-r -w -m -M -S -u -L -P --runs --warmup",
        True,
    ),
    "nix-shell": ("--run --command", "-p -I -A --arg --argstr", False),
    "vagrant": ("-c --command", "", False),
}
"""Name -> (options whose value is a script, others with a value, whether operands are scripts)."""
_RUN_BY_A_KEY: Final = re.compile(r"(?:execute|become|reload|transform|preview)")
_CONFIGURED: Final = frozenset(("run-parts", "logrotate", "anacron", "procmail", "monit"))


def scripts(call: Invocation) -> Stream:
    """Take a program some of whose words are scripts."""
    options, valued, operands = _SCRIPTS[call.name]
    found = call.options(f"{options} {valued}")
    for text in [*found.of(*options.split()), *(found.operands if operands else ())]:
        call.shell_text(text)
    return SOMETHING if operands else unknown(call)


def group(call: Invocation) -> Stream:
    """Take `sg GROUP -c script`, whose -c may be left out."""
    words = [word for word in call.words if plain(word) not in ("-", "-c")]
    return call.shell_text(quoted(" ").join(words[1:])) if len(words) > 1 else SOMETHING


def capsh(call: Invocation) -> Stream:
    """Take `capsh`: what stands behind `--` or `==` are the words of a bash, or of itself."""
    for place, text in enumerate(call.texts):
        if text in ("--", "=="):
            return call.command([quoted("bash" if text == "--" else "capsh"), *call.words[place + 1 :]])
    return SOMETHING


def direnv(call: Invocation) -> Stream:
    """Take `direnv exec DIRECTORY command`."""
    return call.command(call.words[2:]) if call.texts[:1] == ["exec"] else unknown(call)


def picker(call: Invocation) -> Stream:
    """Take `fzf`, whose keys may run commands."""
    options = call.options("--bind --preview --query -q --filter -f --delimiter -d --nth -n")
    for script in options.of("--preview"):
        call.shell_text(script)
    if any(_RUN_BY_A_KEY.search(plain(word)) for word in options.of("--bind")):
        call.opaque("a key that runs a command")
    return SOMETHING


def configured(call: Invocation) -> Stream:
    """Take a program that runs what a directory or a configuration says."""
    call.opaque("it runs scripts that are written elsewhere")
    return unknown(call)


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = {
    **dict.fromkeys(_SCRIPTS, scripts),
    **dict.fromkeys(_CONFIGURED, configured),
    "fzf": picker,
    "sg": group,
    "capsh": capsh,
    "direnv": direnv,
}
