"""Every plugin that the template can make: its own tests, style, types and check, and what it does in a session."""

import json
import os
import py_compile
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
KINDS = ("guard", "observer", "redaction", "memory-recall")
COMBINATIONS = [
    *(
        (kind, style, packaging)
        for kind in KINDS
        for style in ("hookimpl", "register")
        for packaging in ("pip", "directory")
    ),
    ("tool", "register", "pip"),
    ("tool", "register", "directory"),
    ("gateway-hook", "register", "directory"),
    ("shell-hook", "register", "directory"),
]
PLUGINS = [each for each in COMBINATIONS if not each[0].endswith("-hook")]
ACTS = {
    "guard": "blocked",
    "observer": "observed",
    "redaction": "transformed",
    "memory-recall": "context",
    "tool": "tool",
}


def identity(combination):
    return "-".join(combination)


def name_of(combination):
    kind, style, packaging = combination
    return f"my-{kind}-{style}-{packaging}"


def directory_of(baked, combination):
    name = name_of(combination)
    return baked / (name if combination[2] == "pip" else name.replace("-", "_"))


def code_of(baked, combination):
    directory = directory_of(baked, combination)
    return directory / "src" / name_of(combination).replace("-", "_") if combination[2] == "pip" else directory


def environment(home):
    left_out = ("HERMES_", "PYTEST_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONPATH")
    env = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return env | {"HOME": str(home), "HERMES_HOME": str(home / ".hermes")}


def run(*command, cwd, home, **more):
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment(home) | more,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def hermes_sdk(*arguments, cwd, home):
    return run(sys.executable, "-W", "error", "-m", "hermes_sdk", *arguments, cwd=cwd, home=home)


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    """A directory with one project of every combination, made by the command."""
    directory = tmp_path_factory.mktemp("baked")
    home = tmp_path_factory.mktemp("home")
    for combination in COMBINATIONS:
        kind, style, packaging = combination
        own = () if kind.endswith("-hook") else ("--style", style, "--packaging", packaging)
        done = hermes_sdk(
            "new",
            name_of(combination),
            "--kind",
            kind,
            *own,
            "--no-input",
            "--author",
            'Ann "A" Other',
            cwd=directory,
            home=home,
        )
        assert done.returncode == 0, done.stderr
    assert list(home.iterdir()) == []
    return directory


