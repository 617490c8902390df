"""A host in a process of its own: hermes-agent in its environment, or ours."""

import json
import os
import pickle
import selectors
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from environments import ROOT, environment, host_environ
from our_ways import WAYS

HERE = Path(__file__).resolve().parent
GUARD = ROOT / "tests" / "corpus" / "guard"
TIME_LIMIT = 60
OURS = "ours"


class HostEndedError(Exception):
    """A host's process ended, or did not answer in time."""


class Host:
    """A worker process that loads one home after another; a context manager that ends it.

    Args:
        version: A release of hermes-agent, or `OURS`.
        directory: Where its log and its first home are.
        environ: Its environment variables; by default those of a host with an empty home.
    """

    def __init__(self, version, directory, environ=None):
        self.version = version
        self._directory = directory
        directory.mkdir(parents=True, exist_ok=True)
        nothing = directory / "bundled"
        nothing.mkdir(exist_ok=True)
        variables = environ or host_environ(directory) | {
            "PYTHONPATH": str(GUARD),
            "TMPDIR": str(directory),
            "CORPUS_REFUSED": str(directory / "refused.txt"),
        }
        self._environ = variables | {
            "HERMES_BUNDLED_PLUGINS": str(nothing),
            "HERMES_DISABLE_LAZY_INSTALLS": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self._requests = 0
        self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end()

    @property
    def log(self):
        """What the process and its plugins wrote."""
        return self._directory / "log.txt"

    def observe(self, home, plugins, firings, *, site=None, ways=WAYS, private=None):
        """Load a home, fire and return what was to be seen (`their_worker.observe`).

        Args:
            home: The home.
            plugins: Names of its plugins.
            firings: What is fired.
            site: Where its pip-installed plugins are.
            ways: How our hooks are called.
            private: A directory that is not the same in both hosts; its name is not compared.

        Raises:
            HostEndedError: The process ended or did not answer; the next request starts another.
        """
        self._requests += 1
        packed = self._directory / f"firings-{self._requests}.pickle"
        packed.write_bytes(pickle.dumps([vars(firing) for firing in firings]))
        request = {
            "home": str(home),
            "plugins": list(plugins),
            "site": site and str(site),
            "firings": str(packed),
            "ways": list(ways),
        }
        try:
            answer = self._ask(json.dumps(request))
        finally:
            packed.unlink()
        return json.loads(answer.replace(str(private or Path(home).parent), "<directory>"))

    def _ask(self, line):
        if self._process is None:
            self._start()
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            answer = self._process.stdout.readline() if selector.select(TIME_LIMIT) else ""
        if not answer.endswith("\n"):
            code = self._process.poll()
            self.end()
            tail = self.log.read_text("utf-8", "replace")[-2000:]
            raise HostEndedError(f"{self.version} gave no answer (exit code {code}):\n{tail}")
        return answer

    def _start(self):
        ours = self.version == OURS
        python = Path(sys.executable) if ours else environment(self.version) / "bin" / "python"
        script = HERE / ("our_worker.py" if ours else "their_worker.py")
        with self.log.open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [str(python), str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                encoding="utf-8",
                env=self._environ,
                cwd=self._directory,
                start_new_session=True,
            )

    def end(self):
        """End the process, and whatever plugins left running."""
        if self._process is None:
            return
        process, self._process = self._process, None
        process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
