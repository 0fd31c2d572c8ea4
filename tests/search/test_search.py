"""Searching a small archive: what each operator, filter and flag finds, and what the four empty answers are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.archive.scope import Scope
from chatmem.errors import RefusedError
from chatmem.evidence.answer import Answer
from chatmem.model import Chat
from tests.search.shelf import START, chat, look, names, put, refs, replied, said, shelf

DAY = timedelta(days=1)
CHATS = [
    chat("bread", "How much water for sourdough at 75 % hydration?", "Take 375 g of water for 500 g of flour.",
         "And with wholemeal?", "Wholemeal drinks more: 400 g.", title="Sourdough water",
         project_id="p-1", project_name="Kitchen"),
    chat("db", "ERROR: deadlock detected, process 4711", "Two transactions wait for each other.\nRetry the second.",
         "It happens in src/db/session.py", "Then take the locks in one order: `SELECT … FOR UPDATE`.",
         title="Postgres locks", project_id="/home/me/shop", project_name="shop"),
    chat("mysql", "deadlock was detected in mysql", "Look at SHOW ENGINE INNODB STATUS.",
         agent_id="dba", user_id="ann"),
    chat("split", "the deadlock", "detected was nothing"),
    chat("rust", "error[E0502]: cannot borrow", "Clone the key: let k = key.clone();"),
    chat("phone", "my iPhone is slow", "Restart the iPhone."),
    chat("zh", "如何优化数据库索引？", "可以为常用查询建立复合索引。黑猫很可爱。"),
    chat("fr", "Où est l’école « Jules Ferry » ?", "À côté de la mairie, près du café Noir."),
    chat("ru", "Как испечь новый хлеб?", "Возьмите муку."),
    chat("people", said("shall we go camping", author="Ann Lee"), said("yes, in the mountains", author="Bob"),
         said("I bring the tent", author="Ann Lee"), said("may the weather hold", author="Bob")),
    chat("hidden", said("plain question"), replied("xyzzy in a thought", hidden="thinking"), replied("plain answer"),
         replied("plugh in another try", branch="alternate")),
    chat("old", said("omega in winter", at=datetime(2024, 1, 10, tzinfo=UTC))),
    chat("new", said("omega in summer", at=datetime(2025, 7, 10, tzinfo=UTC))),
    chat("long", said("omega at first", at=datetime(2024, 1, 1, tzinfo=UTC)),
         replied("well", at=datetime(2024, 1, 1, tzinfo=UTC)),
         said("omega at last", at=datetime(2025, 12, 1, tzinfo=UTC))),
    chat("undated", said("omega whenever", at=None)),
    chat("partly", said("omega some time", at=None), replied("then", at=None),
         created_at=datetime(2024, 5, 1, tzinfo=UTC), updated_at=datetime(2024, 6, 1, tzinfo=UTC)),
    chat("agent", "subagent omega report", kind="subagent"),
    chat("meta", "regex a.b(c)*d+ and 100% sure_thing [x] \\d", "LIKE '%_' escape"),
    chat("dates", said("we met for lunch", at=datetime(2023, 5, 7, tzinfo=UTC))),
]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with shelf(tmp_path_factory.mktemp("library"), *CHATS) as connection:
        yield connection


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("sourdough hydration", ["bread"]),
        ("what did you tell me about the sourdough", ["bread"]),
        ("E0502", ["rust"]),
        ("e0502", ["rust"]),
        ("iphone", ["phone"]),
        ("iPhones", ["phone"]),
        ("session.py", ["db"]),
        ("src/db/session.py", ["db"]),
        ("索引", ["zh"]),
        ("数据库", ["zh"]),
        ("猫", ["zh"]),
        ("l'école", ["fr"]),
        ("ecole", ["fr"]),
        ("CAFE", ["fr"]),
        ("новая", ["ru"]),
        ("borr*", ["rust"]),
        ("sessi* -mysql", ["db"]),
        ("wholem* drin*", ["bread"]),
        # Phrases: whole words side by side, in any case, over line breaks, in titles, in any script.
        ('"deadlock detected"', ["db"]),
        ('"DEADLOCK Detected"', ["db"]),
        ('"each other. Retry"', ["db"]),
        ('"postgres locks"', ["db"]),
        ('"dead lock"', []),
        ('"eadlock detected"', []),
        ('"deadlock detecte"', []),
        ('"数据库索引"', ["zh"]),
        ('"库数据"', []),
        ('"猫"', ["zh"]),
        ('"cafe noir"', ["fr"]),
        ('"l\'ecole"', ["fr"]),
        ('"новый хлеб"', ["ru"]),
        ('"овый хлеб"', []),
        ('"a.b(c)*d+"', ["meta"]),
        ('"axb(c)*d+"', []),
        ('"100% sure_thing [x]"', ["meta"]),
        ('"375 g" "wholemeal drinks"', []),
        ('"375 g" "how much water"', ["bread"]),
        ('"sourdough water" "375 g"', ["bread"]),
        ('"deadlock detected" -"retry the second"', []),
        # Exclusion: whole units, words and phrases.
        ("deadlock -mysql -nothing", ["db"]),
        ('deadlock -"deadlock was"', ["db", "split"]),
        ("deadlock -detected", []),
        ("iphone -iPhone", []),
        ("索引 -数据库", []),
        ("-mysql", []),
    ],
)
def test_queries(library: duckdb.DuckDBPyConnection, query: str, wanted: list[str]) -> None:
    assert sorted(names(look(library, query))) == sorted(wanted)


def test_a_phrase_over_two_messages_is_none(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, '"deadlock detected was nothing"')

    assert names(answer) == []
    assert answer.sufficiency.reason == "no message holds the quoted phrase"


def test_with_a_phrase_each_result_by_message_holds_it(library: duckdb.DuckDBPyConnection) -> None:
    assert refs(look(library, '"wholemeal drinks" water', by="message")) == ["bread#4"]
    assert refs(look(library, '"deadlock"', by="message", limit=2))[0].split("#")[0] in {"db", "mysql", "split"}


@pytest.mark.parametrize(
    ("query", "changes", "wanted"),
    [
        ("deadlock", {"scope": Scope(users=("ann",))}, ["mysql"]),
        ("deadlock user:ann", {}, ["mysql"]),
        ("deadlock agent:dba", {}, ["mysql"]),
        ("deadlock agent:dba", {"scope": Scope(users=("me",))}, []),
        ("deadlock", {"scope": Scope(projects=("SHOP",))}, ["db"]),
        ("deadlock project:/home/me/shop", {}, ["db"]),
        ("deadlock project:shop", {"scope": Scope(projects=("/home/me/shop",))}, ["db"]),
        ("deadlock source:test", {}, ["db", "mysql", "split"]),
        ("deadlock source:chatgpt", {}, []),
        ("deadlock", {"scope": Scope(chats=("test:split",))}, ["split"]),
        ("deadlock", {"scope": Scope(without_chats=("test:split", "test:db"))}, ["mysql"]),
        ("detected", {"roles": ("assistant",)}, ["split"]),
        ("detected role:user", {}, ["db", "mysql"]),
        ("detected role:user", {"roles": ("assistant",)}, []),
        ("tent role:assistant", {}, []),
        ("role:nobody sourdough", {}, ["bread"]),
        ("xyzzy", {}, []),
        ("xyzzy", {"hidden": True}, ["hidden"]),
        ("xyzzy", {"branches": True}, []),
        ("plugh", {"branches": True}, ["hidden"]),
        ("report", {}, []),
        ("report", {"scope": Scope(subagents=True)}, ["agent"]),
    ],
)
def test_filters_by_flag_and_inline(
    library: duckdb.DuckDBPyConnection, query: str, changes: dict[str, Any], wanted: list[str]
) -> None:
    assert sorted(names(look(library, query, **changes))) == wanted


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("omega", ["long", "new", "old", "partly", "undated"]),
        ("omega after:2025", ["long", "new"]),
        ("omega before:2024-02", ["long", "old"]),
        ("omega after:2024-05-15 before:2024-06", ["partly"]),
        ("omega after:2024-07 before:2025", []),
        ("omega after:2025-07-10", ["long", "new"]),
        ("omega before:2025-07-10 after:2025-02", []),
        ("omega before:yesterday after:2025-08", ["long"]),
        ("omega after:2020 before:2030", ["long", "new", "old", "partly"]),
    ],
)
def test_dates_limit_chats_and_the_messages_in_them(
    library: duckdb.DuckDBPyConnection, query: str, wanted: list[str]
) -> None:
    assert sorted(names(look(library, query))) == wanted


def test_only_messages_within_the_dates_are_quoted_first(library: duckdb.DuckDBPyConnection) -> None:
    assert [refs(look(library, f"omega {when}"))[0] for when in ("after:2025-08", "before:2024-01-05")] == [
        "long#3",
        "long#1",
    ]


def test_before_alone_works_in_every_zone(library: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    for zone in ("Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        assert names(look(library, "omega before:2024-01-05")) == ["long"]
        assert names(look(library, "omega after:2025-11")) == ["long"]


def test_a_date_in_the_question_finds_what_was_said_then(library: duckdb.DuckDBPyConnection) -> None:
    assert names(look(library, "lunch on 7 May 2023")) == ["dates"]
    assert names(look(library, "What happened in May 2023?"))[0] == "dates"


def test_hidden_parts_and_branches_are_labelled(library: duckdb.DuckDBPyConnection) -> None:
    (thought,) = look(library, "xyzzy", hidden=True).results
    (other,) = look(library, "plugh", branches=True).results

    assert (thought.excerpts[0].hidden, thought.excerpts[0].ref) == ("thinking", "test:hidden")
    assert (other.excerpts[0].branch, other.excerpts[0].ref) == ("alternate", "test:hidden")


def test_an_author_finds_what_he_said(library: duckdb.DuckDBPyConnection) -> None:
    assert refs(look(library, "what does Bob say about mountains", by="message"))[0] == "people#2"
    assert refs(look(library, "Lee tent", by="message"))[0] == "people#3"


def test_excluded_and_role_units_do_not_come_back_as_neighbours(library: duckdb.DuckDBPyConnection) -> None:
    """Between people a message is found by what is said around it, but not where a condition keeps it out."""
    assert "people#1" not in refs(look(library, "mountains tent -camping", by="message"))
    assert set(refs(look(library, '"mountains"', by="message"))) == {"people#2"}


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("test:bread", "bread#1"), ("test:bread#4", "bread#4"), ("test:db#3", "db#3"),
        ('"test:bread#4"', "bread#4"), (" test:bread#4 ", "bread#4"), ("test:bread#99", "bread#1"),
    ],
)  # fmt: skip
def test_an_id_or_reference_finds_that_chat_before_all_others(
    library: duckdb.DuckDBPyConnection, query: str, wanted: str
) -> None:
    for by in ("chat", "message"):
        answer = look(library, query, by=by)
        assert refs(answer)[:1] == [wanted]
        assert answer.sufficiency.level == "strong"


def test_an_id_out_of_scope_is_words_and_nothing_is_told_of_it(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, "test:bread#4", Scope(users=("ann",)))
    unknown = look(library, "test:nosuch#4", Scope(users=("ann",)))

    assert (names(answer), answer.miss, answer.did_you_mean) == ([], "no_match", ())
    assert answer.sufficiency.reason.replace("bread", "nosuch") == unknown.sufficiency.reason


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("sourdoh", "sourdough"), ("deadlok", "deadlock"), ("hydratoin", "hydration"), ("camipng", "camping"),
        ("вохьмите", "возьмите"),
    ],
)  # fmt: skip
def test_a_typo_is_answered_with_what_was_meant(library: duckdb.DuckDBPyConnection, query: str, wanted: str) -> None:
    answer = look(library, query)

    assert names(answer) == names(look(library, wanted))
    assert answer.did_you_mean[0] == wanted
    assert (answer.sufficiency.level, answer.sufficiency.reason) == (
        "partial", f"a word nobody wrote in scope; looked for “{wanted}” for “{query}”"
    )  # fmt: skip


def test_an_unknown_number_is_no_typo(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, "E0503")

    assert (names(answer), answer.did_you_mean) == ([], ("e0502",))


def test_a_typo_beside_known_words_is_told_too(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, "sourdough hydratoin water")

    assert names(answer)[0] == "bread"
    assert (answer.sufficiency.level, answer.did_you_mean) == ("partial", ("hydration",))
    assert "“hydration” for “hydratoin”" in answer.sufficiency.reason


def test_no_suggestion_comes_from_outside_the_scope(tmp_path: Path) -> None:
    crowd = [chat(f"o{i}", f"secretword{a}{b} secretwards", user_id="other") for i, (a, b) in enumerate(
        (a, b) for a in "abcdefghij" for b in "klmnopqrst")]  # fmt: skip
    mine = chat("mine", "secretwordy things and secretward")
    with shelf(tmp_path, *crowd, mine) as connection:
        assert look(connection, "secretwordz", Scope(users=("me",))).did_you_mean == ("secretwordy", "secretward")
        # Said by another only; a term stands for all endings of a word.
        assert "secretwards" not in look(connection, "secretwardz", Scope(users=("me",))).did_you_mean
        assert "secretwards" in look(connection, "secretwardz").did_you_mean


def test_a_word_that_only_a_condition_keeps_out_is_no_typo(library: duckdb.DuckDBPyConnection) -> None:
    answer = look(library, "deadlock -detected -the")

    assert (names(answer), answer.did_you_mean) == ([], ())
    assert "in what the conditions leave" in answer.sufficiency.reason


@pytest.mark.parametrize(
    ("query", "level", "reason"),
    [
        ("sourdough hydration", "strong", "the best result has all or nearly all words of the question"),
        ("sourdough kubernetes", "partial", "not found in scope: “kubernetes”"),
        ("kubernetes", "none", "no chat in scope has “kubernetes”"),
        ("kubernetes ingress", "none", "no chat in scope has “kubernetes”, “ingress”"),
        ("water kubernetes ingress helm chart operator", "none",
         "only a small part of the question occurs; not found in scope: “kubernetes”, “ingress”, “helm”, “chart” …"),
        ("!?", "none", "the query has no words to look for"),
        ("", "none", "the query has no words to look for"),
        ("-water", "none", "the query has no words to look for"),
        ('"->"', "none", "the query has no words to look for"),
        ('"no such phrase"', "none", "no message holds the quoted phrase"),
    ],
)  # fmt: skip
def test_how_sure_an_answer_is(library: duckdb.DuckDBPyConnection, query: str, level: str, reason: str) -> None:
    answer = look(library, query)

    assert (answer.sufficiency.level, answer.sufficiency.reason) == (level, reason)
    assert bool(answer.results) == (level != "none")


def test_a_spelling_of_an_identifier_that_nobody_used_is_no_unknown_word(tmp_path: Path) -> None:
    with shelf(
        tmp_path, chat("a", "gpt4o and E1234 and foobar"), chat("b", "get the user by id"), chat("c", "x")
    ) as connection:
        assert look(connection, "GPT-4o").sufficiency.level == "strong"
        assert look(connection, "E-1234").sufficiency.level == "strong"
        assert look(connection, "fooBar").sufficiency.level == "strong"
        # Its parts are there, it is not.
        parts = look(connection, "getUserById")
        assert (names(parts), parts.sufficiency.level) == (["b"], "partial")


def test_a_question_in_an_unspaced_script_is_not_held_against_the_seams_of_its_words(
    library: duckdb.DuckDBPyConnection,
) -> None:
    assert look(library, "怎么给数据库建索引").sufficiency.level != "none"
    assert names(look(library, "数据库索引优化")) == ["zh"]


def test_four_ways_of_finding_nothing(library: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    with shelf(tmp_path) as empty:
        answers = [
            look(empty, "bread"),
            look(library, "sourdough", Scope(users=("nobody",))),
            look(library, "sourdough", Scope(sources=("nowhere",))),
            look(library, "kubernetes"),
        ]

    assert [a.miss for a in answers] == ["empty_archive", "empty_scope", "filtered_out", "no_match"]
    assert len({a.sufficiency.reason for a in answers}) == 4
    assert all(a.sufficiency.level == "none" and not a.results for a in answers)
    assert [a.scope.chats for a in answers] == [0, 0, 0, len(CHATS) - 1]


def test_an_unknown_project_is_refused_as_a_flag(library: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(RefusedError, match="no access to a project 'nowhere'"):
        look(library, "sourdough", Scope(projects=("nowhere",)))
    with pytest.raises(RefusedError, match="no access to a project 'nowhere'"):
        look(library, "sourdough project:nowhere")
    # One that is there, but not for whoever may see the shop only, looks the same.
    with pytest.raises(RefusedError, match="no access to a project 'Kitchen'"):
        look(library, "deadlock project:Kitchen", Scope(projects=("shop",)))


def test_a_project_named_like_the_id_of_another_is_not_that_one(tmp_path: Path) -> None:
    one = chat("a1", "pelican", project_id="p1", project_name="Alpha")
    other = chat("b1", "pelican", project_id="zz", project_name="p1")
    with shelf(tmp_path, one, other) as connection:
        assert names(look(connection, "pelican project:Alpha", Scope(projects=("Alpha",)))) == ["a1"]
        assert names(look(connection, "pelican", Scope(projects=("Alpha",)), also=Scope(projects=("alpha",)))) == ["a1"]


def test_the_talk_that_is_going_on_is_left_out_by_its_whole_id_and_never_an_error(tmp_path: Path) -> None:
    with shelf(tmp_path, chat("p1", "pelican"), chat("p2", "pelican"), chat("p 3", "pelican")) as connection:
        for current, left in (("p", 3), ("test:p", 3), ("test:p1", 2), ("p2", 2), ("p 3", 2), ("nowhere:x", 3)):
            assert len(look(connection, "pelican", current=current).results) == left


@pytest.mark.parametrize(
    "word",
    [
        "".join(chr(0x4E00 + 7 * i) for i in range(80)),
        "".join(chr(0xE01 + i % 40) + chr(0xE01 + 7 * i % 41) for i in range(60)),
        "/".join(f"d{i}" for i in range(60)),
    ],
    ids=["han", "thai", "path"],
)
def test_a_word_of_more_parts_than_can_be_looked_for_is_found_by_as_many_as_can(tmp_path: Path, word: str) -> None:
    with shelf(tmp_path, chat("long", f"see {word} there"), chat("other", "nothing of it")) as connection:
        answer = look(connection, word)
    assert names(answer) == ["long"]
    assert "too long" in answer.sufficiency.reason


def test_what_a_session_repeats_is_found_in_it_where_the_first_one_is_out_of_scope(tmp_path: Path) -> None:
    first = chat("first", "fix it", said("the wombat overflows", "assistant", hidden="thinking"), project_id="a")
    again = said("the wombat overflows", "assistant", hidden="thinking", home="first")
    second = chat("second", "and now", again, "done", project_id="b")
    with shelf(tmp_path, first, second) as connection:
        assert names(look(connection, "wombat", hidden=True)) == ["first"]
        assert names(look(connection, "wombat", Scope(projects=("b",)), hidden=True)) == ["second"]


def test_projects_are_named_without_case_in_every_alphabet(tmp_path: Path) -> None:
    names_ = ("ΟΔΟΣ", "İstanbul", "Straße")
    with shelf(tmp_path, *(chat(str(i), "bread", project_name=name) for i, name in enumerate(names_))) as connection:
        for i, name in enumerate(names_):
            assert names(look(connection, "bread", Scope(projects=(name,)))) == [str(i)]
            assert names(look(connection, f'bread project:"{name}"', Scope(projects=(name,)))) == [str(i)]


OPERATORS = st.sampled_from(
    ["sourdough", "deadlock", '"', "-", "*", "project:", "role:user", "before:", "after:2024", "(", ")", "\\", "%", "_",
     "[", "]", "'", ";", "--", "#", "#1", "test:", "\x00", "\x1b[31m", "\u202e", "数据库", "猫", "é", "🙂", "\ufe0f",
     "—", "…", "²", "#²", "C++", "' OR 1=1 --", ".*", "(?:", "{1,", "$", "^", "|", "\ud800"]
)  # fmt: skip


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(max_size=60) | st.builds(str.join, st.sampled_from(["", " "]), st.lists(OPERATORS, max_size=8)),
    by=st.sampled_from(["chat", "message"]),
)
def test_free_text_is_never_an_error(library: duckdb.DuckDBPyConnection, text: str, by: str) -> None:
    try:
        answer = look(library, text, by=by)
    except RefusedError:
        # No syntax, but a project that is not there.
        assert "project:" in text
        return

    assert answer.sufficiency.level in ("strong", "partial", "none")
    assert bool(answer.results) == (answer.sufficiency.level != "none")
    held = {f"test:{c.native_id}": {m.text for m in c.messages} for c in CHATS}
    for result in answer.results:
        for quoted in result.excerpts:
            assert any(quoted.text.strip("…") in t for t in held[result.chat.chat_id])
            assert [quoted.text[a:b] for a, b in quoted.spans] or not quoted.matched


@pytest.mark.parametrize(
    "text",
    ["sourdough " * 1_000, "s" * 10_000, "数据库" * 3_333, '"' + "sourdough water " * 600 + '"', "-" * 10_000,
     " ".join(f"w{i}" for i in range(2_000)), "🙂" * 10_000, " ".join(f'"p{i} q"' for i in range(200)), "ab* " * 500],
    ids=["word", "letters", "chinese", "phrase", "dashes", "words", "emoji", "phrases", "prefixes"],
)  # fmt: skip
def test_ten_thousand_characters_are_a_query_like_any_other(library: duckdb.DuckDBPyConnection, text: str) -> None:
    answer = look(library, text)

    assert answer.sufficiency.level == ("strong" if text.startswith("sourdough") else answer.sufficiency.level)
    assert len(answer.sufficiency.reason) < 600


def test_a_phrase_after_many_words_still_counts(library: duckdb.DuckDBPyConnection) -> None:
    assert names(look(library, " ".join(f"w{i}" for i in range(100)) + ' "deadlock detected"')) in ([], ["db"])
    assert names(look(library, '"deadlock detected" ' + " ".join(f"w{i}" for i in range(3)))) == ["db"]


def test_the_same_question_has_the_same_answer(tmp_path: Path) -> None:
    def ask(home: Path, chats: list[Chat]) -> list[Answer]:
        with put(home, chats).reading() as connection:
            found = [look(connection, q, by=by) for q in ("omega", "deadlock water") for by in ("chat", "message")]
            assert found == [
                look(connection, q, by=by) for q in ("omega", "deadlock water") for by in ("chat", "message")
            ]
        return [a._replace(results=tuple(e._replace(chat=e.chat.chat_id) for e in a.results)) for a in found]  # type: ignore[arg-type]

    assert ask(tmp_path / "a", CHATS) == ask(tmp_path / "b", CHATS[::-1])


def test_a_reply_far_into_a_long_answer_is_quoted(tmp_path: Path) -> None:
    """One question and three hundred replies, as agents give: more than a unit holds, more than is looked through."""
    replies = [replied(f"step {i} done", START + timedelta(seconds=i)) for i in range(300)]
    replies[170] = replied("found the quetzal here", START)
    replies[290] = replied("the axolotl swims here", START)
    with shelf(tmp_path, chat("run", said("do all steps"), *replies)) as connection:
        assert refs(look(connection, "quetzal")) == ["run#172"]
        assert refs(look(connection, "axolotl")) == ["run#292"]
        assert refs(look(connection, "axolotl", by="message")) == ["run#292"]


def test_a_huge_message_and_a_huge_word_are_found_and_quoted(tmp_path: Path) -> None:
    prose = "all work and no play makes jack a dull boy " * 50_000
    huge = prose[: len(prose) // 2] + "the quetzal nests here " + prose[len(prose) // 2 :]
    word = "".join(f"{i:x}g" for i in range(200_000))
    with shelf(tmp_path, chat("huge", huge, "ok"), chat("word", word, "ok")) as connection:
        found, begun = look(connection, "quetzal"), look(connection, word[:50] + "*")

    assert "quetzal nests" in found.results[0].excerpts[0].text
    assert found.results[0].excerpts[0].tokens <= 220
    assert begun.results[0].excerpts[0].text.startswith(word[:50])
    assert begun.tokens <= 2_000


def test_a_prefix_with_thousands_of_completions_elsewhere_is_completed_in_scope(tmp_path: Path) -> None:
    many = " ".join(f"zy{number:x}" for number in range(6_000))
    mine = chat("mine", "the zygomaticotemporal nerve", project_id="mine")
    other = chat("other", many, project_id="other")
    with shelf(tmp_path, mine, other) as connection:
        assert names(look(connection, "zy*", Scope(projects=("mine",)))) == ["mine"]
        whole = look(connection, "zy*")
        alone = look(connection, "zy*", Scope(projects=("mine",)))
    assert "not or only partly looked for: “zy*”" in whole.sufficiency.reason
    assert "looked for" not in alone.sufficiency.reason


@pytest.mark.parametrize("place", [0, 30, 59])
def test_of_a_query_of_many_words_the_one_that_was_said_is_looked_for(tmp_path: Path, place: int) -> None:
    asked = [f"word{number:02}x" for number in range(60)]
    with shelf(tmp_path, chat("c", f"only {asked[place]} was said"), chat("d", "something else")) as connection:
        answer = look(connection, " ".join(asked))
    assert answer.did_you_mean == ()
    assert answer.sufficiency.level == "none"
    assert asked[place] not in answer.sufficiency.reason
    assert "the query is too long" in answer.sufficiency.reason


def test_a_pasted_paragraph_finds_the_chat_that_it_is_from(tmp_path: Path) -> None:
    paragraph = " ".join(f"word{number:02}x" for number in range(80))
    with shelf(tmp_path, chat("c", paragraph), chat("d", "word01x word02x word03x")) as connection:
        answer = look(connection, paragraph)
    assert names(answer)[0] == "c"
    assert answer.sufficiency.level == "partial"


def test_by_message_every_message_that_has_the_word_is_a_result(tmp_path: Path) -> None:
    with shelf(
        tmp_path,
        chat("a", "belt or chain", "a belt needs no oil, a belt lasts", "and in salt", "the belt does not rust"),
        chat("b", "which oil for the chain", "any oil"),
    ) as connection:
        found = look(connection, "belt", by="message")
        parts = look(connection, "belt oil", by="message")
    assert sorted(refs(found)) == ["a#1", "a#2", "a#4"]
    assert [e.rank for e in found.results] == [1, 2, 3]
    scores = [e.score.total for e in parts.results if e.score]
    assert scores == sorted(scores, reverse=True)
    assert refs(parts)[0] in ("a#1", "a#2") and len(set(refs(parts))) == len(parts.results)


def test_what_shares_next_to_nothing_with_a_question_that_others_answer_is_left_out(tmp_path: Path) -> None:
    noise = [chat(f"n{i}", f"walking by the river number {i}", "passing by") for i in range(20)]
    with shelf(tmp_path, chat("code", "where is getUserById called", "in auth"), *noise) as connection:
        assert names(look(connection, "getUserById")) == ["code"]
        assert len(names(look(connection, "by the river"))) == 10


def test_words_behind_a_colour_code_are_words(tmp_path: Path) -> None:
    log = "\x1b[31merror\x1b[0m in \x1b[1;38;5;9mheronlib\x1b[0m: exit 7"
    with shelf(tmp_path, chat("log", log, "try again"), chat("bare", "\x1b[31m", "\x1b[0m")) as connection:
        for word in ("error", "heronlib", '"heronlib"'):
            (found,) = look(connection, word).results
            assert found.excerpts[0].matched == (word.strip('"'),)


def test_sources_are_named_without_case(tmp_path: Path) -> None:
    with shelf(tmp_path, chat("a", "bread")) as connection:
        assert names(look(connection, "bread", Scope(sources=("TEST",)))) == ["a"]
        assert names(look(connection, "bread source:Test")) == ["a"]


def test_the_address_of_a_chat_is_a_name_of_it(tmp_path: Path) -> None:
    url = "https://claude.ai/chat/4829fb8b"
    one = chat("one", "bread", source_url=url)
    with shelf(tmp_path, one, chat("two", f"as said in {url}")) as connection:
        assert names(look(connection, url)) == ["one", "two"]
        assert names(look(connection, f"{url}/"))[0] == "one"


@pytest.mark.parametrize("name", ["7", "Ticket 42", "a b#3", "ü"])
def test_every_id_is_found_by_what_is_printed_of_it(tmp_path: Path, name: str) -> None:
    with shelf(tmp_path, chat(name, "bread and 7 tickets"), chat("other", f"test:{name} 7 a b ticket")) as connection:
        assert names(look(connection, f"test:{name}"))[0] == name
        assert refs(look(connection, f"test:{name}#1"))[0] == f"{name}#1"


def test_a_source_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    hidden = chat("b", "pelican", project_id="other")
    with shelf(tmp_path, chat("a", "bread", project_id="mine"), hidden) as connection:
        answer = look(connection, "bread", Scope(sources=("chatgtp",)))
        dated = look(connection, "bread", Scope(sources=("test",), before=START - timedelta(days=9)))
    assert (answer.miss, answer.sufficiency.reason) == ("filtered_out", "the filters leave no chat; sources here: test")
    assert dated.sufficiency.reason == "the filters leave no chat"
