"""languages/needles.json says what the patterns say.

After a change of patterns write it anew, and look at the difference:
`CHATMEM_UPDATE_NEEDLES=1 pytest tests/facts/test_needles.py`
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from chatmem.facts import languages
from chatmem.facts.gate import Gate
from tests.facts.needles import required

UPDATE = os.environ.get("CHATMEM_UPDATE_NEEDLES") == "1"
FILE = Path(languages.__file__).parent / "needles.json"


def test_the_file_holds_what_the_patterns_need() -> None:
    wanted = {
        language.name: [[sorted(one) for one in required(pattern.regex)] for pattern in language.patterns]
        for language in languages.all_languages()
    }
    if UPDATE:
        FILE.write_text(json.dumps(wanted, ensure_ascii=False, indent=0) + "\n", "utf-8")
    assert json.loads(FILE.read_text("utf-8")) == wanted


@pytest.mark.parametrize(
    ("written", "needles"),
    [
        (r"my (?:plan|tier)", [["my "], ["plan", "tier"]]),
        (r"(?i:PLAN) ?x*", [["plan"]]),
        (r"\\bab(?:c+|de)f?", [["ab"], ["c", "de"]]),
        (r"(?:a|b)*\\w", []),
    ],
)
def test_what_a_pattern_needs_is_read_from_it(written: str, needles: list[list[str]]) -> None:
    found = [sorted(one) for one in required(re.compile(written.replace("\\\\", "\\")))]
    assert sorted(found) == sorted(one for one in needles if min(map(len, one)) > 1)


def test_a_gate_is_open_where_all_needles_are() -> None:
    gate = Gate([[["plan", "tier"], ["on"]], [["live"]], []])
    assert gate.open("I am on the Tier 2") == [True, False, True]
    assert gate.open("I LIVE here") == [False, True, True]
