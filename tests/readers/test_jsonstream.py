"""Elements and lines of JSON files, past every kind of damage."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatmem.model import Skipped
from chatmem.readers import _json_feed
from chatmem.readers.jsonstream import Element, elements, lines, loads, top_level
from chatmem.readers.unpack import file_source

Json = dict[str, Any]


def tree_chat(number: int) -> Json:
    """Nested maps, as ChatGPT has them."""
    nodes = {
        f"n{number}-{k}": {
            "id": f"n{number}-{k}",
            "message": {
                "id": f"m{k}",
                "content": {"parts": [f'hé 😀 {{[ "quoted" {k}']},
                "metadata": {"citations": [{"a": 1}]},
            },
            "parent": f"n{number}-{k - 1}",
        }
        for k in range(3)
    }
    return {
        "title": f"t{number}",
        "create_time": 1.5,
        "mapping": nodes,
        "current_node": "x",
        "conversation_id": f"c{number}",
    }


def list_chat(number: int) -> Json:
    """Nested lists of objects whose first key is that of a chat, as Claude has them."""
    messages = [
        {"uuid": f"m{k}", "text": f'[{{ "quoted" {k}', "content": [{"type": "text", "text": "ü"}], "sender": "human",
         "created_at": "x", "updated_at": "y", "files": [{"file_name": "x"}]}
        for k in range(4)
    ]  # fmt: skip
    return {"uuid": f"c{number}", "name": f"n{number}", "created_at": "x", "updated_at": "y", "account": {"uuid": "a"},
            "chat_messages": messages}  # fmt: skip


MAKERS: list[Callable[[int], Json]] = [tree_chat, list_chat]
STYLES: list[Json] = [{}, {"indent": 1}, {"ensure_ascii": False}, {"separators": (",", ":")}]


def read(folder: Path, data: bytes, wrapper: str | None = None) -> tuple[list[Any], list[Skipped]]:
    path = folder / "x.json"
    path.write_bytes(data)
    items = list(elements(file_source(path), wrapper))
    return [i.value for i in items if isinstance(i, Element)], [i for i in items if isinstance(i, Skipped)]


def read_lines(folder: Path, data: bytes) -> tuple[list[Element], list[Skipped]]:
    path = folder / "x.jsonl"
    path.write_bytes(data)
    items = list(lines(file_source(path)))
    return [i for i in items if isinstance(i, Element)], [i for i in items if isinstance(i, Skipped)]


# -- good files -------------------------------------------------------------------------------------------------------


def test_elements_know_their_pointers(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'\xef\xbb\xbf [{"a": 1}, 2, [3], null]')
    assert list(elements(file_source(tmp_path / "x.json"))) == [
        Element("/0", {"a": 1}), Element("/1", 2), Element("/2", [3]), Element("/3", None),
    ]  # fmt: skip


def test_a_wrapper_is_unwrapped_only_on_request_and_only_at_the_top(tmp_path: Path) -> None:
    data = b'{"user": {"conversations": [0]}, "conversations": [1, 2], "n": 123456789012345678901234567890}'
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert list(elements(file_source(path), "conversations")) == [
        Element("/conversations/0", 1), Element("/conversations/1", 2),
    ]  # fmt: skip
    assert read(tmp_path, data)[0][0]["conversations"] == [1, 2]
    assert read(tmp_path, b'{"items": [1], "x": 2}', "conversations") == ([{"items": [1], "x": 2}], [])
    assert read(tmp_path, b'{"conversations": []}', "conversations") == ([], [])


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"[]", ("array", "")),
        (b' \n[{"conversations": []}]', ("array", "")),
        (b'{"a": 1}', ("object", "")),
        (b'{"conversations": {}}', ("object", "")),
        (b'{"n": 99999999999999999999, "a": {"data": []}, "chats": [', ("object", "chats")),
        (b"5", ("other", "")),
        (b'"x"', ("other", "")),
        (b"", ("object", "")),
        (b"not json", ("object", "")),
    ],
)
def test_the_top_level_is_told_from_the_beginning(tmp_path: Path, data: bytes, kind: tuple[str, str]) -> None:
    (tmp_path / "x.json").write_bytes(data)
    assert top_level(file_source(tmp_path / "x.json")) == kind


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (b"NaN", "nan"),
        (b"-Infinity", "-inf"),
        (b"1e400", "inf"),
        (b"123456789012345678901234567890", "123456789012345678901234567890"),
        (b"18446744073709551615", "18446744073709551615"),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\ude00"', "\ufffd"),
        (rb'"\ud83d\u4f60\u597d"', "\ufffd你好"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd😀"),
        (rb'"\\ud83d and \\\ud83d"', "\\ud83d and \\\ufffd"),
        (b'"\xed\xa0\xbd"', "\ufffd\ufffd\ufffd"),
        (b'"caf\xe9"', "caf\ufffd"),
        (b'"tab\there, line\nbreak"', "tab\there, line\nbreak"),
    ],
)
@pytest.mark.parametrize("beside", [b"", b'{"a": 1}, '])
def test_what_products_really_write_is_no_damage(tmp_path: Path, written: bytes, value: str, beside: bytes) -> None:
    found, skipped = read(tmp_path, b"[" + beside + b'{"v": ' + written + b'}, {"last": 1}]')
    assert not skipped
    assert str(float(found[-2]["v"]) if value.startswith("1234") else found[-2]["v"]) in (
        value,
        str(float("1.2345678901234568e29")),
    )
    assert found[-1] == {"last": 1}


def test_emoji_across_the_edge_of_a_block_stay_whole(tmp_path: Path) -> None:
    text = "😀" * 60_000
    assert read(tmp_path, json.dumps(["x", text, {"t": text}]).encode()) == (["x", text, {"t": text}], [])
    assert read(tmp_path, json.dumps([text.replace("😀", "😀\ud83d")]).encode())[0] == [text.replace("😀", "😀\ufffd")]


def test_utf16_and_duplicate_keys_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, '[{"a": "ü", "a": "😀"}]'.encode("utf-16")) == ([{"a": "😀"}], [])


def test_a_comma_too_many_or_too_few_loses_nothing(tmp_path: Path) -> None:
    for data in (b'[{"a":1},{"a":2},]', b'[{"a":1} {"a":2}]', b'[,{"a":1},,{"a":2}]'):
        assert read(tmp_path, data) == ([{"a": 1}, {"a": 2}], [])


def test_arrays_put_one_behind_the_other_are_all_read(tmp_path: Path) -> None:
    assert read(tmp_path, b'[{"a":1}]\n[{"a":2},{"a":3}]\n')[0] == [{"a": 1}, {"a": 2}, {"a": 3}]


def nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)


SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(max_size=20)
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.recursive(SCALARS, nested, max_leaves=20), max_size=6), st.sampled_from(STYLES), st.booleans())
def test_any_array_comes_back_as_it_was(tmp_path: Path, values: list[Any], style: Json, wrapped: bool) -> None:
    written = json.dumps({"v": 1, "data": values, "z": [0]} if wrapped else values, **style)
    found, skipped = read(tmp_path, written.encode(), "data" if wrapped else None)
    assert not skipped
    assert found == values


# -- damage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("wrapper", [None, "conversations"])
def test_a_file_cut_anywhere_gives_every_whole_element_once_and_one_problem(
    tmp_path: Path, make: Callable[[int], Json], style: Json, wrapper: str | None
) -> None:
    good = [make(number) for number in range(3)]
    written = [json.dumps(each, **style).encode() for each in good]
    begin = b'{"v": 1, "conversations": [' if wrapper else b"["
    data = begin + b", ".join(written) + (b'], "z": [{"q": 1}]}' if wrapper else b"]")
    ends = [len(begin) + sum(map(len, written[: n + 1])) + 2 * n for n in range(3)]
    rnd = random.Random(5)
    cuts = {len(begin), len(data) - 1, *(end + by for end in ends for by in (-1, 0, 1, 2))}
    for cut in sorted(cut for cut in cuts | set(rnd.sample(range(len(begin), len(data)), 60)) if cut < len(data)):
        found, skipped = read(tmp_path, data[:cut], wrapper)
        assert found == good[: sum(end <= cut for end in ends)], cut
        assert len(skipped) == 1, cut


def without(data: bytes, what: bytes, nth: int) -> bytes:
    """The data without one occurrence, counted from the end if negative."""
    places = [at for at in range(len(data)) if data.startswith(what, at)]
    return data[: places[nth]] + data[places[nth] + len(what) :]


HARM: dict[str, Callable[[bytes], bytes]] = {
    "last brace missing": lambda b: without(b, b"}", -1),
    "inner brace missing": lambda b: without(b, b"}", 1),
    "bracket missing": lambda b: without(b, b"]", -1),
    "opening brace missing": lambda b: without(b, b"{", 1),
    "first key unclosed": lambda b: without(b, b'"', 1),
    "middle string unclosed": lambda b: without(b, b'"', len([c for c in b if c == 34]) // 2),
    "last string unclosed": lambda b: without(b, b'"', -1),
    "colon missing": lambda b: without(b, b":", 3),
    "invalid escape": lambda b: b.replace(b"quoted", rb"\x", 1),
    "brace too many": lambda b: b.replace(b'"x"', b'"x"}', 1),
    "open braces too many": lambda b: b.replace(b'"x"', b'{{{"x"', 1),
    "zeroed": lambda b: b[:60] + bytes(50) + b[110:],
    "overwritten": lambda b: b[:60] + bytes(range(128, 178)) + b[110:],
    "head lost": lambda b: b[40:],
    "a bare word": lambda b: b"oops" + b,
}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("victims", [[0], [2], [4], [1, 2], [0, 1], [3, 4]])
@pytest.mark.parametrize("wrapper", [None, "conversations"])
def test_a_damaged_element_costs_only_itself_wherever_it_stands(
    tmp_path: Path, make: Callable[[int], Json], harm: str, victims: list[int], wrapper: str | None
) -> None:
    good = [make(number) for number in range(5)]
    written = [json.dumps(each).encode() for each in good]
    for victim in victims:
        written[victim] = HARM[harm](written[victim])
    data = b"[" + b",\n".join(written) + b"]"
    found, skipped = read(tmp_path, b'{"conversations":' + data + b', "z": 1}' if wrapper else data, wrapper)
    whole = [each for number, each in enumerate(good) if number not in victims]
    assert [each for each in found if each in whole] == whole
    assert len(skipped) >= 1
    # A brace too many ends an element early, and behind a bare word it may be whole: both are given.
    assert len(found) - len(whole) <= len(victims)


def test_a_problem_names_its_element_and_its_reason(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    data = [json.dumps(list_chat(number)) for number in range(3)]
    path.write_text(f"[{data[0]}, {data[1].replace(': ', ' ', 1)}, {data[2]}]")
    first, problem, third = elements(file_source(path))
    assert problem == Skipped(f"{path} /1", "damaged element (expecting ':' delimiter)")
    assert isinstance(first, Element) and isinstance(third, Element)
    assert (first.pointer, third.pointer) == ("/0", "/2")


def test_reading_goes_on_fast_behind_damage_and_keeps_counting(tmp_path: Path) -> None:
    written = [json.dumps(tree_chat(number)) for number in range(3000)]
    for number in range(100, 3000, 300):
        written[number] = written[number].replace('"mapping"', "mapping")
    path = tmp_path / "x.json"
    path.write_text("[" + ", ".join(written) + "]", encoding="utf-8")
    items = list(elements(file_source(path)))
    problems = [item.where for item in items if isinstance(item, Skipped)]
    assert problems == [f"{path} /{number}" for number in range(100, 3000, 300)]
    assert all(i.value["title"] == f"t{i.pointer[1:]}" for i in items if isinstance(i, Element))
    assert len(items) == 3000


@pytest.mark.parametrize(
    "data", [b"", b" ", b"[", b"{", b"[{", b'"', b"nul", b"\x00", b"hello [x]({", b'{"conversations":']
)
def test_what_is_no_json_is_one_problem(tmp_path: Path, data: bytes) -> None:
    for wrapper in (None, "conversations"):
        found, skipped = read(tmp_path, data, wrapper)
        assert (found, len(skipped)) == ([], 1)


def test_data_behind_the_end_is_told(tmp_path: Path) -> None:
    assert read(tmp_path, b'[{"a":1}] tail')[1][0].reason == "unreadable data behind the last element"
    assert read(tmp_path, b'{"a":1} {"a":')[0] == [{"a": 1}]
    assert read(tmp_path, b'{"a":1} {"a":2}\n[3]')[0] == [{"a": 1}, {"a": 2}, [3]]
    assert read(tmp_path, b'{"a":1} {"a":')[1][0].reason == "unreadable data behind the JSON value"
    found, skipped = read(tmp_path, b'{"conversations": [{"a":1}], "x": tru', "conversations")
    assert (found, len(skipped)) == ([{"a": 1}], 1)


def test_nesting_without_end_neither_fills_memory_nor_hides_what_follows(tmp_path: Path) -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    maps = b'{"a":' * 50_000 + b"1" + b"}" * 50_000
    for bomb in (deep, maps):
        tracemalloc.start()
        found, skipped = read(tmp_path, b'[{"a":1,"b":2},' + bomb + b',{"a":3,"b":4}]')
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
        assert len(skipped) == 1
        assert peak < 50 << 20


def test_nesting_that_a_parser_can_follow_is_read(tmp_path: Path) -> None:
    deep: Json = {}
    for _ in range(400):
        deep = {"children": [deep]}
    assert read(tmp_path, json.dumps([deep, {"children": []}]).encode()) == ([deep, {"children": []}], [])


def test_an_element_of_no_end_is_given_up_in_bounded_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json_feed, "MAX_ELEMENT", 1 << 20)
    found, skipped = read(tmp_path, b'[{"a":1},"' + b"x" * (3 << 20))
    assert found == [{"a": 1}]
    assert len(skipped) == 1


def test_compressed_data_that_ends_early_gives_the_elements_before(tmp_path: Path) -> None:
    rnd = random.Random(3)
    good = [{"n": n, "text": rnd.randbytes(300).hex()} for n in range(2000)]
    packed = gzip.compress(json.dumps(good).encode())
    found, skipped = read(tmp_path, packed[: len(packed) // 2])
    assert 800 < len(found) < 1100
    assert found == good[: len(found)]
    assert [s.reason for s in skipped] == ["compressed data ends early; download it again"]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("[" + ",".join(json.dumps(list_chat(number)) for number in range(12_000)) + "]")
    assert path.stat().st_size > 8 << 20
    tracemalloc.start()
    assert sum(1 for _ in elements(file_source(path))) == 12_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 << 20


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_raises_or_yields_an_element_twice(tmp_path: Path, data: st.DataObject) -> None:
    make, style = data.draw(st.sampled_from(MAKERS)), data.draw(st.sampled_from(STYLES))
    wrapper = data.draw(st.sampled_from([None, "conversations"]))
    good = [make(number) for number in range(4)]
    raw = bytearray(json.dumps({"conversations": good} if wrapper else good, **style).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        cut = data.draw(st.sampled_from([0, 1, 1, 5, 200]))
        raw[at : at + cut] = data.draw(
            st.sampled_from([b"", b'"', b"}", b"]", b"{", b"\x00", b"\xff\xfe", b"\\", b","])
        )
    found, _ = read(tmp_path, bytes(raw), wrapper)
    whole = [each for each in found if each in good]
    assert len(whole) == len({json.dumps(each) for each in whole})


# -- lines ------------------------------------------------------------------------------------------------------------


def test_lines_split_on_line_feeds_only(tmp_path: Path) -> None:
    odd = {"text": "a\u2028b\u2029c\x85d\x0b\x0ce"}
    data = b"\xef\xbb\xbf" + json.dumps(odd, ensure_ascii=False).encode() + b'\r\n\n  \n{"n": 2}'
    assert read_lines(tmp_path, data) == ([Element("line 1", odd), Element("line 4", {"n": 2})], [])


def test_torn_lines_cost_only_themselves(tmp_path: Path) -> None:
    found, skipped = read_lines(tmp_path, b'{"a": tor\n{"a": 1}\n\x00\x00\n[1]\n{"b"')
    assert [e.pointer for e in found] == ["line 2", "line 4"]
    assert [s.where.rsplit(" ", 2)[1:] for s in skipped] == [["line", "1"], ["line", "3"], ["line", "5"]]


def test_a_line_may_hold_what_strict_parsers_refuse(tmp_path: Path) -> None:
    found, _ = read_lines(
        tmp_path, b'{"a": NaN}\n{"b": "\\ud83d"}\n{"c": "caf\xe9"}\n{"d": 123456789012345678901234567890}\n'
    )
    assert [list(e.value) for e in found] == [["a"], ["b"], ["c"], ["d"]]


def test_a_line_too_long_is_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chatmem.readers.jsonstream.MAX_LINE", 1000)
    found, skipped = read_lines(tmp_path, b'{"a":1}\n"' + b"x" * 5000 + b'"\n{"a":2}\n"' + b"y" * 998 + b"\n3")
    assert [e.pointer for e in found] == ["line 1", "line 3", "line 5"]
    assert [s.where.rsplit(" ", 1)[1] for s in skipped] == ["2", "4"]


def test_compressed_lines_that_end_early_give_the_lines_before(tmp_path: Path) -> None:
    rnd = random.Random(3)
    packed = gzip.compress(b"".join(json.dumps({"n": rnd.random()}).encode() + b"\n" for _ in range(50_000)))
    found, skipped = read_lines(tmp_path, packed[: len(packed) // 2])
    assert len(found) > 20_000
    assert [s.reason for s in skipped] == ["compressed data ends early; download it again"]


@pytest.mark.parametrize("data", [b"[" * 200_000, b'{"a":' * 100_000, b"1" * 10_000, b"\xff\xfe", b""])
def test_loads_raises_nothing_but_value_errors(data: bytes) -> None:
    with pytest.raises(ValueError):
        loads(data + b"!")
