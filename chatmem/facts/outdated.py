"""Which messages say something that their user has replaced or taken back since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chatmem.archive import statements
from chatmem.archive.scope import Scope

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from chatmem.facts.ledger import Fact


def outdated(connection: DuckDBPyConnection, references: Sequence[str]) -> dict[str, list[str]]:
    """Reference -> what no longer holds of it, such as “plan Pro, now Starter”; nothing for all others."""
    whose = statements.speakers(connection, references)
    if not whose:
        return {}
    from datetime import datetime

    from chatmem.facts import ledger

    users, agents = zip(*whose, strict=True)
    said = statements.load(connection, Scope(users=tuple(set(users)), agents=tuple(set(agents)), subagents=True))
    # What has expired may still hold: nobody said otherwise.
    return noted(ledger.facts(said, datetime.max), set(references))


def noted(facts: Iterable[Fact], references: Iterable[str] | None = None) -> dict[str, list[str]]:
    """The same of facts that are at hand; None: of all their messages."""
    wanted = None if references is None else set(references)
    found: dict[str, list[str]] = {}
    for fact in facts:
        if fact.status not in ("superseded", "retracted"):
            continue
        now = f"now {fact.replaced_by}" if fact.replaced_by else "no longer so"
        for reference in fact.references:
            # The message that says what is so instead needs no note.
            if reference != fact.ended_by and (wanted is None or reference in wanted):
                found.setdefault(reference, []).append(f"{fact.attribute} {fact.value}, {now}")
    return found
