"""`SessionStore`: which conversation a chat is in, and what was said there; it survives the process."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hermes_sdk.host.gateway.messages import MessageEvent, Source
from hermes_sdk.host.session import new_session_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from sqlite3 import Connection

    from hermes_sdk.host.conversation import Message
    from hermes_sdk.host.gateway.database import Database


_NO_NUMBER: Final = 2**62
"""Above the number of any message."""


def session_key(source: Source, *, per_user: bool = False) -> str:
    """Return the name of the chat that a message belongs to: ``telegram:group:42``, and its thread and user.

    Args:
        source: Where the message came from.
        per_user: Whether each user of a group has a conversation of their own.
    """
    parts = [source.platform, source.chat_type, source.chat_id]
    if source.thread_id is not None:
        parts.append(source.thread_id)
    if per_user and source.chat_type != "dm":
        parts.append(f"@{source.user_id}")
    # a colon inside of an id would let two chats have one name; a lone surrogate is no text for a database
    safe = (part.replace("%", "%25").replace(":", "%3A") for part in parts)
    return ":".join(safe).encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True, slots=True)
class StoredSession:
    """The conversation that a chat is in."""

    session_key: str
    session_id: str
    source: Source
    """Where its last message came from."""
    system_prompt: str | None
    """What its turns begin with; None before the first one."""
    turns: int
    active_at: float
    """When something was last said, as seconds since 1970."""

    @property
    def started(self) -> bool:
        """Whether a turn ran."""
        return self.turns > 0


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that was accepted, and whose turn is not over."""

    number: int
    event: MessageEvent
    begun: bool
    """Whether its turn had begun, so that the message is in the transcript."""


@dataclass(frozen=True, slots=True)
class Owed:
    """An answer that is in the transcript, and that nobody may have been sent."""

    number: int
    source: Source
    text: str
    reply_to: str | None
    """Id of the message that it answers."""


class TurnEnd(NamedTuple):
    """What a turn left in the store."""

    last: int
    """Number of the last message of the transcript."""
    others: bool
    """Whether somebody else added messages meanwhile."""
    owed: Owed | None
    """The answer, until `sent` is called for it."""


