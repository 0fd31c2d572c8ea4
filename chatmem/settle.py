"""After an import: hide in every chat what another chat owns, and tell the chat by what is its own.

Which chat owns a message is decided in the archive; here the chats that hold copies get the title and the time of
their own part, as they would have if their readers had known.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from chatmem.archive import copies
from chatmem.archive.copies import Ownership
from chatmem.archive.read import whole_chats
from chatmem.archive.write import Writer
from chatmem.model import Chat, Message
from chatmem.readers import clean

CHUNK = 100


def settle(writer: Writer) -> None:
    """Rewrite the chats whose copies are not yet hidden or shown rightly, if anything was written since they were."""
    if not writer.unsettled:
        return
    with writer.reading() as connection:
        wrong = copies.misplaced(connection)
    numbers = list(wrong)
    for start in range(0, len(numbers), CHUNK):
        with writer.reading() as connection:
            held = list(whole_chats(connection, numbers[start : start + CHUNK]))
        for chat, _, row in held:
            writer.rewrite(settled(chat, wrong[row.chat_no]), row.content_hash)
    writer.settle()


def settled(chat: Chat, owned: dict[str, Ownership]) -> Chat:
    """The chat with copies hidden, and no other message. `owned` by message id."""
    messages = tuple(_placed(m, owned.get(m.message_id)) for m in chat.messages)
    return _titled(_timed(replace(chat, messages=messages, continues=_continued(chat, messages)), chat))


def _continued(before: Chat, messages: tuple[Message, ...]) -> str | None:
    """The last home, unless the export itself says what the chat continues, or nothing new is known."""
    old, new = ([m.home for m in found if m.hidden in (None, "copy")] for found in (before.messages, messages))
    if new == old or before.continues not in (None, *old):
        return before.continues
    return next((home for home in reversed(new) if home), None)


def _placed(message: Message, owned: Ownership | None) -> Message:
    if owned is None or message.hidden not in (None, "copy"):
        return message
    return replace(message, hidden="copy" if owned.copy else None, home=owned.home)


def _timed(chat: Chat, before: Chat) -> Chat:
    """Times that were those of the messages become those of its own messages; other times come from the export."""
    own = _times(chat, (None,)) or [m.created_at for m in chat.messages if m.created_at]
    derived = [times for hidden in ((None,), (None, "copy")) if (times := _times(before, hidden))]
    begun, ended = [min(times) for times in derived], [max(times) for times in derived]
    return replace(
        chat,
        created_at=min(own) if chat.created_at in begun else chat.created_at,
        updated_at=max(own) if chat.updated_at in ended else chat.updated_at,
    )


def _times(chat: Chat, hidden: tuple[str | None, ...]) -> list[datetime]:
    return [m.created_at for m in chat.messages if m.hidden in hidden and m.created_at]


def _titled(chat: Chat) -> Chat:
    if chat.title_origin == "export":
        return chat
    prompts = [m for m in chat.messages if m.role == "user" and m.branch == "main" and m.hidden in (None, "copy")]
    own = clean.derived_title(m.text for m in prompts if m.home is None)
    return replace(chat, title=own or clean.derived_title(m.text for m in prompts) or chat.title)
