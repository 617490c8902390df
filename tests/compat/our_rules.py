"""What comes out of a hook here, worked out from what its callbacks answered: the rules of folding, written again.

The comparison needs them where hermes-agent's rules are different, so that "different on purpose" never means
"unchecked".
"""

from plugin_source import VALUES


def outcome(hook, answers, sent):
    """Return what a host here acts on, the arguments of a tool left out; `answers` in calling order."""
    if hook in VALUES:
        return {"value": transformed(hook, answers, sent[VALUES[hook]])}
    rule = RULES.get(hook)
    return {} if rule is None else rule(answers)


def transformed(hook, answers, value):
    """Each text replaces what the one before made; an empty one does not replace the model's."""
    for answer in answers:
        if isinstance(answer, str) and (answer or hook != "transform_llm_output"):
            value = answer
    return value


def judged(answers):
    """The first block with a message wins, wherever it stands; else the first approve."""
    for answer in answers:
        if is_block(answer):
            return {"action": "block", "message": answer["message"], "rule_key": None}
    for answer in answers:
        if isinstance(answer, dict) and answer.get("action") == "approve":
            key = text(answer.get("rule_key"))
            return {"action": "approve", "message": text(answer.get("message")), "rule_key": key and key.strip()}
    return {"action": "run", "message": None, "rule_key": None}


def is_block(answer):
    """Whether an answer to pre_tool_call blocks."""
    return isinstance(answer, dict) and answer.get("action") == "block" and text(answer.get("message")) is not None


def is_modify(answer):
    """Whether an answer to pre_tool_call changes arguments."""
    return isinstance(answer, dict) and answer.get("action") == "modify" and isinstance(answer.get("args"), dict)


def recalled(answers):
    """Every text counts, by itself or as "context"."""
    found = [text(answer.get("context") if isinstance(answer, dict) else answer) for answer in answers]
    return {"text": "\n\n".join(piece for piece in found if piece) or None}


def dispatched(answers):
    """The first skip, rewrite with a text, or allow."""
    for answer in answers:
        action = answer.get("action") if isinstance(answer, dict) else None
        if action == "rewrite" and isinstance(answer.get("text"), str):
            return {"action": "rewrite", "text": answer["text"]}
        if action in {"skip", "allow"}:
            return {"action": action, "text": None}
    return {"action": "allow", "text": None}


def verified(answers):
    """The first that asks to continue and says with what."""
    for answer in answers:
        action = isinstance(answer, dict) and (answer.get("action") or answer.get("decision"))
        if isinstance(action, str) and action.strip().lower() in {"continue", "block"}:
            message = text(answer.get("message") or answer.get("reason"))
            if message:
                return {"message": message.strip()}
    return {"message": None}


def text(value):
    """Return a text that is not blank, or None."""
    return value if isinstance(value, str) and value.strip() else None


RULES = {
    "pre_tool_call": judged,
    "pre_llm_call": recalled,
    "pre_gateway_dispatch": dispatched,
    "pre_verify": verified,
}
