"""What guardrails thinks that a script runs, against a real bash: nothing that runs may be missing.

A program `probe` notes the words that it gets. The reader may not know a word, and may take a command for possible that
does not run; where it says that nothing is opaque, each call that bash made must be among those that it found.
"""

import random
import re
import shutil
import subprocess

import pytest
from guardrails.paths import is_unknown, plain
from guardrails.shell import commands
from guardrails.shell.flow import Findings, TooLongError
from guardrails.shell.interpreter import Interpreter
from guardrails.shell.state import State
from guardrails_scripts import Scripts, words

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")
PROBE = '#!/bin/sh\n{ for word in "$@"; do printf "<%s>" "$word"; done; echo "#"; } >> "$PROBED"\n'
AMBIGUOUS = re.compile(r"[^ \t;=]+=~")
"""`x=~` is taken for a home also where quotes forbid it: a real one is all that matters."""


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A directory with the program, and one to run scripts in."""
    directory = tmp_path_factory.mktemp("machine")
    (directory / "bin").mkdir()
    program = directory / "bin" / "probe"
    program.write_text(PROBE)
    program.chmod(0o755)
    return directory


def found(script, workdir):
    """Return the words of every `probe` that the reader finds; None where something is opaque."""
    calls = []

    def execute(shell, given, stdin, variables):
        program = shell.direct or None in shell.state.functions.get("probe", (None,))
        if given and plain(given[0]) == "probe" and program:
            calls.append(given[1:])
        return commands.execute(shell, given, stdin, variables)

    findings, state = Findings(), State((str(workdir),), "/home/me", (str(workdir),))
    try:
        shell = Interpreter(findings, execute, state)
        shell.script(script)
        while state.traps:
            text, then = state.traps.pop()
            shell.nested(text, then.later())
    except TooLongError:
        return None
    return None if any(act.does == "opaque" for act in findings.acts) else calls


def ran(script, machine):
    """Return the words of every `probe` that bash runs."""
    work = machine / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    log = machine / "log"
    log.write_text("")
    env = {"HOME": "/home/me", "PATH": f"{machine / 'bin'}:/usr/bin:/bin", "PROBED": str(log), "LC_ALL": "C.UTF-8"}
    subprocess.run(
        [BASH, "--norc", "-c", script, "_"],
        cwd=work,
        env=env,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return [re.findall(r"<(.*?)>(?=<|\Z)", call, re.DOTALL) for call in log.read_text().split("#\n")[:-1]]


def covers(given, real):
    if any(is_unknown(word) or re.search(r"[*?\[]", word) for word in given):
        return True
    return [plain(word) for word in given] == real


def check(scripts, machine):
    """Check scripts; returns how many calls of them were known in full."""
    known = 0
    for script in scripts:
        thought = found(script, machine / "work")
        if thought is None or AMBIGUOUS.search(script):
            continue
        for real in ran(script, machine):
            assert any(covers(given, real) for given in thought), (
                script,
                real,
                [list(map(plain, each)) for each in thought],
            )
            known += any([plain(word) for word in given] == real for given in thought)
    return known


@pytest.mark.parametrize("seed", range(4))
def test_words_are_what_bash_makes_of_them(machine, seed):
    choose = random.Random(seed).choice
    assert check([words(choose) for _ in range(250)], machine) > 60


@pytest.mark.parametrize("seed", range(4))
def test_every_command_that_bash_runs_is_found(machine, seed):
    maker = Scripts(random.Random(seed).choice)
    assert check(["; ".join(maker.make(4) for _ in range(2)).replace("\n;", "\n") for _ in range(150)], machine) > 100
