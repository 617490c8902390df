"""How the audit_log plugin writes: killed processes, several at once, full disks, keys, clocks."""

import contextlib
import json
import logging
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from audit_log.chain import Chain, parsed
from audit_log.verifying import verify
from audit_log.writer import LogProblemError, Writer

WORKER = Path(__file__).with_name("audit_log_worker.py")
KEY = "a key that nobody else has"


@pytest.fixture
def home(tmp_path):
    """Return a home whose config.yaml enables the plugin; `configure` it to change its settings."""
    home = tmp_path / "home"
    home.mkdir()
    set_up(home)
    return home


def set_up(home, **entry):
    plugins = {"enabled": ["builtin:audit_log"], "entries": {"audit_log": entry}}
    (home / "config.yaml").write_text(json.dumps({"plugins": plugins}))


def log_of(home):
    return home / "plugin-data" / "audit_log"


def files(home):
    return sorted(log_of(home).glob("audit-*.jsonl"))


def records(home):
    lines = [line for path in files(home) for line in path.read_bytes().split(b"\n")]
    return [record for line in lines if (record := parsed(line)) is not None]


def calls(home):
    return [record.data["call"] for record in records(home) if record.kind == "pre_tool_call"]


def start(home, count=0, name="a", **more):
    command = [sys.executable, str(WORKER), str(home), str(count), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def finish(home, count, name="a", **more):
    with start(home, count, name, **more) as process:
        out, err = process.communicate()
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()], err


def answered(process, count):
    """Return the next calls that a process says are over."""
    return [json.loads(process.stdout.readline())[0] for _ in range(count)]


def kill(process):
    process.send_signal(signal.SIGKILL)
    out = process.stdout.read()
    process.wait()
    return [json.loads(line)[0] for line in out.splitlines() if line.endswith("]")]


def check(home, *keys):
    report = verify(log_of(home), keys)
    assert report.findings == []
    return report


# -- killed


@pytest.mark.parametrize("entry", [{}, {"fsync": "always"}, {"max_bytes": 4_096}], ids=["plain", "fsync", "rotating"])
def test_a_killed_process_loses_nothing_that_was_over(home, entry):
    set_up(home, **entry)
    over = []
    for round_ in range(4):
        with start(home, name=f"r{round_}") as process:
            over += answered(process, 5 + 40 * round_)
            over += kill(process)
    assert set(over) <= set(calls(home))
    assert len(calls(home)) - len(over) <= 4  # at most the one that each was about to tell
    finish(home, 1, "last")
    assert calls(home)[-1] == "last-0"
    check(home)


def test_a_killed_process_among_others_harms_none_of_them(home):
    victims = [start(home, name=f"v{n}") for n in range(3)]
    others = [start(home, 150, f"o{n}") for n in range(2)]
    over = [call for victim in victims for call in answered(victim, 30)]
    for victim in victims:
        over += kill(victim)
        victim.stdout.close()
        victim.stderr.close()
    for other in others:
        out, err = other.communicate()
        assert (other.returncode, err) == (0, "")
        over += [json.loads(line)[0] for line in out.splitlines()]
    assert set(over) <= set(calls(home))
    assert len([call for call in calls(home) if call.startswith("o")]) == 300
    check(home)


def test_half_a_record_is_set_aside_wherever_it_was_cut(home):
    finish(home, 3)
    (path,) = files(home)
    whole = path.read_bytes()
    begin = whole.rindex(b"\n", 0, -1) + 1
    for cut in [begin + 1, *range(begin + 40, len(whole) - 1, 97), len(whole) - 2, len(whole) - 1]:
        path.write_bytes(whole[:cut])
        writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
        writer.append({"kind": "test"})
        writer.close()
        report = check(home)
        torn = len(whole) - 1 > cut
        assert path.read_bytes().startswith(whole[:cut])  # nothing that stands there is changed
        assert [record.kind for record in records(home)].count("log_recovered") == torn
        assert [f"{cut - begin:,} bytes of half a record" in note for note in report.notes] == [True] * torn


def test_a_process_that_dies_twice_in_a_row_leaves_a_log_that_goes_on(home):
    finish(home, 2)
    (path,) = files(home)
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
    writer.append({"kind": "test"})
    recovered = path.read_bytes()
    path.write_bytes(recovered[: recovered.index(b"log_recovered")])  # it died while it wrote this very record
    finish(home, 1, "b")
    report = check(home)
    assert len(report.notes) == 1


@pytest.mark.parametrize("kept", [0, 30])
def test_a_process_that_dies_while_it_begins_a_file_leaves_a_log_that_goes_on(home, kept):
    set_up(home, max_bytes=4_096)
    finish(home, 12)
    last = files(home)[-1]
    last.write_bytes(last.read_bytes()[:kept])
    finish(home, 1, "b")
    check(home)
    last = files(home)[-1]
    last.unlink()
    finish(home, 12, "c")
    report = check(home)
    assert report.records == len(records(home))


