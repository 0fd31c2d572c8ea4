"""A chat as a Markdown document that people read. Chat text stands in it as it is; JSON lines are what restores it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatmem.render.as_json import time
from chatmem.render.terminal import one_line, scrub

if TYPE_CHECKING:
    from chatmem.archive.read import ChatRow, MessageRow
    from chatmem.model import Chat


def chat(chat: Chat, stored: list[MessageRow], row: ChatRow) -> str:
    """Title, facts, then every message under a heading; hidden parts and other branches say what they are."""
    lines = [f"# {one_line(chat.title or chat.chat_id)}", ""]
    facts = {
        "chat": chat.chat_id, "project": chat.project_name or chat.project_id, "user": chat.user_id,
        "agent": chat.agent_id, "model": chat.model, "created": time(chat.created_at), "updated": time(chat.updated_at),
        "link": chat.source_url or chat.resume,
    }  # fmt: skip
    lines += [f"- {name}: {one_line(value)}" for name, value in facts.items() if value]
    for message in stored:
        kind = message.hidden or (message.branch if message.branch != "main" else "")
        label = one_line(message.author or message.role) + (f" ({kind})" if kind else "")
        place = f" #{message.n}" if message.n else ""
        when = f" · {time(message.created_at)}" if message.created_at else ""
        lines += ["", f"## {label}{place}{when}", "", scrub(message.text)]
        lines += [f"- attachment: {one_line(a.name)}" for a in message.attachments]
    return "\n".join(lines) + "\n"
