"""`hermes-sdk check` as a process: what it prints, what it mends, its exit code."""

import json
import subprocess
import sys

import pytest

BAD = '''import time


def guard(tool_name: str, args: dict = {}):
    try:
        time.sleep(1)
    except:
        pass


def note():
    """Say so."""


def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("post_tool_call", note)
    ctx.register_hook("on_session_end", lambda session_id, completed=(1): None)
    ctx.register_hook("on_session_start", lambda: None)
'''
MENDED = '''import time


def guard(tool_name: str, args: dict = {}, **kwargs: object):
    try:
        time.sleep(1)
    except Exception:
        pass


def note(**kwargs):
    """Say so."""


def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("post_tool_call", note)
    ctx.register_hook("on_session_end", lambda session_id, completed=(1), **kwargs: None)
    ctx.register_hook("on_session_start", lambda **kwargs: None)
'''


@pytest.fixture
def plugin(tmp_path):
    directory = tmp_path / "sample"
    directory.mkdir()
    (directory / "plugin.yaml").write_text("name: sample\n")
    (directory / "__init__.py").write_text(BAD)
    return directory


def run(*arguments):
    command = [sys.executable, "-W", "error", "-m", "hermes_sdk", "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_findings_are_printed_one_a_line_and_the_exit_code_is_1(plugin):
    done = run(plugin)
    lines = done.stdout.replace("\n  ", " ").splitlines()
    assert done.returncode == 1
    assert lines[0].startswith("__init__.py:4:1: HC103 no-room-for-arguments: guard takes no **kwargs")
    assert "sample: 1 file, 6 warnings; on_session_end, on_session_start, post_tool_call," in done.stdout


def test_fix_mends_what_is_safe_and_leaves_the_rest(plugin):
    done = run(plugin, "--fix")
    assert "5 findings mended in place" in done.stdout
    assert "1 warning" in done.stdout  # a call that blocks is for a person
    assert (plugin / "__init__.py").read_text() == MENDED
    assert "mended" not in run(plugin, "--fix").stdout


def test_fix_keeps_line_ends_and_encoding(plugin):
    text = "# -*- coding: latin-1 -*-\n# ä\n" + BAD
    (plugin / "__init__.py").write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    run(plugin, "--fix")
    mended = "# -*- coding: latin-1 -*-\n# ä\n" + MENDED
    assert (plugin / "__init__.py").read_bytes() == mended.replace("\n", "\r\n").encode("latin-1")


def test_fix_corrects_the_entry_point_group(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "s"\nversion = "1"\n[project.entry-points."hermes_agent.plugin"]\ns = "s"\n'
    )
    (tmp_path / "s.py").write_text("def register(ctx): ...\n")
    assert run(tmp_path, "--fix").returncode == 0
    assert '[project.entry-points."hermes_agent.plugins"]' in (tmp_path / "pyproject.toml").read_text()


def test_json_is_one_document(plugin):
    done = run(plugin, "--json", "--ignore", "HC103")
    document = json.loads(done.stdout)
    (checked,) = document["checked"]
    assert (document["ok"], document["fixed"], checked["target"]) == (False, 0, "sample")
    assert [(finding["code"], finding["line"], finding["fixable"]) for finding in checked["findings"]] == [
        ("HC201", 6, False),
        ("HC202", 7, True),
    ]


def test_sarif_names_rules_places_and_replacements(plugin, tmp_path):
    assert run(plugin, "--sarif", tmp_path / "out.sarif").returncode == 1
    log = json.loads((tmp_path / "out.sarif").read_text())
    assert log["version"] == "2.1.0"
    (ran,) = log["runs"]
    rules = ran["tool"]["driver"]["rules"]
    assert ran["originalUriBaseIds"]["PLUGIN"]["uri"] == f"{plugin.as_uri()}/"
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in ran["results"])
    bare = next(result for result in ran["results"] if result["ruleId"] == "HC202")
    assert bare["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "__init__.py", "uriBaseId": "PLUGIN"},
        "region": {"startLine": 7, "startColumn": 5, "endLine": 7, "endColumn": 12},
    }
    (replacement,) = bare["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"]["text"] == "except Exception:"
    assert json.loads(run(plugin, "--sarif", "-").stdout) == log


def test_several_targets_are_checked_and_a_wrong_code_is_refused(plugin, tmp_path):
    good = tmp_path / "good.py"
    good.write_text("def register(ctx): ...\n")
    done = run(good, plugin)
    assert "good: 1 file, nothing found" in done.stdout
    assert "sample: 1 file" in done.stdout
    assert run(good).returncode == 0
    refused = run(good, "--ignore", "HC130")
    assert refused.returncode == 1
    assert "there is no such rule" in refused.stderr


def test_a_finding_is_one_line_however_narrow_the_terminal(plugin, monkeypatch):
    """Editors and `grep` read it line by line."""
    monkeypatch.setenv("COLUMNS", "40")
    *findings, _ = run(plugin).stdout.splitlines()
    assert findings
    assert all(line.startswith("__init__.py:") and ": HC" in line for line in findings)
