"""Every sample export: its whole normalised output beside it, and what must hold for any import.

`CHATMEM_UPDATE_GOLDEN=1 pytest tests/readers/test_golden.py` writes the golden files anew; look at the difference.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Record, Skipped
from chatmem.readers import READERS
from chatmem.readers.base import Level, Reader, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

SAMPLES = Path(__file__).parents[2] / "sample_data"
GOLDEN = Path(__file__).parent / "golden"
FORMATS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())
UPDATE = os.environ.get("CHATMEM_UPDATE_GOLDEN") == "1"

Json = dict[str, Any]


def found(root: Path) -> list[Source]:
    items = list(sources(root))
    assert not [item for item in items if isinstance(item, Skipped)]
    return [item for item in items if isinstance(item, Source)]


def imported(root: Path) -> list[Record]:
    """What an import of this folder or archive reads, reader after reader."""
    groups: dict[str, tuple[Reader, list[Source]]] = {}
    for source in found(root):
        detected = detect(source)
        if detected.reader is not None and detected.level > Level.SIDE:
            groups.setdefault(detected.reader.name, (detected.reader, []))[1].append(source)
    return [record for reader, group in groups.values() for record in reader.read(group, ReadOptions())]


def chats(root: Path) -> list[Chat]:
    return [record for record in imported(root) if isinstance(record, Chat)]


def plain(value: Any) -> Any:
    """A record as JSON: times in ISO 8601, fields left out that have their default."""
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        given = {f.name: (getattr(value, f.name), f.default) for f in fields(value)}
        return {name: plain(it) for name, (it, default) in given.items() if default is MISSING or it != default}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def golden(root: Path) -> Json:
    """Files with their readers, and all records, without the place of this checkout."""
    levels = {source: detect(source) for source in found(root)}
    whole = {
        "files": {s.where(): [d.reader.name if d.reader else None, d.level.name] for s, d in levels.items()},
        "records": [{"record": type(record).__name__, **plain(record)} for record in imported(root)],
    }
    result: Json = json.loads(json.dumps(whole, ensure_ascii=False).replace(json.dumps(f"{root}/")[1:-1], ""))
    return result


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_output_is_as_it_was_looked_at(name: str) -> None:
    path = GOLDEN / f"{name}.json"
    output = golden(SAMPLES / name)
    if UPDATE:
        path.write_text(json.dumps(output, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert output == json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_sample_has_chats_and_no_problem(name: str) -> None:
    records = imported(SAMPLES / name)
    assert [record for record in records if isinstance(record, Skipped)] == []
    assert any(any(chat.visible()) for chat in records if isinstance(chat, Chat))


@pytest.mark.parametrize("name", FORMATS)
def test_each_file_is_claimed_by_one_reader_at_most(name: str) -> None:
    for source in found(SAMPLES / name):
        seen = peek(source)
        levels = {reader.name: reader.sniff(seen).level for reader in READERS}
        exact = [reader for reader, level in levels.items() if level == Level.EXACT]
        generic = [reader for reader, level in levels.items() if level == Level.GENERIC]
        assert len(exact) <= 1, (source.where(), exact)
        assert exact or len(generic) <= 1, (source.where(), generic)


@pytest.mark.parametrize("name", FORMATS)
def test_messages_are_distinct_timed_in_utc_and_know_their_parents(name: str) -> None:
    for chat in chats(SAMPLES / name):
        ids = [message.message_id for message in chat.messages]
        assert len(set(ids)) == len(ids), chat.chat_id
        assert {message.parent_id for message in chat.messages} <= {None, *ids}, chat.chat_id
        for at in (chat.created_at, chat.updated_at, *(message.created_at for message in chat.messages)):
            assert at is None or (at.tzinfo is UTC and at > datetime(2020, 1, 1, tzinfo=UTC)), chat.chat_id


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_visible_has_words_a_speaker_and_text_that_can_be_stored(name: str) -> None:
    for chat in chats(SAMPLES / name):
        for message in chat.messages:
            message.text.encode("utf-8")
            assert "\0" not in message.text
            assert message.hidden or (message.text.strip() and message.role in ("user", "assistant")), message
        if any(chat.visible()):
            assert chat.title and "\n" not in chat.title
        assert chat.native_id.strip()


@pytest.mark.parametrize("name", FORMATS)
def test_reading_twice_gives_the_same(name: str) -> None:
    assert imported(SAMPLES / name) == imported(SAMPLES / name)


@pytest.mark.parametrize("name", FORMATS)
def test_a_zip_of_the_sample_gives_the_same_chats(name: str, tmp_path: Path) -> None:
    root = SAMPLES / name
    with zipfile.ZipFile(tmp_path / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            archive.write(path, path.relative_to(root))

    def without_origin(chat: Chat) -> Json:
        whole: Json = plain(chat)
        return {key: value for key, value in whole.items() if key != "origin"}

    packed = [without_origin(chat) for chat in chats(tmp_path / f"{name}.zip")]
    assert sorted(packed, key=json.dumps) == sorted(map(without_origin, chats(root)), key=json.dumps)


# -- origins ----------------------------------------------------------------------------------------------------------


def resolved(text: str, pointer: str) -> Any:
    """What stands at `line N`, at a JSON pointer, or at a pointer within a line. LookupError if nothing."""
    if line := re.match(r"line (\d+) ?", pointer):
        text, pointer = text.split("\n")[int(line[1]) - 1], pointer[line.end() :]
    if not pointer:
        return text
    value = json.loads(text)
    for step in pointer.split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def pointers(chat: Chat) -> Iterator[str]:
    yield chat.origin.pointer
    for message in chat.messages:
        yield message.pointer if message.pointer.startswith("line") else chat.origin.pointer + message.pointer


def content(source: Source) -> str:
    with source.open() as stream:
        return stream.read().decode("utf-8-sig", "replace")


@pytest.mark.parametrize("name", FORMATS)
def test_origins_lead_to_a_record_of_the_file(name: str) -> None:
    texts = {source.path: content(source) for source in found(SAMPLES / name)}
    for chat in chats(SAMPLES / name):
        for pointer in filter(None, pointers(chat)):
            assert resolved(texts[chat.origin.file], pointer) not in ("", None), (chat.chat_id, pointer)
