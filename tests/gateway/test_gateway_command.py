"""`hermes-sdk gateway`: what it refuses, and the pairing of a gateway that runs or does not."""

import json
import re

import pytest
from gateway_process import GatewayProcess

from hermes_sdk.host.gateway.database import Database
from hermes_sdk.host.gateway.messages import Source
from hermes_sdk.host.gateway.pairing import Pairing


@pytest.fixture
def gateway(tmp_path):
    gateway = GatewayProcess(tmp_path)
    gateway.play([{"say": "hi"}])
    yield gateway
    gateway.close()


def test_strangers_are_listed_let_in_and_shut_out(gateway):
    database = Database(gateway.home)
    code = Pairing(database).request(Source("desk", "c1", user_id="u1", user_name="Ann"))
    assert gateway.run("pair", "list").stdout.split()[-6:-2] == ["asks", "desk", "u1", "Ann"]
    wrong = gateway.run("pair", "approve", "WRONGONE")
    assert (wrong.returncode, "no pairing request has this code" in wrong.stderr) == (1, True)
    assert gateway.run("pair", "approve", code).stdout == "u1 of desk is paired\n"
    listed = json.loads(gateway.run("pair", "list", "--json").stdout)
    assert ([user["user_id"] for user in listed["users"]], listed["requests"]) == (["u1"], [])
    assert Pairing(database).knows("desk", "u1")
    assert "did you mean" in gateway.run("pair", "revoke", "desk", "u2").stderr
    assert gateway.run("pair", "revoke", "desk", "u1").stdout == "u1 of desk is not paired any more\n"
    assert not Pairing(database).knows("desk", "u1")
    database.close()


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("gateway: {idle_timeout: -1}", "gateway.idle_timeout"),
        ("gateway: {platforms: {webchat: {port: x}}}", "no platform is connected"),
        ("gateway: {platforms: {webchatt: {}}}", "did you mean 'webchat'?"),
        ("gateway: [", "config.yaml"),
    ],
)
def test_a_gateway_that_cannot_start_says_why(gateway, config, text):
    (gateway.home / "config.yaml").write_text(config)
    done = gateway.run("run", "--script", str(gateway.script))
    assert done.returncode == 1
    assert text in done.stderr.replace("\n       ", " ")
    assert not (gateway.home / "run" / "gateway.json").exists()


def test_a_gateway_says_where_its_platforms_are_reached(gateway):
    routes = {"shop": {"secret": "a-secret-of-some-length"}, "desk": {"secret": "another-of-some-length"}}
    gateway.configure(f"    webhook: {json.dumps({'port': 0, 'routes': routes})}\n")
    gateway.start()
    shown = gateway.output.read_text()
    assert re.search(r"webhook http://127\.0\.0\.1:(\d+)/hooks/shop http://127\.0\.0\.1:\1/hooks/desk\n", shown)
    assert re.search(r"webchat http://127\.0\.0\.1:\d+/#token=", shown)


def test_one_of_model_and_script_is_needed(gateway):
    done = gateway.run("run")
    assert done.returncode == 2
    assert "--model NAME or --script FILE" in done.stderr


def test_the_console_is_a_platform(gateway):
    import subprocess

    gateway.play([{"tools": [{"name": "terminal", "args": {"command": "printf 'a\\033[2Jb'"}}]}, {"say": "hello"}])
    done = subprocess.Popen(
        gateway.command("run", "--script", str(gateway.script), "--platform", "console"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=gateway.env,
        cwd=gateway.work,
        text=True,
    )
    done.stdin.write("hi\n/help\n")
    done.stdin.flush()
    lines = []
    for line in done.stdout:
        lines.append(line)
        if line == "hello\n":
            break
    done.terminate()
    rest, _ = done.communicate(timeout=30)
    text = "".join(lines) + rest
    assert done.returncode == 0
    assert "-- terminal runs\n" in text
    assert "list the commands" in text
    assert "\x1b" not in text
