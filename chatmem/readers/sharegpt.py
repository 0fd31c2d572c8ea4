"""ShareGPT and its kin: `{"id", "conversations": [{"from", "value"}]}` (formats.md 7.2).

Turns stand as spoken: a thread may begin with the model and repeat a role. Ids such as `x_0` and `x_1` are slices of a
longer chat and stay apart. `{role, content}` under `conversations` is the same family.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Any

from chatmem.model import Attachment, Message, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._json_records import records
from chatmem.readers._threads import ThreadIds, thread
from chatmem.readers._turns import as_json, turn, unknown_roles
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.html_text import html_text
from chatmem.readers.jsonstream import Element
from chatmem.readers.unpack import Source

name = "sharegpt"

_TURNS = ("conversations", "conversation", "items")
_WORDS = {"chatbot": "assistant", "prompt": "user", "function_response": "tool", "function-call": "tool"}
_HTML = re.compile(r"\s*<(div|p|ol|ul|pre|h[1-6]|table|blockquote)\b[^>]*>.*</\1>\s*", re.DOTALL | re.IGNORECASE)


def sniff(peek: Peek) -> Claim:
    candidates: list[Any] = list(peek.items)
    if isinstance(peek.top, list):
        candidates += [element for element in peek.top if isinstance(element, list)]
    if any(_is_thread(value) for value in candidates):
        return Claim(Level.GENERIC, "`conversations` of `from` and `value`")
    return NO


def _is_thread(value: Any) -> bool:
    key, turns = _turns(value)
    spoken = [t for t in turns if isinstance(t, dict) and (_is_classic(t) or (_is_chat(t) and key[:4] == "conv"))]
    return bool(spoken)


def _turns(value: Any) -> tuple[str, list[Any]]:
    """The turns of a record and the key that holds them; a list is its own turns."""
    if isinstance(value, list):
        return "", value
    if isinstance(value, dict):
        for key in _TURNS:
            if isinstance(value.get(key), list):
                return key, value[key]
    return "", []


def _is_classic(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("from"), str) and "value" in raw


def _is_chat(raw: dict[str, Any]) -> bool:
    return isinstance(raw.get("role"), str) and "content" in raw


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    ids = ThreadIds()
    for source in sources:
        unknown: Counter[str] = Counter()
        for record in records(source, _is_thread):
            if isinstance(record, Skipped):
                yield record
            elif not isinstance(record.value, list) and not any(
                isinstance(clean.mapping(record.value).get(key), list) for key in _TURNS
            ):
                yield Skipped(source.where(record.pointer), "no list of turns under `conversations`")
            else:
                yield from _thread(source, record, options.timezone, ids, unknown)
        yield from unknown_roles(source, unknown)


def _thread(source: Source, record: Element, zone: tzinfo, ids: ThreadIds, unknown: Counter[str]) -> Iterator[Record]:
    key, turns = _turns(record.value)
    raw = {k: v for k, v in clean.mapping(record.value).items() if k not in _TURNS}
    messages = list(_preface(raw))
    for number, value in enumerate(turns):
        pointer = f"/{key}/{number}" if key else f"/{number}"
        if not isinstance(value, dict):
            yield Skipped(source.where(record.pointer + pointer), "not a turn")
            continue
        try:
            messages += turn(_as_chat(value), pointer, zone, unknown)
        except RecursionError:
            yield Skipped(source.where(record.pointer + pointer), "nested too deeply")
    origin = Origin(source.path, source.member, record.pointer)
    yield thread(name, raw, _with_images(messages, raw), origin, ids, zone)


def _preface(raw: dict[str, Any]) -> Iterator[Message]:
    """The system prompt and the tool definitions that stand beside the turns."""
    for key in ("system", "system_prompt", "tools"):
        value = raw.get(key)
        text = clean.text(value) if isinstance(value, str) else as_json(value) if value else ""
        if text.strip():
            yield Message(f"/{key}", "system", text, hidden="system", pointer=f"/{key}")


def _as_chat(raw: dict[str, Any]) -> dict[str, Any]:
    """The turn in the words of the `{role, content}` family."""
    word = raw.get("from", raw.get("role", raw.get("user")))
    word = _WORDS.get(word.strip().lower(), word) if isinstance(word, str) else word
    value = next((raw[key] for key in ("value", "content", "text", "markdown") if raw.get(key) is not None), None)
    if isinstance(value, str) and _HTML.fullmatch(value) and clean.role(word) == "assistant":
        value = html_text(value)
    rest = {k: v for k, v in raw.items() if k not in ("from", "value", "user", "markdown")}
    return {**rest, "role": word, "content": value}


def _with_images(messages: list[Message], raw: dict[str, Any]) -> tuple[Message, ...]:
    """Multimodal sets name their pictures beside the turns: they belong to the first question."""
    listed = raw.get("images", raw.get("image"))
    names = [n for n in (listed if isinstance(listed, list) else [listed]) if isinstance(n, str) and len(n) < 500]
    files = tuple(Attachment(clean.text(n).rpartition("/")[2] or n, pointer=clean.text(n)) for n in names)
    for place, message in enumerate(messages):
        if files and message.role == "user" and message.hidden is None:
            messages[place] = replace(message, attachments=message.attachments + files)
            break
    return tuple(messages)
