"""What can be known of a user, and which patterns look for it."""

from __future__ import annotations

from typing import Literal

Attribute = Literal["name", "company", "role", "location", "plan", "product", "reference", "preference", "problem"]
ATTRIBUTES: tuple[str, ...] = (
    "name", "company", "role", "location", "plan", "product", "reference", "preference", "problem",
)  # fmt: skip
# Raised when patterns find other things in the same text, so that `facts extract` is asked for.
VERSION = "patterns/1"
