"""What a Claude message is made of: visible text, thinking, tool traffic, injected prompts.

Blocks win over the flat `text`, which is empty in API shapes and elsewhere carries notices in place of the blocks that
a device could not show. A block type nobody has seen yet is kept hidden, never rejected (formats.md 3.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from chatmem.model import Attachment, Hidden, Role
from chatmem.readers import clean
from chatmem.readers._agent_logs import dump
from chatmem.readers.jsonstream import loads

# Stand-ins in the flat text for blocks that the exporting device does not show.
_NOTICE = re.compile(
    r"\s*```\n(?:This block is not supported on your current device yet\."
    r"|Viewing artifacts created via the Analysis Tool [^\n]*)\n```\s*"
)
_QUIET_TYPES = {"token_budget", "flag", "image", "document"}
_MID_SENTENCE = ",;-–—(/&'’\"“=<"


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message. `slot` names it within the message, "" is its visible text.

    `role` None: that of the message. `new_type`: the block type, if it is one that this reader does not know.
    """

    slot: str
    text: str
    hidden: Hidden | None = None
    role: Role | None = None
    attachment: Attachment | None = None
    new_type: str = ""


def parts(message: dict[str, Any]) -> list[Part]:
    """The message's parts in reading order, its visible blocks joined into one where the first of them stands."""
    joined: list[Part] = []
    place = None
    between = False
    for part in filter(None, map(_part, _blocks(message))):
        if part.slot or place is None:
            place = len(joined) if not part.slot else place
            joined.append(part)
        else:
            joined[place] = Part("", _join(joined[place].text, part.text, adjacent=not between))
        between = bool(part.slot)
    return joined


def attachments(message: dict[str, Any]) -> Iterator[tuple[Attachment, str]]:
    """Files of the message with the text that the product read out of them ("" if it is not in the export)."""
    design = clean.mapping(message.get("content")).get("attachments")
    seen: set[str] = set()
    for listed in (message.get("attachments"), design, message.get("files"), message.get("files_v2")):
        # The lists repeat each other; within one list the same name may stand for two files.
        known = frozenset(seen)
        for raw in listed if isinstance(listed, list) else ():
            if not isinstance(raw, dict):
                continue
            content = clean.text(raw.get("extracted_content")) or clean.text(raw.get("content"))
            key = clean.optional(raw.get("file_uuid")) or clean.optional(raw.get("uuid"))
            name = clean.optional(raw.get("file_name")) or clean.optional(raw.get("name"))
            shown = name or ("pasted text" if content else key or "file")
            if {shown, key} & known:
                continue
            seen.update(filter(None, (shown, key)))
            yield _attachment(raw, shown, key, present=bool(content)), content


def _attachment(raw: dict[str, Any], name: str, key: str | None, present: bool) -> Attachment:
    size = raw.get("file_size")
    mime = clean.optional(raw.get("file_type"))
    return Attachment(name, mime, size if isinstance(size, int) else None, key, present)


def _blocks(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    if isinstance(content, dict):
        content = content.get("contentBlocks") or content.get("content")
    if isinstance(content, str):
        content = _decoded(content)
    blocks = content if isinstance(content, list) else []
    if any(_says_something(block) for block in blocks):
        return blocks
    flat = clean.text(message.get("text"))
    return [_NOTICE.sub("\n\n", flat).strip() if "```" in flat else flat]


def _decoded(content: str) -> list[Any]:
    """Some exporters encode the list of blocks twice; any other string is the text itself."""
    if content.lstrip().startswith('[{"'):
        try:
            value = loads(content.encode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return [content]
        if isinstance(value, list):
            return value
    return [content]


def _says_something(block: Any) -> bool:
    if isinstance(block, dict) and block.get("type", "text") == "text":
        return bool(clean.text(block.get("text")).strip())
    return bool(block)


def _part(block: Any) -> Part | None:
    if isinstance(block, str):
        return Part("", clean.text(block)) if block else None
    if not isinstance(block, dict):
        return None if block is None else Part("block", dump(block), "tool")
    kind = block.get("type", "text")
    if kind in ("text", "voice_note"):
        words = clean.text(block.get("text")) or clean.text(block.get("title"))
        return Part("", words) if words else None
    if kind == "thinking":
        return Part("thinking", _thinking(block), "thinking", "assistant")
    if kind in ("tool_use", "tool_call"):
        return _call(block)
    if kind == "tool_result":
        return Part("tool", _result(block), "tool", "tool")
    if kind == "injected_prompt_block":
        return Part("injected", clean.text(block.get("text")) or clean.text(block.get("prompt")), "injected")
    return _rare(kind, block)


def _rare(kind: Any, block: dict[str, Any]) -> Part:
    said = block.get("message")
    words = clean.text(said.get("content") if isinstance(said, dict) else said)
    if kind == "user_interjection":
        return Part("interjection", words, None if words.strip() else "placeholder", "user")
    if kind == "error":
        return Part("error", words or dump(block), "system", "system")
    known = isinstance(kind, str) and kind in _QUIET_TYPES
    return Part("block", dump(block), "tool", new_type="" if known else clean.text(kind) or "?")


def _thinking(block: dict[str, Any]) -> str:
    full = clean.text(block.get("thinking")) or clean.text(block.get("text"))
    if full.strip():
        return full
    summaries = block.get("summaries")
    listed = summaries if isinstance(summaries, list) else []
    return "\n".join(clean.text(s.get("summary")) for s in listed if isinstance(s, dict))


def _call(block: dict[str, Any]) -> Part:
    call = clean.mapping(block.get("toolCall")) or block
    tool = clean.text(call.get("name")) or "tool"
    given = call.get("input")
    return Part("tool", f"{tool}\n{fields(given)}".strip(), "tool", "assistant", _document(tool, clean.mapping(given)))


def _document(tool: str, given: dict[str, Any]) -> Attachment | None:
    """What a call wrote as a whole: an artifact or a file. Edits of one belong to the document already named."""
    if tool == "artifacts" and isinstance(given.get("content"), str):
        title = clean.optional(given.get("title")) or clean.optional(given.get("id")) or "artifact"
        return Attachment(title, mime=clean.optional(given.get("type")), present=True)
    path = clean.optional(given.get("path"))
    if tool == "create_file" and path and isinstance(given.get("file_text"), str):
        return Attachment(PurePosixPath(path).name or path, present=True)
    return None


def _result(block: dict[str, Any]) -> str:
    content = block.get("content")
    if not isinstance(content, list):
        return "" if content is None else dump(content)
    lines: list[str] = []
    for item in content:
        words = [clean.text(clean.mapping(item).get(key)) for key in ("title", "url", "text")]
        lines.append("\n".join(filter(None, words)) or dump(item))
    return "\n\n".join(lines)


def fields(value: Any) -> str:
    """Arguments of a call as `key: value` lines, strings as they are, so that their words can be found."""
    if not isinstance(value, dict):
        return "" if value is None else dump(value)
    return "\n".join(f"{clean.text(key)}: {fields(inner)}" for key, inner in value.items())


def _join(before: str, after: str, adjacent: bool) -> str:
    """Blocks continue each other where a citation cut a sentence; otherwise they are paragraphs."""
    cut = adjacent and (before[-1].isalnum() or before[-1] in _MID_SENTENCE)
    return before + ("" if cut or before[-1].isspace() or after[0].isspace() else "\n\n") + after
