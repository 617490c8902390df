"""Runs in hermes-agent's environment: plays turns with its real `AIAgent` against a model server on loopback.

    python agent_turns.py SESSIONS

SESSIONS is a JSON list of sessions, each a list of turns, each ``[message, answers of the model]`` in the words of
`_harness.model_server`. Prints one JSON object.
"""

import json
import logging
import os
import sys
import time
from pathlib import Path

from _harness.model_server import ModelServer
from run_agent import AIAgent


def main(sessions):
    kept = Kept()
    logging.getLogger().addHandler(kept)
    played = [list(play(session)) for session in sessions]
    from hermes_cli.plugins import get_plugin_manager

    from hermes_sdk.home import hermes_home
    from hermes_sdk.interop.running import running_bridge

    there, bridge = get_plugin_manager(), running_bridge(hermes_home())
    seen = {
        "sessions": played,
        "there": {key: plugin.enabled for key, plugin in there._plugins.items()},
        "hooks": {hook: len(callbacks) for hook, callbacks in there._hooks.items()},
        "here": {row["key"]: [row["status"], row["failures"]] for row in bridge.manager.list_plugins()},
        "run_files": len(list(Path(hermes_home(), "run").glob("*.json"))),
        "said": kept.said,
    }
    print(json.dumps(seen, default=repr))


class Kept(logging.Handler):
    """Keeps what hermes-sdk says."""

    def __init__(self):
        super().__init__()
        self.said = []

    def emit(self, record):
        if record.name.startswith("hermes_sdk") and record.levelno >= logging.WARNING:
            self.said.append(record.getMessage())


def wait_for_children():
    """Wait until every child agent that started has stopped: they run in the background, with the same model."""
    seen = Path(os.environ["HERMES_HOME"], "plugin-data", "recorder", "seen.jsonl")
    for _ in range(200):
        text = seen.read_text() if seen.exists() else ""
        if text.count('"subagent_start"') == text.count('"subagent_stop"'):
            return
        time.sleep(0.1)


def play(session):
    """Yield what came of each turn."""
    agent, history = None, []
    for message, answers in session:
        with ModelServer(answers) as server:
            if agent is None:
                agent = AIAgent(
                    base_url=server.url,
                    api_key="none",
                    model="test-model",
                    platform="cli",
                    quiet_mode=True,
                    skip_context_files=True,
                    skip_memory=True,
                    enabled_toolsets=["terminal", "delegation", "recorder"],
                    max_iterations=6,
                )
            else:
                agent.client = agent.client.with_options(base_url=server.url)
                agent.base_url = server.url
                agent._client_kwargs["base_url"] = server.url
            result = agent.run_conversation(message, conversation_history=list(history))
            wait_for_children()
            history = result["messages"]
            yield {
                "answer": result["final_response"],
                "completed": result["completed"],
                "messages": history,
                "requests": [request["messages"] for request in server.requests],
            }


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
