"""What is quoted of a long text when the question shares its meaning, not its words."""

from __future__ import annotations

from pathlib import Path

from tests.search.shelf import chat, look, shelf

PARAGRAPHS = {
    "weather": "In October the valley is dry and the nights are cold. Expect fog until ten and sun in the afternoon.",
    "bikes": "Renting bicycles costs twelve euros a day. The shop at the station also lends helmets and a cycling map.",
    "museum": "The museum shows medieval armour and paintings. It is closed on Mondays, and free on Sundays.",
    "food": "For dinner book a table in the old mill. They serve trout with almonds and a good white wine.",
}


def guide(order: list[str]) -> str:
    return "\n\n".join(" ".join([PARAGRAPHS[name]] * 7) for name in order)


def test_the_passage_that_means_the_same_is_quoted_wherever_it_stands(tmp_path: Path) -> None:
    for place in range(4):
        order = ["weather", "museum", "food"]
        order.insert(place, "bikes")
        talk = chat("trip", "Tell me about the valley", guide(order), title="Valley")
        with shelf(tmp_path / str(place), talk, embed=True) as connection:
            answer = look(connection, "price of a bike for a day of cycling", mode="semantic")

        quoted = [x.text for e in answer.results for x in e.excerpts if x.role == "assistant"]
        assert quoted and "Renting bicycles costs twelve euros" in quoted[0], place
        assert all(part in guide(order) for part in quoted[0].strip("…").split("…"))
        assert quoted[0].startswith("…") == (place > 0)


def test_words_of_the_question_still_decide_where_they_stand(tmp_path: Path) -> None:
    talk = chat("trip", "Tell me about the valley", guide(["bikes", "weather", "food", "museum"]), title="Valley")
    with shelf(tmp_path, talk, embed=True) as connection:
        answer = look(connection, "medieval armour")

    quoted = [x for e in answer.results for x in e.excerpts if x.role == "assistant"]
    assert quoted and "medieval armour" in quoted[0].text
    assert {"medieval", "armour"} <= set(quoted[0].matched)
