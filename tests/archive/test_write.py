"""The writer: what it did not finish leaves no trace, and what goes wrong in its thread is heard."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from chatmem.archive import staging
from chatmem.archive import write as write_module
from chatmem.archive.store import Store
from chatmem.archive.write import Writer
from chatmem.errors import ArchiveError
from chatmem.model import Attachment, Chat, Message, Origin
from chatmem.upkeep import check
from tests.archive.breaking import Breaking
from tests.imports import held, shown


def chat(name: str, *texts: str, title: str = "Title") -> Chat:
    said = tuple(Message(f"{name}-{n}", "assistant" if n % 2 else "user", text) for n, text in enumerate(texts))
    return Chat("csv", name, said, Origin("/x.csv"), title=title, user_id="me", agent_id="csv")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home", wait=1)


def write(store: Store, *chats: Chat) -> None:
    with Writer(store) as writer:
        for one in chats:
            writer.put(one)
        writer.finish()


def test_every_field_of_a_message_is_stored_as_it_is(store: Store) -> None:
    text = "a\u2028b\tc\x01 'quoted' \U0001f600"
    files = (Attachment("a.png", "image/png", 7, "files/a.png", True),)
    told = Message(
        "m1", "user", text, parent_id="m0", author="Ann", model="x", branch="alternate", attachments=files,
        pointer="/messages/0",
    )  # fmt: skip
    shown_too = Message("m2", "assistant", "", hidden=None)
    write(store, Chat("csv", "1", (told, shown_too), Origin("/x", "m", "/7"), user_id="u", agent_id="a", starred=True))

    record = held(store)["csv:1"]
    assert record["starred"] is True
    assert record["messages"][0] == {
        "n": None, "message_id": "m1", "parent_id": "m0", "role": "user", "author": "Ann", "model": "x",
        "created_at": None, "branch": "alternate", "hidden": None, "text": text,
        "attachments": [
            {"name": "a.png", "mime": "image/png", "size": 7, "pointer": "files/a.png", "present": True}
        ],
        "origin": {"file": "/x", "member": "m", "pointer": "/7/messages/0"},
    }  # fmt: skip


def test_batches_that_overlap_reading_end_as_one_big_one(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = [chat(str(n), f"ask {n}", f"say {n}") for n in range(12)]
    write(store, *chats)
    small = Store(tmp_path / "small")
    monkeypatch.setattr(staging, "BATCH_MESSAGES", 5)

    write(small, *chats, *chats)

    assert held(small) == held(store)
    assert check(small) == []


def test_nothing_of_a_batch_that_was_not_finished_is_there(store: Store) -> None:
    write(store, chat("1", "kept"))
    with pytest.raises(ZeroDivisionError), Writer(store) as writer:
        writer.put(chat("2", "lost"))
        raise ZeroDivisionError

    assert shown(store) == {"csv:1": ["kept"]}
    assert check(store) == []


def test_what_goes_wrong_in_the_writing_thread_is_raised_by_the_next_call(store: Store) -> None:
    with pytest.raises(ArchiveError, match="cannot be read"), Writer(store) as writer:
        store.path.write_bytes(b"damaged meanwhile")
        writer.put(chat("1", "text"))
        writer.finish()

    assert [t.name for t in threading.enumerate() if t.name.startswith("write")] == []


def test_an_error_before_the_end_of_an_opening_leaves_a_sound_archive(store: Store) -> None:
    write(store, chat("1", "kept"))
    for opening in (1, 2):
        broken = Breaking(store.home, opening, OSError(28, "No space left on device"))
        with pytest.raises(OSError, match="No space left"):
            write(broken, chat("2", "committed" if opening == 2 else "lost"))
        assert check(store) == []
    # The second opening broke after its commit.
    assert shown(store) == {"csv:1": ["kept"], "csv:2": ["committed"]}


def test_ctrl_c_does_not_wait_for_the_batch_that_is_being_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, chat("1", "kept"))
    monkeypatch.setattr(staging, "BATCH_MESSAGES", 1)
    many = " ".join(f"word{n}" for n in range(300_000))

    with pytest.raises(KeyboardInterrupt), Writer(store) as writer:
        writer.put(chat("2", many))
        raise KeyboardInterrupt

    assert shown(store) == {"csv:1": ["kept"]}
    assert check(store) == []
    write(store, chat("3", "next"))
    assert list(shown(store)) == ["csv:1", "csv:3"]


def test_spill_files_of_a_killed_import_are_removed_by_the_next(store: Store) -> None:
    write(store, chat("1", "kept"))
    (store.home / "tmp").mkdir()
    (store.home / "tmp" / "duckdb_temp_1.tmp").write_bytes(b"text of a chat")

    write(store, chat("2", "next"))

    assert not (store.home / "tmp").exists()


def test_a_chat_with_no_words_at_all_is_stored_and_sound(store: Store) -> None:
    write(store, chat("1", "?!", "…", title=""), chat("2", "\u0301"))

    assert shown(store) == {"csv:1": ["?!", "…"], "csv:2": ["\u0301"]}
    assert check(store) == []


def test_a_batch_of_a_script_without_spaces_is_full_sooner() -> None:
    batch, other = staging.Batch(), staging.Batch()
    length = staging.BATCH_WEIGHT // 6

    batch.add(chat("1", "字" * length), 0, 1, [0], 0, None)
    other.add(chat("1", "x" * length), 0, 1, [0], 0, None)

    assert (batch.full(), other.full()) == (True, False)


def test_the_row_groups_of_many_small_imports_are_joined_and_nothing_is_lost(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "FEW_ROW_GROUPS", 4)
    for number in range(12):
        write(store, chat(f"c{number}", "a question", f"answer {number}"))
    with store.reading() as connection:
        groups = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info(?)"
        counts = {t: connection.execute(groups, [t]).fetchone() for t in ("chat", "message", "unit", "posting")}
    assert all(found and found[0] <= 6 for found in counts.values()), counts
    assert shown(store) == {f"csv:c{n}": ["a question", f"answer {n}"] for n in range(12)}


def test_a_large_batch_leaves_the_row_groups_of_those_before_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_module, "FEW_ROW_GROUPS", 0)
    monkeypatch.setattr(write_module, "LARGE_BATCH", 2)
    for number in range(5):
        write(store, chat(f"c{number}", "a question", f"answer {number}"))
    with store.reading() as connection:
        groups = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('message')"
        assert connection.execute(groups).fetchone() == (5,)
