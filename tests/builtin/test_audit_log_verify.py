"""What `hermes-sdk audit verify` finds, and how it says it."""

import json
import shutil
import subprocess
import sys

import pytest
from audit_log.chain import Chain, parsed
from audit_log.verifying import Anchor, verify
from audit_log.writer import Writer
from hypothesis import given, settings
from hypothesis import strategies as st

KEY = b"a key that nobody else has"


def write(directory, count=30, *, key=None, max_bytes=4_096, keep=0, start=0):
    """Write a log as the plugin does, in several files."""
    writer = Writer(lambda: directory, Chain(key), started={"host": "test"}, max_bytes=max_bytes, keep=keep)
    for number in range(start, start + count):
        writer.append({"kind": "pre_tool_call", "number": number, "text": "x" * 300})
    writer.close()


@pytest.fixture
def log(tmp_path):
    directory = tmp_path / "log"
    directory.mkdir()
    write(directory)
    return directory


def files(directory):
    return sorted(directory.glob("audit-*.jsonl"))


def problems(directory, *keys, head=None):
    report = verify(directory, keys, head and Anchor.parse(head))
    return [f"{finding.place}: {finding.problem}" for finding in report.findings]


def edit(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(change(lines)))


def seq_at(path, line):
    return parsed(path.read_bytes().splitlines()[line - 1]).seq


def test_an_untouched_log_has_no_problem(log):
    assert len(files(log)) > 3
    report = verify(log)
    assert (report.findings, report.notes) == ([], [])
    assert report.records == report.last.seq == sum(len(path.read_bytes().splitlines()) for path in files(log))


def forged(line, **changes):
    """Return a record with other content and the hash that fits it, as somebody without the key can make one."""
    record = parsed(line.removesuffix(b"\n"))
    sealed, _ = Chain(None).sealed(dict(record.data) | changes)
    return sealed


TAMPERING = {
    "edited": (lambda lines: [*lines[:4], lines[4].replace(b"xxx", b"xxy"), *lines[5:]], ":5: record {n}: edited"),
    "forged": (
        lambda lines: [*lines[:4], forged(lines[4], text="other"), *lines[5:]],
        ":6: record {n1}: does not continue record {n}",
    ),
    "removed": (lambda lines: [*lines[:4], *lines[5:]], ":5: record {n1}: record {n} in front of it is missing"),
    "two removed": (lambda lines: [*lines[:4], *lines[6:]], ":5: record {n2}: records {n} to {n1} in front of it are"),
    "copied": (lambda lines: [*lines[:5], lines[4], *lines[5:]], ":6: record {n}: stands behind record {n}"),
    "swapped": (lambda lines: [*lines[:4], *lines[5:3:-1], *lines[6:]], ":6: record {n}: stands behind record {n1}"),
    "put in": (
        lambda lines: [*lines[:5], forged(lines[4], seq=parsed(lines[4][:-1]).seq + 1), *lines[5:]],
        ":6: record {n1}: does not continue record {n}",
    ),
    "garbage": (lambda lines: [*lines[:4], b"hello\n", *lines[4:]], ":5: 6 bytes that are no record"),
    "header gone": (lambda lines: lines[1:], ":1: record {header}: a file begins with what it is"),
    "end gone": (lambda lines: lines[:-2], ": it ends with record {end}, which is not its end"),
    "half of the end": (lambda lines: [*lines[:-1], lines[-1][:40]], ": 40 bytes that are no record"),
}


@pytest.mark.parametrize("what", TAMPERING)
@pytest.mark.parametrize("place", [0, 1])
def test_tampering_is_found_and_named(log, what, place):
    change, message = TAMPERING[what]
    path = files(log)[place]
    n, last = seq_at(path, 5), len(path.read_bytes().splitlines())
    names = {"n": n, "n1": n + 1, "n2": n + 2, "header": seq_at(path, 2), "end": seq_at(path, last - 2)}
    edit(path, change)
    found = "\n".join(problems(log))
    message = message.format(**names)
    assert f"{path.name}{message}" in found or (what == "half of the end" and message in found)


