"""What text can be found by: a table of spellings, and that index and query agree on every one of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.archive.tokenizer import ASCII_TOKEN, MAX_TOKEN, RAW_TOKEN, expand, fold, stem, term_id
from chatmem.search.query import parse
from chatmem.search.words import Known, lookup

Cut = Callable[[str], list[str]]
NOTHING_KNOWN = Known(lambda text: (), lambda text: ())


@pytest.fixture(scope="module")
def cut() -> Iterator[Cut]:
    """The index's own way to cut a text into raw tokens."""
    with duckdb.connect() as connection:
        yield lambda text: list(
            (connection.execute(f"SELECT regexp_extract_all(?, $re${RAW_TOKEN}$re$)", [text]).fetchone() or ([],))[0]
        )


def terms(text: str, cut: Cut) -> set[str]:
    return {t for raw in cut(text) for t in (*expand(raw[:MAX_TOKEN]).words, *expand(raw[:MAX_TOKEN]).wholes)}


@pytest.mark.parametrize(
    ("raw", "words", "wholes"),
    [
        ("word", "word", ""),
        ("Running", "run", ""),
        ("getUserById", "get user by id", "getuserbyid"),
        ("parseHTTPResponse", "pars http respons", "parsehttpresponse parsehttprespons"),
        ("iPhone", "i phone", "iphone iphon"),
        ("YouTube's", "you tube", "youtube youtub"),
        ("APIs", "api", "apis"),
        ("PDFs", "pdf", "pdfs"),
        ("IDs", "id", "ids"),
        ("foo_bar", "foo bar", "foo_bar foobar"),
        ("foo-bar", "foo bar", "foo-bar foobar"),
        ("e-mails", "e mail", "e-mails emails email"),
        ("src/app/main.py", "src app main py", "main.py src/app/main.py"),
        ("C:\\Users\\me", "c user me", "c:\\users\\me"),
        ("std::vector", "std vector", "std::vector"),
        ("anna@example.com", "anna exampl com", "example.com anna@example.com"),
        ("v1.2.3", "v1 2 3", "v1.2.3 1.2.3"),
        ("v2", "v2", "2"),
        ("3.12", "3 12", "3.12"),
        ("GPT-4o", "gpt 4o", "gpt-4o gpt4o"),
        ("E0502", "e0502", ""),
        ("0x8007045D", "0x8007045 d", "0x8007045d"),
        ("ERR_CONN-42", "err conn 42", "err_conn-42 errconn42"),
        ("C++", "c", "c++"),
        ("C++17", "c 17", "c++17 c++"),
        ("C#", "c", "c#"),
        ("2024-03-01", "2024 03 01", "2024-03-01 20240301"),
        ("don't", "dont", ""),
        ("don’t", "dont", ""),
        ("Caroline’s", "carolin", ""),
        ("l'école", "l ecol", "l'ecole"),
        ("l’école", "l ecol", "l'ecole"),
        ("O'Brien", "o brien", "o'brien"),
        ("Straße", "strass", ""),
        ("Ｅｘposé", "expos", ""),
        ("İstanbul", "istanbul", ""),
        ("новый", "нов", ""),
        ("новая", "нов", ""),
        ("Ёлка", "елк", ""),
        ("مُحَمَّد", "محمد", ""),
        ("שָׁלוֹם", "שלום", ""),
        ("数据库", "数据 据库", ""),
        ("猫", "猫", ""),
        ("データ", "デー ータ", ""),
        ("한국어", "한국 국어", ""),
        ("ภาษา", "ภา าษ ษา", ""),
        ("Python编程", "python 编程", ""),
        ("___", "", ""),
        ("\ufe0f", "", ""),
        ("@2025", "", "@2025"),
    ],
)
def test_a_token_is_found_by_these_terms(raw: str, words: str, wholes: str) -> None:
    found = expand(raw)

    assert (" ".join(found.words), " ".join(found.wholes)) == (words, wholes)


@pytest.mark.parametrize(
    ("text", "raws"),
    [
        ("Use `foo_bar(x)`, then foo.bar->baz!", ["Use", "foo_bar", "x", "then", "foo.bar", "baz"]),
        ("https://a.b/c?d=e#f", ["https://a.b/c", "d", "e#f"]),
        ("$ rm -rf /usr/local/bin", ["rm", "rf", "usr/local/bin"]),
        ("C++, C# and g++.", ["C++", "C#", "and", "g++"]),
        ("“quoted” (e.g. this)", ["quoted", "e.g", "this"]),
        ("a🙂b 👍🏽 ❤️", ["a", "b", "\ufe0f"]),
        ("数据库，索引。", ["数据库", "索引"]),
        ("हिन्दी e\u0301t\u00e9", ["हिन्दी", "e\u0301t\u00e9"]),
        ("50% of 1,000.50 €", ["50", "of", "1", "000.50"]),
    ],
)
def test_a_text_is_cut_into_these_tokens(text: str, raws: list[str], cut: Cut) -> None:
    assert cut(text) == raws


