"""The default model: the table of static vectors that lies in the wordllama wheel.

A text's vector is the mean of the rows of its pieces. The package is found, never imported: its code looks for models
on a hub. In bulk, words are cut once and remembered, because no piece crosses a space (bpe.py).
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from chatmem.embed import bpe, weights
from chatmem.embed.base import ModelId, QueryEncoder
from chatmem.errors import UsageError

NAME = "wordllama"
_WEIGHTS, _TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
# Words longer than this, which hardly come twice, are not remembered; nor are those of more rows than so many. The
# first ones have their sums, of a kilobyte each.
_LONG_WORD, _ROWS_KNOWN, _SUMS = 32, 600_000, 50_000
# Texts at a time.
_SLICE = 2_000
# Loading the library costs as much as cutting so many words without it.
_FEW_WORDS = 5_000
# These would be cut as one piece wherever they stand.
_SPECIAL, _MARK = ("<s>", "</s>", "<unk>"), "\0"
# Characters of a question; nobody means more, and cutting takes time in the square of its longest word.
_QUESTION = 2_000


class Table(NamedTuple):
    """Where the rows of float16 lie in a file: `start` in bytes, `rows` of `dimension` numbers."""

    path: Path
    start: int
    rows: int
    dimension: int

    def vector(self, numbers: Sequence[int]) -> list[float]:
        """The mean of rows, of length one."""
        size = 2 * self.dimension
        total = [0.0] * self.dimension
        with self.path.open("rb") as file:
            for number in numbers:
                file.seek(self.start + size * number)
                total = [
                    a + b for a, b in zip(total, struct.unpack(f"<{self.dimension}e", file.read(size)), strict=True)
                ]
        length = math.sqrt(sum(x * x for x in total))
        return [x / length for x in total] if length else total


def folder() -> Path:
    """The installed package. Raises UsageError if there is none."""
    spec = find_spec(NAME)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (Path(place) / _WEIGHTS).is_file():
            return Path(place)
    raise UsageError("the default model of meaning is not installed", "pip install wordllama, or search --mode lexical")


def table(place: Path) -> Table:
    path = place / _WEIGHTS
    header, start = weights.header(path)
    (held,) = header.values()
    if held["dtype"] != "F16":
        raise UsageError(f"{path} holds no float16", "pip install -U wordllama")
    return Table(path, start + held["data_offsets"][0], *held["shape"])


def weights_of(place: Path) -> list[Path]:
    """The file of the table, which different versions of the package share."""
    return [place / _WEIGHTS]


def asker(place: Path) -> QueryEncoder:
    """What encodes questions, without numpy."""
    pieces, rows = _pieces(place), table(place)
    return lambda text: rows.vector(list(bpe.numbers(text[:_QUESTION], pieces)))


def is_piece(word: str, place: Path) -> bool:
    return bpe.spaced(word) in _pieces(place)


@lru_cache(maxsize=1)
def _pieces(place: Path) -> dict[str, int]:
    return bpe.vocabulary(place / _TOKENIZER)


class _Numbered(dict[str, int]):
    """Gives each word a number when it first comes."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []
        self._count = itertools.count()

    def __missing__(self, word: str) -> int:
        self[word] = number = next(self._count)
        self.new.append(word)
        return number

    def taken(self) -> list[str]:
        """The words that came since the last call, in the order of their numbers."""
        taken, self.new = self.new, []
        return taken


