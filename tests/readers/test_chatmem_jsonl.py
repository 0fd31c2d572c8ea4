"""Our own export comes back as it was."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Attachment, Chat, Message, Note, Origin, Record, Skipped
from chatmem.readers import chatmem_jsonl, clean
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

AT = datetime(2025, 11, 3, 8, 14, 2, 123456, tzinfo=UTC)


def only_source(path: Path) -> Source:
    (source,) = sources(path)
    assert isinstance(source, Source)
    return source


def read(path: Path) -> list[Record]:
    source = only_source(path)
    found = detect(source)
    assert (found.reader, found.level) == (chatmem_jsonl, Level.EXACT)
    return list(chatmem_jsonl.read([source], ReadOptions()))


def read_values(tmp_path: Path, *values: Any) -> list[Record]:
    path = tmp_path / "archive.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return read(path)


def one_chat(records: list[Record]) -> Chat:
    (chat,) = records
    assert isinstance(chat, Chat)
    return chat


def record(chat: Chat) -> dict[str, Any]:
    """The chat as `chatmem export` writes it (SPEC section 3)."""
    raw = asdict(chat)
    del raw["origin"]
    shown = {message.message_id: n for n, message in enumerate(chat.visible(), 1)}
    for message in raw["messages"]:
        pointer = message.pop("pointer")
        message["origin"] = {"file": chat.origin.file, "member": chat.origin.member, "pointer": pointer}
        message["n"] = shown.get(message["message_id"])
        message["created_at"] = message["created_at"] and message["created_at"].isoformat()
    for key in ("created_at", "updated_at"):
        raw[key] = raw[key] and raw[key].isoformat()
    return {"schema": "chatmem.chat/1", "chat_id": chat.chat_id, **raw}


def full_chat() -> Chat:
    attachment = Attachment("plan.pdf", "application/pdf", 1234, "file-9", True)
    messages = (
        Message("m1", "user", " leading and trailing \n", author="Mira", created_at=AT, attachments=(attachment,)),
        Message("m1~2", "assistant", "thought", "m1", model="o3", hidden="thinking", pointer="/mapping/a"),
        Message("m1/thinking", "assistant", "answer", "m1", branch="alternate", pointer="/mapping/b"),
        Message("m 4 ", "assistant", "", hidden="placeholder", pointer="line 7"),
        Message("m5", "user", "copied", home="other-chat"),
        Message("m6", "user", "copied before", hidden="copy", home="other-chat"),
    )
    return Chat(
        source="codex",
        native_id="0199:b",
        messages=messages,
        origin=Origin("export.zip", "a/conversations.json"),
        title="Plan ünïcode 計画",
        title_origin="export",
        created_at=AT,
        updated_at=AT,
        project_id="/home/me/x",
        project_name="x",
        user_id="cus-1",
        agent_id="ag-1",
        model="o3",
        source_url="https://example.org/c/1",
        resume="codex resume 0199",
        kind="subagent",
        parent_chat_id="codex:0198",
        continues="0197",
        archived=True,
        starred=True,
    )


def test_every_field_of_a_chat_comes_back(tmp_path: Path) -> None:
    chat = full_chat()
    assert one_chat(read_values(tmp_path, record(chat))) == chat


def test_a_derived_title_stays_derived_and_a_missing_one_is_derived(tmp_path: Path) -> None:
    derived = replace(full_chat(), title="leading and trailing", title_origin="derived")
    assert one_chat(read_values(tmp_path, record(derived))) == derived
    found = one_chat(read_values(tmp_path, {**record(derived), "title": None}))
    assert (found.title, found.title_origin) == ("leading and trailing", "derived")


def test_a_chat_of_one_line_in_a_file_of_any_name_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(record(full_chat()), indent=1), "utf-8")
    assert one_chat(read(path)) == full_chat()


def test_almost_every_key_may_be_absent(tmp_path: Path) -> None:
    sparse = {
        "schema": "chatmem.chat/1", "chat_id": "bench:conv-26:S1", "title": None, "created_at": None,
        "messages": [{"role": "user", "text": "Hey Mel"}, {"role": "assistant", "text": "Hey"}],
    }  # fmt: skip
    chat = one_chat(read_values(tmp_path, sparse))
    assert (chat.source, chat.native_id, chat.title) == ("bench", "conv-26:S1", "Hey Mel")
    assert chat.origin == Origin(str(tmp_path / "archive.jsonl"), None, "line 1" if len(str(tmp_path)) else "")
    assert [message.pointer for message in chat.messages] == ["/messages/0", "/messages/1"]
    assert len({message.message_id for message in chat.messages}) == 2
    assert chat.created_at is None


def test_ids_that_are_already_unique_are_not_renamed(tmp_path: Path) -> None:
    ids = ["a", "a~2", "a~3", " a", "a/tool/1", "7"]
    messages = [{"message_id": name, "role": "user", "text": "x"} for name in ids]
    raw = {"schema": "chatmem.chat/1", "source": "s", "native_id": "n", "messages": messages}
    assert [message.message_id for message in one_chat(read_values(tmp_path, raw)).messages] == ids


def test_words_of_a_later_version_keep_the_message_hidden_and_are_told(tmp_path: Path) -> None:
    messages = [
        {"role": "critic", "text": "a"},
        {"role": "user", "text": "b", "hidden": "quantum"},
        {"role": "user", "text": "c", "branch": "third", "mood": "good"},
    ]
    raw = {"schema": "chatmem.chat/1", "source": "s", "native_id": "n", "messages": messages}
    *notes, chat = read_values(tmp_path, raw)
    assert isinstance(chat, Chat)
    assert [type(note) for note in notes] == [Note, Note]
    assert [message.hidden for message in chat.messages] == ["tool", "note", None]
    assert [message.branch for message in chat.messages] == ["main", "main", "main"]


def test_a_damaged_record_costs_only_itself(tmp_path: Path) -> None:
    good = record(full_chat())
    path = tmp_path / "archive.jsonl"
    bad = [{**good, "messages": None}, {"schema": "chatmem.chat/1", "messages": []}, {"schema": "other/1"}]
    lines = [json.dumps(good), *map(json.dumps, bad), '{"schema": "chatmem.chat/1", "mess', json.dumps(good)]
    path.write_text("\n".join(lines), "utf-8")
    assert [type(found) for found in read(path)] == [Chat, Skipped, Skipped, Skipped, Skipped, Chat]


def test_a_damaged_message_costs_only_itself(tmp_path: Path) -> None:
    raw = {"schema": "chatmem.chat/1", "chat_id": "s:n", "messages": [None, {"role": "user", "text": "x"}]}
    assert [type(found) for found in read_values(tmp_path, raw)] == [Skipped, Chat]


@pytest.mark.parametrize("schema", ["chatmem.search/1", "chatmem.chat/2", None, 1])
def test_other_documents_of_ours_are_no_chats(tmp_path: Path, schema: Any) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(json.dumps({"schema": schema, "chat_id": "a:b", "messages": []}) + "\n", "utf-8")
    assert chatmem_jsonl.sniff(peek(only_source(path))).level == Level.NO


@pytest.mark.parametrize("junk", [None, 0, 1.5, True, "", "x", [], [[]], {}, {"a": None}])
def test_wrong_types_never_raise(tmp_path: Path, junk: Any) -> None:
    good = record(full_chat())
    broken = [{**good, key: junk} for key in good if key != "schema"]
    broken += [{**good, "messages": [{**good["messages"][0], key: junk}]} for key in good["messages"][0]]
    broken += [{**good, "messages": [{**good["messages"][0], "attachments": [junk]}]}]
    path = tmp_path / "broken.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in broken), "utf-8")
    for found in chatmem_jsonl.read([only_source(path)], ReadOptions()):
        assert isinstance(found, Chat | Note | Skipped)
        if isinstance(found, Chat):
            assert clean.complete(found) == found
