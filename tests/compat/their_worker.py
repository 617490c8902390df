"""Runs in hermes-agent's own environment: loads homes in its PluginManager and does what its call sites do.

Standard library and hermes-agent only; every release in `versions.py` has to get along with it.
"""

import inspect
from importlib.metadata import version
from pathlib import Path

import exchange
from compat_probe import taken
from execution import outcome_of
from hermes_cli import plugins as hermes
from pictures import changes, picture
from tools.registry import registry

MIDDLEWARE = ("tool_request", "tool_execution", "llm_request", "llm_execution")


def observe(request):
    """Load a home, fire what is asked for and return what was to be seen."""
    exchange.enter(request)
    hermes._plugin_manager = manager = hermes.PluginManager()
    taken()
    ended = ended_by(manager.discover_and_load)
    seen = {
        "version": version("hermes-agent"),
        "ended": ended,
        "plugins": statuses(manager, request),
        "registered": registered(manager),
        "known hooks": sorted(hermes.VALID_HOOKS),
        "knows approve": hasattr(hermes, "get_pre_tool_call_directive"),
    }
    firings = [] if ended else exchange.firings(request)
    seen["firings"] = [fired(manager, **firing) for firing in firings]
    for name in manager._plugin_tool_names:
        registry.deregister(name)
    return seen


def ended_by(call, *arguments):
    """Call something; return the name of the exception that would have ended the host, or None."""
    try:
        call(*arguments)
    except BaseException as error:
        return type(error).__name__
    return None


def statuses(manager, request):
    """Return, by plugin, "loaded" or why not."""
    found = {}
    for name in request["plugins"]:
        plugin = manager._plugins.get(name)
        found[name] = "absent" if plugin is None else "loaded" if plugin.enabled else str(plugin.error)
    return found


def registered(manager):
    """Return what all plugins together registered."""
    middleware = getattr(manager, "_middleware", {})
    return {
        "hooks": {hook: len(callbacks) for hook, callbacks in sorted(manager._hooks.items())},
        "middleware": {kind: len(callbacks) for kind, callbacks in sorted(middleware.items())},
        "tools": {name: tool(name) for name in sorted(manager._plugin_tool_names)},
        "commands": {
            name: {key: entry[key] for key in ("description", "args_hint", "plugin")}
            for name, entry in sorted(manager._plugin_commands.items())
        },
        "cli": {
            name: {key: entry[key] for key in ("help", "description", "plugin")}
            for name, entry in sorted(manager._cli_commands.items())
        },
        "skills": {
            name: {"file": Path(entry["path"]).name, "description": entry["description"]}
            for name, entry in sorted(manager._plugin_skills.items())
        },
        "auxiliary tasks": {
            key: {what: entry[what] for what in ("display_name", "description", "defaults", "plugin")}
            for key, entry in sorted(getattr(manager, "_aux_tasks", {}).items())
        },
    }


def tool(name):
    """Return what the registry holds of a tool."""
    entry = registry.get_entry(name)
    return {
        "toolset": entry.toolset,
        "description": entry.description,
        "emoji": entry.emoji,
        "requires_env": list(entry.requires_env or ()),
        "schema": picture(entry.schema),
    }


def fired(manager, call, hook, payload):
    """Fire once, in the way of the place where this host fires it."""
    before = picture(payload)
    returns = []
    invoke = manager.invoke_hook

    def noted(hook_name, **arguments):
        answers = invoke(hook_name, **arguments)
        returns.extend(answers)
        return answers

    manager.invoke_hook = noted
    acts = {}
    act = MIDDLEWARE_ACTS[hook] if hook in MIDDLEWARE else ACTS.get(hook, observed)
    ended = ended_by(lambda: acts.update(act(hook, payload)))
    del manager.invoke_hook
    shown = picture(returns)
    for answer in returns:
        if inspect.iscoroutine(answer):
            answer.close()
    return {
        "call": call,
        "returns": shown,
        "seen": taken(),
        "changed": changes(before, picture(payload)),
        "acts": acts,
        "version": version("hermes-agent"),
        "ended": ended,
    }


