"""The current conversation from a file: a JSON array, an object with `messages`, or JSON lines of messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from chatmem.errors import UsageError
from chatmem.prompt.parts import Turn

_ROLES = {"user": "user", "human": "user", "customer": "user", "assistant": "assistant", "ai": "assistant",
          "bot": "assistant", "agent": "assistant", "model": "assistant"}  # fmt: skip


def parse(text: str) -> list[Turn]:
    """The turns of user and assistant, in order. Raises UsageError for what is no conversation."""
    turns = [turn for record in _records(text.removeprefix("\ufeff")) if (turn := _turn(record))]
    if text.strip() and not turns:
        raise UsageError("the conversation has no messages", 'give [{"role": "user", "content": "…"}, …]')
    return turns


def _records(text: str) -> Iterator[Any]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise UsageError(f"line {number} of the conversation is no JSON", "one message a line") from error
        return
    if isinstance(whole, dict):
        whole = whole.get("messages", [whole])
    yield from whole if isinstance(whole, list) else ()


def _turn(record: Any) -> Turn | None:
    if not isinstance(record, dict):
        return None
    role = _ROLES.get(str(record.get("role") or record.get("author") or "").lower())
    content = record.get("content", record.get("text"))
    if isinstance(content, list):
        texts = [block.get("text") if isinstance(block, dict) else block for block in content]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if role is None or not isinstance(content, str) or not content.strip():
        return None
    return Turn(role, content.encode("utf-8", "replace").decode("utf-8"))
