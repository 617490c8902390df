# The page's example X29, as printed but for slips: the indentation of function bodies is lost;
# `_is_approved_user` is used but not defined; it is supplied.
APPROVED_USERS = {"7"}


def _is_approved_user(user_id):
    return user_id in APPROVED_USERS


def deny_unauthorized_dms(event, **kwargs):
    src = event.source
    if src.chat_type == "dm" and not _is_approved_user(src.user_id):
        return {"action": "skip", "reason": "unauthorized-dm"}
    return None

def register(ctx):
    ctx.register_hook("pre_gateway_dispatch", deny_unauthorized_dms)
