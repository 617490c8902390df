"""What the audit_log plugin costs a tool call, how fast it writes, and how fast a log is checked.

    python benchmarks/audit_log.py [--json] [--rounds 5] [--records 20000] [--directory DIRECTORY]

A call of pre_tool_call and one of post_tool_call, with the plugin and without; a record alone, with a key, with every
way to wait for the disk, and while another process writes too. All of it on the disk of DIRECTORY, by default the one
for temporary files.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from _harness.machine import describe
from _harness.measure import best_times, call_timer, stay_on_one_cpu
from _harness.options import parser, positive
from _harness.rows import Row, as_json, as_table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "builtin_plugins"))  # in front of this file's name
from audit_log.chain import Chain
from audit_log.verifying import verify
from audit_log.writer import Writer

from hermes_hookspecs.contract import HOOKS
from hermes_sdk import PluginManager

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BUILTIN: Final = Path(sys.path[0])
_MICRO: Final = 1e6
PEER: Final = "no plugin"
CALLS: Final[dict[str, dict[str, Any]]] = {
    "pre_tool_call": {"args": {"command": "make test"}},
    "pre_tool_call, 50 KB of arguments": {"args": {"path": "a.py", "content": "x = 1\n" * 8_300}},
    "post_tool_call": {"result": json.dumps({"output": "3 passed in 0.1s", "exit_code": 0})},
    "post_tool_call, 50 KB of result": {"result": json.dumps({"output": "test_case PASSED\n" * 2_900})},
}
RECORD: Final = {"kind": "pre_tool_call", "tool": "terminal", "asked": {"command": "make test"}, "decision": "run"}


def manager_with(plugins: Sequence[str], home: Path, stack: ExitStack) -> PluginManager:
    """Return a manager that is shut down with `stack`."""
    home.mkdir()
    config = {"plugins": {"enabled": [f"builtin:{name}" for name in plugins]}}
    manager = PluginManager(home, config=config, builtin_dir=BUILTIN, entry_points=False)
    stack.callback(manager.shutdown)
    manager.discover_and_load()
    return manager


def calls(directory: Path, rounds: int, stack: ExitStack) -> Iterator[Row]:
    """Yield what a hook call takes with the plugin and without."""
    audited = manager_with(["audit_log"], directory / "audited", stack)
    plain = manager_with([], directory / "plain", stack)
    for name, payload in CALLS.items():
        hook = name.partition(",")[0]
        sent = HOOKS[hook].sample(**payload)
        timers = [call_timer(getattr(manager.hook, hook), sent) for manager in (audited, plain)]
        ours, without = (seconds * _MICRO for seconds in best_times(timers, rounds=rounds))
        yield Row(f"{name} vs {PEER}", ours, "us", PEER, without)


def writer_in(directory: Path, stack: ExitStack, *, key: bytes | None = None, fsync: Any = "never") -> Writer:
    """Return a writer of a log of its own; `fsync` is one of the setting's values."""
    directory.mkdir()
    writer = Writer(lambda: directory, Chain(key), started={}, max_bytes=1 << 40, fsync=fsync)
    stack.callback(writer.close)
    return writer


def records(directory: Path, rounds: int, stack: ExitStack) -> Iterator[Row]:
    """Yield what writing a record takes."""
    writers = {
        "a record": writer_in(directory / "sha", stack),
        "a record, with a key": writer_in(directory / "hmac", stack, key=b"k" * 32),
        "a record, fsync: always": writer_in(directory / "fsync", stack, fsync="always"),
    }
    timers = [call_timer(writer.append, {"content": RECORD}) for writer in writers.values()]
    for name, seconds in zip(writers, best_times(timers, rounds=rounds), strict=True):
        yield Row(name, seconds * _MICRO, "us")


def beside_another(directory: Path, rounds: int, stack: ExitStack) -> Row:
    """Return what a record takes while another process writes to the same log as fast as it can."""
    writer = writer_in(directory / "shared", stack)
    other = (
        f"import sys; sys.path.insert(0, {str(BUILTIN)!r})\n"
        "from pathlib import Path; from audit_log.chain import Chain; from audit_log.writer import Writer\n"
        f"directory = Path({str(directory / 'shared')!r})\n"
        "writer = Writer(lambda: directory, Chain(None), started={}, max_bytes=1 << 40)\n"
        f"record = {RECORD!r}\n"
        "writer.append(record); print(flush=True)\n"
        "while True: writer.append(record)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", other], stdout=subprocess.PIPE)
    with process:
        try:
            if process.stdout is not None:
                process.stdout.readline()
            (seconds,) = best_times([call_timer(writer.append, {"content": RECORD})], rounds=rounds)
        finally:
            process.kill()
    return Row("a record, another process writes too", seconds * _MICRO, "us")


def checking(directory: Path, number: int, stack: ExitStack) -> Iterator[Row]:
    """Yield how fast a log is checked."""
    writer = writer_in(directory / "checked", stack)
    for _ in range(number):
        writer.append(RECORD)
    writer.close()
    started = time.perf_counter()
    report = verify(directory / "checked")
    seconds = time.perf_counter() - started
    if report.findings:
        raise RuntimeError(report.findings[0].problem)
    yield Row("verify, records a second", report.records / seconds, "/s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    options = parser(__doc__ or "", rounds=5)
    options.add_argument("--records", type=positive, default=20_000, help="records of the log that is checked (20000)")
    options.add_argument("--directory", type=Path, help="where the logs are written")
    given = options.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=given.directory) as place, ExitStack() as stack:
        directory = Path(place)
        rows = [beside_another(directory, given.rounds, stack)]  # on two CPUs, unlike the others
        stay_on_one_cpu()
        rows += [*calls(directory, given.rounds, stack), *records(directory, given.rounds, stack)]
        rows += checking(directory, given.records, stack)
    print((as_json if given.json else as_table)(describe(), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
