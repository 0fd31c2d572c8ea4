"""Claude.ai: layouts, blocks, branches, attachments, design chats, side files, damage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Message, Note, Record, Skipped
from chatmem.readers import claude_ai
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import Detected, detect
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "claude"
ROOT = "00000000-0000-4000-8000-000000000000"


def files(path: Path) -> list[Source]:
    return [source for source in sources(path) if isinstance(source, Source)]


def detected(tmp_path: Path, value: Any, name: str = "conversations.json") -> Detected:
    (tmp_path / name).write_text(json.dumps(value), "utf-8")
    return detect(files(tmp_path / name)[0])


def read(path: Path) -> list[Record]:
    return list(claude_ai.read(files(path), ReadOptions()))


def imported(tmp_path: Path, value: Any) -> list[Record]:
    found = detected(tmp_path, value)
    assert (found.reader, found.level) == (claude_ai, Level.EXACT), found.reason
    return read(tmp_path / "conversations.json")


def only_chat(tmp_path: Path, value: Any) -> Chat:
    chats = [record for record in imported(tmp_path, value) if isinstance(record, Chat)]
    assert len(chats) == 1
    return chats[0]


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "citations": [], "flags": None}


def message(uuid: str, sender: str, content: Any = None, **more: Any) -> dict[str, Any]:
    blocks = [text(content)] if isinstance(content, str) else content
    return {"uuid": uuid, "sender": sender, "text": "", "content": blocks, "attachments": [], "files": [], **more}


def conversation(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"uuid": "c1", "name": "Talk", "summary": "", "chat_messages": list(messages), **more}


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in chat.visible()]


def hidden(chat: Chat) -> dict[str, tuple[str, str]]:
    return {m.message_id: (str(m.hidden), m.text) for m in chat.messages if m.hidden}


def test_the_sample_is_claimed_and_imports_without_a_problem() -> None:
    found = {source.name: detect(source) for source in files(SAMPLE)}
    assert all(d.reader is claude_ai for d in found.values())
    assert found["conversations.json"].level == Level.EXACT
    assert found["users.json"].level == found["memories.json"].level == Level.SIDE
    records = list(claude_ai.read([s for s in files(SAMPLE) if found[s.name].level == Level.EXACT], ReadOptions()))
    chats = [record for record in records if isinstance(record, Chat)]
    assert len(chats) == len(records) == 5
    assert [len(list(chat.visible())) for chat in chats] == [6, 4, 4, 0, 2]
    for chat in chats:
        ids = [m.message_id for m in chat.messages]
        assert len(set(ids)) == len(ids)
        assert all(m.created_at and m.created_at.tzinfo is UTC for m in chat.messages)


def test_a_conversation_keeps_its_own_data_and_nothing_is_guessed(tmp_path: Path) -> None:
    talk = conversation(
        message("m1", "human", "Hello", created_at="2026-05-04T09:00:00.000001Z"),
        created_at="2026-05-04T09:00:00Z",
        updated_at="2026-05-04T09:00:06+00:00",
        summary="Generated **overview**",
    )
    chat = only_chat(tmp_path, [talk])
    assert (chat.chat_id, chat.title, chat.title_origin) == ("claude:c1", "Talk", "export")
    assert chat.source_url == "https://claude.ai/chat/c1"
    assert (chat.created_at, chat.updated_at) == (
        datetime(2026, 5, 4, 9, tzinfo=UTC),
        datetime(2026, 5, 4, 9, 0, 6, tzinfo=UTC),
    )
    assert (chat.project_id, chat.project_name, chat.model, chat.starred) == (None, None, None, False)
    assert (chat.origin.pointer, chat.messages[0].pointer) == ("/0", "/chat_messages/0")
    assert shown(chat) == [("user", "Hello")]


def test_an_api_object_brings_model_project_and_star(tmp_path: Path) -> None:
    talk = conversation(
        message("m1", "human", "Hello"),
        model="claude-sonnet-4-5",
        project_uuid="p1",
        project={"uuid": "p1", "name": "Farm"},
        is_starred=True,
    )
    chat = only_chat(tmp_path, talk)
    assert (chat.model, chat.project_id, chat.project_name, chat.starred) == ("claude-sonnet-4-5", "p1", "Farm", True)
    assert only_chat(tmp_path, conversation(project_uuid="p2", project=None)).project_id == "p2"


@pytest.mark.parametrize("wrapper", [[], "conversations"])
def test_an_array_and_a_wrapped_array_read_alike(tmp_path: Path, wrapper: Any) -> None:
    talks = [conversation(message("m1", "human", "One")), conversation(message("m2", "human", "Two"), uuid="c2")]
    records = imported(tmp_path, {wrapper: talks} if wrapper else talks)
    assert [shown(record) for record in records if isinstance(record, Chat)] == [[("user", "One")], [("user", "Two")]]


def test_every_file_of_an_export_is_read(tmp_path: Path) -> None:
    for number in range(2):
        talk = conversation(message("m1", "human", "Hello"), uuid=f"c{number}")
        (tmp_path / f"conversations-{number}.json").write_text(json.dumps([talk]), "utf-8")
    assert [r.native_id for r in read(tmp_path) if isinstance(r, Chat)] == ["c0", "c1"]


@pytest.mark.parametrize(
    "talk",
    [
        {"uuid": "c1", "messages": [{"uuid": "m1", "sender": "human", "text": "Hello"}]},
        {"uuid": "c1", "messages": [{"uuid": "m1", "role": "human", "text": "Hello"}]},
        {"uuid": "c1", "chat_messages": [{"uuid": "m1", "role": "user", "content": [text("Hello")]}]},
        {"uuid": "c1", "chat_messages": [{"uuid": "m1", "sender": "human", "content": "Hello"}]},
        {"uuid": "c1", "chat_messages": [{"uuid": "m1", "sender": "Human", "content": json.dumps([text("Hello")])}]},
        {"uuid": "c1", "chat_messages": [{"uuid": "m1", "sender": "human", "content": ["Hello"]}]},
    ],
)
def test_key_variants_read_alike(tmp_path: Path, talk: Any) -> None:
    assert shown(only_chat(tmp_path, [talk])) == [("user", "Hello")]


def test_blocks_win_over_the_flat_text_and_its_notices(tmp_path: Path) -> None:
    flat = "Here.\n```\nThis block is not supported on your current device yet.\n```\nDone."
    blocks = [text("Here."), {"type": "tool_use", "id": None, "name": "artifacts", "input": {}}, text("Done.")]
    chat = only_chat(tmp_path, [conversation(message("m1", "assistant", blocks, text=flat))])
    assert shown(chat) == [("assistant", "Here.\n\nDone.")]


@pytest.mark.parametrize("content", [None, [], [text("")], [{"type": "text"}], "", {}])
def test_the_flat_text_counts_where_no_block_says_anything(tmp_path: Path, content: Any) -> None:
    flat = "Here.\n```\nThis block is not supported on your current device yet.\n```\nDone."
    raw = {"uuid": "m1", "sender": "assistant", "content": content, "text": flat}
    assert shown(only_chat(tmp_path, [conversation(raw)])) == [("assistant", "Here.\n\nDone.")]


@pytest.mark.parametrize(
    ("blocks", "joined"),
    [
        (["It is 35 cm tall, ", "so ten reach 3.5 m."], "It is 35 cm tall, so ten reach 3.5 m."),
        (["The tower", " is old."], "The tower is old."),
        (["The reports agree", ", all of them."], "The reports agree, all of them."),
        (["Hourly from six.", "The last boat is at ten."], "Hourly from six.\n\nThe last boat is at ten."),
        (["End of one", "\n\n", "Start of two"], "End of one\n\nStart of two"),
        (["```\ncode\n```", "After"], "```\ncode\n```\n\nAfter"),
    ],
)
def test_text_blocks_continue_a_sentence_or_begin_a_paragraph(tmp_path: Path, blocks: list[str], joined: str) -> None:
    raw = message("m1", "assistant", [text(block) for block in blocks])
    assert shown(only_chat(tmp_path, [conversation(raw)])) == [("assistant", joined)]


def test_what_stood_around_a_tool_call_never_grows_together(tmp_path: Path) -> None:
    blocks = [
        text("Let me look"),
        {"type": "tool_use", "name": "web_search", "input": {"query": "x"}},
        text("Found it"),
    ]
    chat = only_chat(tmp_path, [conversation(message("m1", "assistant", blocks))])
    assert shown(chat) == [("assistant", "Let me look\n\nFound it")]


def test_thinking_tools_and_injected_prompts_are_hidden_parts_in_reading_order(tmp_path: Path) -> None:
    answer = [
        {"type": "thinking", "thinking": "Recall sizes.", "summaries": [{"summary": "Sizes"}]},
        {"type": "thinking", "thinking": "", "summaries": [{"summary": "Only a summary"}, 3]},
        {"type": "tool_use", "id": None, "name": "web_search", "input": {"query": "bale height", "limit": 3}},
        {"type": "tool_result", "name": "web_search", "content": [{"type": "knowledge", "title": "T", "text": "Snip"}]},
        text("About 35 cm."),
        {"type": "tool_result", "content": "plain result"},
    ]
    question = [{"type": "injected_prompt_block", "prompt": "Today is Monday."}, text("How tall?")]
    chat = only_chat(tmp_path, [conversation(message("q", "human", question), message("a", "assistant", answer))])
    assert shown(chat) == [("user", "How tall?"), ("assistant", "About 35 cm.")]
    assert hidden(chat) == {
        "q/injected": ("injected", "Today is Monday."),
        "a/thinking": ("thinking", "Recall sizes."),
        "a/thinking/2": ("thinking", "Only a summary"),
        "a/tool/1": ("tool", "web_search\nquery: bale height\nlimit: 3"),
        "a/tool/2": ("tool", "T\nSnip"),
        "a/tool/3": ("tool", "plain result"),
    }
    assert [m.message_id for m in chat.messages][-2:] == ["a", "a/tool/3"]


def test_an_unknown_block_is_kept_hidden_and_told_once(tmp_path: Path) -> None:
    blocks = [{"type": "token_budget"}, text("Six."), {"type": "hologram_block", "payload": {"x": "ünïque"}}]
    talk = conversation(message("m1", "assistant", blocks), message("m2", "assistant", blocks))
    records = imported(tmp_path, [talk])
    notes = [record for record in records if isinstance(record, Note)]
    assert [note.text for note in notes] == ["unknown block type `hologram_block`; kept as a hidden part"]
    (chat,) = [record for record in records if isinstance(record, Chat)]
    assert shown(chat) == [("assistant", "Six."), ("assistant", "Six.")]
    assert ("tool", '{"type": "hologram_block", "payload": {"x": "ünïque"}}') in hidden(chat).values()


def test_a_voice_note_is_visible_and_embedded_bytes_are_not_kept(tmp_path: Path) -> None:
    picture = {"type": "image", "source": {"type": "base64", "data": "QUJD" * 1000}, "file_uuid": "f1"}
    chat = only_chat(
        tmp_path, [conversation(message("m1", "human", [{"type": "voice_note", "title": "Say"}, picture]))]
    )
    assert shown(chat) == [("user", "Say")]
    assert all("QUJD" not in m.text for m in chat.messages)
    assert any("f1" in m.text for m in chat.messages)


def test_what_a_tool_wrote_is_an_attachment_of_the_answer(tmp_path: Path) -> None:
    calls: list[dict[str, Any]] = [
        {"name": "artifacts", "input": {"command": "create", "id": "h", "type": "text/markdown", "title": "Haiku",
                                        "content": "Old pond"}},
        {"name": "artifacts", "input": {"command": "update", "id": "h", "old_str": "Old", "new_str": "New"}},
        {"name": "create_file", "input": {"path": "/mnt/out/report.html", "file_text": "<h1>Q3</h1>"}},
    ]  # fmt: skip
    blocks = [text("Here it comes."), *({"type": "tool_use", **call} for call in calls)]
    chat = only_chat(tmp_path, [conversation(message("m1", "assistant", blocks))])
    (answer,) = chat.visible()
    assert [(a.name, a.mime, a.pointer, a.present) for a in answer.attachments] == [
        ("Haiku", "text/markdown", "m1/tool/1", True),
        ("report.html", None, "m1/tool/3", True),
    ]
    assert "Old pond" in hidden(chat)["m1/tool/1"][1]


def test_a_message_of_files_alone_names_them_and_their_text_stays_apart(tmp_path: Path) -> None:
    raw = message(
        "m1",
        "human",
        [],
        attachments=[
            {"file_name": "offer.txt", "file_size": 12, "file_type": "txt", "extracted_content": "28.450 Euro"},
            {"file_name": "", "file_size": "?", "extracted_content": "a pasted page"},
        ],
        files=[
            {"file_uuid": "f1", "file_name": "offer.txt"},
            {"file_uuid": "f2", "file_name": ""},
            {"file_name": "a.png"},
        ],
        files_v2=[{"file_uuid": "f2", "file_name": ""}, {"file_name": "a.png"}, None],
    )
    chat = only_chat(tmp_path, [conversation(raw)])
    assert shown(chat) == [("user", "[attached: offer.txt, pasted text, f2, a.png]")]
    assert [text for _, text in hidden(chat).values()] == ["28.450 Euro", "a pasted page"]
    (asked,) = chat.visible()
    assert next((a.name, a.size, a.present) for a in asked.attachments) == ("offer.txt", 12, True)


def test_a_message_without_anything_stays_as_a_placeholder(tmp_path: Path) -> None:
    chat = only_chat(tmp_path, [conversation(message("m1", "human", []), message("m2", "assistant", []))])
    assert list(chat.visible()) == []
    assert [m.hidden for m in chat.messages] == ["placeholder", "placeholder"]


def test_equal_times_keep_the_order_of_the_array(tmp_path: Path) -> None:
    at = "2025-11-16T19:02:11.004410Z"
    talk = conversation(
        message("z", "human", "Question", created_at=at), message("a", "assistant", "Answer", created_at=at)
    )
    assert shown(only_chat(tmp_path, [talk])) == [("user", "Question"), ("assistant", "Answer")]


def edited_prompt(**more: Any) -> dict[str, Any]:
    return conversation(
        message("q", "human", "Question", parent_message_uuid=ROOT, created_at="2026-01-01T10:00:00Z"),
        message("a", "assistant", "First", parent_message_uuid="q", created_at="2026-01-01T10:00:05Z"),
        message("a2", "assistant", "Second", parent_message_uuid="q", created_at="2026-01-01T10:03:00Z"),
        message("q2", "human", "Edited", parent_message_uuid=ROOT, created_at="2026-01-01T10:02:00Z"),
        **more,
    )


def branches(chat: Chat) -> dict[str, str]:
    return {m.message_id: m.branch for m in chat.messages}


def test_the_latest_leaf_is_shown_and_the_rest_is_alternate(tmp_path: Path) -> None:
    chat = only_chat(tmp_path, [edited_prompt()])
    assert shown(chat) == [("user", "Question"), ("assistant", "Second")]
    assert branches(chat) == {"q": "main", "a2": "main", "a": "alternate", "q2": "alternate"}
    assert {m.message_id: m.parent_id for m in chat.messages} == {"q": None, "a": "q", "a2": "q", "q2": None}


def test_the_named_leaf_wins_over_the_latest(tmp_path: Path) -> None:
    chat = only_chat(tmp_path, [edited_prompt(current_leaf_message_uuid="a")])
    assert shown(chat) == [("user", "Question"), ("assistant", "First")]
    lost = only_chat(tmp_path, [edited_prompt(current_leaf_message_uuid="gone")])
    assert shown(lost) == [("user", "Question"), ("assistant", "Second")]


@pytest.mark.parametrize("parent", ["gone", None, 7, "b"])
def test_an_unknown_parent_means_the_preceding_message(tmp_path: Path, parent: Any) -> None:
    talk = conversation(
        message("a", "human", "One", parent_message_uuid=ROOT),
        message("b", "assistant", "Two", parent_message_uuid=parent),
        message("c", "human", "Three", parent_message_uuid="b"),
    )
    assert [words for _, words in shown(only_chat(tmp_path, [talk]))] == ["One", "Two", "Three"]


def test_parents_in_a_circle_end(tmp_path: Path) -> None:
    talk = conversation(
        message("a", "human", "One", parent_message_uuid="b"), message("b", "assistant", "Two", parent_message_uuid="a")
    )
    assert len(shown(only_chat(tmp_path, [talk]))) == 2


def test_a_share_snapshot_goes_by_the_conversation_it_copies(tmp_path: Path) -> None:
    snapshot = {
        "uuid": "s1",
        "conversation_uuid": "c9",
        "snapshot_name": "Shared talk",
        "chat_messages": [{"uuid": "m1", "sender": "human", "index": 0, "content": None, "text": "Hello"}],
    }
    chat = only_chat(tmp_path, snapshot)
    assert (chat.native_id, chat.title, shown(chat)) == ("c9", "Shared talk", [("user", "Hello")])


def test_a_design_chat_is_a_thread(tmp_path: Path) -> None:
    design = {
        "uuid": "d1",
        "title": "Poster",
        "project": {"uuid": "p1", "name": "Workshop"},
        "messages": [
            {"uuid": "m1", "role": "user", "content": {"content": "A poster, please", "contentBlocks": [],
                                                       "attachments": [{"name": "logo.svg", "content": "<svg/>"}]}},
            {"uuid": "m2", "role": "assistant", "content": {"timestamp": "2026-04-11T13:00:00Z", "contentBlocks": [
                {"type": "thinking", "text": "Two colours."},
                {"type": "tool_call", "toolCall": {"name": "write_file", "input": {"path": "p.html"}}},
                {"type": "text", "text": "Done."},
                {"type": "user_interjection", "message": {"content": "Bigger!"}},
                {"type": "error", "message": "Out of credits"},
            ]}},
        ],
    }  # fmt: skip
    chat = only_chat(tmp_path, design)
    assert (chat.title, chat.project_name, chat.source_url) == ("Poster", "Workshop", None)
    assert shown(chat) == [("user", "A poster, please"), ("assistant", "Done."), ("user", "Bigger!")]
    assert hidden(chat) == {
        "m1/attachment": ("injected", "<svg/>"),
        "m2/thinking": ("thinking", "Two colours."),
        "m2/tool/1": ("tool", "write_file\npath: p.html"),
        "m2/error": ("system", "Out of credits"),
    }
    assert chat.updated_at == datetime(2026, 4, 11, 13, tzinfo=UTC)


@pytest.mark.parametrize("speaker", ["narrator", None, 3, {"name": "x"}])
def test_an_unknown_speaker_stays_hidden_and_is_told(tmp_path: Path, speaker: Any) -> None:
    talk = conversation(message("m1", "human", "Hello"), {**message("m2", "", "Who?"), "sender": speaker})
    records = imported(tmp_path, [talk])
    (chat,) = [record for record in records if isinstance(record, Chat)]
    assert shown(chat) == [("user", "Hello")]
    assert hidden(chat) == {"m2": ("system", "Who?")}
    assert [type(record) for record in records] == [Note, Chat]


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("users.json", [{"uuid": "u1", "full_name": "Sample", "email_address": "a@example.invalid"}], "account"),
        ("projects.json", [{"uuid": "p1", "name": "Farm", "docs": [], "prompt_template": ""}], "projects"),
        ("p1.json", {"uuid": "p1", "name": "Farm", "is_starter_project": True}, "projects"),
        ("memories.json", [{"conversations_memory": "Grows plums", "project_memories": {}}], "memory"),
        ("memories.json", {"project_memories": {"p1": "clay"}}, "memory"),
    ],
)
def test_side_files_hold_no_chats(tmp_path: Path, name: str, value: Any, word: str) -> None:
    found = detected(tmp_path, value, name)
    assert (found.reader, found.level) == (claude_ai, Level.SIDE)
    assert word in found.reason


def test_a_lone_manifest_says_what_to_download(tmp_path: Path) -> None:
    listed = [
        {"category": "conversations", "export_url": "https://claude.ai/x", "filename": "conversations-000.zip"},
        {"category": "light_metadata", "export_url": "https://claude.ai/y", "filename": "light_metadata-000.zip"},
    ]
    found = detected(tmp_path, {"total_files": 2, "data_files": listed}, "manifest-1.json")
    assert (found.reader, found.level) == (claude_ai, Level.SIDE)
    assert "download the listed files" in found.reason and "conversations-000.zip" in found.reason


@pytest.mark.parametrize(
    "value",
    [
        [{"uuid": "c1", "chat_messages": [], "mapping": {"a": {"message": None, "parent": None}}}],
        [{"id": "c1", "messages": [{"role": "user", "content": "Hello"}]}],
        [{"uuid": "c1", "messages": [{"role": "user", "content": "Hello"}]}],
        {"data_files": [{"category": "x"}], "total_files": 0},
        {"export_files": [{"path": "a", "size_bytes": 1}]},
        [{"uuid": "x"}],
        [[], 1, None, "uuid"],
        {},
    ],
)
def test_what_is_not_claude_is_left_alone(tmp_path: Path, value: Any) -> None:
    assert detected(tmp_path, value).reader is not claude_ai


def problems(records: Sequence[Record]) -> list[str]:
    return [record.where.rsplit(" ", 1)[-1] for record in records if isinstance(record, Skipped)]


def test_a_damaged_conversation_costs_only_itself(tmp_path: Path) -> None:
    good = [json.dumps(conversation(message("m1", "human", f"Talk {n}"), uuid=f"c{n}")) for n in range(3)]
    broken = '{"uuid": "cx", "name": "Broken", "summary": "", "chat_messages": [{"uuid": "m1", "sender": }]}'
    (tmp_path / "conversations.json").write_text(f"[{good[0]},{broken},{good[1]},{good[2]}]", "utf-8")
    (source,) = files(tmp_path)
    assert detect(source).reader is claude_ai
    records = read(tmp_path)
    assert [r.native_id for r in records if isinstance(r, Chat)] == ["c0", "c1", "c2"]
    assert problems(records) == ["/1"]


def test_a_message_that_is_no_object_costs_only_itself(tmp_path: Path) -> None:
    records = imported(tmp_path, [conversation(message("m1", "human", "Hello"), None, "loose", 3)])
    assert problems(records) == ["/0/chat_messages/1", "/0/chat_messages/2", "/0/chat_messages/3"]
    (chat,) = [record for record in records if isinstance(record, Chat)]
    assert shown(chat) == [("user", "Hello")]


def test_elements_that_are_no_conversation_are_named(tmp_path: Path) -> None:
    talk = conversation(message("m1", "human", "Hello"))
    odd = [3, None, "x", [talk], {"uuid": "c2", "chat_messages": "none"}]
    records = imported(tmp_path, [talk, *odd])
    assert problems(records) == ["/1", "/2", "/3", "/4", "/5"]


def test_a_conversation_without_messages_is_yielded_empty(tmp_path: Path) -> None:
    empty: list[dict[str, Any]] = [
        {"uuid": "c1", "chat_messages": None},
        {"uuid": "c1", "chat_messages": [], "name": None},
    ]
    for value in empty:
        chat = only_chat(tmp_path, [value])
        assert (chat.messages, chat.title, chat.title_origin) == ((), None, "derived")


def test_ids_missing_from_the_export_come_from_content_and_stay_the_same(tmp_path: Path) -> None:
    nameless = {"chat_messages": [{"sender": "human", "text": "Hello", "created_at": "2026-01-01T00:00:00Z"}]}
    talk = conversation(message("m1", "human", "Other"))
    first = [r for r in imported(tmp_path, [talk, nameless]) if isinstance(r, Chat)]
    again = [r for r in imported(tmp_path, [talk, talk, nameless]) if isinstance(r, Chat)]
    assert first[-1].chat_id == again[-1].chat_id
    assert first[-1].messages[0].message_id == again[-1].messages[0].message_id


def test_broken_unicode_is_repaired(tmp_path: Path) -> None:
    raw = '[{"uuid":"c1","name":"\\ud83d","chat_messages":[{"uuid":"m1","sender":"human","text":"a\\u0000b \\udc00"}]}]'
    (tmp_path / "conversations.json").write_text(raw, "utf-8")
    (chat,) = [record for record in read(tmp_path) if isinstance(record, Chat)]
    ((_, words),) = shown(chat)
    assert words.encode("utf-8") and "\0" not in words


WRONG: list[Any] = [None, 0, -1, 1e400, True, "", "x", [], [None], [[]], {}, {"a": 1}, "\ud800"]


def parts_of(messages: Sequence[Message]) -> list[tuple[Any, ...]]:
    return [(m.message_id, m.role, m.text, m.parent_id, m.attachments) for m in messages]


@pytest.mark.parametrize(
    "key", ["uuid", "name", "created_at", "project", "model", "chat_messages", "current_leaf_message_uuid", "mapping"]
)
def test_a_wrong_type_in_a_conversation_never_raises(tmp_path: Path, key: str) -> None:
    path = tmp_path / "conversations.json"
    for value in WRONG:
        path.write_text(json.dumps([{**conversation(message("m1", "human", "Hello")), key: value}]), "utf-8")
        assert all(isinstance(record, Chat | Skipped | Note) for record in read(path))


@pytest.mark.parametrize(
    "key",
    ["uuid", "sender", "text", "content", "created_at", "attachments", "files", "files_v2", "parent_message_uuid"],
)
def test_a_wrong_type_in_a_message_never_raises(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        raw = {**message("m1", "human", "Hello"), key: value}
        chat = only_chat(tmp_path, [conversation(raw, message("m2", "assistant", "Bye"))])
        assert shown(chat)[-1] == ("assistant", "Bye")
        assert parts_of(chat.messages)


@pytest.mark.parametrize(
    "key",
    ["type", "text", "title", "thinking", "summaries", "name", "input", "content", "message", "source", "toolCall"],
)
@pytest.mark.parametrize(
    "kind",
    ["text", "thinking", "tool_use", "tool_result", "injected_prompt_block", "image", "error", "user_interjection"],
)
def test_a_wrong_type_in_a_block_never_raises(tmp_path: Path, kind: str, key: str) -> None:
    for value in WRONG:
        chat = only_chat(
            tmp_path, [conversation(message("m1", "assistant", [{"type": kind, key: value}, text("Bye.")]))]
        )
        assert [words for _, words in shown(chat)][-1].endswith("Bye.")


@pytest.mark.parametrize(
    "content", ["", "[", "[{", '[{"uuid": "c1", "chat_messages": [', "{}", "null", "[1, 2", "\x00"]
)
def test_a_cut_off_file_never_raises(tmp_path: Path, content: str) -> None:
    (tmp_path / "conversations.json").write_text(content, "utf-8")
    assert not [record for record in read(tmp_path) if isinstance(record, Chat) and record.messages]
