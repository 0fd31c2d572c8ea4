"""One view of files, folders and archives, hostile ones included."""

from __future__ import annotations

import gc
import gzip
import io
import os
import random
import stat
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.errors import InputError
from chatmem.model import Skipped
from chatmem.readers import _archives, _streams
from chatmem.readers._source import file_source
from chatmem.readers.unpack import Source, sources

Found = list[Source | Skipped]


def found(path: Path) -> Found:
    return list(sources(path))


def only(items: Found) -> Source:
    (item,) = items
    assert isinstance(item, Source)
    return item


def content(source: Source) -> bytes:
    with source.open() as stream:
        return stream.read()


def contents(path: Path) -> dict[str, bytes]:
    return {s.member or Path(s.path).name: content(s) for s in found(path) if isinstance(s, Source)}


def reasons(items: Iterable[Source | Skipped]) -> list[str]:
    return [item.reason for item in items if isinstance(item, Skipped)]


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_plain_file_is_one_source_that_opens_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_bytes(b"[1]")
    source = only(found(path))
    assert (source.path, source.member, source.size, source.name, source.stem) == (
        str(path), None, 3, "chat.json", "chat",
    )  # fmt: skip
    assert content(source) == content(source) == b"[1]"
    assert source.where("/3") == f"{path} /3"


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_compressed_files_are_told_by_magic_and_not_by_name(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(pack(b'{"a":1}\n' * 10_000))
    assert content(only(found(path))) == b'{"a":1}\n' * 10_000


def test_several_frames_and_members_in_one_compressed_file_are_read_on(tmp_path: Path) -> None:
    compress = zstandard.ZstdCompressor().compress
    (tmp_path / "a.zst").write_bytes(compress(b"one ") + compress(b"") + compress(b"two"))
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert contents(tmp_path) == {"a.zst": b"one two", "b.gz": b"one two"}


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_utf16_becomes_utf8(tmp_path: Path, mark: str) -> None:
    text = '[{"title": "Grüße 😀"}]'
    path = tmp_path / "export.json"
    path.write_bytes(("\ufeff" + text).encode(mark))
    assert content(only(found(path))) == text.encode()


def test_a_compression_suffix_is_no_part_of_the_name(tmp_path: Path) -> None:
    path = tmp_path / "rollout.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(b"{}"))
    assert only(found(path)).name == "rollout.jsonl"


@pytest.mark.parametrize("name", ["nothing.json", "no/such/folder", "x" * 5000, "a\0b"])
def test_a_path_that_leads_nowhere_is_an_error_that_says_so(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"no such file|cannot read"):
        found(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_blocks_nothing_in_a_folder_and_is_refused_by_itself(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "a.json").write_bytes(b"[]")
    assert contents(tmp_path) == {"a.json": b"[]"}
    with pytest.raises(InputError, match="neither a file nor a folder"):
        found(tmp_path / "pipe.json")


def test_stdin_is_read_once_and_can_be_opened_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"abc" * 50_000))))
    source = only(found(Path("-")))
    with source.open() as one, source.open() as two:
        assert one.read(3) == two.read(3) == b"abc"
        assert one.read() == two.read() == b"abc" * 49_999


def test_a_zip_on_stdin_shows_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(zipped({"a.json": b"1", "b/c.json": b"2"}))))
    assert contents(Path("-")) == {"a.json": b"1", "b/c.json": b"2"}


# -- folders ----------------------------------------------------------------------------------------------------------


