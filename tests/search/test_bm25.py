"""The SQL of the ranking against the same formula in plain Python, and what must not change a score."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from chatmem.archive import read
from chatmem.archive.scope import Scope
from chatmem.archive.tokenizer import expand, term_id
from chatmem.model import Chat, Message
from chatmem.search.conditions import Conditions
from chatmem.search.hits import Ranking
from chatmem.search.lexical import rank
from chatmem.search.limits import Ask
from tests.search.plain_bm25 import Scored, scores
from tests.search.shelf import START, chat, look, names, put, refs, replied, said, shelf

WORDS = (
    "alpha beta gamma delta épsilon zeta-eta theta_iota kappaLambda E0502 3.12 v1.2.3 mu@nu.org running runs 数据库 the"
).split()
COMMON = ["omega", "sigma", "rho"]
AUTHORS = ("Ann Lee", "Bob", "Cy")


def text(dice: random.Random, most: int = 12) -> str:
    return " ".join(dice.choices(COMMON, k=dice.randrange(4)) + dice.choices(WORDS, k=dice.randrange(most)))


def message(dice: random.Random, role: str, day: int, author: str | None = None) -> Message:
    at = START + timedelta(days=day) if dice.random() < 0.9 else None
    aside = dice.random()
    hidden, branch = ("thinking" if aside < 0.05 else None), ("alternate" if 0.05 < aside < 0.1 else "main")
    return said(text(dice), role, at, author=author, hidden=hidden, branch=branch)


def corpus(seed: int, chats: int = 30) -> list[Chat]:
    """Talks with an assistant and talks between people, with and without titles; some begin with a reply."""
    dice = random.Random(seed)
    made = []
    for number in range(chats):
        if dice.random() < 0.3:
            turns = [message(dice, "user", number, author) for author in dice.choices(AUTHORS, k=dice.randrange(2, 12))]
        else:
            roles = dice.choices(("user", "assistant"), (2, 3), k=dice.randrange(1, 12))
            turns = [message(dice, role, number) for role in roles]
        turns.append(said("omega"))
        title = text(dice, 4) or None if dice.random() < 0.5 else None
        made.append(chat(f"c{number}", *turns, title=title, user_id=dice.choice(("me", "you"))))
    return made


def slots_of(*words: str) -> list[list[int]]:
    """One slot per word; words joined by | share one."""
    return [
        [term_id(t) for word in one.split("|") for t in (*expand(word).wholes, *expand(word).words)[:1]]
        for one in words
    ]


QUERIES = [
    ("alpha",), ("omega",), ("omega", "alpha", "E0502"), ("running", "beta", "@2025"), ("alpha|beta", "zeta-eta"),
    ("kappaLambda", "theta_iota", "3.12", "sigma", "数据", "nothing"), ("@m03", "@d20"),
]  # fmt: skip


def ranked(
    connection: duckdb.DuckDBPyConnection, slots: list[list[int]], everything: bool = True, **more: object
) -> Ranking:
    ask = Ask(slots, Scope(), limit=10_000, per_chat=None)
    return rank(connection, ask._replace(**more), everything)  # type: ignore[arg-type]


def comparable(connection: duckdb.DuckDBPyConnection, found: Ranking) -> list[Scored]:
    """Hits as the plain implementation tells them: by the id of the unit's first message."""
    rows = read.chats(connection, sorted({h.chat_no for h in found.hits}))
    firsts: dict[int, str] = {}
    for m in read.messages_of_units(connection, list(rows), [h.unit_key for h in found.hits]):
        firsts.setdefault(m.message_key >> 8, m.message_id)
    return [Scored(rows[h.chat_no].chat_id, firsts[h.unit_key], h.own, h.context, h.chat, h.score) for h in found.hits]


def assert_same(found: list[Scored], wanted: list[Scored]) -> None:
    assert len(found) == len(wanted) > 0
    by_id = {s.message_id: s for s in wanted}
    for one in found:
        other = by_id[one.message_id]
        assert (one.own, one.context, one.whole, one.score) == pytest.approx(
            (other.own, other.context, other.whole, other.score), abs=1e-9
        ), one.message_id
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)


@pytest.mark.parametrize("seed", [1])
def test_every_score_is_that_of_the_plain_formula(tmp_path: Path, seed: int) -> None:
    chats = corpus(seed)
    with shelf(tmp_path, *chats) as connection:
        for words in QUERIES:
            slots = slots_of(*words)
            assert_same(comparable(connection, ranked(connection, slots)), scores(chats, slots))


def test_a_unit_whose_author_is_named_scores_half_as_much_again(tmp_path: Path) -> None:
    chats = corpus(3)
    with shelf(tmp_path, *chats) as connection:
        found = comparable(connection, ranked(connection, slots_of("omega", "beta"), names=frozenset({"lee", "cy"})))

        assert_same(found, scores(chats, slots_of("omega", "beta"), frozenset({"lee", "cy"})))


def test_a_search_in_a_scope_scores_as_an_archive_that_holds_nothing_else(tmp_path: Path) -> None:
    chats = corpus(4)
    mine = [c for c in chats if c.user_id == "me"]
    assert 5 < len(mine) < 25
    with shelf(tmp_path, *chats) as connection:
        for words in QUERIES:
            found = ranked(connection, slots_of(*words), everything=False, scope=Scope(users=("me",)))

            assert_same(comparable(connection, found), scores(mine, slots_of(*words)))
            assert found.units == sum(1 for _ in _all_units(mine))


def _all_units(chats: list[Chat]) -> list[Scored]:
    return scores(chats, [[term_id(t) for c in chats for m in c.visible() for t in _everything(m)]])


