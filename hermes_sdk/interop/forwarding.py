"""Hands what plugins inside of the bridge registered beside hooks on to hermes-agent, under each plugin's own name."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.dispatch.signature import is_async

if TYPE_CHECKING:
    from hermes_sdk.interop.agent_link import AgentLink
    from hermes_sdk.plugins.registrations import ProviderEntry, Registrations

logger = logging.getLogger(__name__)

_PROVIDER_METHODS: Final = {
    "image_gen": "register_image_gen_provider",
    "video_gen": "register_video_gen_provider",
    "web_search": "register_web_search_provider",
    "browser": "register_browser_provider",
    "tts": "register_tts_provider",
    "transcription": "register_transcription_provider",
    "secret_source": "register_secret_source",
    "dashboard_auth": "register_dashboard_auth_provider",
    "context_engine": "register_context_engine",
    "slack_action": "register_slack_action_handler",
}


class Forwarding:
    """Registers everything once, and keeps what the host would not take.

    Args:
        link: Gives each plugin its context of that host.
    """

    def __init__(self, link: AgentLink) -> None:
        self.refused: list[str] = []
        """What that host did not take, one sentence each."""
        self._link = link

    def forward(self, registrations: Registrations) -> None:
        """Hand over tools, commands, skills, platforms, providers and side jobs of every loaded plugin."""
        for tool in registrations.tools.values():
            self._register(
                tool.plugin,
                "register_tool",
                name=tool.name,
                toolset=tool.toolset,
                schema=tool.schema,
                handler=tool.handler,
                check_fn=tool.check_fn,
                requires_env=list(tool.requires_env),
                is_async=tool.is_async or is_async(tool.handler),
                description=tool.description,
                emoji=tool.emoji,
                **({"override": True} if tool.override else {}),
            )
        for command in registrations.commands.values():
            self._register(
                command.plugin,
                "register_command",
                name=command.name,
                handler=command.handler,
                description=command.description,
                args_hint=command.args_hint,
            )
        for cli in registrations.cli_commands.values():
            self._register(
                cli.plugin,
                "register_cli_command",
                name=cli.name,
                help=cli.help,
                setup_fn=cli.setup_fn,
                handler_fn=cli.handler_fn,
                description=cli.description,
            )
        for skill in registrations.skills.values():
            self._register(
                skill.plugin, "register_skill", name=skill.bare_name, path=skill.path, description=skill.description
            )
        self._forward_services(registrations)

    def _forward_services(self, registrations: Registrations) -> None:
        for platform in registrations.platforms.values():
            self._register(
                platform.plugin,
                "register_platform",
                name=platform.name,
                label=platform.label,
                adapter_factory=platform.adapter_factory,
                check_fn=platform.check_fn,
                validate_config=platform.validate_config,
                required_env=list(platform.required_env),
                install_hint=platform.install_hint,
                **platform.options,
            )
        for provider in registrations.providers.values():
            self._register(provider.plugin, _PROVIDER_METHODS[provider.kind], *_arguments(provider))
        for task in registrations.auxiliary_tasks.values():
            self._register(
                task.plugin,
                "register_auxiliary_task",
                task.name,
                display_name=task.display_name,
                description=task.description,
                defaults=task.defaults,
            )

    def _register(self, plugin: str, method: str, *arguments: Any, **named: Any) -> None:
        """Call a method of the plugin's context there (arguments of any type); what fails leaves the rest alone."""
        what = f"{method} of plugin {plugin!r}"
        register = getattr(self._link.context_of(plugin), method, None)
        if register is None:
            self.refused.append(f"{what}: this release of hermes-agent has no such method")
            return
        try:
            register(*arguments, **named)
        except Exception as error:
            self.refused.append(f"{what}: {type(error).__name__}: {error}")


def _arguments(provider: ProviderEntry) -> tuple[Any, ...]:
    return provider.provider if provider.kind == "slack_action" else (provider.provider,)
