"""The records of a JSON file of unknown vendor: lines, array elements, what a wrapper holds, or the single value.

Whether a file is JSON or JSON lines is told from content; the name only decides for short or damaged ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import ijson

from chatmem.model import Skipped
from chatmem.readers.jsonstream import Element, elements, lines, loads, skip_bom, top_level
from chatmem.readers.unpack import Source

_HEAD_LINES = 20
_LINE = 16 << 20


def records(source: Source, is_record: Callable[[Any], bool]) -> Iterator[Element | Skipped]:
    """Every candidate record. `is_record` tells a wrapper's items from a list that belongs to a single record."""
    if is_jsonl(source):
        yield from lines(source)
        return
    kind, wrapper = top_level(source)
    if kind == "array":
        yield from elements(source)
    elif wrapper and any(isinstance(e, Element) and is_record(e.value) for e in islice(elements(source, wrapper), 6)):
        yield from elements(source, wrapper)
    else:
        yield from _single(source)


def is_jsonl(source: Source) -> bool:
    """Most of the first lines are whole objects or arrays; one in four is enough for a file named so."""
    named = source.name.endswith((".jsonl", ".ndjson"))
    whole = total = 0
    for raw in islice(_first_lines(source), _HEAD_LINES):
        if len(raw) == _LINE:
            return named
        if raw.strip():
            total += 1
            whole += _is_whole(raw)
    return 4 * whole >= total > 0 if named else whole > 1 and 2 * whole > total


def _first_lines(source: Source) -> Iterator[bytes]:
    """The lines of a file, up to damage: whoever reads it in earnest reports that."""
    try:
        with source.open() as stream:
            skip_bom(stream)
            yield from iter(lambda: stream.readline(_LINE), b"")
    except OSError:
        return


def _is_whole(raw: bytes) -> bool:
    try:
        return isinstance(loads(raw), dict | list)
    except (ValueError, RecursionError):
        return False


def _single(source: Source) -> Iterator[Element | Skipped]:
    """The top-level values; of a damaged first one, what stands before the damage."""
    whole = False
    for record in elements(source):
        yield record
        if isinstance(record, Element):
            whole = True
        elif not whole and (value := _before_damage(source)) is not None:
            yield Element("", value)


def _before_damage(source: Source) -> Any:
    builder = ijson.ObjectBuilder()
    try:
        with source.open() as stream:
            for event, value in ijson.basic_parse(skip_bom(stream), use_float=True):
                builder.event(event, value)
    except (ijson.JSONError, ValueError, RecursionError, OSError):
        pass
    return builder.value
