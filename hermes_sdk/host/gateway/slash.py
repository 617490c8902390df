"""Slash commands of a chat: the gateway's own and plugins', each first shown to the gateway hooks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.host.commands import command_rows, parse_command
from hermes_sdk.host.gateway.chat import STOPPED

if TYPE_CHECKING:
    from hermes_sdk.host.gateway.access import Access
    from hermes_sdk.host.gateway.chat import Chat
    from hermes_sdk.host.gateway.messages import MessageEvent
    from hermes_sdk.host.gateway.parts import GatewayParts

logger = logging.getLogger(__name__)

OWN_COMMANDS: Final = {
    "new": "end this conversation and begin a new one",
    "reset": "the same as /new",
    "clear": "the same as /new",
    "stop": "end what the agent is doing",
    "approve": "allow what the agent asks for: once, for the `session`, or `always`",
    "deny": "refuse what the agent asks for",
    "help": "list the commands",
}

_SCOPES: Final = {"": "once", "once": "once", "session": "session", "always": "always"}


class SlashCommands:
    """Recognises and runs the slash commands of every chat.

    Args:
        parts: What all chats share.
        access: Who may use which command.
    """

    def __init__(self, parts: GatewayParts, access: Access) -> None:
        self._parts = parts
        self._access = access

    def recognised(self, text: str) -> tuple[str, str] | None:
        """Return name and arguments of a command that somebody has; None for anything else, which the agent gets."""
        parsed = parse_command(text)
        if parsed is None:
            return None
        known = parsed[0] in OWN_COMMANDS or parsed[0] in self._parts.manager.registrations.commands
        return parsed if known else None

    async def run(self, chat: Chat, event: MessageEvent, name: str, arguments: str) -> None:
        """Let hooks judge a command, then run it; what stands in the way is said in the chat."""
        if not await self._may(chat, event, name):
            return
        verdict = await self._judged(event, name, arguments)
        match verdict.get("decision"):
            case "deny":
                await chat.outbox.say(_message(verdict) or f"/{name} was blocked by a hook.", event)
                return
            case "handled":
                if message := _message(verdict):
                    await chat.outbox.say(message, event)
                return
            case "rewrite":
                event.text = _rewritten(verdict)
                found = self.recognised(event.text)
                if found is None:
                    chat.take(event)
                    return
                name, arguments = found
                if not await self._may(chat, event, name):  # a hook must not open what the settings close
                    return
        await self._run(chat, event, name, arguments)

    async def _may(self, chat: Chat, event: MessageEvent, name: str) -> bool:
        if self._access.may_command(event.source, name):
            return True
        await chat.outbox.say(f"You may not use /{name} here.", event)
        return False

    async def _judged(self, event: MessageEvent, name: str, arguments: str) -> dict[str, Any]:
        """Return the first answer of a gateway hook that does something, in hermes-agent's form; {} without one."""
        source = event.source
        context = {"platform": str(source.platform), "user_id": source.user_id, "command": name, "args": arguments}
        for answer in await self._parts.hooks.emit_collect(f"command:{name}", context):
            if not isinstance(answer, dict):
                continue
            decision = str(answer.get("decision") or answer.get("action") or "").strip().lower()
            if decision in {"deny", "handled"} or (decision == "rewrite" and _rewritten(answer)):
                return answer | {"decision": decision}
            if decision not in {"", "allow"}:
                logger.warning("a gateway hook answered %r to /%s, which means nothing", decision[:40], name)
        return {}

    async def _run(self, chat: Chat, event: MessageEvent, name: str, arguments: str) -> None:
        match name:
            case "new" | "reset" | "clear":
                chat.reset(name, event)
            case "stop":
                stopped = chat.interrupt(STOPPED)
                await chat.outbox.say("Stopped." if stopped else "Nothing is running.", event)
            case "approve" | "deny":
                await self._answer(chat, event, name, arguments)
            case "help":
                rows = command_rows(self._parts.manager.registrations.commands, OWN_COMMANDS)
                # no columns: letters have different widths in a chat
                await chat.outbox.say("\n".join(f"{written}: {what}" for written, what in rows), event)
            case _:
                chat.run_command(self._parts.manager.registrations.commands[name], arguments, event)

    @staticmethod
    async def _answer(chat: Chat, event: MessageEvent, name: str, arguments: str) -> None:
        offered = chat.approval_choices
        choice = "deny" if name == "deny" else _SCOPES.get(arguments.strip().lower(), arguments.strip())
        if not offered:
            await chat.outbox.say("Nothing waits for an approval.", event)
        elif choice not in offered:
            # a slip must not decide: it stays open
            ways = ", ".join(f"/approve {each}" for each in offered if each in {"session", "always"})
            await chat.outbox.say(
                f"That is not offered here. Answer with /approve{', ' + ways if ways else ''} or /deny.", event
            )
        elif not chat.answer_approval(choice, by=event.source.user_id):
            await chat.outbox.say("Nothing waits for an approval any more.", event)


def _message(answer: dict[str, Any]) -> str:
    message = answer.get("message") or answer.get("reason")
    return message if isinstance(message, str) else ""


def _rewritten(answer: dict[str, Any]) -> str:
    """Return the text that takes the command's place: ``text``, or hermes-agent's ``command_name`` and ``raw_args``."""
    text = answer.get("text")
    if isinstance(text, str) and text.strip():
        return text.strip()
    name = str(answer.get("command_name") or "").strip().lstrip("/")
    return f"/{name} {str(answer.get('raw_args') or '').strip()}".strip() if name else ""
