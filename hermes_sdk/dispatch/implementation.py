"""One implementation as the dispatcher calls it: everything about it worked out before the first call."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from hermes_hookspecs.markers import impl_notes
from hermes_sdk.dispatch.signature import Signature, is_async, location, read_hookimpl, read_signature
from hermes_sdk.dispatch.watch import any_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pluggy

    from hermes_sdk.dispatch.policy import PluginPolicy

CALLERS_THREAD = frozenset({"subagent_stop", "pre_gateway_dispatch", "pre_approval_request", "post_approval_response"})
"""Hooks whose synchronous callbacks stay in the caller's thread, deadline or not (semantics 3.4)."""

HISTORY = "conversation_history"
"""The argument that each implementation gets a copy of (semantics 4.6)."""

CALLBACK = "hermes_callback"
"""Attribute by which the function that pluggy sees leads to the callback that a plugin registered."""


@dataclass(frozen=True, slots=True)
class CallbackNotes:
    """What whoever makes callbacks for others (shell entries) tells the dispatcher about one."""

    label: str
    """How outcomes and messages call it, in place of the plugin that carries it."""
    asynchronous: Callable[..., Any] | None = None
    """What asynchronous hosts call instead, so that their loop is never blocked."""
    concerns: Callable[[str], bool] | None = None
    """Whether it concerns a tool of this name; looked at before anything else is done for it."""
    place: str = ""
    """Where it comes from, ``file:line``, in place of the code that makes callbacks."""
    beside: object = None
    """What callbacks share that start at the same time: each of them answers on the arguments of that moment."""


_NO_NOTES = CallbackNotes("")
_NOTES = "hermes_callback_notes"


def note(callback: Callable[..., Any], notes: CallbackNotes) -> None:
    """Attach notes to a callback."""
    setattr(callback, _NOTES, notes)


@dataclass(frozen=True, slots=True)
class Implementation:
    """A callback on one hook, with the settings that apply to it."""

    hook: str
    plugin: str
    source: str
    callback: Callable[..., Any]
    signature: Signature
    asynchronous: bool
    fail_closed: bool
    timeout: float | None
    """Deadline in seconds, or None."""
    rejudge: bool
    suspend_seconds: float
    place: str
    """``file:line`` of the callback."""
    notes: CallbackNotes = _NO_NOTES

    @property
    def call(self) -> Callable[..., Any]:
        """The callback in a form that takes every argument by keyword."""
        first = self.signature.positional_only
        if not first:
            return self.callback
        callback, fillers = self.callback, self.signature.fillers

        def by_keyword(**arguments: Any) -> Any:
            given = arguments.keys() | fillers.keys()
            leading = takewhile(given.__contains__, first)
            values = [arguments.pop(name, fillers.get(name)) for name in leading]
            return callback(*values, **arguments)

        return by_keyword

    @property
    def in_worker(self) -> bool:
        """Whether it runs in a worker thread, so that a deadline can be kept."""
        return self.timeout is not None and not self.asynchronous and self.hook not in CALLERS_THREAD

    def concerned(self, payload: Mapping[str, Any]) -> bool:
        """Whether it concerns the tool of this payload."""
        concerns = self.notes.concerns
        return concerns is None or concerns(payload["tool_name"] or "")

    def arguments(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """Pick from `payload` what the callback takes: a fresh dict each time, since callbacks pop from theirs."""
        signature = self.signature
        if signature.takes_rest:
            picked = dict(payload)
            for name in signature.bound:
                picked.pop(name, None)
        else:
            picked = {name: payload[name] for name in signature.names if name in payload}
        if HISTORY in picked:
            picked[HISTORY] = any_copy(picked[HISTORY])
        return picked


def implementation(hook: str, impl: pluggy.HookImpl, policy: PluginPolicy) -> Implementation:
    """Return what the dispatcher needs to know about a registered `impl` of `hook`."""
    callback = getattr(impl.function, CALLBACK, impl.function)
    notes, own = impl_notes(callback), _notes_of(callback)
    timeout = policy.timeout or notes.timeout or policy.default_timeout
    return Implementation(
        hook=hook,
        plugin=own.label or impl.plugin_name,
        source=policy.source,
        callback=callback,
        signature=(read_hookimpl if callback is impl.function else read_signature)(callback),
        asynchronous=is_async(callback),
        fail_closed=notes.fail_closed or hook in policy.fail_closed,
        timeout=timeout,
        rejudge=policy.rejudge and notes.rejudge,
        suspend_seconds=policy.suspend_seconds,
        place=own.place or location(callback),
        notes=own,
    )


def description(impl: pluggy.HookImpl, policy: PluginPolicy) -> tuple[str, str, str]:
    """Return (plugin, source, ``file:line``) of a registered implementation."""
    callback = getattr(impl.function, CALLBACK, impl.function)
    own = _notes_of(callback)
    return own.label or impl.plugin_name, policy.source, own.place or location(callback)


def _notes_of(callback: Callable[..., Any]) -> CallbackNotes:
    notes = getattr(callback, _NOTES, None)
    return notes if isinstance(notes, CallbackNotes) else _NO_NOTES
