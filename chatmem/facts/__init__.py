"""Durable statements that users made about themselves, each tied to the message that says it."""