SAME = [
    ("iPhone", "iphone"), ("iphones", "iPhone"), ("YouTube", "youtube"), ("getUsers", "getusers"), ("APIs", "api"),
    ("APIs", "apis"), ("PDFs", "pdf"), ("PDFs", "pdfs"), ("pdfs", "PDFs"), ("GitHub", "GITHUB"), ("foo_bar", "fooBar"),
    ("foo-bar", "foo_bar"), ("fooBar", "foobar"), ("e-mail", "emails"), ("GPT-4o", "gpt4o"), ("gpt4o", "GPT-4o"),
    ("v1.2.3", "1.2.3"), ("1.2.3", "v1.2.3"), ("C++17", "c++"), ("E-1234", "E1234"), ("café", "CAFE"),
    ("Straße", "strasse"), ("l’école", "l'école"), ("l'école", "école"), ("don’t", "don't"), ("naïve", "nai\u0308ve"),
    ("Ｆｕｌｌ", "full"), ("ﬁle", "file"), ("Ёлка", "елка"), ("новый", "новая"), ("مُحَمَّد", "محمد"),
    ("/usr/local/bin/python3.11", "python3.11"), ("src/app/main.py", "main.py"), ("anna@example.com", "example.com"),
    ("https://example.com/docs/a.html", "example.com"), ("Caroline's", "caroline"), ("数据库索引优化", "索引"),
    ("running", "run"), ("\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"), ("か\u3099き\u3099", "がぎ"),
    ("x86_64", "x86"),
    ("node.js", "Node.js"), ("NullPointerException", "pointer"), ("kubectl-get", "kubectl"), ("T'Pol", "t’pol"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "query"), SAME)
def test_a_query_finds_what_is_spelled_a_little_differently(text: str, query: str, cut: Cut) -> None:
    asked = {t for slot in lookup(parse(query), cut, NOTHING_KNOWN).slots for t in slot.terms}

    assert asked & {term_id(t) for t in terms(text, cut)}


WORDS = st.sampled_from(
    sorted({w for pair in SAME for w in pair} | {"the", "of", "猫", "C#", "AT&T", "R2-D2", "mañana"})
)
TOKENLIKE = st.from_regex(
    r"[A-Za-z0-9_éßжλ数]{1,8}([-./:@#+'’&\\]{1,2}[A-Za-z0-9_éßжλ数]{1,6}){0,3}(\+\+|#)?", fullmatch=True
)


@settings(max_examples=30, deadline=None)
@given(text=WORDS | TOKENLIKE)
def test_what_is_put_in_is_found_by_the_same_spelling_and_by_its_parts(text: str, cut: Cut) -> None:
    indexed = {term_id(t) for t in terms(f"before {text} after", cut)}
    for query in (text, text.upper() if text.isascii() and text.isupper() else text, *re.split(r"[-./:@#+&\\]+", text)):
        slots = lookup(parse(query.replace('"', "")), cut, NOTHING_KNOWN).slots
        if any(c.isalnum() for c in query):
            assert slots, query
            for slot in slots:
                # Part, whole or bigram: whatever a query looks for stands in the index of a text that holds it.
                assert set(slot.terms) & indexed or query != text, (query, slot)
            assert any(set(slot.terms) & indexed for slot in slots), query


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(codec="ascii"), max_size=60))
def test_ascii_text_is_cut_without_the_database_just_as_with_it(text: str, cut: Cut) -> None:
    assert ASCII_TOKEN.findall(text) == cut(text)


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_at_all_is_cut_and_expanded(text: str, cut: Cut) -> None:
    for raw in cut(text):
        words, wholes = expand(raw)
        assert all(term and not term.isspace() for term in (*words, *wholes))
        assert bool(words) == any(c.isalnum() for c in raw)
        assert not set(words) & set(wholes)


@given(st.text(max_size=30))
def test_folding_is_final(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


def test_a_token_longer_than_the_limit_is_known_by_its_beginning() -> None:
    for long in ("x" * 5_000, "x1" * 2_500, "é" * 5_000):
        assert expand(long) == expand(long[:MAX_TOKEN])
    assert len(stem("x" * MAX_TOKEN)) == MAX_TOKEN


@pytest.mark.parametrize(
    ("long", "last"),
    [
        ("漢" * 150 + "API" + "字" * 149 + "海", ["api", "字海"]),
        ("ก" * 233 + "ข", ["กข"]),
        ("https://example.org/" + "segment/" * 40 + "lastPart", ["last", "part", "lastpart", "example.org"]),
        ("x" * 300 + "京都", ["京都"]),
    ],
)
def test_of_a_long_token_every_part_is_known(long: str, last: list[str], cut: Cut) -> None:
    assert set(last) <= {t for raw in cut(long) for t in (*expand(raw).words, *expand(raw).wholes)}


def test_the_pattern_of_tokens_is_linear() -> None:
    assert len(ASCII_TOKEN.findall("a-" * 200_000 + "!")) == 1
    assert "{" not in RAW_TOKEN.replace(r"\p{L}", "").replace(r"\p{N}", "").replace(r"\p{M}", "")
