"""What a file looks like to the readers, and that exactly one of them gets it."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.model import Record
from chatmem.readers import READERS
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.detect import HEAD, detect, peek
from chatmem.readers.unpack import Source, file_source

CHAT: dict[str, Any] = {"title": "T", "mapping": {"a": {"id": "a", "message": None, "parent": None}}}
LINE = '{"type": "user", "text": "hello"}'


class Invented:
    """A reader that claims whatever has its word among the keys of an object."""

    def __init__(self, name: str, word: str, level: Level) -> None:
        self.name, self._word, self._level = name, word, level

    def sniff(self, peek: Peek) -> Claim:
        return Claim(self._level, f"has {self._word}") if any(self._word in item for item in peek.items) else NO

    def read(self, sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
        return iter(())


def look(folder: Path, data: bytes | str, name: str = "x.bin") -> Peek:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return peek(file_source(folder / name))


def file(folder: Path, data: Any) -> Source:
    (folder / "x.json").write_text(json.dumps(data))
    return file_source(folder / "x.json")


# -- who gets it ------------------------------------------------------------------------------------------------------


def test_two_exact_claims_give_nobody_and_name_both(tmp_path: Path) -> None:
    readers = (
        Invented("alpha", "a", Level.EXACT),
        Invented("beta", "b", Level.EXACT),
        Invented("any", "a", Level.GENERIC),
    )
    found = detect(file(tmp_path, {"a": 1, "b": 2}), readers)
    assert (found.reader, found.level) == (None, Level.EXACT)
    assert found.reason == "alpha and beta both claim it; choose with --format"
    assert detect(file(tmp_path, {"a": 1}), readers).reader is readers[0]


def test_the_surest_claim_wins_and_of_equal_ones_the_first(tmp_path: Path) -> None:
    side = Invented("side", "a", Level.SIDE)
    first, second = (Invented(name, "a", Level.GENERIC) for name in ("first", "second"))
    exact = Invented("exact", "a", Level.EXACT)
    source = file(tmp_path, {"a": 1})
    assert detect(source, (side, first, second)).reader is first
    assert detect(source, (second, first, side)).reader is second
    assert detect(source, (side, first, exact)).reader is exact
    found = detect(source, (side,))
    assert (found.reader, found.level, found.reason) == (side, Level.SIDE, "has a")


@pytest.mark.parametrize("data", ["", "hello", "[1]", "{}", "\0\1"])
def test_what_nobody_claims_is_no_known_format(tmp_path: Path, data: str) -> None:
    (tmp_path / "x").write_text(data)
    found = detect(file_source(tmp_path / "x"))
    assert (found.reader, found.level, found.reason) == (None, Level.NO, "no known chat format")
    assert detect(file_source(tmp_path / "x"), ()).reader is None


def test_the_names_of_the_readers_are_distinct() -> None:
    assert len({reader.name for reader in READERS}) == len(READERS)


# -- shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "shape", "items"),
    [
        # JSON
        ([CHAT, CHAT], "json", 2),
        (CHAT, "json", 1),
        ([1, "two", None, [3]], "json", 0),
        ([], "json", 0),
        ({}, "json", 1),
        ([1, CHAT], "json", 1),
        ({"conversations": [CHAT, 7]}, "json", 1),
        ({"user": 1, "data": [CHAT] * 20}, "json", 6),
        ({"conversations": [{"from": "human", "value": "x"}]}, "json", 1),
        ({"items": [{"role": "user", "content": "x"}]}, "json", 1),
        ({"chats": {"list": [CHAT]}}, "json", 1),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_json_however_it_is_laid_out(
    tmp_path: Path, data: Any, shape: str, items: int, indent: int | None
) -> None:
    found = look(tmp_path, json.dumps(data, indent=indent))
    assert (found.shape, len(found.items)) == (shape, items)


@pytest.mark.parametrize(
    ("data", "shape", "items"),
    [
        (f"{LINE}\n{LINE}\n", "jsonl", 2),
        (f"{LINE}\r\n\r\n{LINE}", "jsonl", 2),
        (f"\ufeff{LINE}\n{LINE}", "jsonl", 2),
        (f'{LINE}\n{{"torn": ', "jsonl", 1),
        (f'{{"torn": "x\n{LINE}\n{LINE}\n', "jsonl", 2),
        (f'xt": "torn at its head"}}\n{LINE}\n', "jsonl", 1),
        (f"{LINE}\n[1, 2]\nnull\n{LINE}\n", "jsonl", 2),
        (f"{LINE}\n{LINE}\n" + "\0" * 500, "jsonl", 2),
        ("\n".join([LINE] * 80), "jsonl", 50),
        (f"{LINE}\n", "json", 1),
        (LINE, "json", 1),
        ("[12/03/2025, 10:00:00] Ann: hello\n[12/03/2025, 10:00:09] Bob: [{\n", "text", 0),
        ("[section]\nkey = value\n", "text", 0),
        ("{{ template }} text", "text", 0),
        ("\ufeffConversation,Time,Author,Message\r\na,b,c,d\r\n", "text", 0),
        ("<html><body>hello</body></html>", "text", 0),
        ("# Title\n\n{}\n", "text", 0),
        (f"## User\n\nWhat is this?\n\n```\n{LINE}\n```\n", "text", 0),
        ('"a JSON string"', "text", 0),
        ("12", "text", 0),
        ("", "empty", 0),
        (" \n\t ", "empty", 0),
        ("\ufeff", "text", 0),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "binary", 0),
        (b"SQLite format 3\0" + bytes(100), "sqlite", 0),
        (gzip.compress(f"{LINE}\n{LINE}\n".encode(), mtime=0), "jsonl", 2),
        (f"{LINE}\n{LINE}\n".encode("utf-16"), "jsonl", 2),
        (json.dumps([CHAT]).encode("utf-16"), "json", 1),
    ],
)
def test_shapes_are_told_from_content(tmp_path: Path, data: str | bytes, shape: str, items: int) -> None:
    found = look(tmp_path, data)
    assert (found.shape, len(found.items)) == (shape, items)


def test_a_real_database_is_one(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    assert peek(file_source(tmp_path / "x.db")).shape == "sqlite"


def test_a_name_of_lines_decides_only_what_content_leaves_open(tmp_path: Path) -> None:
    assert look(tmp_path, LINE, "x.jsonl").shape == "jsonl"
    assert look(tmp_path, f"{LINE}\nnoise\nnoise\nnoise\n", "x.jsonl").shape == "jsonl"
    assert look(tmp_path, json.dumps([CHAT]), "x.jsonl").shape == "json"
    assert look(tmp_path, json.dumps(CHAT, indent=2), "x.jsonl").shape == "json"


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("wrapper", [None, "conversations"])
@pytest.mark.parametrize("victims", [[0], [0, 1], [1], [2], [3]])
def test_damaged_elements_do_not_hide_the_good_ones(
    tmp_path: Path, victims: list[int], wrapper: str | None, indent: int | None
) -> None:
    written = [json.dumps(CHAT | {"title": f"t{n}", "current_node": "a"}, indent=indent) for n in range(4)]
    for victim in victims:
        written[victim] = written[victim].replace('"mapping"', "mapping")
    data = "[" + ", ".join(written) + "]"
    found = look(tmp_path, f'{{"{wrapper}": {data}}}' if wrapper else data)
    assert found.shape == "json"
    assert {f"t{n}" for n in range(4) if n not in victims} <= {item.get("title") for item in found.items}
    assert any(item.get("mapping") for item in found.items)


def test_a_cut_single_chat_still_shows_its_keys(tmp_path: Path) -> None:
    found = look(tmp_path, json.dumps(CHAT | {"more": "x" * 100})[:-50])
    assert found.shape == "json"
    assert found.items[0]["title"] == "T"


def test_what_strict_parsers_refuse_is_seen(tmp_path: Path) -> None:
    found = look(tmp_path, '[{"title": "T", "score": NaN, "mapping": {}}]')
    assert (found.shape, found.items[0]["title"]) == ("json", "T")


def test_damaged_compression_shows_what_came_before(tmp_path: Path) -> None:
    data = "\n".join(json.dumps({"n": n, "m": n * 7919 % 1009}) for n in range(3000)).encode()
    packed = gzip.compress(data)
    found = look(tmp_path, packed[: len(packed) // 2])
    assert (found.shape, len(found.items)) == ("jsonl", 50)
    with pytest.raises(OSError, match="ends early"):
        look(tmp_path, packed[:12])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(st.binary(max_size=300), st.text(alphabet='[]{}",:\\ \n01atrue', max_size=300).map(str.encode)))
def test_any_bytes_have_a_shape_and_no_reader_stumbles(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x.json").write_bytes(data)
    source = file_source(tmp_path / "x.json")
    try:
        assert peek(source).shape in ("json", "jsonl", "text", "sqlite", "binary", "empty")
        detect(source)
    except OSError:
        assert data[:2] == b"\x1f\x8b" or data[:4] == b"\x28\xb5\x2f\xfd"


# -- size -------------------------------------------------------------------------------------------------------------


def test_a_huge_line_is_recognised_from_its_beginning(tmp_path: Path) -> None:
    chat = json.dumps(CHAT | {"padding": ["x" * 1000] * 100})
    path = tmp_path / "x.json"
    path.write_text("[" + ", ".join([chat] * 400) + "]")
    taken: list[int] = []

    class Counted(io.FileIO):
        def readinto(self, buffer: Any) -> int:
            taken.append(super().readinto(buffer) or 0)
            return taken[-1]

    size = path.stat().st_size
    found = peek(Source(str(path), None, size, lambda: cast(BinaryIO, io.BufferedReader(Counted(path)))))
    assert (found.shape, len(found.items)) == ("json", 6)
    assert size > 40_000_000
    assert sum(taken) < 3_000_000


def test_the_head_is_cut_between_characters(tmp_path: Path) -> None:
    found = look(tmp_path, "x" + "é" * HEAD)
    assert "\ufffd" not in found.text
    assert len(found.text) == HEAD // 2


def test_long_arrays_are_cut_at_every_depth(tmp_path: Path) -> None:
    found = look(tmp_path, json.dumps([{"parts": list(range(100)), "more": [[1] * 50] * 50}] * 30))
    assert found.top == [{"parts": [0, 1, 2, 3, 4, 5], "more": [[1] * 6] * 6}] * 6
