"""Errors that a person can act on: what happened, and what to type next.

Everything raised on purpose is a ChatmemError; its `exit_code` is the process's (SPEC 11). Anything else is a bug (70).
"""

from __future__ import annotations


class ChatmemError(Exception):
    """`what` happened and `next_step`, the thing to type; together one line."""

    exit_code = 2

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what}; {self.next_step}" if self.next_step else self.what


class UsageError(ChatmemError):
    """The call or the configuration is wrong."""


class NotFoundError(UsageError):
    """An id or reference names nothing in scope."""


class InputError(ChatmemError):
    """A path given to the import cannot be used at all."""


class ArchiveError(ChatmemError):
    """The archive is missing, damaged or of a newer version."""

    exit_code = 3


class RefusedError(ChatmemError):
    """Policy forbids it."""

    exit_code = 5


class ArchiveLockedError(ChatmemError):
    """Another process held the archive longer than we wait."""

    exit_code = 75
