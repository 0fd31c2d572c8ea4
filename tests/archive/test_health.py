"""`archive check` finds every way in which the tables can disagree: each is planted by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from chatmem.archive import health
from chatmem.archive.store import Store
from chatmem.upkeep import check
from tests.imports import conversation, export, imported, turn, uuid

PLANTED = {
    "chat ids that stand twice": ["UPDATE chat SET chat_id = (SELECT max(chat_id) FROM chat)"],
    "chat numbers that stand twice": ["UPDATE chat SET chat_no = 1"],
    "chats whose messages are not as many as counted": ["UPDATE chat SET messages = messages + 1 WHERE chat_no = 1"],
    "chats whose messages are not numbered from 1 on": ["UPDATE message SET n = n + 1 WHERE chat_no = 1"],
    "messages without a chat": ["DELETE FROM chat WHERE chat_no = 1"],
    "positions that stand twice in a chat": ["UPDATE message SET position = 0 WHERE chat_no = 1"],
    "messages missing from the word index": [
        "DELETE FROM posting WHERE message_key = (SELECT max(message_key) FROM message)"
    ],
    "titles missing from the word index": ["DELETE FROM posting WHERE message_key >> 56 = 2"],
    "words indexed for messages that do not exist": ["UPDATE posting SET message_key = message_key + 200"],
    "words indexed for chats that do not exist": ["INSERT INTO posting VALUES (7, 99::BIGINT << 30, 1)"],
    "words without a spelling": ["DELETE FROM term"],
    "units that do not match their chat": ["DELETE FROM unit WHERE unit_key = (SELECT min(unit_key) FROM unit)"],
    "messages without vectors that should have some": ["DELETE FROM vector"],
    "vectors of messages that do not exist": ["UPDATE vector SET message_key = message_key + 200"],
    "facts of messages that do not exist": [
        "INSERT INTO statement VALUES (99, 'm', 1, NULL, NULL, 'plan', 'Pro', true, 'Pro', NULL, 0, 'patterns/1', 99)"
    ],
    "an index of another tokenizer": ["UPDATE stamp SET value = '0' WHERE name = 'tokenizer'"],
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    talks = [conversation(uuid(n), turn(10 * n, "user", "Hi"), turn(10 * n + 1, "assistant", "Ho")) for n in (1, 2)]
    imported(Store(folder / "home"), export(folder / "x.json", *talks))
    assert check(Store(folder / "home")) == []
    return folder / "home"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Store:
    return Store(Path(shutil.copytree(sound, tmp_path / "home")))


def test_every_check_has_its_planted_fault() -> None:
    assert [meaning.partition(";")[0] for meaning in health.CHECKS] == list(PLANTED)


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_and_named_with_an_example(store: Store, fault: str) -> None:
    with duckdb.connect(str(store.path)) as connection:
        for statement in PLANTED[fault]:
            connection.execute(statement)

    found = [sentence for sentence in check(store) if fault in sentence]

    assert len(found) == 1
    assert "(for example " in found[0]


def test_dead_rows_of_rewritten_chats_are_no_fault(store: Store, tmp_path: Path) -> None:
    grown = conversation(uuid(1), turn(10, "user", "Hi"), turn(11, "assistant", "Ho"), turn(12, "user", "Hey"))

    imported(store, export(tmp_path / "y.json", grown))

    assert check(store) == []
