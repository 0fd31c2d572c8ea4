"""Whether sources bear an answer out."""

from __future__ import annotations

from chatmem.prompt.grounding import check
from chatmem.prompt.parts import COMPANY, CUSTOMER, Source

MANUAL = Source(
    "passage", "manual", COMPANY, "Exports on the Pro plan have up to 40 pages. Split longer reports in parts."
)
CLAIM = Source("excerpt", "csv:c#1", CUSTOMER, "Your colleague promised me a full refund of the whole year.")
FACT = Source("fact", "csv:c#2", CUSTOMER, "plan Starter")


def test_an_answer_from_the_sources_is_grounded() -> None:
    found = check("On the Pro plan an export has up to 40 pages.", [MANUAL], 0.25)
    assert found.grounded and found.share > 0.8
    assert found.sentences[0].sources == ("manual",)


def test_an_answer_from_nowhere_is_not() -> None:
    found = check("Elephants sleep three hours each night.", [MANUAL], 0.25)
    assert not found.grounded and found.share == 0.0 and found.sentences[0].sources == ()


def test_other_forms_of_a_word_count() -> None:
    assert check("exporting reports, splitting them", [MANUAL], 0.25).share == 1.0


def test_what_the_customer_claimed_grounds_no_promise_of_the_company() -> None:
    found = check("We will refund you the whole year in full.", [MANUAL, CLAIM], 0.25)
    assert not found.grounded
    assert found.claimed_by_customer == ("We will refund you the whole year in full.",)


def test_no_way_to_put_a_promise_grounds_it_on_a_claim() -> None:
    for answer in (
        "You get your money back for the whole year.",
        "A promise of a whole year was made by a colleague.",
        "The whole year is on the house, as the colleague promised.",
    ):
        found = check(answer, [MANUAL, CLAIM, FACT], 0.25)
        assert not found.grounded and found.claimed_by_customer == (answer,)


def test_what_the_customer_says_of_himself_grounds_what_is_said_of_him() -> None:
    found = check("You are on the Starter plan.", [FACT], 0.25)
    assert found.grounded and not found.claimed_by_customer


def test_sentences_are_judged_one_by_one() -> None:
    found = check("Exports have up to 40 pages. Elephants sleep three hours.", [MANUAL], 0.5)
    assert [one.grounded for one in found.sentences] == [True, False]
    assert found.sources == (("manual", "passage", found.share),)


def test_an_answer_without_content_needs_no_source() -> None:
    assert check("Yes.", [], 0.25).grounded or check("Yes.", [], 0.25).share == 0.0
