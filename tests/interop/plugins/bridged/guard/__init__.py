"""Judges commands by its settings: blocks, rewrites, and asks."""

from pydantic import BaseModel

from hermes_sdk import Approve, Block, Modify, hookimpl, registrar


class Settings(BaseModel):
    forbidden: str = "rm -rf"
    most_seconds: int = 60


class Guard:
    def __init__(self):
        self.settings = Settings()

    @hookimpl
    def pre_tool_call(self, tool_name, args):
        command = args.get("command", "") if tool_name == "terminal" else ""
        if self.settings.forbidden in command:
            return Block(f"{self.settings.forbidden} is forbidden")
        if "git push" in command:
            return Approve("a push is public", rule_key="push")
        if "curl" in command:
            return Approve("the network is public")
        return Modify({"timeout": self.settings.most_seconds}) if command else None


guard = Guard()
hooks = registrar(guard)


def register(ctx):
    guard.settings = ctx.settings(Settings)
    hooks(ctx)
