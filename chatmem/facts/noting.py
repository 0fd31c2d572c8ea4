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
        quote = _quote(said.text, one)
        if quote and not never_store.find(one.value):
            made.append(
                Row(said.chat_no, said.message_id, said.n, None, None, one.attribute, one.value, one.says, quote,
                    said.at, place, extractor)
            )  # fmt: skip
    return made


def _quote(text: str, one: extract.Statement) -> str:
    """The sentence without secrets, or the part of a long one around the value; "" if the value is part of a secret."""
    start = max(0, text.rfind(one.quote, 0, one.start + len(one.value) + len(one.quote)))
    # What makes a word a secret may stand in the sentence before.
    low, high = max(0, start - AROUND), start + len(one.quote) + AROUND
    secrets = [
        secret._replace(start=secret.start + low, stop=secret.stop + low) for secret in never_store.find(text[low:high])
    ]
    stop = one.start + len(one.value)
    if any(secret.start < stop and one.start < secret.stop for secret in secrets):
        return ""
    first, last = start, start + len(one.quote)
    if last - first > extract.QUOTE:
        room = (extract.QUOTE - len(one.value)) // 2 - 1
        first, last = max(first, one.start - room), min(last, stop + room)
    parts, at = ["…"] if first > start else [], first
    for secret in secrets:
        if secret.stop > first and secret.start < last:
            parts += [text[at : max(at, secret.start)], never_store.mark(secret)]
            at = max(at, secret.stop)
    parts += [text[at:last], "…" if last < start + len(one.quote) else ""]
    return "".join(parts).strip()
