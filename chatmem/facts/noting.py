"""From messages to rows: what a message states, without what is never stored."""

from __future__ import annotations

from collections.abc import Iterable

from chatmem.archive.statements import Row, Said
from chatmem.facts import attributes, extract, never_store

# Characters on either side of a value that are looked at for secrets: a quote, and what stands before it.
AROUND = 2 * extract.QUOTE


class PatternExtractor:
    """Finds statements by patterns; archive/statements.py says what is done with the rows."""

    name = attributes.VERSION

    def rows(self, said: Iterable[Said]) -> list[Row]:
        return [row for one in said for row in rows(one, extract.statements(one.text), self.name)]


def rows(said: Said, found: Iterable[extract.Statement], extractor: str) -> list[Row]:
    """The statements of a message as rows. A value that is or holds a secret is no fact; in quotes it is masked."""
    made = []
    for place, one in enumerate(found):
        # What makes a word a secret may stand in the sentence before.
        around = said.text[max(0, one.start - AROUND) : one.start + len(one.value) + AROUND]
        secrets = never_store.find(around)
        hidden = {around[secret.start : secret.stop] for secret in secrets}
        if any(secret in one.value or one.value in secret for secret in hidden) or never_store.find(one.value):
            continue
        quote = one.quote
        for secret in secrets:
            quote = quote.replace(around[secret.start : secret.stop], never_store.mark(secret))
        quote = never_store.masked(quote)
        made.append(
            Row(said.chat_no, said.message_id, said.n, None, None, one.attribute, one.value, one.says, quote,
                said.at, place, extractor)
        )  # fmt: skip
    return made
