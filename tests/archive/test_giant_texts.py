"""A giant message is indexed in pieces, and no word of it is lost."""

from __future__ import annotations

import json
from pathlib import Path

from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from tests.imports import conversation, imported, turn, uuid
from tests.search.shelf import look

# Three pieces and a bit; spaces keep the borders of pieces between words.
FILLING = " " * 1_600_000


def test_words_at_both_ends_and_in_the_middle_of_a_giant_message_are_found(tmp_path: Path) -> None:
    text = f"albatross{FILLING}kestrel{FILLING}osprey"
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([conversation(uuid(1), turn(1, "user", text), turn(2, "assistant", "birds"))]))
    store = Store(tmp_path / "home")
    imported(store, export)

    with store.reading() as connection:
        for word in ("albatross", "kestrel", "osprey"):
            answer = look(connection, word, Scope())
            assert [e.text.strip("…").strip() for r in answer.results for e in r.excerpts[:1]] == [word]
            assert len(answer.results) == 1


def test_words_behind_the_two_hundredth_character_of_a_token_are_found_and_quoted(tmp_path: Path) -> None:
    texts = {"字海": "漢" * 150 + "API" + "字" * 149 + "海", "กข": "ก" * 233 + "ข", "lastPart": "a/" * 150 + "lastPart"}
    turns = (turn(n, "user", text) for n, text in enumerate(texts.values(), 1))
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([conversation(uuid(n), t) for n, t in enumerate(turns)]))
    store = Store(tmp_path / "home")
    imported(store, export)

    with store.reading() as connection:
        for word, text in texts.items():
            (found,) = look(connection, word, Scope()).results
            assert found.excerpts[0].text.strip("…").strip() in text
            assert word in found.excerpts[0].text
