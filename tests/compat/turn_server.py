"""The model that both hosts play turns with. Standard library only."""

import json

from _harness.model_server import ModelServer


class TurnServer(ModelServer):
    """A model server that stays where it is from turn to turn."""

    def __init__(self):
        super().__init__([])

    def play(self, turns, run_turn):
        """Play turns of ``[message, answers of the model]`` and print what came of each."""
        for message, answers in turns:
            self.requests, self._answers = [], iter(answers)
            answer = run_turn(message)
            asked = [request["messages"] for request in self.requests]
            print(json.dumps({"answer": answer, "requests": asked}))
