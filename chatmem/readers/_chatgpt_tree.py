"""The tree of a ChatGPT conversation: which nodes are on the displayed path and in what order all of them are read.

Only `parent` builds the tree: `children` is absent in slim files, key order and time order lie (formats.md 2.7). The
displayed path is the chain from `current_node` to the root; everything else is an alternate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Node:
    """What the tree needs to know. `spoken`: it has a message; `visible`: a person saw it; `children` may be empty."""

    parent: str | None
    children: tuple[str, ...] = ()
    spoken: bool = False
    visible: bool = False
    superseded: bool = False
    at: datetime | None = None


class Tree:
    def __init__(self, nodes: dict[str, Node]) -> None:
        self._nodes = nodes
        self._parents = {key: node.parent if node.parent in nodes else None for key, node in nodes.items()}

    def order(self, current: str | None) -> Iterator[tuple[str, bool]]:
        """(node id, whether it is on the displayed path): that path first, parents always before their children."""
        seen: set[str] = set()
        leaf = current if current in self._nodes else self._latest_leaf()
        for key in self._displayed(leaf, seen):
            yield key, True
        for start in self._nodes:
            for key in self._chain(start, seen):
                yield key, False

    def spoken_parent(self, key: str) -> str | None:
        """The nearest ancestor that has a message; roots have none."""
        seen = {key}
        parent = self._parents[key]
        while parent is not None and not self._nodes[parent].spoken and parent not in seen:
            seen.add(parent)
            parent = self._parents[parent]
        return parent if parent not in seen else None

    def _chain(self, leaf: str | None, seen: set[str]) -> list[str]:
        """The nodes from the first one not seen yet to `leaf`. A cycle ends it."""
        chain: list[str] = []
        while leaf is not None and leaf not in seen:
            seen.add(leaf)
            chain.append(leaf)
            leaf = self._parents[leaf]
        return chain[::-1]

    def _displayed(self, leaf: str | None, seen: set[str]) -> list[str]:
        """The path to `leaf`, over gaps where a node on it was dropped from the file."""
        path = self._chain(leaf, seen)
        earlier: list[tuple[datetime, str]] | None = None
        while path and (missing := self._nodes[path[0]].parent) is not None and missing not in self._nodes:
            if earlier is None:
                earlier = sorted((node.at, key) for key, node in self._nodes.items() if node.at)
            before = self._before_gap(path[0], missing, earlier, seen)
            if before is None:
                break
            self._parents[path[0]] = before
            path = self._chain(before, seen) + path
        return path

    def _before_gap(self, orphan: str, missing: str, earlier: list[tuple[datetime, str]], seen: set[str]) -> str | None:
        """Its parent still lists the dropped node as a child (classic), or it is the latest node before the gap."""
        for key, node in self._nodes.items():
            if missing in node.children:
                return None if key in seen else key
        at = self._nodes[orphan].at
        while earlier and (at is None or earlier[-1][0] > at or earlier[-1][1] in seen):
            earlier.pop()
        return earlier[-1][1] if earlier else None

    def _latest_leaf(self) -> str | None:
        """Without a usable `current_node`: the last visible node of a branch that is latest, the last of equals."""
        followed: set[str] = set()
        for key, node in self._nodes.items():
            parent = self._parents[key] if node.visible else None
            while parent is not None and parent not in followed:
                followed.add(parent)
                parent = self._parents[parent]
        ends = [key for key, node in self._nodes.items() if node.visible and key not in followed]
        return self._latest(ends or self._nodes)

    def _latest(self, keys: Iterable[str]) -> str | None:
        def rank(key: str) -> tuple[bool, float]:
            node = self._nodes[key]
            return not node.superseded, node.at.timestamp() if node.at else float("-inf")

        return max(reversed(list(keys)), key=rank, default=None)
