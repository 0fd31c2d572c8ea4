"""Secrets out of what is shown: each masked, its kind named. Pure.

Masking happens before anything is cut, so that no excerpt shows half of a card number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chatmem.archive.read import ChatRow, MessageRow
from chatmem.evidence.matches import Span
from chatmem.facts import never_store

# Characters around a part of a message that tell whether a word in it is a secret.
AROUND = 600
# What is left of a number where a title was cut.
_CUT_NUMBER = re.compile(r"(?:\d[ .-]?){6,}…$")


def title(row: ChatRow) -> ChatRow:
    """The chat with a title that shows no secret, nor what is left of one where it was cut."""
    if not row.title:
        return row
    safe = _CUT_NUMBER.sub("…", never_store.masked(row.title))
    return row if safe == row.title else replace(row, title=safe)


def message(row: MessageRow) -> MessageRow:
    safe = never_store.masked(row.text)
    return row if safe == row.text else replace(row, text=safe)


def part(row: MessageRow, found: Sequence[Span], start: int, stop: int) -> tuple[MessageRow, tuple[Span, ...]]:
    """A message without the secrets of a part of it and around, and the places in it where they are now."""
    low = max(0, start - AROUND)
    secrets = never_store.find(row.text[low : stop + AROUND])
    if not secrets:
        return row, tuple(found)
    pieces, at = [row.text[:low]], low
    for secret in secrets:
        pieces += [row.text[at : low + secret.start], never_store.mark(secret)]
        at = low + secret.stop
    hidden = [(low + secret.start, low + secret.stop, len(never_store.mark(secret))) for secret in secrets]
    kept = [span for span in found if not any(a < span.end and span.start < b for a, b, _ in hidden)]

    def moved(place: int) -> int:
        return place + sum(size - (b - a) for a, b, size in hidden if b <= place)

    text = "".join([*pieces, row.text[at:]])
    return replace(row, text=text), tuple(s._replace(start=moved(s.start), end=moved(s.end)) for s in kept)
