"""Programs of which only their outputs matter here: options and operands that name what they write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..paths import plain
from .archives import is_start
from .machine import managed, shows_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from .flow import Stream
    from .invocation import Invocation


class _Outputs(NamedTuple):
    options: str
    """Options whose value is written."""
    operands: str = ""
    """``first``, ``last`` or ``all`` where operands are written."""
    valued: str = ""
    """Other options that take a value."""
    scripts: str = ""
    """Options whose value a shell runs."""


_PIP: Final = _Outputs("-t --target --prefix --root --cache-dir --log -d --dest -w --wheel-dir", "", "-r -c -e -i -f")
_OUTPUTS: Final = {
    "patch": _Outputs("-o -r -d --output --reject-file --directory", "first", "-i -p -D -F -z -B -V"),
    "split": _Outputs("", "last", "-a -b -C -l -n -t", "--filter"),
    "csplit": _Outputs("-f --prefix", "", "-b -n"),
    "ssh-keygen": _Outputs("-f", "", "-b -t -C -N -P -O -I -n -s -V"),
    "gpg": _Outputs("-o --output --export-options --homedir", "", "-r -u --recipient --local-user"),
    "7z": _Outputs("-o"),
    "objcopy": _Outputs("", "last", "-I -O -j -R -N -K"),
    "ffmpeg": _Outputs("", "all", "-i -c -f -t -ss -r -b -vf -af -map -filter_complex -codec"),
    "convert": _Outputs("", "last"),
    "magick": _Outputs("", "last"),
    "pandoc": _Outputs("-o --output", "", "-f -t -s --from --to --metadata"),
    "hg": _Outputs("-R --repository", "last"),
    "virtualenv": _Outputs("", "all", "-p --python"),
    **dict.fromkeys(("pip", "pip3"), _PIP),
}


def outputs(call: Invocation) -> Stream:
    """Take such a program; what it reads and reaches is looked at as for every other one."""
    known = _OUTPUTS[call.name]
    if call.name == "ssh-keygen" and any(text.startswith("-D") for text in call.texts):
        call.opaque("a library that is loaded")
    found = call.options(f"{known.options} {known.valued} {known.scripts}")
    for script in found.of(*known.scripts.split()):
        call.shell_text(script)
    call.paths("write", found.of(*known.options.split()), recursive=True)
    operands = found.operands if known.operands == "all" else found.operands[:1] if known.operands == "first" else []
    if known.operands == "last":
        operands = found.operands[1:][-1:]
    call.paths("write", [word for word in operands if plain(word) != "-"])
    if call.name == "patch" and not is_start(call, "."):  # its input names the files
        call.path("write", ".", recursive=True)
    return shows_keys(call) if call.name == "gpg" else managed(call)


RUNS: Final[dict[str, Callable[[Invocation], Stream]]] = dict.fromkeys(_OUTPUTS, outputs)
