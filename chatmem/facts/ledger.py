"""Which facts hold: everything that was said, read in the order of its times. Pure.

Nothing is overwritten. A newer value of an attribute that has one value at a time supersedes the older one; what is
denied is retracted; what was said long ago may expire. All of it stays readable, with the message that says it.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from chatmem.archive.statements import Stated

Status = Literal["current", "superseded", "retracted", "expired"]

# Attributes of which a newer value replaces the older one; all others accumulate.
SINGLE = frozenset({"name", "company", "role", "location", "plan"})
# Of these a longer value is the same one, said in full: Dana, Dana Whitfield; Norrvik, Norrvik GmbH.
_FULLER = frozenset({"name", "company", "location"})
# What is denied in other words than it was said in.
_PHRASES = frozenset({"preference", "problem"})
_ARTICLES = re.compile(r"^(?:the|a|an|my|our|der|die|das|ein|eine|le|la|les|un|une|el|los|las|una|o|os|as|um|uma) ")
_NO_WORD = re.compile(r"[^\w+#]+")


@dataclass(slots=True)
class Fact:
    """`references`: every message that says it, the oldest first; `stated_at`, UTC without zone, and `quote` of the
    latest one. `replaced_by`: the value that superseded it, or ""."""

    user_id: str
    agent_id: str
    attribute: str
    value: str
    quote: str
    stated_at: datetime | None
    first_stated_at: datetime | None
    extractor: str
    status: Status = "current"
    replaced_by: str = ""
    ended_by: str = ""
    references: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    order: int = 0

    @property
    def reference(self) -> str:
        """The message to cite; "" for what was added by hand."""
        return self.references[-1] if self.references else ""


def normal(value: str) -> str:
    """What makes two values the same: letters and digits, without case, width, marks and a leading article."""
    folded = unicodedata.normalize("NFKC", value).casefold()
    return _ARTICLES.sub("", _NO_WORD.sub(" ", folded).strip())


def digest(value: str) -> str:
    """Of a normalised value, to know a forgotten one again without keeping it."""
    return hashlib.blake2b(normal(value).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def facts(
    said: Iterable[Stated],
    now: datetime,
    expiry: Mapping[str, int] | None = None,
    forgotten: Iterable[tuple[str, str, str, str]] = (),
) -> list[Fact]:
    """Every fact, past ones too, the latest stated first.

    `said` is in order of time, values that were forgotten empty; `now` is UTC without zone; `expiry`: attribute -> days
    after which it no longer holds.
    """
    left_out = set(forgotten)
    books: dict[tuple[str, str], _Book] = {}
    kept = (
        one._replace(value="")
        if left_out and (one.user_id, one.agent_id, one.attribute, digest(one.value)) in left_out
        else one
        for one in said
    )
    for (user, agent, _), together in itertools.groupby(
        kept, key=lambda one: (one.user_id, one.agent_id, _message(one))
    ):
        books.setdefault((user, agent), _Book()).enter(list(together))
    found = [fact for book in books.values() for fact in book.facts]
    for fact in found:
        days = (expiry or {}).get(fact.attribute)
        if days and fact.status == "current" and fact.stated_at and fact.stated_at + timedelta(days=days) < now:
            fact.status = "expired"
    return sorted(found, key=lambda f: (f.stated_at or datetime.min, f.order), reverse=True)


def reference(one: Stated) -> str:
    return f"{one.chat_id}#{one.n}" if one.chat_id else ""


def _message(one: Stated) -> object:
    return reference(one) or id(one)


class _Book:
    """The facts of one user and agent."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._current: dict[str, list[Fact]] = {}
        self._entered = 0

    def enter(self, message: Sequence[Stated]) -> None:
        """What one message says: first what is not so, then what is."""
        for one in message:
            self._entered += 1
            if not one.value:
                continue
            instead = next((o for o in message if o.says and o.attribute == one.attribute), None)
            if not one.says:
                self._deny(one, instead)
        for one in message:
            if one.says and one.value:
                self._affirm(one)
            elif one.says:
                self._supersede(one)

    def _affirm(self, one: Stated) -> None:
        held = self._current.setdefault(one.attribute, [])
        known = next((fact for fact in held if _same(one.attribute, fact.value, one.value)), None)
        if known:
            self._confirm(known, one)
            return
        self._supersede(one)
        held.append(self._new(one))

    def _supersede(self, one: Stated) -> None:
        """What held before is over, also if nobody knows any more what took its place: it was forgotten."""
        held = self._current.get(one.attribute, [])
        if one.attribute in SINGLE:
            for old in held:
                _end(old, "superseded", one)
            held.clear()

    def _deny(self, one: Stated, instead: Stated | None) -> None:
        held = self._current.get(one.attribute, [])
        ended = [fact for fact in held if _denies(one.attribute, one.value, fact.value)]
        for fact in ended:
            held.remove(fact)
        if not ended and instead and not any(_same(f.attribute, f.value, one.value) for f in self._all(one.attribute)):
            # It was so once, and this message is all that tells.
            ended = [self._new(one)]
        for fact in ended:
            _end(fact, "superseded" if instead else "retracted", instead or one)

    def _all(self, attribute: str) -> list[Fact]:
        return [fact for fact in self.facts if fact.attribute == attribute]

    def _new(self, one: Stated) -> Fact:
        fact = Fact(
            one.user_id, one.agent_id, one.attribute, one.value, one.quote, one.stated_at, one.stated_at, one.extractor,
            references=[reference(one)] if one.chat_id else [], values=[one.value], order=self._entered,
        )  # fmt: skip
        self.facts.append(fact)
        return fact

    def _confirm(self, fact: Fact, one: Stated) -> None:
        if len(normal(one.value)) > len(normal(fact.value)):
            fact.value = one.value
        fact.quote, fact.extractor, fact.order = one.quote, one.extractor, self._entered
        fact.stated_at = one.stated_at or fact.stated_at
        fact.values.append(one.value)
        if (place := reference(one)) and place not in fact.references:
            fact.references.append(place)


def _end(fact: Fact, status: Status, one: Stated) -> None:
    fact.status = status
    fact.ended_by = reference(one)
    if status == "superseded":
        fact.replaced_by = one.value


def _same(attribute: str, held: str, value: str) -> bool:
    a, b = normal(held), normal(value)
    if a == b:
        return True
    return attribute in _FULLER and _holds(a.split(), b.split())


def _denies(attribute: str, denied: str, held: str) -> bool:
    if _same(attribute, held, denied):
        return True
    return attribute in (*_PHRASES, "product", "plan") and _holds(normal(held).split(), normal(denied).split())


def _holds(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether one of both begins or is all within the other, word by word."""
    small, large = sorted((a, b), key=len)
    return bool(small) and any(
        list(large[at : at + len(small)]) == list(small) for at in range(len(large) - len(small) + 1)
    )
