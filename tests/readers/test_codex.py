"""Codex rollouts: two channels, injected context, rollbacks, forks, old grammars (formats.md section 5)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import zstandard

from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import codex, unpack
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import peek
from chatmem.readers.unpack import Source

SAMPLE = Path(__file__).parents[2] / "sample_data" / "codex"
A = "aaaaaaaa-1111-4111-8111-111111111111"
B = "bbbbbbbb-2222-4222-8222-222222222222"
C = "cccccccc-3333-4333-8333-333333333333"


def sources(path: Path) -> list[Source]:
    return [s for s in unpack.sources(path) if isinstance(s, Source)]


def read(path: Path) -> list[Record]:
    """What the reader makes of the files that it claims, as an import does it."""
    claimed = [s for s in sources(path) if codex.sniff(peek(s)).level != Level.NO]
    return list(codex.read(claimed, ReadOptions()))


def chats(path: Path) -> dict[str, Chat]:
    records = read(path)
    assert [r for r in records if isinstance(r, Skipped)] == []
    return {r.native_id: r for r in records if isinstance(r, Chat)}


def rollout(folder: Path, *rows: dict[str, Any] | str, session: str = A) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollout-2026-02-03T11-00-00-{session}.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows), encoding="utf-8")
    return path


def at(seconds: float) -> str:
    return datetime.fromtimestamp(1770116400 + seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(1770116400 + seconds, UTC)


def line(when: float, kind: str, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at(when), "type": kind, "payload": payload}


def meta(when: float, session: str = A, **more: Any) -> dict[str, Any]:
    return {"timestamp": at(when), "type": "session_meta", "payload": {
        "id": session, "timestamp": at(when), "cwd": "/w/app", "source": "cli", **more,
    }}  # fmt: skip


def item(when: float, role: str, *texts: Any, **more: Any) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": t} if isinstance(t, str) else t for t in texts]
    return line(when, "response_item", **{"type": "message", "role": role, "content": content, **more})


def event(when: float, kind: str, /, **payload: Any) -> dict[str, Any]:
    return line(when, "event_msg", **{"type": kind, **payload})


def turn(when: float, turn_id: str | None, model: str = "gpt-5-codex") -> dict[str, Any]:
    return line(when, "turn_context", cwd="/w/app", model=model, **({"turn_id": turn_id} if turn_id else {}))


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in chat.visible()]


def hidden(chat: Chat) -> list[tuple[str | None, str]]:
    return [(m.hidden, m.text) for m in chat.messages if m.hidden]


TALK = [turn(1, "t1"), item(2, "user", "Sketch a loader"), item(9, "assistant", "Loader sketched.")]


def test_the_talk_is_taken_from_one_channel_only(tmp_path: Path) -> None:
    rollout(
        tmp_path,
        meta(0),
        turn(1, None),
        item(2, "user", "Rename it"),
        event(2, "user_message", message="Rename it", kind="plain"),
        event(3, "agent_reasoning", text="**Planning**"),
        line(3, "response_item", type="reasoning", summary=[{"type": "summary_text", "text": "**Planning**"}]),
        line(4, "response_item", type="function_call", name="shell", arguments='{"command":["rg"]}', call_id="c"),
        line(5, "response_item", type="function_call_output", call_id="c", output='{"output":"src/w.py:1"}'),
        item(6, "assistant", "Looking.", phase="commentary"),
        event(9, "agent_message", message="Renamed."),
        event(9, "item_completed", item={"type": "AgentMessage", "content": [{"type": "Text", "text": "Renamed."}]}),
        item(9, "assistant", "Renamed."),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Rename it"), ("assistant", "Looking."), ("assistant", "Renamed.")]
    assert hidden(chat) == [("thinking", "**Planning**"), ("tool", 'shell {"command":["rg"]}'), ("tool", "src/w.py:1")]
    assert [m.created_at for m in chat.visible()] == [moment(2), moment(6), moment(9)]
    assert (chat.created_at, chat.updated_at, chat.model) == (moment(0), moment(9), "gpt-5-codex")
    assert (chat.project_id, chat.project_name, chat.resume) == ("/w/app", "app", f"codex resume {A}")


@pytest.mark.parametrize("channel", ["events", "completed", "both"])
def test_events_count_where_no_item_carries_the_talk(tmp_path: Path, channel: str) -> None:
    def completed(when: float, kind: str, block: str, text: str) -> dict[str, Any]:
        return event(when, "item_completed", item={"type": kind, "content": [{"type": block, "text": text}]})

    asked = [event(1, "user_message", message="Which crate?"), completed(1, "UserMessage", "text", "Which crate?")]
    said = [event(2, "agent_message", message="toml_edit."), completed(2, "AgentMessage", "Text", "toml_edit.")]
    chosen = {"events": slice(0, 1), "completed": slice(1, 2), "both": slice(0, 2)}[channel]
    told = item(0, "user", "<environment_context>\n<cwd>/w</cwd></environment_context>")
    rollout(tmp_path, meta(0), told, *asked[chosen], *said[chosen])
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Which crate?"), ("assistant", "toml_edit.")]
    assert [reason for reason, _ in hidden(chat)] == ["injected"]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>",
        "<user_instructions>\nAlways lint.\n</user_instructions>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nLint.\n</INSTRUCTIONS>",
        "<permissions instructions>sandbox</permissions instructions>",
        "<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>",
        "<skill>\n<name>x</name></skill>",
        "<skills_instructions>x</skills_instructions>",
        "<collaboration_mode>plan</collaboration_mode>",
        "<codex_internal_context>x</codex_internal_context>",
        "<goal_context>x</goal_context>",
        "<recommended_plugins>x</recommended_plugins>",
        "<app-context>x</app-context>",
        "\n<subagent_notification>x</subagent_notification>",
        "<user_shell_command>ls</user_shell_command>",
    ],
)
def test_injected_context_in_the_users_role_is_hidden(tmp_path: Path, text: str) -> None:
    rollout(tmp_path, meta(0), item(0, "user", text), item(1, "user", text, "Split the loader"))
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Split the loader")]
    assert hidden(chat) == [("injected", text), ("injected", text)]
    assert chat.title == "Split the loader"


def test_of_an_editor_wrapper_only_the_request_shows(tmp_path: Path) -> None:
    wrapper = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:"
    rollout(tmp_path, meta(0), item(1, "user", f"{wrapper}\nFix the test\n"), item(2, "user", "## My request is short"))
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Fix the test"), ("user", "## My request is short")]
    assert hidden(chat) == [("injected", wrapper)]


def test_instructions_and_summaries_are_hidden_and_bookkeeping_is_dropped(tmp_path: Path) -> None:
    rollout(
        tmp_path,
        meta(0, base_instructions={"text": "Long base prompt"}),
        item(0, "developer", "Be careful"),
        item(0, "system", "Be kind"),
        line(0, "world_state", files=2),
        line(1, "response_item", type="ghost_snapshot", ghost_commit={"id": "x"}),
        item(2, "user", "Go"),
        line(3, "compacted", message="We went.", replacement_history=[{"role": "user", "content": "Go"}]),
        event(4, "token_count", info=None),
        line(4, "token_usage_record", tokens=4),
        line(5, "response_item", type="hologram", shape="cube"),
        item(6, "critic", "Hmm"),
    )
    records = read(tmp_path)
    chat = next(r for r in records if isinstance(r, Chat))
    assert shown(chat) == [("user", "Go")]
    assert hidden(chat) == [
        ("system", "Be careful"), ("system", "Be kind"), ("system", '{"files": 2}'), ("summary", "We went."),
        ("tool", '{"type": "hologram", "shape": "cube"}'), ("system", "Hmm"),
    ]  # fmt: skip
    assert [r.text for r in records if isinstance(r, Note)] == ["messages of the unknown role 'critic' are kept hidden"]


def test_pictures_are_attachments_without_their_bytes(tmp_path: Path) -> None:
    picture = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 4000}
    rollout(
        tmp_path,
        meta(0),
        item(1, "user", "<image name=[Image #1]>", picture, "</image>", "What is this?"),
        item(2, "user", picture),
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "What is this?"), ("user", "[attached: image.png]")]
    assert [a.name for m in chat.messages for a in m.attachments] == ["image.png", "image.png"]


def test_rolled_back_turns_leave_the_main_path(tmp_path: Path) -> None:
    rollout(
        tmp_path,
        meta(0),
        *[row for n in range(4) for row in (item(n, "user", f"Ask {n}"), item(n, "assistant", f"Say {n}"))],
        event(5, "thread_rolled_back", num_turns=2),
        item(6, "user", "Ask again"),
        event(7, "thread_rolled_back", num_turns="many"),
        item(8, "assistant", "Say again"),
        event(9, "thread_rolled_back", num_turns=0),
    )
    chat = chats(tmp_path)[A]
    assert [text for _, text in shown(chat)] == ["Ask 0", "Say 0", "Ask 1", "Say 1", "Ask again", "Say again"]
    assert [m.text for m in chat.messages if m.branch == "alternate"] == ["Ask 2", "Say 2", "Ask 3", "Say 3"]
    assert hidden(chat) == []


def fork(when: float, *own: dict[str, Any], history: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """A session B forked from A: both headers, the parent's lines with times of the fork, then the own lines."""
    replayed = [{**row, "timestamp": at(when + n / 100)} for n, row in enumerate(TALK if history is None else history)]
    return [meta(when, B, forked_from_id=A), {**meta(0), "timestamp": at(when)}, *replayed, *own]


