"""Importing again: the same adds nothing, a newer export adds what is new, an older one takes nothing back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from chatmem.archive.store import Store
from chatmem.import_report import ImportRequest
from chatmem.ingest import run_import
from chatmem.readers.base import ReadOptions
from chatmem.render.progress import Silent
from tests.imports import (
    chats,
    conversation,
    export,
    exported,
    held,
    imported,
    line,
    messages,
    moment,
    session,
    shown,
    table,
    turn,
    uuid,
)

SAMPLES = Path(__file__).parents[1] / "sample_data"
A, B = uuid(900), uuid(901)
TALK = [turn(1, "user", "Which flour?"), turn(2, "assistant", "Rye."), turn(3, "user", "How much?")]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def test_the_samples_twice_add_nothing_and_export_the_same(store: Store, tmp_path: Path) -> None:
    first = imported(store, SAMPLES)
    before = exported(store)

    again = imported(store, SAMPLES)

    assert (chats(again), messages(again)) == ((0, 0, sum(chats(first))), (0, 0))
    # Read anew, not only remembered: every file looks changed after a copy.
    shutil.copytree(SAMPLES, tmp_path / "copy")
    copied = imported(store, tmp_path / "copy")
    assert (chats(copied), messages(copied)) == ((0, 0, sum(chats(first))), (0, 0))
    assert exported(store) == before


def test_an_export_imported_into_an_empty_archive_gives_the_same_archive(store: Store, tmp_path: Path) -> None:
    imported(store, SAMPLES)
    lines = exported(store)
    (tmp_path / "all.jsonl").write_text("".join(f"{text}\n" for text in lines), "utf-8")

    restored = Store(tmp_path / "restored")
    report = imported(restored, tmp_path / "all.jsonl")

    assert report.problems() == []
    assert exported(restored) == lines
    assert chats(imported(restored, tmp_path / "all.jsonl")) == (0, 0, len(lines))
    # It knows the chats that it holds when they come from where they once came from.
    report = imported(restored, SAMPLES)
    assert (report.total("chats_new"), messages(report)) == (0, (0, 0))
    assert exported(restored) == lines


def test_a_grown_session_adds_only_its_new_messages(store: Store, tmp_path: Path) -> None:
    talk = [line(1, "Fix the skew", A), line(2, "Fixed.", A, "assistant")]
    session(tmp_path / "p", A, talk)
    imported(store, tmp_path / "p")

    session(tmp_path / "p", A, [*talk, line(3, "And a test", A), line(4, "Added.", A, "assistant")])
    report = imported(store, tmp_path / "p")

    assert (chats(report), messages(report)) == ((0, 1, 0), (2, 0))
    assert shown(store) == {f"claude-code:{A}": ["Fix the skew", "Fixed.", "And a test", "Added."]}


@pytest.mark.parametrize(
    "new", [turn(4, "user", "How much of it?", parent=2), turn(4, "assistant", "500 g.", parent=3)]
)
def test_a_new_turn_at_the_end_is_one_new_message(store: Store, tmp_path: Path, new: dict[str, Any]) -> None:
    imported(store, export(tmp_path / "1.json", conversation(A, *TALK)))

    report = imported(store, export(tmp_path / "2.json", conversation(A, *TALK, new)))

    assert (chats(report), messages(report)) == ((0, 1, 0), (1, 0))


def test_a_regenerated_reply_leaves_the_old_one_on_a_branch(store: Store, tmp_path: Path) -> None:
    imported(store, export(tmp_path / "1.json", conversation(A, *TALK[:2])))

    again = turn(5, "assistant", "Rye, or spelt.", parent=1)
    report = imported(store, export(tmp_path / "2.json", conversation(A, *TALK[:2], again)))

    assert (chats(report), messages(report)) == ((0, 1, 0), (1, 0))
    record = held(store)[f"chatgpt:{A}"]
    assert {m["text"]: (m["branch"], m["n"]) for m in record["messages"]} == {
        "Which flour?": ("main", 1), "Rye.": ("alternate", None), "Rye, or spelt.": ("main", 2),
    }  # fmt: skip


def test_a_message_whose_text_changed_under_its_id_is_an_updated_one(store: Store, tmp_path: Path) -> None:
    imported(store, export(tmp_path / "1.json", conversation(A, *TALK)))

    changed = conversation(A, TALK[0], turn(2, "assistant", "Wheat."), TALK[2])
    report = imported(store, export(tmp_path / "2.json", changed))

    assert (chats(report), messages(report)) == ((0, 1, 0), (0, 1))
    assert shown(store)[f"chatgpt:{A}"] == ["Which flour?", "Wheat.", "How much?"]


def test_an_older_export_does_not_take_the_archive_back(store: Store, tmp_path: Path) -> None:
    old = export(tmp_path / "old.json", conversation(A, *TALK[:2]))
    imported(store, export(tmp_path / "new.json", conversation(A, *TALK)))
    before = exported(store)

    report = imported(store, old)

    assert chats(report) == (0, 0, 1)
    assert exported(store) == before


def test_without_times_the_longer_version_is_the_newer_one(store: Store, tmp_path: Path) -> None:
    long, short = tmp_path / "long.csv", tmp_path / "short.csv"
    head = "conversation_id,role,message"
    rows = [("7", "user", "Where is my parcel?"), ("7", "agent", "On its way."), ("7", "user", "Thanks, I will wait.")]
    table(long, *rows, head=head)
    table(short, *rows[:2], head=head)
    imported(store, long)

    assert chats(imported(store, short)) == (0, 0, 1)
    assert [len(texts) for texts in shown(store).values()] == [3]
    assert chats(imported(Store(tmp_path / "other"), short, long)) == (1, 1, 0)


def test_a_chat_missing_from_a_newer_export_stays(store: Store, tmp_path: Path) -> None:
    both = conversation(A, *TALK), conversation(B, turn(11, "user", "Second"), turn(12, "assistant", "Yes."))
    imported(store, export(tmp_path / "1.json", *both))

    imported(store, export(tmp_path / "2.json", both[1]))

    assert list(shown(store)) == [f"chatgpt:{A}", f"chatgpt:{B}"]


def test_two_shards_may_hold_the_same_chat(store: Store, tmp_path: Path) -> None:
    older, newer = conversation(A, *TALK[:2]), conversation(A, *TALK)
    export(tmp_path / "x" / "conversations-000.json", newer, conversation(B, turn(11, "user", "Second")))
    export(tmp_path / "x" / "conversations-001.json", older, newer)

    report = imported(store, tmp_path / "x")

    assert chats(report) == (2, 0, 2)
    assert shown(store)[f"chatgpt:{A}"] == ["Which flour?", "Rye.", "How much?"]


def test_a_chat_that_stands_three_times_in_one_batch_ends_as_its_newest_version(store: Store, tmp_path: Path) -> None:
    versions = [conversation(A, *TALK[:size]) for size in (1, 3, 2)]

    report = imported(store, export(tmp_path / "all.json", *versions))

    assert chats(report) == (1, 1, 1)
    assert shown(store) == {f"chatgpt:{A}": ["Which flour?", "Rye.", "How much?"]}


def test_a_title_that_another_file_gave_outlives_the_growth_of_the_session(store: Store, tmp_path: Path) -> None:
    talk = [line(1, "The skew test is red", A), line(2, "Wider now.", A, "assistant")]
    session(tmp_path / "p", A, talk)
    session(tmp_path / "p", B, [{"type": "summary", "summary": "Clock skew", "leafUuid": uuid(2)}])
    imported(store, tmp_path / "p")
    assert held(store)[f"claude-code:{A}"]["title"] == "Clock skew"

    session(tmp_path / "p", A, [*talk, line(3, "Still red", A)])
    report = imported(store, tmp_path / "p")

    record = held(store)[f"claude-code:{A}"]
    assert (record["title"], record["title_origin"], messages(report)) == ("Clock skew", "export", (1, 0))
    # Nor does it become an update by being read once more, alone or with the file that has the title.
    elsewhere = session(tmp_path / "q", A, [*talk, line(3, "Still red", A)])
    assert chats(imported(store, elsewhere)) == (0, 0, 1)
    shutil.copytree(tmp_path / "p", tmp_path / "r")
    assert chats(imported(store, tmp_path / "r")) == (0, 0, 1)


def test_another_title_from_an_export_replaces_the_old_one(store: Store, tmp_path: Path) -> None:
    imported(store, export(tmp_path / "1.json", conversation(A, *TALK, title="Flour")))

    report = imported(store, export(tmp_path / "2.json", conversation(A, *TALK, title="Bread flour")))

    assert (chats(report), messages(report)) == ((0, 1, 0), (0, 0))
    assert held(store)[f"chatgpt:{A}"]["title"] == "Bread flour"


def test_the_same_number_in_two_tables_is_two_chats(store: Store, tmp_path: Path) -> None:
    def talk(month: int, question: str) -> list[tuple[str, ...]]:
        return [
            ("7", f"2025-{month:02}-01T08:00Z", "user", question),
            ("7", f"2025-{month:02}-01T08:01Z", "agent", "Oh."),
        ]

    rows = {
        "a.csv": talk(1, "My lamp is broken"),
        "b.csv": talk(2, "My chair is late"),
        "c.csv": talk(3, "My lamp is broken"),
    }
    paths = [table(tmp_path / name, *content) for name, content in rows.items()]

    report = imported(store, *paths)

    assert chats(report) == (3, 0, 0)
    assert sorted(shown(store).values()) == [
        ["My chair is late", "Oh."], ["My lamp is broken", "Oh."], ["My lamp is broken", "Oh."],
    ]  # fmt: skip
    again = [Path(shutil.copy(path, tmp_path / f"again-{path.name}")) for path in paths]
    assert chats(imported(store, *again)) == (0, 0, 3)
    table(paths[1], *rows["b.csv"], ("7", "2025-02-02T08:00Z", "user", "It came"))
    assert chats(imported(store, *paths)) == (0, 1, 2)
    assert [len(texts) for texts in shown(store).values()] == [2, 3, 2]


def test_greetings_do_not_make_two_chats_one(store: Store, tmp_path: Path) -> None:
    head = "conversation_id,role,message"
    one = [("1", "user", "Hi"), ("1", "agent", "Hello! How can I help?"), ("1", "user", "Where is order 17?")]
    other = [("1", "user", "Hi"), ("1", "agent", "Hello! How can I help?"), ("1", "user", "I forgot my password")]
    imported(store, table(tmp_path / "a.csv", *one[:2], head=head))

    grown = imported(store, table(tmp_path / "a.csv", *one, head=head))
    second = imported(store, table(tmp_path / "b.csv", *other, head=head))

    assert (chats(grown), chats(second)) == ((0, 1, 0), (1, 0, 0))
    assert sorted(texts[-1] for texts in shown(store).values()) == ["I forgot my password", "Where is order 17?"]


def test_a_table_read_in_another_time_zone_is_the_same_chats_at_other_times(store: Store, tmp_path: Path) -> None:
    import zoneinfo

    path = table(tmp_path / "a.csv", ("7", "2025-01-01 08:00", "user", "Hi"), ("7", "2025-01-01 08:01", "agent", "Oh."))
    imported(store, path)

    report = imported(store, path, zone=zoneinfo.ZoneInfo("Pacific/Auckland"))

    # Later in Auckland is earlier in UTC; the same file read anew counts all the same.
    assert chats(report) == (0, 1, 0)
    assert chats(imported(store, path, zone=zoneinfo.ZoneInfo("America/Lima"))) == (0, 1, 0)


def test_other_settings_read_an_unchanged_file_again(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "1.json", conversation(A, *TALK))
    imported(store, path)

    report = imported(store, path, project="Kitchen", user="mira", force_user=True, agent="baker")

    assert chats(report) == (0, 1, 0)
    record = held(store)[f"chatgpt:{A}"]
    assert [record[key] for key in ("project_id", "project_name", "user_id", "agent_id")] == [
        "Kitchen", "Kitchen", "mira", "baker",
    ]  # fmt: skip


def test_the_user_of_the_settings_is_for_chats_that_name_none(store: Store, tmp_path: Path) -> None:
    record = {"schema": "chatmem.chat/1", "messages": [{"role": "user", "text": "Hi"}]}
    path = tmp_path / "x.jsonl"
    named = [{**record, "chat_id": "csv:1", "user_id": "alice"}, {**record, "chat_id": "csv:2"}]
    path.write_text("".join(json.dumps(r) + "\n" for r in named))

    imported(store, path, user="mira")

    assert {i: r["user_id"] for i, r in held(store).items()} == {"csv:1": "alice", "csv:2": "mira"}


THREAD = "5d1c0f7e9a2b4c68"


def activity(path: Path, prompt: str, year: int) -> Path:
    """A Takeout file with one prompt of the thread."""
    url = f"https://gemini.google.com/app/{THREAD}"
    row = {
        "header": "Gemini Apps", "title": f"Prompted {prompt}", "time": f"{year}-05-09T18:22:41Z",
        "products": ["Gemini Apps"], "safeHtmlItem": [{"html": f"<p>{prompt} is answered</p>"}],
        "details": [{"name": url, "url": url}],
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([row]))
    return path


@pytest.mark.parametrize("touched", ["a", "b"])
def test_a_thread_over_two_files_of_which_one_changed_stays_whole(store: Store, tmp_path: Path, touched: str) -> None:
    both = {n: activity(tmp_path / "tk" / n / "MyActivity.json", n, year) for n, year in (("a", 2024), ("b", 2025))}
    imported(store, tmp_path / "tk")
    whole = shown(store)
    os.utime(both[touched], ns=(1, 1))

    report = imported(store, tmp_path / "tk")

    assert len(whole[f"gemini:{THREAD}"]) == 4
    assert (chats(report), shown(store)) == ((0, 0, 1), whole)
    assert chats(imported(store, tmp_path / "tk")) == (0, 0, 1)


def test_a_gemini_session_over_two_logs_of_which_one_grew_stays_whole(store: Store, tmp_path: Path) -> None:
    def log(name: str, *said: str) -> None:
        head = {
            "sessionId": A,
            "projectHash": "0" * 64,
            "startTime": moment(0),
            "lastUpdated": moment(9),
            "kind": "main",
        }
        rows = [{"id": t, "timestamp": moment(n), "type": "user", "content": t} for n, t in enumerate(said)]
        path = tmp_path / "chats" / f"session-2026-01-0{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in (head, *rows)))

    log("1", "first words")
    log("2", "second words")
    imported(store, tmp_path / "chats")
    log("2", "second words", "third words")

    imported(store, tmp_path / "chats")

    assert shown(store) == {f"gemini-cli:{A}": ["first words", "second words", "third words"]}


def test_a_codex_session_renamed_in_the_index_has_its_new_name(store: Store, tmp_path: Path) -> None:
    meta = {"timestamp": moment(0), "type": "session_meta", "payload": {"id": A, "timestamp": moment(0), "cwd": "/w"}}
    told = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Why?"}]}
    path = tmp_path / ".codex" / "sessions" / "2026" / f"rollout-2026-01-01T00-00-00-{A}.jsonl"
    path.parent.mkdir(parents=True)
    rows = (meta, {"timestamp": moment(1), "type": "response_item", "payload": told})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    index = tmp_path / ".codex" / "session_index.jsonl"
    titles = []

    for name in ("First", "Second"):
        with index.open("a") as lines:
            lines.write(json.dumps({"id": A, "thread_name": name, "updated_at": moment(2)}) + "\n")
        imported(store, tmp_path / ".codex")
        titles.append(held(store)[f"codex:{A}"]["title"])
    again = imported(store, tmp_path / ".codex")

    assert (titles, chats(again)) == (["First", "Second"], (0, 0, 1))


def test_a_sub_agent_whose_description_arrives_later_has_it_as_title(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "p" / A / "subagents"
    session(tmp_path / "p", A, [line(1, "Fix it", A)])
    session(folder, "agent-7", [line(2, "Look for it", A, isSidechain=True, agentId="7")])
    imported(store, tmp_path / "p")
    (folder / "agent-7.meta.json").write_text(json.dumps({"agentType": "Explore", "description": "Find the loader"}))

    imported(store, tmp_path / "p")

    assert held(store)[f"claude-code:{A}/7"]["title"] == "Find the loader"


def test_an_attachment_that_arrives_later_is_present(store: Store, tmp_path: Path) -> None:
    spoken = conversation(A, turn(1, "user", "Look"))
    said = spoken["mapping"][uuid(1)]["message"]
    said["metadata"] = {"attachments": [{"id": "file-AAAAAAAAAAAAAAAAAAAAAAAA", "name": "bread.webp"}]}
    imported(store, export(tmp_path / "alone" / "conversations.json", spoken))
    whole = export(tmp_path / "whole" / "conversations.json", spoken)
    (whole.parent / "file-AAAAAAAAAAAAAAAAAAAAAAAA-bread.webp").write_bytes(b"RIFF")

    imported(store, whole.parent)

    (message,) = held(store)[f"chatgpt:{A}"]["messages"][-1:]
    assert [file["present"] for file in message["attachments"]] == [True]


def said_by(path: Path, *texts: str, **more: Any) -> Path:
    """A file of one talk in a format whose ids are no wider than the file."""
    roles = ("user", "assistant")
    path.write_text(
        json.dumps({"messages": [{"role": roles[i % 2], "content": t} for i, t in enumerate(texts)], **more})
    )
    return path


def test_what_was_assigned_by_hand_stays_when_a_later_import_says_nothing(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", conversation(A, *TALK))
    imported(store, path, user="alice", force_user=True, project="shop", agent="bot")
    before = exported(store)
    path.touch()

    again = imported(store, path)
    longer = export(path, conversation(A, *TALK, turn(4, "assistant", "70 percent.")))

    assert (chats(again), exported(store)) == ((0, 0, 1), before)
    assert chats(imported(store, longer)) == (0, 1, 0)
    record = held(store)[f"chatgpt:{A}"]
    assert [record[key] for key in ("project_id", "user_id", "agent_id")] == ["shop", "alice", "bot"]
    assert chats(imported(store, longer, project="bakery")) == (0, 1, 0)
    record = held(store)[f"chatgpt:{A}"]
    assert [record[key] for key in ("project_id", "user_id", "agent_id")] == ["bakery", "alice", "bot"]


def test_a_transcript_that_two_customers_have_alike_is_kept_for_each(store: Store, tmp_path: Path) -> None:
    for user in ("alice", "bob", "carol", "bob"):
        path = said_by(tmp_path / f"{user}.json", "How do I cancel?", "In the settings, under Plan.")
        imported(store, path, user=user, force_user=True)

    assert sorted(record["user_id"] for record in held(store).values()) == ["alice", "bob", "carol"]


@pytest.mark.parametrize("times", [(0, 0), (None, 0), (0, None), (None, None)])
def test_of_two_versions_whose_times_do_not_tell_the_longer_one_stays(
    store: Store, tmp_path: Path, times: tuple[int | None, int | None]
) -> None:
    def version(name: str, length: int, at: int | None) -> Path:
        talk = conversation(A, *TALK[:length], updated=0)
        if at is None:
            talk |= {"create_time": None, "update_time": None}
            for node in talk["mapping"].values():
                if node["message"]:
                    node["message"]["create_time"] = None
        return export(tmp_path / name / "conversations.json", talk)

    imported(store, version("long", 3, times[0]))
    report = imported(store, version("short", 2, times[1]))

    assert (chats(report), shown(store)) == ((0, 0, 1), {f"chatgpt:{A}": ["Which flour?", "Rye.", "How much?"]})


def test_two_talks_under_one_id_in_one_file_are_both_kept(store: Store, tmp_path: Path) -> None:
    other = conversation(A, turn(11, "user", "What is the capital of Peru?"), turn(12, "assistant", "Lima."))
    path = export(tmp_path / "conversations.json", conversation(A, *TALK), other)

    first = imported(store, path)
    path.touch()
    again = imported(store, path)

    assert (chats(first), messages(first)) == ((2, 0, 0), (5, 0))
    assert sorted(shown(store).values()) == [["What is the capital of Peru?", "Lima."], [t["text"] for t in TALK]]
    assert chats(again) == (0, 0, 2)


def test_an_id_that_nobody_could_type_is_named_anew_and_always_alike(store: Store, tmp_path: Path) -> None:
    odd = "r\x1b[2J\u202e"
    path = export(
        tmp_path / "conversations.json", conversation(odd, *TALK), conversation("r_[2J_", turn(9, "user", "x"))
    )

    imported(store, path)
    path.touch()

    assert chats(imported(store, path)) == (0, 0, 2)
    assert [name.isprintable() for name in held(store)] == [True, True]


def test_dates_whose_order_a_table_leaves_open_are_read_as_one_says(store: Store, tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ("1", "03/04/2026 10:00", "user", "hello"))

    first = imported(store, path)
    unknown = held(store)["csv:1"]["messages"][0]["created_at"]
    told = {}
    for order in ("day", "month"):
        run_import(ImportRequest((path,), "me", ReadOptions(date_order=order)), store, Silent())
        told[order] = held(store)["csv:1"]["messages"][0]["created_at"]

    assert [n.text for f in first.files for n in f.notes if "--date-order" in n.text]
    assert (unknown, told) == (None, {"day": "2026-04-03T10:00:00Z", "month": "2026-03-04T10:00:00Z"})


def test_a_mistyped_user_is_corrected_by_importing_the_file_again(store: Store, tmp_path: Path) -> None:
    path = said_by(tmp_path / "x.json", "How do I cancel?", "In the settings, under Plan.")
    imported(store, path, user="alcie", force_user=True)

    assert chats(imported(store, path, user="alice", force_user=True)) == (0, 1, 0)
    assert [record["user_id"] for record in held(store).values()] == ["alice"]


def test_a_file_from_which_a_row_was_taken_out_says_so_also_if_no_time_changed(store: Store, tmp_path: Path) -> None:
    rows = [("7", f"2025-01-01T08:0{n}:00Z", "user", text) for n, text in enumerate(("one", "wrong", "three"))]
    imported(store, table(tmp_path / "t.csv", *rows))

    assert chats(imported(store, table(tmp_path / "t.csv", rows[0], rows[2]))) == (0, 1, 0)
    assert shown(store) == {"csv:7": ["one", "three"]}


def test_an_exported_archive_remembers_what_was_assigned_by_hand(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", conversation(A, *TALK))
    imported(store, path, user="alice", force_user=True, project="shop")
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(f"{line}\n" for line in exported(store)))
    other = Store(tmp_path / "other")

    imported(other, dump)
    before = exported(other)
    imported(other, export(path, conversation(A, *TALK, turn(4, "assistant", "70 percent."))))

    assert before == exported(store)
    record = held(other)[f"chatgpt:{A}"]
    assert [record["project_id"], record["user_id"], len(record["messages"])] == ["shop", "alice", 4]
