"""What the flags of each verb do, asked on the command line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from chatmem.tokens import Counter
from tests.contracts import samples
from tests.contracts.program import chatmem

BREAD, BUILD, TICKET = "chatgpt:1d49502d-bread", "claude-code:77aa-build", "csv:ticket #7, part  2"


def found(*line: str) -> list[str]:
    """The chat ids that a look gives, in order."""
    ended = chatmem(*line, "--json")
    assert ended.code == 0, ended.err
    return [result["chat_id"] for result in json.loads(ended.out)["results"]]


@pytest.mark.usefixtures("archive")
def test_now_fixes_the_clock_for_dates_in_words_and_for_this_call_alone() -> None:
    assert found("recent", "--after", "last week", "--now", "2025-06-03T12:00:00Z") == [TICKET]
    assert found("recent", "--after", "yesterday", "--now", "2025-05-03") == [TICKET, BUILD]
    assert "CHATMEM_NOW" not in os.environ
    assert found("recent", "--after", "last week") == []


@pytest.mark.usefixtures("archive")
def test_the_environment_fixes_the_clock_too_and_the_flag_beats_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_NOW", "2025-06-03T12:00:00Z")

    assert found("recent", "--after", "last week") == [TICKET]
    assert found("recent", "--after", "last week", "--now", "2030-01-01") == []


@pytest.mark.usefixtures("archive")
def test_a_date_typed_is_a_date_of_the_readers_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2025-05-02 22:31 UTC is the third of May in Tokyo.
    assert found("recent", "--after", "2025-05-03", "--before", "2025-05-04") == []
    monkeypatch.setenv("CHATMEM_TIMEZONE", "Asia/Tokyo")
    assert found("recent", "--after", "2025-05-03", "--before", "2025-05-04") == [BUILD]


@pytest.mark.usefixtures("archive")
def test_scope_flags_narrow_by_project_user_agent_and_source() -> None:
    assert found("recent", "-p", "kitchen") == found("recent", "-p", "p-kitchen") == [BREAD]
    assert found("recent", "--user", "alice@example.com") == found("recent", "--customer", "alice@example.com")
    assert found("recent", "--agent", "support") == [TICKET]
    assert found("recent", "-s", "csv", "-s", "claude-code") == [TICKET, BUILD]
    assert set(found("search", "cache", "-s", "claude-code", "--subagents")) == {BUILD, f"{BUILD}/agent-1"}
    assert found("search", "cache") == [BUILD]


@pytest.mark.usefixtures("archive")
def test_here_is_the_project_of_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert chatmem("recent", "--here").code == 5

    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "own"))
    export = samples.write(tmp_path / "e.jsonl", [{**samples.BUILD, "project_id": str(tmp_path)}, samples.BREAD])
    assert chatmem("import", export).code == 0
    assert found("recent", "--here") == [BUILD]


@pytest.mark.usefixtures("archive")
def test_what_does_not_fit_the_tokens_is_counted_on_stderr() -> None:
    ended = chatmem("recent", "-n", "4", "--max-tokens", "100", "-f", "rich")

    assert "left out by --max-tokens" in ended.err
    assert ended.err.split("\n")[1].startswith("more: chatmem recent -n 4 --max-tokens 100 --before ")


@pytest.mark.usefixtures("archive")
def test_limits_and_their_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(found("recent")) == 3
    monkeypatch.setenv("CHATMEM_RECENT_LIMIT", "1")
    monkeypatch.setenv("CHATMEM_SEARCH_LIMIT", "1")
    assert len(found("recent")) == len(found("search", "the")) == 1
    assert len(found("recent", "-n", "4")) == 4


def batch(*asked: dict[str, Any] | str, before: str = "") -> list[dict[str, Any]]:
    lines = [a if isinstance(a, str) else json.dumps(a, ensure_ascii=False) for a in asked]
    ended = chatmem("search", "--batch", "-", "--jsonl", stdin=before + "\r\n".join(lines))
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.lines]


@pytest.mark.usefixtures("archive")
def test_a_batch_is_answered_line_by_line_in_order_with_the_ids_given() -> None:
    answers = batch(
        {"query": "flour", "id": "a"}, "", {"query": "nothing-like-it", "id": 2}, {"query": "Köln", "limit": 1},
        {"query": "flour", "source": "csv"}, {"query": "broken", "customer": ["alice@example.com"]},
        before="\ufeff",
    )  # fmt: skip

    assert [a.get("id") for a in answers] == ["a", 2, None, None, None]
    assert [[r["chat_id"] for r in a["results"]] for a in answers] == [[BREAD], [], [], [], [TICKET]]
    assert {a["schema"] for a in answers} == {"chatmem.search/1"}


@pytest.mark.usefixtures("archive")
def test_a_batch_can_be_a_file_and_not_be_asked_with_a_query(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_bytes(b'{"query": "flour \xff"}\n')

    assert len(chatmem("search", "--batch", tmp_path / "queries.jsonl").lines) == 1
    assert "exclude each other" in chatmem("search", "flour", "--batch", tmp_path / "queries.jsonl").err


@pytest.mark.usefixtures("archive")
def test_around_gives_as_many_messages_on_either_side() -> None:
    def shown(around: str) -> list[int]:
        document = json.loads(chatmem("show", f"{BREAD}#2", "--around", around, "--json").out)
        return [message["n"] for message in document["messages"]]

    assert (shown("0"), shown("1"), shown("9")) == ([2], [1, 2, 3], [1, 2, 3, 4])


@pytest.mark.usefixtures("archive")
def test_export_takes_times_in_words_and_a_scope() -> None:
    ended = chatmem("export", "--after", "last week", "--now", "2025-06-03", "--user", "alice@example.com")

    assert [json.loads(line)["chat_id"] for line in ended.lines] == [TICKET]


def test_import_takes_stdin_since_user_project_and_a_dry_run(tmp_path: Path) -> None:
    export = samples.write(tmp_path / "e.jsonl", [samples.BREAD, samples.TICKET]).read_bytes()
    since = ("--since", "3 months ago", "--now", "2025-08-01")

    dry = json.loads(chatmem("import", "-", *since, "--dry-run", "--json", stdin=export).out)
    assert (dry["dry_run"], dry["totals"]["chats"]["new"], dry["totals"]["chats"]["older"]) == (True, 1, 1)
    assert chatmem("recent").code == 3

    assert chatmem("import", "-", *since, "--user", "bob", "--project", "Desk", stdin=export).code == 0
    (chat,) = [json.loads(line) for line in chatmem("export").lines]
    assert (chat["chat_id"], chat["user_id"], chat["project_name"]) == (TICKET, "bob", "Desk")


def test_an_empty_archive_an_empty_scope_filters_and_a_true_miss_are_four_answers(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    samples.write(empty, [samples.chat("csv:1")])
    chatmem("import", empty)
    assert "holds no chats yet" in chatmem("search", "flour").err

    chatmem("import", samples.write(tmp_path / "e.jsonl", [samples.BREAD]))
    assert "no chat belongs to this user" in chatmem("search", "flour", "--user", "nobody").err
    assert "filters leave no chat" in chatmem("search", "flour", "--after", "2026").err
    assert "no chat in scope has “zucchini” (searched 1 chat, 4 messages" in chatmem("search", "zucchini").err


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("verb", [["search", "the"], ["search", "the", "--by", "message"], ["recent"]])
@pytest.mark.parametrize("form", ["json", "jsonl", "plain", "rich"])
def test_a_bound_that_is_given_holds_for_all_that_is_printed(verb: list[str], form: str) -> None:
    count = Counter().whole()
    printed = []
    everything = found(*verb, "-n", "20", "--max-tokens", "100000")
    for most in (1, 100, 300, 700, 1_500, 4_000):
        ended = chatmem(*verb, "-n", "20", "--max-tokens", str(most), "-f", form)
        results = json.loads(ended.out)["results"] if form == "json" else ended.lines
        if form == "rich":
            results = [line for line in ended.lines if re.match(r" {0,3}\d+ ", line)]
        printed.append(len(results))
        assert count(ended.out) <= most or (form == "json" and not results)
        left = json.loads(ended.out)["omitted"] if form == "json" else "left out by --max-tokens" in ended.err
        assert bool(left) == (len(results) < len(everything))
    assert printed[0] == 0 < printed[-1]
    assert printed == sorted(printed)
    few = chatmem(*verb, "-n", "1", "--max-tokens", "500", "-f", form)
    many = chatmem(*verb, "-n", "20", "--max-tokens", "500", "-f", form)
    assert bool(few.out) == bool(many.out)


@pytest.mark.usefixtures("archive")
def test_by_default_the_excerpts_are_bounded_and_as_many_results_as_asked_for_are_printed() -> None:
    document = json.loads(chatmem("recent", "-n", "4", "--json").out)

    assert len(document["results"]) == 4
    assert document["tokens"] <= 2_000