OWN = [turn(500, "t9"), item(501, "user", "Try a registry"), item(520, "assistant", "Registry ready.")]


def test_a_fork_shares_ids_with_its_parent_and_never_claims_the_time_of_the_replay(tmp_path: Path) -> None:
    rollout(tmp_path, meta(0), *TALK)
    rollout(tmp_path, *fork(400, *OWN), session=B)
    parent, child = chats(tmp_path)[A], chats(tmp_path)[B]
    assert [(m.text, m.home, m.created_at) for m in child.messages] == [
        ("Sketch a loader", A, None), ("Loader sketched.", A, None),
        ("Try a registry", None, moment(501)), ("Registry ready.", None, moment(520)),
    ]  # fmt: skip
    assert [m.message_id for m in child.messages[:2]] == [m.message_id for m in parent.messages]
    assert (child.continues, child.created_at, child.title) == (A, moment(400), "Try a registry")
    assert [m.home for m in parent.messages] == [None, None]


def test_a_fork_whose_parent_is_elsewhere_is_told_by_the_pause_after_the_replay(tmp_path: Path) -> None:
    rollout(tmp_path, *fork(400, *OWN), session=B)
    child = chats(tmp_path)[B]
    assert [m.home for m in child.messages] == [A, A, None, None]
    assert [m.created_at for m in child.messages] == [None, None, moment(501), moment(520)]


