"""Which column of a table of messages means what, told from its header (formats.md 7.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from chatmem.model import Role
from chatmem.readers import clean
from chatmem.readers._csv_rows import Dialect

# Column names by meaning, best first. Case, blanks and hyphens of a header do not count.
COLUMNS = {
    "conversation": (
        "conversation_id", "conversation", "thread_id", "ticket_id", "chat_id", "session_id", "case_id", "thread",
        "ticket", "channel_id", "channel",
    ),
    "time": ("created_at", "timestamp", "sent_at", "datetime", "date_time", "created", "create_time", "time", "date"),
    "role": ("role", "sender_type", "author_type", "from_type", "sender_role", "author_role", "direction", "is_bot"),
    "author": ("author", "author_name", "sender", "sender_name", "name", "author_id", "sender_id", "user"),
    "customer": ("customer_id", "customer", "user_id", "requester_id", "contact_id", "end_user_id", "client_id"),
    "agent": ("agent_id", "agent", "assignee_id", "operator_id", "assistant_id", "agent_name"),
    "text": ("text", "message", "content", "plain_body", "body", "message_text", "transcript"),
    "id": ("message_id", "msg_id", "comment_id", "event_id", "id", "uuid"),
    "title": ("title", "subject", "conversation_title", "ticket_subject", "conversation_name"),
    "model": ("model", "model_slug", "model_name"),
    "project": ("project", "project_name"),
    "link": ("url", "link", "source_url", "conversation_url"),
    "private": ("private", "internal", "is_internal", "is_private"),
    "public": ("public", "is_public"),
    "type": ("type", "message_type", "visibility"),
}  # fmt: skip
_STRONG_AUTHORS = {"author", "author_name", "sender", "sender_name", "author_id", "sender_id"}
_COPILOT = ["Conversation", "Time", "Author", "Message"]
_DELIMITERS = ",;\t|"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

# Words of role columns that other formats do not use.
_ROLES: dict[str, Role] = {
    **dict.fromkeys(("inbound", "incoming", "received", "in", "client", "end_customer"), "user"),
    **dict.fromkeys(
        ("outbound", "outgoing", "sent", "out", "support", "staff", "team", "teammate", "representative"), "assistant"
    ),
}
YES = {"true", "1", "yes", "y", "t"}
FALSE = {"false", "0", "no", "n", "f"}


class Layout(NamedTuple):
    """Dialect, width and last line of the header, and by meaning the names and places of columns, best first."""

    dialect: Dialect
    width: int
    begin: int
    columns: dict[str, list[tuple[str, int]]]

    def cells(self, row: Sequence[str], meaning: str) -> list[tuple[str, str]]:
        """Column name and text of the non-blank cells of a meaning, best column first."""
        end = len(row)
        return [(name, text) for name, place in self.columns[meaning] if place < end and (text := row[place].strip())]

    def value(self, row: Sequence[str], meaning: str) -> str:
        end = len(row)
        for _, place in self.columns[meaning]:
            if place < end and (text := row[place].strip()):
                return text
        return ""

    def body(self, row: Sequence[str]) -> str:
        """The text of the message as it stands, blanks around it included."""
        return next((row[p] for _, p in self.columns["text"] if p < len(row) and row[p].strip()), "")


def layout(head: str) -> Layout | None:
    """How to read the table that begins like this, or None if it is no table of messages."""
    lines = head.replace("\r\n", "\n").replace("\r", "\n").split("\n", 12)[:12]
    for number, line in enumerate(lines):
        # Excel writes `sep=;` above the header for itself.
        if line.strip() and not line.startswith("sep="):
            return max((_parsed(line, number, d) for d in _DELIMITERS), key=_worth) if len(line) < 20_000 else None
    return None


def _worth(found: Layout | None) -> int:
    return found.width if found else 0


def _parsed(line: str, number: int, delimiter: str) -> Layout | None:
    spaced = f"{delimiter} " in line and f"{delimiter}{delimiter}" not in line
    dialect = Dialect(delimiter, spaced)
    header = next(dialect.reader([line], strict=False), [])
    header = [cell.strip() for cell in header]
    if len(header) < 2 or (header == _COPILOT and delimiter == ","):
        return None
    names = [column_name(cell) for cell in header]
    columns = {
        meaning: [(word, names.index(word)) for word in words if word in names] for meaning, words in COLUMNS.items()
    }
    if columns["role"] and "user" in names:
        # Beside a role column `user` is whose thread it is, not who speaks in the row.
        user = ("user", names.index("user"))
        columns["author"].remove(user)
        columns["customer"].append(user)
    return Layout(dialect, len(header), number + 1, columns) if _is_table_of_messages(columns) else None


def _is_table_of_messages(columns: dict[str, list[tuple[str, int]]]) -> bool:
    """A text and a role; or a text and an author, who needs a thread or a time beside a vague name."""
    if not columns["text"]:
        return False
    if columns["role"]:
        return True
    vague = columns["author"] + columns["customer"] + columns["agent"]
    anchored = bool(columns["conversation"] or columns["time"])
    return bool(vague) and (anchored or any(word in _STRONG_AUTHORS for word, _ in columns["author"]))


def column_name(cell: str) -> str:
    return re.sub(r"[\s\-_.]+", "_", _CAMEL.sub("_", clean.text(cell).strip())).strip("_").lower()


def role_word(word: str, column: str) -> Role | None:
    """The role that a cell of a role column names."""
    word = word.strip().lower()
    if column == "is_bot":
        return "assistant" if word in YES else "user" if word in FALSE else None
    plain = "_".join(word.split())
    return clean.role(plain) or clean.role(plain.replace("_", "-")) or _ROLES.get(plain)
