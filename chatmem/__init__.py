"""chatmem: one local archive of past chats, searched on demand, answered with cited evidence."""

__version__ = "0.1.0"
