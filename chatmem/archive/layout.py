"""From a chat to rows: positions, references, units and content hashes. Pure; the same chat gives the same rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from chatmem.archive import keys
from chatmem.model import Chat, Message

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Numpy's "not a time" as an integer: DuckDB reads it as NULL.
NOT_A_TIME = -(1 << 63)


@dataclass(frozen=True, slots=True)
class Placed:
    """Where one message of a chat stands: its key, and `n` if it can be referred to."""

    message_key: int
    n: int | None


def place(chat: Chat, chat_no: int) -> Iterator[Placed]:
    """Keys of all messages, in order. See archive/keys.py for what lanes and units are."""
    people = is_people(chat)
    n = 0
    unit, offset = -1, 0
    asides = 0
    for message in chat.messages:
        if message.hidden is None and message.branch == "main":
            n += 1
            if people or message.role == "user":
                unit, offset = unit + 1, 0
            else:
                # A reply without a question, or one reply too many for the offset's bits, opens a unit of replies.
                offset += 1
                if unit < 0 or offset > keys.MAX_OFFSET:
                    unit, offset = unit + 1, 1
            lane = keys.PEOPLE if people else keys.EXCHANGE
            yield Placed(keys.key(lane, chat_no, min(unit, keys.MAX_UNIT), offset), n)
        else:
            asides += 1
            lane = keys.ALTERNATE if message.hidden is None else keys.HIDDEN
            yield Placed(keys.key(lane, chat_no, min(asides, keys.MAX_UNIT), 0), None)


def is_people(chat: Chat) -> bool:
    """True for talk between persons: several named authors on the user side."""
    return len({m.author for m in chat.visible() if m.role == "user" and m.author}) > 1


def micros(at: datetime | None) -> int:
    """Microseconds since 1970, UTC, or NOT_A_TIME."""
    if at is None:
        return NOT_A_TIME
    delta = at - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def message_hash(message: Message) -> int:
    """Of everything that the export says about a message.

    Where it stood in the file is no content, and which chat owns it is found out by the archive (copies.py).
    """
    hidden = None if message.hidden == "copy" else message.hidden
    return _hash(
        message.message_id, message.role, message.text, message.parent_id, message.author, message.model,
        micros(message.created_at), message.branch, hidden,
        *((a.name, a.mime, a.size, a.pointer, a.present) for a in message.attachments),
    )  # fmt: skip


def chat_hash(chat: Chat, message_hashes: Iterable[int]) -> int:
    return _hash(
        chat.chat_id, chat.title, chat.title_origin, micros(chat.created_at), micros(chat.updated_at), chat.project_id,
        chat.project_name, chat.user_id, chat.agent_id, chat.model, chat.source_url, chat.resume, chat.kind,
        chat.parent_chat_id, chat.continues, chat.archived, chat.starred, *message_hashes,
    )  # fmt: skip


def _hash(*parts: object) -> int:
    joined = "\x1f".join([p if type(p) is str else str(p) for p in parts])
    return int.from_bytes(hashlib.blake2b(joined.encode("utf-8"), digest_size=8).digest(), "little")