def test_a_folder_is_walked_in_order_past_what_systems_leave_behind(tmp_path: Path) -> None:
    for name in ("b.json", "a/c.json", "__MACOSX/a.json", ".git/config", ".DS_Store", "._a.json", ".codex/x.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"{}")
    names = [Path(s.path).relative_to(tmp_path).as_posix() for s in found(tmp_path) if isinstance(s, Source)]
    assert names == ["b.json", ".codex/x.jsonl", "a/c.json"]


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    assert found(tmp_path) == []


def test_links_are_never_followed_and_told_only_if_they_lead_out(tmp_path: Path) -> None:
    folder, outside = tmp_path / "in", tmp_path / "out"
    for each in (folder, outside):
        each.mkdir()
        (each / "a.json").write_bytes(b"[]")
    (folder / "latest.json").symlink_to(folder / "a.json")
    (folder / "dangling.json").symlink_to(tmp_path / "gone.json")
    (folder / "round").symlink_to(folder)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "secret.json").symlink_to(outside / "a.json")
    (folder / "tree").symlink_to(outside)
    items = found(folder)
    assert [s.path for s in items if isinstance(s, Source)] == [str(folder / "a.json")]
    assert [Path(s.where).name for s in items if isinstance(s, Skipped)] == ["secret.json", "tree"]
    assert all("out of the folder" in reason for reason in reasons(items))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[]")
    (tmp_path / "b.json").write_bytes(b"[]")
    (tmp_path / "b.json").chmod(0)
    (tmp_path / "locked").mkdir(mode=0)
    items = found(tmp_path)
    assert len([s for s in items if isinstance(s, Source)]) == 1
    assert len(reasons(items)) == 2
    with pytest.raises(InputError, match="no permission"):
        found(tmp_path / "b.json")


def test_a_name_of_undecodable_bytes_can_be_shown_and_opened(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.json"))
    try:
        path.write_bytes(b"[]")
    except OSError:
        pytest.skip("this file system takes no such name")
    source = only(found(tmp_path))
    assert source.path.endswith("caf\ufffd.json")
    assert content(source) == b"[]"


def test_thousands_of_files_keep_no_descriptor_open(tmp_path: Path) -> None:
    for number in range(3000):
        (tmp_path / f"{number}.json").write_bytes(b"[]")
    before = open_descriptors()
    items = found(tmp_path)
    assert len(items) == 3000
    assert all(content(s) == b"[]" for s in items if isinstance(s, Source))
    assert open_descriptors() <= before


# -- zips -------------------------------------------------------------------------------------------------------------


def test_a_zip_shows_its_members_under_any_name(tmp_path: Path) -> None:
    path = tmp_path / "export (1).bin"
    path.write_bytes(
        zipped({"conversations.json": b"[1]", "audio/a.wav": b"", "__MACOSX/._c": b"x", "x/.DS_Store": b""})
    )
    items = found(path)
    assert contents(path) == {"conversations.json": b"[1]", "audio/a.wav": b""}
    first = items[0]
    assert isinstance(first, Source)
    assert (first.path, first.size, first.where("/0")) == (str(path), 3, f"{path}!conversations.json /0")


def test_an_empty_zip_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({}))
    assert found(tmp_path / "a.zip") == []


def test_documents_that_are_zips_stay_one_file(tmp_path: Path) -> None:
    for name, first in (("a.docx", "[Content_Types].xml"), ("b.epub", "mimetype"), ("c.jar", "META-INF/MANIFEST.MF")):
        (tmp_path / name).write_bytes(zipped({first: b"x", "word/document.xml": b"y"}))
    assert [s.name for s in found(tmp_path) if isinstance(s, Source)] == ["a.docx", "b.epub", "c.jar"]


@pytest.mark.parametrize(
    "name",
    ["../up.json", "a/../../up.json", "/etc/passwd", "C:/windows/x.json", "c:\\windows\\x.json", "..\\up.json", "a/.."],
)
def test_a_member_whose_path_leaves_the_archive_is_refused_and_costs_only_itself(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({name: b"bad", "good.json": b"[]"}))
    assert contents(path) == {"good.json": b"[]"}
    assert reasons(found(path)) == ["its path leaves the archive"]


