"""ChatGPT exports: the tree, what is hidden, what text says, and every trap of formats.md section 2."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.model import Chat, Message, Note, Record, Skipped
from chatmem.readers import chatgpt
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "chatgpt"
BEGAN = 1_750_000_000.0

Json = dict[str, Any]


def node(key: str, parent: str | None, message: Json | None) -> Json:
    return {"id": key, "parent": parent, "message": message}


def said(key: str, role: str, content: Any, at: float | None = None, **more: Any) -> Json:
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    return {"id": key, "author": {"role": role}, "content": content, "create_time": at, **more}


def conversation(*turns: tuple[Any, ...], **more: Any) -> Json:
    """A straight chat of (role, text or content) or (role, content, further message keys)."""
    mapping = {"root": node("root", None, None)}
    parent = "root"
    for number, (role, content, *rest) in enumerate(turns, 1):
        extra: Json = rest[0] if rest else {}
        mapping[f"m{number}"] = node(f"m{number}", parent, said(f"m{number}", role, content, BEGAN + number, **extra))
        parent = f"m{number}"
    return {
        "conversation_id": "c1",
        "title": "T",
        "create_time": BEGAN,
        "mapping": mapping,
        "current_node": parent,
        **more,
    }


def tree(nodes: list[Json], current: str | None = None, **more: Any) -> Json:
    return {"conversation_id": "c1", "mapping": {n["id"]: n for n in nodes}, "current_node": current, **more}


def records(folder: Path, data: Any, name: str = "conversations.json") -> list[Record]:
    (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return list(chatgpt.read(found(folder), ReadOptions()))


def found(path: Path) -> list[Source]:
    items = list(sources(path))
    assert not [item for item in items if isinstance(item, Skipped)]
    return [s for s in items if isinstance(s, Source) and detect(s).reader is chatgpt]


def only(items: list[Record]) -> Chat:
    (item,) = items
    assert isinstance(item, Chat)
    return item


def chat_of(folder: Path, raw: Json) -> Chat:
    return only([r for r in records(folder, [raw]) if not isinstance(r, Note)])


def message_of(folder: Path, role: str, content: Any, **more: Any) -> Message:
    raw = conversation((role, content, more))
    return chat_of(folder, raw).messages[-1]


def texts(chat: Chat, branch: str = "main") -> list[str]:
    return [m.text for m in chat.messages if m.branch == branch and m.hidden is None]


# -- layout -----------------------------------------------------------------------------------------------------------


def test_the_sample_imports_without_a_problem() -> None:
    items = list(chatgpt.read(found(SAMPLE), ReadOptions()))
    assert len(items) == 8
    assert all(isinstance(item, Chat) for item in items)
    assert sum(len(list(item.visible())) for item in items if isinstance(item, Chat)) == 42


def test_the_sample_is_claimed_exactly_and_its_side_files_are_no_chats() -> None:
    levels = {
        Path(s.path).relative_to(SAMPLE).as_posix(): detect(s).level for s in sources(SAMPLE) if isinstance(s, Source)
    }
    assert {name for name, level in levels.items() if level == Level.EXACT} == {
        "2025-12-01-export/conversations.json",
        "2026-07-01-export/conversations-000.json",
        "2026-07-01-export/conversations-001.json",
    }
    assert levels["2026-07-01-export/export_manifest.json"] == Level.SIDE
    assert levels["2026-07-01-export/conversation_asset_file_names.json"] == Level.SIDE
    assert levels["2026-07-01-export/group_chats.json"] == Level.NO


def test_side_files_are_passed_over_even_when_they_are_given_to_the_reader(tmp_path: Path) -> None:
    for name, data in {
        "export_manifest.json": {"export_files": [{"path": "conversations-000.json", "size_bytes": 2}]},
        "conversation_asset_file_names.json": {"file-abc.dat": "a.png"},
        "message_feedback.json": [
            {"conversation_id": "c1", "rating": "thumbs_up", "create_time": "2025-01-01T00:00:00Z"}
        ],
        "shared_conversations.json": [{"id": "s", "conversation_id": "c1", "title": "T", "is_anonymous": True}],
        "user.json": {"id": "u", "email": "a@example.org", "chatgpt_plus_user": True},
    }.items():
        (tmp_path / name).write_text(json.dumps(data))
    given_ = [s for s in sources(tmp_path) if isinstance(s, Source)]
    assert [detect(s).level for s in given_] == [Level.SIDE] * 5
    assert list(chatgpt.read(given_, ReadOptions())) == []


def test_all_shards_of_nested_zips_are_read(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        for number in range(3):
            raw = conversation(("user", f"shard {number}"), conversation_id=f"c{number}")
            archive.writestr(f"conversations-00{number}.json", json.dumps([raw], indent=2, sort_keys=True))
        archive.writestr("group_chats.json", '{"chats": []}')
    with zipfile.ZipFile(tmp_path / "privacy.zip", "w") as archive:
        archive.writestr("Conversations__1-chatgpt.zip", inner.getvalue())
    chats = [r for r in chatgpt.read(found(tmp_path), ReadOptions()) if isinstance(r, Chat)]
    assert [texts(c) for c in chats] == [["shard 0"], ["shard 1"], ["shard 2"]]
    assert chats[1].origin.member == "Conversations__1-chatgpt.zip!conversations-001.json"
    assert chats[1].origin.pointer == "/0"


def test_a_chat_in_two_shards_is_given_twice_for_the_archive_to_decide(tmp_path: Path) -> None:
    records(tmp_path, [conversation(("user", "hello"))], "conversations-000.json")
    items = records(tmp_path, [conversation(("user", "hello"), ("assistant", "hi"))], "conversations-001.json")
    assert [len(c.messages) for c in items if isinstance(c, Chat)] == [1, 2]


@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: [c], lambda c: {"conversations": [c], "version": 1}])
def test_one_object_an_array_and_a_wrapper_are_the_same(tmp_path: Path, wrap: Callable[[Json], Any]) -> None:
    assert texts(only(records(tmp_path, wrap(conversation(("user", "hello")))))) == ["hello"]


# -- the fields of a chat ---------------------------------------------------------------------------------------------


def test_the_fields_of_a_chat(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path,
        conversation(
            ("user", "hello"),
            ("assistant", "hi", {"metadata": {"model_slug": "gpt-4o-mini"}}),
            update_time=BEGAN + 60.5,
            default_model_slug="gpt-4o",
            gizmo_id="g-p-1234",
            is_archived=True,
            is_starred=True,
        ),
    )
    assert (chat.chat_id, chat.title, chat.title_origin, chat.model) == ("chatgpt:c1", "T", "export", "gpt-4o")
    assert chat.created_at == datetime.fromtimestamp(BEGAN, UTC)
    assert chat.updated_at == datetime.fromtimestamp(BEGAN + 60.5, UTC)
    assert (chat.project_id, chat.project_name, chat.agent_id) == ("g-p-1234", None, None)
    assert chat.source_url == "https://chatgpt.com/c/c1"
    assert (chat.archived, chat.starred) == (True, True)
    assert [(m.role, m.model, m.pointer) for m in chat.messages] == [
        ("user", None, "/mapping/m1"),
        ("assistant", "gpt-4o-mini", "/mapping/m2"),
    ]


@pytest.mark.parametrize(
    ("ids", "project", "agent"),
    [
        ({"gizmo_id": "g-abc", "gizmo_type": "gpt"}, None, "g-abc"),
        ({"conversation_template_id": "g-p-1", "gizmo_type": "snorlax"}, "g-p-1", None),
        ({"gizmo_id": "g-abc", "conversation_template_id": "g-p-1"}, "g-p-1", "g-abc"),
        ({"gizmo_id": None, "conversation_template_id": None}, None, None),
    ],
)
def test_a_project_is_no_custom_gpt(tmp_path: Path, ids: Json, project: str | None, agent: str | None) -> None:
    chat = chat_of(tmp_path, conversation(("user", "hello"), **ids))
    assert (chat.project_id, chat.agent_id) == (project, agent)


@pytest.mark.parametrize("slug", [None, "auto", "", 7.5])
def test_without_a_named_model_the_first_answer_tells_it(tmp_path: Path, slug: Any) -> None:
    turns = (("user", "hi"), ("assistant", "hello", {"metadata": {"model_slug": "gpt-5"}}))
    chat = chat_of(tmp_path, conversation(*turns, default_model_slug=slug if isinstance(slug, str) else None))
    assert chat.model == "gpt-5"


@pytest.mark.parametrize("title", [None, "", "  ", "New chat", "Neuer Chat", 5])
def test_without_a_title_the_first_prompt_gives_one_and_never_the_custom_instructions(
    tmp_path: Path, title: Any
) -> None:
    instructions = {
        "content_type": "user_editable_context",
        "user_profile": "Keeps bees",
        "user_instructions": "Metric",
    }
    chat = chat_of(tmp_path, conversation(("user", instructions), ("user", "Why do cats knead?"), title=title))
    assert (chat.title, chat.title_origin) == ("Why do cats knead?", "derived")


def test_without_times_they_come_from_the_messages_of_any_branch_or_stay_unknown(tmp_path: Path) -> None:
    raw = conversation(("user", "hello"), ("assistant", "hi"), create_time=None)
    chat = chat_of(tmp_path, raw)
    assert chat.created_at == datetime.fromtimestamp(BEGAN + 1, UTC)
    assert chat.updated_at == datetime.fromtimestamp(BEGAN + 2, UTC)
    for key in ("m1", "m2"):
        raw["mapping"][key]["message"]["create_time"] = 0
    chat = chat_of(tmp_path, raw)
    assert (chat.created_at, chat.updated_at, chat.messages[0].created_at) == (None, None, None)


def test_an_older_file_has_only_id_and_none_at_all_gives_a_stable_one(tmp_path: Path) -> None:
    raw = conversation(("user", "hello"), ("assistant", "hi"))
    del raw["conversation_id"]
    without = chat_of(tmp_path, raw)
    assert without.source_url is None
    grown = conversation(("user", "hello"), ("assistant", "hi"), ("user", "more"))
    del grown["conversation_id"]
    assert [r.native_id for r in records(tmp_path, [conversation(("user", "x")), grown]) if isinstance(r, Chat)][1] == (
        without.native_id
    )
    assert chat_of(tmp_path, raw | {"id": "old"}).chat_id == "chatgpt:old"


# -- the tree ---------------------------------------------------------------------------------------------------------


def branching() -> list[Json]:
    return [
        node("root", None, None),
        node("b2", "a1", said("b2", "assistant", "newer answer", BEGAN + 9)),
        node("q1", "root", said("q1", "user", "question", BEGAN + 1)),
        node("a1", "q1", said("a1", "assistant", "shown answer", BEGAN + 2)),
        node("a2", "q1", said("a2", "assistant", "regenerated answer", BEGAN + 3)),
        node("q2", "a1", said("q2", "user", "shown follow-up", BEGAN + 4)),
        node("q3", "a2", said("q3", "user", "other follow-up", BEGAN + 8)),
    ]


def test_the_displayed_path_is_the_chain_from_the_current_node_and_the_rest_are_alternates(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, tree(branching(), "q2"))
    assert texts(chat) == ["question", "shown answer", "shown follow-up"]
    assert texts(chat, "alternate") == ["newer answer", "regenerated answer", "other follow-up"]
    assert {m.message_id: m.parent_id for m in chat.messages} == {
        "q1": None, "a1": "q1", "q2": "a1", "b2": "a1", "a2": "q1", "q3": "a2",
    }  # fmt: skip


@pytest.mark.parametrize("current", [None, "gone", 5, ["q2"]])
def test_without_a_usable_current_node_the_latest_visible_end_is_shown(tmp_path: Path, current: Any) -> None:
    nodes = [*branching(), node("t1", "q2", said("t1", "tool", "trailing tool output", BEGAN + 99))]
    chat = chat_of(tmp_path, tree(nodes) | {"current_node": current})
    assert texts(chat) == ["question", "shown answer", "newer answer"]


def test_of_ends_at_the_same_time_the_last_in_the_file_and_never_a_superseded_one_is_shown(tmp_path: Path) -> None:
    nodes = [node("root", None, None)]
    nodes += [node(key, "root", said(key, "user", key, BEGAN)) for key in ("a", "b", "c")]
    assert texts(chat_of(tmp_path, tree(nodes))) == ["c"]
    nodes[-1]["message"]["weight"] = 0
    assert texts(chat_of(tmp_path, tree(nodes))) == ["b"]


def test_weight_zero_hides_nothing_on_the_displayed_path(tmp_path: Path) -> None:
    assert texts(chat_of(tmp_path, conversation(("user", "a", {"weight": 0}), ("assistant", "b", {"weight": 0})))) == [
        "a",
        "b",
    ]


def test_times_that_run_backwards_change_no_order(tmp_path: Path) -> None:
    raw = conversation(("user", "one"), ("assistant", "two"), ("user", "three"))
    for key, at in (("m1", BEGAN + 50), ("m2", BEGAN + 10), ("m3", None)):
        raw["mapping"][key]["message"]["create_time"] = at
    assert texts(chat_of(tmp_path, raw)) == ["one", "two", "three"]


def test_a_cycle_ends_the_walk_and_loses_nothing(tmp_path: Path) -> None:
    nodes = [node("a", "b", said("a", "user", "a")), node("b", "a", said("b", "assistant", "b")), node("c", "c", None)]
    chat = chat_of(tmp_path, tree(nodes, "a"))
    assert sorted(texts(chat)) == ["a", "b"]


@pytest.mark.parametrize("with_children", [True, False])
def test_a_dropped_node_does_not_cut_off_the_history_before_it(tmp_path: Path, with_children: bool) -> None:
    nodes = [
        node("root", None, None),
        node("q1", "root", said("q1", "user", "first", BEGAN + 1)),
        node("a1", "q1", said("a1", "assistant", "second", BEGAN + 2)),
        node("q3", "dropped", said("q3", "user", "third", BEGAN + 5)),
        node("a3", "q3", said("a3", "assistant", "fourth", BEGAN + 6)),
    ]
    if with_children:
        nodes[2]["children"] = ["dropped"]
    chat = chat_of(tmp_path, tree(nodes, "a3"))
    assert texts(chat) == ["first", "second", "third", "fourth"]
    assert chat.messages[2].parent_id == "a1"


def test_ids_stay_unique_when_a_file_repeats_them(tmp_path: Path) -> None:
    nodes = [node("a", None, said("same", "user", "one")), node("b", "a", said("same", "assistant", "two"))]
    assert [m.message_id for m in chat_of(tmp_path, tree(nodes, "b")).messages] == ["same", "same~2"]


def test_a_node_key_with_a_slash_still_makes_a_pointer(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, tree([node("a/b~c", None, said("x", "user", "one"))], "a/b~c"))
    assert chat.messages[0].pointer == "/mapping/a~1b~0c"


# -- what is hidden ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("role", "content", "more", "hidden", "text"),
    [
        ("user", "hello", {}, None, "hello"),
        ("assistant", "hello", {"recipient": "all"}, None, "hello"),
        ("assistant", "hello", {"recipient": None}, None, "hello"),
        ("assistant", "hello", {"recipient": "python"}, "tool", "hello"),
        ("USER", "hello", {}, None, "hello"),
        ("system", "be kind", {}, "system", "be kind"),
        ("tool", "result", {}, "tool", "result"),
        ("assistant", "saved", {"recipient": "bio"}, "tool", "saved"),
        ("user", "x", {"metadata": {"is_visually_hidden_from_conversation": True}}, "injected", "x"),
        ("user", "x", {"metadata": {"is_user_system_message": True}}, "injected", "x"),
        ("assistant", "  \n", {}, "placeholder", "  \n"),
        ("assistant", {"content_type": "code", "language": "python", "text": "1+1"}, {"recipient": "python"}, "tool",
         "```python\n1+1\n```"),
        ("assistant", {"content_type": "code", "language": "unknown", "text": "1+1"}, {}, "tool", "```\n1+1\n```"),
        ("assistant", {"content_type": "code", "language": "sh", "text": "ls"}, {"recipient": "all"}, None,
         "```sh\nls\n```"),
        ("assistant", {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}, None, 5]}, {},
         "thinking", "S\nC"),
        ("assistant", {"content_type": "thoughts", "thoughts": "odd"}, {}, "thinking", ""),
        ("assistant", {"content_type": "reasoning_recap", "content": "Thought for 6 s"}, {}, "thinking",
         "Thought for 6 s"),
        ("user", {"content_type": "user_editable_context", "user_profile": "P", "user_instructions": "I"}, {},
         "injected", "P\nI"),
        ("assistant", {"content_type": "model_editable_context", "model_set_context": "M", "repository": None}, {},
         "injected", "M"),
        ("tool", {"content_type": "execution_output", "text": "42"}, {}, "tool", "42"),
        ("tool", {"content_type": "tether_browsing_display", "result": "R", "summary": "S", "assets": []}, {}, "tool",
         "S\nR"),
        ("assistant", {"content_type": "tether_quote", "title": "T", "url": "U", "text": "Q", "domain": "d"}, {},
         "tool", "T\nU\nQ"),
        ("assistant", {"content_type": "citable_code_output", "output_str": "O"}, {}, "tool", "O"),
        ("assistant", {"content_type": "super_widget", "widget": {"a": 1}}, {}, "tool", '{"widget": {"a": 1}}'),
        ("assistant", {"content_type": "system_error", "name": "E", "text": "boom"}, {}, "system", "E\nboom"),
    ],
)  # fmt: skip
def test_what_is_seen_and_what_is_hidden(
    tmp_path: Path, role: str, content: Any, more: Json, hidden: str | None, text: str
) -> None:
    message = message_of(tmp_path, role, content, **more)
    assert (message.hidden, message.text) == (hidden, text)


def test_missing_status_weight_recipient_and_metadata_mean_visible(tmp_path: Path) -> None:
    chat = chat_of(
        tmp_path, conversation(("user", "a", {"metadata": None}), ("assistant", "b", {"author": {"role": "assistant"}}))
    )
    assert texts(chat) == ["a", "b"]


def test_unknown_content_types_and_roles_are_kept_hidden_and_noted_once_an_import(tmp_path: Path) -> None:
    future = {"content_type": "hologram", "parts": ["beam"]}
    raw = conversation(
        ("assistant", future), ("assistant", {"content_type": "hologram", "result": "again"}), ("critic", "meh")
    )
    items = records(tmp_path, [raw, raw | {"conversation_id": "c2"}])
    assert [r.text for r in items if isinstance(r, Note)] == [
        "unknown content type 'hologram'; kept as hidden text",
        "unknown role 'critic'; kept as hidden text",
    ]
    chats = [r for r in items if isinstance(r, Chat)]
    assert [(m.hidden, m.text) for m in chats[0].messages] == [("tool", "beam"), ("tool", "again"), ("tool", "meh")]
    assert len(chats) == 2


# -- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["a", "b"], "a\nb"),
        (["a", None, "", {"unexpected": True}, ["x"], 5, "b"], "a\nb"),
        ([{"content_type": "audio_transcription", "text": "spoken", "direction": "in"}, "typed"], "spoken\ntyped"),
        (["pair \ud83d\ude00, half \ud83d!"], "pair 😀, half \ufffd!"),
    ],
)
def test_parts_are_joined_and_objects_never_printed(tmp_path: Path, parts: list[Any], text: str) -> None:
    assert message_of(tmp_path, "user", {"content_type": "multimodal_text", "parts": parts}).text == text


@pytest.mark.parametrize(
    "content", ["plain", ["plain"], {"parts": ["plain"]}, {"content_type": "text", "text": "plain"}]
)
def test_shorter_content_of_browser_tools_is_read_too(tmp_path: Path, content: Any) -> None:
    raw = conversation(("user", "x"))
    raw["mapping"]["m1"]["message"]["content"] = content
    assert texts(chat_of(tmp_path, raw)) == ["plain"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Fact\ue200cite\ue202turn0search1\ue202turn0news2\ue201.", "Fact."),
        ("A \ue200filecite\ue202turn1file0\ue202L1-L9\ue201 B", "A  B"),
        ("\ue200navlist\ue202See also\ue202turn0\ue201end", "end"),
        ("go \ue200link\ue202Docs\ue202https://example.org/a\ue201!", "go Docs https://example.org/a!"),
        ("at \ue200url\ue202Home\ue202https://example.org\ue201", "at Home https://example.org"),
        ('the \ue200entity\ue202["museum","Tile Museum","Lisbon"]\ue201 opens', "the Tile Museum opens"),
        ("the \ue200entity\ue202broken\ue201 opens", "the  opens"),
        ("a \ue203marked\ue204 span", "a marked span"),
        ("cut off \ue200cite\ue202turn0sea", "cut off "),
        ("stray \ue201\ue206 marks", "stray  marks"),
        ("old【12†source】 style【4:0†report.pdf】 and【a page†L3-L5】", "old style and"),
        ("会議は【10:30】から、資料は【3:1 比率】で", "会議は【10:30】から、資料は【3:1 比率】で"),
        ("dead [plot.png](sandbox:/mnt/data/plot.png) link", "dead plot.png link"),
        ("kept [doc](https://example.org) link", "kept [doc](https://example.org) link"),
    ],
)
def test_citation_marks_go_and_words_stay(tmp_path: Path, raw: str, text: str) -> None:
    assert message_of(tmp_path, "assistant", raw).text == text


def test_a_reference_to_a_blank_glues_no_words_together(tmp_path: Path) -> None:
    references = [{"matched_text": " ", "type": "sources_footnote"}, {"matched_text": "", "type": "hidden"}]
    message = message_of(tmp_path, "assistant", "Keep these apart.", metadata={"content_references": references})
    assert message.text == "Keep these apart."


def test_text_of_only_citations_is_blank(tmp_path: Path) -> None:
    assert message_of(tmp_path, "assistant", "\ue200cite\ue202turn0search1\ue201").hidden == "placeholder"


# -- attachments ------------------------------------------------------------------------------------------------------


def picture(pointer: str) -> Json:
    return {"content_type": "image_asset_pointer", "asset_pointer": pointer, "size_bytes": 10, "width": 8}


def test_a_picture_without_words_gets_a_line_that_names_it(tmp_path: Path) -> None:
    content = {"content_type": "multimodal_text", "parts": [picture("file-service://file-abc123"), ""]}
    listed = [{"id": "file-abc123", "name": "heron.png", "mimeType": "image/png", "size": 10}, None, 7]
    message = message_of(tmp_path, "user", content, metadata={"attachments": listed})
    assert (message.text, message.hidden) == ("[attached: heron.png]", None)
    (attachment,) = message.attachments
    assert (attachment.name, attachment.mime, attachment.size) == ("heron.png", "image/png", 10)
    assert (attachment.pointer, attachment.present) == ("file-service://file-abc123", False)


@pytest.mark.parametrize(
    ("pointer", "file", "name"),
    [
        ("file-service://file-abc123", "file-abc123-heron.png", "heron.png"),
        ("sediment://file_00aa", "file_00aa-sanitized.jpg", "sanitized.jpg"),
        ("file-service://file-abc123", "dalle-generations/file-abc123-1f.webp", "1f.webp"),
        ("sediment://file_00aa", "user-xyz/file_00aa.png", "image file_00aa"),
        ("sediment://file_00aa", "file_00aa.dat", "original name.png"),
    ],
)
def test_bytes_that_are_in_the_export_are_found_by_id(tmp_path: Path, pointer: str, file: str, name: str) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_bytes(b"x")
    if file.endswith(".dat"):
        (tmp_path / "conversation_asset_file_names.json").write_text('{"file_00aa.dat": "original name.png"}')
    content = {"content_type": "multimodal_text", "parts": ["look", picture(pointer)]}
    (attachment,) = message_of(tmp_path, "user", content).attachments
    assert (attachment.name, attachment.present) == (name, True)


def test_nested_pointers_of_a_video_call_are_all_kept(tmp_path: Path) -> None:
    part = {
        "content_type": "real_time_user_audio_video_asset_pointer",
        "audio_asset_pointer": {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_01"},
        "frames_asset_pointers": [picture("sediment://file_02"), "odd", None],
    }
    spoken = {"content_type": "audio_transcription", "text": "hello", "direction": "in"}
    message = message_of(tmp_path, "user", {"content_type": "multimodal_text", "parts": [spoken, part]})
    assert message.text == "hello"
    assert [a.name for a in message.attachments] == ["audio file_01", "image file_02"]


def test_a_picture_made_by_a_tool_hangs_on_the_next_answer_of_its_branch_only(tmp_path: Path) -> None:
    made = {"content_type": "multimodal_text", "parts": [picture("file-service://file-abc123")]}
    nodes = [
        node("q", None, said("q", "user", "draw")),
        node("t", "q", said("t", "tool", made)),
        node("other", "q", said("other", "assistant", "cannot draw")),
        node("a", "t", said("a", "assistant", "here")),
    ]
    with_answer = chat_of(tmp_path, tree(nodes, "a"))
    assert {m.message_id: len(m.attachments) for m in with_answer.messages} == {"q": 0, "t": 1, "a": 1, "other": 0}
    without = chat_of(tmp_path, tree(nodes[:3], "t"))
    assert {m.message_id: len(m.attachments) for m in without.messages} == {"q": 0, "t": 1, "other": 0}


# -- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("branch_first", [True, False])
def test_messages_copied_into_a_new_chat_name_their_home(tmp_path: Path, branch_first: bool) -> None:
    original = conversation(("user", "one"), ("assistant", "two"))
    branch = conversation(("user", "one"), ("assistant", "two"), conversation_id="c2", create_time=BEGAN + 86_400)
    branch["mapping"]["new"] = node("new", "m2", said("new", "user", "three", BEGAN + 86_401))
    branch["current_node"] = "new"
    both = [branch, original] if branch_first else [original, branch]
    items = {r.native_id: r for r in records(tmp_path, both) if isinstance(r, Chat)}
    assert [(m.message_id, m.home) for m in items["c2"].messages] == [("m1", "c1"), ("m2", "c1"), ("new", None)]
    assert (items["c2"].continues, items["c1"].continues) == ("c1", None)
    assert all(m.home is None and m.hidden is None for m in items["c1"].messages)


def test_old_messages_without_another_chat_are_nobodys_copies(tmp_path: Path) -> None:
    chat = chat_of(tmp_path, conversation(("user", "one"), create_time=BEGAN + 86_400))
    assert (chat.messages[0].home, chat.continues) == (None, None)


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"title": "T", "mapping": ["not", "a", "tree"]}, "`mapping` is not an object"),
        ({"title": "T", "mapping": None}, "`mapping` is not an object"),
        ({"title": "T"}, "no `mapping`"),
        ("text", "not an object"),
        (5, "not an object"),
        (None, "not an object"),
        ([[]], "not an object"),
    ],
)
def test_a_bad_element_is_skipped_and_costs_only_itself(tmp_path: Path, bad: Any, reason: str) -> None:
    items = records(tmp_path, [conversation(("user", "a")), bad, conversation(("user", "b"), conversation_id="c2")])
    assert [type(item) for item in items] == [Chat, Skipped, Chat]
    skipped = items[1]
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason
    assert skipped.where.endswith("conversations.json /1")


def test_a_chat_without_visible_messages_is_given_for_the_import_to_count(tmp_path: Path) -> None:
    assert only(records(tmp_path, [tree([node("root", None, None)], "root")])).messages == ()
    assert only(records(tmp_path, [tree([], None)])).messages == ()


def test_a_torn_file_gives_every_whole_chat_and_one_problem(tmp_path: Path) -> None:
    chats = [conversation(("user", f"number {n}"), conversation_id=f"c{n}") for n in range(5)]
    text = json.dumps(chats)
    (tmp_path / "conversations.json").write_text(text[:-40])
    items = list(chatgpt.read(found(tmp_path), ReadOptions()))
    assert [type(item) for item in items] == [Chat] * 4 + [Skipped]


JUNK: list[Any] = [
    None,
    0,
    -1,
    1.5,
    True,
    "",
    "x",
    [],
    {},
    [None],
    {"a": 1},
    "9" * 30,
    1e300,
    [[["x"]]],
    "\ud83d",
    10**25,
]


def spots(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) below a JSON value."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [spot for key in keys for spot in spots(value[key])]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), changes=st.sampled_from([1, 3, 10, 60]))
def test_wrong_types_anywhere_never_raise(tmp_path: Path, seed: int, changes: int) -> None:
    rnd = random.Random(seed)
    files = sorted(SAMPLE.glob("*/conversations*.json"))
    data = copy.deepcopy(json.loads(rnd.choice(files).read_text(encoding="utf-8")))
    places = spots(data)
    for container, key in rnd.sample(places, min(changes, len(places))):
        if isinstance(container, list) or rnd.random() < 0.7:
            container[key] = copy.deepcopy(rnd.choice(JUNK))
        else:
            container.pop(key, None)
    (tmp_path / "conversations.json").write_text(json.dumps(data), encoding="utf-8")
    (source,) = (s for s in sources(tmp_path) if isinstance(s, Source))
    detect(source)
    for item in chatgpt.read([source], ReadOptions()):
        if isinstance(item, Chat):
            ids = [m.message_id for m in item.messages]
            assert len(set(ids)) == len(ids)
            assert all(m.parent_id in {None, *ids} for m in item.messages)
            "".join([item.title or "", *(m.text for m in item.messages)]).encode()


# -- recognition ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        [{"uuid": "u", "name": "mapping current_node", "chat_messages": []}],
        [{"id": "d", "inserted_at": "2025-01-01T00:00:00+08:00", "mapping": {"1": {"message": None, "parent": None}}}],
        [{"id": "d", "mapping": {"1": {"parent": "root", "message": {"fragments": []}}}}],
        [{"mapping": {"a": {"x": 1}}}],
        [{"mapping": ["message", "parent"]}],
        [{"conversations": [{"from": "human", "value": "mapping"}]}],
        {"chats": []},
        {},
        [],
        [1, 2],
    ],
)
def test_other_arrays_are_not_claimed(tmp_path: Path, other: Any) -> None:
    (tmp_path / "conversations.json").write_text(json.dumps(other))
    assert found(tmp_path) == []


def test_a_damaged_first_chat_does_not_hide_the_format(tmp_path: Path) -> None:
    good = json.dumps(conversation(("user", "hello")))
    (tmp_path / "conversations.json").write_text('[{"title": "x", "mapping": {{{, ' + good[1:] + ", " + good + "]")
    (source,) = found(tmp_path)
    items = list(chatgpt.read([source], ReadOptions()))
    assert [type(item) for item in items] == [Skipped, Chat]
