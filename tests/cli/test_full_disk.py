"""Where nothing can be written: a full disk, a reader that left, streams that are closed."""

import subprocess
import sys

import pytest

SESSION = "turns: [{user: hi, model: [{tools: [{name: terminal, args: {command: echo x}}]}, {say: hello}]}]\n"


@pytest.fixture
def shell(program):
    """Run a line of sh in which `hermes-sdk` is ours."""
    (program.workdir / "s.yaml").write_text(SESSION)

    def shell(line):
        defined = f'hermes_sdk() {{ "{sys.executable}" -m hermes_sdk "$@"; }}\n'
        return subprocess.run(
            ["bash", "-c", defined + line],
            cwd=program.workdir,
            env=program.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return shell


def test_a_document_that_nobody_reads_is_no_warning_for_each_event(shell):
    done = shell("hermes_sdk run s.yaml --json | head -c 5; echo ${PIPESTATUS[0]}")
    assert done.stdout.endswith("1\n")
    assert done.stderr == ""


def test_a_document_that_does_not_fit_is_one_error(shell):
    done = shell("hermes_sdk run s.yaml --json > /dev/full")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "error: no space left on device"
    assert len(done.stderr.splitlines()) == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_keep_no_session_from_running(shell, closed):
    assert shell(f"hermes_sdk run s.yaml {closed}").returncode == 0


# no file may grow, as on a full disk: `ulimit -f` (KiB), whose signal Python ignores


def test_a_file_that_cannot_be_written_is_named(shell, program):
    program.config("plugins: {enabled: []}\n")
    done = shell("ulimit -f 0; hermes_sdk plugins enable redaction")
    assert done.returncode == 1
    assert f"{program.home}/config.yaml: file too large" in " ".join(done.stderr.split())
    assert (program.home / "config.yaml").read_text() == "plugins: {enabled: []}\n"


def test_half_a_plugin_is_not_left_behind(shell, program):
    done = shell("ulimit -f 1; hermes_sdk new my-guard --no-input --output made")
    assert done.returncode == 1
    assert "error [HS261]: no plugin 'my-guard' is made" in done.stderr
    assert "Traceback" not in done.stderr
    assert list((program.workdir / "made").iterdir()) == []