@pytest.mark.parametrize(
    "name", ["a..b.json", "...json", "Q: what now?.md", "wow!.json", "x/hello!/y.json", "./a.json"]
)
def test_odd_but_harmless_names_are_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({name: b"[]"}))
    source = only(found(path))
    assert content(source) == b"[]"
    assert source.name == name.rsplit("/", 1)[-1]


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("good.json", "[]")
    assert contents(tmp_path / "a.zip") == {"good.json": b"[]"}
    assert reasons(found(tmp_path / "a.zip")) == ["a symbolic link"]


def test_a_password_is_asked_of_nobody(tmp_path: Path) -> None:
    data = bytearray(zipped({"secret.json": b"[]"}, zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    (tmp_path / "a.zip").write_bytes(bytes(data))
    assert reasons(found(tmp_path / "a.zip")) == ["password-protected; unpack it first and import the folder"]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_bounded_is_refused(tmp_path: Path, method: int) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a.json": b"[]"}, method))
    (reason,) = reasons(found(tmp_path / "a.zip"))
    assert "not supported; unpack it first" in reason


def test_names_in_utf8_without_the_flag_are_repaired(tmp_path: Path) -> None:
    data = zipped({"Takeout/Моя активність.json": b"[]"}, zipfile.ZIP_STORED)
    for signature, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        at = data.index(signature) + offset
        data = data[:at] + bytes([data[at] & ~0x08]) + data[at + 1 :]
    (tmp_path / "a.zip").write_bytes(data)
    assert only(found(tmp_path / "a.zip")).member == "Takeout/Моя активність.json"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_members_with_one_name_the_last_is_read_and_a_different_one_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for data in ("[1]", "[2]", "[2]"):
            archive.writestr("a.json", data)
    assert contents(tmp_path / "a.zip") == {"a.json": b"[2]"}
    assert reasons(found(tmp_path / "a.zip")) == ["several members have this name; the last one is read"]


def test_archives_nest_and_members_know_their_place(tmp_path: Path) -> None:
    inner = zipped({"conversations.json": b"[1]", "users.json": b"[2]"})
    path = tmp_path / "privacy.zip"
    path.write_bytes(zipped({"Conversations__chatgpt.zip": inner, "notes.json.gz": gzip.compress(b"{}")}))
    assert contents(path) == {
        "Conversations__chatgpt.zip!conversations.json": b"[1]",
        "Conversations__chatgpt.zip!users.json": b"[2]",
        "notes.json.gz": b"{}",
    }
    first = found(path)[0]
    assert isinstance(first, Source)
    assert first.name == "conversations.json"
    assert first.parts[-3:] == ("privacy.zip", "Conversations__chatgpt.zip", "conversations.json")


def test_a_compressed_zip_is_a_zip(tmp_path: Path) -> None:
    (tmp_path / "a.zip.gz").write_bytes(gzip.compress(zipped({"a.json": b"[]"})))
    assert contents(tmp_path / "a.zip.gz") == {"a.json": b"[]"}


def test_nesting_ends(tmp_path: Path) -> None:
    data = b"[]"
    for _ in range(6):
        data = zipped({"a.zip": data, "beside.json": b"{}"})
    (tmp_path / "a.zip").write_bytes(data)
    items = found(tmp_path / "a.zip")
    assert reasons(items) == ["archives nested deeper than 3"]
    assert [s.name for s in items if isinstance(s, Source)] == ["beside.json"] * 3


def test_too_many_members_are_an_attack_over_all_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archives, "MAX_MEMBERS", 50)
    inner = zipped({f"{n}.json": b"" for n in range(20)})
    (tmp_path / "a.zip").write_bytes(zipped({f"{n}.zip": inner for n in range(10)}))
    items = found(tmp_path / "a.zip")
    assert len([s for s in items if isinstance(s, Source)]) == 40
    assert all("taken for an attack" in reason for reason in reasons(items))


def test_a_hundred_archives_share_few_descriptors_and_are_closed_with_their_sources(tmp_path: Path) -> None:
    inner = zipped({"x.json": b"{}"})
    for number in range(100):
        (tmp_path / f"{number}.zip").write_bytes(zipped({"a.json": b"[1]", "b.json": b"[2]", "n.zip": inner}))
    gc.collect()
    before = open_descriptors()
    items = found(tmp_path)
    assert len(items) == 300
    random.Random(1).shuffle(items)
    assert {content(s) for s in items if isinstance(s, Source)} == {b"[1]", b"[2]", b"{}"}
    assert open_descriptors() <= before + _archives.MAX_OPEN
    items.clear()
    gc.collect()
    assert open_descriptors() <= before


def test_a_member_stays_readable_when_its_archive_falls_out_of_the_open_ones(tmp_path: Path) -> None:
    for number in range(_archives.MAX_OPEN + 3):
        (tmp_path / f"{number}.zip").write_bytes(zipped({"a.json": b"x" * 300_000}))
    first, *others = (s for s in found(tmp_path) if isinstance(s, Source))
    with first.open() as stream:
        assert stream.read(10) == b"x" * 10
        for other in others:
            content(other)
        assert len(stream.read()) == 299_990


# -- damage and bombs -------------------------------------------------------------------------------------------------


def test_a_truncated_zip_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a.json": b"[]" * 1000})[:-30])
    (tmp_path / "b.json").write_bytes(b"[]")
    items = found(tmp_path)
    assert [s.name for s in items if isinstance(s, Source)] == ["b.json"]
    (reason,) = reasons(items)
    assert "not a whole zip file" in reason


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_truncated_compression_gives_what_it_holds_and_then_says_so(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    text = b"".join(f"line {n} {n * 7919}\n".encode() for n in range(60_000))
    packed = pack(text)
    path = tmp_path / "a.jsonl"
    path.write_bytes(packed[: len(packed) * 2 // 3])
    lines: list[bytes] = []
    with only(found(path)).open() as stream, pytest.raises(OSError, match="compressed data ends early"):
        lines.extend(iter(stream.readline, b""))
    assert len(lines) > 10_000
    assert text.startswith(b"".join(lines))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress])
def test_damaged_compression_is_an_os_error(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    packed = bytearray(pack(random.Random(7).randbytes(100_000)))
    packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(packed))
    with only(found(path)).open() as stream, pytest.raises(OSError, match="damaged"):
        stream.read()


def test_a_damaged_member_costs_only_itself(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.json": random.Random(7).randbytes(500_000), "b.json": b"[]"}))
    data[400_000] ^= 0xFF
    (tmp_path / "a.zip").write_bytes(bytes(data))
    bad, good = (s for s in found(tmp_path / "a.zip") if isinstance(s, Source))
    assert content(good) == b"[]"
    with bad.open() as stream, pytest.raises(OSError, match=r"damaged|not a whole zip"):
        stream.read()


def unpacking_ends(path: Path) -> tuple[int, str]:
    """How many bytes came out, and why no more."""
    (item,) = found(path)
    if isinstance(item, Skipped):
        return 0, item.reason
    taken = 0
    with item.open() as stream, pytest.raises(OSError) as caught:
        while block := stream.read(1 << 16):
            taken += len(block)
    return taken, str(caught.value)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress, lambda b: zipped({"a": b})])
def test_a_bomb_stops_while_it_unpacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(_streams, "ALLOWANCE", 1 << 20)
    monkeypatch.setattr(_streams, "MAX_RATIO", 100)
    (tmp_path / "bomb").write_bytes(pack(bytes(20 << 20)))
    taken, reason = unpacking_ends(tmp_path / "bomb")
    assert taken < 3 << 20
    assert "decompression bomb" in reason


def test_a_member_that_lies_about_its_size_gives_no_more_than_it_claims(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.json": bytes(50 << 20)}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(signature) + offset
        data[at : at + 4] = struct.pack("<I", 100_000)
    (tmp_path / "a.zip").write_bytes(bytes(data))
    taken, reason = unpacking_ends(tmp_path / "a.zip")
    assert taken <= 100_000
    assert "not a whole zip" in reason


def test_well_packed_text_is_no_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_streams, "ALLOWANCE", 1 << 20)
    text = b'[%s{"a":1}]' % (b'{"a":1},' * 1_000_000)
    (tmp_path / "a.zip").write_bytes(zipped({"conversations.json": text}))
    assert len(content(only(found(tmp_path / "a.zip")))) == len(text)


def test_an_archive_in_an_archive_must_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archives, "MAX_SPOOL", 1 << 20)
    inner = zipped({"a.bin": random.Random(7).randbytes(2 << 20)}, zipfile.ZIP_STORED)
    (tmp_path / "a.zip").write_bytes(zipped({"inner.zip": inner, "b.json": b"[]"}))
    items = found(tmp_path / "a.zip")
    assert [s.name for s in items if isinstance(s, Source)] == ["b.json"]
    (reason,) = reasons(items)
    assert "unpack it first" in reason


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damaged_container_raises_anything_but_os_errors_while_reading(tmp_path: Path, data: st.DataObject) -> None:
    members = {"a.json": b'[{"a":1}]' * 50, "d/b.json": b"{}", "c.zip": zipped({"x.json": b"[]"})}
    packs = (zipped(members), gzip.compress(b"abc" * 999), zstandard.ZstdCompressor().compress(b"abc" * 999))
    bytes_ = bytearray(data.draw(st.sampled_from(packs)))
    for place in data.draw(st.lists(st.integers(4, len(bytes_) - 1), max_size=6)):
        bytes_[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "x"
    path.write_bytes(bytes_[: data.draw(st.integers(5, len(bytes_)))])
    for item in found(path):
        if isinstance(item, Source):
            try:
                content(item)
            except OSError:
                continue


# -- what lies around -------------------------------------------------------------------------------------------------


@pytest.fixture(params=["folder", "zip", "nested zip"])
def export(request: pytest.FixtureRequest, tmp_path: Path) -> Source:
    files = {"in/a.json": b"a", "in/sub/b.json": b"b", "c.json": b"c", "inside/d.json": b"d"}
    if request.param == "folder":
        for name, data in files.items():
            (tmp_path / "x" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "x" / name).write_bytes(data)
        return only([s for s in found(tmp_path / "x") if isinstance(s, Source) and s.name == "a.json"])
    data = zipped(files) if request.param == "zip" else zipped({"deep/x!.zip": zipped(files), "c.json": b"other"})
    (tmp_path / "x.zip").write_bytes(data)
    return only([s for s in found(tmp_path / "x.zip") if isinstance(s, Source) and s.name == "a.json"])


def test_siblings_are_found_in_the_same_container(export: Source) -> None:
    near, below, above = (export.sibling(name) for name in ("a.json", "sub/b.json", "../c.json"))
    assert near and below and above
    assert [content(s) for s in (near, below, above)] == [b"a", b"b", b"c"]
    for name in ("gone.json", "/etc/passwd", "C:\\x", "", ".", "x" * 5000, "a\0b", "../in"):
        assert export.sibling(name) is None


def test_files_around_are_listed_with_relative_paths(export: Source) -> None:
    assert sorted(export.around()) == ["a.json", "sub/b.json"]


def test_looking_around_a_file_does_not_walk_the_whole_disk(tmp_path: Path) -> None:
    deep = tmp_path / "1" / "2" / "3" / "4"
    deep.mkdir(parents=True)
    (deep / "far.json").write_bytes(b"")
    (tmp_path / "1" / "2" / "near.json").write_bytes(b"")
    (tmp_path / "a.json").write_bytes(b"")
    assert sorted(file_source(tmp_path / "a.json").around()) == ["1/2/near.json", "a.json"]
