"""Policies for tests, and what they make of a call, without a session."""

from pathlib import Path

from guardrails.calls import Call, Reader
from guardrails.judge import judge
from guardrails.policy import DEFAULT, load_policy
from guardrails.who import NOBODY

WORKDIR = "/home/me/app"
"""Where calls are made: nothing is there, as nothing runs."""


def load(text, path):
    """Return a policy that was written to a file."""
    path.write_text(text, encoding="utf-8")
    return load_policy(path)


def verdict(loaded, tool, caller=NOBODY, now=None, workdir=WORKDIR, **args):
    """Return what a policy makes of one call."""
    call = Call(tool, args, "s", caller)
    Reader(loaded.policy.tools, Path("/home/me/.hermes")).read(call, workdir)
    return judge(loaded, call, now)


def run_by(command, loaded=None):
    """Return what a shell command gets from a policy, the one that comes along by default."""
    return verdict(loaded or load_policy(DEFAULT), "terminal", command=command)