class SessionStore:
    """The conversations of every chat. For any thread.

    Args:
        database: Where they are kept.
        key_of: Names the chat of a message; `session_key` by default.
        clock: Returns seconds since 1970.
    """

    def __init__(
        self,
        database: Database,
        key_of: Callable[[Source], str] = session_key,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self.key_of = key_of
        self._clock = clock

    # -- sessions --------------------------------------------------------------------------------------

    def get_or_create_session(self, source: Source) -> StoredSession:
        """Return the conversation that a message of `source` belongs to; a new one where there is none."""
        key = self.key_of(source)
        with self._database.writing() as connection:
            found = _session(connection, key)
            if found is None:
                self._begin(connection, key, source)
                found = _session(connection, key)
            assert found is not None  # noqa: S101 - it was written just now, in this transaction
        return found

    def find(self, key: str) -> StoredSession | None:
        """Return the conversation that a chat is in, or None for a chat that nobody wrote in."""
        with self._database.reading() as connection:
            return _session(connection, key)

    def reset(self, key: str, reason: str, new_id: str) -> None:
        """Let a chat begin a new conversation; the old transcript is kept.

        Args:
            key: The chat.
            reason: Why: ``new``, ``reset``, ``clear`` or ``idle``.
            new_id: Id of the new session.
        """
        with self._database.writing() as connection:
            old = _session(connection, key)
            if old is None:
                return
            connection.execute(
                "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE session_id = ?",
                (self._clock(), reason, old.session_id),
            )
            self._begin(connection, key, old.source, new_id)

    def idle_since(self, moment: float) -> list[StoredSession]:
        """Return the begun conversations in which nothing was said since `moment` (seconds since 1970)."""
        with self._database.reading() as connection:
            rows = connection.execute(f"{_SELECT} WHERE active_at <= ? AND turns > 0", (moment,)).fetchall()
        return [_stored(row) for row in rows]

    def count(self) -> int:
        """Return how many chats there are."""
        with self._database.reading() as connection:
            (found,) = connection.execute("SELECT count(*) FROM chats").fetchone()
        return int(found)

    def _begin(self, connection: Connection, key: str, source: Source, session_id: str = "") -> None:
        session_id, now = session_id or new_session_id(), self._clock()
        connection.execute(
            "INSERT INTO sessions (session_id, session_key, user_id, created_at) VALUES (?, ?, ?, ?)",
            (session_id, key, source.user_id, now),
        )
        connection.execute(
            "INSERT OR REPLACE INTO chats (session_key, session_id, source, active_at) VALUES (?, ?, ?, ?)",
            (key, session_id, _as_json(asdict(source)), now),
        )

    # -- transcripts -----------------------------------------------------------------------------------

    def append_to_transcript(self, session_id: str, message: dict[str, Any], skip_db: bool = False) -> None:
        """Add a message to a session without running the agent; its next turn knows it.

        Args:
            session_id: The session, as `get_or_create_session` and hooks name it.
            message: In OpenAI's format, ``{"role": "user", "content": ...}``.
            skip_db: Upstream's switch for messages that are stored already: does nothing then.

        Raises:
            ValueError: It is no message.
        """
        if skip_db:
            return
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise ValueError("a message is a dict with a role, as in {'role': 'user', 'content': 'text'}")  # noqa: TRY004
        with self._database.writing() as connection:
            self._write(connection, session_id, message)

    def _write(self, connection: Connection, session_id: str, message: Message) -> int:
        """Write one message and return its number."""
        cursor = connection.execute(
            "INSERT INTO messages (session_id, message, written_at) VALUES (?, ?, ?)",
            (session_id, _as_json(message), self._clock()),
        )
        return int(cursor.lastrowid or 0)

    def transcript(self, session_id: str, after: int = 0, before: int | None = None) -> list[Message]:
        """Return what was said in a session.

        Args:
            session_id: The session.
            after: Leave out everything up to the message of this number.
            before: Leave out everything from the message of this number on.
        """
        query = "SELECT message FROM messages WHERE session_id = ? AND number > ? AND number < ? ORDER BY number"
        with self._database.reading() as connection:
            rows = connection.execute(query, (session_id, after, before or _NO_NUMBER)).fetchall()
        return [json.loads(message) for (message,) in rows]

    # -- turns -----------------------------------------------------------------------------------------

    def accept(self, key: str, event: MessageEvent) -> int:
        """Keep a message until its turn is over, and return its number."""
        with self._database.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO inbox (session_key, text, source, message_id, internal, received_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    key,
                    _as_json(event.text),
                    _as_json(asdict(event.source)),
                    _as_json(event.message_id),
                    event.internal,
                    self._clock(),
                ),
            )
            return int(cursor.lastrowid or 0)

    def begin_turn(self, number: int, session_id: str, source: Source, message: Message) -> int:
        """Write a user's message to the transcript before its turn begins, and return its number there.

        Args:
            number: What `accept` returned.
            session_id: The session.
            source: Where the message came from.
            message: The message.
        """
        with self._database.writing() as connection:
            connection.execute("UPDATE inbox SET begun = 1 WHERE number = ?", (number,))
            connection.execute("UPDATE sessions SET turns = turns + 1 WHERE session_id = ?", (session_id,))
            connection.execute(
                "UPDATE chats SET active_at = ?, source = ? WHERE session_id = ?",
                (self._clock(), _as_json(asdict(source)), session_id),
            )
            return self._write(connection, session_id, message)

    def end_turn(
        self,
        number: int | None,
        session_id: str,
        after: int,
        messages: Iterable[Message],
        answer: tuple[str, MessageEvent] | None = None,
    ) -> TurnEnd:
        """Write what a turn added to the conversation, and in the same step that its answer has to be sent.

        Args:
            number: The accepted message that is settled by it; None to keep it as one whose turn was cut off.
            session_id: The session.
            after: What `begin_turn` returned.
            messages: Everything behind the user's message.
            answer: What is to be sent, and the message that it answers.
        """
        with self._database.writing() as connection:
            query = "SELECT max(number) FROM messages WHERE session_id = ?"
            (last,) = connection.execute(query, (session_id,)).fetchone()
            others = last is not None and last != after
            for message in messages:
                last = self._write(connection, session_id, message)
            connection.execute("UPDATE chats SET active_at = ? WHERE session_id = ?", (self._clock(), session_id))
            if number is not None:
                connection.execute("DELETE FROM inbox WHERE number = ?", (number,))
            owed = None if answer is None else self._owe(connection, *answer)
        return TurnEnd(last or after, others, owed)

    # -- answers on their way --------------------------------------------------------------------------

    def _owe(self, connection: Connection, text: str, event: MessageEvent) -> Owed:
        reply_to = None if event.internal else event.message_id
        cursor = connection.execute(
            "INSERT INTO outbox (source, text, reply_to, written_at) VALUES (?, ?, ?, ?)",
            (_as_json(asdict(event.source)), _as_json(text), _as_json(reply_to), self._clock()),
        )
        return Owed(int(cursor.lastrowid or 0), event.source, text, reply_to)

    def sent(self, owed: Owed) -> None:
        """Forget an answer that was sent, or that its platform would not take."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM outbox WHERE number = ?", (owed.number,))

    def owed(self, keep: float) -> list[Owed]:
        """Return the answers that an earlier process may not have sent, in order.

        Args:
            keep: Seconds after which nobody wants an answer any more: older ones are forgotten.
        """
        with self._database.writing() as connection:
            connection.execute("DELETE FROM outbox WHERE written_at < ?", (self._clock() - keep,))
            rows = connection.execute("SELECT number, source, text, reply_to FROM outbox ORDER BY number").fetchall()
        return [
            Owed(number, _source(source), json.loads(text), json.loads(reply_to))
            for number, source, text, reply_to in rows
        ]

    # -- messages on their way -------------------------------------------------------------------------

    def keep_system_prompt(self, session_id: str, system_prompt: str) -> None:
        """Remember what the turns of a session begin with: models cache it, so it must not change."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE sessions SET system_prompt = ? WHERE session_id = ?", (system_prompt, session_id)
            )

    def settle(self, number: int) -> None:
        """Forget an accepted message: its turn is over, or nobody wants it any more."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM inbox WHERE number = ?", (number,))

    def waiting(self) -> list[Waiting]:
        """Return the accepted messages whose turn is not over, in the order in which they came."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT number, text, source, message_id, internal, begun FROM inbox ORDER BY number"
            ).fetchall()
        return [
            Waiting(
                number, MessageEvent(json.loads(text), _source(source), json.loads(name), bool(internal)), bool(begun)
            )
            for number, text, source, name, internal, begun in rows
        ]


_SELECT = (
    "SELECT session_key, session_id, source, system_prompt, turns, active_at FROM chats JOIN sessions"
    " USING (session_id, session_key)"
)


def _session(connection: Connection, key: str) -> StoredSession | None:
    row = connection.execute(f"{_SELECT} WHERE session_key = ?", (key,)).fetchone()
    return None if row is None else _stored(row)


def _stored(row: tuple[Any, ...]) -> StoredSession:
    key, session_id, source, system_prompt, turns, active_at = row
    return StoredSession(key, session_id, _source(source), system_prompt, turns, active_at)


def _source(text: str) -> Source:
    return Source(**json.loads(text))


def _as_json(value: object) -> str:
    # lone surrogates, which a platform may send, are no UTF-8 and so no SQLite text: kept as escapes
    return json.dumps(value, default=str)
