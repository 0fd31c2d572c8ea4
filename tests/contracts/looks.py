"""What may stand in an output that a terminal shows. Written from the standards, not from the code under test."""

from __future__ import annotations

import re
import unicodedata

_BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_MARKS = {"\u200e", "\u200f", "\u061c"}
_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_LINK = re.compile(r"\x1b\]8;([^;]*);([^\x1b]*)\x1b\\")


def acting(text: str) -> set[str]:
    """The characters of a text that act on a terminal or on the order of what is shown; tab and newline do not."""
    return {
        c
        for c in text
        if (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\t\n")
        or unicodedata.bidirectional(c) in _BIDI
        or c in _MARKS
        or "\U000e0000" <= c <= "\U000e007f"
    }


def styles(text: str) -> set[str]:
    """The parameters of all styling sequences."""
    return set(_SGR.findall(text))


def links(text: str) -> set[str]:
    """The targets of all hyperlinks."""
    return {target for _, target in _LINK.findall(text) if target}


def bare(text: str) -> str:
    """The text without styling sequences and hyperlinks."""
    return _LINK.sub("", _SGR.sub("", text))
