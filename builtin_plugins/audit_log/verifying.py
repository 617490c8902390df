"""Checks a log: that no record was edited, removed, moved or put in, and what cannot be told."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .chain import GENESIS, Chain, Record
from .files import file_name, number_of
from .reading import Line, lines_of, snapshot

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong."""

    place: str
    """File and line, or file."""
    problem: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """A head that somebody noted earlier, outside of the log."""

    hash: str
    seq: int | None = None

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """Return the anchor of ``SEQ:HASH`` or ``HASH``, as `audit head` prints it.

        Raises:
            ValueError: It is neither.
        """
        seq, _, digest = text.strip().rpartition(":")
        if len(digest) != len(GENESIS) or not set(digest) <= set("0123456789abcdef") or not (seq or "0").isdecimal():
            raise ValueError("a head is SEQ:HASH or HASH, as `audit head` prints it")
        return cls(digest, int(seq) if seq else None)


@dataclass(slots=True)
class Report:
    """What a check found."""

    files: list[str] = field(default_factory=list)
    records: int = 0
    last: Record | None = None
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What is no proof of a change, but good to know."""
    chains: list[str] = field(default_factory=list)
    """How the files are hashed."""

    @property
    def head(self) -> str:
        """The last record, as `audit head` prints it."""
        return "" if self.last is None else f"{self.last.seq}:{self.last.hash}"


def verify(directory: Path, keys: Iterable[bytes] = (), anchor: Anchor | None = None) -> Report:
    """Check the log of a directory.

    Args:
        directory: Where the files are.
        keys: Keys that it is, or was, kept with.
        anchor: A head that it must still have.

    Raises:
        OSError: A file cannot be read.
    """
    check = _Check([Chain(key) for key in keys], anchor)
    for path, size in snapshot(directory):
        check.begin(path)
        for line in lines_of(path, size):
            check.line(line)
    check.end()
    return check.report


class _Check:
    """Walks a log from its first line to its last."""

    def __init__(self, keyed: list[Chain], anchor: Anchor | None) -> None:
        self.report = Report()
        self._keyed = {chain.key_id: chain for chain in keyed}
        self._chain: Chain | None = None
        self._path: Path | None = None
        self._fresh = False
        self._first: Record | None = None
        self._previous: Record | None = None
        self._torn: list[Line] = []
        self._pruned: list[Record] = []
        self._anchor = anchor
        self._anchored: Record | None = None
        self._in_its_place = False
        self._seen_keyed = False
        self._clock_back = 0.0

    def _wrong(self, place: str, problem: str) -> None:
        self.report.findings.append(Finding(place, problem))

    # -- files -----------------------------------------------------------------------------------------

    def begin(self, path: Path) -> None:
        """Go on to the next file."""
        before = self._path
        if before is not None:
            gone = range(number_of(before) + 1, number_of(path))
            if gone:
                self._wrong(path.name, f"{_files(gone)} in front of it {'are' if gone[1:] else 'is'} missing")
        self._path, self._fresh = path, True
        self._chain = None
        self.report.files.append(path.name)

    def _check_end_before(self, opening: Record) -> None:
        """Check that the file before this one ended as files end: with a last word, or where another key took over."""
        last = self._previous
        if last is not None and last.kind != "log_rotated" and opening.data.get("why") != "key":
            name = self.report.files[-2]
            self._wrong(name, f"it ends with record {last.seq}, which is not its end: that was cut off")

    def end(self) -> None:
        """Say what can be said only at the end."""
        self._end_of_log()
        self._check_beginning()
        self._check_keys()
        if self._anchor is not None:
            self._check_anchor(self._anchor)
        if self._clock_back:
            self.report.notes.append(
                f"the clock went back, by {self._clock_back:g} s at most; records are in their order"
            )

    def _end_of_log(self) -> None:
        report = self.report
        if not report.files:
            return
        if self._torn and not self._torn[-1].raw.endswith(b"\n"):
            half = self._torn.pop()
            report.notes.append(
                f"{half.place}: {len(half.raw):,} bytes of half a record at the end: a process died there, "
                "and the next record will say so"
            )
        self._flush_torn()
        if self._previous is not None and self._previous.kind == "log_rotated":
            following = str(self._previous.data.get("next"))
            but = "or a process died at this moment: then the next record begins it"
            self._wrong(report.files[-1], f"{following}, which it names, is missing ({but})")

    def _check_beginning(self) -> None:
        first = self._first
        if first is None or first.seq == 1:
            return
        for record in self._pruned:
            if record.data.get("through") == first.seq - 1 and record.data.get("through_hash") == first.prev:
                why = f"the plugin removed them, as `keep` says (record {record.seq})"
                self.report.notes.append(f"records 1 to {first.seq - 1:,} are gone: {why}")
                return
        self._wrong(self.report.files[0], f"records 1 to {first.seq - 1:,} in front of it are missing")

    def _check_keys(self) -> None:
        if self._keyed and self.report.records and not self._seen_keyed:
            self._wrong(self.report.files[0], "no file is kept with the key that was given")

    def _check_anchor(self, anchor: Anchor) -> None:
        last = self.report.last
        where = self.report.files[-1] if self.report.files else "the log"
        if self._anchored is not None and last is not None:
            after = last.seq - self._anchored.seq
            self.report.notes.append(
                f"the head that was given is record {self._anchored.seq:,}; {after:,} came after it"
            )
        elif anchor.seq is not None and (last is None or last.seq < anchor.seq):
            ends = "is empty" if last is None else f"ends with record {last.seq:,}"
            self._wrong(where, f"the head that was given is record {anchor.seq:,}, the log {ends}: its end was cut off")
        elif self._in_its_place:
            self._wrong(where, f"record {anchor.seq:,} is not the head that was given: the log was rewritten")
        else:
            self._wrong(where, "the head that was given is in no record: the log was cut off or rewritten")

    # -- lines -----------------------------------------------------------------------------------------

    def line(self, line: Line) -> None:
        """Check one line."""
        record = line.record
        if record is None:
            self._torn.append(line)
            return
        self._check_torn(line, record)
        if self._fresh:
            self._check_end_before(record)
        if record.kind == "log_opened":
            self._open(line, record)
        elif self._fresh:
            self._wrong(line.place, f"record {record.seq}: a file begins with what it is, and this one does not")
        self._fresh = False
        self._check_hash(line, record)
        self._check_link(line, record)
        self._remember(line, record)

    def _check_torn(self, line: Line, record: Record) -> None:
        """Hold what a record says of half a record in front of it against what is there."""
        if record.kind not in {"log_recovered", "log_opened"} or "bytes" not in record.data:
            self._flush_torn()
            return
        torn = b"".join(one.raw for one in self._torn)
        size, digest = record.data.get("bytes"), record.data.get("sha256")
        # the line end behind it came with this record, unless the half record had one of its own
        candidates = (torn, torn.removesuffix(b"\n"))
        if torn and any(len(one) == size and hashlib.sha256(one).hexdigest() == digest for one in candidates):
            self.report.notes.append(f"{self._torn[0].place}: {size:,} bytes of half a record: a process died there")
            self._torn = []
            return
        self._flush_torn()
        self._wrong(line.place, f"record {record.seq}: the half record in front of it is gone, or was changed")

    def _flush_torn(self) -> None:
        for line in self._torn:
            self._wrong(line.place, f"{len(line.raw):,} bytes that are no record: edited, or put in")
        self._torn = []

    def _open(self, line: Line, record: Record) -> None:
        key_id = str(record.data.get("key_id") or "")
        name = str(record.data.get("chain")) + (f" (key {key_id})" if key_id else "")
        if name not in self.report.chains:
            self.report.chains.append(name)
        if not key_id:
            self._chain = Chain(None)
            if self._seen_keyed:
                self._wrong(line.place, f"record {record.seq}: the log goes on without its key")
            return
        self._chain = self._keyed.get(key_id)
        self._seen_keyed = True
        if self._chain is None:
            self._wrong(line.place, f"record {record.seq}: the key {key_id} was not given: hashes are unchecked")

    def _check_hash(self, line: Line, record: Record) -> None:
        if self._chain is not None and not self._chain.holds(record):
            self._wrong(line.place, f"record {record.seq}: edited: its hash is not the one of its content")

    def _check_link(self, line: Line, record: Record) -> None:
        before = self._previous
        if before is None:
            if record.seq == 1 and record.prev != GENESIS:
                self._wrong(line.place, "record 1: it does not begin a log")
        elif record.seq > before.seq + 1:
            several = record.seq > before.seq + 2
            gone = f"records {before.seq + 1:,} to {record.seq - 1:,}" if several else f"record {record.seq - 1:,}"
            self._wrong(line.place, f"record {record.seq}: {gone} in front of it {'are' if several else 'is'} missing")
        elif record.seq <= before.seq:
            self._wrong(line.place, f"record {record.seq}: stands behind record {before.seq}: moved, copied or put in")
        elif record.prev != before.hash:
            self._wrong(line.place, f"record {record.seq}: does not continue record {before.seq}: one was replaced")

    def _remember(self, line: Line, record: Record) -> None:
        report = self.report
        report.records += 1
        self._first = self._first or record
        if self._previous is None or record.seq > self._previous.seq:
            self._previous = report.last = record
            self._compare(record)
        if record.kind == "log_pruned":
            self._pruned.append(record)
        elif record.kind == "log_lost":
            why = record.data.get("why")
            report.notes.append(f"{line.place}: {record.data.get('records')} records could not be written: {why}")
        back = record.data.get("clock_back_s")
        if isinstance(back, int | float):
            self._clock_back = max(self._clock_back, back)

    def _compare(self, record: Record) -> None:
        if self._anchor is not None:
            if record.hash == self._anchor.hash:
                self._anchored = record
            self._in_its_place = self._in_its_place or record.seq == self._anchor.seq


def _files(numbers: range) -> str:
    """Return the names of missing files, for people."""
    return file_name(numbers[0]) if not numbers[1:] else f"{file_name(numbers[0])} to {file_name(numbers[-1])}"
