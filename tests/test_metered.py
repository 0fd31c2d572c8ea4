"""Progress: no byte is told twice, none too many, and the stream itself is what it was."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from chatmem.metered import Metered
from chatmem.readers.unpack import Damaged, file_source


def test_a_file_read_twice_tells_its_size_once(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"line\n" * 100_000)
    begun: list[str] = []
    told: list[int] = []
    meter = Metered(file_source(path), lambda: begun.append("again"), told.append)

    with meter.open() as stream:
        assert stream.readline() == b"line\n"
    for _ in range(2):
        with meter.open() as stream:
            assert stream.read() == path.read_bytes()

    assert (begun, sum(told)) == (["again"] * 3, 500_000)


def test_a_compressed_file_tells_no_more_than_its_own_size(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"line\n" * 100_000))
    told: list[int] = []

    with Metered(file_source(path), lambda: None, told.append).open() as stream:
        assert len(stream.read()) == 500_000

    assert sum(told) == path.stat().st_size


def test_what_comes_before_the_damage_is_delivered(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    packed = gzip.compress(b"".join(b"line %d\n" % n for n in range(100_000)))
    path.write_bytes(packed[: len(packed) // 2])
    lines = 0

    with Metered(file_source(path), lambda: None, lambda size: None).open() as stream, pytest.raises(Damaged):
        for _ in stream:
            lines += 1

    assert 40_000 < lines < 60_000
