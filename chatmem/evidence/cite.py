"""What stands around an excerpt, so that it can be cited and checked: references, and the heading of a result. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from chatmem.archive.read import ChatRow, MessageRow


def reference(chat: ChatRow, message: MessageRow) -> str:
    """`chat_id#N`, or the chat id alone for a hidden or alternate message, which has no number."""
    return f"{chat.chat_id}#{message.n}" if message.n else chat.chat_id


def heading(chat: ChatRow, quoted: Sequence[MessageRow]) -> str:
    """What is told of a chat and of the messages quoted from it: its tokens are part of a result's.

    Every form of output prints this or less around its excerpts, but for the names of JSON's fields and what JSON says
    twice.
    """
    project = chat.project_name or chat.project_id or ""
    link = chat.source_url or chat.resume or ""
    facts = [chat.title or "", chat.chat_id, _time(chat.updated_at), chat.source, project, chat.user_id, link]
    lines = [f"{m.author or m.role} ({m.hidden or m.branch}) #{m.n}: " for m in quoted]
    return "\n".join(["\t".join(facts), *lines])


def _time(at: object) -> str:
    return str(at) if at else ""
