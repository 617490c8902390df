"""`hermes-sdk gateway run` as a process, with a web chat, and a client of it."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time

import aiohttp

TOKEN = "a-token-of-some-length"
SLEEP = {"tools": [{"name": "terminal", "args": {"command": "echo $$ >> pids && exec sleep 300"}}]}
"""A step whose command outlives a gateway that is killed; `GatewayProcess.close` ends it by the id that it left."""
OUR = ("HERMES_", "OPENAI_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONPATH")


class GatewayProcess:
    """A gateway of a home.

    Args:
        path: Holds the home, the work directory and the script.
    """

    def __init__(self, path):
        self.home = path / "home"
        self.work = path / "work"
        self.script = path / "script.yaml"
        self.output = path / "output.txt"
        for directory in (self.home, self.work):
            directory.mkdir(exist_ok=True)
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(OUR)}
        self.env["HERMES_HOME"] = str(self.home)
        self.process = None

    def configure(self, more="", plugins="[]"):
        text = f"plugins: {{enabled: {plugins}}}\n"
        text += f"gateway:\n  platforms:\n    webchat: {{port: 0, token: {TOKEN}}}\n{more}"
        (self.home / "config.yaml").write_text(text)

    def plugin(self, name, code):
        directory = self.home / "plugins" / name
        directory.mkdir(parents=True)
        (directory / "plugin.yaml").write_text(f"name: {name}\n")
        (directory / "__init__.py").write_text(code)

    def play(self, *turns):
        """Say what the model does, turn by turn: lists of steps as a script has them."""
        document = {"turns": [{"user": "x", "model": list(steps)} for steps in turns]}
        self.script.write_text(json.dumps(document))  # JSON is YAML

    def command(self, *arguments):
        return [sys.executable, "-W", "error", "-m", "hermes_sdk", "gateway", *arguments]

    def start(self):
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                self.command("run", "--script", str(self.script)),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.env,
                cwd=self.work,
                start_new_session=True,
            )
        self.wait_for_url()

    def wait_for_url(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            found = re.findall(r"http://(\S+?)/#token=\S+", self.output.read_text())
            if found and "Ctrl-C ends" in self.output.read_text().rpartition(found[-1])[2]:
                self.base = f"http://{found[-1]}"
                return
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.05)
        raise AssertionError(f"it did not start:\n{self.output.read_text()}")

    def run(self, *arguments):
        return subprocess.run(
            self.command(*arguments), env=self.env, capture_output=True, text=True, timeout=90, check=False
        )

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(60)

    def close(self):
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        pids = self.work / "pids"
        for pid in map(int, pids.read_text().split()) if pids.exists() else ():
            if is_sleep(pid):
                os.kill(pid, signal.SIGKILL)


def is_sleep(pid):
    """Whether a process is there, and is one that `SLEEP` started; ids are given out again."""
    done = subprocess.run(["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip() == "sleep 300"


class Page:
    """A page of the web chat that a program holds open."""

    def __init__(self, base, chat="main"):
        self._url = f"{base}/ws?chat={chat}"
        self.entries = {}

    async def __aenter__(self):
        self._client = aiohttp.ClientSession()
        self.socket = await self._client.ws_connect(self._url, headers={"Authorization": f"Bearer {TOKEN}"})
        return self

    async def __aexit__(self, *_):
        await self._client.close()

    async def say(self, text, name):
        await self.socket.send_json({"type": "message", "id": name, "text": text})

    async def until(self, condition, seconds=60):
        """Read until a condition on the entries, in order, is true; return them."""
        async with asyncio.timeout(seconds):
            while not condition(self.shown()):
                message = await self.socket.receive()
                if message.type is not aiohttp.WSMsgType.TEXT:
                    raise ConnectionError(str(message))
                document = json.loads(message.data)
                if document["type"] == "entry":
                    self.entries[document["number"]] = document["entry"]
        return self.shown()

    def shown(self):
        return [self.entries[number] for number in sorted(self.entries)]


def texts(entries, kind):
    return [entry["text"] for entry in entries if entry["kind"] == kind]
