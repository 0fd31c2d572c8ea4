"""130 judged messages in six languages, with the time fixed: what is to be done, with which tool, topic and dates."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from chatmem.policy.should_search import decide
from tests.contracts.program import chatmem

NOW = datetime(2026, 5, 13, 12, tzinfo=UTC)
TABLE: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "messages.jsonl").read_text("utf-8").splitlines()
]


def failure(one: dict[str, Any]) -> str:
    found = decide(one["message"], NOW, UTC)
    dates = tuple((found.arguments.get(name) or "")[:10] or None for name in ("after", "before"))
    query = found.arguments.get("query", "").lower()
    wanted = (one["decision"], (one["after"], one["before"]))
    if (found.decision, dates) != wanted or any(word.lower() not in query for word in one["topic"]):
        return f"{one['message']!r}: {found}"
    return ""


def test_messages_are_understood() -> None:
    failures = [text for one in TABLE if (text := failure(one))]
    assert len(TABLE) >= 120 and len(failures) <= 0.02 * len(TABLE), "\n".join(failures)


def test_what_only_looks_like_a_reference_is_never_searched_for() -> None:
    wrong = [
        one["message"] for one in TABLE if one["decision"] == "no" and decide(one["message"], NOW, UTC).decision != "no"
    ]
    assert wrong == []


@pytest.mark.parametrize("one", TABLE, ids=lambda one: one["message"][:40])
def test_a_tool_is_named_just_where_one_is_to_be_called(one: dict[str, Any]) -> None:
    found = decide(one["message"], NOW, UTC)
    tools = {"search": "conversation_search", "recent": "recent_chats", "ask": "", "no": ""}
    assert found.tool == tools[found.decision]
    assert bool(found.arguments) == bool(found.tool) and found.reason


def test_days_begin_where_the_reader_is() -> None:
    found = decide("what did we talk about yesterday?", NOW, timezone(timedelta(hours=9)))
    assert found.arguments["after"] == "2026-05-12T00:00:00+09:00"


def test_the_verb_says_it_and_ends_with_it() -> None:
    done = chatmem("should-search", "What did we discuss about pgbouncer last week?", "--now", "2026-05-13T12:00:00Z")
    assert done.code == 0 and done.out.startswith("search\tconversation_search\t") and "pgbouncer" in done.out
    done = chatmem("should-search", "-", "--json", stdin="remember to commit")
    assert done.code == 1 and json.loads(done.out)["decision"] == "no"
    assert chatmem("should-search", "do you remember?").code == 0
    assert chatmem("should-search", " ").code == 2
