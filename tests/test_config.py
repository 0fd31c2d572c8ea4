"""Settings: defaults < file < environment, every mistake named with its place and its remedy."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem import config
from chatmem.config import Settings
from chatmem.errors import UsageError
from tests.contracts.program import chatmem


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty CHATMEM_HOME and no variable of ours besides."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("CHATMEM_", "XDG_")):
                patch.delenv(name)
        patch.setenv("CHATMEM_HOME", str(tmp_path))
        yield tmp_path
    time.tzset()


def test_without_a_file_the_defaults_hold() -> None:
    assert config.load() == Settings()
    assert (Settings().excerpt_tokens, Settings().max_tokens, Settings().search_limit) == (220, 2000, 5)


def test_the_environment_beats_the_file_which_beats_the_defaults(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "config.toml").write_text('user = "mira"\nsearch_limit = 7\nlock_wait_seconds = 3\n')
    monkeypatch.setenv("CHATMEM_SEARCH_LIMIT", "9")

    found, origins = config.resolve()

    assert found == Settings(user="mira", search_limit=9, lock_wait_seconds=3.0)
    assert origins == {
        "user": str(home / "config.toml"),
        "search_limit": "CHATMEM_SEARCH_LIMIT",
        "lock_wait_seconds": str(home / "config.toml"),
    }


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("serch_limit = 3", "write search_limit"),
        ("nonsense = 3", "it takes user, timezone, search_limit"),
        ("[search]\nlimit = 3", "unknown setting 'search'"),
        ('search_limit = "3x"', "whole number from 1 to 100"),
        ("search_limit = 2.5", "whole number from 1 to 100"),
        ("search_limit = true", "whole number from 1 to 100"),
        ("search_limit = 0", "whole number from 1 to 100"),
        ("search_limit = 101", "write search_limit = 5"),
        ("max_tokens = -1", "whole number from 1"),
        ("lock_wait_seconds = nan", "number from 0 to 3,600"),
        ("lock_wait_seconds = inf", "number from 0 to 3,600"),
        ("lock_wait_seconds = [1]", "number from 0 to 3,600"),
        ("user = 5", 'write user = "…"'),
        ('timezone = "Mars/Olympus"', "Europe/Berlin"),
        ('timezone = "Europe"', "Europe/Berlin"),
        ('timezone = "../../etc/passwd"', "Europe/Berlin"),
        ("search_limit = ", "cannot be read"),
        ("search_limit = 3\nsearch_limit = 4", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_what_to_write(home: Path, written: str, said: str) -> None:
    (home / "config.toml").write_text(written + "\n")

    with pytest.raises(UsageError) as caught:
        config.load()

    assert said in str(caught.value)
    assert "timezone" in written or str(home / "config.toml") in str(caught.value)


def test_a_file_that_is_no_utf8_or_no_file_is_named(home: Path) -> None:
    (home / "config.toml").write_bytes(b'user = "\xff"')
    with pytest.raises(UsageError, match=r"config\.toml cannot be read"):
        config.load()

    (home / "config.toml").unlink()
    (home / "config.toml").mkdir()
    with pytest.raises(UsageError, match=r"config\.toml cannot be read"):
        config.load()


def test_a_byte_order_mark_is_no_mistake(home: Path) -> None:
    (home / "config.toml").write_bytes(b'\xef\xbb\xbfuser = "mira"\n')

    assert config.load().user == "mira"


@pytest.mark.parametrize("value", ["many", "0", "1e3", ""])
def test_a_mistake_in_a_variable_is_named_too(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_MAX_TOKENS", value)

    with pytest.raises(UsageError, match=r"max_tokens = .* in the environment is no whole number"):
        config.load()


def test_a_broken_file_stops_every_verb_but_the_one_that_says_where_it_is(home: Path) -> None:
    (home / "config.toml").write_text("nonsense\n")

    for line in ("recent", "search x", "config show", "archive info", "export"):
        assert chatmem(*line.split()).code == 2
    assert chatmem("config", "path").out == f"{home / 'config.toml'}\n"


def test_config_show_prints_what_the_file_takes_and_where_a_value_comes_from(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config.toml").write_text("search_limit = 7\n")
    monkeypatch.setenv("CHATMEM_RECENT_LIMIT", "4")

    shown = chatmem("config", "show").lines

    assert f"search_limit = 7  # {home / 'config.toml'}" in shown
    assert "recent_limit = 4  # CHATMEM_RECENT_LIMIT" in shown
    assert 'user = "me"' in shown


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_any_text_that_config_show_prints_is_read_back_as_it_was(home: Path, user: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHATMEM_USER", user)
        shown = chatmem("config", "show").out
    (home / "config.toml").write_text(shown, "utf-8", newline="\n")

    assert tomllib.loads(shown)["user"] == user
    assert config.load().user == user


def test_without_chatmem_home_the_xdg_directories_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHATMEM_HOME")
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))

    assert config.data_home() == tmp_path / "data" / "chatmem"
    assert config.config_path() == tmp_path / "config" / "chatmem" / "config.toml"
    assert config.cache_home() == tmp_path / "cache" / "chatmem"


def test_chatmem_home_moves_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/mira")
    monkeypatch.setenv("CHATMEM_HOME", "~/memory")

    assert config.data_home() == Path("/home/mira/memory")
    assert config.config_path() == Path("/home/mira/memory/config.toml")
    assert config.cache_home() == Path("/home/mira/memory/cache")


def test_the_clock_can_be_fixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_NOW", "2026-03-01T12:00:00+01:00")
    assert config.now() == datetime(2026, 3, 1, 11, tzinfo=UTC)

    monkeypatch.setenv("CHATMEM_NOW", "2026-03-01")
    assert config.now() == datetime(2026, 3, 1, tzinfo=UTC)

    for nonsense in ("soon", "9999-12-31T23:59:59-12:00", "0001-01-01", "2026-13-01"):
        monkeypatch.setenv("CHATMEM_NOW", nonsense)
        with pytest.raises(UsageError, match=f"CHATMEM_NOW={nonsense} is not a time"):
            config.now()


def test_the_clock_runs_when_it_is_not_fixed() -> None:
    before, now, after = datetime.now(UTC), config.now(), datetime.now(UTC)

    assert before <= now <= after


@pytest.mark.parametrize("name", ["CET-1CEST,M3.5.0,M10.5.0/3", "UTC", "Europe/Berlin", "nonsense", ":/no/such/zone"])
def test_a_machine_with_an_odd_zone_still_has_local_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", name)
    time.tzset()
    zone = config.zone("")

    for at in (datetime(2025, 1, 15, 12, tzinfo=UTC), datetime(2025, 7, 15, 12, tzinfo=UTC)):
        local = at.astimezone(zone)
        assert local == at
        assert local.replace(tzinfo=None) == at.astimezone().replace(tzinfo=None)
        assert local.replace(tzinfo=None).replace(tzinfo=zone).astimezone(UTC) == at
