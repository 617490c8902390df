"""How fast the redaction plugin reads what tools give back, how many secrets it finds, and how often it is wrong.

    python benchmarks/redaction.py [--json] [--rounds 5] [--megabytes 2] [--labelled 10] [--tree-megabytes 2000]
                                   [--tree DIRECTORY] [--without-detect-secrets]

Speed against a plain loop over the same patterns, against one search of google-re2 for all of them, which masks
nothing, and against detect-secrets, on three texts in results of 50 KB as a host cuts them: the standard library's
source, a log without a secret, and output in which every third of its short lines holds one. Recall and precision on
the labelled set of tests/builtin. False positives on the standard library, site-packages and /var/log.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from _harness.detect_secrets_peer import NAME as DETECT_SECRETS
from _harness.detect_secrets_peer import VERSION, PeerError, scan
from _harness.machine import describe
from _harness.measure import best_times, call_timer, stay_on_one_cpu
from _harness.options import parser, positive
from _harness.rows import Row, as_json, as_table
from _harness.secrets_found import disguise_rows, labelled_rows, peer_rows, tree_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "builtin_plugins"))  # in front of this file's name
from redaction.masker import Masker

from hermes_sdk.masking import prefilter
from hermes_sdk.masking.finder import Finder
from hermes_sdk.masking.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PEER: Final = "re loop"
SEARCH: Final = "one google-re2 search"
_RESULT: Final = 50_000
"""Characters that a host leaves of a tool's result."""


def source() -> Iterator[str]:
    """Give the modules of the standard library."""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        yield path.read_text(encoding="utf-8", errors="replace")


def log() -> Iterator[str]:
    """Give lines without a secret."""
    for number in count():
        yield f"2026-11-30T12:{number % 60:02d}:00Z INFO worker-{number % 7} handled request {number} in 12 ms\n"


def dense() -> Iterator[str]:
    """Give groups of three lines, one with a secret that was not seen before."""
    for number in count():
        yield f"[{number}] checking out the next service\nGITHUB_TOKEN=ghp_{number:036d}\nlevel=info {number} done\n"


TEXTS: Final[dict[str, Callable[[], Iterator[str]]]] = {"source": source, "log": log, "dense output": dense}


def results(text: Callable[[], Iterator[str]], size: int) -> list[str]:
    """Return up to `size` characters of a text, cut as a host cuts results."""
    whole, length = [], 0
    for piece in text():
        whole.append(piece)
        length += len(piece)
        if length >= size:
            break
    joined = "".join(whole)[:size]
    return [joined[start : start + _RESULT] for start in range(0, len(joined), _RESULT)]


def plain_loop() -> Callable[[str], str]:
    """Return the masking that anybody writes first: one substitution after the other, without numbers."""
    substitutions = [
        (re.compile(pattern.pattern, re.ASCII | (re.IGNORECASE if kind.any_case else 0)), f"[redacted:{kind.name}]")
        for kind in KINDS
        for pattern in kind.patterns
    ]

    def mask(text: str) -> str:
        for pattern, placeholder in substitutions:
            text = pattern.sub(placeholder, text)
        return text

    return mask


def only_searched() -> Callable[[str], object]:
    """Return what google-re2 takes to find all of the patterns at once, without lookaround; nothing is masked."""
    options = prefilter.re2.Options()
    options.encoding = prefilter.re2.Options.Encoding.LATIN1
    sources = (
        f"(?{'i' if kind.any_case else '-i'}:{prefilter.without_lookaround(source)})"
        for kind in KINDS
        for source in kind.sources
    )
    pattern = prefilter.re2.compile("|".join(sources).encode("ascii"), options)
    return lambda text: sum(1 for _ in pattern.finditer(text.encode("ascii", "replace")))


def masker_without_re2() -> Masker:
    """Return a masker as it is where the extra `re2` is not installed."""
    installed, prefilter.re2 = prefilter.re2, None
    try:
        return Masker(KINDS)
    finally:
        prefilter.re2 = installed


def measure(size: int, rounds: int, *, with_peer: bool) -> Iterator[Row]:
    """Yield what each text takes, a megabyte; detect-secrets reads one result of it."""
    read = (Masker(KINDS).mask, masker_without_re2().mask, plain_loop(), only_searched())
    for name, text in TEXTS.items():
        pieces = results(text, size)
        timers = [call_timer(_all, {"mask": mask, "pieces": pieces}) for mask in read]
        megabytes = sum(map(len, pieces)) / 1e6
        took, slower, theirs, searched = (seconds / megabytes * 1e3 for seconds in best_times(timers, rounds=rounds))
        yield Row(f"{name}, a megabyte vs {PEER}", took, "ms", PEER, theirs)
        yield Row(f"{name}, a megabyte vs {SEARCH}", took, "ms", SEARCH, searched)
        yield Row(f"{name}, speed", 1e3 / took, "MB/s")
        yield Row(f"{name}, speed without google-re2", 1e3 / slower, "MB/s")
        if with_peer:
            _, seconds = scan(pieces[:1], rounds)
            in_a_megabyte = seconds / len(pieces[0]) * 1e9
            yield Row(f"{name}, a megabyte vs {DETECT_SECRETS}", took, "ms", DETECT_SECRETS, in_a_megabyte)


def findings() -> Callable[[str], list[tuple[str, str]]]:
    """Return what gives all that the plugin masks in a text."""
    finder = Finder(KINDS)

    def find(text: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []

        def placeholder(kind: str, value: str) -> str:
            found.append((kind, value))
            return f"[redacted:{kind}:1]"

        finder.replace(text, placeholder)
        return found

    return find


def _all(mask: Callable[[str], object], pieces: Sequence[str]) -> None:
    for piece in pieces:
        mask(piece)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parser(__doc__ or "", rounds=5)
    options.add_argument("--megabytes", type=positive, default=2, help="size of each text (2)")
    options.add_argument("--labelled", type=positive, default=10, help="secrets of a kind for each surrounding (10)")
    options.add_argument("--tree-megabytes", type=positive, default=2_000, help="most of a tree that is read (2000)")
    options.add_argument("--tree", type=Path, action="append", default=[], help="a further tree to read")
    options.add_argument(
        "--without-detect-secrets",
        action="store_true",
        help="leave out the rows against detect-secrets, which the first run installs into .venvs/",
    )
    given = options.parse_args(arguments)
    stay_on_one_cpu()
    find, with_peer = findings(), not given.without_detect_secrets
    try:
        rows = list(measure(given.megabytes * 1_000_000, given.rounds, with_peer=with_peer))
        rows += peer_rows(find) if with_peer else ()
    except PeerError as error:
        print(error, file=sys.stderr)
        return 1
    rows += labelled_rows(find, given.labelled)
    rows += disguise_rows(find, given.labelled)
    rows += tree_rows(find, _RESULT, given.tree_megabytes * 1_000_000, given.tree)
    machine = describe(kinds=str(len(KINDS)), **({DETECT_SECRETS: VERSION} if with_peer else {}))
    print((as_json if given.json else as_table)(machine, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
