"""What gateway hooks ask about the model of the gateway that runs in this process.

The names begin with an underscore in hermes-agent, too; its tutorial for startup checklists uses them.
"""

from __future__ import annotations

from typing import Any

from hermes_sdk.interop.process_gateway import process_gateway

__all__ = ["_resolve_gateway_model", "_resolve_runtime_agent_kwargs"]


def _resolve_gateway_model() -> str:
    """Return the name of the gateway's model.

    Raises:
        PluginError: No gateway runs in this process.
    """
    return process_gateway().model_name()


def _resolve_runtime_agent_kwargs() -> dict[str, Any]:
    """Return what an agent needs to reach the model: nothing, the gateway keeps its credentials and uses them itself.

    Raises:
        PluginError: No gateway runs in this process.
    """
    process_gateway()
    return {}
