"""Stage one plugin in a temporary home, run it in a process of its own, hand back what the process saw."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from corpus_pins import DATA
from corpus_sink import sink

HERE = Path(__file__).resolve().parent
TIME_LIMIT = 60
SAFE_ENVIRON = {"vaibot-hermes-circuitbreaker": {"VAIBOT_AUTO_LAUNCH": "0"}}
"""What a plugin needs even in a bare home: vaibot starts a daemon from `register` without it."""


def run(pin, site, directory, *, what, scenario=True):
    """Return what `corpus_child.py` reports of one plugin.

    `what` is "raw" (the sequence through `invoke_hook`), "folded" (through `manager.hook`) or "load".
    `directory` is an empty temporary directory; without `scenario` the plugin meets a bare home.
    """
    request = {
        "plugin": pin["load"]["name"],
        "what": what,
        "hooks": pin["hooks"],
        "extra_calls": pin["scenario"]["extra_calls"],
        "answer": str(directory / "answer.json"),
    }
    with staged(pin, site, directory, scenario=scenario) as environ:
        _run_child(request, environ, directory)
    return json.loads((directory / "answer.json").read_text(encoding="utf-8"))


@contextmanager
def staged(pin, site, directory, *, scenario=True):
    """Lay a plugin's home and files out in an empty directory; gives the environment variables of its process.

    The home is ``home/.hermes``, and what a plugin asks on the network is there while this lasts.
    """
    given = pin["scenario"]
    home = directory / "home" / ".hermes"
    home.mkdir(parents=True)
    _write_config(home, pin, given["config_yaml_under_plugins"] if scenario else "", directory)
    if pin["load"]["form"] == "directory":
        _stage_directory(site, home / "plugins" / pin["load"]["name"])
    environ = _environ(pin, site, directory)
    with ExitStack() as stack:
        if scenario:
            for name, text in given["files"].items():
                (directory / name).write_text(text, encoding="utf-8")
            port = stack.enter_context(sink()) if given["sink_port"] else None
            environ |= {name: _with_port(text, given["sink_port"], port) for name, text in given["env"].items()}
            if given["stub_on_path"]:
                environ["PATH"] = f"{DATA / 'stubs'}{os.pathsep}{environ['PATH']}"
        yield environ


def _write_config(home, pin, under_plugins, directory):
    text = f"plugins:\n  enabled: [{pin['load']['name']}]\n" + under_plugins.replace("{tmp}", str(directory))
    (home / "config.yaml").write_text(text, encoding="utf-8")


def _stage_directory(site, target):
    """Lay a plugin out as its own installer does: the manifest, and plugin.py as the package."""
    package = site / "agentguard_hermes"
    target.mkdir(parents=True)
    shutil.copy(package / "plugin.yaml", target / "plugin.yaml")
    shutil.copy(package / "plugin.py", target / "__init__.py")


def _environ(pin, site, directory):
    paths = [str(HERE / "guard")]
    if pin["load"]["form"] == "entry_point":
        paths.append(str(site))
    environ = {
        "PATH": os.defpath,
        "HOME": str(directory / "home"),
        "HERMES_HOME": str(directory / "home" / ".hermes"),
        "TMPDIR": str(directory),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(paths),
        "CORPUS_REFUSED": str(directory / "refused.txt"),
    }
    return environ | SAFE_ENVIRON.get(pin["name"], {})


def _with_port(text, recorded, port):
    return text if port is None else text.replace(f":{recorded}", f":{port}")


def _run_child(request, environ, directory):
    """Run the child in a process group that does not outlive its time limit."""
    with (directory / "log.txt").open("w+", encoding="utf-8") as log:
        child = subprocess.Popen(
            [sys.executable, str(HERE / "corpus_child.py"), json.dumps(request)],
            env=environ,
            cwd=directory / "home",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            code = child.wait(TIME_LIMIT)
        except subprocess.TimeoutExpired:
            code = f"no end within {TIME_LIMIT} s"
        finally:
            _end_group(child)
        log.seek(0)
        assert code == 0, f"{request['plugin']}: {code}\n{log.read()}"


def _end_group(child):
    """End whatever the plugin left running."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
