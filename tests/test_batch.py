"""Many searches in one process: answers in the order of the lines, each with its own filters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from chatmem import batch
from chatmem.archive.scope import Scope
from chatmem.errors import UsageError
from chatmem.evidence.answer import Answer
from chatmem.recall import Lookup
from chatmem.search.dates import moment
from tests.search.shelf import COUNTER, NOW, SETTINGS, chat, names, put, replied, said

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ASK = Lookup("", Scope(), 10, 2_000, lambda text: moment(text, NOW, UTC))
OLD = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBPyConnection]:
    """Four chats about herons that differ in everything a line can ask for; one about bread."""
    home: Path = tmp_path_factory.mktemp("home")
    store = put(
        home,
        [
            chat("anna", "grey heron at the pond", "a heron eats fish", user_id="anna"),
            chat("old", said("grey heron long ago", at=OLD), replied("it was a crane", OLD)),
            chat("bot", "grey heron of a bot", "yes", agent_id="bot"),
            chat("nest", "grey heron in a project", "yes", project_id="p1", project_name="Nest"),
            chat("bread", "rye bread", "seven hours at 19 degrees"),
        ],
    )
    with store.reading() as opened:
        yield opened


def ask(connection: DuckDBPyConnection, *lines: Any, lookup: Lookup = ASK) -> list[tuple[Any, Answer]]:
    """What the lines are answered; values are written as JSON, texts stand as they are."""
    written: Iterable[str] = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return list(batch.answers(connection, lookup, written, SETTINGS, COUNTER))


def found(connection: DuckDBPyConnection, lookup: Lookup = ASK, **line: Any) -> set[str]:
    [(_, answer)] = ask(connection, {"query": "grey heron", **line}, lookup=lookup)
    return set(names(answer))


EVERY = {"anna", "old", "bot", "nest"}


def test_answers_come_in_the_order_of_the_lines_with_their_ids(connection: DuckDBPyConnection) -> None:
    answers = ask(
        connection,
        {"id": "b", "query": "rye bread"},
        {"query": "nothing like it: zzyzx"},
        "  \n",
        {"id": 0, "query": "crane"},
        {"id": {"n": [1]}, "query": "rye"},
    )
    assert [given for given, _ in answers] == ["b", None, 0, {"n": [1]}]
    assert [names(answer) for _, answer in answers] == [["bread"], [], ["old"], ["bread"]]
    assert [answer.query for _, answer in answers] == ["rye bread", "nothing like it: zzyzx", "crane", "rye"]


def test_no_lines_have_no_answers(connection: DuckDBPyConnection) -> None:
    assert ask(connection, "", "\n", " \t\n") == []


def test_an_answer_is_given_before_the_next_line_is_read(connection: DuckDBPyConnection) -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for number in (1, 2):
            read.append(number)
            yield json.dumps({"query": "rye"})

    answers = batch.answers(connection, ASK, lines(), SETTINGS, COUNTER)
    next(answers)
    assert read == [1]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({}, EVERY),
        ({"user": "anna"}, {"anna"}),
        ({"customer": "anna"}, {"anna"}),
        ({"user": ["anna", "nobody"]}, {"anna"}),
        ({"user": "nobody"}, set()),
        ({"agent": "bot"}, {"bot"}),
        ({"project": "p1"}, {"nest"}),
        ({"source": "test"}, EVERY),
        ({"source": "slack"}, set()),
        ({"before": "2025-01-01"}, {"old"}),
        ({"after": "2025-01-01"}, EVERY - {"old"}),
        ({"role": "assistant"}, {"anna"}),
        ({"user": None, "agent": "", "after": None}, EVERY),
        ({"hidden": False, "branches": True}, EVERY),
    ],
    ids=lambda value: str(sorted(value)) if isinstance(value, set) else str(value),
)
def test_a_line_filters_by_the_names_of_the_flags(
    connection: DuckDBPyConnection, line: dict[str, Any], expected: set[str]
) -> None:
    assert found(connection, **line) == expected


def test_limits_and_the_unit_of_a_line_are_its_own(connection: DuckDBPyConnection) -> None:
    (_, few), (_, small), (_, each), (_, plain) = ask(
        connection,
        {"query": "grey heron", "limit": 2},
        {"query": "grey heron", "max_tokens": 60},
        {"query": "heron", "by": "message"},
        {"query": "grey heron"},
    )
    assert len(few.results) == 2
    assert small.tokens <= 60 and small.omitted > 0
    assert each.by == "message" and all(len(e.excerpts) == 1 for e in each.results)
    assert plain.by == "chat" and len(plain.results) == 4


def test_a_filter_of_a_line_replaces_that_of_the_command_line_and_leaves_the_others(
    connection: DuckDBPyConnection,
) -> None:
    narrow = ASK._replace(scope=Scope(users=("anna",), before=NOW))
    assert found(connection, narrow) == {"anna"}
    assert found(connection, narrow, user="me") == EVERY - {"anna"}
    assert found(connection, narrow, user="me", before="2025-01-01") == {"old"}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{not json", "JSON"),
        ("[]", "query"),
        ('"heron"', "query"),
        ("null", "query"),
        ({}, "query"),
        ({"query": 7}, "query"),
        ({"query": None}, "query"),
        ({"query": "x", "after": "the day of the heron"}, "after"),
        ({"query": "x", "limit": 0}, "limit"),
        ({"query": "x", "limit": 101}, "limit"),
        ({"query": "x", "limit": True}, "limit"),
        ({"query": "x", "limit": "5"}, "limit"),
        ({"query": "x", "max_tokens": 1.5}, "max_tokens"),
        ({"query": "x", "user": 7}, "user"),
        ({"query": "x", "project": ["p1", 7]}, "project"),
        ({"query": "x", "role": {"a": 1}}, "role"),
        ({"query": "x", "hidden": "yes"}, "hidden"),
        ({"query": "x", "by": "day"}, "by"),
        ({"query": "x", "usr": "anna"}, "usr"),
    ],
    ids=str,
)
def test_a_line_without_sense_is_named_and_what_stands_before_it_is_answered(
    connection: DuckDBPyConnection, line: Any, named: str
) -> None:
    written = line if isinstance(line, str) else json.dumps(line)
    answers = batch.answers(connection, ASK, [json.dumps({"query": "rye"}), "", written], SETTINGS, COUNTER)
    assert names(next(answers)[1]) == ["bread"]
    with pytest.raises(UsageError, match="line 3 of the batch") as raised:
        next(answers)
    assert named in str(raised.value)


def test_a_role_that_does_not_exist_is_refused(connection: DuckDBPyConnection) -> None:
    with pytest.raises(UsageError, match="line 1"):
        ask(connection, {"query": "heron", "role": "boss"})