def test_a_missing_file_is_named_with_its_records(log):
    _, gone, after, *_ = files(log)
    begin, end = seq_at(gone, 1), seq_at(after, 1) - 1
    gone.unlink()
    assert problems(log) == [
        f"{after.name}: {gone.name} in front of it is missing",
        f"{after.name}:1: record {end + 1}: records {begin} to {end} in front of it are missing",
    ]


def test_missing_first_and_last_files_are_found(log):
    first, second, *_, last = files(log)
    begin = seq_at(second, 1)
    last.unlink()
    assert f"{last.name}, which it names, is missing" in "".join(problems(log))
    first.unlink()
    assert f"{second.name}: records 1 to {begin - 1} in front of it are missing" in problems(log)


def test_files_that_changed_places_are_found(log):
    first, second, *_ = files(log)
    swap = log / "swap"
    first.rename(swap)
    second.rename(first)
    swap.rename(second)
    assert "stands behind record" in "".join(problems(log))


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_changed_byte_is_found(data, tmp_path_factory):
    directory = tmp_path_factory.mktemp("flip")
    write(directory, 12)
    path = data.draw(st.sampled_from(files(directory)))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 2))
    content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    assert problems(directory)


def test_a_cut_end_shows_only_against_a_head_that_was_noted(log):
    head = verify(log).head
    edit(files(log)[-1], lambda lines: lines[:-1])
    last = verify(log).last.seq
    assert problems(log) == []
    (problem,) = problems(log, head=head)
    assert problem.endswith(f"is record {last + 1}, the log ends with record {last}: its end was cut off")
    assert "is in no record" in "".join(problems(log, head=head.partition(":")[2]))


def test_a_head_that_is_still_there_is_fine_and_one_that_was_replaced_is_not(log):
    head = verify(log).head
    write(log, 5)
    report = verify(log, (), Anchor.parse(head))
    assert report.findings == []
    assert f"; {report.last.seq - int(head.partition(':')[0])} came after it" in report.notes[0]
    rewritten = log.parent / "rewritten"
    rewritten.mkdir()
    write(rewritten, 40)
    assert "was rewritten" in "".join(problems(rewritten, head=head))


@pytest.mark.parametrize("text", ["", "12", "12:abc", "x:" + "a" * 64, "a" * 63, "Z" * 64])
def test_a_head_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="SEQ:HASH"):
        Anchor.parse(text)


# -- with a key


def test_without_the_key_nobody_can_recompute_the_chain(tmp_path):
    write(tmp_path, 20, key=KEY)
    assert problems(tmp_path, KEY) == []
    path = files(tmp_path)[0]
    lines = path.read_bytes().splitlines(keepends=True)
    prev, rebuilt = None, []
    for line in lines:  # all of it anew, as somebody who knows the format but not the key would
        record = dict(parsed(line[:-1]).data)
        record |= {"prev": prev or record["prev"], **({"text": "harmless"} if record["seq"] > 4 else {})}
        sealed, prev = Chain(None).sealed(record)
        rebuilt.append(sealed)
    path.write_bytes(b"".join(rebuilt))
    found = problems(tmp_path, KEY)
    assert len([problem for problem in found if "edited" in problem]) == len(lines)


def test_without_a_key_somebody_can_and_the_readme_says_so(tmp_path):
    write(tmp_path, 5, max_bytes=1_000_000)
    (path,) = files(tmp_path)
    prev, rebuilt = None, []
    for line in path.read_bytes().splitlines():
        record = dict(parsed(line).data) | {"text": "harmless"} | ({"prev": prev} if prev else {})
        sealed, prev = Chain(None).sealed(record)
        rebuilt.append(sealed)
    path.write_bytes(b"".join(rebuilt))
    assert problems(tmp_path) == []