# -- several at once


def test_several_processes_write_one_chain(home):
    set_up(home, max_bytes=20_000)
    workers = [start(home, 100, f"p{n}") for n in range(4)]
    for worker in workers:
        out, err = worker.communicate()
        assert (worker.returncode, err, len(out.splitlines())) == (0, "", 100)
    assert sorted(calls(home)) == sorted(f"p{n}-{i}" for n in range(4) for i in range(100))
    assert len({record.data["pid"] for record in records(home)}) == 4
    assert len(files(home)) > 5
    check(home)


def test_threads_and_a_fork_write_one_chain(home):
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=10_000)
    log_of(home).mkdir(parents=True)

    def write(name):
        for number in range(100):
            writer.append({"kind": "pre_tool_call", "call": f"{name}-{number}"})

    write("before")
    child = os.fork()
    if child == 0:
        write("child")
        os._exit(0)
    threads = [threading.Thread(target=write, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert os.waitpid(child, 0)[1] == 0
    writer.close()
    assert len(calls(home)) == len(set(calls(home))) == 600
    check(home)


def test_a_process_that_was_stopped_with_the_lock_does_not_stop_others(home, monkeypatch):
    monkeypatch.setattr("audit_log.locking.PATIENCE", 0.05)
    finish(home, 1)
    script = (
        "import fcntl, os, sys\n"
        f"fcntl.flock(os.open({str(log_of(home))!r}, os.O_RDONLY), fcntl.LOCK_EX)\n"
        "print('held', flush=True)\nsys.stdin.read()"
    )
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        holder.stdout.readline()
        with pytest.raises(OSError, match=r"another process holds the log, for more than 0\.05 s"):
            writer.append({"kind": "test"})
        with pytest.raises(OSError, match=r"more than 0\.02 s"):  # it does not wait so long again
            writer.append({"kind": "test"})
        holder.stdin.close()
    writer.append({"kind": "test"})
    writer.close()
    (lost,) = [record for record in records(home) if record.kind == "log_lost"]
    assert lost.data["records"] == 2


# -- what is not a good place


def test_a_full_disk_costs_records_and_the_log_says_how_many(home):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))

    told, err = finish(home, 40, preexec_fn=limit)
    assert [action for _, action in told] == ["run"] * 40  # no turn is disturbed
    assert err.count("is not recorded: File too large") == 1
    written = len(calls(home))
    assert written < 12
    finish(home, 1, "b")  # there is room again
    report = check(home)
    assert calls(home)[-1] == "b-0"
    assert any("half a record" in note for note in report.notes)


@pytest.fixture
def small_disk(tmp_path):
    """Return the directory of a file system of 64 KB."""
    directory = tmp_path / "small"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", str(directory)]
    if os.getuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("no file system can be mounted here")
    yield directory
    subprocess.run(["umount", "-l", str(directory)], check=True)


def test_a_real_disk_that_is_full_and_then_has_room_loses_no_count(home, small_disk):
    set_up(home, directory=str(small_disk), max_bytes=1 << 20)
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 45_000)
    told, err = finish(home, 60)
    assert [action for _, action in told] == ["run"] * 60
    assert "No space left on device" in err
    ballast.unlink()
    with start(home, 1, "b") as process:  # what the first one lost, it could not say any more
        assert answered(process, 1) == ["b-0"]
    (path,) = sorted(small_disk.glob("audit-*.jsonl"))
    assert b'"b-0"' in path.read_bytes()
    assert verify(small_disk).findings == []


def test_a_process_that_outlives_a_full_disk_says_how_much_it_lost(small_disk):
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 45_000)
    writer = Writer(lambda: small_disk, Chain(None), started={}, max_bytes=1 << 20)
    written = 0
    for _ in range(60):
        with contextlib.suppress(OSError):
            writer.append({"kind": "test", "text": "x" * 700})
            written += 1
    ballast.unlink()
    writer.append({"kind": "test"})
    writer.close()
    lines = [parsed(line) for line in (small_disk / "audit-000001.jsonl").read_bytes().split(b"\n")]
    (lost,) = [record for record in lines if record and record.kind == "log_lost"]
    assert 0 < written < 60
    assert (lost.data["records"], lost.data["why"]) == (60 - written, "No space left on device")
    assert len([record for record in lines if record and record.kind == "test"]) == written + 1
    assert verify(small_disk).findings == []


