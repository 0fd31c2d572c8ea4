"""A writer that only tells what it would do, and never opens the archive for writing."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from chatmem.archive import known as stored
from chatmem.archive import openings
from chatmem.archive.known import Known, as_known, counted, inherited, is_another, is_newer
from chatmem.archive.layout import chat_hash, message_hash
from chatmem.archive.store import Store
from chatmem.archive.write import Outcome, old_hashes, outcome
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CHUNK = 500
_MASK = (1 << 64) - 1


class DryRun:
    """Has what an import uses of a Writer. `outcomes` is complete after `finish`."""

    def __init__(self, store: Store, workbench: DuckDBPyConnection) -> None:
        self.store = store
        self.workbench = workbench
        self.known: dict[str, Known] = {}
        self.outcomes: list[Outcome] = []
        self._openings: dict[str, openings.Opening | None] = {}
        # Versions met in this run, as message ids and hashes in turn; 16 bytes a message.
        self._met: dict[str, array[int]] = {}
        self._waiting: list[tuple[int, int, dict[str, int]]] = []
        if store.exists():
            with store.glance(workbench):
                self.known = stored.load(workbench)
                self._openings = {**openings.load(workbench)}

    def put(self, chat: Chat, tag: int = 0, same_bytes: bool = False) -> bool:
        known = self.known.get(chat.chat_id)
        chat = inherited(chat, known)
        hashes = [message_hash(m) for m in chat.messages]
        content = chat_hash(chat, hashes)
        if known and not is_newer(chat, content, known, chat.chat_id in self._met, same_bytes):
            return False
        new = dict(counted(chat.messages, hashes))
        met = self._met.get(chat.chat_id)
        if met is not None:
            self.outcomes.append(outcome(tag, _short(new), dict(zip(met[::2], met[1::2], strict=True))))
        elif known:
            self._waiting.append((tag, known.chat_no, new))
            if len(self._waiting) >= _CHUNK:
                self.finish()
        else:
            self.outcomes.append(outcome(tag, new, None))
        self._met[chat.chat_id] = array("Q", [part for pair in _short(new).items() for part in pair])
        self._openings[chat.chat_id] = openings.opening(chat)
        self.known[chat.chat_id] = as_known(chat, 0, content)
        return True

    def is_another(self, chat: Chat, same_bytes: bool = False) -> bool:
        known = self.known.get(chat.chat_id)
        if known and (told := is_another(chat, known, same_bytes)) is not None:
            return told
        return openings.differ(self._openings.get(chat.chat_id), openings.opening(chat))

    def record(self, row: tuple[Any, ...]) -> None:
        """Nothing is read for good."""

    def finish(self) -> None:
        """Look up what the archive holds of the chats that would be updated."""
        if self._waiting:
            with self.store.glance(self.workbench):
                held = old_hashes(self.workbench, [number for _, number, _ in self._waiting])
            self.outcomes += [outcome(tag, new, held.get(number, {})) for tag, number, new in self._waiting]
            self._waiting.clear()


def _short(hashes: dict[str, int]) -> dict[int, int]:
    return {hash(message_id) & _MASK: value for message_id, value in hashes.items()}
