"""What a person sees at a terminal: layout at every width, colours and links only where they are wanted."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.contracts.looks import bare, links, styles
from tests.contracts.program import chatmem, on_terminal

pytestmark = pytest.mark.usefixtures("archive")

SEARCH = """\
 1 Sourdough water
   2025-03-15 18:02 · Kitchen · chatgpt:1d49502d-bread
   https://chatgpt.com/c/1d49502d-bread
   assistant #2 2025-03-14: For 500 g of flour take 375 g of water.
   user #1 2025-03-14: How much water for a sourdough at 75 % hydration?
   assistant #4: Wholemeal drinks more:
             400 g of water.
"""
RECENT_NARROW = """\
 1 Broken order
   2025-06-01 08:05 · alice@example.com
   csv:ticket #7, part  2
   user #1: My order arrived broken
   Dana #2: I am sorry. A new one is
     on its way.

 2 Borrow checker
   2025-05-02 22:31 · heron
   claude-code:77aa-build
   claude --resume 77aa-build
   user #1: The build fails with E0502
     in src/cache.rs
   assistant #2: The borrow ends too
     late; clone the key.
"""
SHOW = """\
Sourdough water
2025-03-15 18:02 · Kitchen · chatgpt:1d49502d-bread
https://chatgpt.com/c/1d49502d-bread
… 1 earlier

assistant #2 2025-03-14 09:01 ──────────────────────────────────────────────────
For 500 g of flour take 375 g of water.

▶ user #3 2025-03-15 18:00 ─────────────────────────────────────────────────────
And with wholemeal?

assistant #4 2025-03-15 18:02 ──────────────────────────────────────────────────
Wholemeal drinks more:

        400 g of water.
"""


def rich(*line: str, color: str = "never") -> str:
    ended = chatmem(*line, "-f", "rich", "--color", color)
    assert ended.code == 0
    return ended.out


def test_a_search_shows_what_was_said_when_and_where_with_the_way_back() -> None:
    assert rich("search", "water", "flour") == SEARCH


def test_a_narrow_terminal_breaks_between_facts_and_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")

    assert rich("recent", "-n", "2") == RECENT_NARROW


def test_the_neighbourhood_of_a_message_marks_it_and_says_what_is_around() -> None:
    assert rich("show", "chatgpt:1d49502d-bread#3", "--around", "1") == SHOW


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_no_line_of_prose_is_wider_than_the_terminal_or_than_one_likes_to_read(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))

    lines = rich("search", "malice", "--hidden").split("\n")
    prose = [line for line in lines if not line.startswith(("   chatgpt:", "   https:", "   resume"))]

    assert len(prose) > 5
    # A byte order mark takes no place on the screen.
    assert max(len(line.replace("\ufeff", "")) for line in prose) <= min(columns, 100)
    assert not [line for line in prose if line != line.rstrip()]


def test_an_id_wider_than_the_screen_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")

    assert "\n   chatgpt:1d49502d-bread\n" in rich("search", "flour")


def test_hidden_parts_and_other_branches_say_what_they_are() -> None:
    shown = rich("show", "chatgpt:1d49502d-bread", "--all")

    assert "assistant (alternate) 2025-03-15 18:01 ───" in shown
    assert "assistant (thinking) 2025-03-15 18:01 ───" in shown
    assert "(alternate)" not in rich("show", "chatgpt:1d49502d-bread")


def test_a_sub_agent_names_whose_it_is() -> None:
    assert "sub-agent of claude-code:77aa-build" in rich("show", "claude-code:77aa-build/agent-1")


def test_several_chats_are_set_apart_by_a_blank_line() -> None:
    both = rich("show", "csv:ticket #7, part  2", "chatgpt:1d49502d-bread#1")

    assert "is on its way.\n\nSourdough water\n" in both


def test_colours_mark_matches_and_speakers_and_titles_are_links() -> None:
    shown = rich("search", "flour", color="always")

    assert "\x1b[1;33mflour\x1b[0m" in shown
    assert {"36", "32", "1", "2"} <= styles(shown)
    assert links(shown) == {"https://chatgpt.com/c/1d49502d-bread"}
    # The link is in the title, so its address need not be printed.
    assert "https://" not in bare(shown)


def test_without_colour_there_is_no_escape_and_the_link_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    quiet = chatmem("search", "flour", terminal=True).out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    dumb = chatmem("search", "flour", terminal=True).out

    assert quiet == dumb == rich("search", "flour")
    assert "\x1b" not in quiet
    assert "https://chatgpt.com/c/1d49502d-bread" in quiet


def test_color_always_colours_a_pipe_and_beats_no_color_and_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured = rich("recent", color="always")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")

    assert styles(coloured)
    assert bare(rich("recent", color="always")) == bare(coloured)
    assert styles(rich("recent", color="always")) == styles(coloured)


def test_color_alone_makes_no_plain_output_colourful() -> None:
    assert "\x1b" not in chatmem("search", "flour", "--color", "always").out


def test_times_are_in_the_readers_zone_and_so_are_the_dates_one_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_TIMEZONE", "Asia/Tokyo")

    assert "2025-05-03 07:31 · heron" in rich("recent", "--after", "2025-05-03", "--before", "2025-05-04")
    assert "user #1 2025-05-03 07:30" in rich("show", "claude-code:77aa-build")


def test_without_a_setting_the_readers_zone_is_the_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()

    assert "2025-05-02 18:31 · heron" in rich("search", "E0502")


def test_a_real_terminal_gets_this_layout_at_its_own_width(archive: Path) -> None:
    shown = on_terminal("recent", "-n", "2", "-q", columns=40)

    assert bare(shown.out) == RECENT_NARROW
    assert styles(shown.out)
