"""Gemini CLI sessions: both file forms, twins, replay of the log, what is hidden, projects, sub-agents, damage."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import gemini_cli
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import Detected, detect
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "gemini-cli"
SESSION = "e5ebf464-5ff6-5ba0-a0fc-a92fd25e9389"
META = {
    "sessionId": SESSION,
    "projectHash": "3f" * 32,
    "startTime": "2026-04-20T09:00:00.000Z",
    "lastUpdated": "2026-04-20T09:00:00.000Z",
}
STEM = "session-2026-04-20T09-00-e5ebf464"


def files(path: Path) -> list[Source]:
    return [source for source in sources(path) if isinstance(source, Source)]


def said(message_id: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": message_id, "timestamp": "2026-04-20T09:00:01.000Z", "type": kind, "content": content, **more}


def log(tmp_path: Path, *records: Any, name: str = f"{STEM}.jsonl") -> Path:
    path = tmp_path / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(line + "\n" for line in lines), "utf-8")
    return path


def legacy(tmp_path: Path, *messages: Any, name: str = f"{STEM}.json", **meta: Any) -> Path:
    path = tmp_path / "chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**META, **meta, "messages": messages}, indent=2), "utf-8")
    return path


def detected(path: Path) -> Detected:
    return detect(files(path)[0])


def read(path: Path) -> list[Record]:
    claimed = [source for source in files(path) if detect(source).reader is gemini_cli]
    return list(gemini_cli.read([s for s in claimed if detect(s).level == Level.EXACT], ReadOptions()))


def chats(records: list[Record]) -> list[Chat]:
    return [record for record in records if isinstance(record, Chat)]


def only_chat(path: Path) -> Chat:
    (record,) = read(path)
    assert isinstance(record, Chat)
    return record


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in chat.visible()]


def words(chat: Chat) -> list[str]:
    return [text for _, text in shown(chat)]


def hidden(chat: Chat) -> dict[str, tuple[str, str]]:
    return {m.message_id: (str(m.hidden), m.text) for m in chat.messages if m.hidden}


def test_the_sample_is_claimed_and_imports_without_a_problem() -> None:
    found = {source.name: detect(source) for source in files(SAMPLE)}
    assert {name for name, d in found.items() if d.level == Level.SIDE} == {"logs.json", "projects.json"}
    records = read(SAMPLE)
    weather, notes, finder = chats(records)
    assert len(records) == 3
    assert [len(list(chat.visible())) for chat in (weather, notes, finder)] == [4, 5, 2]
    assert (weather.title, weather.project_name) == ("BME280 address and radiation error", "weather-station")
    assert notes.title == "Why does hugo 0.148.2 fail with REF_NOT_FOUND on @content/über-uns.md?"
    assert (finder.kind, finder.parent_chat_id) == ("subagent", notes.chat_id)


@pytest.mark.parametrize("write", [log, legacy])
def test_a_session_keeps_its_own_data(tmp_path: Path, write: Any) -> None:
    messages = (said("a", "user", "Name it"), said("b", "gemini", "Saltmarsh.", model="gemini-2.5-pro"))
    path = write(tmp_path, META, *messages) if write is log else write(tmp_path, *messages)
    assert (detected(path).reader, detected(path).level) == (gemini_cli, Level.EXACT)
    chat = only_chat(path)
    assert (chat.chat_id, chat.resume) == (f"gemini-cli:{SESSION}", f"gemini --resume {SESSION}")
    assert shown(chat) == [("user", "Name it"), ("assistant", "Saltmarsh.")]
    assert (chat.model, chat.title, chat.title_origin, chat.kind) == ("gemini-2.5-pro", "Name it", "derived", "thread")
    assert chat.created_at == datetime(2026, 4, 20, 9, tzinfo=UTC)
    assert chat.updated_at == datetime(2026, 4, 20, 9, 0, 1, tzinfo=UTC)
    assert chat.messages[1].pointer == ("line 3" if write is log else "/messages/1")


def test_a_legacy_session_written_on_one_line_reads_alike(tmp_path: Path) -> None:
    path = log(tmp_path, {**META, "messages": [said("a", "user", "Hello")]}, name="session-x.json")
    assert words(only_chat(path)) == ["Hello"]


def test_of_twins_the_log_wins_and_the_session_counts_once(tmp_path: Path) -> None:
    legacy(tmp_path, said("a", "user", "Name it"), said("old", "gemini", "Only in the old file"))
    log(tmp_path, META, said("a", "user", "Name it"), said("c", "user", "Shorter"))
    other = "session-2026-01-02T09-00-a0016cd9"
    legacy(tmp_path, said("j", "user", "Other"), name=f"{other}.json", sessionId="a0016cd9")
    first, second = chats(read(tmp_path))
    assert {first.native_id: words(first), second.native_id: words(second)} == {
        SESSION: ["Name it", "Shorter"],
        "a0016cd9": ["Other"],
    }


def test_an_old_twin_alone_never_stands_in_for_the_log_beside_it(tmp_path: Path) -> None:
    old = legacy(tmp_path, said("a", "user", "Name it"))
    log(tmp_path, META, said("a", "user", "Name it"), said("c", "user", "Shorter"))
    (note,) = read(old)
    assert isinstance(note, Note) and f"{STEM}.jsonl" in note.text


def test_a_log_whose_first_line_is_torn_goes_by_its_twins_id(tmp_path: Path) -> None:
    legacy(tmp_path, said("a", "user", "Name it"))
    log(tmp_path, json.dumps(META)[:40], said("a", "user", "Name it"), said("b", "gemini", "Salt."))
    problem, chat = read(tmp_path)
    assert isinstance(problem, Skipped) and problem.where.endswith("line 1")
    assert isinstance(chat, Chat) and (chat.native_id, words(chat)) == (SESSION, ["Name it", "Salt."])


def test_without_any_id_the_file_name_serves(tmp_path: Path) -> None:
    assert only_chat(log(tmp_path, said("a", "user", "Hi"), said("b", "gemini", "Ho"))).native_id == STEM


def test_a_message_written_again_replaces_itself_in_place(tmp_path: Path) -> None:
    chat = only_chat(
        log(tmp_path, META, said("a", "gemini", "Draft"), said("b", "user", "Next"), said("a", "gemini", "Final"))
    )
    assert words(chat) == ["Final", "Next"]


def test_set_updates_what_the_session_says_of_itself(tmp_path: Path) -> None:
    chat = only_chat(
        log(
            tmp_path,
            META,
            said("a", "user", "Hello"),
            {"$set": {"summary": "A greeting", "lastUpdated": "2026-04-22T09:00:04.000Z"}},
        )
    )
    assert (chat.title, chat.title_origin) == ("A greeting", "export")
    assert chat.updated_at == datetime(2026, 4, 22, 9, 0, 4, tzinfo=UTC)


def test_set_messages_replaces_the_list_and_what_fell_out_stays_hidden(tmp_path: Path) -> None:
    chat = only_chat(
        log(
            tmp_path,
            META,
            said("a", "user", "Rename it"),
            said("b", "gemini", "Stale draft"),
            said("x", "gemini", "Dropped"),
            {"$set": {"messages": [said("a", "user", "Rename it"), said("b", "gemini", "Renamed.")]}},
            said("c", "user", "Thanks"),
        )
    )
    assert words(chat) == ["Rename it", "Renamed.", "Thanks"]
    assert hidden(chat) == {"x": ("copy", "Dropped")}


def compressed(*later: Any) -> list[Any]:
    return [
        META,
        said("a", "user", "First question"),
        said("b", "gemini", "First answer"),
        said("c", "user", "Recent question"),
        {"$set": {"messages": [
            said("s", "user", [{"text": "<state_snapshot>summary</state_snapshot>"}]),
            said("t", "gemini", [{"text": "Got it. Thanks for the additional context!"}]),
            said("c2", "user", [{"text": "Recent question"}]),
        ]}},
        *later,
    ]  # fmt: skip


def test_compression_neither_loses_nor_doubles_what_was_said(tmp_path: Path) -> None:
    chat = only_chat(log(tmp_path, *compressed(said("d", "gemini", "Recent answer"))))
    assert words(chat) == ["First question", "First answer", "Recent question", "Recent answer"]
    assert {kind for kind, text in hidden(chat).values() if text} == {"summary"}


def test_after_compression_a_rewind_by_a_new_id_and_a_second_list_still_fit(tmp_path: Path) -> None:
    rewound = only_chat(log(tmp_path, *compressed({"$rewindTo": "c2"}, said("e", "user", "Instead"))))
    assert words(rewound) == ["First question", "First answer", "Instead"]
    records = compressed(said("d", "gemini", "Recent answer"))
    again = records[4]["$set"]["messages"] + [said("d", "gemini", "Recent answer")]
    chat = only_chat(log(tmp_path, *records, {"$set": {"messages": again}}))
    assert words(chat) == ["First question", "First answer", "Recent question", "Recent answer"]


def test_rewound_turns_are_alternates(tmp_path: Path) -> None:
    records = [META, said("a", "user", "Keep"), said("b", "user", "Undo"), said("c", "gemini", "Undone")]
    chat = only_chat(log(tmp_path, *records, {"$rewindTo": "b"}, said("d", "user", "Instead")))
    assert words(chat) == ["Keep", "Instead"]
    assert [(m.message_id, m.branch) for m in chat.messages if m.branch != "main"] == [
        ("b", "alternate"),
        ("c", "alternate"),
    ]


def test_a_rewind_to_an_unknown_message_clears_all(tmp_path: Path) -> None:
    chat = only_chat(log(tmp_path, META, said("a", "user", "Gone"), {"$rewindTo": "?"}, said("b", "user", "New")))
    assert words(chat) == ["New"]


def test_a_message_update_completes_its_message(tmp_path: Path) -> None:
    update = {"type": "message_update", "id": "b", "tokens": {"total": 3}, "content": "Whole answer"}
    head = {"type": "session_metadata", **META}
    chat = only_chat(log(tmp_path, head, said("a", "user", "Q"), said("b", "gemini", "Wh"), update))
    assert shown(chat) == [("user", "Q"), ("assistant", "Whole answer")]


def test_thoughts_and_tool_calls_are_hidden_parts_around_the_answer(tmp_path: Path) -> None:
    thoughts = [{"subject": "Plan", "description": "Look first."}, {"subject": "Then", "description": "answer."}]
    output = [{"functionResponse": {"id": "t", "name": "glob", "response": {"output": "a.py\nb.py"}}}]
    calls = [
        {"id": "t", "name": "glob", "args": {"pattern": "*.py", "depth": 2}, "status": "success", "result": output},
        {"id": "u", "name": "save", "args": {}, "resultDisplay": "saved"},
    ]
    chat = only_chat(log(tmp_path, META, said("b", "gemini", "Two files.", thoughts=thoughts, toolCalls=calls)))
    assert [m.message_id for m in chat.messages] == ["b/thinking", "b", "b/tool/1", "b/tool/2"]
    assert hidden(chat) == {
        "b/thinking": ("thinking", "Plan\nLook first.\n\nThen\nanswer."),
        "b/tool/1": ("tool", "glob\npattern: *.py\ndepth: 2\n\na.py\nb.py"),
        "b/tool/2": ("tool", "save\n\nsaved"),
    }


def test_parts_of_a_message_are_told_apart(tmp_path: Path) -> None:
    content = [
        {"text": "<session_context>\nToday is Monday.\n</session_context>"},
        {"text": "Secret plan", "thought": True},
        {"text": "See the picture"},
        "and this",
        {"text": "<hook_context>lint</hook_context>"},
        {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
        {"functionResponse": {"id": "t", "response": {"output": "done"}}},
        {"text": "--- Content from referenced files ---"},
        {"text": "Body of a file"},
        {"text": ""},
        None,
        3,
    ]
    chat = only_chat(log(tmp_path, META, said("a", "user", content)))
    assert shown(chat) == [("user", "See the picture\nand this")]
    assert [(m.hidden, m.text) for m in chat.messages if m.hidden] == [
        ("injected", "<session_context>\nToday is Monday.\n</session_context>"),
        ("thinking", "Secret plan"),
        ("injected", "<hook_context>lint</hook_context>"),
        ("tool", '{"functionResponse": {"id": "t", "response": {"output": "done"}}}'),
        ("injected", "--- Content from referenced files ---"),
        ("injected", "Body of a file"),
    ]
    assert [a.name for a in next(chat.visible()).attachments] == ["image/png"]


def test_a_prompt_of_a_file_alone_names_it(tmp_path: Path) -> None:
    part = {"fileData": {"mimeType": "application/pdf", "fileUri": "file:///tmp/plan.pdf"}}
    assert words(only_chat(log(tmp_path, META, said("a", "user", [part])))) == ["[attached: plan.pdf]"]


def test_what_was_typed_is_shown_and_its_expansion_is_not(tmp_path: Path) -> None:
    sent = [{"text": "explain @a.ts"}, {"text": "const body = 1"}]
    chat = only_chat(log(tmp_path, META, said("a", "user", sent, displayContent=[{"text": "explain @a.ts"}])))
    assert shown(chat) == [("user", "explain @a.ts")]
    assert hidden(chat) == {"a/content": ("injected", "explain @a.ts\nconst body = 1")}


def test_notices_of_the_program_are_hidden(tmp_path: Path) -> None:
    records = [said(kind, kind, f"{kind}!") for kind in ("info", "error", "warning")]
    chat = only_chat(log(tmp_path, META, said("a", "user", "Hello"), *records))
    assert words(chat) == ["Hello"]
    assert hidden(chat) == {kind: ("system", f"{kind}!") for kind in ("info", "error", "warning")}


@pytest.mark.parametrize("kind", ["oracle", None, 3])
def test_an_unknown_type_stays_hidden_and_is_told(tmp_path: Path, kind: Any) -> None:
    records = read(log(tmp_path, META, said("a", "user", "Hello"), {**said("b", "", "Who?"), "type": kind}))
    assert [type(record) for record in records] == [Note, Chat]
    assert [words(chat) for chat in chats(records)] == [["Hello"]]
    assert [hidden(chat) for chat in chats(records)] == [{"b": ("system", "Who?")}]


@pytest.mark.parametrize("command", ["/help", "?", "/chat save x"])
def test_a_slash_command_titles_nothing(tmp_path: Path, command: str) -> None:
    chat = only_chat(log(tmp_path, META, said("a", "user", command), said("b", "user", "Real question")))
    assert chat.title == "Real question"
    assert words(chat) == [command, "Real question"]


def digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()


def test_the_project_is_the_path_beside_the_chats(tmp_path: Path) -> None:
    path = log(tmp_path / "tmp" / "slug", META, said("a", "user", "Hello"))
    assert (only_chat(path).project_id, only_chat(path).project_name) == (META["projectHash"], None)
    (tmp_path / "tmp" / "slug" / ".project_root").write_text("/home/sample/demo\n")
    assert (only_chat(path).project_id, only_chat(path).project_name) == ("/home/sample/demo", "demo")


def test_the_project_is_the_known_path_with_the_sessions_hash(tmp_path: Path) -> None:
    meta = {**META, "projectHash": digest("/home/sample/demo")}
    path = log(tmp_path / "tmp" / "hash", {**meta, "directories": [3, "/home/sample/demo"]}, said("a", "user", "Hello"))
    assert only_chat(path).project_id == "/home/sample/demo"
    path = log(tmp_path / "tmp" / "hash", meta, said("a", "user", "Hello"))
    assert only_chat(path).project_id == meta["projectHash"]
    (tmp_path / "projects.json").write_text(json.dumps({"projects": {"/x": "x", "/home/sample/demo": "demo"}}))
    assert only_chat(path).project_id == "/home/sample/demo"


def test_a_subagent_belongs_to_the_session_that_started_it(tmp_path: Path) -> None:
    log(tmp_path, META, said("a", "user", "Do it"))
    log(tmp_path, {**META, "sessionId": "sub-1", "kind": "subagent"}, said("b", "user", "Find"), name="sub-1.jsonl")
    (tmp_path / "chats" / SESSION).mkdir()
    (tmp_path / "chats" / "sub-1.jsonl").rename(tmp_path / "chats" / SESSION / "sub-1.jsonl")
    sub, main = sorted(chats(read(tmp_path)), key=lambda chat: chat.kind)
    assert (main.kind, main.native_id, main.parent_chat_id) == ("thread", SESSION, None)
    assert (sub.kind, sub.native_id, sub.parent_chat_id) == ("subagent", "sub-1", f"gemini-cli:{SESSION}")
    assert sub.resume is None


def test_an_older_subagent_under_its_parents_id_is_kept_apart(tmp_path: Path) -> None:
    legacy(tmp_path, said("a", "user", "Do it"))
    legacy(tmp_path, said("b", "user", "Find"), name="session-later.json", kind="subagent")
    found = {chat.native_id: (chat.kind, chat.parent_chat_id) for chat in chats(read(tmp_path))}
    assert found == {
        SESSION: ("thread", None),
        f"{SESSION}/session-later": ("subagent", f"gemini-cli:{SESSION}"),
    }


@pytest.mark.parametrize(
    "value",
    [
        [{"sessionId": SESSION, "messageId": 0, "type": "user", "message": "Hi", "timestamp": "2026-04-20T09:00:00Z"}],
        [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [{"text": "Ho"}]}],
        {"history": [{"role": "user", "parts": [{"text": "Hi"}]}], "authType": "oauth-personal"},
        {"projects": {"/home/sample/demo": "demo"}},
    ],
)
def test_side_files_hold_no_chats(tmp_path: Path, value: Any) -> None:
    (tmp_path / "side.json").write_text(json.dumps(value), "utf-8")
    assert (detected(tmp_path / "side.json").reader, detected(tmp_path / "side.json").level) == (gemini_cli, Level.SIDE)


@pytest.mark.parametrize("prefix", [".tmp-", ".unreadable-"])
def test_leftover_copies_of_a_session_are_not_read(tmp_path: Path, prefix: str) -> None:
    log(tmp_path, META, said("a", "user", "Hello"))
    leftover = log(tmp_path, META, said("b", "user", "Stale"), name=f"{prefix}{STEM}.jsonl")
    assert detected(leftover).level == Level.SIDE
    assert [words(chat) for chat in chats(read(tmp_path))] == [["Hello"]]


@pytest.mark.parametrize(
    "lines",
    [
        [{"$set": {"summary": "x"}}, said("a", "user", "Hi")],
        [{"$rewindTo": "a"}, {"id": 1}],
        [said("a", "user", "Hi"), said("b", "gemini", "Ho")],
        [{"type": "session_metadata", **META}],
    ],
)
def test_a_log_is_known_by_any_of_its_lines(tmp_path: Path, lines: list[Any]) -> None:
    assert detected(log(tmp_path, *lines)).reader is gemini_cli


@pytest.mark.parametrize(
    "lines",
    [
        [{"sessionId": "s", "type": "user", "message": {"role": "user", "content": "Hi"}, "uuid": "u"}],
        [{"$set": {"name": "x"}, "where": {"id": 1}}],
        [{"type": "user", "content": "Hi"}],
        [{"role": "user", "content": "Hi"}],
    ],
)
def test_logs_of_other_products_are_left_alone(tmp_path: Path, lines: list[Any]) -> None:
    assert detected(log(tmp_path, *lines)).reader is not gemini_cli


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    torn = json.dumps(said("b", "gemini", "Half an answer"))
    path = log(tmp_path, META, said("a", "user", "Hello"), torn[:30], 7, said("c", "user", "Still here"), torn[:50])
    records = read(path)
    assert [words(chat) for chat in chats(records)] == [["Hello", "Still here"]]
    assert [r.where.split()[-1] for r in records if isinstance(r, Skipped)] == ["3", "4", "6"]


def test_line_separators_inside_a_message_do_not_cut_it(tmp_path: Path) -> None:
    text = "one\u2028two\u0085three\x0b"
    raw = json.dumps(said("a", "user", text), ensure_ascii=False)
    assert words(only_chat(log(tmp_path, META, raw))) == [text]


def test_a_session_without_talk_is_yielded_empty(tmp_path: Path) -> None:
    assert list(only_chat(log(tmp_path, META)).visible()) == []
    assert list(only_chat(legacy(tmp_path / "other")).visible()) == []


WRONG: list[Any] = [None, 0, -1.5, True, "", "x", [], [None], [[]], [3], {}, {"a": 1}, "\ud800"]


@pytest.mark.parametrize(
    "key",
    ["id", "timestamp", "type", "content", "displayContent", "thoughts", "toolCalls", "model", "$set", "$rewindTo"],
)
def test_a_wrong_type_in_a_message_never_raises(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        path = log(tmp_path, META, {**said("a", "gemini", "Hello"), key: value}, said("z", "user", "Bye"))
        assert [words(chat)[-1] for chat in chats(read(path))] == ["Bye"]


@pytest.mark.parametrize("key", ["sessionId", "startTime", "lastUpdated", "summary", "directories", "kind", "messages"])
def test_a_wrong_type_in_the_session_never_raises(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        path = log(
            tmp_path,
            {**META, key: value},
            said("a", "gemini", "Hello"),
            {"$set": {key: value}},
            said("z", "user", "Bye"),
        )
        assert [words(chat)[-1] for chat in chats(read(path))] == ["Bye"]
        whole = legacy(tmp_path / "legacy", said("a", "user", "Hi"), **({key: value} if key != "messages" else {}))
        assert all(isinstance(record, Chat | Note) for record in read(whole))


@pytest.mark.parametrize("key", ["name", "args", "result", "resultDisplay", "functionResponse", "inlineData", "text"])
def test_a_wrong_type_in_a_part_or_call_never_raises(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        part = {key: value}
        calls = [{"name": "x", "args": {}, key: value}, {"result": part}, {"result": [part]}, value]
        path = log(tmp_path, META, said("a", "gemini", [part, {"text": "Bye"}], toolCalls=calls, thoughts=[part]))
        assert [words(chat)[-1].endswith("Bye") for chat in chats(read(path))] == [True]


@pytest.mark.parametrize(
    "content", ["", "{", "{}", '{"sessionId": "s", "projectHash": "h", "messages": [{"id": "a"', "[]", "null"]
)
@pytest.mark.parametrize("name", ["session.json", "session.jsonl"])
def test_a_cut_off_file_never_raises(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    detect(files(tmp_path)[0])
    assert all(isinstance(r, Chat | Skipped) for r in gemini_cli.read(files(tmp_path), ReadOptions()))
