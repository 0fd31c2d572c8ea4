"""Facts, past chats, knowledge and earlier work: within their limits, quoted, and accounted for."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.config import Settings
from chatmem.errors import UsageError
from chatmem.facts.ledger import Fact
from chatmem.prompt import carry_on, fence, knowledge, past
from chatmem.prompt.knowledge import Passage
from chatmem.prompt.parts import Turn

ODD = ["a b " * 60, "x\n> y\r\nassistant: z", "漢字" * 40, "[/INST] <|im_end|>"]
WORDS = st.one_of(st.text(max_size=80), st.sampled_from(ODD))


def fact(value: str, quote: str) -> Fact:
    at = datetime(2026, 3, 4)
    return Fact("dana", "bot", "product", value, quote, at, at, "patterns/1", references=["csv:c#1"])


FACTS = st.lists(st.builds(fact, WORDS, WORDS), max_size=10)
TURNS = st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), WORDS), max_size=6).map(tuple)
CHATS = st.lists(st.builds(past.PastChat, st.just("csv:c"), WORDS, st.just("2026-03-04"), TURNS), max_size=4)


def plain(text: str) -> int:
    return len(text) // 4


@given(FACTS, CHATS, st.integers(1, 2500), st.integers(1, 900))
def test_facts_and_past_chats_never_pass_their_limits(
    facts: list[Fact], chats: list[past.PastChat], together: int, each: int
) -> None:
    settings = replace(Settings(), past_characters=together, past_chat_characters=each)
    found = past.block(facts, len(facts), chats, settings, plain)
    assert len(found.text) <= together
    assert all(part.characters <= together for part in found.parts)
    assert all(fact in facts for fact in found.facts) and list(found.chats) == chats[: len(found.chats)]
    told_facts, told_chats, _ = found.parts
    assert (told_facts.kept == len(facts)) == (not told_facts.dropped)
    assert len(chats) == told_chats.kept or told_chats.dropped
    assert past.block(facts, len(facts), chats, settings, plain) == found


@given(FACTS, CHATS)
def test_every_line_that_others_wrote_is_marked(facts: list[Fact], chats: list[past.PastChat]) -> None:
    for line in past.block(facts, len(facts), chats, Settings(), plain).text.splitlines():
        assert line.startswith(">") or line in (past.FACTS, past.PAST, ""), line


def test_the_oldest_chat_goes_first_and_it_is_said() -> None:
    chats = [past.PastChat(f"csv:{n}", "t", "2026-01-01", (Turn("user", "word " * 40),)) for n in range(3)]
    found = past.block([], 0, chats, replace(Settings(), past_characters=600), plain)
    assert "[csv:0]" in found.text and "[csv:2]" not in found.text
    assert any("csv:2" in d.what and "600 characters" in d.why for d in found.parts[1].dropped)


@given(st.text(max_size=200))
def test_a_quotation_cannot_be_ended(text: str) -> None:
    quoted = fence.quoted(text)
    assert all(line.startswith(">") for line in quoted.splitlines())
    assert len(fence.one_line(text).splitlines()) <= 1


@pytest.mark.parametrize("token", ["<|im_start|>", "[INST]", "[/INST]", "<<SYS>>", "</s>", "<|end|>"])
def test_what_chat_templates_take_for_a_role_is_broken_up(token: str) -> None:
    assert token not in fence.quoted(f"hello {token} system")


PASSAGES = st.lists(st.builds(Passage, WORDS, WORDS, st.just("https://example.org/a")), max_size=7)


@given(PASSAGES, PASSAGES, st.integers(1, 3000))
def test_knowledge_stays_within_its_limit(pinned: list[Passage], passages: list[Passage], limit: int) -> None:
    settings = replace(Settings(), knowledge_characters=limit)
    found = knowledge.block(pinned, passages, settings, plain)
    assert found.part.characters == len(found.text) <= limit
    texts = [one.text for one in (*pinned, *passages[:4])]
    assert all(any(text.startswith(one.text) for text in texts) for one in found.passages)
    if found.part.kept < found.part.loaded:
        assert found.part.dropped


def test_passages_are_read_from_arrays_lines_and_plain_text(tmp_path: Path) -> None:
    rows = [
        {"title": "A", "text": "one", "url": "https://a", "score": 2},
        {"text": "two"},
        {"title": "empty", "text": " "},
    ]
    as_array, as_lines, as_text = tmp_path / "a.json", tmp_path / "b.jsonl", tmp_path / "notes.md"
    as_array.write_text(json.dumps(rows))
    as_lines.write_text("\n".join(map(json.dumps, rows)))
    as_text.write_text("# Notes\nplain {not json}")
    wanted = [Passage("A", "one", "https://a"), Passage("", "two", "")]
    assert knowledge.read(str(as_array), pinned=False) == knowledge.read(str(as_lines), pinned=False) == wanted
    assert knowledge.read(str(as_text), pinned=True) == [Passage("notes.md", "# Notes\nplain {not json}", "", True)]
    with pytest.raises(UsageError, match="cannot read"):
        knowledge.read(str(tmp_path / "none"), pinned=True)


def work(*said: str) -> list[tuple[str, str, str]]:
    turns = [Turn("user" if n % 2 == 0 else "assistant", text, f"chatgpt:x#{n + 1}") for n, text in enumerate(said)]
    return [(line.kind, line.text, line.reference) for line in carry_on.found(turns)]


def test_decisions_open_questions_and_next_steps_are_found_word_for_word() -> None:
    found = work(
        "Let's go with DuckDB for the archive. Nice weather.",
        "Agreed. Is the index rebuilt at night?",
        "Yes it is. Next step: measure the import. What about Windows?",
    )
    assert ("decision", "Let's go with DuckDB for the archive.", "chatgpt:x#1") in found
    assert ("action", "Next step: measure the import.", "chatgpt:x#3") in found
    assert ("question", "What about Windows?", "chatgpt:x#3") in found
    assert not any("night" in text or "weather" in text for _, text, _ in found)


@given(st.lists(WORDS, max_size=8), st.integers(1, 800))
def test_earlier_work_stays_within_its_limit(said: list[str], limit: int) -> None:
    turns = [Turn("user", f"We decided {text}. Next step: {text}?", "c:x#1") for text in said]
    text, part = carry_on.block([("[c:x] title", carry_on.found(turns))], limit, plain)
    assert part.characters == len(text) <= limit
    assert part.kept == part.loaded or part.dropped
