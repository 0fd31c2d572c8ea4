"""Secrets in natural sentences: none may be kept, and what only looks like one stays."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.archive.statements import Said
from chatmem.facts import never_store
from chatmem.facts.noting import PatternExtractor
from tests.facts.tables import Hidden, secrets

TABLE = secrets()
HIDDEN = [one for one in TABLE if one.secret]
HARMLESS = [one for one in TABLE if not one.secret]


def rows(text: str) -> list[tuple[str, str, str]]:
    return [(r.attribute, r.value, r.quote) for r in PatternExtractor().rows([Said(1, "m", 1, None, text)])]


def test_the_table_has_secrets_of_every_kind() -> None:
    assert len(HIDDEN) >= 60 and len(HARMLESS) >= 15
    assert len({one.kind for one in HIDDEN}) >= 7


@pytest.mark.parametrize("one", HIDDEN, ids=lambda one: one.kind)
def test_a_secret_is_masked_and_never_part_of_a_fact(one: Hidden) -> None:
    assert one.secret not in never_store.masked(one.text)
    assert all(one.secret not in value and one.secret not in quote for _, value, quote in rows(one.text))


@pytest.mark.parametrize("one", HARMLESS, ids=lambda one: one.text[:30])
def test_what_only_looks_like_a_secret_stays(one: Hidden) -> None:
    assert never_store.masked(one.text) == one.text


@pytest.mark.parametrize("one", HIDDEN, ids=lambda one: one.kind)
def test_facts_beside_a_secret_are_kept(one: Hidden) -> None:
    """What is found with the secret is what is found with a plain word in its place."""
    beside = {(a, v) for a, v, _ in rows(one.text.replace(one.secret, "hidden"))}
    assert {(a, v) for a, v in beside if "hidden" not in v} <= {(a, v) for a, v, _ in rows(one.text)}


def test_the_kind_is_named_in_its_place() -> None:
    assert never_store.masked("card 4111 1111 1111 1111 please") == "card [card number removed] please"
    assert never_store.masked("my password is hunter2!x, thanks") == "my password is [password removed], thanks"


def test_a_secret_at_the_seam_of_two_pieces_of_a_long_text_is_found() -> None:
    for shift in range(-30, 30, 7):
        text = "x " * ((20_000 + shift) // 2) + "4111 1111 1111 1111 " + "y " * 9_000
        assert "4111" not in never_store.masked(text)


@given(st.text(max_size=200))
def test_any_text_can_be_masked_and_only_secrets_change(text: str) -> None:
    found = never_store.find(text)
    assert all(0 <= a.start < a.stop <= len(text) for a in found)
    assert all(a.stop <= b.start for a, b in itertools.pairwise(found))
    if not found:
        assert never_store.masked(text) == text
