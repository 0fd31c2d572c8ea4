"""Merging the word index: in any number of steps, stopped after any of them, it loses and doubles nothing."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from chatmem.archive import lexicon
from chatmem.archive.store import Store
from chatmem.archive.tokenizer import expand, term_id
from chatmem.archive.write import Writer
from chatmem.model import Chat, Message, Origin
from chatmem.upkeep import check
from tests.archive.breaking import Breaking

Postings = list[tuple[int, int, int]]


def chat(name: str, text: str) -> Chat:
    said = (Message(f"{name}-1", "user", text), Message(f"{name}-2", "assistant", f"{text} and more of {name}"))
    return Chat("csv", name, said, Origin("/x"), title=f"Title {name}", user_id="me", agent_id="csv")


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an archive with three runs of postings, those of rewritten chats among them."""
    home = tmp_path_factory.mktemp("runs") / "home"
    for version in ("first words", "second words", "third and last words"):
        with Writer(Store(home)) as writer:
            for name in ("a", "b", "c"):
                writer.put(chat(name, version))
            writer.put(chat(version, version))
            writer.finish()
    return home


@pytest.fixture
def store(three_runs: Path, tmp_path: Path) -> Store:
    return Store(Path(shutil.copytree(three_runs, tmp_path / "home")))


def postings(store: Store, living: bool = True) -> Postings:
    """All rows, or those of chats that exist, in term order."""
    with store.reading() as connection:
        rows = connection.execute("SELECT term, message_key, tf FROM posting ORDER BY ALL").fetchall()
        chats = {no for (no,) in connection.execute("SELECT chat_no FROM chat").fetchall()}
    return [row for row in rows if not living or (row[1] >> 30) & ((1 << 26) - 1) in chats]


def in_term_order(store: Store) -> bool:
    with store.reading() as connection:
        terms = [t for (t,) in connection.execute("SELECT term FROM posting").fetchall()]
    return terms == sorted(terms)


def test_a_merge_drops_what_is_dead_and_keeps_the_rest_in_term_order(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    living = postings(store)
    assert len(postings(store, living=False)) > len(living)
    assert not in_term_order(store)
    monkeypatch.setattr(lexicon, "MERGE_ROWS", 10)

    with duckdb.connect() as workbench:
        assert lexicon.merge(store, workbench, force=True)

    assert postings(store, living=False) == living
    assert in_term_order(store)
    assert check(store) == []
    with store.reading() as connection:
        assert lexicon.settled(connection)


def test_a_small_tail_is_not_worth_a_merge(store: Store) -> None:
    with duckdb.connect() as workbench:
        assert not lexicon.merge(store, workbench)


def test_a_merge_stopped_after_any_step_changes_nothing_and_the_next_one_completes_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexicon, "MERGE_ROWS", 40)
    living = postings(store)
    steps = 0
    while True:
        steps += 1
        try:
            with duckdb.connect() as workbench:
                lexicon.merge(Breaking(store.home, steps, KeyboardInterrupt()), workbench, force=True)
        except KeyboardInterrupt:
            assert postings(store) == living
            assert check(store) == []
            continue
        break

    assert steps > 4
    assert postings(store, living=False) == living
    assert check(store) == []


def test_chats_written_after_a_stopped_merge_are_in_the_next(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt), duckdb.connect() as workbench:
        lexicon.merge(Breaking(store.home, 2, KeyboardInterrupt()), workbench, force=True)
    with Writer(store) as writer:
        writer.put(chat("late", "a newcomer"))
        writer.finish()
    living = postings(store)

    with duckdb.connect() as workbench:
        lexicon.merge(store, workbench, force=True)

    assert postings(store, living=False) == living
    assert check(store) == []


def test_an_index_of_another_tokenizer_is_made_anew_by_the_next_writer(store: Store) -> None:
    living = postings(store)
    with duckdb.connect() as workbench, store.attached(workbench):
        workbench.execute("UPDATE archive.stamp SET value = 'another' WHERE name = 'tokenizer'")
        workbench.execute("DELETE FROM archive.posting")
    assert check(store) != []

    with Writer(store):
        pass

    assert len(postings(store)) == len(living)
    assert check(store) == []


@pytest.mark.parametrize(
    "text",
    ["数据库系统的索引", "データベースの設計について", "데이터베이스설계", "第二章ー数据", "一" * 500 + "二三四"],
)
def test_a_run_without_spaces_is_indexed_as_a_query_would_cut_it(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path / "home")
    with Writer(store) as writer:
        writer.put(chat("1", f"GPT {text}。"))
        writer.finish()

    wanted = {term_id(text[at : at + 2]) for at in range(len(text) - 1)}
    with store.reading() as connection:
        found = {t for (t,) in connection.execute("SELECT term FROM posting").fetchall()}
    assert wanted <= found
    assert {term_id(word) for word in expand(text[:100]).words} <= found
    assert check(store) == []


def test_a_giant_message_is_indexed_in_pieces_and_its_time_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    at = datetime(2026, 2, 3, tzinfo=UTC)
    text = "first " + "filler " * 100_000 + "last"
    said = (Message("1", "user", text, created_at=at),)
    with Writer(store) as writer:
        writer.put(Chat("csv", "1", said, Origin("/x"), title="T", user_id="me", agent_id="csv"))
        writer.finish()

    with store.reading() as connection:
        counts = dict(connection.execute("SELECT term, tf FROM posting WHERE message_key >> 56 <> 2").fetchall())
        length = connection.execute("SELECT length FROM chat").fetchone()
    assert counts[term_id("first")] == counts[term_id("last")] == counts[term_id("@2026")] == 1
    assert length is not None
    # A word that stands across the edge of two pieces is two words.
    assert 100_002 <= length[0] <= 100_003
    assert check(store) == []
