"""JSON: UTC, stable names, the same value whatever the text holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from chatmem.render.as_json import dumps, naive_time, time
from tests.contracts.program import chatmem


def test_times_are_utc_with_z_and_a_fraction_only_where_there_is_one() -> None:
    at = datetime(2025, 3, 14, 9, 30, tzinfo=timezone(timedelta(hours=2)))

    assert time(at) == "2025-03-14T07:30:00Z"
    assert time(at.replace(microsecond=125_000)) == "2025-03-14T07:30:00.125Z"
    assert time(datetime.max.replace(tzinfo=UTC)) == "9999-12-31T23:59:59.999999Z"
    assert time(None) is None
    assert naive_time(datetime(2025, 3, 14)) == "2025-03-14T00:00:00Z"


def test_a_document_is_one_line_of_readable_text() -> None:
    assert dumps({"a": "naïve 北京", "b": [1, None]}) == '{"a": "naïve 北京", "b": [1, null]}'
    assert dumps("a\nb\x1b\x9b\ud800") == '"a\\nb\\u001b\\u009b\\ud800"'


RESULT = {
    *("rank", "chat_id", "title", "source", "project_id", "project_name", "user_id", "agent_id", "created_at"),
    *("updated_at", "source_url", "resume", "excerpt", "excerpts"),
}
EXCERPT = {"ref", "role", "author", "created_at", "text", "tokens", "matched"}
CHAT = {
    *("chat_id", "source", "native_id", "title", "title_origin", "created_at", "updated_at", "project_id"),
    *("project_name", "user_id", "agent_id", "model", "source_url", "resume", "kind", "parent_chat_id", "continues"),
    *("archived", "starred", "messages"),
}
MESSAGE = {
    *("n", "message_id", "parent_id", "role", "author", "model", "created_at", "branch", "hidden", "text"),
    *("attachments", "origin"),
}


@pytest.mark.usefixtures("archive")
def test_a_search_has_the_fields_of_the_spec() -> None:
    document = json.loads(chatmem("search", "flour", "--json").out)
    (result,) = document["results"]

    assert document["schema"] == "chatmem.search/1"
    assert document["sufficiency"].keys() == {"level", "reason", "strength"}
    assert result.keys() >= RESULT | {"score"}
    assert result["excerpts"][0].keys() >= EXCERPT
    assert result["excerpt"] == result["excerpts"][0]["text"]
    assert result["excerpts"][0]["matched"] == ["flour"]


@pytest.mark.usefixtures("archive")
def test_by_message_each_result_is_one_message_of_its_chat() -> None:
    document = json.loads(chatmem("search", "water", "--by", "message", "--json").out)

    assert {r["chat_id"] for r in document["results"]} == {"chatgpt:1d49502d-bread"}
    for result in document["results"]:
        assert result.keys() >= RESULT | {"ref", "message_id", "role", "author", "created_at", "text"}
        assert result["ref"].startswith(result["chat_id"] + "#")


@pytest.mark.usefixtures("archive")
def test_recent_show_and_export_have_the_fields_of_the_spec() -> None:
    page = json.loads(chatmem("recent", "-n", "1", "--json").out)
    thread = json.loads(chatmem("show", "chatgpt:1d49502d-bread", "--all", "--json").out)
    record = json.loads(chatmem("export", "chatgpt:1d49502d-bread").out)

    assert page["schema"] == "chatmem.recent/1"
    assert page["results"][0].keys() >= RESULT
    assert thread["schema"] == "chatmem.show/1"
    assert thread["messages"][0].keys() >= MESSAGE
    assert record["schema"] == "chatmem.chat/1"
    assert record.keys() >= CHAT
    assert all(m.keys() >= MESSAGE and m["origin"].keys() >= {"file", "member", "pointer"} for m in record["messages"])
    assert [m["n"] for m in record["messages"]] == [1, 2, 3, 4, None, None]
    assert [m["hidden"] or m["branch"] for m in record["messages"][4:]] == ["alternate", "thinking"]


def test_the_report_of_an_import_has_the_fields_of_the_spec(tmp_path: Path) -> None:
    torn = tmp_path / "torn.jsonl"
    torn.write_text(
        '{"schema": "chatmem.chat/1", "chat_id": "a:1", "messages": [{"role": "user", "text": "hi"}]}\n{"to'
    )
    report = json.loads(chatmem("import", torn, "--json").out)
    (file,) = report["files"]

    assert report["schema"] == "chatmem.import/1"
    assert file.keys() >= {"path", "format", "chats", "messages", "skipped"}
    assert file["chats"].keys() >= {"new", "updated", "unchanged", "empty"}
    assert file["messages"].keys() >= {"new", "updated"}
    assert file["skipped"][0].keys() >= {"where", "reason"}
    assert report["totals"]["chats"]["new"] == 1