@pytest.mark.parametrize("combination", COMBINATIONS, ids=identity)
def test_its_own_tests_pass(baked, combination, tmp_path):
    done = run(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-W",
        "error",
        "-p",
        "no:cacheprovider",
        cwd=directory_of(baked, combination),
        home=tmp_path,
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


def test_style_is_clean(baked, tmp_path):
    for combination in COMBINATIONS:
        directory = directory_of(baked, combination)
        for what in (("check",), ("format", "--check")):
            done = run(sys.executable, "-m", "ruff", *what, "--no-cache", ".", cwd=directory, home=tmp_path)
            assert done.returncode == 0, f"{directory.name}: {done.stdout}{done.stderr}"


def test_types_are_clean(baked, tmp_path):
    cache = tmp_path / "cache"
    for combination in COMBINATIONS:
        if combination[0] != "shell-hook":
            directory = directory_of(baked, combination)
            done = run(sys.executable, "-m", "mypy", "--cache-dir", cache, cwd=directory, home=tmp_path)
            assert done.returncode == 0, f"{directory.name}: {done.stdout}{done.stderr}"


def test_the_check_finds_nothing(baked, tmp_path):
    directories = [directory_of(baked, combination).name for combination in PLUGINS]
    done = hermes_sdk("check", *directories, "--json", cwd=baked, home=tmp_path)
    checked = json.loads(done.stdout)["checked"]
    assert [(each["target"], each["findings"]) for each in checked if each["findings"]] == []
    assert len(checked) == len(PLUGINS)


@pytest.mark.parametrize("combination", PLUGINS, ids=identity)
def test_it_acts_in_a_session(baked, combination, tmp_path):
    directory = directory_of(baked, combination)
    code = code_of(baked, combination)
    done = hermes_sdk("run", "session.yaml", "--plugin", code, "--json", cwd=directory, home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert acted(json.loads(done.stdout), combination)


def acted(document, combination):
    """Whether a session shows what the plugin is for."""
    kind, name = combination[0], name_of(combination)
    steps = [
        (step["plugin"], step["what"])
        for event in document["events"]
        if event["type"] == "HookFired"
        for step in event["outcome"]["steps"]
    ]
    what = {"guard": "block", "observer": "observed", "redaction": "transform", "memory-recall": "context"}.get(kind)
    if kind == "tool":
        tools = [event for event in document["events"] if event["type"] == "ToolFinished"]
        return [(tool["tool_name"], tool["status"]) for tool in tools] == [(name.replace("-", "_"), "ok")]
    return (name, what) in steps


@pytest.fixture(scope="module")
def installed(baked, tmp_path_factory):
    """An environment with the wheels of all pip plugins, and nothing else but what hermes-sdk needs."""
    directory = tmp_path_factory.mktemp("env")
    wheels = directory / "wheels"
    packages = [directory_of(baked, combination) for combination in PLUGINS if combination[2] == "pip"]
    for package in packages:
        done = run(
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            wheels,
            package,
            cwd=directory,
            home=directory,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    made = directory / "venv"
    venv.create(made, with_pip=False, symlinks=True)
    python = made / "bin" / "python"
    (site,) = made.glob("lib/python*/site-packages")
    # what hermes-sdk needs is there already: the environment sees that of the tests, behind its own
    (site / "tests.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    (site / "sources.pth").write_text(f"{ROOT}\n{ROOT / 'hookspecs'}\n")
    command = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index")
    done = run(*command, *sorted(wheels.glob("*.whl")), cwd=directory, home=directory)
    assert done.returncode == 0, done.stderr
    return python


@pytest.mark.wheel
def test_a_wheel_acts_where_it_is_installed_and_enabled(baked, installed, tmp_path):
    pip = [combination for combination in PLUGINS if combination[2] == "pip"]
    home = tmp_path / ".hermes"
    home.mkdir()
    for combination in pip:
        (home / "config.yaml").write_text(yaml.safe_dump({"plugins": {"enabled": [name_of(combination)]}}))
        session = directory_of(baked, combination) / "session.yaml"
        done = run(installed, "-m", "hermes_sdk", "run", session, "--json", cwd=tmp_path, home=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert acted(json.loads(done.stdout), combination), name_of(combination)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("9lives",), "a name begins with a letter"),
        (("a--b",), "single '-' or '_'"),
        (("../up",), "a name begins with a letter"),
        (("class",), "is a module of Python or of hermes-sdk already"),
        (("json",), "is a module of Python or of hermes-sdk already"),
        (("x", "--kind", "tool", "--style", "hookimpl"), "--style hookimpl does not go with --kind tool"),
        (("x", "--kind", "shell-hook", "--packaging", "pip"), "--packaging pip does not go with --kind shell-hook"),
        (("taken",), "is there already"),
    ],
)
def test_a_wish_that_cannot_be_granted_writes_nothing(tmp_path, arguments, text):
    (tmp_path / "taken").mkdir()
    done = hermes_sdk("new", *arguments, "--no-input", cwd=tmp_path, home=tmp_path)
    assert done.returncode == 1
    assert text in " ".join(done.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_template_works_with_cookiecutter_itself(tmp_path):
    done = run(
        sys.executable,
        *(
            "-m",
            "cookiecutter",
            ROOT,
            "--directory",
            "cookiecutter-template",
            "--no-input",
            "name=by-hand",
            "license=none",
        ),
        cwd=tmp_path,
        home=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "by-hand" / "LICENSE").exists()
    assert (tmp_path / "by-hand" / "src" / "by_hand" / "__init__.py").exists()
    refused = run(
        sys.executable,
        *("-m", "cookiecutter", ROOT, "--directory", "cookiecutter-template", "--no-input", "name=a b"),
        cwd=tmp_path,
        home=tmp_path,
    )
    assert refused.returncode == 1
    assert "'a b' cannot be the name of a plugin" in refused.stderr


def test_what_pip_compiled_in_the_template_does_not_come_along(tmp_path):
    template = shutil.copytree(ROOT / "cookiecutter-template", tmp_path / "template")
    code = template / "{{cookiecutter.__directory}}" / "{{cookiecutter.__code}}"
    py_compile.compile(str(code / "handler.py"), doraise=True)
    command = (sys.executable, "-m", "cookiecutter", template, "--no-input")
    for name, more in (("a-pip", ()), ("a-directory", ("packaging=directory",))):
        done = run(*command, f"name={name}", *more, cwd=tmp_path, home=tmp_path)
        assert done.returncode == 0, done.stderr
    assert [path for name in ("a-pip", "a_directory") for path in (tmp_path / name).rglob("__pycache__")] == []


@pytest.mark.parametrize("combination", [each for each in COMBINATIONS if each[2] == "directory"], ids=identity)
def test_its_readme_puts_it_into_a_home_that_has_nothing_yet(baked, combination, tmp_path):
    directory = directory_of(baked, combination)
    readme = (directory / "README.md").read_text("utf-8")
    line = next(line for line in readme.splitlines() if line.startswith("$ ") and " cp " in line)
    assert run("sh", "-c", line.removeprefix("$ "), cwd=directory, home=tmp_path).returncode == 0
    names = {"gateway-hook": "handler.py", "shell-hook": f"{name_of(combination)}.sh"}
    assert list((tmp_path / ".hermes").rglob(names.get(combination[0], "__init__.py")))


def test_what_its_readme_builds_with_comes_with_its_group_dev(baked):
    directory = directory_of(baked, PLUGINS[0])
    assert "$ python -m build\n" in (directory / "README.md").read_text("utf-8")
    dev = tomllib.loads((directory / "pyproject.toml").read_text("utf-8"))["dependency-groups"]["dev"]
    assert "build" in {requirement.partition(">=")[0] for requirement in dev}


SETTINGS_THERE = """
import sys
from types import SimpleNamespace
if sys.argv[2] == "alone":
    sys.modules["hermes_sdk"] = None
from my_guard_register_pip.settings import read
print(read(SimpleNamespace(manifest=SimpleNamespace(name=sys.argv[1]))).forbidden)
"""


@pytest.mark.parametrize(("beside", "forbidden"), [("with", "['reboot']"), ("alone", "['git push --force', 'mkfs']")])
def test_its_settings_are_read_by_a_host_whose_context_has_none(baked, tmp_path, beside, forbidden):
    """hermes-agent's; without hermes-sdk beside it the defaults hold."""
    combination = ("guard", "register", "pip")
    home = tmp_path / ".hermes"
    home.mkdir()
    name = name_of(combination)
    (home / "config.yaml").write_text(f"plugins: {{entries: {{{name}: {{forbidden: [reboot]}}}}}}\n", "utf-8")
    source = directory_of(baked, combination) / "src"
    command = (sys.executable, "-c", SETTINGS_THERE, name, beside)
    done = run(*command, cwd=tmp_path, home=tmp_path, PYTHONPATH=f"{source}:{ROOT}:{ROOT / 'hookspecs'}")
    assert (done.stdout.strip(), done.stderr) == (forbidden, "")
