"""The formats chatmem reads, most specific first; generic readers come last."""

from __future__ import annotations

from chatmem.readers import (
    chatgpt,
    chatmem_jsonl,
    claude_ai,
    claude_code,
    codex,
    csv_table,
    gemini_cli,
    gemini_takeout,
    markdown,
    messages_json,
    sharegpt,
)
from chatmem.readers.base import Reader

READERS: tuple[Reader, ...] = (
    chatmem_jsonl,
    chatgpt,
    claude_ai,
    claude_code,
    codex,
    gemini_cli,
    gemini_takeout,
    sharegpt,
    messages_json,
    csv_table,
    markdown,
)
