"""What can be checked: a file, a directory, a project, a wheel, an installed distribution."""

import sys
import zipfile
from pathlib import Path

import pytest

from hermes_sdk.check import check
from hermes_sdk.errors import PluginError

CODE = "def f(**kwargs): ...\n\n\ndef register(ctx):\n    ctx.register_hook('post_tool_call', f)\n"


def write(root, **files):
    for name, text in files.items():
        path = root / name.replace("__slash__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def project(root, group="hermes_agent.plugins", value="sample_plugin", dependencies="[]", layout="src/"):
    text = f'[project]\nname = "sample"\nversion = "1"\ndependencies = {dependencies}\n\n'
    text += f'[project.entry-points."{group}"]\nsample = "{value}"\n'
    package = root / layout / "sample_plugin"
    package.mkdir(parents=True)
    (root / "pyproject.toml").write_text(text)
    (package / "__init__.py").write_text(CODE)
    return root


def found(report):
    return [(finding.code, finding.severity, str(finding.place)) for finding in report.findings]


def test_a_file_is_checked_alone(tmp_path):
    (tmp_path / "plugin.py").write_text(CODE.replace("tool_call", "tool_cal"))
    assert found(check(tmp_path / "plugin.py")) == [("HC101", "error", "plugin.py:5:23")]


@pytest.mark.parametrize("layout", ["src/", ""])
def test_a_project_is_checked_with_its_entry_points(tmp_path, layout):
    report = check(project(tmp_path, layout=layout))
    assert report.findings == ()
    assert (report.target, report.files) == ("sample", 1)


def test_a_near_miss_of_the_group_is_an_error(tmp_path):
    assert found(check(project(tmp_path, group="hermes.plugins"))) == [("HC301", "error", "pyproject.toml:6:24")]


def test_a_project_that_no_host_finds_is_an_error(tmp_path):
    report = check(project(tmp_path, group="console_scripts"))
    assert [finding.code for finding in report.findings] == ["HC304"]
    assert "no entry point in the group 'hermes_agent.plugins'" in report.findings[0].message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("sample_plugin.core", "names no module: sample_plugin.core"),
        ("sample_plugin:regster", "sample_plugin has no 'regster'"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_an_error(tmp_path, value, message):
    (finding,) = check(project(tmp_path, value=value)).findings
    assert (finding.code, str(finding.place)) == ("HC302", "pyproject.toml:7:11")
    assert message in finding.message


@pytest.mark.parametrize("value", ["sample_plugin", "sample_plugin:register", "sample_plugin:f", "elsewhere:x"])
def test_an_entry_point_that_leads_somewhere_is_fine(tmp_path, value):
    assert check(project(tmp_path, value=value)).findings == ()


def test_a_dependency_that_admits_an_older_host_is_a_warning(tmp_path):
    root = project(tmp_path, dependencies='["hermes-agent>=0.13,<1"]')
    package = root / "src" / "sample_plugin"
    (package / "__init__.py").write_text(CODE.replace("post_tool_call", "pre_verify"))
    (finding,) = check(root).findings
    assert (finding.code, finding.severity) == ("HC503", "warning")
    assert finding.message.endswith("came with hermes-agent 0.18.0, and the declared '<1,>=0.13' admits 0.17.0")


def test_tests_caches_and_environments_are_not_part_of_a_plugin(tmp_path):
    root = project(tmp_path, layout="")
    for name in ("tests", ".venv/lib", "build", "docs"):
        (root / name).mkdir(parents=True)
        (root / name / "broken.py").write_text("def (")
    assert check(root).findings == ()


def test_a_wheel_is_checked(tmp_path):
    wheel = tmp_path / "sample-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("sample_plugin/__init__.py", CODE)
        archive.writestr("sample-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: sample\nVersion: 1\n")
        archive.writestr("sample-1.dist-info/entry_points.txt", "[hermes.plugins]\nsample = sample_plugin\n")
    assert found(check(wheel)) == [("HC301", "error", "sample-1.dist-info/entry_points.txt:1:2")]


def test_an_installed_distribution_is_checked_by_name(tmp_path, monkeypatch):
    write(
        tmp_path,
        **{
            "sample_plugin/__init__.py": CODE,
            "sample-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: sample\nVersion: 1\n",
            "sample-1.dist-info/entry_points.txt": "[hermes_agent.plugins]\nsample = sample_plugin:start\n",
            "sample-1.dist-info/RECORD": "sample_plugin/__init__.py,,\nsample-1.dist-info/METADATA,,\n",
        },
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert [finding.code for finding in check("sample").findings] == ["HC302"]
    assert "sample_plugin" not in sys.modules


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("no/such/place", "there is no such file or directory"),
        ("rich-text-that-nobody-has", "no distribution 'rich-text-that-nobody-has' is installed"),
        ("plugy", "did you mean 'pluggy'?"),
        ("notes.txt", "it is no Python file and no wheel"),
        ("empty", "it has no plugin.yaml, no __init__.py and no pyproject.toml"),
        ("broken.whl", "it is no wheel"),
        ("home", "check one of the plugins in it: one"),
        ("damaged", "pyproject.toml"),
    ],
)
def test_what_is_no_plugin_is_said_to_be_none(tmp_path, monkeypatch, argument, message):
    write(
        tmp_path,
        **{
            "notes.txt": "",
            "broken.whl": "no zip",
            "home/one/plugin.yaml": "name: one\n",
            "damaged/pyproject.toml": "[",
        },
    )
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PluginError) as caught:
        check(argument)
    assert message in str(caught.value)
    assert caught.value.code == "HS260"


def test_the_built_in_plugins_and_the_examples_are_in_order():
    root = Path(__file__).parents[2]
    for directory in (*(root / "builtin_plugins").iterdir(), root / "examples/entrypoint-plugin"):
        report = check(directory)
        assert report.ok, [str(finding) for finding in report.findings]
