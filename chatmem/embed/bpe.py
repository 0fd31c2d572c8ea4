"""The pieces of a question, as the tokenizers library cuts them for the default model, without loading that library.

Loading it and its 61,000 merges takes 0.16 s, more than all the rest of a search; the vocabulary alone takes 5 ms. The
vocabulary of SentencePiece BPE is ordered by the rank of its merges, so the merge that comes first is the pair whose
union has the lowest number; runs of spaces merge last. A test compares with the library.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

SPACE = "\u2581"
# No piece has a space behind another character: what stands between spaces is merged on its own.
WORD = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
# The pieces <0x00> to <0xFF> stand for the bytes of characters without a piece.
_FIRST_BYTE = 3
_SPACES_LAST, _NEVER = 1 << 20, 1 << 30


def spaced(text: str) -> str:
    """The text with its spaces, and one in front, made visible."""
    return SPACE + text.replace(" ", SPACE)


def vocabulary(path: Path) -> dict[str, int]:
    """Piece -> number. Only that part of the tokenizer's JSON is parsed."""
    import orjson

    raw = path.read_bytes()
    start = raw.index(b'"vocab"')
    start = raw.index(b"{", start)
    stop = raw.index(b'"merges"', start)
    found = orjson.loads(raw[start : raw.rindex(b"}", start, stop) + 1])
    return dict(found)


def numbers(text: str, pieces: Mapping[str, int]) -> Iterator[int]:
    """The numbers of the pieces of a text."""
    if text:
        for word in WORD.findall(spaced(text)):
            yield from of_word(word, pieces)


def of_word(word: str, pieces: Mapping[str, int]) -> Iterator[int]:
    """The numbers of one word, its spaces made visible."""
    parts = list(word)
    while len(parts) > 1:
        rank, at = min((_rank(a + b, pieces), at) for at, (a, b) in enumerate(itertools.pairwise(parts)))
        if rank == _NEVER:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    for part in parts:
        number = pieces.get(part)
        if number is not None:
            yield number
        else:
            yield from (_FIRST_BYTE + byte for byte in part.encode("utf-8", "replace"))


def _rank(piece: str, pieces: Mapping[str, int]) -> int:
    number = pieces.get(piece, _NEVER)
    return number + _SPACES_LAST if number != _NEVER and not piece.strip(SPACE) else number
