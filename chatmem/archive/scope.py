"""Which chats a call may see: a predicate that stands inside every query, before ranking and counting."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

Params = list[object]


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits are joined by AND, values of one limit by OR; empty means no limit. Times are UTC, `before` exclusive.

    `projects` match a project's id or name, without case, and so does each group of `also_projects`. `chats` and
    `without_chats` are whole chat ids.
    """

    users: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    without_chats: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    subagents: bool = False
    also_projects: tuple[tuple[str, ...], ...] = ()


def where(scope: Scope, dated: bool = True) -> tuple[str, Params]:
    """(SQL over `chat c`, bound values). `dated` False leaves the times to the caller."""
    clauses: list[str] = []
    params: Params = []

    def among(expression: str, values: tuple[str, ...], wanted: bool = True) -> None:
        if values:
            clauses.append(f"{expression} {'IN' if wanted else 'NOT IN'} (SELECT unnest(?::VARCHAR[]))")
            params.append(list(values))

    among("c.user_id", scope.users)
    among("c.agent_id", scope.agents)
    among("c.source", tuple(source.lower() for source in scope.sources))
    among("c.chat_id", scope.chats)
    among("c.chat_id", scope.without_chats, wanted=False)
    for projects in (scope.projects, *scope.also_projects):
        if projects:
            wanted = "IN (SELECT lower(unnest(?::VARCHAR[])))"
            clauses.append(f"(lower(c.project_id) {wanted} OR lower(c.project_name) {wanted})")
            params += [list(projects)] * 2
    if not scope.subagents and not scope.chats:
        clauses.append("c.kind = 'thread'")
    if dated and scope.after:
        clauses.append("c.updated_at >= ?::TIMESTAMP")
        params.append(naive(scope.after))
    if dated and scope.before:
        clauses.append("coalesce(c.created_at, c.updated_at) < ?::TIMESTAMP")
        params.append(naive(scope.before))
    return " AND ".join(clauses) or "true", params


def naive(at: datetime) -> datetime:
    """Aware UTC as the archive stores it."""
    from datetime import UTC

    return at.astimezone(UTC).replace(tzinfo=None)
