"""A plugin of this SDK as a module: everything of a call reaches it, once."""

import sys

from hermes_hookspecs import hookimpl, registrar

SEEN = []


@hookimpl
def pre_tool_call(tool_name, **everything):
    SEEN.append((tool_name, sorted(everything)))


@hookimpl
async def on_session_end(session_id, completed):
    SEEN.append((session_id, completed))
    if not completed:
        sys.exit(3)


register = registrar(__name__)
