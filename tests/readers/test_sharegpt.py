"""ShareGPT dumps and their kin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import sharegpt
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "sharegpt"


def only_source(path: Path) -> Source:
    (source,) = sources(path)
    assert isinstance(source, Source)
    return source


def read(path: Path) -> list[Record]:
    source = only_source(path)
    assert detect(source).reader is sharegpt
    return list(sharegpt.read([source], ReadOptions()))


def read_value(tmp_path: Path, value: Any) -> list[Record]:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(value), "utf-8")
    return read(path)


def one_chat(records: list[Record]) -> Chat:
    (chat,) = records
    assert isinstance(chat, Chat)
    return chat


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in chat.visible()]


def said(*turns: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"from": speaker, "value": value} for speaker, value in turns]


def test_the_sample_is_claimed_as_generic_and_slices_stay_apart() -> None:
    source = only_source(SAMPLE / "dump.json")
    found = detect(source)
    assert (found.reader, found.level) == (sharegpt, Level.GENERIC)
    records = list(sharegpt.read([source], ReadOptions()))
    ids = [chat.chat_id for chat in records if isinstance(chat, Chat)]
    names = ["kTz41Qe_0", "kTz41Qe_1", "tools-17", "regex-3", "pT7azulejo_0", "eS4huerto_0"]
    assert ids == [f"sharegpt:{name}" for name in names]
    assert len(ids) == len(records)


@pytest.mark.parametrize(
    ("word", "role", "hidden"),
    [
        ("human", "user", None),
        ("user", "user", None),
        ("Human", "user", None),
        ("gpt", "assistant", None),
        ("chatgpt", "assistant", None),
        ("bing", "assistant", None),
        ("bard", "assistant", None),
        ("assistant", "assistant", None),
        ("system", "system", "system"),
        ("tool", "tool", "tool"),
        ("function_call", "tool", "tool"),
        ("observation", "tool", "tool"),
    ],
)
def test_every_speaker_has_its_role(tmp_path: Path, word: str, role: str, hidden: str | None) -> None:
    chat = one_chat(read_value(tmp_path, [{"id": "x", "conversations": said((word, "text"))}]))
    assert (chat.messages[0].role, chat.messages[0].hidden) == (role, hidden)


def test_a_thread_may_begin_with_the_model_and_repeat_a_role(tmp_path: Path) -> None:
    turns = said(("gpt", "a"), ("human", "b"), ("human", "c"), ("gpt", "d"), ("gpt", "d"))
    chat = one_chat(read_value(tmp_path, [{"id": "x", "conversations": turns}]))
    assert [text for _, text in shown(chat)] == ["a", "b", "c", "d", "d"]
    assert len({message.message_id for message in chat.messages}) == 5
    assert chat.messages[2].pointer == "/conversations/2"


def test_an_unknown_speaker_is_kept_hidden_and_told(tmp_path: Path) -> None:
    chat, note = read_value(tmp_path, [{"conversations": said(("human", "a"), ("moderator", "b"))}])
    assert isinstance(chat, Chat)
    assert isinstance(note, Note)
    assert [message.hidden for message in chat.messages] == [None, "tool"]


@pytest.mark.parametrize("key", ["conversations", "conversation", "items"])
def test_turns_lie_under_several_keys(tmp_path: Path, key: str) -> None:
    chat = one_chat(read_value(tmp_path, [{"id": "x", key: said(("human", "hi"))}]))
    assert shown(chat) == [("user", "hi")]


def test_a_single_object_a_wrapper_and_a_list_of_lists_are_understood(tmp_path: Path) -> None:
    turns = said(("human", "hi"), ("gpt", "yo"))
    assert one_chat(read_value(tmp_path, {"id": "x", "conversations": turns})).native_id == "x"
    wrapped = read_value(tmp_path, {"data": [{"id": "a", "conversations": turns}, {"id": "b", "conversations": turns}]})
    assert [chat.native_id for chat in wrapped if isinstance(chat, Chat)] == ["a", "b"]
    listed = read_value(tmp_path, [turns, said(("human", "other"))])
    assert [len(chat.messages) for chat in listed if isinstance(chat, Chat)] == [2, 1]


def test_json_lines_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "dump.jsonl"
    lines = [json.dumps({"id": name, "conversations": said(("human", name))}) for name in "ab"]
    path.write_text("\n".join([*lines, '{"id": "c", "conv']), "utf-8")
    assert [type(record) for record in read(path)] == [Chat, Chat, Skipped]


def test_role_and_content_under_conversations_is_the_same_family(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "<think>hm</think>yo"}]
    chat = one_chat(read_value(tmp_path, [{"conversations": turns}]))
    assert shown(chat) == [("user", "hi"), ("assistant", "yo")]
    assert [message.hidden for message in chat.messages] == [None, "thinking", None]


def test_system_prompt_and_tools_beside_the_turns_are_kept_hidden(tmp_path: Path) -> None:
    record = {"system": "Be brief.", "tools": [{"name": "f"}], "conversations": said(("human", "hi"))}
    chat = one_chat(read_value(tmp_path, [record]))
    assert [(message.hidden, message.text) for message in chat.messages] == [
        ("system", "Be brief."),
        ("system", '[{"name": "f"}]'),
        (None, "hi"),
    ]
    assert chat.title == "hi"


def test_answers_saved_as_html_become_text_and_questions_stay(tmp_path: Path) -> None:
    page = '<div class="markdown"><p>Use <strong>tar</strong> &amp; gzip:</p><ul><li>fast</li></ul></div>'
    turns = said(("human", "<p>what is this tag?</p>"), ("gpt", page), ("gpt", "a <b> tag in a sentence"))
    chat = one_chat(read_value(tmp_path, [{"conversations": turns}]))
    assert chat.messages[0].text == "<p>what is this tag?</p>"
    assert "tar & gzip" in chat.messages[1].text
    assert "<" not in chat.messages[1].text
    assert chat.messages[2].text == "a <b> tag in a sentence"


def test_pictures_beside_the_turns_belong_to_the_first_question(tmp_path: Path) -> None:
    record = {"image": "coco/000123.jpg", "conversations": said(("human", "<image>\nWhat is it?"), ("gpt", "A tram."))}
    chat = one_chat(read_value(tmp_path, [record]))
    assert [file.name for file in chat.messages[0].attachments] == ["000123.jpg"]


def test_an_id_used_twice_for_different_threads_loses_neither(tmp_path: Path) -> None:
    records = read_value(tmp_path, [{"id": 7, "conversations": said(("human", text))} for text in ("a", "b")])
    ids = [chat.native_id for chat in records if isinstance(chat, Chat)]
    assert ids[0] == "7"
    assert len(set(ids)) == 2


def test_a_damaged_element_costs_only_itself(tmp_path: Path) -> None:
    value = [{"id": "a", "conversations": said(("human", "a"))}, {"id": "b", "conversations": "gone"}, None, 5]
    assert [type(record) for record in read_value(tmp_path, value)] == [Chat, Skipped, Skipped, Skipped]
    turns = [*said(("human", "a")), "torn", None]
    assert [type(record) for record in read_value(tmp_path, [{"conversations": turns}])] == [Skipped, Skipped, Chat]


def test_conversations_of_other_products_are_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"conversations": [{"uuid": "1", "chat_messages": []}]}), "utf-8")
    assert sharegpt.sniff(peek(only_source(path))).level == Level.NO


DAMAGE: list[Any] = [
    None,
    [],
    {},
    [[]],
    {"conversations": None},
    {"conversations": [None, 1, "x", [], {}]},
    {"conversations": [{"from": None, "value": None}, {"from": [], "value": {}}, {"from": "human"}]},
    {"conversations": [{"from": "gpt", "value": 5}, {"from": "gpt", "value": [1, None, {"type": 1}]}]},
    {"id": {}, "system": 1, "tools": "[", "image": [1, {}], "conversations": [{"from": "human", "value": "x"}]},
    {"conversations": [{"from": "gpt", "value": "<div><![x</div>"}, {"from": "gpt", "value": "<p>" * 500 + "</p>"}]},
]


@pytest.mark.parametrize("value", DAMAGE, ids=[json.dumps(value)[:40] for value in DAMAGE])
def test_wrong_types_never_raise(tmp_path: Path, value: Any) -> None:
    for text in (json.dumps(value), json.dumps([value, value]), json.dumps(value)[:-3]):
        path = tmp_path / "damaged.json"
        path.write_text(text, "utf-8")
        source = only_source(path)
        sharegpt.sniff(peek(source))
        list(sharegpt.read([source], ReadOptions()))


@pytest.mark.parametrize("content", [b"", b"{", b"[", b'[{"conversations": [', b"\xff\xfe\x00", b"null"])
def test_files_cut_short_never_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "short.json"
    path.write_bytes(content)
    source = only_source(path)
    sharegpt.sniff(peek(source))
    list(sharegpt.read([source], ReadOptions()))