def test_a_turn_begun_with_the_fork_itself_is_its_own(tmp_path: Path) -> None:
    at_once = [turn(400.5, "t9"), item(400.5, "user", "Try a registry"), item(430, "assistant", "Registry ready.")]
    rollout(tmp_path, *fork(400, *at_once), session=B)
    alone = chats(tmp_path)[B]
    rollout(tmp_path, meta(0), *TALK)
    together = chats(tmp_path)[B]
    for child in (alone, together):
        assert [m.home for m in child.messages] == [A, A, None, None]
        assert [m.created_at for m in child.messages][2:] == [moment(400.5), moment(430)]


def test_without_turn_ids_the_replay_ends_where_the_texts_part(tmp_path: Path) -> None:
    talk = [
        item(2, "user", "Go on"),
        item(9, "assistant", "One."),
        item(20, "user", "Go on"),
        item(30, "assistant", "Two."),
    ]
    own = [item(400.2, "user", "Stop"), item(401, "assistant", "One."), item(440, "user", "Go on")]
    rollout(tmp_path, meta(0), *talk)
    rollout(tmp_path, *fork(400, *own, history=talk[:2]), session=B)
    child = chats(tmp_path)[B]
    assert [(m.text, m.home) for m in child.messages] == [
        ("Go on", A), ("One.", A), ("Stop", None), ("One.", None), ("Go on", None),
    ]  # fmt: skip
    assert [m.created_at is None for m in child.messages] == [True, True, False, False, False]


