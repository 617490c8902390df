"""How a worker talks to whoever started it: one JSON object a line. Standard library only.

Plugins print. So the worker keeps standard output for answers to itself, and what anybody else writes there goes to
standard error, which is a file.
"""

import json
import os
import pickle
import sys
from pathlib import Path


def serve(answer_to):
    """Answer requests, each by `answer_to(request)`, until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(answer_to(json.loads(line))) + "\n")
        answers.flush()


def firings(request):
    """Return the firings of a request, made anew each time: dicts of ``call``, ``hook`` and ``payload``."""
    return pickle.loads(Path(request["firings"]).read_bytes())


def enter(request):
    """Make the request's home the one of this process."""
    os.environ["HERMES_HOME"] = request["home"]
    site = request["site"]
    if site and site not in sys.path:
        sys.path.insert(0, site)
