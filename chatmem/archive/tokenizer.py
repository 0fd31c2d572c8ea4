"""One tokenizer for index and query: what text can be found by.

Text is first cut into raw tokens by one RE2 pattern inside DuckDB (set at a time); each *distinct* raw token is then
expanded here to terms: words folded and stemmed, identifiers whole and in parts, CJK as overlapping bigrams. Changing
either changes VERSION, and the index is rebuilt.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import Stemmer

VERSION = "3"

# Letters, digits, marks and `_`, joined by punctuation that identifiers, versions, paths and addresses contain.
RAW_TOKEN = r"[\p{L}\p{N}\p{M}_]+(?:[-./:@#+'’&\\]+[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?"
# A longer token (a path, an address, a text without spaces) is taken apart, and of what is no such text (a key, an
# image in letters) only so much is looked at.
MAX_TOKEN, MAX_LONG_TOKEN = 200, 2_000
# The same for text of ASCII characters only, without the database.
ASCII_TOKEN = re.compile(r"[A-Za-z0-9_]+(?:[-./:@#+'&\\]+[A-Za-z0-9_]+)*(?:\+\+|#)?")
# Terms of the time a message was said (`@2025`, `@m03`, `@d07`): no text can contain them, only a date in a query.
MARK = "@"
# Colours and cursor movements of pasted terminal output: their letters are no part of the words behind them. One
# pattern for RE2 and Python.
TERMINAL_SEQUENCE = r"\x1b\[[0-9;:?]*[ -/]*[@-~]"

_SEGMENT = re.compile(r"[/\\:@#&]+")
_JOINER = re.compile(r"[-.+_']+")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[0-9]+")
# APIs, PDFs: one word in the plural, no camelCase.
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_VERSION_PREFIX = re.compile(r"v\d")
_PLUS_PLUS = re.compile(r"[a-z]\+\+")
_LETTER = re.compile(r"[^\W_]")
_CLITICS = {"s", "t", "d", "m", "ll", "ve", "re"}
# Combining marks that spelling drops: Latin/Greek/Cyrillic accents, Hebrew points, Arabic vowels. Not the breve of й,
# which is a letter of its own.
_MARKS = re.compile("(?<!и)\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05c7\u064b-\u0652]")
# Scripts written without spaces: Han, Kana, Hangul, Thai, Lao, Khmer, Burmese.
UNSPACED = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff]+"
)
_CLASS = UNSPACED.pattern.strip("[]+")
# What a long token consists of: runs of unspaced script, and what stands between them and between the parts of a path.
_LONG_PIECE = re.compile(rf"[{_CLASS}]+|[^{_CLASS}/\\:@#&]+")
_BETWEEN_JOINERS = re.compile(r"[^-.+_'’]+")
_CYRILLIC = re.compile("[\u0400-\u04ff]")


class Terms(NamedTuple):
    """`words` in order, each counted in a text's length; `wholes` are further spellings of the same token."""

    words: tuple[str, ...]
    wholes: tuple[str, ...]


def fold(text: str) -> str:
    """Case and accents removed, compatibility forms unified: `Ｅｘposé` -> `expose`."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", _MARKS.sub("", decomposed)).casefold()


def expand(raw: str) -> Terms:
    """The terms of one raw token; the same for index and query. A token without a letter or digit has none."""
    if len(raw) <= MAX_TOKEN:
        return _expand(raw)
    found = [_expand(piece) for _, piece in pieces(raw)]
    words = tuple(word for terms in found for word in terms.words)
    known = set(words)
    return Terms(words, tuple(dict.fromkeys(w for terms in found for w in terms.wholes if w not in known)))


def pieces(raw: str) -> Iterator[tuple[int, str]]:
    """(place, piece) of a long token: each run of unspaced script, part of a path, or word of a part too long."""
    for match in _LONG_PIECE.finditer(raw):
        if match.end() - match.start() <= MAX_TOKEN or UNSPACED.match(match.group()):
            yield match.start(), match.group()
            continue
        for word in _BETWEEN_JOINERS.finditer(raw, match.start(), match.end()):
            yield word.start(), word.group()[:MAX_TOKEN]


@lru_cache(maxsize=1 << 16)
def _expand(token: str) -> Terms:
    if token.startswith(MARK):
        return Terms((), (token,))
    if token.isascii():
        if token.islower() and token.isalpha():
            return Terms((stem(token),), ())
    else:
        token = unicodedata.normalize("NFC", token).replace("’", "'")
    words: list[str] = []
    wholes: dict[str, None] = {}
    segments = [s for s in _SEGMENT.split(token) if s]
    for segment in segments:
        _expand_segment(segment, words, wholes)
    if words and (len(segments) > 1 or token.endswith(("+", "#"))):
        wholes[fold(token)] = None
    for word in words:
        wholes.pop(word, None)
    return Terms(tuple(words), tuple(wholes))


def _expand_segment(segment: str, words: list[str], wholes: dict[str, None]) -> None:
    pieces = [p for p in _JOINER.split(segment) if _LETTER.search(p)]
    if len(pieces) == 2 and pieces[1].lower() in _CLITICS and segment[len(pieces[0])] == "'":
        # Caroline's -> caroline; don't -> dont.
        pieces = [pieces[0] if pieces[1].lower() == "s" else "".join(pieces)]
    elif pieces:
        _add_wholes(fold(segment), len(pieces) > 1, wholes)
    for piece in pieces:
        _expand_word(piece, words, wholes)


def _add_wholes(whole: str, joined: bool, wholes: dict[str, None]) -> None:
    """Spellings of a token as one: `foo-bar`, `foobar` (also for foo_bar and fooBar), `1.2` of v1.2, `c++` of C++17."""
    if joined:
        wholes[whole] = None
        together = whole.replace("-", "").replace("_", "")
        if together.isalnum():
            wholes |= {together: None, stem(together): None}
        if plus := _PLUS_PLUS.match(whole):
            wholes[plus.group()] = None
    if _VERSION_PREFIX.match(whole):
        wholes[whole[1:]] = None


def _expand_word(word: str, words: list[str], wholes: dict[str, None]) -> None:
    if not word.isascii() and UNSPACED.search(word):
        start = 0
        for run in UNSPACED.finditer(word):
            if run.start() > start:
                _expand_word(word[start : run.start()], words, wholes)
            words.extend(_bigrams(fold(run.group())))
            start = run.end()
        if start < len(word):
            _expand_word(word[start:], words, wholes)
        return
    folded = fold(word)
    if _PLURAL_ACRONYM.fullmatch(word):
        words.append(stem(folded[:-1]))
        wholes |= {folded: None, stem(folded): None}
        return
    if word.isascii() and not word.islower() and not word.isupper():
        parts = _CAMEL.findall(word)
        if len(parts) > 1 and sum(map(len, parts)) == len(word):
            words.extend(stem(part.lower()) for part in parts)
            wholes |= {folded: None, stem(folded): None}
            return
    words.append(stem(folded))


def _bigrams(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Snowball stem of a folded word of letters; anything with a digit stays as it is."""
    if len(word) < 3 or not word.isalpha():
        return word
    return str((_russian() if _CYRILLIC.match(word) else _english()).stemWord(word))


@lru_cache(maxsize=1)
def _english() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


@lru_cache(maxsize=1)
def _russian() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("russian")


def term_id(term: str) -> int:
    """64-bit id of a term: a hash, so that index runs need no shared dictionary and no lookup."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8"), digest_size=8).digest(), "little")
