"""Runs in our environment: plays the same turns as `their_turns.py` with our host."""

import json
import os
import sys
from pathlib import Path

from turn_server import TurnServer

from hermes_sdk import PluginManager
from hermes_sdk.host import Agent
from hermes_sdk.host.models.openai_model import OpenAIModel


def main(turns):
    manager = PluginManager(Path(os.environ["HERMES_HOME"]))
    manager.discover_and_load()
    with TurnServer() as server:
        model = OpenAIModel("test-model", base_url=server.url, api_key="none")
        agent = Agent(manager, model, max_iterations=6)
        server.play(turns, lambda message: agent.run_turn(message).answer)
    agent.close()
    manager.shutdown()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
