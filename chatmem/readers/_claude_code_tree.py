"""Which lines of a Claude Code log were rewound (formats.md 4.3.6 and 4.3.7).

File order is reading order; `parentUuid` only tells branches apart. A missing parent is no orphan: a torn line, a
compaction or a resume loses the link, and the line simply follows the one before it. A branch counts as rewound only
if something was said on it; parallel tool calls fork the tree too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from chatmem.readers._claude_code_log import Line

_NONE = -1


def parents(lines: Sequence[Line], index: Mapping[str, int], main: Sequence[int]) -> dict[int, int]:
    """For every line of the thread the earlier line that it follows; -1 for the first. `main` in file order."""
    found: dict[int, int] = {}
    before = _NONE
    for number in main:
        parent = index.get(lines[number].parent or "", _NONE)
        found[number] = parent if parent in found else before
        before = number
    return found


def turns_before(lines: Sequence[Line], parent: Mapping[int, int], stored: Set[str]) -> dict[int, str | None]:
    """For every line the nearest turn before it, other than its own, that is stored as a message of its own."""
    found: dict[int, str | None] = {}
    for number, before in parent.items():
        turn = lines[before].turn if before != _NONE else None
        is_other = turn in stored and turn != lines[number].turn
        found[number] = turn if is_other else found.get(before)
    return found


def rewound(lines: Sequence[Line], parent: Mapping[int, int], spoken: Set[int]) -> set[int]:
    """The lines of `parent` that are on a discarded branch. `spoken`: lines where a visible message begins."""
    chain = _chain(max((n for n in parent if n in spoken), default=_NONE), parent)
    turns = {lines[n].turn for n in chain}
    tops: dict[int, int] = {}
    for number, before in parent.items():
        if number not in chain:
            tops[number] = tops.get(before, number)
    said = {top for number, top in tops.items() if number in spoken and lines[number].turn not in turns}
    return {number for number, top in tops.items() if top in said}


def _chain(leaf: int, parent: Mapping[int, int]) -> set[int]:
    """The line and everything before it; parents are always earlier lines, so there is no loop."""
    chain: set[int] = set()
    while leaf != _NONE:
        chain.add(leaf)
        leaf = parent[leaf]
    return chain
