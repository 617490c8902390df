"""PE2: pipes in text mode follow the locale, and one bad byte discards a valid verdict.

What is sent is UTF-8 whatever the locale; what comes back is read as UTF-8, with replacement.
"""

import json
import os
import subprocess
import sys

import pytest

BLOCK = """echo '{"action":"block","message":"zażółć"}'\n"""
ONE_CALL = r"""
import sys
from hermes_sdk.plugins.manager import PluginManager
from hermes_sdk.shell_hooks.register import register_from_config

manager = PluginManager(sys.argv[1], entry_points=False)
manager.discover_and_load()
register_from_config(manager=manager, accept_hooks=True)
decision = manager.hook.pre_tool_call(tool_name="terminal", args={"command": "g\u0119\u015bl\u0105 \U0001f40d"})
print(decision.action, ascii(decision.message))
manager.shutdown()
"""


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", "en_US.ISO-8859-1"])
@pytest.mark.parametrize("noise", ["", r"printf '\377' >&2", r"printf '\377\n'"])
def test_pe2_a_verdict_and_a_payload_survive_every_locale_and_bad_bytes(shell_home, tmp_path, locale, noise):
    script = shell_home.script("u.sh", f"cat > {tmp_path}/read\n{noise}\n{BLOCK}")
    shell_home.hooks({"pre_tool_call": [{"command": script}]})
    variables = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", ONE_CALL, str(shell_home.path)],
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == f"block {'zażółć'!a}", done.stderr
    assert json.loads((tmp_path / "read").read_bytes())["tool_input"] == {"command": "gęślą 🐍"}
