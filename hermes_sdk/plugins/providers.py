"""The registrars of `ctx` for services that stand behind a host: providers, platforms, side jobs for models.

They keep what they are given, so that a plugin written for hermes-agent loads; which of it a host uses is the host's
affair. Upstream checks each provider against a base class of its own; here only the host could.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from hermes_sdk.plugins.registrations import AuxiliaryTaskEntry, PlatformEntry, ProviderEntry

if TYPE_CHECKING:
    from collections.abc import Callable

    from hermes_sdk.plugins.manifest import Manifest
    from hermes_sdk.plugins.registrations import Registrations

logger = logging.getLogger(__name__)

RESERVED_TASKS: Final = frozenset(
    {
        "approval", "compression", "curator", "kanban_decomposer", "mcp", "memory_query_rewrite",
        "profile_describer", "skills_hub", "title_generation", "triage_specifier", "tts_audio_tags",
        "vision", "web_extract",
    }
)  # fmt: skip
"""Side jobs of hermes-agent itself, whose configuration a plugin must not take over."""

_ROUTING: Final = {"provider": "auto", "model": "", "base_url": "", "api_key": "", "timeout": 60}


class ProviderRegistrars:
    """The part of `PluginContext` that hands objects to services of the host."""

    manifest: Manifest
    _registrations: Registrations

    def register_context_engine(self, engine: Any) -> None:
        """Offer what compresses long conversations; the first plugin to do so is heard (engine: host's type)."""
        self._provide("context_engine", engine, name="")

    def register_image_gen_provider(self, provider: Any) -> None:
        """Offer a service that makes images (provider: the host's type)."""
        self._provide("image_gen", provider)

    def register_dashboard_auth_provider(self, provider: Any) -> None:
        """Offer a way to sign in to the dashboard (provider: the host's type)."""
        self._provide("dashboard_auth", provider)

    def register_video_gen_provider(self, provider: Any) -> None:
        """Offer a service that makes videos (provider: the host's type)."""
        self._provide("video_gen", provider)

    def register_web_search_provider(self, provider: Any) -> None:
        """Offer a service for web searches (provider: the host's type)."""
        self._provide("web_search", provider)

    def register_browser_provider(self, provider: Any) -> None:
        """Offer a cloud browser (provider: the host's type)."""
        self._provide("browser", provider)

    def register_secret_source(self, source: Any) -> None:
        """Offer a store of secrets (source: the host's type)."""
        self._provide("secret_source", source)

    def register_tts_provider(self, provider: Any) -> None:
        """Offer a service that speaks (provider: the host's type)."""
        self._provide("tts", provider)

    def register_transcription_provider(self, provider: Any) -> None:
        """Offer a service that writes down speech (provider: the host's type)."""
        self._provide("transcription", provider)

    def register_slack_action_handler(self, action_id: Any, callback: Callable[..., Any]) -> None:
        """Have a callback called when somebody uses an element of a Slack message.

        Args:
            action_id: A text, a compiled pattern or a mapping, as slack_bolt takes it.
            callback: Called with ``ack``, ``body`` and ``action``.

        Raises:
            ValueError: `callback` is not callable, or `action_id` is empty.
        """
        if not callable(callback):
            raise ValueError(f"plugin {self.manifest.name!r}: the Slack action handler is not callable")  # noqa: TRY004 - as upstream
        if action_id is None or (isinstance(action_id, str) and not action_id.strip()):
            raise ValueError(f"plugin {self.manifest.name!r}: the Slack action handler has an empty action_id")
        self._provide("slack_action", (action_id, callback), name=str(action_id))

    def register_platform(
        self,
        name: str,
        label: str,
        adapter_factory: Callable[..., Any],
        check_fn: Callable[..., Any],
        validate_config: Callable[..., Any] | None = None,
        required_env: list[str] | None = None,
        install_hint: str = "",
        **entry_kwargs: Any,
    ) -> None:
        """Offer a messaging platform to the gateway.

        Args:
            name: Name in configuration.
            label: Name for people.
            adapter_factory: Makes an adapter of the platform's configuration.
            check_fn: Whether what it depends on is installed.
            validate_config: Whether its configuration is complete.
            required_env: Environment variables that it needs.
            install_hint: What to say where `check_fn` says no.
            entry_kwargs: Further options that only a gateway knows, of any type.
        """
        self._registrations.platform_table.add(
            PlatformEntry(
                name,
                label,
                adapter_factory,
                check_fn,
                validate_config,
                tuple(required_env or ()),
                install_hint,
                entry_kwargs,
                self.manifest.key,
            )
        )

    def register_auxiliary_task(
        self, key: str, *, display_name: str, description: str, defaults: dict[str, Any] | None = None
    ) -> None:
        """Declare a side job for a language model, which users configure under ``auxiliary.<key>``.

        Args:
            key: Letters, digits and ``_``.
            display_name: Name for people.
            description: One line for people.
            defaults: Defaults of its configuration; routing fields that are left out are filled in.

        Raises:
            ValueError: The key is malformed, reserved, or another plugin's.
        """
        plugin = self.manifest.key
        if not isinstance(key, str) or not key or not all(letter.isalnum() or letter == "_" for letter in key):
            raise ValueError(f"plugin {plugin!r}: an auxiliary task's key has letters, digits and '_', not {key!r}")
        if key in RESERVED_TASKS:
            raise ValueError(f"plugin {plugin!r}: {key!r} is a task of the host; call it '{plugin}_{key}'")
        known = self._registrations.task_table.latest(key)
        if known is not None and known.plugin != plugin:
            raise ValueError(f"plugin {plugin!r}: plugin {known.plugin!r} has the auxiliary task {key!r} already")
        merged = {**_ROUTING, "extra_body": {}} | (defaults or {})
        self._registrations.task_table.add(AuxiliaryTaskEntry(key, display_name, description, merged, plugin))

    def _provide(self, kind: str, provider: Any, name: str | None = None) -> None:
        own_name = getattr(provider, "name", None) if name is None else name
        if own_name is None:
            own_name = type(provider).__name__
        full = f"{kind}:{own_name}" if own_name else kind
        plugin = self.manifest.key
        known = self._registrations.provider_table.latest(full)
        if known is not None and known.plugin != plugin:
            logger.warning("plugin %r: %s is ignored, plugin %r registered it already", plugin, full, known.plugin)
            return
        self._registrations.provider_table.add(ProviderEntry(full, kind, provider, plugin))
