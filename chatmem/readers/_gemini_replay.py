"""A Gemini CLI session log played back: what was recorded, replaced, rewound and compressed (formats.md 6.2).

The log is no list of messages. A message written again replaces itself, `$rewindTo` takes turns back, `$set.messages`
replaces the list. A list with a `<state_snapshot>` is the model's compressed context, often under new ids: the talk
before it was still said, so it stays where it was.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from chatmem.readers import clean

SNAPSHOT = "<state_snapshot>"


class Entry(NamedTuple):
    """A message record and where it stands."""

    record: dict[str, Any]
    pointer: str


class Replay:
    """`main` in reading order by id; `rewound` turns were taken back, `replaced` ones fell out of a new list."""

    def __init__(self) -> None:
        self.meta: dict[str, Any] = {}
        self.main: dict[str, Entry] = {}
        self.rewound: list[Entry] = []
        self.replaced: list[Entry] = []
        self.summaries: set[str] = set()
        self._renamed: dict[str, str] = {}

    def accept(self, record: dict[str, Any], pointer: str) -> None:
        if isinstance(record.get("$rewindTo"), str):
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), dict):
            self._set(record["$set"], pointer)
        elif isinstance(record.get("sessionId"), str) and "content" not in record:
            self._set({key: value for key, value in record.items() if key != "messages"}, pointer)
            for index, message in enumerate(_messages(record)):
                self._put(message, pointer or f"/messages/{index}")
        elif record.get("type") == "message_update":
            self._update(record)
        elif "content" in record or ("type" in record and "id" in record):
            self._put(record, pointer)

    def _set(self, patch: dict[str, Any], pointer: str) -> None:
        self.meta.update((key, value) for key, value in patch.items() if key != "messages")
        if isinstance(patch.get("messages"), list):
            fresh = {entry_id(message): Entry(message, pointer) for message in _messages(patch)}
            if any(is_snapshot(entry.record) for entry in fresh.values()):
                self._compress(fresh)
            else:
                self._renamed.clear()
                self.replaced += [entry for key, entry in self.main.items() if key not in fresh]
                self.main = fresh

    def _put(self, record: dict[str, Any], pointer: str) -> None:
        key = entry_id(record)
        self.main[self._renamed.get(key, key)] = Entry(record, pointer)

    def _update(self, record: dict[str, Any]) -> None:
        key = entry_id(record)
        known = self.main.get(key)
        if known is not None:
            changed = {name: value for name, value in record.items() if name not in ("id", "type", "timestamp")}
            self.main[key] = Entry({**known.record, **changed}, known.pointer)

    def _rewind(self, message_id: str) -> None:
        """Take that message and all after it back; the CLI clears everything if it does not know the id."""
        ids = list(self.main)
        target = self._renamed.get(message_id, message_id)
        for key in ids[ids.index(target) if target in self.main else 0 :]:
            self.rewound.append(self.main.pop(key))

    def _compress(self, fresh: dict[str, Entry]) -> None:
        """Add only what compression made up: its summary and the model's thanks for it."""
        said = {_said(entry.record): key for key, entry in self.main.items()}
        after_summary = False
        for key, entry in fresh.items():
            earlier = said.get(_said(entry.record))
            if key not in self.main and earlier is not None:
                self._renamed[key] = earlier
            elif key not in self.main:
                made_up = is_snapshot(entry.record) or (after_summary and entry.record.get("type") == "gemini")
                self.summaries.update([key] if made_up else [])
                self.main[key] = entry
            after_summary = is_snapshot(entry.record)


def entry_id(record: dict[str, Any]) -> str:
    """The record's own id, else one made of its content."""
    return clean.optional(record.get("id")) or clean.digest(record.get("timestamp"), *_said(record))


def is_snapshot(record: dict[str, Any]) -> bool:
    return record.get("type") == "user" and plain(record.get("content")).lstrip().startswith(SNAPSHOT)


def plain(content: Any) -> str:
    """The words of a string, a part or a list of parts, one after the other."""
    if isinstance(content, str):
        return clean.text(content)
    if isinstance(content, dict):
        return clean.text(content.get("text"))
    return "\n".join(filter(None, map(plain, content))) if isinstance(content, list) else ""


def _said(record: dict[str, Any]) -> tuple[str, str]:
    """Who said what: equal for the same turn under two ids. Turns without words are told apart by their parts."""
    content = record.get("content")
    return clean.text(record.get("type")), plain(content) or repr(content)


def _messages(record: dict[str, Any]) -> list[dict[str, Any]]:
    listed = record.get("messages")
    return [message for message in listed if isinstance(message, dict)] if isinstance(listed, list) else []