def _everything(m: Message) -> list[str]:
    return [t for raw in m.text.split() for t in expand(raw).words] + ["@2025", "@m03", "@m04"]


def test_units_numbers_and_idf_of_the_scope_are_told(tmp_path: Path) -> None:
    chats = [chat("a", "alpha beta", "gamma"), chat("b", "alpha", "beta"), chat("c", "delta", "delta")]
    with shelf(tmp_path, *chats) as connection:
        found = ranked(connection, slots_of("alpha", "delta", "nobody"))

    assert (found.units, found.matched) == (3, 3)
    assert set(found.idf) == {0, 1}
    assert found.idf[0] < found.idf[1]
    assert {h.slots for h in found.hits} == {frozenset({0}), frozenset({1})}


def test_a_rewritten_chat_leaves_no_trace_before_the_index_is_merged(tmp_path: Path) -> None:
    old, other = chat("a", "alpha beta secret", "gamma"), chat("b", "alpha", "beta")
    new = replace(chat("a", "alpha", "delta"), updated_at=START + timedelta(days=1))
    put(tmp_path / "twice", [old, other])
    with shelf(tmp_path / "twice", new) as twice, shelf(tmp_path / "once", other, new) as once:
        assert look(twice, "secret")._replace(query="") == look(once, "nosuchword")._replace(
            query="", sufficiency=look(twice, "secret").sufficiency
        )
        for query in ("alpha", "alpha beta", "beta -gamma", '"alpha beta"', "alp*"):
            mine, wanted = look(twice, query), look(once, query)
            assert (names(mine), refs(mine), mine.matched, mine.scope) == (
                names(wanted), refs(wanted), wanted.matched, wanted.scope
            ), query  # fmt: skip
            assert [e.score for e in mine.results] == [e.score for e in wanted.results]
        assert look(twice, "secrt").did_you_mean == ()


def test_the_result_does_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    dice = random.Random(5)
    words = [f"w{i}" for i in range(400)]
    chats = [chat(f"c{i}", *(" ".join(dice.choices(words, k=70)) for _ in range(20))) for i in range(110)]
    store = put(tmp_path, chats)
    told = []
    for threads in (1, 2, 7):
        with store.reading() as connection:
            # More rows than one thread takes at a time.
            assert (connection.execute("SELECT count(*) FROM posting").fetchone() or (0,))[0] > 130_000
            connection.execute(f"SET threads = {threads}")
            told.append([look(connection, "w1 w2 w3 w4 w5 w6", by=by) for by in ("chat", "message")])

    assert told[0] == told[1] == told[2]


def test_equal_scores_come_newest_first_and_then_by_id(tmp_path: Path) -> None:
    same = [
        chat("b-old", said("omega", at=START)), chat("a-old", said("omega", at=START)),
        chat("c-new", said("omega", at=START + timedelta(days=1))), chat("z-never", said("omega", at=None)),
        chat("y-never", said("omega", at=None)),
    ]  # fmt: skip
    wanted = ["c-new", "a-old", "b-old", "y-never", "z-never"]
    with shelf(tmp_path / "one", *same) as one, shelf(tmp_path / "two", *reversed(same)) as two:
        for connection in (one, two):
            for by in ("chat", "message"):
                assert names(look(connection, "omega", by=by)) == wanted
                assert names(look(connection, "omega", by=by, limit=3)) == wanted[:3]


def test_one_long_chat_does_not_crowd_out_the_others(tmp_path: Path) -> None:
    crowd = chat("crowd", *(turn for _ in range(400) for turn in ("omega omega omega", "yes")))
    others = [chat(f"other{i}", f"something else about omega number {i}", "well") for i in range(4)]
    with shelf(tmp_path, crowd, *others) as connection:
        answer = look(connection, "omega")

    assert names(answer)[0] == "crowd"
    assert set(names(answer)) == {"crowd", "other0", "other1", "other2", "other3"}
    assert answer.matched == 5
    assert len(answer.results[0].excerpts) == 3


def test_a_chat_found_by_its_title_alone_is_shown_with_its_beginning(tmp_path: Path) -> None:
    titled = chat("t", "how do I begin", "like this", "and then", "so", title="Sourdough for beginners")
    with shelf(tmp_path, titled, chat("u", "bread", "wine")) as connection:
        answer = look(connection, "sourdough")

    assert refs(answer) == ["t#1"]
    assert answer.sufficiency.level == "strong"


def test_words_of_the_title_count_for_every_unit_of_the_chat(tmp_path: Path) -> None:
    titled = chat("t", "how do I begin", "like this", "what hydration", "75 percent", title="Sourdough")
    with shelf(tmp_path, titled, chat("u", "bread", "wine")) as connection:
        answer = look(connection, "sourdough hydration")

    assert refs(answer)[0] == "t#3"
    assert answer.sufficiency.level == "strong"


def test_the_messages_of_one_role_are_ranked_alone(tmp_path: Path) -> None:
    with shelf(tmp_path, chat("a", "alpha", "beta"), chat("b", "beta", "alpha")) as connection:
        found = ranked(connection, slots_of("alpha"), conditions=Conditions(roles=("assistant",)))

        assert [h.own for h in found.hits] == [0]
        assert comparable(connection, found)[0].chat == "test:b"


def test_a_reply_is_found_by_the_question_it_answers_and_the_other_way_round(tmp_path: Path) -> None:
    talk = chat("a", said("what is the capital"), replied("Lisbon"), said("thanks"))
    with shelf(tmp_path, talk) as connection:
        assert refs(look(connection, "capital Lisbon"))[0] in ("a#1", "a#2")
        assert look(connection, "capital Lisbon").sufficiency.level == "strong"
