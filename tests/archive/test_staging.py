"""Batches on their way into the archive: sized by what they cost, and indexed as far as the memory goes."""

from __future__ import annotations

import duckdb
import pytest

from chatmem.archive import lexicon, staging
from chatmem.model import Chat, Message, Origin


def batch(text: str) -> staging.Batch:
    made = staging.Batch()
    chat = Chat("csv", "1", (Message("m", "user", text),), Origin("/x"), title="T", user_id="me", agent_id="csv")
    made.add(chat, 0, 1, [0], 0, None)
    return made


def test_a_batch_of_a_script_without_spaces_is_full_sooner() -> None:
    length = staging.BATCH_WEIGHT // 6

    assert batch("字" * length).full()
    assert not batch("x" * length).full()


def test_of_a_giant_message_as_much_is_indexed_as_the_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "_PIECE", 1 << 13)
    text = " ".join(["beginning", *(f"w{n:x}" for n in range(40_000)), "end"])
    with duckdb.connect(config={"memory_limit": "12MB", "threads": 1, "temp_directory": ""}) as workbench:
        lexicon.open_lexicon(workbench)

        staging.stage(workbench, staging.tables(batch(text)))

        pieces = workbench.execute("SELECT count(*) FROM stage_piece").fetchone()
        spelled = {word for (word,) in workbench.execute("SELECT text FROM surface").fetchall()}
    assert pieces is not None
    assert 1 <= pieces[0] < len(text) >> 13
    assert "beginning" in spelled
    assert "end" not in spelled
