"""From messages to rows: what a message states, without what is never stored."""

from __future__ import annotations

from collections.abc import Iterable

from chatmem.archive.statements import Row, Said
from chatmem.facts import attributes, extract, never_store


class PatternExtractor:
    """Finds statements by patterns; archive/statements.py says what is done with the rows."""

    name = attributes.VERSION

    def rows(self, said: Iterable[Said]) -> list[Row]:
        return [row for one in said for row in rows(one, extract.statements(one.text), self.name)]


def rows(said: Said, found: Iterable[extract.Statement], extractor: str) -> list[Row]:
    """The statements of a message as rows. A value that is or holds a secret is no fact; in quotes it is masked."""
    made = []
    secrets: list[never_store.Secret] | None = None
    for place, one in enumerate(found):
        if secrets is None:
            secrets = never_store.find(said.text)
        stop = one.start + len(one.value)
        if any(secret.start < stop and one.start < secret.stop for secret in secrets):
            continue
        if secrets and never_store.find(one.value):
            continue
        quote = never_store.masked(one.quote) if secrets else one.quote
        made.append(
            Row(said.chat_no, said.message_id, said.n, None, None, one.attribute, one.value, one.says, quote,
                said.at, place, extractor)
        )  # fmt: skip
    return made
