"""Files of weights: what is in them, and telling them from others, cheaply by size and time, surely by their digest."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PATTERNS = ("*.safetensors", "*.bin")
_BLOCK = 1 << 20


def of_folder(folder: Path) -> list[Path]:
    """The files of weights of a sentence-transformers model, in order."""
    return sorted({path for pattern in _PATTERNS for path in folder.rglob(pattern)})


def mark(paths: Sequence[Path]) -> str:
    """Equal marks mean equal weights; other marks mean that one has to look."""
    return " ".join(f"{found.st_size}-{found.st_mtime_ns}" for found in (path.stat() for path in paths))


def digest(paths: Sequence[Path]) -> str:
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                found.update(block)
    return found.hexdigest()[:16]


def header(path: Path) -> tuple[dict[str, Any], int]:
    """(what a safetensors file says of each tensor by its name, where their bytes begin)"""
    with path.open("rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        held = json.loads(file.read(size))
    held.pop("__metadata__", None)
    return held, 8 + size
