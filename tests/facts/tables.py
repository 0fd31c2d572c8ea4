"""The judged tables beside this file."""

from __future__ import annotations

import json
import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent
# attribute, whether it is said to be so, value
Claim = tuple[str, bool, str]

_LETTERS = {"R": string.ascii_letters + string.digits, "H": "0123456789abcdef", "D": string.digits,
            "U": string.ascii_uppercase + string.digits}  # fmt: skip


class Judged(NamedTuple):
    text: str
    language: str
    kind: str
    claims: list[Claim]


class Hidden(NamedTuple):
    """A text with a secret; "" in texts that only look as if they had one."""

    text: str
    secret: str
    kind: str


def lines(name: str) -> Iterator[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def sentences() -> list[Judged]:
    return [
        Judged(
            one["text"],
            one["language"],
            one["kind"],
            [(f["attribute"], True, f["value"]) for f in one["facts"]]
            + [(f["attribute"], False, f["value"]) for f in one["retracts"]],
        )
        for one in lines("sentences.jsonl")
    ]


def secrets() -> list[Hidden]:
    """Keys stand in the file as {R40} (letters and digits), {H40}, {D6}, {U16}: a real one would look like a leak."""
    random_ = random.Random(7)
    found = []
    for one in lines("secrets.jsonl"):
        made: dict[str, str] = {}

        def fill(match: re.Match[str], made: dict[str, str] = made) -> str:
            letters = _LETTERS[match[1]]
            return made.setdefault(match[0], "".join(random_.choice(letters) for _ in range(int(match[2]))))

        text, secret = (re.sub(r"\{([RHDU])(\d+)\}", fill, one[name]) for name in ("text", "secret"))
        found.append(Hidden(text, secret, one["kind"]))
    return found


def same(found: Claim, wanted: Claim) -> bool:
    """Equal but for case and punctuation; of phrases a word more or less may be taken in."""
    a, b = _plain(found[2]), _plain(wanted[2])
    if found[:2] != wanted[:2]:
        return False
    if a == b:
        return True
    if found[0] not in ("preference", "problem"):
        return False
    return (b in a and len(a) < 2 * len(b) + 10) or (a in b and len(b) < 1.5 * len(a) + 8)


def _plain(value: str) -> str:
    return re.sub(r"\s+", " ", value.casefold()).strip(' .,!?#"')
