"""One turn of the `{role, content, tool_calls}` family, which many tools write with small differences.

`content` may be a string, a list of parts, null or absent; none of these makes a record invalid. A turn becomes at
most one visible message with the turn's own id; its thinking and tool calls are hidden messages around it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Any

from chatmem.model import Attachment, Hidden, Message, Note, Role
from chatmem.readers import clean
from chatmem.readers.unpack import Source

TIMES = ("created_at", "createdAt", "create_time", "created", "timestamp", "time", "date")
_THINKING_KEYS = ("reasoning_content", "reasoning", "thinking")
_TEXT_TYPES = {"text", "input_text", "output_text", "refusal"}
_THINKING_TYPES = {"thinking", "reasoning", "redacted_thinking"}
_FILE_TYPES = {
    "image_url", "input_image", "image_file", "image", "input_audio", "audio", "audio_url", "file", "input_file",
    "video_url", "video", "document",
}  # fmt: skip
_THINK = re.compile(r"\s*<(think|thinking)>(.*?)(?:</\1>\s*|\Z)", re.DOTALL)
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,\s\"]{0,100},")
_BASE64 = re.compile(r"(data:[^,\s\"]{0,100};base64,)[A-Za-z0-9+/=\s]{64,}")


@dataclass(slots=True)
class Content:
    """What a `content` holds: prose, reasoning, tool traffic, files."""

    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    files: list[Attachment] = field(default_factory=list)


def pick(raw: dict[str, Any], *keys: str) -> str | None:
    """The first non-blank text or number under one of the keys."""
    return next((found for key in keys if (found := clean.optional(raw.get(key)))), None)


def turn(raw: dict[str, Any], pointer: str, zone: tzinfo, unknown: Counter[str]) -> Iterator[Message]:
    """The messages of one turn. A role nobody knows is counted in `unknown` and its text kept hidden."""
    word = clean.text(raw.get("role")).strip()
    role = clean.role(word)
    if role is None:
        unknown[word] += 1
    content = _content(raw)
    if role == "assistant" and content.text:
        thought, content.text[0] = split_thinking(content.text[0])
        content.thinking += [thought] if thought else []
    text = "\n".join(content.text)
    hidden = _hidden(raw, role)
    if hidden is None and not text.strip() and content.files:
        text = f"[attached: {', '.join(f.name for f in content.files)}]"
    created = next((at for key in TIMES if (at := clean.moment(raw.get(key), zone))), None)
    message = Message(
        message_id=pick(raw, "id", "message_id", "messageId", "uuid")
        or clean.digest(word.lower(), text, created, *content.thinking, *content.tools),
        role=role or "tool",
        text=text,
        author=pick(raw, "name", "author"),
        model=pick(raw, "model", "model_slug") if role == "assistant" else None,
        created_at=created,
        hidden=hidden,
        attachments=tuple(content.files),
        pointer=pointer,
    )
    yield from _spread(message, content)


def unknown_roles(source: Source, unknown: Counter[str]) -> Iterator[Note]:
    for word, count in unknown.items():
        shown = f"the role {word[:40]!r}" if word else "a missing role"
        yield Note(source.where(), f"turns of {shown} kept hidden: {count}")


def _spread(message: Message, content: Content) -> Iterator[Message]:
    """Reasoning before, tool calls after; a turn of nothing else has no message under its own id."""
    base = message.message_id
    for number, text in enumerate(content.thinking):
        yield _part(message, f"{base}/thinking" + (f"/{number + 1}" if number else ""), text, "thinking")
    if message.text.strip():
        yield message
    elif not content.thinking and not content.tools:
        yield replace(message, hidden=message.hidden or "placeholder")
    for number, text in enumerate(content.tools, 1):
        yield _part(message, f"{base}/tool/{number}", text, "tool")


def _part(message: Message, message_id: str, text: str, hidden: Hidden) -> Message:
    return replace(message, message_id=message_id, text=text, hidden=hidden, attachments=())


def _hidden(raw: dict[str, Any], role: Role | None) -> Hidden | None:
    if role == "system":
        return "system"
    if role in (None, "tool"):
        return "tool"
    private = any(raw.get(key) is True for key in ("private", "internal", "is_internal", "is_private"))
    return "note" if private or raw.get("public") is False or raw.get("type") == "note" else None


def _content(raw: dict[str, Any]) -> Content:
    content = Content()
    value = raw.get("content", raw.get("text"))
    for part in value if isinstance(value, list) else [value]:
        _add_part(content, part)
    if not content.text:
        content.text += [t for t in (clean.text(raw.get("refusal")),) if t.strip()]
    content.thinking[:0] = [t for t in (clean.text(raw.get(key)) for key in _THINKING_KEYS) if t.strip()][:1]
    calls = raw.get("tool_calls")
    for call in (*(calls if isinstance(calls, list) else [calls]), raw.get("function_call")):
        if call is not None and call != "":
            content.tools.append(_call(call))
    return content


def _add_part(content: Content, part: Any) -> None:
    if isinstance(part, str):
        content.text.append(clean.text(part))
    elif isinstance(part, dict):
        _add_block(content, part)
    elif part is not None:
        content.text.append(as_json(part))


def _add_block(content: Content, part: dict[str, Any]) -> None:
    kind = part.get("type") if isinstance(part.get("type"), str) else None
    text = _text(part)
    if kind in _THINKING_TYPES:
        thought = clean.text(part.get("thinking")) or clean.text(part.get("reasoning")) or text
        content.thinking.append(thought or as_json(part))
    elif text is not None and (kind is None or kind in _TEXT_TYPES):
        content.text.append(text)
    elif kind in _FILE_TYPES:
        content.files.append(_file(str(kind), part))
        transcript = clean.mapping(part.get(str(kind))).get("transcript") or part.get("transcript")
        content.text += [clean.text(transcript)] if isinstance(transcript, str) else []
    else:
        content.tools.append(_call(part) if kind == "tool_use" else as_json(part))


def _text(part: dict[str, Any]) -> str | None:
    value = part.get("text", part.get("refusal"))
    # The Assistants API wraps text once more: {"text": {"value": …, "annotations": […]}}.
    value = value.get("value") if isinstance(value, dict) else value
    return clean.text(value) if isinstance(value, str) else None


def _file(kind: str, part: dict[str, Any]) -> Attachment:
    inner = part.get(kind, part.get("image_url", part.get("source")))
    facts = {**part, **inner} if isinstance(inner, dict) else {**part, "url": inner}
    address = next((u for key in ("url", "file_data", "data") if isinstance(u := facts.get(key), str)), "")
    inline = _DATA_URL.match(address)
    carried = bool(inline) or isinstance(facts.get("data"), str)
    mime = pick(facts, "media_type", "mime_type", "mimeType") or (inline.group(1) if inline else None)
    reference = None if carried else clean.optional(address) or pick(facts, "file_id")
    ending = (mime or "").rpartition("/")[2] or pick(facts, "format")
    last = reference.split("?")[0].rstrip("/").rpartition("/")[2] if reference else None
    name = pick(facts, "filename", "name", "title") or last
    label = kind.removeprefix("input_").removesuffix("_url").removesuffix("_file")
    return Attachment(name or (f"{label}.{ending}" if ending else label), mime, None, reference, carried)


def _call(call: Any) -> str:
    """`name(arguments)`, whichever of the spellings the call has."""
    function = clean.mapping(call).get("function", call)
    name = clean.optional(clean.mapping(function).get("name"))
    if name is None:
        return as_json(call)
    arguments = function.get("arguments", function.get("input"))
    return f"{name}({clean.text(arguments) if isinstance(arguments, str) else as_json(arguments)})"


def split_thinking(text: str) -> tuple[str, str]:
    """(thoughts, answer): reasoning models print their thoughts in front of the answer, in `<think>` tags."""
    found = _THINK.match(text)
    return (found.group(2).strip(), text[found.end() :]) if found else ("", text)


def as_json(value: Any) -> str:
    """JSON as text, without the bytes of embedded files."""
    return _BASE64.sub(r"\1…", clean.text(json.dumps(value, ensure_ascii=False)))
