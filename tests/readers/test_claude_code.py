"""Claude Code sessions: replies in pieces, borrowed user roles, rewinds, copies, sub-agents (formats.md section 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Message, Note, Record, Skipped
from chatmem.readers import claude_code, unpack
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import peek
from chatmem.readers.unpack import Source

SAMPLE = Path(__file__).parents[2] / "sample_data" / "claude-code"
A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
WORDY = "This session is being continued from a previous conversation that ran out of context."


def sources(path: Path) -> list[Source]:
    return [s for s in unpack.sources(path) if isinstance(s, Source)]


def read(path: Path) -> list[Record]:
    """What the reader makes of the files that it claims, as an import does it."""
    claimed = [s for s in sources(path) if claude_code.sniff(peek(s)).level != Level.NO]
    return list(claude_code.read(claimed, ReadOptions()))


def chats(path: Path) -> dict[str, Chat]:
    records = read(path)
    assert [r for r in records if isinstance(r, Skipped)] == []
    return {r.native_id: r for r in records if isinstance(r, Chat)}


def log(folder: Path, *rows: dict[str, Any] | str, session: str = A) -> Path:
    """Write a session file; rows follow each other unless they name a parent, minute by minute."""
    text = ""
    before = None
    for number, row in enumerate(rows):
        if isinstance(row, dict) and "uuid" in row:
            times = {"timestamp": f"2026-01-05T10:{number:02d}:00.000Z"}
            row = {"sessionId": session, "parentUuid": before, "isSidechain": False, "cwd": "/w/app", **times, **row}
            before = row["uuid"]
        text += (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def user(uuid: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}, **more}


def reply(uuid: str, message_id: str, *blocks: Any, model: str = "claude-opus-4-5", **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    message = {"id": message_id, "role": "assistant", "model": model, "content": content}
    return {"type": "assistant", "uuid": uuid, "message": message, **more}


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in chat.visible()]


def hidden(chat: Chat) -> list[tuple[str, str | None, str]]:
    return [(m.message_id, m.hidden, m.text) for m in chat.messages if m.hidden]


def alternates(chat: Chat) -> list[str]:
    return [m.text for m in chat.messages if m.branch == "alternate" and m.hidden is None]


THINKING = {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}
TOOL = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/w/app/run.py"}}


def result(text: Any) -> list[Any]:
    return [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text}]


def test_a_reply_written_in_pieces_is_one_message_with_hidden_parts(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Add a flag"),
        reply("a1", "msg_1", THINKING),
        reply("a2", "msg_1", "I read it first."),
        reply("a3", "msg_1", TOOL),
        user("u2", result("1 import argparse"), toolUseResult={"type": "text"}),
        reply("a4", "msg_1", "Now the flag."),
        reply("a5", "msg_2", "Done."),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [
        ("user", "Add a flag"), ("assistant", "I read it first.\n\nNow the flag."), ("assistant", "Done."),
    ]  # fmt: skip
    assert hidden(chat) == [
        ("a1/thinking", "thinking", "Look first."),
        ("a1/tool/1", "tool", 'Read {"file_path": "/w/app/run.py"}'),
        ("u2/tool/1", "tool", "1 import argparse"),
    ]
    spoken = next(m for m in chat.visible() if m.role == "assistant")
    assert (spoken.message_id, spoken.created_at) == ("a1", datetime(2026, 1, 5, 10, 2, tzinfo=UTC))
    assert (spoken.parent_id, spoken.model, spoken.pointer) == ("u1", "claude-opus-4-5", "line 3")


def test_growing_snapshots_of_a_reply_keep_the_longest_version_of_each_block(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Go"),
        reply("a1", "msg_1", "I will"),
        reply("a2", "msg_1", "I will read", {**TOOL, "input": {}}),
        reply("a3", "msg_1", "I will read it.", TOOL),
        reply("a1", "msg_1", "I will read it. All of it."),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat)[1:] == [("assistant", "I will read it. All of it.")]
    assert [text for _, _, text in hidden(chat)] == ['Read {"file_path": "/w/app/run.py"}']


def test_a_line_written_again_is_no_second_message(tmp_path: Path) -> None:
    rows = [user("u1", "List the ports"), reply("a1", "msg_1", "8080.")]
    log(
        tmp_path,
        *rows,
        *rows,
        user("u2", "Close it", parentUuid="a1"),
        *rows,
        reply("a2", "msg_2", "Closed.", parentUuid="u2"),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["List the ports", "8080.", "Close it", "Closed."]
    assert alternates(chat) == []


@pytest.mark.parametrize(
    "row",
    [
        user("x", "Caveat: The messages below were generated by the user"),
        user("x", "<command-name>/model</command-name>\n<command-args>opus</command-args>"),
        user("x", [{"type": "text", "text": "<command-message>review</command-message>"}]),
        user("x", "<local-command-stdout>Set model</local-command-stdout>"),
        user("x", "<local-command-stderr>no</local-command-stderr>"),
        user("x", "<bash-input>ls</bash-input>"),
        user("x", "<bash-stdout>a.py</bash-stdout><bash-stderr></bash-stderr>"),
        user("x", "<task-notification>done</task-notification>"),
        user("x", "<system-reminder>unclosed"),
        user("x", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
        user("x", "Base directory for this skill", isMeta=True),
        user("x", "only on the screen", isVisibleInTranscriptOnly=True),
        user("x", "an agent finished", origin={"kind": "task-notification"}),
        user("x", "written by a hook", promptSource="system"),
        user("x", WORDY),
        user("x", "a summary in other words", isCompactSummary=True),
    ],
)
def test_what_only_wears_the_users_role_is_kept_but_hidden(tmp_path: Path, row: dict[str, Any]) -> None:
    log(tmp_path, row, user("u1", "A real prompt"))
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "A real prompt")]
    assert chat.title == "A real prompt"
    content = row["message"]["content"]
    assert [text for _, _, text in hidden(chat)] == [content if isinstance(content, str) else content[0]["text"]]
    wanted = "summary" if content == WORDY or "isCompactSummary" in row else "injected"
    assert {m.hidden for m in chat.messages} == {None, wanted}


def test_reminders_inside_a_prompt_are_taken_out_and_kept(tmp_path: Path) -> None:
    reminder = "<system-reminder>\nOpened a.py\n</system-reminder>"
    selection = "<ide_selection>line 4</ide_selection>"
    log(
        tmp_path,
        user("u1", f"Fix it\n{reminder}"),
        user("u2", [{"type": "text", "text": selection}, {"type": "text", "text": f"{reminder}\nand test it"}]),
        user("u3", [*result("ok"), {"type": "text", "text": "then stop"}]),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Fix it"), ("user", "and test it"), ("user", "then stop")]
    assert [text for _, _, text in hidden(chat)] == [reminder, selection, reminder, "ok"]


def test_a_prompt_of_files_alone_says_so_and_keeps_no_bytes(tmp_path: Path) -> None:
    data = {"type": "base64", "media_type": "image/png", "data": "A" * 4000}
    log(
        tmp_path,
        user("u1", [{"type": "image", "source": data}]),
        user("u2", result([{"type": "image", "source": data}])),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "[attached: image.png]")]
    picture = next(chat.visible()).attachments[0]
    assert (picture.name, picture.mime, picture.size, picture.present) == ("image.png", "image/png", 3000, True)
    assert hidden(chat) == [("u2/tool/1", "tool", "[image.png]")]


def test_a_prompt_typed_while_the_model_worked_counts(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "Use port 8443", "commandMode": "prompt"}
    noise = {"type": "queued_command", "prompt": "<task-notification>x</task-notification>", "commandMode": "prompt"}
    log(
        tmp_path,
        {"type": "queue-operation", "operation": "enqueue", "content": "Use port 8443", "sessionId": A},
        user("u1", "Start the server"),
        reply("a1", "msg_1", "Starting."),
        {"type": "attachment", "uuid": "q1", "attachment": queued},
        {"type": "attachment", "uuid": "q2", "attachment": noise},
        {"type": "attachment", "uuid": "q3", "attachment": {"type": "task_reminder", "content": []}},
        reply("a2", "msg_2", "On 8443.", parentUuid="a1"),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Start the server", "Starting.", "Use port 8443", "On 8443."]
    assert [reason for _, reason, _ in hidden(chat)] == ["injected", "injected"]


def test_words_of_the_product_itself_are_hidden(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Hello"),
        reply("a1", "msg_1", "API Error: 529 overloaded", isApiErrorMessage=True),
        reply("a2", "msg_2", "No response requested.", model="<synthetic>"),
        reply("a3", "msg_3", "(no content)"),
        {"type": "system", "subtype": "local_command", "uuid": "s1", "content": "Login expired"},
        reply("a4", "msg_4", "Hello."),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Hello", "Hello."]
    assert [reason for _, reason, _ in hidden(chat)] == ["system", "system", "placeholder", "system"]
    assert chat.model == "claude-opus-4-5"


def test_unknown_blocks_stay_as_hidden_parts_and_unknown_lines_are_noted(tmp_path: Path) -> None:
    strange = {"type": "hologram", "shape": "cube"}
    log(
        tmp_path,
        user("u1", ["Go", strange]),
        reply("a1", "msg_1", strange, {"type": "redacted_thinking", "data": "xx"}, "Gone."),
        {"type": "narrator", "uuid": "n1", "message": {"content": "Meanwhile"}},
        {"type": "worktree-state", "sessionId": A},
    )
    records = read(tmp_path)
    chat = next(r for r in records if isinstance(r, Chat))
    assert [text for _, text in shown(chat)] == ["Go", "Gone."]
    assert [m.text for m in chat.messages if m.hidden] == [
        json.dumps(strange), json.dumps(strange), "[redacted thinking]", '{"content": "Meanwhile"}',
    ]  # fmt: skip
    assert [r.text for r in records if isinstance(r, Note)] == ["lines of the unknown type 'narrator' are kept hidden"]


def test_progress_of_a_command_is_kept_once(tmp_path: Path) -> None:
    def step(uuid: str, output: str) -> dict[str, Any]:
        data = {"type": "bash_progress", "fullOutput": output}
        return {"type": "progress", "uuid": uuid, "toolUseID": "t1", "data": data}

    log(
        tmp_path,
        user("u1", "Build"),
        step("p1", "1 of 2"),
        step("p2", "1 of 2\n2 of 2"),
        reply("a1", "msg_1", "Built."),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, _, text in hidden(chat)] == ["1 of 2\n2 of 2"]
    assert alternates(chat) == []


def test_a_rewound_prompt_and_its_answer_are_alternates(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Plan"),
        reply("a1", "msg_1", "A plan."),
        user("u2", "Use JSON"),
        reply("a2", "msg_2", "JSON it is."),
        user("u3", "Use SQLite", parentUuid="a1"),
        reply("a3", "msg_3", "SQLite it is."),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Plan", "A plan.", "Use SQLite", "SQLite it is."]
    assert alternates(chat) == ["Use JSON", "JSON it is."]


def test_parallel_tool_calls_are_no_rewind(tmp_path: Path) -> None:
    second = {**TOOL, "id": "toolu_2"}
    log(
        tmp_path,
        user("u1", "Read both"),
        reply("a1", "msg_1", "Reading."),
        reply("a2", "msg_1", TOOL),
        reply("a3", "msg_1", second),
        user("r1", result("one"), parentUuid="a2"),
        user("r2", result("two"), parentUuid="a3"),
        reply("a4", "msg_2", "Both read.", parentUuid="r1"),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Read both", "Reading.", "Both read."]
    assert {m.branch for m in chat.messages} == {"main"}


def test_a_missing_parent_and_a_compaction_keep_what_came_before(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "First", parentUuid="never-written"),
        reply("a1", "msg_1", "One."),
        user("u2", "Second", parentUuid="torn-away"),
        reply("a2", "msg_2", "Two."),
        {"type": "system", "subtype": "compact_boundary", "uuid": "c1", "parentUuid": None, "logicalParentUuid": "a2"},
        user("c2", WORDY, isCompactSummary=True),
        reply("a1", "msg_1", "One.", parentUuid="c2"),
        user("u3", "Third", parentUuid="c2"),
        reply("a3", "msg_3", "Three."),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["First", "One.", "Second", "Two.", "Third", "Three."]
    assert alternates(chat) == []


def test_sub_agent_lines_inside_an_old_log_never_show(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Find it"),
        user("s1", "Delegated prompt", isSidechain=True, parentUuid=None),
        reply("s2", "msg_s", "Helper's answer", isSidechain=True),
        reply("a1", "msg_1", "Found.", parentUuid="u1"),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Find it", "Found."]
    assert [(reason, text) for _, reason, text in hidden(chat)] == [
        ("tool", "Delegated prompt"), ("tool", "Helper's answer"),
    ]  # fmt: skip


@pytest.mark.parametrize("place", [f"{A}/subagents/agent-a1.jsonl", "agent-a1.jsonl"])
def test_a_sub_agent_is_a_chat_below_its_session(tmp_path: Path, place: str) -> None:
    log(tmp_path, user("u1", "Find callers"), reply("a1", "msg_1", "Three callers."))
    rows = [user("s1", "Delegated prompt"), reply("s2", "msg_s", "Callers: a, b, c.")]
    path = tmp_path / place
    log(path.parent, *({**r, "isSidechain": True, "agentId": "a1", "sessionId": A} for r in rows), session="agent-a1")
    path.with_name("agent-a1.meta.json").write_text('{"agentType": "Explore", "description": "Find callers of x"}')
    found = chats(tmp_path)
    agent = found[f"{A}/a1"]
    assert (agent.kind, agent.parent_chat_id, agent.resume) == ("subagent", f"claude-code:{A}", None)
    assert (agent.title, agent.agent_id) == ("Find callers of x", "Explore")
    assert shown(agent) == [("user", "Delegated prompt"), ("assistant", "Callers: a, b, c.")]
    assert found[A].resume == f"claude --resume {A}"
    assert len(found) == 2


def test_a_resumed_session_keeps_copies_with_their_home_and_ids(tmp_path: Path) -> None:
    old = [user("u1", "Explain retry"), reply("a1", "msg_1", THINKING), reply("a2", "msg_1", "A loop.")]
    log(tmp_path, *old)
    copies = [{**row, "sessionId": A} for row in old]
    log(tmp_path, *copies, user("u2", "Make it configurable"), reply("a3", "msg_2", "Done."), session=B)
    parent, child = chats(tmp_path)[A], chats(tmp_path)[B]
    assert [(m.message_id, m.home) for m in child.messages] == [
        ("u1", A), ("a1/thinking", A), ("a1", A), ("u2", None), ("a3", None),
    ]  # fmt: skip
    assert {m.message_id for m in parent.messages} <= {m.message_id for m in child.messages}
    assert {m.hidden for m in child.messages} == {None, "thinking"}
    assert (child.continues, parent.continues) == (A, None)
    assert (child.title, child.created_at) == ("Make it configurable", datetime(2026, 1, 5, 10, 3, tzinfo=UTC))


def test_a_fork_names_the_original_of_each_copy(tmp_path: Path) -> None:
    log(tmp_path, user("u1", "Explain"), reply("a1", "msg_1", "So."))
    log(
        tmp_path,
        user("f1", "Explain", forkedFrom={"sessionId": A, "messageUuid": "u1"}),
        reply("f2", "msg_1", "So.", forkedFrom={"sessionId": A, "messageUuid": "a1"}),
        user("f3", "Differently", parentUuid="f2"),
        session=B,
    )
    child = chats(tmp_path)[B]
    assert [(m.message_id, m.home) for m in child.messages] == [("u1", A), ("a1", A), ("f3", None)]
    assert child.continues == A
    assert alternates(child) == []


def test_copies_stamped_with_the_new_session_are_known_by_their_ids(tmp_path: Path) -> None:
    old = [user("u1", "Explain"), reply("a1", "msg_1", "So.")]
    log(tmp_path, *old, session=B)
    more = [user("u2", "On"), reply("a2", "msg_2", "And on.")]
    log(tmp_path, *old, *more, session=A)
    found = chats(tmp_path)
    assert [m.home for m in found[A].messages] == [B, B, None, None]
    assert [m.home for m in found[B].messages] == [None, None]


def test_titles_come_from_the_best_source_and_only_from_the_own_session(tmp_path: Path) -> None:
    talk = [user("u1", "The skew test is red"), reply("a1", "msg_1", "Wider now.")]
    summary = {"type": "summary", "summary": "Fixing the clock skew test", "leafUuid": "a1"}
    log(tmp_path, *talk)
    log(tmp_path, summary, summary, {"type": "file-history-snapshot", "snapshot": {}}, session=B)
    assert chats(tmp_path)[A].title == "Fixing the clock skew test"
    assert chats(tmp_path)[B].messages == ()

    generated = {"type": "ai-title", "aiTitle": "Clock skew", "sessionId": A}
    log(tmp_path, *talk, generated)
    assert chats(tmp_path)[A].title == "Clock skew"
    custom = [{"type": "custom-title", "customTitle": t, "sessionId": A} for t in ("Skew", "Skew, fixed")]
    foreign = {"type": "custom-title", "customTitle": "Another talk", "sessionId": B}
    log(tmp_path, *talk, *custom, foreign, generated)
    chat = chats(tmp_path)[A]
    assert (chat.title, chat.title_origin) == ("Skew, fixed", "export")


def test_a_session_tells_its_project_times_and_model(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("m1", "Caveat: The messages below", isMeta=True),
        user("u1", "Go", cwd="C:\\work\\demo app"),
        reply("a1", "msg_1", "Gone.", cwd="C:\\work"),
        {"type": "system", "subtype": "turn_duration", "uuid": "s1", "durationMs": 10},
    )
    chat = chats(tmp_path)[A]
    assert (chat.created_at, chat.updated_at) == (
        datetime(2026, 1, 5, 10, 1, tzinfo=UTC), datetime(2026, 1, 5, 10, 2, tzinfo=UTC),
    )  # fmt: skip
    assert (chat.project_id, chat.project_name) == ("/w/app", "app")
    log(tmp_path, user("u1", "Go", cwd="C:\\work\\demo app"))
    assert chats(tmp_path)[A].project_name == "demo app"


def test_a_session_started_by_a_program_is_marked(tmp_path: Path) -> None:
    log(tmp_path, user("u1", "Rate this text", entrypoint="sdk-py", promptSource="sdk"), reply("a1", "msg_1", "4 of 5"))
    chat = chats(tmp_path)[A]
    assert (chat.agent_id, chat.kind, shown(chat)[0]) == ("sdk-py", "thread", ("user", "Rate this text"))


@pytest.mark.parametrize("name", ["export.jsonl", f"{A} (1).jsonl", "session.txt"])
def test_a_renamed_file_still_knows_its_session(tmp_path: Path, name: str) -> None:
    old = user("u0", "Before", sessionId=B)
    log(tmp_path, old, user("u1", "Go"), reply("a1", "msg_1", "Gone.")).rename(tmp_path / name)
    chat = chats(tmp_path)[A]
    assert [m.home for m in chat.messages] == [B, None, None]


def test_torn_lines_cost_only_themselves(tmp_path: Path) -> None:
    log(
        tmp_path,
        user("u1", "Sort the imports"),
        reply("a1", "msg_1", "Sorted."),
        '{"parentUuid":"a1","type":"user","message":{"role":"user","content":"cut he',
        user("u3", "Remove the unused ones", parentUuid="lost"),
        reply("a3", "msg_3", "Two removed."),
        '{"type":"assistant","uuid":"half',
    )
    records = read(tmp_path)
    chat = next(r for r in records if isinstance(r, Chat))
    assert [text for _, text in shown(chat)] == [
        "Sort the imports",
        "Sorted.",
        "Remove the unused ones",
        "Two removed.",
    ]
    assert [r.where.rsplit(" ", 2)[-2:] for r in records if isinstance(r, Skipped)] == [["line", "3"], ["line", "6"]]


def test_only_line_feeds_end_a_line_and_broken_unicode_is_mended(tmp_path: Path) -> None:
    torn = json.dumps({**user("u2", "Broken \ud83d emoji\0"), "sessionId": A})
    log(tmp_path, user("u1", "one\u2028two\u2029three\x85four"), torn)
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["one\u2028two\u2029three\x85four", "Broken \ufffd emoji"]


@pytest.mark.parametrize(
    ("row", "problems"),
    [
        ("[]", 1), ("7", 1), ('"text"', 1), ("null", 1), ("{}", 1), ('{"type": 7}', 1), ('{"type": ["user"]}', 1),
        ('{"type": "user"}', 1), ('{"type": "user", "message": "text"}', 1),
        ('{"type": "assistant", "message": []}', 1),
        ('{"type": "user", "message": {"content": 5}}', 1), ('{"type": "assistant", "message": {"content": true}}', 1),
        ('{"type": "user", "message": {}}', 0), ('{"type": "user", "message": {"content": null}}', 0),
        ('{"type": "user", "message": {"content": [null, 7, [], {}, {"type": []}, {"type": "text", "text": 1}]}}', 0),
        ('{"type": "assistant", "message": {"content": [null, {"type": {}}, {"type": "text"}], "id": {}}}', 0),
        ('{"type": "assistant", "uuid": [], "parentUuid": {}, "message": {"content": ["x"], "model": 4}}', 0),
        ('{"type": "attachment", "attachment": "x"}', 0),
        ('{"type": "attachment", "attachment": {"type": "queued_command"}}', 0),
        ('{"type": "attachment", "attachment": {"type": "queued_command", "prompt": 4}}', 1),
        ('{"type": "system", "content": {"a": []}}', 0), ('{"type": "progress", "data": []}', 0),
        ('{"type": "summary", "summary": [], "leafUuid": 4}', 0), ('{"type": "custom-title", "customTitle": {}}', 0),
        ('{"type": "user", "timestamp": {}, "cwd": 4, "forkedFrom": [], "message": {"content": "y"}}', 0),
        ('{"type": "user", "origin": "x", "promptSource": {}, "message": {"content": "y"}}', 0),
        ('{"type": "user", "timestamp": "1e999", "sessionId": "", "message": {"content": "y"}}', 0),
    ],
)  # fmt: skip
def test_malformed_lines_cost_only_themselves(tmp_path: Path, row: str, problems: int) -> None:
    log(tmp_path, user("u1", "Before"), row, user("u2", "After"))
    records = read(tmp_path)
    assert sum(isinstance(r, Skipped) for r in records) == problems
    chat = next(r for r in records if isinstance(r, Chat))
    texts = [m.text for m in chat.messages]
    assert (texts[0], texts[-1]) == ("Before", "After")


def test_an_empty_file_and_a_file_of_bookkeeping_hold_no_talk(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert list(claude_code.read(sources(empty), ReadOptions())) == []
    log(tmp_path, {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}, {"type": "mode", "sessionId": A})
    assert [c.messages for c in chats(tmp_path).values()] == [()]


@pytest.mark.parametrize(
    ("name", "content", "level"),
    [
        ("sessions-index.json", '{"version": 1, "entries": [{"sessionId": "x"}]}', Level.SIDE),
        ("agent-1.meta.json", '{"agentType": "Explore"}', Level.SIDE),
        ("history.jsonl", '{"display": "hi", "pastedContents": {}, "timestamp": 1, "project": "/w"}\n' * 2, Level.SIDE),
        (f"{A}/tool-results/t.txt", "User: a\nAssistant: b\n", Level.EXACT),
        ("-w-app/memory/MEMORY.md", "# User\na\n# Assistant\nb\n", Level.EXACT),
        ("memory/notes.md", "# User\na\n", Level.NO),
        ("x.jsonl", '{"type": "user", "id": "1", "content": "hi"}\n' * 2, Level.NO),
        (
            "x.jsonl",
            '{"sessionId": "x", "projectHash": "y"}\n{"type": "user", "sessionId": "x", "uuid": "1"}\n',
            Level.NO,
        ),
        ("x.jsonl", '{"type": "summary", "leafUuid": "x", "summary": "y"}\n', Level.EXACT),
        ("x.json", '[{"type": "user", "sessionId": "x", "uuid": "1"}]', Level.NO),
    ],
)
def test_only_session_logs_and_what_lies_beside_them_is_claimed(
    tmp_path: Path, name: str, content: str, level: Level
) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    source = next(iter(sources(path)))
    assert claude_code.sniff(peek(source)).level == level
    if level != Level.EXACT or name != "x.jsonl":
        assert [r for r in claude_code.read([source], ReadOptions()) if isinstance(r, Chat) and r.messages] == []


def _ids(messages: Iterable[Message]) -> list[str]:
    return [m.message_id for m in messages]


def test_the_sample_reads_without_a_problem() -> None:
    claims = [claude_code.sniff(peek(s)).level for s in sources(SAMPLE)]
    assert set(claims) == {Level.EXACT, Level.SIDE}
    found = list(chats(SAMPLE).values())
    assert [c.title for c in found] == [
        "E0502 fix and SQLite cache for heron-cli", "Release note 0.9.2", "List cache call sites",
        "Crème brûlée für zehn",
    ]  # fmt: skip
    main, resumed, agent, notes = found
    assert [len(list(c.visible())) for c in found] == [11, 5, 2, 5]
    assert alternates(main) == [
        "Store the cache in one JSON file per station.",
        "I would write 412 small JSON files under ~/.cache/heron; listing them takes about 90 ms.",
    ]
    assert set(_ids(m for m in resumed.messages if m.home)) <= set(_ids(main.messages))
    assert agent.parent_chat_id == main.chat_id
    assert (notes.project_name, notes.resume) == ("küche", f"claude --resume {notes.native_id}")
    for chat in found:
        assert len(set(_ids(chat.messages))) == len(chat.messages)
        assert all(m.created_at and m.created_at.tzinfo is UTC for m in chat.messages)
