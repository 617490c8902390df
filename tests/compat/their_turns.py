"""Runs in hermes-agent's environment: plays turns with its real `AIAgent` against a model on loopback.

python their_turns.py TURNS: a JSON list for `turn_server`. Prints one JSON object a line, one for each turn.
"""

import json
import sys

from run_agent import AIAgent
from turn_server import TurnServer


def main(turns):
    with TurnServer() as server:
        agent = AIAgent(
            base_url=server.url,
            api_key="none",
            model="test-model",
            platform="cli",
            quiet_mode=True,
            skip_context_files=True,
            skip_memory=True,
            enabled_toolsets=["terminal"],
            max_iterations=6,
        )
        history = []

        def run_turn(message):
            result = agent.run_conversation(message, conversation_history=list(history))
            history[:] = result["messages"]
            return result["final_response"]

        server.play(turns, run_turn)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
