"""What a terminal may be told: colour rules, links, and chat text without anything that acts on the screen."""

from __future__ import annotations

import os
import re
from typing import Literal

ColorChoice = Literal["auto", "always", "never"]

# C0 and C1 controls but tab and newline, DEL, and the characters that reorder or hide text: bidi embeddings, overrides
# and isolates, zero-width joiners of lines, the tag block, interlinear annotation.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\u061c\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def scrub(text: str) -> str:
    """Text from strangers with every control made visible (`ESC` as ␛, others as <U+XXXX>); tab and newline stay."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub(_visible, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Scrubbed text on one line without tabs, for records of one line."""
    return " ".join(scrub(text).split())


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def wants_color(choice: ColorChoice, is_terminal: bool) -> bool:
    """--color beats NO_COLOR beats what the stream is."""
    if choice != "auto":
        return choice == "always"
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
