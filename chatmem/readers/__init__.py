"""The formats chatmem reads, most specific first; generic readers come last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
from chatmem.readers.unpack import Source

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

# These make one chat out of several files, which are read together or not at all.
JOINING = frozenset({gemini_cli.name, gemini_takeout.name})

# What beside a file's own bytes decides how it is read, by the place of the file.
BESIDE: Mapping[str, Callable[[Sequence[Source]], Mapping[str, str]]] = {
    claude_code.name: claude_code.beside,
    codex.name: codex.beside,
}
