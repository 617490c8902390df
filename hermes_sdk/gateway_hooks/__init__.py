"""Gateway hooks: directories with a HOOK.yaml and a handler.py in ``<home>/hooks``, fired by a messaging gateway.

Nothing here knows plugins or the gateway: a `HookRegistry` loads the handlers of one home and hands them events.
"""

from hermes_sdk.gateway_hooks.events import EVENTS, LONGEST_TEXT, ContextKey, GatewayEvent
from hermes_sdk.gateway_hooks.lane import Answer
from hermes_sdk.gateway_hooks.registry import HookRegistry, HookStatus

__all__ = ["EVENTS", "LONGEST_TEXT", "Answer", "ContextKey", "GatewayEvent", "HookRegistry", "HookStatus"]
