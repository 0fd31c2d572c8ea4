"""Where things are and every number of the SPEC: defaults < file < environment < flags.

CHATMEM_HOME moves everything (tests set it); otherwise the archive, the configuration and the cache live in the
platform's own directories.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import Field, dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from chatmem.errors import UsageError

APP = "chatmem"
ENVIRONMENT = "CHATMEM_"


def _between(low: float, high: float, default: float) -> Any:
    """A number with the least and the most that makes sense."""
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Settings:
    """Every adjustable number. Tokens are cl100k_base tokens, limits are counts."""

    user: str = "me"
    timezone: str = ""
    search_limit: int = _between(1, 100, 5)
    recent_limit: int = _between(1, 100, 3)
    excerpt_tokens: int = _between(1, 100_000, 220)
    excerpts_per_chat: int = _between(1, 20, 3)
    max_tokens: int = _between(1, 10_000_000, 2000)
    lock_wait_seconds: float = _between(0, 3600, 10.0)
    # Facts: so many recent ones are looked at, and so many of them kept for a question. Days until an attribute
    # expires, as "problem=90 reference=365".
    facts_loaded: int = _between(1, 10_000, 20)
    facts_kept: int = _between(1, 1_000, 8)
    fact_expiry: str = ""
    # Prompts: messages of the current conversation loaded and kept, and its bounds.
    conversation_loaded: int = _between(1, 10_000, 12)
    conversation_kept: int = _between(1, 10_000, 6)
    conversation_characters: int = _between(1, 10_000_000, 3000)
    conversation_tokens: int = _between(1, 10_000_000, 800)
    # Other chats of the same user and agent, their last messages, and the characters of each.
    past_chats: int = _between(0, 100, 3)
    past_messages: int = _between(1, 100, 4)
    past_chat_characters: int = _between(1, 1_000_000, 800)
    # Facts and past conversations together.
    past_characters: int = _between(1, 10_000_000, 2000)
    evidence_excerpts: int = _between(0, 100, 5)
    knowledge_passages: int = _between(0, 1_000, 4)
    knowledge_characters: int = _between(1, 10_000_000, 4000)
    # A message of fewer words is rewritten, if so many came before it, from the last ones, each cut.
    rewrite_words: int = _between(0, 100, 3)
    rewrite_least_messages: int = _between(1, 100, 2)
    rewrite_messages: int = _between(1, 100, 4)
    rewrite_characters: int = _between(1, 10_000, 250)
    rewrite_tokens: int = _between(1, 1_000, 64)
    continue_characters: int = _between(1, 1_000_000, 2000)
    handoff_turns: int = _between(1, 10_000, 25)
    grounding_share: float = _between(0, 1, 0.25)
    # An OpenAI-compatible endpoint; nothing is sent anywhere while these are empty.
    llm_base_url: str = ""
    llm_model: str = ""
    llm_api_key: str = ""
    llm_timeout_seconds: float = _between(0.1, 600, 10.0)


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
    return resolve()[0]


def adjusted(settings: Settings, given: Iterable[str]) -> Settings:
    """The settings with some set by hand, as `name=value`. Raises UsageError for what makes no sense."""
    values: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals:
            raise UsageError(f"--set {one!r} has no value", "write --set past_characters=500")
        values[name.strip()] = value.strip()
    return _updated(settings, values, "--set")


def resolve() -> tuple[Settings, dict[str, str]]:
    """The settings, and where each of them that is no default comes from."""
    path = config_path()
    from_file = _parsed(path) if path.exists() else {}
    from_environment = {
        f.name: value for f in fields(Settings) if (value := os.environ.get(ENVIRONMENT + f.name.upper())) is not None
    }
    settings = _updated(Settings(), from_file, str(path))
    settings = _updated(settings, from_environment, "the environment")
    origins = dict.fromkeys(from_file, str(path)) | {n: ENVIRONMENT + n.upper() for n in from_environment}
    return settings, origins


def _parsed(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read ({error})", "correct it, or move it away") from error


def _updated(settings: Settings, values: dict[str, Any], origin: str) -> Settings:
    known = {f.name: f for f in fields(Settings)}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"unknown setting {name!r} in {origin}", _nearest(name, list(known)))
        changes[name] = _checked(known[name], value, origin)
    return replace(settings, **changes)


def _nearest(name: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"write {near[0]}" if near else f"it takes {', '.join(known)}"


def _checked(setting: Field[Any], value: Any, origin: str) -> str | int | float:
    """The value in the setting's type. A variable is text; a file has types, and a wrong one is not guessed at."""
    what = f"{setting.name} = {value!r} in {origin}"
    if setting.type == "str":
        if not isinstance(value, str):
            raise UsageError(f"{what} is no text", f'write {setting.name} = "…"')
        if setting.name == "timezone" and value:
            zone(value)
        return utf8(value)
    number = _number(value, whole=setting.type == "int")
    low, high = setting.metadata["low"], setting.metadata["high"]
    if number is None or not low <= number <= high:
        kind = "whole number" if setting.type == "int" else "number"
        raise UsageError(f"{what} is no {kind} from {low:,} to {high:,}", f"write {setting.name} = {setting.default}")
    return number


def _number(value: Any, whole: bool) -> int | float | None:
    if isinstance(value, str):
        try:
            return int(value) if whole else float(value)
        except ValueError:
            return None
    if isinstance(value, int) and abs(value) > 1 << 53:
        return None
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        return None
    return value if whole else float(value)


def utf8(text: str) -> str:
    """Text from the command line or the environment; its bytes that are no UTF-8 become U+FFFD."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def current_chat() -> str:
    """The id of the talk that is going on, which a search is not to find; empty if nobody said so."""
    return utf8(os.environ.get("CHATMEM_CURRENT_CHAT", "")).strip()


def now() -> datetime:
    """The clock, or CHATMEM_NOW."""
    fixed = os.environ.get("CHATMEM_NOW")
    return fixed_time(fixed, "CHATMEM_NOW=") if fixed else datetime.now(UTC)


def fixed_time(text: str, name: str) -> datetime:
    """The ISO time that a person fixed the clock at, UTC if it names no zone. `name` is said in the error."""
    try:
        at = datetime.fromisoformat(text)
        # Room for "last year" on one side and for every zone on the other.
        if not 2 <= at.year <= 9998:
            raise ValueError(text)
    except ValueError as error:
        raise UsageError(f"{name}{text} is not a time", "write it like 2026-03-01T12:00:00Z") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def zone(name: str) -> tzinfo:
    """The named zone, or the machine's own for an empty name. Raises UsageError for an unknown one."""
    if not name:
        return _machine_zone()
    import zoneinfo

    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"unknown time zone {name!r}", "write it like Europe/Berlin or UTC") from error


def _machine_zone() -> tzinfo:
    import warnings

    import tzlocal

    try:
        with warnings.catch_warnings():
            # It warns where two files of the system disagree; local time is then whatever the C library says.
            warnings.simplefilter("error")
            return tzlocal.reload_localzone()
    except (LookupError, ValueError, OSError, Warning):
        return SystemZone()


class SystemZone(tzinfo):
    """Local time as the C library has it, for a TZ that no database of zones names (`CET-1CEST`)."""

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        return at.replace(tzinfo=None).astimezone().utcoffset() if at else None

    def dst(self, at: datetime | None) -> None:
        return None

    def tzname(self, at: datetime | None) -> str:
        return "local"

    def fromutc(self, at: datetime) -> datetime:
        return at.replace(tzinfo=UTC).astimezone().replace(tzinfo=self)

    def __str__(self) -> str:
        return "local"
