"""`hermes-sdk doctor` outside of hermes-agent: what is wrong with the plugins of a home, without running any."""

import json
import subprocess
import sys

import pytest


@pytest.fixture
def doctor(plugin_home):
    """Run `hermes-sdk doctor` on the home."""

    def doctor(*options):
        command = [sys.executable, "-m", "hermes_sdk", "doctor", "--home", str(plugin_home.path), *options]
        environ = {"HOME": str(plugin_home.path.parent), "COLUMNS": "200"}
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=False)

    return doctor


def test_a_home_in_order_is_said_to_be(plugin_home, doctor):
    plugin_home.plugin("fine", "raise SystemExit('doctor runs no plugin')\n")
    plugin_home.config("plugins: {enabled: [fine, hermes-sdk]}\n")
    done = doctor()

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == [f"home: {plugin_home.path}", "plugins: fine", "nothing is wrong"]


def test_everything_that_is_wrong_is_named(plugin_home, doctor):
    plugin_home.plugin("needy", manifest="name: needy\nrequires_env: [A_KEY]\nprovide_hooks: []\n")
    plugin_home.plugin("broken", manifest="name: [\n")
    plugin_home.config("plugins: {disabled: [gone]}\n")
    done = doctor("--json")
    report = json.loads(done.stdout)

    assert done.returncode == 1
    assert (report["host"], report["plugins"], report["live"]) == ("", ["needy"], [])
    findings = [(finding["about"], finding["text"]) for finding in report["findings"]]
    assert [about for about, _ in findings] == ["config", "needy", "needy", "broken"]
    assert findings[1] == ("needy", "enabled: needs A_KEY")
    assert "provide_hooks" in findings[2][1]
    assert findings[3][1].startswith("broken manifest: [HS102]")
