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
