"""Chats for the contracts, written as chatmem's own export so that every field can be set."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# What a stranger may write into any text: terminal codes of both kinds, a link, a title, markup, reordering, erasing.
HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]0;owned\x07 \x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\ \x9b2J\x9d52;c;AA\x9c "
    "[/oops] [link=http://evil.example]x[/link] [bold]b[/bold] \u202egnp.exe\u202c \u2066i\u2069 \x08\x7f\x00 \ufeff "
    "\r tab\there\nnext\u2028line"
)  # fmt: skip


def message(text: str, role: str = "user", at: str = "2025-03-14T09:00:00Z", **more: Any) -> dict[str, Any]:
    return {"role": role, "text": text, "created_at": at, **more}


def chat(chat_id: str, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A `chatmem.chat/1` record."""
    return {"schema": "chatmem.chat/1", "chat_id": chat_id, "messages": list(messages), **more}


def write(path: Path, chats: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(c) + "\n" for c in chats), "utf-8")
    return path


BREAD = chat(
    "chatgpt:1d49502d-bread",
    message("How much water for a sourdough at 75 % hydration?", at="2025-03-14T09:00:00Z"),
    message("For 500 g of flour take 375 g of water.", "assistant", "2025-03-14T09:01:00Z"),
    message("And with wholemeal?", at="2025-03-15T18:00:00Z"),
    message("Wholemeal drinks more:\n\n\t400 g of water.", "assistant", "2025-03-15T18:02:00Z"),
    message("(an earlier try at the answer)", "assistant", "2025-03-15T18:01:00Z", branch="alternate"),
    message("thinking about flour", "assistant", "2025-03-15T18:01:30Z", hidden="thinking"),
    title="Sourdough water",
    source_url="https://chatgpt.com/c/1d49502d-bread",
    project_id="p-kitchen",
    project_name="Kitchen",
)
BUILD = chat(
    "claude-code:77aa-build",
    message("The build fails with E0502 in src/cache.rs", at="2025-05-02T22:30:00Z"),
    message("The borrow ends too late; clone the key.", "assistant", "2025-05-02T22:31:00Z"),
    title="Borrow checker",
    resume="claude --resume 77aa-build",
    project_id="/home/mira/heron",
    project_name="heron",
)
AGENT_LOG = chat(
    "claude-code:77aa-build/agent-1",
    message("Look for other borrows of the cache", at="2025-05-02T22:30:10Z"),
    message("None found.", "assistant", "2025-05-02T22:30:20Z"),
    title="Search borrows",
    kind="subagent",
    parent_chat_id="claude-code:77aa-build",
)
TICKET = chat(
    "csv:ticket #7, part  2",
    message("My order arrived broken", at="2025-06-01T08:00:00Z"),
    message("I am sorry. A new one is on its way.", "assistant", "2025-06-01T08:05:00Z", author="Dana"),
    title="Broken order",
    user_id="alice@example.com",
    agent_id="support",
)
MALICE = chat(
    "chatgpt:malice",
    message(
        f"malice {HOSTILE}",
        at="2025-01-01T00:00:00Z",
        author=f"author {HOSTILE}",
        message_id=f"m {HOSTILE}",
        attachments=[{"name": f"file {HOSTILE}", "mime": HOSTILE, "pointer": HOSTILE}],
    ),
    message(f"answer {HOSTILE}", "assistant", "2025-01-01T00:01:00Z", model=f"model {HOSTILE}"),
    message(f"hidden {HOSTILE}", "tool", "2025-01-01T00:02:00Z", hidden="tool", author=f"tool {HOSTILE}"),
    message(f"other {HOSTILE}", "assistant", "2025-01-01T00:02:00Z", branch="alternate"),
    title=f"title {HOSTILE}",
    project_id=f"project {HOSTILE}",
    project_name=f"name {HOSTILE}",
    user_id=f"user {HOSTILE}",
    agent_id=f"agent {HOSTILE}",
    model=f"model {HOSTILE}",
    source_url=f"https://example.com/{HOSTILE}",
    resume=f"resume {HOSTILE}",
    continues=f"chatgpt:{HOSTILE}",
)
ALL = (BREAD, BUILD, AGENT_LOG, TICKET, MALICE)
