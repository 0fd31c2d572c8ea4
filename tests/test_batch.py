"""Many searches in one process: answers in the order of the lines, each with its own filters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest

from chatmem import batch
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.errors import ChatmemError, NotFoundError, RefusedError, UsageError
from chatmem.evidence.answer import Answer
from chatmem.recall import Lookup
from chatmem.search.dates import moment
from tests.search.shelf import COUNTER, NOW, SETTINGS, chat, names, put, replied, said

ASK = Lookup("", Scope(), 10, 2_000, lambda text: moment(text, NOW, UTC))
OLD = datetime(2024, 5, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Four chats about herons that differ in everything a line can ask for; one about bread."""
    home: Path = tmp_path_factory.mktemp("home")
    return put(
        home,
        [
            chat("anna", "grey heron at the pond", "a heron eats fish", user_id="anna"),
            chat("old", said("grey heron long ago", at=OLD), replied("it was a crane", OLD)),
            chat("bot", "grey heron of a bot", "yes", agent_id="bot"),
            chat("nest", "grey heron in a project", "yes", project_id="p1", project_name="Nest"),
            chat("bread", "rye bread", "seven hours at 19 degrees"),
        ],
    )


def ask(store: Store, *lines: Any, lookup: Lookup = ASK) -> list[tuple[Any, Answer]]:
    """What the lines are answered; values are written as JSON, texts stand as they are."""
    written: Iterable[str] = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    answers = list(batch.answers(store, lookup, written, SETTINGS, COUNTER))
    return [(given, answer) for given, answer in answers if not isinstance(answer, ChatmemError)]


def found(store: Store, lookup: Lookup = ASK, **line: Any) -> set[str]:
    [(_, answer)] = ask(store, {"query": "grey heron", **line}, lookup=lookup)
    return set(names(answer))


EVERY = {"anna", "old", "bot", "nest"}


def test_answers_come_in_the_order_of_the_lines_with_their_ids(store: Store) -> None:
    answers = ask(
        store,
        {"id": "b", "query": "rye bread"},
        {"query": "nothing like it: zzyzx"},
        "  \n",
        {"id": 0, "query": "crane"},
        {"id": {"n": [1]}, "query": "rye"},
    )
    assert [given for given, _ in answers] == ["b", None, 0, {"n": [1]}]
    assert [names(answer) for _, answer in answers] == [["bread"], [], ["old"], ["bread"]]
    assert [answer.query for _, answer in answers] == ["rye bread", "nothing like it: zzyzx", "crane", "rye"]


def test_no_lines_have_no_answers(store: Store) -> None:
    assert ask(store, "", "\n", " \t\n") == []


def test_an_answer_is_given_before_the_next_line_is_read(store: Store) -> None:
    read: list[int] = []

    def lines() -> Iterator[str]:
        for number in (1, 2):
            read.append(number)
            yield json.dumps({"query": "rye"})

    answers = batch.answers(store, ASK, lines(), SETTINGS, COUNTER)
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
def test_a_line_filters_by_the_names_of_the_flags(store: Store, line: dict[str, Any], expected: set[str]) -> None:
    assert found(store, **line) == expected


def test_limits_and_the_unit_of_a_line_are_its_own(store: Store) -> None:
    (_, few), (_, small), (_, each), (_, plain) = ask(
        store,
        {"query": "grey heron", "limit": 2},
        {"query": "grey heron", "max_tokens": 60},
        {"query": "heron", "by": "message"},
        {"query": "grey heron"},
    )
    assert len(few.results) == 2
    assert small.tokens <= 60 and small.omitted > 0
    assert each.by == "message" and all(len(e.excerpts) == 1 for e in each.results)
    assert plain.by == "chat" and len(plain.results) == 4


def test_a_filter_of_a_line_narrows_that_of_the_command_line(store: Store) -> None:
    narrow = ASK._replace(scope=Scope(users=("anna", "me"), before=NOW))
    assert found(store, narrow) == EVERY
    assert found(store, narrow, user="anna") == {"anna"}
    assert found(store, narrow, user="me", before="2025-01-01") == {"old"}
    assert found(store, ASK._replace(scope=Scope(users=("anna",))), user="me") == set()
    assert found(store, ASK._replace(scope=Scope(projects=("NEST",))), project="p1") == {"nest"}


def test_a_line_may_stay_inside_chats_or_leave_them_out(store: Store) -> None:
    [(_, inside)] = ask(store, {"query": "grey heron", "in": "test:anna"})
    assert names(inside) == ["anna"]
    [(_, none)] = ask(store, {"query": "grey heron", "in": "test:anna"}, lookup=ASK._replace(inside=(("old",),)))
    assert names(none) == []
    assert found(store, not_in=["test:anna", "nest"]) == {"old", "bot"}
    assert found(store, ASK._replace(without=("old",)), not_in="test:bot") == {"anna", "nest"}


def test_the_archive_is_free_while_the_next_line_is_waited_for(store: Store) -> None:
    """Whoever waits on a pipe must not keep an import out."""

    def lines() -> Iterator[str]:
        yield json.dumps({"query": "rye"})
        with duckdb.connect(str(store.path)):
            yield json.dumps({"query": "heron"})

    answers = batch.answers(store, ASK, lines(), SETTINGS, COUNTER)
    assert names(cast(Answer, next(answers)[1])) == ["bread"]


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
def test_a_line_without_sense_is_named_and_all_others_are_answered(store: Store, line: Any, named: str) -> None:
    written = line if isinstance(line, str) else json.dumps({"id": 7, **line} if isinstance(line, dict) else line)
    rye = json.dumps({"query": "rye"})
    before, wrong, after = batch.answers(store, ASK, [rye, "", written, rye], SETTINGS, COUNTER)
    assert [names(cast(Answer, answer)) for _, answer in (before, after)] == [["bread"]] * 2
    assert isinstance(wrong[1], UsageError)
    assert wrong[1].what.startswith("line 3 of the batch") and named in str(wrong[1])


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ({"role": "boss"}, UsageError),
        ({"in": "no such chat"}, NotFoundError),
        ({"project": "nope"}, RefusedError),
        ({"query": "heron project:nope"}, RefusedError),
        ({"user": "\ud800", "project": "\ud800"}, RefusedError),
    ],
    ids=str,
)
def test_a_line_that_asks_for_what_is_not_there_is_refused(
    store: Store, line: dict[str, Any], kind: type[ChatmemError]
) -> None:
    [(given, answer)] = batch.answers(store, ASK, [json.dumps({"id": 7, "query": "heron", **line})], SETTINGS, COUNTER)
    assert (given, type(answer)) == (7, kind)
