"""Pictures, sounds and uploads of a ChatGPT export: what they are called and whether their bytes are in it.

A pointer names an asset by id. Classic exports call the file `file-<id>-<name>`, slim ones `<id>.dat`, with the
original names in a side file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from chatmem.model import Attachment, Skipped
from chatmem.readers import clean
from chatmem.readers.jsonstream import elements
from chatmem.readers.unpack import Source

NAMES = "conversation_asset_file_names.json"
_ID = re.compile(r"file-[A-Za-z0-9]+|file_[A-Za-z0-9]+")
_NESTED = ("audio_asset_pointer", "video_container_asset_pointer")


class Assets:
    """The files around the conversations of one export. Looked at only when a message points to one."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def of(self, content: dict[str, Any], listed: Any) -> tuple[Attachment, ...]:
        """The attachments of a message: what `metadata.attachments` lists, then what only its parts point to."""
        parts = content.get("parts")
        if not listed and not (isinstance(parts, list) and any(isinstance(part, dict) for part in parts)):
            return ()
        found: dict[str, Attachment] = {}
        for attachment in [*_listed(listed), *_pointed(parts if isinstance(parts, list) else [])]:
            key = _asset_id(attachment.pointer) or attachment.name
            known = found.get(key)
            found[key] = (
                attachment
                if known is None
                else replace(known, size=known.size or attachment.size, pointer=attachment.pointer or known.pointer)
            )
        return tuple(self._completed(attachment) for attachment in found.values())

    def _completed(self, attachment: Attachment) -> Attachment:
        asset = _asset_id(attachment.pointer)
        if asset is None:
            return attachment
        file = self._files.get(asset)
        name = attachment.name
        if name.endswith(asset):
            in_export = (file or "").removeprefix(asset).removeprefix("-")
            name = self._names.get(asset) or (in_export if "." in in_export[1:] else name)
        return replace(attachment, name=name, present=file is not None)

    @cached_property
    def _files(self) -> dict[str, str]:
        """Base names of asset files by id."""
        bases = (path.rsplit("/", 1)[-1] for path in self._source.around())
        return {match[0]: base for base in bases if (match := _ID.match(base))}

    @cached_property
    def _names(self) -> dict[str, str]:
        """Original names by id, from the side file of slim exports."""
        side = self._source.sibling(NAMES)
        if side is None:
            return {}
        tables = (clean.mapping(e.value) for e in elements(side) if not isinstance(e, Skipped))
        named = ((_asset_id(key), clean.optional(value)) for table in tables for key, value in table.items())
        return {asset: name for asset, name in named if asset and name}


def _asset_id(pointer: str | None) -> str | None:
    match = _ID.search((pointer or "").rsplit("/", 1)[-1])
    return match[0] if match else None


def _listed(attachments: Any) -> Iterator[Attachment]:
    for raw in attachments if isinstance(attachments, list) else []:
        if isinstance(raw, dict):
            pointer = clean.optional(raw.get("id"))
            mime = clean.optional(raw.get("mime_type")) or clean.optional(raw.get("mimeType"))
            yield Attachment(
                clean.optional(raw.get("name")) or pointer or "file", mime, _size(raw.get("size")), pointer
            )


def _pointed(parts: list[Any]) -> Iterator[Attachment]:
    for part in parts:
        if not isinstance(part, dict):
            continue
        pointer = clean.optional(part.get("asset_pointer"))
        if pointer:
            kind = clean.text(part.get("content_type")).removesuffix("_asset_pointer") or "file"
            label = f"{kind} {_asset_id(pointer) or pointer.rsplit('/', 1)[-1]}"
            yield Attachment(label, size=_size(part.get("size_bytes")), pointer=pointer)
        frames = part.get("frames_asset_pointers")
        yield from _pointed([part.get(key) for key in _NESTED] + (frames if isinstance(frames, list) else []))


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
