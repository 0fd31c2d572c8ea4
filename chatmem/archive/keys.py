"""One 64-bit number says where a message stands, so that search never joins to find out.

    lane (3 bits) | chat_no (26) | unit (22) | offset (8)

A *unit* is what is ranked: in a talk with an assistant an exchange (a user's message, offset 0, and the replies to it);
between people each message. Lanes keep apart what default searches must not touch: the key's top bits are its lane, so
one comparison excludes hidden parts and zone maps skip them.
"""

from __future__ import annotations

OFFSET_BITS, UNIT_BITS, CHAT_BITS = 8, 22, 26
CHAT_SHIFT = OFFSET_BITS + UNIT_BITS
LANE_SHIFT = CHAT_SHIFT + CHAT_BITS
MAX_OFFSET = (1 << OFFSET_BITS) - 1
MAX_UNIT = (1 << UNIT_BITS) - 1
CHAT_MASK = (1 << CHAT_BITS) - 1

EXCHANGE, PEOPLE, TITLE, ALTERNATE, HIDDEN = range(5)


def key(lane: int, chat_no: int, unit: int, offset: int) -> int:
    return lane << LANE_SHIFT | chat_no << CHAT_SHIFT | unit << OFFSET_BITS | offset


def unit_of(message_key: int) -> int:
    return message_key >> OFFSET_BITS


def chat_of(message_key: int) -> int:
    return message_key >> CHAT_SHIFT & CHAT_MASK


def lane_of(message_key: int) -> int:
    return message_key >> LANE_SHIFT


def chat_of_unit(unit_key: int) -> int:
    return unit_key >> UNIT_BITS & CHAT_MASK


def lane_of_unit(unit_key: int) -> int:
    return unit_key >> LANE_SHIFT - OFFSET_BITS


# The same in SQL, of the name of a column.
def sql_unit(message_key: str) -> str:
    return f"({message_key} >> {OFFSET_BITS})"


def sql_chat(message_key: str) -> str:
    return f"(({message_key} >> {CHAT_SHIFT}) & {CHAT_MASK})"


def sql_lane(message_key: str) -> str:
    return f"({message_key} >> {LANE_SHIFT})"


def sql_chat_of_unit(unit_key: str) -> str:
    return f"(({unit_key} >> {UNIT_BITS}) & {CHAT_MASK})"


def sql_lane_of_unit(unit_key: str) -> str:
    return f"({unit_key} >> {LANE_SHIFT - OFFSET_BITS})"


def sql_title(chat_no: str) -> str:
    """The message_key under which the title of a chat is indexed."""
    return f"(({TITLE}::BIGINT << {LANE_SHIFT}) | ({chat_no}::BIGINT << {CHAT_SHIFT}))"