def test_a_replay_that_kept_its_times_keeps_them(tmp_path: Path) -> None:
    rollout(tmp_path, meta(400, B, forked_from_id=A), {**meta(0), "timestamp": at(400)}, *TALK, *OWN, session=B)
    child = chats(tmp_path)[B]
    assert [(m.home, m.created_at) for m in child.messages] == [
        (A, moment(2)), (A, moment(9)), (None, moment(501)), (None, moment(520)),
    ]  # fmt: skip


def test_a_fork_of_a_fork_points_to_the_nearer_one(tmp_path: Path) -> None:
    rollout(tmp_path, meta(0), *TALK)
    second = fork(400, *OWN)
    rollout(tmp_path, *second, session=B)
    again = [{**row, "timestamp": at(900)} for row in second]
    rollout(tmp_path, meta(900, C, forked_from_id=B), *again, turn(950, "t20"), item(951, "user", "Ship it"), session=C)
    found = chats(tmp_path)
    assert [m.home for m in found[C].messages] == [B, B, B, B, None]
    assert {m.message_id for m in found[B].messages} < {m.message_id for m in found[C].messages}


def test_names_come_from_the_last_event_or_the_index_and_a_replayed_name_is_not_the_forks(tmp_path: Path) -> None:
    named = [event(3, "thread_name_updated", thread_id=A, thread_name=n) for n in ("First", "Loader")]
    rollout(tmp_path / "sessions/2026/02/03", meta(0), *TALK, *named)
    rollout(tmp_path / "sessions/2026/02/03", *fork(400, *OWN, history=[*TALK, *named]), session=B)
    assert [(c.title, c.title_origin) for c in chats(tmp_path).values()] == [
        ("Loader", "export"), ("Try a registry", "derived"),
    ]  # fmt: skip
    index = [{"id": A, "thread_name": n, "updated_at": at(t)} for n, t in (("Old", 1), ("Plugin loader", 100))]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in index))
    assert chats(tmp_path / "sessions")[A].title == "Plugin loader"
    assert len(chats(tmp_path)) == 2


def test_a_sub_agent_is_a_chat_below_its_session(tmp_path: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": A, "depth": 1, "agent_role": "explorer"}}}
    rollout(tmp_path, meta(0, B, session_id=A, source=spawn), item(1, "user", "List callers"), session=B)
    review = meta(0, C, session_id=A, thread_source="subagent")
    rollout(tmp_path, review, item(1, "user", "Review"), session=C)
    found = chats(tmp_path)
    assert [(c.kind, c.parent_chat_id, c.resume) for c in found.values()] == [("subagent", f"codex:{A}", None)] * 2
    assert [c.agent_id for c in found.values()] == ["explorer", None]


def test_a_compressed_twin_gives_way_to_the_plain_file(tmp_path: Path) -> None:
    path = rollout(tmp_path / "sessions", meta(0), *TALK, item(20, "user", "More"))
    old = zstandard.ZstdCompressor().compress(path.read_bytes().rsplit(b"\n", 2)[0])
    archived = tmp_path / "archived_sessions" / f"{path.name}.zst"
    archived.parent.mkdir()
    archived.write_bytes(old)
    records = read(tmp_path)
    assert [type(r) for r in records] == [Note, Chat]
    assert [len(r.messages) for r in records if isinstance(r, Chat)] == [3]
    path.unlink()
    chat = chats(tmp_path)[A]
    assert (len(chat.messages), chat.archived) == (2, True)


def test_a_damaged_first_line_leaves_the_id_in_the_file_name(tmp_path: Path) -> None:
    rollout(tmp_path, '{"timestamp":"2026-02-03T11:00:00Z","type":"session_meta","payload":{"id":"aaa', *TALK)
    records = read(tmp_path)
    chat = next(r for r in records if isinstance(r, Chat))
    assert (chat.native_id, chat.created_at, len(chat.messages)) == (A, moment(1), 2)
    assert [r.where.rsplit(" ", 1)[-1] for r in records if isinstance(r, Skipped)] == ["1"]


def test_a_file_without_any_header_takes_id_and_start_from_its_name(tmp_path: Path) -> None:
    rollout(tmp_path, {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]})
    chat = chats(tmp_path)[A]
    assert (chat.native_id, chat.created_at) == (A, datetime(2026, 2, 3, 11, 0, tzinfo=UTC))


