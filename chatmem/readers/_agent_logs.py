"""What the session logs of coding agents share: content blocks to text, paths to project names.

Logs carry pictures and documents as base64 and tool results as nested blocks. Text keeps all of it except the
encoded bytes, which would drown a search.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from chatmem.model import Attachment, Message, Skipped
from chatmem.readers import clean
from chatmem.readers.jsonstream import Element, lines
from chatmem.readers.unpack import Source, damage

_ENCODED = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]{0,80};base64,")
_LONG = 1000
_DEEPEST = 200
_BYTES_KEYS = {"data", "base64", "signature", "encrypted_content"}


def dump(value: Any) -> str:
    """Any JSON value as text, without embedded file bytes."""
    if isinstance(value, str):
        return clean.text(value)
    try:
        return clean.text(json.dumps(_without_bytes(value, 0), ensure_ascii=False))
    except (ValueError, RecursionError):
        return ""


def _without_bytes(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        return "…"
    if isinstance(value, list):
        return [_without_bytes(v, depth + 1) for v in value]
    if isinstance(value, dict):
        return {k: "…" if _is_bytes(k, v) else _without_bytes(v, depth + 1) for k, v in value.items()}
    return "…" if isinstance(value, str) and _ENCODED.match(value) else value


def _is_bytes(key: str, value: Any) -> bool:
    return key in _BYTES_KEYS and isinstance(value, str) and len(value) > _LONG and " " not in value[:_LONG]


def block_text(content: Any) -> str:
    """The text of a tool result: a string, a list of blocks, or an object that wraps one of them."""
    if isinstance(content, str):
        return clean.text(content)
    if isinstance(content, list):
        return "\n".join(t for t in (_one_block(b) for b in content) if t.strip())
    if isinstance(content, dict):
        for key in ("output", "content", "text"):
            if isinstance(content.get(key), str | list):
                return block_text(content[key])
    return "" if content is None else dump(content)


def _one_block(block: Any) -> str:
    if isinstance(block, dict):
        if isinstance(block.get("text"), str):
            return clean.text(block["text"])
        if block.get("type") in ("image", "document", "input_image"):
            return f"[{attachment(block).name}]"
    return dump(block)


def attachment(block: dict[str, Any]) -> Attachment:
    """An `image`, `document`, `input_image` or `input_file` block as the file it stands for."""
    source = clean.mapping(block.get("source"))
    url = block.get("image_url", source.get("url"))
    encoded = _ENCODED.match(url) if isinstance(url, str) else None
    mime = clean.optional(source.get("media_type")) or (encoded.group(1) if encoded else None)
    kind = (clean.optional(block.get("type")) or "file").removeprefix("input_")
    ending = re.sub(r"\W.*", "", mime.rsplit("/", 1)[-1]) if mime else ""
    named = clean.optional(block.get("title")) or clean.optional(block.get("filename"))
    data = source.get("data")
    return Attachment(
        named or (f"{kind}.{ending}" if ending else kind),
        mime=mime,
        size=len(data) * 3 // 4 if isinstance(data, str) else None,
        pointer=clean.optional(url) if not encoded else None,
        present=isinstance(data, str) or encoded is not None,
    )


def attached(files: tuple[Attachment, ...]) -> str:
    """The text of a prompt that is nothing but files."""
    return f"[attached: {', '.join(f.name for f in files)}]" if files else ""


def attempt(add: Callable[[dict[str, Any], str], str | None], element: Element) -> str | None:
    """Take one parsed line in; whatever is wrong with it comes back as a reason and costs only this line."""
    if not isinstance(element.value, dict):
        return "not an object"
    try:
        return add(element.value, element.pointer)
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        return f"a line that cannot be understood ({error})"[:200]


def own_title(messages: Iterable[Message]) -> str | None:
    """The first prompt that is not copied from another session, as a title."""
    prompts = (m for m in messages if m.role == "user" and m.hidden is None and m.branch == "main")
    return clean.derived_title(m.text for m in prompts if m.home is None)


def project_name(path: str | None) -> str | None:
    """The last component of a working directory, of any operating system."""
    parts = re.split(r"[/\\]+", path.rstrip("/\\")) if path else []
    return (parts[-1] or None) if parts else path


def log_lines(source: Source) -> Iterator[Element | Skipped]:
    """The lines of a log; where compressed data turns out to be damaged, what came before still counts."""
    try:
        yield from lines(source)
    except Exception as error:  # gzip, zlib, zipfile and zstandard each raise their own kind
        yield Skipped(source.where(), damage(error))
