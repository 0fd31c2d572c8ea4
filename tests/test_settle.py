"""Copies of messages in resumed, forked and branched chats: whatever order files come in, the archive ends the same."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from chatmem.archive.store import Store
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
    turn,
    uuid,
)
from tests.search.shelf import look, names

A, B, C = uuid(900), uuid(901), uuid(902)
PARENT = [line(1, "Fix the skew", A), line(2, "Fixed.", A, "assistant")]
CHILD = [*PARENT, line(3, "And a test", B), line(4, "Added.", B, "assistant")]
GRANDCHILD = [*CHILD, line(5, "Ship it", C), line(6, "Shipped.", C, "assistant")]


def resumed(folder: Path) -> list[Path]:
    """Claude Code sessions that begin with copies; each copied line names the session it is from."""
    logs = ((A, PARENT), (B, CHILD), (C, GRANDCHILD))
    return [session(folder / name, name, rows) for name, rows in logs]


def forked(folder: Path) -> list[Path]:
    """Claude Code sessions whose copied lines bear the new session and say where they come from."""
    one, two, three = uuid(910), uuid(911), uuid(912)

    def copies(rows: list[dict[str, Any]], origin: str, name: str) -> list[dict[str, Any]]:
        marks = [{"forkedFrom": {"sessionId": origin, "messageUuid": row["uuid"]}} for row in rows]
        return [{**row, "sessionId": name, **mark} for row, mark in zip(rows, marks, strict=True)]

    parent = [line(11, "Name the cache", one), line(12, "heron.db", one, "assistant")]
    child = [*copies(parent, one, two), line(13, "In lower case?", two), line(14, "Yes.", two, "assistant")]
    grandchild = [*copies(child, two, three), line(15, "Rename it", three), line(16, "Renamed.", three, "assistant")]
    logs = ((one, parent), (two, child), (three, grandchild))
    return [session(folder / name, name, rows) for name, rows in logs]


def stamped(folder: Path) -> list[Path]:
    """Claude Code sessions whose copied lines bear the new session: only their ids tell."""
    one, two, three = uuid(920), uuid(921), uuid(922)
    parent = [line(21, "Speed it up", one), line(22, "Twice as fast.", one, "assistant")]
    child = [*parent, line(23, "More", two), line(24, "Thrice.", two, "assistant")]
    grandchild = [*child, line(25, "Enough", three), line(26, "Good.", three, "assistant")]
    logs = ((one, parent), (two, child), (three, grandchild))
    return [session(folder / name, name, [{**r, "sessionId": name} for r in rows]) for name, rows in logs]


def branched(folder: Path) -> list[Path]:
    """ChatGPT "branch in new chat": the same message ids, and not a word about it."""
    first = [turn(1, "user", "Which flour?"), turn(2, "assistant", "Rye.")]
    second = [*first, turn(103, "user", "How much?"), turn(104, "assistant", "500 g.")]
    third = [*second, turn(205, "user", "And water?"), turn(206, "assistant", "350 g.")]
    # The parent goes on after the branches were made.
    one, two, three = uuid(930), uuid(931), uuid(932)
    told = ((one, 0, [*first, turn(307, "user", "Thanks")]), (two, 100, second), (three, 200, third))
    return [
        export(folder / name / "conversations.json", conversation(name, *turns, created=created))
        for name, created, turns in told
    ]


def replayed(folder: Path) -> list[Path]:
    """Codex forks: the parent's history is written again with new line times."""

    def at(seconds: float) -> str:
        return (datetime(2026, 2, 3, 11, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")

    def row(when: float, kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": at(when), "type": kind, "payload": payload}

    def talk(when: float, name: str, ask: str, say: str) -> Iterator[dict[str, Any]]:
        yield row(when, "turn_context", turn_id=name, cwd="/w/app")
        for offset, role, kind, text in ((1, "user", "input_text", ask), (9, "assistant", "output_text", say)):
            content = [{"type": kind, "text": text}]
            yield row(when + offset, "response_item", type="message", role=role, content=content)

    def again(rows: list[dict[str, Any]], when: float) -> list[dict[str, Any]]:
        return [{**r, "timestamp": at(when + n / 100)} for n, r in enumerate(rows)]

    def meta(when: float, name: str, **more: Any) -> dict[str, Any]:
        return row(when, "session_meta", id=name, timestamp=at(when), cwd="/w/app", cli_version="0.100.0", **more)

    parent = [meta(0, A), *talk(10, "t1", "Sketch a loader", "Sketched.")]
    child = [meta(400, B, forked_from_id=A), *again(parent, 400), *talk(500, "t2", "Try a registry", "Tried.")]
    grandchild = [meta(900, C, forked_from_id=B), *again(child, 900), *talk(950, "t3", "Publish it", "Published.")]
    found = []
    for name, rows in ((A, parent), (B, child), (C, grandchild)):
        path = folder / name / f"rollout-2026-02-03T11-00-00-{name}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
        found.append(path)
    return found


KINDS = (resumed, forked, stamped, branched, replayed)


def generations(folder: Path) -> list[list[Path]]:
    """The parents of all kinds, their children, and the children of those."""
    families = [make(folder / make.__name__) for make in KINDS]
    return [[family[generation] for family in families] for generation in range(3)]


def test_every_order_of_import_ends_in_the_same_archive(tmp_path: Path) -> None:
    parents, children, grandchildren = generations(tmp_path)
    together = Store(tmp_path / "together")
    imported(together, *parents, *children, *grandchildren)
    wanted = exported(together)
    texts = [text for said in shown(together).values() for text in said]
    assert len(texts) == len(set(texts))
    assert [len(said) for said in shown(together).values()].count(2) == 3 * len(KINDS) - 1

    orders = (
        (parents, children, grandchildren),
        (children, grandchildren, parents),
        (grandchildren, parents, children),
    )
    for first, second, third in orders:
        # After the first import the archives of two orders are the same, so the second order goes on with a copy.
        begun = Store(tmp_path / f"begun {orders.index((first, second, third))}")
        imported(begun, *first)
        for rest in ((second, third), (third, second)):
            store = Store(tmp_path / f"{begun.home.name} {rest[0] is third}")
            shutil.copytree(begun.home, store.home)
            imported(store, *rest[0])
            imported(store, *rest[1])
            assert exported(store) == wanted


def test_a_child_without_its_parent_shows_everything_until_the_parent_comes(tmp_path: Path) -> None:
    parents, children, _ = generations(tmp_path)
    store, pairs = Store(tmp_path / "home"), Store(tmp_path / "pairs")
    imported(store, *children)
    assert [len(texts) for texts in shown(store).values()] == [4] * len(KINDS)

    imported(store, *parents)

    imported(pairs, *parents, *children)
    assert exported(store) == exported(pairs)
    assert [len(texts) for texts in shown(store).values()].count(2) == 2 * len(KINDS) - 1


def test_what_was_settled_stays_so_when_it_is_read_again(tmp_path: Path) -> None:
    files = generations(tmp_path)
    store = Store(tmp_path / "home")
    imported(store, *files[0], *files[1], *files[2])
    wanted = exported(store)

    for generation in files:
        for path in generation:
            path.touch()
        report = imported(store, *generation)
        assert (report.total("chats_new"), messages(report)) == (0, (0, 0))
    assert exported(store) == wanted


def test_a_grown_child_adds_only_its_new_messages(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    session(tmp_path / "a", A, PARENT)
    session(tmp_path / "b", B, CHILD)
    imported(store, tmp_path / "a", tmp_path / "b")

    session(tmp_path / "b", B, [*CHILD, line(9, "Push it", B)])
    report = imported(store, tmp_path / "a", tmp_path / "b")

    assert (chats(report), messages(report)) == ((0, 1, 1), (1, 0))
    assert shown(store)[f"claude-code:{B}"] == ["And a test", "Added.", "Push it"]


def test_two_forks_of_a_session_that_is_not_here_show_their_common_part_once(tmp_path: Path) -> None:
    _, child, _ = resumed(tmp_path)
    sister = session(tmp_path / "c", C, [*PARENT, line(7, "Or not", C)])
    store, other = Store(tmp_path / "home"), Store(tmp_path / "other")
    imported(store, child)
    imported(store, sister)
    imported(other, sister)
    imported(other, child)

    assert shown(store) == {
        f"claude-code:{B}": ["Fix the skew", "Fixed.", "And a test", "Added."], f"claude-code:{C}": ["Or not"],
    }  # fmt: skip
    assert exported(other) == exported(store)


def test_a_chat_with_copies_is_called_and_dated_by_its_own_part(tmp_path: Path) -> None:
    parent, child, _ = stamped(tmp_path)
    store = Store(tmp_path / "home")
    imported(store, child)
    imported(store, parent)

    record = held(store)[f"claude-code:{uuid(921)}"]
    assert (record["title"], record["continues"]) == ("More", uuid(920))
    assert record["created_at"] == moment(60 * 23)


def test_a_branch_is_shown_whole_again_when_the_chat_it_came_from_no_longer_has_the_messages(tmp_path: Path) -> None:
    first, second, _ = branched(tmp_path)
    store = Store(tmp_path / "home")
    imported(store, first, second)
    assert shown(store)[f"chatgpt:{uuid(931)}"] == ["How much?", "500 g."]

    imported(store, export(tmp_path / "new.json", conversation(uuid(930), turn(400, "user", "Something else"))))

    assert list(shown(store).values()) == [["Something else"], ["Which flour?", "Rye.", "How much?", "500 g."]]


def test_equal_ids_that_anyone_could_have_made_are_no_copies(tmp_path: Path) -> None:
    record = {"schema": "chatmem.chat/1", "messages": [{"role": "user", "text": "Hi", "message_id": "1"}]}
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({**record, "chat_id": f"csv:{n}"}) + "\n" for n in (1, 2)))
    store = Store(tmp_path / "home")

    imported(store, path)

    assert shown(store) == {"csv:1": ["Hi"], "csv:2": ["Hi"]}


def test_an_import_that_died_before_the_copies_were_settled_is_settled_by_the_next(tmp_path: Path) -> None:
    from chatmem.archive.write import Writer
    from chatmem.model import Chat, Message, Origin

    def chat(name: str, *ids: int, home: str | None = None) -> Chat:
        told = tuple(Message(uuid(n), "user", f"said {n}", home=home if n < 3 else None) for n in ids)
        return Chat("claude-code", name, told, Origin("/x"), title="T", user_id="me", agent_id="claude-code")

    store = Store(tmp_path / "home")
    with Writer(store) as writer:
        writer.put(chat(A, 1, 2))
        writer.put(chat(B, 1, 2, 3, home=A))
        writer.finish()
    assert len(shown(store)[f"claude-code:{B}"]) == 3

    nothing_new = session(tmp_path / "c", C, [line(9, "Another talk", C)])
    imported(store, nothing_new)

    assert shown(store)[f"claude-code:{B}"] == ["said 3"]


def test_what_a_resumed_session_repeats_is_found_once_also_its_hidden_parts(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    thought = {"type": "thinking", "thinking": "the zygote overflows"}
    said = line(2, "Fixed.", A, "assistant")
    said["message"]["content"] = [thought, {"type": "text", "text": "Fixed."}]
    rows = [line(1, "Fix the skew", A), said]
    session(tmp_path / "x" / A, A, rows)
    session(tmp_path / "x" / B, B, [*rows, line(3, "And a test", B)])
    imported(store, tmp_path / "x")

    for word in ("zygote", "skew", '"zygote overflows"'):
        with store.reading() as connection:
            found = look(connection, word, hidden=True)
        assert names(found) == [A], word
