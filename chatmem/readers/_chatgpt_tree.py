"""The tree of a ChatGPT conversation: which nodes are on the displayed path and in what order all of them are read.

Only `parent` builds the tree: `children` is absent in slim files, key order and time order lie (formats.md 2.7). The
displayed path is the chain from `current_node` to the root; everything else is an alternate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from chatmem.readers import clean


@dataclass(frozen=True, slots=True)
class Node:
    """What the tree needs to know of a node. `spoken`: it has a message; `visible`: a person saw it."""

    parent: str | None
    spoken: bool = False
    visible: bool = False
    superseded: bool = False
    at: datetime | None = None


class Tree:
    """`order` yields (node id, on the displayed path), parents first; the displayed path comes before the rest."""

    def __init__(self, raw: dict[str, dict[str, Any]], nodes: dict[str, Node]) -> None:
        self._raw, self._nodes = raw, nodes
        self._parents = {key: node.parent if node.parent in nodes else None for key, node in nodes.items()}
        self._root: dict[str, str] = {}
        for key, node in nodes.items():
            if node.parent is not None and node.parent not in nodes:
                self._parents[key] = self._bridge(key, node.parent)

    def order(self, current: str | None) -> Iterator[tuple[str, bool]]:
        leaf = current if current in self._nodes else self._latest_leaf()
        seen: set[str] = set()
        for key in self._chain(leaf, seen):
            yield key, True
        for start in self._nodes:
            for key in self._chain(start, seen):
                yield key, False

    def spoken_parent(self, key: str) -> str | None:
        """The nearest ancestor that has a message: roots and dropped nodes have none."""
        seen = {key}
        parent = self._parents[key]
        while parent is not None and not self._nodes[parent].spoken:
            if parent in seen:
                return None
            seen.add(parent)
            parent = self._parents[parent]
        return parent

    def _chain(self, leaf: str | None, seen: set[str]) -> list[str]:
        """The nodes from the root, or from the first one not seen yet, to `leaf`. Ends at a cycle."""
        chain: list[str] = []
        while leaf is not None and leaf not in seen:
            seen.add(leaf)
            chain.append(leaf)
            leaf = self._parents[leaf]
        return chain[::-1]

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

    def _bridge(self, orphan: str, missing: str) -> str | None:
        """Where a node belongs whose parent was dropped, so that the history before it stays on its path.

        Classic files still list the dropped node as a child; else it is the latest node before the orphan in time.
        """
        for key, raw in self._raw.items():
            children = raw.get("children")
            if isinstance(children, list) and (missing in children or orphan in children) and key != orphan:
                return key if self._top(key) != orphan else None
        at = self._nodes[orphan].at
        earlier = [
            key
            for key, node in self._nodes.items()
            if at and node.at and node.at <= at and self._top(key) != orphan
        ]
        return self._latest(earlier)

    def _top(self, key: str) -> str:
        """The node without a parent that this one hangs on; a node of a cycle if there is none."""
        seen: set[str] = set()
        while (parent := self._parents[key]) is not None and key not in seen:
            seen.add(key)
            key = parent
        return key
