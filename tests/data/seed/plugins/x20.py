# The page's example X20, as printed but for slips: three bare return statements; a function round each and
# their registration are supplied.
def as_dict(**kwargs):
    # Внедрение контекста
    return {"context": "Recalled memories:\n- User likes Python\n- Working on hermes-agent"}


def as_text(**kwargs):
    # Простая строка (эквивалентно)
    return "Recalled memories:\n- User likes Python"


def nothing(**kwargs):
    # Без внедрения
    return None


def register(ctx):
    ctx.register_hook("pre_llm_call", as_dict)
    ctx.register_hook("pre_llm_call", as_text)
    ctx.register_hook("pre_llm_call", nothing)
