"""One Gemini CLI message record as the archive's messages: what was said, and hidden around it all the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from chatmem.model import Attachment, Hidden, Message, Role
from chatmem.readers import clean
from chatmem.readers._agent_logs import attached, dump
from chatmem.readers._gemini_replay import SNAPSHOT, Entry, entry_id, plain

ROLES: dict[str, Role] = {
    "user": "user", "gemini": "assistant", "model": "assistant", "assistant": "assistant",
    "info": "system", "error": "system", "warning": "system",
}  # fmt: skip
_INJECTED = ("<session_context>", "<hook_context>")
# The CLI appends the files that an `@path` in the prompt names, after this line.
_EXPANSION = "--- Content from referenced files ---"
_CALLS = ("functionCall", "functionResponse", "executableCode", "codeExecutionResult")


class _Piece(NamedTuple):
    slot: str
    text: str
    hidden: Hidden | None = None


def turn(entry: Entry) -> Iterator[Message]:
    """Thinking, then what was said under the record's own id, then tool calls."""
    record = entry.record
    role = ROLES.get(clean.text(record.get("type")).lower())
    whole = Message(
        message_id=entry_id(record),
        role=role or "system",
        text="",
        model=clean.optional(record.get("model")) if role == "assistant" else None,
        created_at=clean.moment(record.get("timestamp")),
        hidden=None if role in ("user", "assistant") else "system",
        pointer=entry.pointer,
    )
    typed = record.get("displayContent")
    shown = typed if plain(typed).strip() else record.get("content")
    pieces = [*_thoughts(record), *_pieces(shown), *_calls(record)]
    if shown is typed and plain(record.get("content")).strip() not in ("", plain(typed).strip()):
        pieces.append(_Piece("content", plain(record["content"]), "injected"))
    yield from _named(whole, pieces, tuple(_attachments(record.get("content"))))


def _named(whole: Message, pieces: list[_Piece], files: tuple[Attachment, ...]) -> Iterator[Message]:
    said = [piece.text for piece in pieces if not piece.slot]
    counts: dict[str, int] = {}
    for piece in pieces:
        if not piece.slot and counts.setdefault("", 0):
            continue
        number = counts[piece.slot] = counts.get(piece.slot, 0) + 1
        if not piece.slot:
            yield _visible(whole, _join(said), files)
            continue
        suffix = f"/{piece.slot}" + (f"/{number}" if piece.slot == "tool" or number > 1 else "")
        role: Role = "tool" if piece.slot == "tool" else whole.role
        yield replace(whole, message_id=whole.message_id + suffix, role=role, text=piece.text, hidden=piece.hidden)
    if not said:
        yield _visible(whole, "", files)


def _visible(whole: Message, text: str, files: tuple[Attachment, ...]) -> Message:
    whole = replace(whole, text=text, attachments=files)
    if whole.hidden is not None or text.strip():
        return whole
    if files and whole.role == "user":
        return replace(whole, text=attached(files))
    return replace(whole, hidden="placeholder")


def _join(texts: list[str]) -> str:
    """Parts of one message, apart by a line unless they bring their own white space."""
    joined = ""
    for text in texts:
        apart = joined and not joined[-1].isspace() and not text[:1].isspace()
        joined += ("\n" if apart else "") + text
    return joined


def _pieces(content: Any) -> Iterator[_Piece]:
    expanded = False
    for part in content if isinstance(content, list) else [content]:
        words = plain(part)
        expanded = expanded or words.lstrip().startswith(_EXPANSION)
        thought = isinstance(part, dict) and part.get("thought") is True
        if words and thought:
            yield _Piece("thinking", words, "thinking")
        elif words.lstrip().startswith(SNAPSHOT):
            yield _Piece("summary", words, "summary")
        elif words and (expanded or words.lstrip().startswith(_INJECTED)):
            yield _Piece("injected", words, "injected")
        elif words:
            yield _Piece("", words)
        elif isinstance(part, dict) and "text" not in part and not _is_file(part):
            yield _Piece("tool", dump({key: part[key] for key in _CALLS if key in part} or part), "tool")


def _is_file(part: dict[str, Any]) -> bool:
    return isinstance(part.get("inlineData"), dict) or isinstance(part.get("fileData"), dict)


def _attachments(content: Any) -> Iterator[Attachment]:
    for part in content if isinstance(content, list) else [content]:
        for kind in ("inlineData", "fileData"):
            data = clean.mapping(clean.mapping(part).get(kind))
            if data:
                mime, address = clean.optional(data.get("mimeType")), clean.optional(data.get("fileUri"))
                label = clean.optional(data.get("displayName")) or (address or "").rsplit("/", 1)[-1] or mime or "file"
                yield Attachment(label, mime=mime, pointer=address)


def _thoughts(record: dict[str, Any]) -> Iterator[_Piece]:
    lines: list[str] = []
    for thought in record["thoughts"] if isinstance(record.get("thoughts"), list) else ():
        words = [clean.text(clean.mapping(thought).get(key)).strip() for key in ("subject", "description")]
        lines.append("\n".join(filter(None, words)) or dump(thought))
    if lines:
        yield _Piece("thinking", "\n\n".join(lines), "thinking")


def _calls(record: dict[str, Any]) -> Iterator[_Piece]:
    for call in record["toolCalls"] if isinstance(record.get("toolCalls"), list) else ():
        if not isinstance(call, dict):
            yield _Piece("tool", dump(call), "tool")
            continue
        given = clean.mapping(call.get("args"))
        lines = [clean.text(call.get("name")) or "tool"]
        lines += [f"{clean.text(key)}: {_text(value)}" for key, value in given.items()]
        shown = _outputs(call.get("result")) or _text(call.get("resultDisplay"))
        yield _Piece("tool", "\n".join(lines) + (f"\n\n{shown}" if shown else ""), "tool")


def _outputs(result: Any) -> str:
    """What a tool gave back: the text inside its function responses."""
    found: list[str] = []
    for part in result if isinstance(result, list) else [result]:
        response = clean.mapping(clean.mapping(clean.mapping(part).get("functionResponse")).get("response"))
        words = [_text(response.get(key)) for key in ("output", "error") if response.get(key)]
        found.append("\n".join(words) or plain(part) or _text(response or part or None))
    return "\n".join(filter(None, found))


def _text(value: Any) -> str:
    return "" if value is None else dump(value)
