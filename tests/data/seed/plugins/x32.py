# The page's example X32, as printed but for slips: the indentation of function bodies is lost; `logger` is
# used but not defined; it is supplied.
import logging

logger = logging.getLogger(__name__)


def log_decision(command, choice, session_key, **kwargs):
    logger.info("approval %s: %s for session %s", choice, command[:60], session_key)

def register(ctx):
    ctx.register_hook("post_approval_response", log_decision)
