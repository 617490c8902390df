"""What is still to be said when the process ends while agents are at work.

Ctrl-C and errors end a turn by themselves; this is for an exit that comes from elsewhere while a turn runs in
another thread. (Rule: seed H6.2 and H7.1.)
"""

from __future__ import annotations

import atexit
import logging
import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hermes_sdk.host.agent import Agent

logger = logging.getLogger(__name__)

_AGENTS: Final[weakref.WeakSet[Agent]] = weakref.WeakSet()


def remember_at_exit(agent: Agent) -> None:
    """End this agent properly at exit, unless it was closed before."""
    _AGENTS.add(agent)


def forget_at_exit(agent: Agent) -> None:
    """Leave an agent alone at exit: it is closed."""
    _AGENTS.discard(agent)


def interrupt_agents(reason: str) -> None:
    """End the turns that are running, early."""
    for agent in list(_AGENTS):
        agent.interrupt(reason)


def _end_agents() -> None:
    # children first: their parents wait for them
    for agent in sorted(_AGENTS, key=lambda agent: -agent.depth):
        try:
            agent.end_at_exit()
        except Exception:
            logger.exception("session %s did not end properly", agent.session_id)


atexit.register(_end_agents)
