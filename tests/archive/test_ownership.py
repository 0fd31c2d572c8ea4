"""Who owns a message that several chats hold."""

from __future__ import annotations

from datetime import datetime
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from chatmem.archive.ownership import Holder, owners

GLOBAL = "00000001-0000-4000-8000-000000000000"
LOCAL = "7"
NAMES = ("a", "b", "c", "d")


def chat(name: str, began: int | None = 1, parted: int | None = None, messages: int = 2) -> Holder:
    day = [None if d is None else datetime(2026, 1, d) for d in (began, parted)]
    return Holder(name, day[0], day[1], messages)


def holders() -> st.SearchStrategy[list[tuple[Holder, str | None]]]:
    """Chats with any homes, also such as are not here, as point in a ring, or as point to themselves."""
    days = st.none() | st.integers(1, 3)
    homes = st.none() | st.sampled_from((*NAMES, "elsewhere", "nowhere"))
    one = st.tuples(st.sampled_from(NAMES), days, days, st.integers(1, 3), homes)
    return st.lists(one, min_size=1, unique_by=lambda row: row[0]).map(
        lambda rows: [(chat(name, began, parted, size), home) for name, began, parted, size, home in rows]
    )


@given(holders(), st.sampled_from((GLOBAL, LOCAL)))
def test_every_owner_owns_what_it_holds_so_nothing_is_hidden_everywhere(
    held: list[tuple[Holder, str | None]], message_id: str
) -> None:
    owned = owners(message_id, held)

    assert owned.keys() == {holder.native_id for holder, _ in held}
    assert all(owned[owner] == owner for owner in owned.values())


@given(holders())
def test_an_id_that_is_unique_all_over_the_world_has_one_owner(held: list[tuple[Holder, str | None]]) -> None:
    assert len(set(owners(GLOBAL, held).values())) == 1


@given(holders(), st.sampled_from((GLOBAL, LOCAL)), st.randoms())
def test_the_order_of_the_holders_decides_nothing(
    held: list[tuple[Holder, str | None]], message_id: str, random: Random
) -> None:
    turned = list(held)
    random.shuffle(turned)

    assert owners(message_id, turned) == owners(message_id, held)


def test_the_home_that_a_record_names_owns_it_whatever_the_times() -> None:
    assert owners(LOCAL, [(chat("child", 1), "parent"), (chat("parent", 9), None)]) == {
        "child": "parent", "parent": "parent",
    }  # fmt: skip


def test_homes_lead_on_from_copy_to_copy() -> None:
    held = [(chat("c"), "b"), (chat("b"), "a"), (chat("a"), None)]

    assert set(owners(LOCAL, held).values()) == {"a"}


def test_a_home_that_is_not_here_owns_nothing() -> None:
    assert owners(LOCAL, [(chat("child"), "gone"), (chat("other"), None)]) == {"child": "child", "other": "other"}


def test_two_copies_from_one_missing_home_are_one_message_of_the_older_chat() -> None:
    held = [(chat("younger", 5), "gone"), (chat("older", 3), "gone"), (chat("stranger", 1), "lost")]

    assert owners(LOCAL, held) == {"younger": "older", "older": "older", "stranger": "stranger"}


def test_ids_that_anyone_could_have_made_say_nothing_by_themselves() -> None:
    assert owners(LOCAL, [(chat("a"), None), (chat("b"), None)]) == {"a": "a", "b": "b"}


def test_without_homes_the_chat_that_began_first_owns_it() -> None:
    held = [(chat("unknown", None), None), (chat("late", 3), None), (chat("early", 2, parted=9), None)]

    assert set(owners(GLOBAL, held).values()) == {"early"}


def test_of_chats_that_began_alike_the_one_that_went_on_first_or_not_at_all_owns_it() -> None:
    went_on = [(chat("a", parted=5), None), (chat("b", parted=4), None)]
    ended = [*went_on, (chat("c", messages=6), None), (chat("d", messages=4), None)]

    assert set(owners(GLOBAL, went_on).values()) == {"b"}
    assert set(owners(GLOBAL, ended).values()) == {"d"}
