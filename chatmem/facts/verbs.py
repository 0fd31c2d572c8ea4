"""Facts listed, added by hand, forgotten, and looked for in what is there already."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from chatmem.archive import statements
from chatmem.archive.locks import exclusive
from chatmem.archive.scope import Scope
from chatmem.archive.statements import HAND, Row
from chatmem.archive.store import Store, open_workbench, transaction
from chatmem.config import Settings
from chatmem.errors import ArchiveError, NotFoundError, RefusedError, UsageError
from chatmem.facts import ledger, rank
from chatmem.facts.attributes import ATTRIBUTES, VERSION
from chatmem.facts.ledger import Fact

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

CHUNK = 5_000
# Digits of a number of days.
_LONGEST_EXPIRY = 5


class FactList(NamedTuple):
    """`facts` as asked for, of `total` that there are (past ones too with history); `complete`: no message was left out
    when facts were looked for."""

    facts: tuple[Fact, ...]
    total: int
    about: str
    history: bool
    complete: bool


class Extracted(NamedTuple):
    """Messages looked through, and statements found in them."""

    messages: int
    statements: int


class Progress(Protocol):
    """Told how many messages were looked through."""

    def done(self, messages: int) -> None: ...


def known(connection: DuckDBPyConnection, scope: Scope, settings: Settings, now: datetime) -> list[Fact]:
    """All facts of the scope, past ones too, the latest stated first."""
    said = statements.load(connection, scope)
    at = now.astimezone(UTC).replace(tzinfo=None)
    return ledger.facts(said, at, expiry(settings), statements.forgotten(connection))


def expiry(settings: Settings) -> dict[str, int]:
    """Attribute -> days, of the setting `fact_expiry` (“problem=90 reference=365”). Raises UsageError."""
    found: dict[str, int] = {}
    for word in settings.fact_expiry.split():
        attribute, _, days = word.partition("=")
        if attribute not in ATTRIBUTES or not (days.isascii() and days.isdigit()) or len(days) > _LONGEST_EXPIRY:
            raise UsageError(f"fact_expiry has {word!r}", "write attribute=days, such as problem=90")
        found[attribute] = int(days)
    return found


def list_facts(
    connection: DuckDBPyConnection,
    scope: Scope,
    settings: Settings,
    now: datetime,
    about: str = "",
    history: bool = False,
    limit: int | None = None,
) -> FactList:
    """Current facts, the latest first; with `history` past ones too; with `about` those nearest to a question."""
    everything = known(connection, scope, settings, now)
    complete = statements.looked_through(connection, VERSION)
    wanted = everything if history else [fact for fact in everything if fact.status == "current"]
    if about:
        chosen = rank.about(wanted, about, encoder(), settings.facts_loaded, limit or settings.facts_kept)
    else:
        chosen = wanted[: limit or (len(wanted) if history else settings.facts_loaded)]
    return FactList(tuple(chosen), len(wanted), about, history, complete)


def encoder() -> rank.Encode | None:
    """What tells how near texts are in meaning; None if the default model is not installed."""
    from chatmem.embed import static

    try:
        return static.asker(static.folder())
    except UsageError:
        return None


def add(store: Store, who: tuple[str, str], attribute: str, value: str, now: datetime) -> None:
    """Note a fact by hand. Raises UsageError for an attribute that does not exist, RefusedError for a secret."""
    from chatmem.facts import never_store

    if attribute not in ATTRIBUTES:
        raise UsageError(f"unknown attribute {attribute!r}", f"choose one of {', '.join(ATTRIBUTES)}")
    value = " ".join(value.split())
    if not ledger.normal(value):
        raise UsageError("the value is empty", "chatmem facts add plan Pro")
    secrets = never_store.find(f"{attribute} {value}") or never_store.find(value)
    if secrets:
        raise RefusedError(f"this holds a {secrets[0].kind}, which is never stored", "leave it out")
    at = now.astimezone(UTC).replace(tzinfo=None)
    row = Row(None, None, None, *who, attribute, value, True, value, at, 0, HAND)

    def write(workbench: DuckDBPyConnection) -> None:
        statements.remember(workbench, who, attribute, ledger.digest(value))
        statements.append(workbench, [row])

    _write(store, write)


def forget(store: Store, scope: Scope, attribute: str, value: str, settings: Settings, now: datetime) -> list[Fact]:
    """Erase a fact and all that says it, for good; without a `value` every fact of the attribute.

    Raises NotFoundError if there is none.
    """
    with store.reading() as connection:
        everything = known(connection, scope, settings, now)
    meant = [
        fact
        for fact in everything
        if fact.attribute == attribute and (not value or ledger.normal(value) == ledger.normal(fact.value))
    ]
    if not meant:
        others = [fact.value for fact in everything if fact.attribute == attribute]
        listed = ", ".join(dict.fromkeys(others[:5]))
        hint = f"known: {listed}" if listed else "chatmem facts lists them"
        raise NotFoundError(f"no such fact: {attribute} {value}".rstrip(), hint)

    def write(workbench: DuckDBPyConnection) -> None:
        for fact in meant:
            for said in dict.fromkeys(fact.values):
                who = (fact.user_id, fact.agent_id)
                statements.forget(workbench, who, attribute, [said], ledger.digest(said))

    _write(store, write)
    return meant


def extract(store: Store, progress: Progress) -> Extracted:
    """Look through every message again by patterns. What models found and what was added by hand stays."""
    from chatmem.facts.noting import PatternExtractor

    extractor = PatternExtractor()
    looked = found = 0
    with alone(store), open_workbench() as workbench:
        rows: list[Row] = []
        after = -1
        while True:
            with store.glance(workbench):
                said, after = statements.messages(workbench, Scope(subagents=True), after, CHUNK)
            if not said:
                break
            rows += extractor.rows(said)
            looked += len(said)
            progress.done(looked)
        found = len(rows)
        with store.attached(workbench), transaction(workbench):
            statements.drop_patterns(workbench)
            statements.append(workbench, rows)
            statements.mark(workbench, extractor.name)
    return Extracted(looked, found)


def _write(store: Store, write: Callable[[DuckDBPyConnection], None]) -> None:
    with alone(store), open_workbench() as workbench, store.attached(workbench), transaction(workbench):
        write(workbench)


def alone(store: Store) -> AbstractContextManager[None]:
    """While no import runs. Raises ArchiveError if there is no archive."""
    if not store.exists():
        raise ArchiveError(f"there is no archive at {store.path}", "chatmem import PATH makes one")
    return exclusive(store.home / "import.lock", store.wait, "an import")
