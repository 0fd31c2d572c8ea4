"""Ids on standard input, lines of a batch, and settings that reach the store."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from chatmem.archive.store import Store
from chatmem.cli import context
from chatmem.errors import UsageError


def ids_on_stdin(text: bytes, monkeypatch: pytest.MonkeyPatch, *named: str) -> list[str] | None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), "utf-8"))
    return context.ids(list(named))


def test_ids_on_stdin_are_lines_or_ended_by_nul_and_the_first_column_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids_on_stdin(b"a:1#2\t2025\tx\r\n\nb:2\n", monkeypatch, "-") == ["a:1#2", "b:2"]
    assert ids_on_stdin(b"a:1\0b:with space\0", monkeypatch, "-") == ["a:1", "b:with space"]
    assert ids_on_stdin(b"b:2\n", monkeypatch, "a:1", "-", "c:3") == ["a:1", "b:2", "c:3"]
    assert ids_on_stdin(b"\xff\xfe\n", monkeypatch, "-") == ["\ufffd\ufffd"]


def test_none_named_is_not_the_same_as_none_on_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert context.ids(None) is None
    assert context.ids([]) is None
    assert ids_on_stdin(b"\n \0\n", monkeypatch, "-") == []


def test_lines_keep_other_separators_inside_and_drop_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes("\ufeffa\u2028b\x85c\r\nd".encode())

    assert list(context.lines(str(path))) == ["a\u2028b\x85c\r\n", "d"]
    with pytest.raises(UsageError, match="cannot read"):
        list(context.lines(str(tmp_path)))


def test_the_store_is_where_the_home_is_and_waits_as_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_LOCK_WAIT_SECONDS", "0.5")

    store = context.store()

    assert isinstance(store, Store)
    assert store.home == tmp_path / "home"
    assert store.wait == 0.5


def test_roles_are_those_of_the_model() -> None:
    assert context.roles(["user", "tool"]) == ("user", "tool")
    with pytest.raises(UsageError, match="user, assistant, system, tool"):
        context.roles(["boss"])
