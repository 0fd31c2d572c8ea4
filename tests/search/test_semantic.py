"""Searching by meaning: what is near, inside which limits, and that two steps find what a full scan does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pytest

from chatmem.archive import keys
from chatmem.archive.scope import Scope
from chatmem.embed import models, static
from chatmem.search import semantic
from chatmem.search.limits import Ask
from tests.search.shelf import chat, look, names, put, replied, said, shelf

PARAPHRASE = "which bicycle should I ride to the office"
CHATS = [
    chat("bike", "Belt drive or chain for a commuter bike?", "Belt. It needs no oil and does not rust.",
         title="Commuter bike", project_id="p-1", project_name="Wheels"),
    chat("bread", "How much water for sourdough?", "Take 375 g of water for 500 g of flour."),
    chat("locks", "deadlock detected in Postgres", "Retry the transaction."),
    chat("theirs", "My bike for riding to work", "A bicycle with a belt.", user_id="ann", agent_id="shop"),
    chat("old", said("cycling to work on a bicycle", at=datetime(2020, 1, 1, tzinfo=UTC))),
    chat("inside", said("plain"), replied("a bicycle for the office ride", hidden="thinking"), replied("fine")),
]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with shelf(tmp_path_factory.mktemp("meaning"), *CHATS, embed=True) as connection:
        yield connection


@pytest.mark.parametrize(
    ("scope", "changes", "wanted"),
    [
        (Scope(), {}, {"bike", "theirs", "old"}),
        (Scope(users=("me",)), {}, {"bike", "old"}),
        (Scope(agents=("shop",)), {}, {"theirs"}),
        (Scope(projects=("Wheels",)), {}, {"bike"}),
        (Scope(after=datetime(2024, 1, 1, tzinfo=UTC)), {}, {"bike", "theirs"}),
        (Scope(before=datetime(2021, 1, 1, tzinfo=UTC)), {}, {"old"}),
        (Scope(), {"without": ("test:bike",)}, {"theirs", "old"}),
        (Scope(), {"inside": (("test:bike",),)}, {"bike"}),
    ],
)
def test_meaning_is_looked_for_inside_the_scope_only(
    library: duckdb.DuckDBPyConnection, scope: Scope, changes: dict[str, Any], wanted: set[str]
) -> None:
    answer = look(library, PARAPHRASE, scope, mode="semantic", **changes)

    assert answer.mode == "semantic"
    assert not set(names(answer)) & ({"bike", "theirs", "old"} - wanted)
    assert set(names(answer)[: len(wanted)]) == wanted


def test_only_what_one_side_said_is_near(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, PARAPHRASE, mode="semantic", roles=("assistant",))

    assert names(answer)[0] == "theirs"
    assert {x.role for e in answer.results for x in e.excerpts} == {"assistant"}


def test_a_word_left_out_and_a_phrase_hold_for_meaning_too(library: duckdb.DuckDBPyConnection) -> None:
    assert "theirs" not in names(look(library, f"{PARAPHRASE} -belt", mode="semantic"))
    assert "bike" not in names(look(library, f"{PARAPHRASE} -belt", mode="semantic"))
    assert names(look(library, f'{PARAPHRASE} "commuter bike"', mode="semantic")) == ["bike"]


def test_hidden_parts_have_no_vectors(library: duckdb.DuckDBPyConnection) -> None:
    (count,) = library.execute(
        f"SELECT count(*) FROM vector WHERE {keys.sql_lane('message_key')} > {keys.PEOPLE}"
    ).fetchone() or (1,)

    assert count == 0


def test_a_paraphrase_is_found_that_shares_no_rare_word(tmp_path: Path) -> None:
    with shelf(tmp_path, *CHATS[:3], embed=True) as connection:
        by_words, both = look(connection, "puncture-proof bicycle", mode="lexical"), look(connection, "bicycle chain")

    assert names(by_words) == []
    assert (names(both)[0], both.mode) == ("bike", "hybrid")
    score = both.results[0].score
    assert score is not None and score.meaning == 1.0 and score.cosine > 0.3


def test_what_nobody_said_is_not_found_by_meaning_either(library: duckdb.DuckDBPyConnection) -> None:
    for absent in ("divorce lawyer fees", "quantum chromodynamics", "how do aquarium filters work"):
        answer = look(library, absent)
        assert (answer.sufficiency.level, answer.results) == ("none", ()), absent


def test_an_archive_without_vectors_says_so_and_is_searched_by_words(tmp_path: Path) -> None:
    with shelf(tmp_path, *CHATS) as connection:
        answer = look(connection, "sourdough")

    assert (names(answer), answer.mode) == (["bread"], "lexical")
    assert "chatmem archive embed" in answer.note


def test_messages_without_vectors_are_told(tmp_path: Path) -> None:
    put(tmp_path, CHATS[:2], embed=True)
    with put(tmp_path, CHATS[2:3]).reading() as connection:
        answer = look(connection, "deadlock")

    assert (names(answer), answer.mode) == (["locks"], "hybrid")
    assert "some messages have no vectors" in answer.note


@pytest.mark.parametrize("everything", [True, False])
def test_the_nearest_of_many_are_those_of_a_full_scan(tmp_path: Path, everything: bool) -> None:
    words = [f"w{i}" for i in range(400)]
    rnd = numpy.random.default_rng(5)
    many = [
        chat(f"c{n}", *(said(" ".join(rnd.choice(words, 12)), user) for user in ("user", "assistant") * 3))
        for n in range(300)
    ]
    vector = static.asker(static.folder())("w1 w2 w3 w4 w5 w6")
    with shelf(tmp_path, *many, embed=True) as connection:
        near = semantic.nearest(connection, Ask(slots=(), scope=Scope()), vector, everything)
        texts = connection.execute("SELECT message_key, text FROM message").fetchall()
    made = models.open_model("wordllama").encode([text for _, text in texts]) @ numpy.array(vector)
    weights = [1.0 if key & keys.MAX_OFFSET == 0 else 0.5 for key, _ in texts]
    exact = {key: (cosine, cosine * weight) for (key, _), cosine, weight in zip(texts, made, weights, strict=True)}
    best = sorted(exact, key=lambda key: -exact[key][1])[:20]

    assert near.passages == len(texts)
    assert all(abs(p.cosine - exact[p.message_key][0]) < 0.01 for p in near.found)
    assert [p.weighted for p in near.found] == sorted((p.weighted for p in near.found), reverse=True)
    assert len({p.message_key for p in near.found} & set(best)) >= 18


def test_a_large_topic_does_not_drown_a_small_one(tmp_path: Path) -> None:
    crowd = [chat(f"big{n}", *["deploy of billing failed again, restart the deploy"] * 30) for n in range(12)]
    small = chat("small", "the deploy key of the greenhouse controller", "It is in the drawer.")
    with shelf(tmp_path, *crowd, small, embed=True) as connection:
        answer = look(connection, "deploy greenhouse")

    assert names(answer)[0] == "small"
    assert max(len(e.excerpts) for e in answer.results) <= 3


def test_results_do_not_depend_on_what_others_said(tmp_path: Path) -> None:
    mine = [chat(f"m{n}", f"my garden has tomatoes and row {n}", "Water them.") for n in range(5)]
    theirs = [chat(f"t{n}", f"garden tomatoes {n} for sale", "Cheap.", user_id="ann") for n in range(40)]
    asked = [("which vegetables do I grow", {"mode": "semantic"}), ("tomatoes in my garden", {}), ("tomatos", {})]
    told = []
    for name, chats in (("alone", mine), ("together", [*mine, *theirs])):
        with shelf(tmp_path / name, *chats, embed=True) as connection:
            told.append([_seen(look(connection, text, Scope(users=("me",)), **more)) for text, more in asked])

    assert told[0] == told[1]


def _seen(answer: Any) -> tuple[Any, ...]:
    scores = [(e.chat.chat_id, round(e.score.total, 4), round(e.score.cosine, 3)) for e in answer.results]
    return scores, answer.sufficiency, answer.did_you_mean, answer.matched


def test_a_word_said_outside_the_dates_is_no_evidence_inside_them(tmp_path: Path) -> None:
    days = [
        chat(f"d{n}", said(f"{'quokkazilla' if n == 1 else 'plain'} words", at=datetime(2025, 1, n, tzinfo=UTC)))
        for n in range(1, 9)
    ]
    with shelf(tmp_path, *days, embed=True) as connection:
        answer = look(connection, "quokkazilla", Scope(after=datetime(2025, 1, 4, tzinfo=UTC)))

    assert (answer.sufficiency.level, answer.results) == ("none", ())


def test_by_meaning_no_word_is_unknown_and_none_is_respelled(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, "bikes commuter", mode="semantic")

    assert (answer.sufficiency.reason, answer.did_you_mean) == ("found by meaning", ())


def test_without_vectors_a_search_by_meaning_is_one_by_words(tmp_path: Path) -> None:
    with shelf(tmp_path, *CHATS) as connection:
        answer = look(connection, "sourdough", mode="semantic")

    assert (names(answer), answer.mode) == (["bread"], "lexical")
    assert "no vectors" in answer.note


def test_where_nothing_can_be_compared_words_decide_as_they_would_alone(tmp_path: Path) -> None:
    put(tmp_path, CHATS[3:4], embed=True)
    with put(tmp_path, CHATS[:3]).reading() as connection:
        for scope in (Scope(users=("me",)), Scope()):
            both, words = (look(connection, "chain gearbox mountain oil", scope, mode=m) for m in ("hybrid", "lexical"))
            assert names(both)[:1] == names(words)[:1] == ["bike"]


def test_an_identifier_goes_before_everything_that_is_near(tmp_path: Path) -> None:
    fixes = [chat(f"f{n}", f"what was the fix for the build, take {n}", "The fix was a fix.") for n in range(8)]
    with shelf(tmp_path, *fixes, chat("rust", "error E0502 in the cache", "Clone the Arc."), embed=True) as connection:
        assert names(look(connection, "E0502 what was the fix"))[0] == "rust"
        assert names(look(connection, "E0502")) == ["rust"]


def test_what_is_near_by_chance_is_not_listed_behind_a_hit(tmp_path: Path) -> None:
    with shelf(tmp_path, *CHATS, embed=True) as connection:
        assert names(look(connection, "deadlock")) == ["locks"]


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_no_cosine_is_of_a_message_of_another_role(tmp_path: Path, role: str) -> None:
    many = [chat(f"c{n}", f"garden {n} heating", f"oven {n} bread water") for n in range(230)]
    with shelf(tmp_path, *many, embed=True) as connection:
        answer = look(connection, "garden heating oven", roles=(role,), limit=100, max_tokens=100_000)
        vector = static.asker(static.folder())("garden heating oven")
        made = {e.chat.native_id: e for e in answer.results}
        for name, evidence in made.items():
            texts = [x.text for x in many[int(name[1:])].messages if x.role == role]
            cosine = float(max(models.open_model("wordllama").encode(texts[:1])[0] @ numpy.array(vector), -1))
            assert evidence.score is not None and abs(evidence.score.cosine - cosine) < 0.02


@pytest.mark.parametrize("mode", ["hybrid", "semantic"])
def test_what_matches_does_not_depend_on_how_much_is_asked_for(library: duckdb.DuckDBPyConnection, mode: Any) -> None:
    few, many = (look(library, "bicycle ride bike work", mode=mode, limit=n) for n in (1, 50))

    assert few.matched == many.matched == len(many.results) > 1
