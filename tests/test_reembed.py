"""`archive embed`: catching up, another model, being stopped, and what an import does meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pytest

from chatmem import reembed
from chatmem.archive import vectors
from chatmem.archive.store import Store
from chatmem.archive.write import Writer
from chatmem.embed import models
from chatmem.embed.base import ModelId
from chatmem.errors import ArchiveError
from chatmem.upkeep import check, reindex
from tests.search.shelf import chat, put, replied, said

CHATS = [
    chat("a", "one bread", "two flour", "three water", "four salt"),
    chat("talk", said("shall we go", author="Ann"), said("yes please", author="Bob"), said("then come", author="Ann")),
    chat("blank", said("  \n "), replied("five yeast")),
]  # fmt: skip
ROWS = "SELECT message_key, start, stop, scale, copy FROM {table} ORDER BY message_key, start"


class Toy:
    """A model of eight dimensions: which letters a text has. It may stop after so many calls."""

    pace = 2

    def __init__(self, name: str = "toy", stops_after: int = 1_000) -> None:
        self.id = ModelId(name, f"digest of {name}", 8, f"/models/{name}")
        self.calls: list[list[str]] = []
        self._left = stops_after

    def encode(self, texts: Sequence[str]) -> Any:
        if self._left == 0:
            raise KeyboardInterrupt
        self._left -= 1
        self.calls.append(list(texts))
        made = numpy.array([[text.count(c) for c in "abehnorw"] for text in texts], numpy.float32)
        lengths = numpy.linalg.norm(made, axis=1, keepdims=True)
        return made / numpy.where(lengths > 0, lengths, 1)


class Counted:
    def __init__(self) -> None:
        self.total, self.seen = 0, [0]

    def start(self, messages: int) -> None:
        self.total = messages

    def done(self, messages: int) -> None:
        self.seen.append(messages)


def rows(store: Store, table: str = "vector") -> list[tuple[Any, ...]]:
    with store.reading() as connection:
        return connection.execute(ROWS.format(table=table)).fetchall()


def embed(store: Store, model: Toy | None, monkeypatch: pytest.MonkeyPatch) -> reembed.Embedded:
    if model is not None:
        monkeypatch.setattr(models, "open_model", lambda name, device=None: model)
    return reembed.embed(store, "toy" if model else None, None, Counted())


def test_an_archive_imported_without_vectors_gets_those_of_an_import_with_them(tmp_path: Path) -> None:
    bare, full = put(tmp_path / "bare", CHATS), put(tmp_path / "full", CHATS, embed=True)
    assert check(bare) == [] and rows(bare) == []
    progress = Counted()

    done = reembed.embed(bare, None, None, progress)

    assert (done.messages, done.total, done.model, done.dimension, done.slow) == (9, 9, "wordllama", 256, False)
    assert (progress.total, progress.seen[-1]) == (9, 9)
    assert rows(bare) == rows(full)
    assert check(bare) == []
    assert reembed.embed(bare, None, None, Counted()).messages == 0


def test_an_archive_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="there is no archive"):
        reembed.embed(Store(tmp_path), None, None, Counted())


def test_another_model_replaces_the_vectors_when_it_has_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = put(tmp_path, CHATS, embed=True)
    before = rows(store)

    with pytest.raises(KeyboardInterrupt):
        embed(store, Toy(stops_after=2), monkeypatch)
    assert rows(store) == before
    again = Toy()
    done = embed(store, again, monkeypatch)

    assert (done.messages, done.total, done.model) == (5, 9, "toy")
    assert all("one bread" not in call for call in again.calls)
    fresh = put(tmp_path / "fresh", CHATS)
    embed(fresh, Toy(), monkeypatch)
    assert rows(store) == rows(fresh)
    assert check(store) == []
    with store.reading() as connection:
        stamp = vectors.stamp(connection)
        assert stamp is not None and (stamp.name, stamp.dimension) == ("toy", 8)
        columns = connection.execute("DESCRIBE vector").fetchall()
        assert [c[0] for c in columns][5:] == ["b0"]
        assert vectors.stamp(connection, vectors.NEXT) is None


def test_what_one_model_began_another_does_not_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = put(tmp_path, CHATS, embed=True)
    with pytest.raises(KeyboardInterrupt):
        embed(store, Toy("first", stops_after=2), monkeypatch)

    assert embed(store, Toy("second"), monkeypatch).messages == 9
    assert check(store) == []


def test_chats_imported_meanwhile_are_embedded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = put(tmp_path, CHATS)
    grown = chat("a", "one bread", "two flour", "three water", "four salt", "five yeast")

    class Interrupted(Toy):
        def encode(self, texts: Sequence[str]) -> Any:
            if not self.calls:
                put(tmp_path, [grown, chat("new", "six sugar")])
            return super().encode(texts)

    embed(store, Interrupted(), monkeypatch)

    assert check(store) == []
    with store.reading() as connection:
        assert vectors.count(connection) == (11, 0)
        assert vectors.complete(connection)


def test_a_grown_chat_keeps_the_vectors_of_what_was_there(tmp_path: Path) -> None:
    toy = Toy()
    stamp = models.stamp_of(toy)
    store = Store(tmp_path)
    for messages in (
        ["one bread", "two flour"],
        ["one bread", "two flour", "three water"],
        ["one bread", "2 flour", "three water"],
    ):
        with Writer(store, find_encoder=lambda made_by: (toy, stamp)) as writer:
            writer.put(chat("a", *messages))
            writer.finish()

    assert [text for call in toy.calls for text in call] == ["one bread", "two flour", "three water", "2 flour"]
    assert check(store) == []


def test_between_people_a_vector_leans_on_its_neighbours_also_when_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = chat("t", *(said(f"{'abehnorw'[n]} word", author="Ann" if n % 2 else "Bob") for n in range(8)))
    at_once, later = put(tmp_path / "x", [talk]), put(tmp_path / "y", [talk])

    class Large(Toy):
        pace = 100

    embed(at_once, Large(), monkeypatch)
    embed(later, Toy(), monkeypatch)

    assert rows(at_once) == rows(later)
    assert len({copy for *_, copy in rows(later)}) == 8


def test_a_new_word_index_keeps_the_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = put(tmp_path, CHATS)
    embed(store, Toy(), monkeypatch)
    before = sorted(copy for *_, copy in rows(store))
    monkeypatch.undo()

    assert reindex(store) == 3

    # The model is not there: what was said between two people, whose neighbours could be others, is told as missing.
    assert len(rows(store)) == 6 and {copy for *_, copy in rows(store)} <= set(before)
    assert check(store) == []
    with store.reading() as connection:
        assert vectors.count(connection) == (9, 3)
        assert not vectors.complete(connection)
