"""574 judged sentences: 314 were written before the patterns, the others by people who did not know them."""

from __future__ import annotations

import pytest

from chatmem.facts.extract import statements
from chatmem.facts.languages import all_languages
from tests.facts.tables import Claim, Judged, same, sentences

TABLE = sentences()


def found(one: Judged) -> list[Claim]:
    return [(s.attribute, s.says, s.value) for s in statements(one.text)]


def score(table: list[Judged]) -> tuple[float, float, list[str]]:
    """(precision, recall, failures)"""
    right = wrong = missed = 0
    failures = []
    for one in table:
        got = found(one)
        extra = [g for g in got if not any(same(g, w) for w in one.claims)]
        lacking = [w for w in one.claims if not any(same(g, w) for g in got)]
        right += len(one.claims) - len(lacking)
        wrong += len(extra)
        missed += len(lacking)
        if extra or lacking:
            failures.append(f"{one.text!r}: found besides {extra}, not found {lacking}")
    return right / (right + wrong), right / (right + missed), failures


def test_facts_are_found_and_nothing_else_is() -> None:
    precision, recall, failures = score(TABLE)
    assert precision >= 0.98 and recall >= 0.95, "\n".join(failures)


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "pt"])
def test_every_language_is_understood(language: str) -> None:
    precision, recall, failures = score([one for one in TABLE if one.language == language])
    assert precision >= 0.92 and recall >= 0.88, "\n".join(failures)


@pytest.mark.parametrize("kind", ["negated", "hypothetical", "third_person", "quoted", "question", "other"])
def test_what_is_not_said_in_earnest_of_oneself_is_no_fact(kind: str) -> None:
    table = [one for one in TABLE if one.kind == kind]
    claimed = [
        f"{one.text!r}: {g}" for one in table for g in found(one) if g[1] and not any(map(same, [g] * 9, one.claims))
    ]
    assert len(table) > 10 and len(claimed) <= 1, claimed


def test_a_pattern_that_matches_is_never_skipped() -> None:
    for one in TABLE:
        for language in all_languages():
            tried = language.gate.open(one.text)
            for pattern, worth_trying in zip(language.patterns, tried, strict=True):
                assert worth_trying or not pattern.regex.search(one.text), (pattern.attribute, one.text)


def test_values_and_quotes_stand_in_the_message_letter_by_letter() -> None:
    for one in TABLE:
        for statement in statements(one.text):
            assert one.text[statement.start :].startswith(statement.value)
            assert statement.quote in one.text


def test_a_signature_below_a_long_message_is_quoted_from_where_it_stands() -> None:
    message = (
        "The invoices look odd again today. " * 12 + "\n\nKind regards,\nMaria Keller\nAccountant, Nordwind GmbH\n"
    )
    found = statements(message)
    assert [(s.attribute, s.value) for s in found] == [
        ("name", "Maria Keller"),
        ("role", "Accountant"),
        ("company", "Nordwind GmbH"),
    ]
    for statement in found:
        assert message[statement.start :].startswith(statement.value)
        assert statement.value in statement.quote
        assert statement.quote in message


def test_a_long_log_is_not_searched_for_facts() -> None:
    log = "\n".join(f"2026-01-01 user says I live in Paris {n}" for n in range(20_000))
    message = f"My name is Dana Whitfield and it fails:\n{'x' * 5_000}\n{log}\nBest,\nDana Whitfield"
    assert [(s.attribute, s.value) for s in statements(message) if s.attribute == "name"] == [
        ("name", "Dana Whitfield")
    ]
