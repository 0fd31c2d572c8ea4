"""The typed tools: schemas, strict arguments, bounded results, a scope that can only get narrower."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem import tools
from tests.contracts import samples
from tests.contracts.fixtures import surroundings
from tests.contracts.program import Ended, chatmem

__all__ = ["surroundings"]
SUPPORT = Path(__file__).parents[1] / "sample_data" / "support"


@pytest.fixture
def desk(surroundings: None) -> None:
    assert chatmem("import", SUPPORT, "-q").code == 0


def call(name: str, arguments: Any, *flags: str) -> tuple[Ended, dict[str, Any]]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    done = chatmem("call", name, text, *flags)
    document: dict[str, Any] = json.loads(done.out)
    return done, document


@pytest.mark.usefixtures("desk")
def test_search_recent_and_reading_on() -> None:
    _, found = call("conversation_search", {"query": "charged twice", "max_results": 2}, "--customer", "dana")
    ref = found["results"][0]["excerpts"][0]["ref"]
    assert ref.startswith("csv:DSK-201#") and found["sufficiency"]["level"] == "strong"
    _, page = call("recent_chats", {"n": 1, "sort_order": "oldest"})
    assert [one["chat_id"] for one in page["results"]] == ["csv:DSK-201"] and page["more"]
    _, more = call("recent_chats", {"n": 1, "after": "2026-04-10"})
    assert [one["chat_id"] for one in more["results"]] == ["csv:DSK-230"]
    _, read = call("get_messages", {"reference": ref, "around": 1})
    assert ref in [one["ref"] for one in read["messages"]] and "4111" not in json.dumps(read)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("forget_all", {}, "unknown_tool"),
        ("conversation_search", {}, "missing_argument"),
        ("conversation_search", {"query": ""}, "missing_argument"),
        ("conversation_search", {"query": None}, "missing_argument"),
        ("conversation_search", {"query": 7}, "wrong_type"),
        ("conversation_search", {"query": "a", "max_results": 11}, "out_of_range"),
        ("conversation_search", {"query": "a", "max_results": "3"}, "wrong_type"),
        ("conversation_search", {"query": "a", "max_results": True}, "wrong_type"),
        ("conversation_search", {"query": "a", "user": "erik"}, "unknown_argument"),
        ("recent_chats", {"n": 21}, "out_of_range"),
        ("recent_chats", {"sort_order": "up"}, "wrong_value"),
        ("recent_chats", {"before": "soonish"}, "wrong_value"),
        ("get_messages", {"reference": "csv:none#1"}, "not_found"),
        ("conversation_search", "[1]", "wrong_type"),
        ("conversation_search", "{", "wrong_type"),
        ("conversation_search", "[" * 100_000, "wrong_type"),
    ],
)
def test_a_wrong_call_is_a_typed_error(name: str, arguments: Any, kind: str) -> None:
    done, document = call(name, arguments)
    assert done.code == 2 and document["error"]["kind"] == kind and document["error"]["message"]


@pytest.mark.usefixtures("desk")
def test_empty_and_null_are_absent() -> None:
    done, document = call("recent_chats", {"n": None, "before": "", "project_id": None})
    assert done.code == 0 and len(document["results"]) == 3


@pytest.mark.usefixtures("desk")
def test_arguments_cannot_widen_the_scope() -> None:
    for arguments in ({"query": "user:erik order A-10442"}, {"query": "A-10442"}):
        _, document = call("conversation_search", arguments, "--customer", "dana")
        assert document["results"] == [] and "erik" not in json.dumps(document)
    done, document = call("conversation_search", {"query": "order", "project_id": "nope"})
    assert done.code == 5 and document["error"]["kind"] == "refused"
    done, document = call("get_messages", {"reference": "csv:DSK-230#1"}, "--customer", "dana")
    assert document["error"]["kind"] == "not_found"


def test_no_result_is_larger_than_allowed(tmp_path: Path, surroundings: None) -> None:
    texts = [f"deadlock {n} " + "the pool was full of waiting words " * 300 for n in range(30)]
    chats = [
        samples.chat(f"csv:t-{n}", *(samples.message(text, at=f"2026-01-{n + 1:02d}T08:00:00Z") for _ in range(6)),
                     title="A very long title " * 20)
        for n, text in enumerate(texts[:25])
    ]  # fmt: skip
    assert chatmem("import", samples.write(tmp_path / "a.jsonl", chats), "-q").code == 0
    for name, arguments in (
        ("conversation_search", {"query": "deadlock pool", "max_results": 10}),
        ("recent_chats", {"n": 20}),
        ("get_messages", {"reference": "csv:t-3#3", "around": 20}),
    ):
        done, document = call(name, arguments)
        assert done.code == 0 and len(done.out.encode()) <= tools.LARGEST + 100
        assert document.get("results") or "csv:t-3#3" in [one["ref"] for one in document["messages"]]


@pytest.mark.parametrize("style", ["openai", "anthropic", "mcp"])
def test_the_tools_are_listed_as_each_api_takes_them(style: str) -> None:
    listed = json.loads(chatmem("tools", "--format", style).out)
    inner = [one["function"] if style == "openai" else one for one in listed]
    assert [one["name"] for one in inner] == ["conversation_search", "recent_chats", "get_messages"]
    key = {"openai": "parameters", "anthropic": "input_schema", "mcp": "inputSchema"}[style]
    for one in inner:
        assert one[key]["type"] == "object" and one[key]["additionalProperties"] is False
    assert "Look into memory only when" in inner[0]["description"]
    assert inner[0][key]["properties"]["max_results"]["maximum"] == 10
