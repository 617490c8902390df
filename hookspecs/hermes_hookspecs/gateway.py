"""The hook of incoming gateway messages, and the shape of the objects that it is given."""

from __future__ import annotations

from enum import StrEnum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

from hermes_hookspecs.directives import Allow, Rewrite, Skip  # noqa: TC001 (get_type_hints finds them)
from hermes_hookspecs.markers import TELEMETRY_SCHEMA_VERSION, hookspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class MessageSource(Protocol):
    """Where a message came from."""

    @property
    def platform(self) -> Any:
        """The platform, an enum member of the host: ``platform.value`` is its name, ``"telegram"``."""
        ...

    @property
    def chat_id(self) -> str:
        """The chat on that platform."""
        ...

    @property
    def chat_type(self) -> str:
        """``"dm"``, ``"group"``, ``"channel"`` or ``"thread"``."""
        ...

    @property
    def user_id(self) -> str | None:
        """Who wrote it, when the platform says."""
        ...


class MessageEvent(Protocol):
    """One incoming message, in the form that every platform adapter produces."""

    text: str

    @property
    def source(self) -> MessageSource:
        """Where it came from."""
        ...

    @property
    def message_id(self) -> str | None:
        """The platform's id of the message."""
        ...

    @property
    def internal(self) -> bool:
        """Whether the host made it itself; such events never reach pre_gateway_dispatch."""
        ...


class GatewayRunner(Protocol):
    """The running gateway."""

    @property
    def adapters(self) -> Mapping[Any, Any]:
        """Platform adapters by platform; ``adapters[platform].send(...)`` replies beside the agent."""
        ...


class SessionStore(Protocol):
    """The gateway's sessions."""

    def append_to_transcript(self, session_id: str, message: dict[str, Any]) -> None:
        """Add a message in the OpenAI format to a session without running the agent."""
        ...


class _SamplePlatform(StrEnum):
    TELEGRAM = "telegram"


_SAMPLE_SOURCE = SimpleNamespace(
    platform=_SamplePlatform.TELEGRAM,
    chat_id="chat_314",
    chat_type="group",
    chat_name="Deployments",
    user_id="user_271",
    user_name="Ada",
    thread_id=None,
)


@hookspec(
    kind="decision",
    firstresult=True,
    sample={
        "event": SimpleNamespace(
            text="@hermes is the build green?", source=_SAMPLE_SOURCE, message_id="msg_1618", internal=False
        ),
        "gateway": SimpleNamespace(adapters={}),
        "session_store": SimpleNamespace(append_to_transcript=lambda *_args, **_kwargs: None),
    },
)
def pre_gateway_dispatch(
    event: MessageEvent,
    gateway: GatewayRunner,
    session_store: SessionStore,
    telemetry_schema_version: str = TELEMETRY_SCHEMA_VERSION,
) -> Skip | Rewrite | Allow | dict[str, Any] | None:
    """Decide whether an incoming message reaches the agent, and with what text.

    Runs:
        Once per incoming message, after the check for internal events, before authorisation, pairing and the
        agent. Internal events, such as the end of a background process, never come here.

    Returns:
        - ``Skip(reason)`` or ``{"action": "skip", "reason"?: str}``: the message is dropped, without a reply,
          pairing or authorisation.
        - ``Rewrite(text)`` or ``{"action": "rewrite", "text": str}``: the text is replaced, and dispatch goes
          on.
        - ``Allow()`` or ``{"action": "allow"}``: dispatch goes on with the message as it is.
        - None is no opinion.

    Folds:
        All implementations run on the event as it came; the first recognised answer in calling order is
        applied and later different ones are logged. A rewrite without text is no opinion, with a warning.

    Fails:
        An exception is no opinion: the message is dispatched normally. A deadline applies to asynchronous
        implementations only.

    Args:
        event: The message: `text`, `source`, `message_id`, `internal`.
        gateway: The running gateway; ``gateway.adapters[platform].send(...)`` replies beside the agent.
        session_store: The gateway's sessions; ``session_store.append_to_transcript(...)`` adds silently to
            one.
        telemetry_schema_version: Version of the payload's form.

    Source:
        Seed H10.1 to H10.9.

    Since:
        1.0

    Example:
        from hermes_hookspecs import Skip, hookimpl


        @hookimpl
        def pre_gateway_dispatch(event):
            if event.source.chat_type == "group" and "@hermes" not in event.text:
                return Skip("not addressed")
            return None
    """
