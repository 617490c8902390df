"""Run a script in the environment of a release of hermes-agent."""

import os
import subprocess

import pytest
from environments import EnvironmentNotMadeError, environment, host_environ, is_made
from versions import UPSTREAM, VERSIONS

TIME_LIMIT = 100
ALL_VERSIONS = [
    version if version == UPSTREAM else pytest.param(version, marks=pytest.mark.compat) for version in VERSIONS
]
"""Every release; the plain test run takes the one that "upstream" means."""


def python_of(version):
    """Return the interpreter of a release's environment; the test is skipped where there is none.

    That of the release that "upstream" means is made here; the others are `make compat`'s.
    """
    if version != UPSTREAM and not is_made(version):
        pytest.skip(f"no environment of hermes-agent {version}: make compat makes it")
    try:
        return environment(version) / "bin" / "python"
    except EnvironmentNotMadeError as error:
        pytest.skip(f"no environment of hermes-agent {version}: {error}")


def run(version, script, *arguments, home, path, bundled, **variables):
    """Run a script and return what it printed; what it wrote to standard error shows where it fails.

    `path` is a list of directories to import from; `bundled` an empty one, instead of the host's own plugins.
    """
    environ = host_environ(home) | {
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "HERMES_BUNDLED_PLUGINS": str(bundled),
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    command = [str(python_of(version)), str(script), *arguments]
    done = subprocess.run(
        command, env=environ, cwd=home, capture_output=True, text=True, timeout=TIME_LIMIT, check=False
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr}"
    return done.stdout