def test_records_that_were_lost_are_counted_when_the_disk_has_room_again(home, tmp_path):
    directory = log_of(home)
    blocked = tmp_path / "not a directory"
    blocked.write_text("")
    place = [directory]
    directory.mkdir(parents=True)

    def where():
        return place[0]

    writer = Writer(where, Chain(None), started={}, max_bytes=1 << 20)
    writer.append({"kind": "test"})
    place[0] = blocked
    for _ in range(3):
        with pytest.raises(OSError, match="Not a directory"):
            writer.append({"kind": "test"})
    place[0] = directory
    writer.append({"kind": "test"})
    writer.close()
    assert "3 records could not be written: Not a directory" in check(home).notes[0]


def test_tools_are_blocked_if_the_user_wants_that(load, fire, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "log"
    for on_failure, action in [("warn", "run"), ("block", "block")]:
        caplog.clear()
        manager = load("audit_log", audit_log={"directory": str(place), "on_failure": on_failure})
        decisions = [fire(manager, "pre_tool_call") for _ in range(3)]
        fire(manager, "post_tool_call")
        assert [decision.action for decision in decisions] == [action] * 3
        said = [record for record in caplog.records if "is not recorded" in record.getMessage()]
        assert len(said) == 1
    assert decisions[0].message == (
        f"the audit log cannot be written, and nothing may run unrecorded: Not a directory ({place})"
    )
    assert decisions[0].blocked_by("audit_log")


def test_tools_run_again_when_the_log_can_be_written_again(load, fire, tmp_path, caplog):
    place = tmp_path / "place"
    place.write_text("")
    manager = load("audit_log", audit_log={"directory": str(place), "on_failure": "block"})
    assert fire(manager, "pre_tool_call").blocked
    place.unlink()
    assert not fire(manager, "pre_tool_call").blocked
    assert "the log can be written again" in caplog.text
    assert [json.loads(line)["kind"] for line in (place / "audit-000001.jsonl").read_text().splitlines()] == [
        "log_opened",
        "process_started",
        "log_lost",
        "pre_tool_call",
    ]


def test_a_read_only_directory_disturbs_no_turn(home):
    finish(home, 1)
    other = 65534 if os.getuid() == 0 else os.getuid()
    log_of(home).chmod(0o555)
    os.chown(log_of(home), other, -1)
    for path in files(home):
        path.chmod(0o444)
        os.chown(path, other, -1)
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
    for path in [log_of(home), *log_of(home).parents][:-2]:
        path.chmod(path.stat().st_mode | 0o555)
    before = os.geteuid()
    os.seteuid(other)
    try:
        with pytest.raises(PermissionError):
            writer.append({"kind": "test"})
    finally:
        os.seteuid(before)
    log_of(home).chmod(0o755)


def test_a_file_that_is_no_log_is_left_alone(home):
    log_of(home).mkdir(parents=True)
    other = log_of(home) / "audit-000001.jsonl"
    other.write_bytes(b"0123456789\n" * 2_000_000)
    told, err = finish(home, 2)
    assert [action for _, action in told] == ["run", "run"]
    assert "no record of the log within" in err
    assert other.stat().st_size == 22_000_000


def test_a_log_that_is_cut_while_a_process_runs_shows_a_gap(home, caplog):
    log_of(home).mkdir(parents=True)
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
    for _ in range(10):
        writer.append({"kind": "test"})
    (path,) = files(home)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
    writer.append({"kind": "test"})
    writer.close()
    assert "records 6 to 12 are gone" in caplog.text
    (finding,) = verify(log_of(home)).findings
    assert finding.problem == "record 13: records 6 to 12 in front of it are missing"


def test_a_log_that_is_deleted_while_a_process_runs_begins_where_it_was(home):
    log_of(home).mkdir(parents=True)
    writer = Writer(lambda: log_of(home), Chain(None), started={}, max_bytes=1 << 20)
    writer.append({"kind": "test"})
    files(home)[0].unlink()
    writer.append({"kind": "test"})
    writer.close()
    assert "records 1 to 3 in front of it are missing" in verify(log_of(home)).findings[0].problem


# -- rotation, key, clock


def test_old_files_are_removed_and_the_log_says_so(home):
    set_up(home, max_bytes=4_096, keep=2)
    finish(home, 60)
    assert len(files(home)) == 3
    assert files(home)[0].name > "audit-000003.jsonl"
    (note,) = check(home).notes
    assert "the plugin removed them, as `keep` says" in note
    files(home)[0].unlink()
    assert verify(log_of(home)).findings != []


def test_the_key_comes_from_a_variable_or_a_file(home, tmp_path):
    finish(home, 1, env={**os.environ, "HERMES_PLUGIN_AUDIT_LOG_KEY": KEY})
    (tmp_path / "key").write_text(f"{KEY}\n")
    set_up(home, key_file=str(tmp_path / "key"))
    finish(home, 1, "b")
    assert len(files(home)) == 1
    assert check(home, KEY.encode()).chains[0].startswith("hmac-sha256 (key ")
    assert KEY not in files(home)[0].read_text()


def test_a_process_without_the_key_does_not_go_on_with_a_log_that_has_one(home):
    finish(home, 1, env={**os.environ, "HERMES_PLUGIN_AUDIT_LOG_KEY": KEY})
    set_up(home, on_failure="block")
    told, err = finish(home, 3, "b")
    assert [action for _, action in told] == ["block"] * 3
    assert err.count("is kept with a key") == 1
    assert calls(home) == ["a-0"]
    check(home, KEY.encode())


@pytest.mark.parametrize("torn", [b"", b'{"seq":9,"half', b'{"seq":9,"half\nof it'])
@pytest.mark.parametrize("begun", [False, True])
def test_half_a_record_is_no_way_round_the_key(home, torn, begun):
    finish(home, 1, env={**os.environ, "HERMES_PLUGIN_AUDIT_LOG_KEY": KEY})
    (path,) = files(home)
    if begun:  # a file that nobody wrote a record to yet
        path = path.with_name("audit-000002.jsonl")
    with path.open("ab") as stream:
        stream.write(torn)
    before = path.read_bytes()
    finish(home, 2, "b")
    assert path.read_bytes() == before
    finish(home, 1, "c", env={**os.environ, "HERMES_PLUGIN_AUDIT_LOG_KEY": f"{KEY} of next year"})
    assert calls(home) == ["a-0", "c-0"]
    check(home, KEY.encode(), f"{KEY} of next year".encode())


def test_two_keys_do_not_take_turns(home):
    log_of(home).mkdir(parents=True)
    chains = Chain(b"old" * 9), Chain(b"new" * 9)
    old, new = (Writer(lambda: log_of(home), chain, started={}, max_bytes=1 << 20) for chain in chains)
    old.append({"kind": "test"})
    new.append({"kind": "test"})
    with pytest.raises(LogProblemError, match="with another key since then"):
        old.append({"kind": "test"})
    new.append({"kind": "test"})
    assert len(files(home)) == 2
    new.close()


@pytest.mark.parametrize("entry", [{"key": "short"}, {"key_file": "/none"}, {"key": "k" * 20, "key_file": "/none"}])
def test_a_key_that_cannot_be_used_is_said_and_never_shown(load, fire, caplog, entry):
    manager = load("audit_log", audit_log=entry)
    assert "audit_log" not in manager.plugins
    assert any(word in caplog.text for word in ("at least 16 bytes", "cannot be read", "key and key file are both set"))
    assert "k" * 20 not in caplog.text


def test_a_key_that_cannot_be_used_blocks_where_the_user_wants_that(load, fire):
    manager = load("audit_log", audit_log={"key_file": "/none", "on_failure": "block"})
    assert "the key file /none cannot be read" in fire(manager, "pre_tool_call").message


def test_a_clock_that_goes_back_is_recorded_and_the_order_stays(home):
    finish(home, 1)
    (path,) = files(home)
    lines = path.read_bytes().splitlines()
    last = parsed(lines[-1])
    later, _ = Chain(None).sealed({**last.data, "time": "2999-01-01T00:00:00.000+00:00"})
    path.write_bytes(b"".join(line + b"\n" for line in lines[:-1]) + later)
    finish(home, 1, "b")
    report = check(home)
    assert records(home)[len(lines)].data["clock_back_s"] > 1e9
    assert any("the clock went back" in note for note in report.notes)


@pytest.mark.parametrize("entry", [{"directory": "logs"}, {"fsync": "often"}, {"max_bytes": 10}, {"sync": True}])
def test_a_wrong_setting_is_refused_and_named(load, caplog, entry):
    load("audit_log", audit_log=entry)
    assert "settings of plugin 'audit_log' cannot be used" in caplog.text
    assert next(iter(entry)) in caplog.text


def test_the_files_are_the_users_alone(home):
    finish(home, 1)
    assert [path.stat().st_mode & 0o777 for path in [log_of(home), *files(home)]] == [0o700, 0o600]


def test_a_failing_disk_is_said(load, fire, monkeypatch, caplog):
    manager = load("audit_log", audit_log={"fsync": "always", "on_failure": "block"})
    assert not fire(manager, "pre_tool_call").blocked

    def broken(descriptor):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with caplog.at_level(logging.ERROR):
        assert "Input/output error" in fire(manager, "pre_tool_call").message


def test_what_was_written_reaches_the_disk_in_time(load, fire, monkeypatch):
    synced = threading.Event()
    monkeypatch.setattr(os, "fsync", lambda descriptor: synced.set())
    manager = load("audit_log", audit_log={"fsync_seconds": 0.1})
    fire(manager, "pre_tool_call")
    assert synced.wait(30)
