"""`hermes-sdk audit ...`: check the log, read it, print its head, hand it on."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import re
import sys
from collections import deque
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .reading import Filter, followed, records_of
from .settings import KeyProblemError, Settings, read_key
from .verifying import Anchor, Report, verify
from .viewing import COLUMNS, cells, one_line
from .writer import LogProblemError, problem_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .chain import Record

_MOST_SHOWN: Final = 50
_AGO: Final = re.compile(r"(\d{1,6})([smhd])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class _StopError(Exception):
    """Ends a command with exit code 2 and a sentence."""


class Commands:
    """The sub-commands.

    Args:
        where: Gives the directory of the log.
        settings: Whose key checks it.
    """

    def __init__(self, where: Callable[[], Path], settings: Settings) -> None:
        self._where = where
        self._settings = settings

    def setup(self, parser: argparse.ArgumentParser) -> None:
        """Add the sub-commands to `hermes-sdk audit`."""
        commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
        about = "check that nothing was edited, removed, moved or put in; exit code 1 where something was"
        check = self._command(commands, "verify", about, self._verify)
        check.add_argument("--head", metavar="HEAD", help="a head noted earlier, which the log must still have")
        more = "a key beside the one of the settings"
        check.add_argument("--key-file", metavar="FILE", type=Path, action="append", default=[], help=more)
        check.add_argument("--json", action="store_true", help="print one JSON object")
        self._command(commands, "head", "print number and hash of the last record, to be kept elsewhere", self._head)
        show = self._command(commands, "show", "print records", self._show)
        _add_filters(show)
        show.add_argument("--json", action="store_true", help="print whole records, as JSON lines")
        tail = self._command(commands, "tail", "print the last records", self._tail)
        _add_filters(tail)
        tail.add_argument("-n", metavar="N", type=int, default=20, dest="count", help="how many (20)")
        tail.add_argument("-f", "--follow", action="store_true", help="go on with those that are written")
        tail.add_argument("--json", action="store_true", help="print whole records, as JSON lines")
        export = self._command(commands, "export", "print records as CSV, for a spreadsheet", self._export)
        _add_filters(export)

    def _command(
        self,
        commands: argparse._SubParsersAction[argparse.ArgumentParser],
        name: str,
        about: str,
        run: Callable[[argparse.Namespace], int],
    ) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, help=about, description=about)
        parser.add_argument("--directory", metavar="DIR", type=Path, help="another log than the one of the settings")
        parser.set_defaults(func=lambda given: _ended(run, given))
        return parser

    def _directory(self, given: argparse.Namespace) -> Path:
        directory: Path = given.directory or self._where()
        if not directory.is_dir():
            raise _StopError(f"there is no directory {directory}")
        return directory

    # -- checking --------------------------------------------------------------------------------------

    def _verify(self, given: argparse.Namespace) -> int:
        keys = [read_key(path) for path in given.key_file]
        own = self._settings.secret()
        keys += [own] if own is not None else []
        try:
            anchor = Anchor.parse(given.head) if given.head else None
        except ValueError as error:
            raise _StopError(str(error)) from None
        directory = self._directory(given)
        report = verify(directory, keys, anchor)
        if given.json:
            _print(json.dumps(_document(report), indent=2))
        else:
            for line in _told(report, directory):
                _print(line)
        return 1 if report.findings or not report.records else 0

    def _head(self, given: argparse.Namespace) -> int:
        last = next(iter(deque(records_of(self._directory(given)), maxlen=1)), None)
        if last is None:
            raise _StopError("the log is empty")
        _print(f"{last.seq}:{last.hash}")
        return 0

    # -- reading ---------------------------------------------------------------------------------------

    def _show(self, given: argparse.Namespace) -> int:
        for record in _asked_for(records_of(self._directory(given)), given):
            _show(record, as_json=given.json)
        return 0

    def _tail(self, given: argparse.Namespace) -> int:
        directory, wanted = self._directory(given), _filter(given)
        last = deque((record for record in records_of(directory) if wanted(record)), maxlen=max(given.count, 0))
        for record in last:
            _show(record, as_json=given.json)
        if given.follow:
            # from the beginning, so that child agents are known; what was shown is skipped
            seen = last[-1].seq if last else 0
            for record in filter(_filter(given), followed(directory)):
                if record.seq > seen:
                    _show(record, as_json=given.json)
        return 0

    def _export(self, given: argparse.Namespace) -> int:
        _print_row(COLUMNS)
        for record in _asked_for(records_of(self._directory(given)), given):
            _print_row(cells(record))
        return 0


def _ended(run: Callable[[argparse.Namespace], int], given: argparse.Namespace) -> int:
    """Run a command; what it cannot do is a sentence and exit code 2.

    Raises:
        SystemExit: It did not go well; hermes-agent overlooks what a command returns.
    """
    try:
        code = run(given)
    except (_StopError, KeyProblemError, LogProblemError) as error:
        problem = str(error)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        problem = problem_text(error)
    else:
        if code:
            raise SystemExit(code)
        return 0
    sys.stderr.write(f"audit: {problem}\n")
    raise SystemExit(2)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", default="", help="of a session and its child agents")
    parser.add_argument("--kind", metavar="KIND", default="", help="a hook, or what happened to the log")
    parser.add_argument("--tool", metavar="NAME", default="", help="about a tool")
    parser.add_argument("--plugin", metavar="NAME", default="", help="where a plugin did something")
    parser.add_argument("--decision", metavar="WORD", default="", help="block, approve, deny, error, ...")
    when = "2026-05-01, 2026-05-01T12:00, or how long ago: 90s, 30m, 2h, 7d"
    parser.add_argument("--since", metavar="TIME", type=_moment, help=f"from a time on: {when}")
    parser.add_argument("--until", metavar="TIME", type=_moment, help="up to a time")


def _moment(text: str) -> datetime:
    ago = _AGO.fullmatch(text)
    if ago:
        return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no time: write 2026-05-01T12:00, or 2h for 2 hours ago"
        ) from None


def _filter(given: argparse.Namespace) -> Filter:
    return Filter(given.session, given.kind, given.tool, given.plugin, given.decision, given.since, given.until)


def _asked_for(records: Iterable[Record], given: argparse.Namespace) -> Iterable[Record]:
    return filter(_filter(given), records)


def _show(record: Record, *, as_json: bool) -> None:
    _print(json.dumps(dict(record.data) | {"hash": record.hash}) if as_json else one_line(record))


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()  # `tail -f` goes into pipes, too


def _print_row(row: Iterable[str]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(row)
    _print(text.getvalue())


def _told(report: Report, directory: Path) -> Iterable[str]:
    """Return a check's result for people."""
    if not report.files:
        return [f"there is no log in {directory}"]
    names = report.files[0] if not report.files[1:] else f"{report.files[0]} to {report.files[-1]}"
    count = f"{report.records:,} record{'s' if report.records != 1 else ''}"
    wrong = [f"  {finding.place}: {finding.problem}" for finding in report.findings]
    more = len(wrong) - _MOST_SHOWN
    result = f"{len(wrong)} problem{'s' if wrong[1:] else ''}" if wrong else "nothing was changed"
    if not report.records and not wrong:
        result = "it was emptied, or its first record was never written"
    return itertools.chain(
        [f"{names}: {', '.join([count, *report.chains])}: {result}"],
        wrong[:_MOST_SHOWN],
        [f"  ... and {more:,} more"] if more > 0 else [],
        [f"  note: {note}" for note in report.notes],
        [f"head {report.head}"] if report.head else [],
    )


def _document(report: Report) -> dict[str, object]:
    return {
        "ok": not report.findings and report.records > 0,
        "files": report.files,
        "records": report.records,
        "chains": report.chains,
        "head": report.head,
        "findings": [{"place": finding.place, "problem": finding.problem} for finding in report.findings],
        "notes": report.notes,
    }