def test_bare_items_of_the_first_rollouts_are_read(tmp_path: Path) -> None:
    told = "<environment_context>\n<cwd>/w/old</cwd>\n</environment_context>"
    rollout(
        tmp_path,
        {"id": A, "timestamp": at(0), "instructions": None, "git": {}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": told}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello."}]},
    )
    chat = chats(tmp_path)[A]
    assert shown(chat) == [("user", "Hi"), ("assistant", "Hello.")]
    assert [m.created_at for m in chat.messages] == [None, None, None]
    assert (chat.created_at, chat.updated_at, chat.project_id) == (moment(0), None, "/w/old")


@pytest.mark.parametrize("indent", [None, 2])
def test_the_single_object_before_the_rollouts_is_read(tmp_path: Path, indent: int | None) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    whole = {"session": {"id": A, "timestamp": at(0), "instructions": ""}, "items": [said, {"type": "reasoning"}]}
    (tmp_path / "rollout-2025-04-16.json").write_text(json.dumps(whole, indent=indent))
    chat = chats(tmp_path)[A]
    assert (shown(chat), chat.created_at, chat.messages[0].pointer) == ([("user", "Hi")], moment(0), "/items/0")


def test_the_output_of_codex_exec_is_named_and_not_read(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(
        '{"type":"thread.started","thread_id":"x"}\n{"type":"item.completed","item":{"type":"agent_message"}}\n'
    )
    claim = codex.sniff(peek(sources(path)[0]))
    assert claim.level == Level.SIDE
    assert "~/.codex/sessions" in claim.reason
    assert [type(r) for r in codex.read(sources(path), ReadOptions())] == [Note]


def test_the_same_text_said_twice_has_two_ids_that_do_not_move_when_the_log_grows(tmp_path: Path) -> None:
    rollout(tmp_path, meta(0), turn(1, "t1"), item(2, "user", "Go on"), item(3, "user", "Go on"))
    before = [m.message_id for m in chats(tmp_path)[A].messages]
    rollout(tmp_path, meta(0), turn(1, "t1"), *[item(n, "user", "Go on") for n in (2, 3, 4)])
    after = [m.message_id for m in chats(tmp_path)[A].messages]
    assert len(set(after)) == 3
    assert after[:2] == before


@pytest.mark.parametrize(
    ("row", "problems"),
    [
        ("[]", 1), ("7", 1), ("null", 1), ("{}", 1), ('{"type": 7}', 1), ('{"type": ["event_msg"]}', 1), ("{torn", 1),
        ('{"type": "response_item"}', 1), ('{"type": "event_msg", "payload": "x"}', 1),
        ('{"type": "response_item", "payload": {}}', 1), ('{"type": "response_item", "payload": {"type": []}}', 1),
        ('{"type": "response_item", "payload": {"type": "message", "role": 4, "content": 5}}', 0),
        ('{"type": "response_item", "payload": {"type": "message", "role": "user", "content": {"text": 5}}}', 0),
        ('{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [null, 5, [], {}]}}', 0),
        ('{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": {}}]}}', 0),
        ('{"type": "response_item", "payload": {"type": "reasoning", "summary": 5, "content": {}}}', 0),
        ('{"type": "response_item", "payload": {"type": "function_call", "name": {}, "arguments": []}}', 0),
        ('{"type": "response_item", "payload": {"type": "function_call_output", "output": [4, {"output": "{"}]}}', 0),
        ('{"type": "event_msg", "payload": {"type": {}}}', 0),
        ('{"type": "event_msg", "payload": {"type": "user_message", "message": 5, "images": [5]}}', 0),
        ('{"type": "event_msg", "payload": {"type": "item_completed", "item": []}}', 0),
        ('{"type": "event_msg", "payload": {"type": "thread_name_updated", "thread_name": []}}', 0),
        ('{"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": -3}}', 0),
        ('{"type": "turn_context", "payload": {"turn_id": {}, "cwd": 5, "model": []}}', 0),
        ('{"type": "session_meta", "payload": {"id": [], "source": [], "git": 5}}', 0),
        ('{"type": "compacted", "payload": {"message": []}}', 0), ('{"type": "unheard_of", "payload": {}}', 0),
        ('{"type": "response_item", "timestamp": "1e999", "payload": {"type": "message", "role": "user"}}', 0),
    ],
)  # fmt: skip
def test_malformed_lines_cost_only_themselves(tmp_path: Path, row: str, problems: int) -> None:
    rollout(tmp_path, meta(0), item(1, "user", "Before"), row, item(2, "assistant", "After"))
    records = read(tmp_path)
    assert sum(isinstance(r, Skipped) for r in records) == problems
    chat = next(r for r in records if isinstance(r, Chat))
    texts = [m.text for m in chat.messages]
    assert (texts[0], texts[-1]) == ("Before", "After")


def test_a_header_of_wrong_types_still_gives_a_chat(tmp_path: Path) -> None:
    wrong = {"id": 7, "timestamp": [], "cwd": {}, "source": {"subagent": 4}, "forked_from_id": [], "session_id": {}}
    rollout(tmp_path, {"type": "session_meta", "payload": wrong}, item(1, "user", "Hi"))
    (chat,) = chats(tmp_path).values()
    assert (chat.kind, chat.parent_chat_id, shown(chat)) == ("subagent", None, [("user", "Hi")])


def test_a_truncated_compressed_file_keeps_what_could_be_read(tmp_path: Path) -> None:
    path = rollout(tmp_path, meta(0), *TALK, *[item(n, "user", f"Question {n} {n * 'x'}") for n in range(2000)])
    packed = zstandard.ZstdCompressor().compress(path.read_bytes())
    path.with_name(path.name + ".zst").write_bytes(packed[: len(packed) // 2])
    path.unlink()
    records = read(tmp_path)
    assert any(isinstance(r, Skipped) for r in records)
    assert all(r.native_id == A for r in records if isinstance(r, Chat))


@pytest.mark.parametrize(
    ("name", "content", "level"),
    [
        ("session_index.jsonl", '{"id": "x", "thread_name": "y"}\n' * 2, Level.SIDE),
        ("history.jsonl", '{"session_id": "x", "ts": 1, "text": "y"}\n' * 2, Level.SIDE),
        ("x.jsonl", "{torn\n" + '{"type": "event_msg", "payload": {"type": "x"}}\n', Level.EXACT),
        ("x.jsonl", '{"type": "turn_context", "payload": {}}\n', Level.EXACT),
        ("x.jsonl", '{"type": "message", "role": "user", "content": "hi"}\n' * 2, Level.NO),
        ("x.jsonl", '{"type": {}, "payload": {}}\n{"type": "event_msg", "payload": 4}\n', Level.NO),
        ("x.json", '{"session": {"id": "x"}, "items": []}', Level.EXACT),
        ("x.json", '{"session": "x", "items": []}', Level.NO),
    ],
)
def test_only_rollouts_and_what_lies_beside_them_is_claimed(
    tmp_path: Path, name: str, content: str, level: Level
) -> None:
    path = tmp_path / name
    path.write_text(content)
    source = sources(path)[0]
    assert codex.sniff(peek(source)).level == level
    if level == Level.SIDE:
        assert list(codex.read([source], ReadOptions())) == []


def test_the_sample_reads_without_a_problem() -> None:
    claims = [codex.sniff(peek(s)).level for s in sources(SAMPLE)]
    assert set(claims) == {Level.EXACT, Level.SIDE}
    archived, parent, child = chats(SAMPLE).values()
    assert [c.title for c in (archived, parent, child)] == [
        "Startseite auf Japanisch", "Staging deploy killed with exit code 137",
        "Make the limit configurable with TIDEPOOL_MEM, default 512m.",
    ]  # fmt: skip
    assert [len(list(c.visible())) for c in (archived, parent, child)] == [2, 7, 7]
    assert (archived.archived, child.continues) == (True, parent.native_id)
    copies = [m for m in child.messages if m.home]
    assert {m.message_id for m in copies} < {m.message_id for m in parent.messages}
    assert all(m.created_at is None for m in copies)
    assert all(m.created_at for m in child.messages if not m.home)
