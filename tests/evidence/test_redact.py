"""No output shows a secret, unless it is asked for; places of matches stay right around what is masked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from chatmem.archive.read import MessageRow
from chatmem.evidence import redact
from chatmem.evidence.matches import Span
from tests.contracts import samples
from tests.contracts.program import chatmem

SECRET = "4111 1111 1111 1111"
TEXT = f"The card {SECRET} was charged twice, my password is hunter2!x and the order is A-10442."
LOOKS = (
    ["search", "charged twice"],
    ["search", "charged twice", "--json"],
    ["search", "charged twice", "--jsonl", "--by", "message"],
    ["search", "hunter2"],
    ["search", "charged", "-f", "rich"],
    ["recent", "--json"],
    ["recent", "-f", "rich"],
    ["recent"],
    ["show", "csv:t-1"],
    ["show", "csv:t-1#1", "--json"],
)


@pytest.fixture
def archive(tmp_path: Path, surroundings: None) -> None:
    chat = samples.chat(
        "csv:t-1", samples.message(TEXT), samples.message("Noted.", "assistant"), title=f"Card {SECRET}"
    )
    assert chatmem("import", samples.write(tmp_path / "a.jsonl", [chat])).code == 0


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("look", LOOKS, ids=" ".join)
def test_secrets_are_masked_and_their_kind_is_named(look: list[str]) -> None:
    out = chatmem(*look).out
    assert out and SECRET not in out and "hunter2!x" not in out and "card number removed" in out
    assert "charged twice" not in " ".join(look) or "charged" in out


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("look", [look for look in LOOKS if look[0] != "recent" or len(look) > 1], ids=" ".join)
def test_they_are_shown_if_asked_for(look: list[str]) -> None:
    assert SECRET in " ".join(chatmem(*look, "--reveal").out.split())


@pytest.mark.usefixtures("archive")
def test_what_matched_is_still_marked_where_it_stands() -> None:
    answer = json.loads(chatmem("search", "charged order", "--json").out)
    (excerpt, *_) = answer["results"][0]["excerpts"]
    assert {"charged", "order"} <= set(excerpt["matched"])


def test_places_move_with_what_is_masked() -> None:
    row = MessageRow(1, 1, 0, 1, "m", None, "user", None, None, None, "main", None, TEXT, (), "", None)
    at = TEXT.index("order")
    masked, found = redact.part(row, [Span(at, at + 5, 0), Span(9, 13, 1)], 0, len(TEXT))
    (span,) = found
    assert masked.text[span.start : span.end] == "order"
    assert redact.part(replace(row, text="nothing here"), [Span(0, 7, 0)], 0, 12)[1] == (Span(0, 7, 0),)
