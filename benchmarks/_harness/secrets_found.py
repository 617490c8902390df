"""What a masking finds: of a labelled set, how much and how much too much; of ordinary files, how much at all."""

from __future__ import annotations

import re
import sys
import sysconfig
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from _harness.detect_secrets_peer import NAME as PEER
from _harness.detect_secrets_peer import scan
from _harness.rows import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "builtin"))

from disguises import ANYWHERE
from hard_negatives import hard_negatives
from labelled_set import examples, one_line_examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    Findings: TypeAlias = Callable[[str], list[tuple[str, str]]]
    """Returns (kind, value) of all that is masked in a text."""

_KEY_BLOCK: Final = "private-key"
_PUBLISHED: Final = re.compile("EXAMPLE")
"""AWS marks the sample keys of its documentation so."""


def labelled_rows(find: Findings, rounds: int) -> Iterator[Row]:
    """Yield recall and precision of each kind on the labelled set, and of all of them."""
    right: Counter[str] = Counter()
    there: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for example in examples(rounds=rounds):
        there[example.kind] += 1
        found = find(example.text)
        right[example.kind] += (example.kind, example.secret) in found
        wrong.update(kind for kind, value in found if value != example.secret)
    for _, text in hard_negatives(rounds=rounds * 10):
        wrong.update(kind for kind, _ in find(text))
    for kind in there:
        yield Row(f"labelled set, {kind}: recall", 100 * right[kind] / there[kind], "%")
        yield Row(f"labelled set, {kind}: precision", 100 * right[kind] / max(1, right[kind] + wrong[kind]), "%")
    yield Row(f"labelled set, all {there.total()}: recall", 100 * right.total() / there.total(), "%")
    yield Row("labelled set, all: precision", 100 * right.total() / max(1, right.total() + wrong.total()), "%")


def disguise_rows(find: Findings, rounds: int) -> Iterator[Row]:
    """Yield the recall of all kinds in each disguise."""
    for name, disguise in ANYWHERE.items():
        plain = list(one_line_examples(rounds))
        found = sum((kind, secret) in find(disguise(text, secret)) for kind, text, secret in plain)
        yield Row(f"{name.replace('_', ' ')}, {len(plain)} texts: recall", 100 * found / len(plain), "%")


def peer_rows(find: Findings) -> Iterator[Row]:
    """Yield recall and precision of both on one round of the labelled set; a part of a secret counts as found."""
    texts = [(example.text, example.secret) for example in examples(rounds=1)]
    texts += [(text, "") for _, text in hard_negatives(rounds=1)]
    ours = [[value for _, value in find(text)] for text, _ in texts]
    theirs, _ = scan([text for text, _ in texts])
    (recall, precision), (their_recall, their_precision) = (_generous(texts, found) for found in (ours, theirs))
    yield Row(f"labelled set, {len(texts)} texts: recall vs {PEER}", recall, "%", PEER, their_recall)
    yield Row(f"labelled set, {len(texts)} texts: precision vs {PEER}", precision, "%", PEER, their_precision)


def _generous(texts: list[tuple[str, str]], found: list[list[str]]) -> tuple[float, float]:
    right = there = wrong = 0
    for (_, secret), values in zip(texts, found, strict=True):
        parts = [value for value in values if value in secret or (secret and secret in value)]
        there += bool(secret)
        right += bool(parts)
        wrong += len(values) - len(parts)
    return 100 * right / there, 100 * right / (right + wrong)


def trees(more: Iterable[Path]) -> dict[str, list[Path]]:
    """Return the files of this machine that are likely to hold no secret, by where they are."""
    paths = sysconfig.get_paths()
    library, packages = Path(paths["stdlib"]), Path(paths["purelib"])
    folders = {"standard library": library, "site-packages": packages, "/var/log": Path("/var/log")}
    folders |= {str(folder): folder for folder in more}
    return {
        name: sorted(
            path for path in folder.rglob("*") if name != "standard library" or packages.name not in path.parts
        )
        for name, folder in folders.items()
    }


def tree_rows(find: Findings, result: int, most: int, more: Iterable[Path] = ()) -> Iterator[Row]:
    """Yield what is masked in ordinary files, in texts of `result` characters.

    Key files of test suites and the sample keys of documentation have the form of the real thing, and are told apart.

    Args:
        find: The masking.
        result: Characters of a text.
        most: Bytes of a tree that are read.
        more: Further trees.
    """
    size, masked, published = 0, Counter[str](), 0
    for name, files in trees(more).items():
        read, found = 0, Counter[str]()
        for text in _texts(files, most):
            read += len(text)
            for start in range(0, len(text), result):
                for kind, value in find(text[start : start + result]):
                    if kind == _KEY_BLOCK or _PUBLISHED.search(value):
                        published += 1
                    else:
                        found[kind] += 1
        if read:
            yield Row(f"{name}, {read / 1e6:.0f} MB: masked in 10 MB", 1e7 * found.total() / read, "values")
        size += read
        masked += found
    for kind, number in masked.most_common():
        yield Row(f"all {size / 1e6:.0f} MB, {kind}: masked in 10 MB", 1e7 * number / size, "values")
    yield Row("key blocks and published sample keys beside them, in 10 MB", 1e7 * published / size, "values")
    yield Row("all, masked in 10 MB", 1e7 * masked.total() / size, "values")


def _texts(files: Iterable[Path], most: int) -> Iterator[str]:
    read = 0
    for path in files:
        try:
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        except OSError:  # a log that only root reads
            continue
        if content and b"\0" not in content[:8_192]:
            read += len(content)
            if read > most:
                return
            yield content.decode("utf-8", "replace")
