"""Who owns a message that several chats of one source hold. Pure: the same holders give the same owner.

A record may name its home. Otherwise, if its id is one that nobody else could have made, the chat that began first owns
it; of chats that began alike, the one that went on by itself first, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

# Only ids that are unique all over the world can show that two records are one message.
GLOBAL_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Holder:
    """A chat that could own a message: when it began, when it first said what no other chat holds, and its length."""

    native_id: str
    began: datetime | None
    parted: datetime | None
    messages: int

    def age(self) -> tuple[bool, datetime, bool, datetime, int, str]:
        """Sorts the oldest first; chats of unknown beginning come last."""
        never = datetime.max
        return (
            self.began is None, self.began or never, self.parted is not None, self.parted or never, self.messages,
            self.native_id,
        )  # fmt: skip


def owners(message_id: str, held: Sequence[tuple[Holder, str | None]]) -> dict[str, str]:
    """For every holder (with the home that its record names) the native id of the chat that owns the message."""
    homes = {holder.native_id: home for holder, home in held}
    by_id = {holder.native_id: holder for holder, _ in held}
    roots = {native_id: _root(native_id, homes, by_id) for native_id in homes}
    if len(message_id) >= GLOBAL_ID_LENGTH:
        first = _oldest(by_id[root] for root in roots.values())
        return dict.fromkeys(homes, first)
    # Elsewhere the same id and the same home, even one that is not here, show that records are one message.
    groups: dict[str, list[Holder]] = {}
    for root in dict.fromkeys(roots.values()):
        groups.setdefault(homes[root] or root, []).append(by_id[root])
    oldest = {holder.native_id: _oldest(group) for group in groups.values() for holder in group}
    return {native_id: oldest[root] for native_id, root in roots.items()}


def _oldest(holders: Iterable[Holder]) -> str:
    return min(holders, key=Holder.age).native_id


def _root(native_id: str, homes: dict[str, str | None], by_id: dict[str, Holder]) -> str:
    """Where the homes lead, as long as they are here; of a ring of homes the oldest chat."""
    path = [native_id]
    while (home := homes[path[-1]]) is not None and home in homes:
        if home in path:
            return _oldest(by_id[i] for i in path[path.index(home) :])
        path.append(home)
    return path[-1]
