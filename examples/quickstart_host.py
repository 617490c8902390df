"""The README's ten-line host: loads plugins, asks them before a tool runs, and acts on their verdict."""

import quickstart_plugin

from hermes_sdk import PluginManager

manager = PluginManager()
manager.discover_and_load()
manager.register(quickstart_plugin)

decision = manager.hook.pre_tool_call(tool_name="terminal", args={"command": "ssh production uptime"})
print(f"{decision.action}: {decision.message}")
for step in decision.steps:
    print(f"{step.plugin} said {step.what}")
manager.shutdown()