# -- what this host does with answers, as its call sites do it --------------------------------------------------


def observed(hook, payload):
    """Observers: answers mean nothing."""
    hermes.invoke_hook(hook, **payload)
    return {}


def judged(hook, payload):
    """pre_tool_call, through the functions that its tool paths call."""
    details = getattr(hermes, "_get_pre_tool_call_directive_details", None)
    if details is None:
        message = hermes.get_pre_tool_call_block_message(**fitting(hermes.get_pre_tool_call_block_message, payload))
        action, rule_key = ("run" if message is None else "block"), None
    else:
        directive = details(**fitting(details, payload))
        action, message, rule_key = directive.action or "run", directive.message, directive.rule_key
    return {"action": action, "message": message, "rule_key": rule_key, "args": picture(payload["args"])}


def verified(hook, payload):
    """pre_verify; releases without it fire nothing."""
    ask = getattr(hermes, "get_pre_verify_continue_message", None)
    return observed(hook, payload) if ask is None else {"message": ask(**fitting(ask, payload))}


def recalled(hook, payload):
    """pre_llm_call: every text, or truthy "context" of a dict."""
    pieces = []
    for answer in hermes.invoke_hook(hook, **payload):
        if isinstance(answer, dict) and answer.get("context"):
            pieces.append(str(answer["context"]))
        elif isinstance(answer, str) and answer.strip():
            pieces.append(answer)
    return {"text": "\n\n".join(pieces) or None}


def replaced(hook, payload):
    """The transforms: the first text, which must not be empty where it is the model's."""
    value = payload["response_text" if hook == "transform_llm_output" else VALUES[hook]]
    for answer in hermes.invoke_hook(hook, **payload):
        if isinstance(answer, str) and (answer or hook != "transform_llm_output"):
            return {"value": answer}
    return {"value": picture(value)}


def dispatched(hook, payload):
    """pre_gateway_dispatch: the first known action."""
    for answer in hermes.invoke_hook(hook, **payload):
        action = answer.get("action") if isinstance(answer, dict) else None
        if action == "rewrite" and isinstance(answer.get("text"), str):
            return {"action": "rewrite", "text": answer["text"]}
        if action in {"skip", "rewrite", "allow"}:
            return {"action": "skip" if action == "skip" else "allow", "text": None}
    return {"action": "allow", "text": None}


def fitting(function, payload):
    """Return the part of a payload that a function of this release takes."""
    return {name: value for name, value in payload.items() if name in inspect.signature(function).parameters}


VALUES = {"transform_terminal_output": "output", "transform_tool_result": "result"}
ACTS = {
    "pre_tool_call": judged,
    "pre_verify": verified,
    "pre_llm_call": recalled,
    "transform_llm_output": replaced,
    "transform_terminal_output": replaced,
    "transform_tool_result": replaced,
    "pre_gateway_dispatch": dispatched,
}


def rewritten(hook, payload):
    """Request middleware."""
    from hermes_cli import middleware

    apply = {
        "tool_request": middleware.apply_tool_request_middleware,
        "llm_request": middleware.apply_llm_request_middleware,
    }
    result = apply[hook](**payload)
    return {"payload": picture(result.payload), "rewrites": len(result.trace)}


def executed(hook, payload):
    """Execution middleware, round an execution that says what it got or fails if it is told to."""
    from hermes_cli import middleware

    run = {
        "tool_execution": middleware.run_tool_execution_middleware,
        "llm_execution": middleware.run_llm_execution_middleware,
    }
    return outcome_of(lambda terminal: run[hook](next_call=terminal, **payload))


MIDDLEWARE_ACTS = {
    "tool_request": rewritten,
    "llm_request": rewritten,
    "tool_execution": executed,
    "llm_execution": executed,
}


if __name__ == "__main__":
    exchange.serve(observe)