def test_a_text_that_looks_like_a_record_does_not_get_the_hash_of_one(tmp_path):
    chain = Chain(KEY)
    content = {"seq": 2, "kind": "pre_tool_call", "text": "x" * 2_000, "prev": "0" * 64}
    line, digest = chain.sealed(content)
    assert chain.text_digest(parsed(line[:-1]).body) != digest


def test_a_log_with_a_key_needs_it(tmp_path):
    write(tmp_path, 3, key=KEY)
    assert "was not given" in "".join(problems(tmp_path))
    assert "was not given" in "".join(problems(tmp_path, b"another key altogether"))


def test_a_log_that_goes_on_with_a_new_key_is_checked_with_both(tmp_path):
    write(tmp_path, 3)
    write(tmp_path, 3, key=KEY)
    write(tmp_path, 3, key=b"the key of next year")
    assert problems(tmp_path, KEY, b"the key of next year") == []
    assert len(files(tmp_path)) == 3


def test_a_log_cannot_lose_its_key_unnoticed(tmp_path):
    write(tmp_path, 3, key=KEY)
    shutil.copytree(tmp_path, tmp_path / "plain")
    for path in files(tmp_path / "plain"):
        path.unlink()
    write(tmp_path / "plain", 3)
    assert "no file is kept with the key" in "".join(problems(tmp_path / "plain", KEY))
    last = verify(tmp_path, [KEY]).last
    content = {"seq": last.seq + 1, "kind": "log_opened", "chain": "sha256", "key_id": "", "prev": last.hash}
    (tmp_path / "audit-000002.jsonl").write_bytes(Chain(None).sealed(content)[0])
    assert "the log goes on without its key" in "".join(problems(tmp_path, KEY))


# -- as a command


def audit(home, *arguments):
    command = [sys.executable, "-m", "hermes_sdk", "audit", *map(str, arguments)]
    variables = {"HERMES_HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("plugins: {enabled: ['builtin:audit_log']}\n")
    return home


def test_the_command_says_what_is_wrong_and_fails(home, log):
    done = audit(home, "verify", "--directory", log)
    assert (done.returncode, "nothing was changed" in done.stdout) == (0, True)
    head = audit(home, "head", "--directory", log).stdout.strip()
    assert f"head {head}" in done.stdout
    edit(files(log)[0], lambda lines: [lines[0], lines[1].replace(b"test", b"text"), *lines[2:]])
    done = audit(home, "verify", "--directory", log)
    assert done.returncode == 1
    assert "1 problem\n  audit-000001.jsonl:2: record 2: edited" in done.stdout
    document = json.loads(audit(home, "verify", "--directory", log, "--json").stdout)
    assert document["ok"] is False
    assert document["findings"][0]["place"] == "audit-000001.jsonl:2"


def test_the_command_takes_a_key_file_and_a_head(home, tmp_path):
    directory = tmp_path / "keyed"
    directory.mkdir()
    write(directory, 3, key=KEY)
    (tmp_path / "key").write_bytes(KEY + b"\n")
    (tmp_path / "short").write_bytes(b"short")
    assert audit(home, "verify", "--directory", directory, "--key-file", tmp_path / "key").returncode == 0
    head = audit(home, "head", "--directory", directory).stdout.strip()
    assert "0 came after it" in audit(home, "verify", "--directory", directory, "--head", head).stdout
    for arguments, message in [
        (("--key-file", tmp_path / "short"), "at least 16 bytes"),
        (("--key-file", tmp_path / "none"), "cannot be read"),
        (("--head", "12:zz"), "as `audit head` prints it"),
        (("--directory", tmp_path / "none"), "there is no directory"),
    ]:
        done = audit(home, "verify", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr


def test_an_empty_log_is_no_good_log(home):
    done = audit(home, "verify")
    assert (done.returncode, "there is no log in" in done.stdout) == (1, True)
    assert audit(home, "head").stderr == "audit: the log is empty\n"
