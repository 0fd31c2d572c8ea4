"""Where things are and every number of the SPEC: defaults < file < environment < flags.

CHATMEM_HOME moves everything (tests set it); otherwise the archive, the configuration and the cache live in the
platform's own directories.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from chatmem.errors import UsageError

APP = "chatmem"


@dataclass(frozen=True, slots=True)
class Settings:
    """Every adjustable number. Tokens are cl100k_base tokens, limits are counts."""

    user: str = "me"
    timezone: str = ""
    search_limit: int = 5
    search_limit_most: int = 100
    recent_limit: int = 3
    recent_limit_most: int = 100
    excerpt_tokens: int = 220
    excerpts_per_chat: int = 3
    max_tokens: int = 2000
    lock_wait_seconds: float = 10.0


def data_home() -> Path:
    """The archive's directory."""
    return _home("data")


def cache_home() -> Path:
    return _home("cache")


def config_path() -> Path:
    return _home("config") / "config.toml"


def _home(kind: str) -> Path:
    moved = os.environ.get("CHATMEM_HOME")
    if moved:
        base = Path(moved).expanduser().absolute()
        return base / "cache" if kind == "cache" else base
    import platformdirs

    found = {
        "data": platformdirs.user_data_path,
        "cache": platformdirs.user_cache_path,
        "config": platformdirs.user_config_path,
    }[kind]
    return found(APP, appauthor=False)


def load() -> Settings:
    """Defaults, then the file, then CHATMEM_<NAME> variables. Raises UsageError for what makes no sense."""
    settings = Settings()
    path = config_path()
    if path.exists():
        settings = _updated(settings, _parsed(path), str(path))
    named = {f.name: os.environ.get(f"CHATMEM_{f.name.upper()}") for f in fields(Settings)}
    return _updated(settings, {k: v for k, v in named.items() if v is not None}, "the environment")


def _parsed(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error})", "correct it, or move it away") from error


def _updated(settings: Settings, values: dict[str, Any], origin: str) -> Settings:
    known = {f.name for f in fields(Settings)}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"unknown setting {name!r} in {origin}", "chatmem config show lists the settings")
        kind = type(getattr(settings, name))
        try:
            changes[name] = kind(value)
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name} = {value!r} in {origin} is no {kind.__name__}", "chatmem config show") from error
    return replace(settings, **changes)


def now() -> datetime:
    """The clock, or CHATMEM_NOW."""
    fixed = os.environ.get("CHATMEM_NOW")
    if not fixed:
        return datetime.now(UTC)
    try:
        at = datetime.fromisoformat(fixed)
    except ValueError as error:
        raise UsageError(f"CHATMEM_NOW={fixed} is not a time", "write it like 2026-03-01T12:00:00Z") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def zone(name: str) -> tzinfo:
    """The named zone, or the machine's own for an empty name. Raises UsageError for an unknown one."""
    if not name:
        import tzlocal

        return tzlocal.get_localzone()
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
        raise UsageError(f"unknown time zone {name!r}", "write it like Europe/Berlin or UTC") from error