class StaticModel:
    """The table for many texts. What only pays for thousands of them is loaded when they come."""

    pace = 5_000

    def __init__(self, place: Path, known: str = "") -> None:
        """`known`: the digest of the table, where its mark has told it."""
        self._table = table(place)
        self._place = place
        self.id = ModelId(NAME, known or weights.digest(weights_of(place)), self._table.dimension)
        self._cut_words = 0
        self._forget()

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy

        made = numpy.zeros((len(texts), self.id.dimension), numpy.float32)
        for start in range(0, len(texts), _SLICE):
            self._add([_words(text) for text in texts[start : start + _SLICE]], made[start : start + _SLICE])
        lengths = numpy.linalg.norm(made, axis=1, keepdims=True)
        made /= numpy.where(lengths > 0, lengths, 1)
        return made

    def _forget(self) -> None:
        self._known = _Numbered()
        # Word number n has the rows `_rows_of[_start[n] : _start[n + 1]]`, which add up to it.
        self._start: Any = [0]
        self._rows_of: Any = ()
        self._kept = 0

    def _add(self, words: Sequence[Sequence[str]], made: Any) -> None:
        """Fill `made` with the sums of the rows of all pieces of each text; their mean has the same direction."""
        import numpy

        if len(self._rows_of) > _ROWS_KNOWN:
            self._forget()
        ends = numpy.cumsum([0, *map(len, words)])
        numbers = numpy.fromiter(map(self._known.__getitem__, itertools.chain.from_iterable(words)), int, int(ends[-1]))
        if self._known.new:
            self._learn(self._known.taken())
        start = self._start[numbers]
        counts = self._start[numbers + 1] - start
        upto = numpy.concatenate(([0], numpy.cumsum(counts)))
        rows = self._rows_of[numpy.repeat(start - upto[:-1], counts) + numpy.arange(upto[-1])]
        self._sum(rows, upto[ends], made)

    def _sum(self, rows: Any, bounds: Any, out: Any) -> None:
        """Add up the rows between each two bounds. A call each is four times as fast as one `reduceat` for all."""
        import numpy

        for at, (first, last) in enumerate(itertools.pairwise(bounds.tolist())):
            if last > first:
                numpy.add.reduce(self._rows.take(rows[first:last], axis=0), axis=0, out=out[at])

    def _learn(self, words: Sequence[str]) -> None:
        """Find the rows of new words: that of its sum for each of the first, those of its pieces for all others."""
        import numpy

        found: list[Sequence[int]] = list(self._numbers(words))
        places = [at for at, word in enumerate(words) if len(word) <= _LONG_WORD and found[at]]
        if places := places[: _SUMS - self._kept]:
            bounds = numpy.cumsum([0, *(len(found[at]) for at in places)])
            flat = numpy.fromiter(itertools.chain.from_iterable(found[at] for at in places), int, int(bounds[-1]))
            first = self._table.rows + self._kept
            self._sum(flat, bounds, self._rows[first : first + len(places)])
            for row, at in enumerate(places, first):
                found[at] = (row,)
            self._kept += len(places)
        new = numpy.fromiter(itertools.chain.from_iterable(found), numpy.int32)
        self._start = numpy.append(self._start, len(self._rows_of) + numpy.cumsum([len(one) for one in found]))
        self._rows_of = numpy.append(self._rows_of, new).astype(numpy.int32)
        for word in words:
            if len(word) > _LONG_WORD:
                del self._known[word]

    def _numbers(self, words: Sequence[str]) -> Iterable[Sequence[int]]:
        """The pieces of words, which come with their spaces made visible."""
        # The cost of a word without a space grows with the square of its length.
        self._cut_words += sum(1 + len(word) ** 2 // 100 for word in words)
        if self._cut_words <= _FEW_WORDS and not any(map(_is_special, words)):
            pieces = _pieces(self._place)
            return [list(bpe.of_word(word, pieces)) for word in words]
        spacing = self._tokenizer.normalizer
        self._tokenizer.normalizer = None
        found = [one.ids for one in self._tokenizer.encode_batch(words, add_special_tokens=False)]
        self._tokenizer.normalizer = spacing
        for at, word in enumerate(words):
            if _is_special(word):
                found[at] = self._tokenizer.encode(word[1:], add_special_tokens=False).ids
        return found

    @cached_property
    def _rows(self) -> Any:
        """The table, and room for the sums of words."""
        import numpy

        held = self._table
        rows = numpy.empty((held.rows + _SUMS, held.dimension), numpy.float32)
        rows[: held.rows] = numpy.fromfile(
            held.path, numpy.float16, held.rows * held.dimension, offset=held.start
        ).reshape(held.rows, held.dimension)
        return rows

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        return Tokenizer.from_file(str(self._place / _TOKENIZER))


def _words(text: str) -> list[str]:
    """The words of a text, their spaces made visible; one that the library cuts in its own way is one word, marked."""
    if "<" in text and any(token in text for token in _SPECIAL):
        return [_MARK + text]
    return bpe.WORD.findall(bpe.spaced(text)) if text else []


def _is_special(word: str) -> bool:
    return word.startswith(_MARK)
