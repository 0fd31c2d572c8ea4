"""OpenAI-style messages: records with `messages`, and bare messages that name their conversation."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import messages_json
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "openai-messages"


def only_source(path: Path) -> Source:
    (source,) = sources(path)
    assert isinstance(source, Source)
    return source


def read(path: Path, options: ReadOptions | None = None) -> list[Record]:
    source = only_source(path)
    assert detect(source).reader is messages_json
    return list(messages_json.read([source], options or ReadOptions()))


def read_value(tmp_path: Path, value: Any) -> list[Record]:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(value), "utf-8")
    return read(path)


def jsonl(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    return path


def one_chat(records: list[Record]) -> Chat:
    (chat,) = records
    assert isinstance(chat, Chat)
    return chat


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in chat.visible()]


def test_the_sample_is_claimed_as_generic_and_read_without_a_problem() -> None:
    for source in sources(SAMPLE):
        assert isinstance(source, Source)
        found = detect(source)
        assert (found.reader, found.level) == (messages_json, Level.GENERIC)
        records = list(messages_json.read([source], ReadOptions()))
        assert len(records) == 2
        assert all(isinstance(record, Chat) for record in records)


def test_null_and_absent_content_are_tool_turns_and_parts_are_text_and_files(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "distance", "arguments": '{"to": "quarry"}'}}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    turns = [
        {"role": "developer", "content": "Only metric."},
        {"role": "user", "content": [{"type": "text", "text": "How far?"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"km": 12}'},
        {"role": "assistant", "tool_calls": [call, call]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Twelve kilometres."}]},
    ]
    chat = one_chat(read_value(tmp_path, {"messages": turns}))
    assert shown(chat) == [("user", "How far?"), ("assistant", "Twelve kilometres.")]
    assert [message.hidden for message in chat.messages] == ["system", None, "tool", "tool", "tool", "tool", None]
    assert chat.messages[2].text == 'distance({"to": "quarry"})'
    attachment = chat.messages[1].attachments[0]
    assert (attachment.name, attachment.mime, attachment.present) == ("image.png", "image/png", True)
    assert chat.messages[5].pointer == "/messages/4"
    assert len({message.message_id for message in chat.messages}) == len(chat.messages)


def test_a_turn_of_nothing_but_files_names_them(tmp_path: Path) -> None:
    parts = [
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "file", "file": {"filename": "offer.pdf", "file_id": "file-9"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a/heron.png?size=2"}},
    ]
    chat = one_chat(read_value(tmp_path, [{"role": "user", "content": parts}]))
    assert shown(chat) == [("user", "[attached: audio.wav, offer.pdf, heron.png]")]
    assert [file.present for file in chat.messages[0].attachments] == [True, False, False]


def test_reasoning_in_any_spelling_is_hidden_before_the_answer(tmp_path: Path) -> None:
    turns = [
        {"id": "a", "role": "assistant", "reasoning_content": "hm", "content": "one"},
        {"id": "b", "role": "assistant", "content": [{"type": "thinking", "thinking": "ho"}, "two"]},
        {"id": "c", "role": "assistant", "content": "<think>\nha\n</think>\n\nthree"},
        {"id": "d", "role": "user", "content": "<think>not mine</think>"},
    ]
    chat = one_chat(read_value(tmp_path, turns))
    assert [(message.message_id, message.hidden, message.text) for message in chat.messages] == [
        ("a/thinking", "thinking", "hm"),
        ("a", None, "one"),
        ("b/thinking", "thinking", "ho"),
        ("b", None, "two"),
        ("c/thinking", "thinking", "ha"),
        ("c", None, "three"),
        ("d", None, "<think>not mine</think>"),
    ]


def test_unknown_blocks_are_kept_hidden_without_embedded_bytes(tmp_path: Path) -> None:
    block = {"type": "hologram", "src": "data:model/gltf;base64," + "A" * 400}
    chat = one_chat(read_value(tmp_path, [{"role": "user", "content": [block, {"type": "text", "text": "look"}]}]))
    assert shown(chat) == [("user", "look")]
    assert chat.messages[1].hidden == "tool"
    assert "hologram" in chat.messages[1].text
    assert len(chat.messages[1].text) < 100


def test_a_refusal_is_the_visible_answer(tmp_path: Path) -> None:
    chat = one_chat(read_value(tmp_path, [{"role": "assistant", "content": None, "refusal": "I cannot help."}]))
    assert shown(chat) == [("assistant", "I cannot help.")]


def test_an_unknown_role_is_kept_hidden_and_told_once(tmp_path: Path) -> None:
    turns = [{"role": role, "content": "text"} for role in ("user", "narrator", "narrator")]
    chat, note = read_value(tmp_path, {"messages": turns})
    assert isinstance(chat, Chat)
    assert isinstance(note, Note)
    assert [message.hidden for message in chat.messages] == [None, "tool", "tool"]
    assert "'narrator'" in note.text
    assert "2" in note.text


def test_internal_notes_are_not_replies(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "broken"},
        {"role": "agent", "content": "known bug", "internal": True},
        {"role": "agent", "content": "sorry", "public": True},
        {"role": "agent", "content": "refund?", "public": False},
    ]
    chat = one_chat(read_value(tmp_path, {"messages": turns}))
    assert [message.hidden for message in chat.messages] == [None, "note", None, "note"]


def test_thread_keys_come_from_the_record_or_its_metadata(tmp_path: Path) -> None:
    record = {
        "id": "t-9",
        "created": 1760000000,
        "model": "gpt-4.1-mini",
        "metadata": {"title": "Kettle", "user_id": "u-1", "source": "LibreChat", "agent_id": "helper"},
        "messages": [{"role": "user", "content": "hi", "created_at": "2025-10-09T09:00:00Z"}],
    }
    chat = one_chat(read_value(tmp_path, record))
    assert (chat.chat_id, chat.title, chat.title_origin) == ("librechat:t-9", "Kettle", "export")
    assert (chat.user_id, chat.agent_id, chat.model) == ("u-1", "helper", "gpt-4.1-mini")
    assert chat.created_at == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert chat.updated_at == datetime(2025, 10, 9, 9, 0, tzinfo=UTC)


def test_an_unknown_source_name_is_no_product(tmp_path: Path) -> None:
    record = {"source": "my/dataset-v2", "messages": [{"role": "user", "content": "hi"}]}
    assert one_chat(read_value(tmp_path, record)).source == "openai-messages"


def test_times_without_a_zone_are_local(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text('[{"role": "user", "content": "hi", "timestamp": "2025-07-01 12:00:00"}]', "utf-8")
    chat = one_chat(read(path, ReadOptions(timezone=ZoneInfo("Europe/Helsinki"))))
    assert chat.messages[0].created_at == datetime(2025, 7, 1, 9, 0, tzinfo=UTC)


def test_bare_messages_of_a_file_are_one_thread(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    chat = one_chat(read_value(tmp_path, turns))
    assert [text for _, text in shown(chat)] == ["a", "b", "c"]
    assert [message.pointer for message in chat.messages] == ["/0", "/1", "/2"]
    assert chat.created_at is None


@pytest.mark.parametrize("key", ["conversation_id", "conversationId", "thread_id", "session_id", "chatId", "ticket_id"])
def test_bare_messages_are_grouped_by_the_conversation_they_name(tmp_path: Path, key: str) -> None:
    rows = [
        {key: "A", "role": "user", "content": "a1", "user_id": "u1", "id": "m1"},
        {key: "B", "role": "user", "content": "b1"},
        {key: "A", "role": "assistant", "content": "a2", "id": "m2", "model": "m"},
        {"metadata": {key: "B"}, "role": "assistant", "content": "b2"},
    ]
    first, second = read(jsonl(tmp_path / "log.jsonl", *rows))
    assert isinstance(first, Chat)
    assert isinstance(second, Chat)
    assert (first.native_id, second.native_id, first.user_id) == ("A", "B", "u1")
    assert [text for _, text in shown(first)] == ["a1", "a2"]
    assert [text for _, text in shown(second)] == ["b1", "b2"]
    assert [message.message_id for message in first.messages] == ["m1", "m2"]
    assert [message.pointer for message in first.messages] == ["line 1", "line 3"]


def test_the_assistants_api_lists_newest_first_and_wraps_its_text(tmp_path: Path) -> None:
    def item(role: str, text: str, at: int) -> dict[str, Any]:
        content = [{"type": "text", "text": {"value": text, "annotations": []}}]
        return {"id": f"msg_{at}", "thread_id": "thread_1", "role": role, "content": content, "created_at": at}

    listed = [item("assistant", "b", 1760000002), item("user", "a", 1760000001)]
    chat = one_chat(read_value(tmp_path, {"object": "list", "data": listed, "has_more": False}))
    assert chat.native_id == "thread_1"
    assert [text for _, text in shown(chat)] == ["a", "b"]


def test_the_order_of_a_list_inside_a_record_is_never_changed(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": text, "created": at} for text, at in (("a", 30), ("b", 20), ("c", 10))]
    chat = one_chat(read_value(tmp_path, {"messages": turns}))
    assert [text for _, text in shown(chat)] == ["a", "b", "c"]


@pytest.mark.parametrize("wrapper", ["conversations", "data", "threads", "items"])
def test_threads_under_a_wrapper_key_are_found(tmp_path: Path, wrapper: str) -> None:
    threads = [{"id": name, "messages": [{"role": "user", "content": name}]} for name in "ab"]
    records = read_value(tmp_path, {"version": 1, wrapper: threads})
    assert [chat.native_id for chat in records if isinstance(chat, Chat)] == ["a", "b"]


def test_an_empty_list_beside_the_messages_is_no_wrapper(tmp_path: Path) -> None:
    chat = one_chat(read_value(tmp_path, {"data": [], "messages": [{"role": "user", "content": "hi"}]}))
    assert shown(chat) == [("user", "hi")]


def test_a_list_of_lists_is_a_list_of_threads(tmp_path: Path) -> None:
    value = [[{"role": "user", "content": "a"}], [{"role": "user", "content": "b"}]]
    assert [shown(chat) for chat in read_value(tmp_path, value) if isinstance(chat, Chat)] == [
        [("user", "a")],
        [("user", "b")],
    ]


def test_an_id_made_here_survives_growth_and_a_new_place(tmp_path: Path) -> None:
    opening = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    other = {"messages": [{"role": "user", "content": "other"}]}
    before = read(jsonl(tmp_path / "before.jsonl", {"messages": opening}, other))
    grown = {"messages": [*opening, {"role": "user", "content": "more"}]}
    after = read(jsonl(tmp_path / "after.jsonl", other, grown))
    assert isinstance(before[0], Chat)
    assert isinstance(after[1], Chat)
    assert before[0].native_id == after[1].native_id
    assert before[0].messages[1].message_id == after[1].messages[1].message_id


def test_threads_that_only_share_their_opening_or_their_id_stay_apart(tmp_path: Path) -> None:
    opening = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]
    first = {"messages": [*opening, {"role": "user", "content": "tea"}]}
    second = {"messages": [*opening, {"role": "user", "content": "coffee"}]}
    third, fourth = ({"id": 1, "messages": [{"role": "user", "content": text}]} for text in ("x", "y"))
    records = read(jsonl(tmp_path / "set.jsonl", first, second, first, third, fourth))
    ids = [chat.native_id for chat in records if isinstance(chat, Chat)]
    assert len(ids) == 5
    assert len({ids[0], ids[1], ids[3], ids[4]}) == 4
    assert ids[3] == "1"


def test_json_lines_are_known_by_content_not_by_name(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "export.json", *({"messages": [{"role": "user", "content": text}]} for text in "ab"))
    assert len(read(path)) == 2
    pretty = tmp_path / "pretty.jsonl"
    pretty.write_text(json.dumps({"messages": [{"role": "user", "content": "a"}]}, indent=2), "utf-8")
    assert len(read(pretty)) == 1


def test_line_separators_inside_strings_do_not_cut_a_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes('{"messages": [{"role": "user", "content": "a\u2028b\u0085c"}]}\n'.encode() * 2)
    assert all(isinstance(record, Chat) for record in read(path))


def test_lone_surrogates_and_nul_are_made_storable(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"role": "user", "content": "a\\ud83db\\u0000c", "conversation_id": "\\ud83d"}\n', "utf-8")
    chat = one_chat(read(path))
    chat.messages[0].text.encode("utf-8")
    assert "\0" not in chat.messages[0].text


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "log.jsonl", *({"messages": [{"role": "user", "content": text}]} for text in "abc"))
    path.write_bytes(path.read_bytes()[:-20])
    records = read(path)
    assert [type(record) for record in records] == [Chat, Chat, Skipped]


def test_of_a_torn_single_object_the_turns_before_the_tear_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    turns = [{"role": "user", "content": "first"}, {"role": "assistant", "content": "second"}]
    path.write_text(json.dumps({"id": "x", "messages": turns})[:-12], "utf-8")
    problem, chat = read(path)
    assert isinstance(problem, Skipped)
    assert isinstance(chat, Chat)
    assert ("user", "first") in shown(chat)


@pytest.mark.parametrize("lines", [True, False])
def test_a_compressed_file_that_breaks_off_never_raises(tmp_path: Path, lines: bool) -> None:
    turns = [{"role": "user", "content": f"{n} {n**5}"} for n in range(3000)]
    threads = [{"messages": [turn]} for turn in turns] if lines else [{"messages": turns}]
    content = "\n".join(map(json.dumps, threads))
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(content.encode())[:-100])
    records = list(messages_json.read([only_source(path)], ReadOptions()))
    assert any(isinstance(record, Skipped) for record in records)
    assert any(isinstance(record, Chat) for record in records)


def test_a_record_without_turns_is_a_problem_among_threads_and_a_note_among_messages(tmp_path: Path) -> None:
    thread = {"messages": [{"role": "user", "content": "a"}]}
    among_threads = read(jsonl(tmp_path / "threads.jsonl", thread, {"prompt": "b"}, {"messages": "c"}, 7))
    assert [type(record) for record in among_threads] == [Chat, Skipped, Skipped, Skipped]
    message = {"role": "user", "content": "a"}
    among_messages = read(jsonl(tmp_path / "messages.jsonl", message, {"event": "ping"}))
    assert [type(record) for record in among_messages] == [Note, Chat]


def test_json_pasted_into_a_note_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text('What I saw today:\nthis\nand that\n{"role": "user", "content": "a"}\nfor example\n', "utf-8")
    assert messages_json.sniff(peek(only_source(path))).level == Level.NO


def test_people_with_a_role_are_no_messages(tmp_path: Path) -> None:
    path = tmp_path / "staff.json"
    path.write_text('[{"name": "Ada", "role": "engineer", "content": "profile"}]', "utf-8")
    assert messages_json.sniff(peek(only_source(path))).level == Level.NO


DAMAGE: list[Any] = [
    None,
    7,
    "text",
    [],
    {},
    [[]],
    [None, 1, "x", []],
    {"messages": None},
    {"messages": [None, 1, "x", [], {}]},
    {"messages": [{"role": None, "content": {}}]},
    {"messages": [{"role": [], "content": [[], 1, None, {"type": []}, {"type": "text", "text": 3}]}]},
    {"messages": [{"role": "user", "content": 42}, {"role": "user", "content": {"text": "t"}}]},
    {"messages": [{"role": "assistant", "tool_calls": {"function": {"name": 1}}, "function_call": "f"}]},
    {"messages": [{"role": "assistant", "tool_calls": [None, 1, {"function": None}, {"function": {"name": "f"}}]}]},
    {"messages": [{"role": "user", "content": [{"type": "image_url"}, {"type": "image_url", "image_url": 5}]}]},
    {"messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": []}], "created_at": {}}]},
    {"id": [], "title": {}, "metadata": [], "model": [], "created": "soon", "messages": [{"role": "user"}]},
    {"role": "user", "content": None, "conversation_id": {}},
]


@pytest.mark.parametrize("value", DAMAGE, ids=[json.dumps(value)[:40] for value in DAMAGE])
def test_wrong_types_never_raise(tmp_path: Path, value: Any) -> None:
    for text in (json.dumps(value), json.dumps([value, value]), json.dumps(value) + "\n" + json.dumps(value)):
        path = tmp_path / "damaged.json"
        path.write_text(text, "utf-8")
        source = only_source(path)
        messages_json.sniff(peek(source))
        list(messages_json.read([source], ReadOptions()))


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[", b"\xff\xfe\x00", b'{"messages": [', b'[{"role": "user"', b"\xef\xbb\xbf"]
)
def test_files_cut_short_never_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "short.json"
    path.write_bytes(content)
    source = only_source(path)
    messages_json.sniff(peek(source))
    list(messages_json.read([source], ReadOptions()))


def test_json_nested_too_deeply_costs_only_its_record(tmp_path: Path) -> None:
    deep = '{"role": "user", "content": [' + '{"a":' * 5000 + "1" + "}" * 5000 + "]}"
    path = tmp_path / "deep.json"
    path.write_text(f'[{{"messages": [{deep}]}}, {{"messages": [{{"role": "user", "content": "ok"}}]}}]', "utf-8")
    records = list(messages_json.read([only_source(path)], ReadOptions()))
    assert any(isinstance(record, Skipped) for record in records)
    assert any(shown(chat) == [("user", "ok")] for chat in records if isinstance(chat, Chat))
