"""Which facts hold, from what was said when."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from chatmem.archive.statements import Stated
from chatmem.facts.extract import statements
from chatmem.facts.ledger import Fact, digest, facts

START = datetime(2026, 1, 1)
NOW = datetime(2026, 6, 1)


def said(*messages: str, chat: str = "csv:c", user: str = "dana", agent: str = "bot") -> list[Stated]:
    """What patterns find in messages that came a day apart."""
    return [
        Stated(user, agent, chat, n, s.attribute, s.value, s.says, s.quote, START + timedelta(days=n), "patterns/1")
        for n, text in enumerate(messages, 1)
        for s in statements(text)
    ]


def current(found: list[Fact]) -> dict[str, list[str]]:
    held: dict[str, list[str]] = {}
    for fact in found:
        if fact.status == "current":
            held.setdefault(fact.attribute, []).append(fact.value)
    return held


def status(found: list[Fact], value: str) -> tuple[str, str]:
    (fact,) = (fact for fact in found if fact.value == value)
    return fact.status, fact.replaced_by


def test_a_newer_value_supersedes_and_the_older_stays_readable() -> None:
    found = facts(said("I'm on the Pro plan.", "We downgraded, I'm on the Starter plan now."), NOW)
    assert current(found) == {"plan": ["Starter"]}
    assert status(found, "Pro") == ("superseded", "Starter")
    assert [(f.value, f.reference) for f in found] == [("Starter", "csv:c#2"), ("Pro", "csv:c#1")]


def test_one_message_can_say_what_was_and_what_is() -> None:
    found = facts(said("I moved from Berlin to Lisbon"), NOW)
    assert current(found) == {"location": ["Lisbon"]} and status(found, "Berlin") == ("superseded", "Lisbon")
    found = facts(said("I live in Berlin", "I moved from Berlin to Lisbon"), NOW)
    assert current(found) == {"location": ["Lisbon"]} and status(found, "Berlin") == ("superseded", "Lisbon")


def test_what_is_cancelled_is_retracted() -> None:
    found = facts(said("we use Zendesk and Slack", "we cancelled Zendesk"), NOW)
    assert current(found) == {"product": ["Slack"]}
    (zendesk,) = (fact for fact in found if fact.value == "Zendesk")
    assert (zendesk.status, zendesk.ended_by) == ("retracted", "csv:c#2")


def test_a_corrected_name_replaces_the_wrong_one() -> None:
    found = facts(said("My name is Maier", "it's Meier, not Maier"), NOW)
    assert current(found) == {"name": ["Meier"]} and status(found, "Maier") == ("superseded", "Meier")


def test_what_was_never_said_needs_no_denial() -> None:
    assert facts(said("I'm not on Pro"), NOW) == []


def test_the_same_said_twice_is_one_fact_with_both_references() -> None:
    (fact,) = facts(said("I live in Lisbon", "As I said, I live in LISBON."), NOW)
    assert fact.references == ["csv:c#1", "csv:c#2"] and fact.first_stated_at == START + timedelta(days=1)


def test_a_name_in_full_is_no_other_name() -> None:
    (fact,) = facts(said("Hi, I'm Dana.", "My name is Dana Whitfield", "it's Dana here"), NOW)
    assert fact.value == "Dana Whitfield" and len(fact.references) == 3


def test_many_products_hold_at_once_but_one_plan() -> None:
    found = facts(said("we use Zendesk", "we use Linear", "I have a Pixel 8"), NOW)
    assert sorted(current(found)["product"]) == ["Linear", "Pixel 8", "Zendesk"]


def test_people_and_agents_are_kept_apart() -> None:
    both = [*said("I live in Lisbon"), *said("I live in Graz", user="erik")]
    assert [f.status for f in facts(both, NOW)] == ["current", "current"]


def test_an_attribute_may_expire() -> None:
    told = said("the export keeps timing out", "I live in Lisbon")
    found = facts(told, NOW, {"problem": 30})
    assert status(found, "the export keeps timing out")[0] == "expired"
    assert current(found) == {"location": ["Lisbon"]}
    assert "problem" in current(facts(told, START + timedelta(days=20), {"problem": 30}))


def test_a_forgotten_fact_does_not_come_back() -> None:
    key = ("dana", "bot", "location", digest("lisbon"))
    assert facts(said("I live in Lisbon"), NOW, forgotten=[key]) == []


MESSAGES = ["I'm on the Pro plan", "I'm on the Starter plan", "I'm not on Pro", "I'm no longer on Starter",
            "we use Slack", "we cancelled Slack", "I moved from Berlin to Lisbon", "I live in Berlin"]  # fmt: skip


@given(st.lists(st.sampled_from(MESSAGES), max_size=12))
def test_of_an_attribute_with_one_value_at_most_one_holds(messages: list[str]) -> None:
    found = facts(said(*messages), NOW)
    held = current(found)
    assert all(len(held.get(name, [])) <= 1 for name in ("plan", "location"))
    assert all(fact.replaced_by for fact in found if fact.status == "superseded")
    assert all(fact.references for fact in found)
