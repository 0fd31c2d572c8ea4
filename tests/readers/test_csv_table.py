"""CSV tables of messages: columns, damage, grouping, order, dates."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import csv_table
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "csv"


def only_source(path: Path) -> Source:
    (source,) = sources(path)
    assert isinstance(source, Source)
    return source


def read(path: Path, options: ReadOptions | None = None) -> list[Record]:
    source = only_source(path)
    assert detect(source).reader is csv_table
    return list(csv_table.read([source], options or ReadOptions()))


def table(tmp_path: Path, content: str | bytes, options: ReadOptions | None = None) -> list[Record]:
    path = tmp_path / "messages.csv"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return read(path, options)


def chats(records: list[Record]) -> list[Chat]:
    return [record for record in records if isinstance(record, Chat)]


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in chat.visible()]


def times(records: list[Record]) -> list[datetime | None]:
    return [message.created_at for chat in chats(records) for message in chat.messages]


def level(tmp_path: Path, content: str) -> Level:
    path = tmp_path / "some.csv"
    path.write_text(content, "utf-8")
    return csv_table.sniff(peek(only_source(path))).level


def test_the_sample_desk_keeps_customers_agents_and_notes_apart() -> None:
    source = only_source(SAMPLE / "tickets.csv")
    found = detect(source)
    assert (found.reader, found.level) == (csv_table, Level.GENERIC)
    records = list(csv_table.read([source], ReadOptions()))
    assert [(chat.chat_id, chat.user_id, chat.agent_id) for chat in records if isinstance(chat, Chat)] == [
        ("csv:SUP-1041", "cus-2207", "ag-07"),
        ("csv:SUP-1042", "cus-0418", "ag-11"),
        ("csv:SUP-1043", "cus-3390", "ag-07"),
    ]
    first = chats(records)[0]
    assert first.title == "Sync stops with E1407"
    assert [message.author for message in first.visible()] == ["Inès Marchand", "Helper", "Dana", "Inès Marchand"]
    assert [message.text for message in first.messages if message.hidden == "note"] == [
        "Known: 4.8.2 counts trashed files twice. Fix is in 4.8.3."
    ]


def test_cells_hold_line_breaks_commas_and_doubled_quotes(tmp_path: Path) -> None:
    content = (
        "\ufeffconversation_id,created_at,role,author,text\r\n"
        'T-1,2026-01-15T09:00:00Z,customer,c7,"It leaks.\r\nSince ""noon"", Monday."\r\n'
        "T-2,2026-01-15T09:01:00Z,customer,c8,Where is it?\r\n"
        'T-1,2026-01-15T09:05:00Z,agent,a2,"1. a seal\r\n2. a note"\r\n'
    )
    first, second = chats(table(tmp_path, content))
    assert shown(first) == [("user", 'It leaks.\r\nSince "noon", Monday.'), ("assistant", "1. a seal\r\n2. a note")]
    assert [message.pointer for message in first.messages] == ["line 2", "line 5"]
    assert (first.user_id, first.agent_id, second.user_id, second.agent_id) == ("c7", "a2", "c8", None)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiter_and_spelling_of_the_header_do_not_matter(tmp_path: Path, delimiter: str) -> None:
    rows = [["Conversation ID", "Created-At", "senderType", "BODY"], ["7", "1760000000", "End User", "hi"]]
    (chat,) = chats(table(tmp_path, "\n".join(delimiter.join(row) for row in rows)))
    assert (chat.native_id, shown(chat)) == ("7", [("user", "hi")])
    assert chat.created_at == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)


def test_a_line_for_excel_and_blanks_after_commas_are_read_past(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "sep=;\r\nrole;text\r\nuser;hi\r\n"))
    assert shown(chat) == [("user", "hi")]
    (chat,) = chats(table(tmp_path, 'role, text\nuser, "one, two"\n'))
    assert shown(chat) == [("user", "one, two")]


def test_the_header_of_microsoft_copilot_is_left_to_its_reader(tmp_path: Path) -> None:
    assert level(tmp_path, "Conversation,Time,Author,Message\na,2026-01-01,AI,b\n") == Level.NO
    assert level(tmp_path, "Conversation,Time,Author,Message,Score\na,2026-01-01,AI,b,1\n") == Level.GENERIC


@pytest.mark.parametrize(
    "content",
    [
        "id,name,price\n1,bolt,2\n",
        "name,body\nAda,strong\n",
        "user,message\nu,m\n",
        "text\nhello\n",
        "Dear all, text follows\nrole model, content\n",
        "role,status\nadmin,ok\n",
        '"',
        ",,,\n",
    ],
)
def test_other_tables_are_not_claimed(tmp_path: Path, content: str) -> None:
    assert level(tmp_path, content) == Level.NO


def test_direction_and_bot_columns_tell_the_role(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "direction,text\ninbound,a\nOutbound,b\n"))
    assert shown(chat) == [("user", "a"), ("assistant", "b")]
    (chat,) = chats(table(tmp_path, "sender,is_bot,text\nAda,false,a\nHelper,TRUE,b\n"))
    assert shown(chat) == [("user", "a"), ("assistant", "b")]


def test_without_a_role_column_people_are_users_and_agents_are_known_by_their_column(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "channel,author,text\nteam,Ann,hi\nteam,Bob,yo\nteam,AI,beep\n"))
    assert shown(chat) == [("user", "hi"), ("user", "yo"), ("assistant", "beep")]
    assert [message.author for message in chat.messages] == ["Ann", "Bob", "AI"]
    assert chat.user_id is None
    (desk,) = chats(table(tmp_path, "ticket_id,customer_id,agent_id,body\n1,c1,,help\n1,,a1,done\n"))
    assert shown(desk) == [("user", "help"), ("assistant", "done")]
    assert (desk.user_id, desk.agent_id, desk.messages[1].author) == ("c1", "a1", "a1")


def test_a_user_column_beside_a_role_is_the_customer_of_every_row(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "chat_id,user,role,content\n1,mira,user,hi\n1,mira,assistant,hello\n"))
    assert chat.user_id == "mira"
    assert [message.author for message in chat.messages] == ["mira", None]


def test_people_answer_before_bots(tmp_path: Path) -> None:
    content = "case_id,role,author,text\n1,customer,c,hi\n1,bot,helper,wait\n1,agent,dana,done\n"
    (chat,) = chats(table(tmp_path, content))
    assert chat.agent_id == "dana"


def test_an_unknown_or_missing_role_is_kept_hidden_and_told(tmp_path: Path) -> None:
    chat, *notes = table(tmp_path, "role,text\nuser,a\nnarrator,b\nnarrator,c\n,d\nsystem,e\n")
    assert isinstance(chat, Chat)
    assert [message.hidden for message in chat.messages] == [None, "tool", "tool", "tool", "system"]
    assert [type(note) for note in notes] == [Note, Note]


def test_private_rows_are_notes(tmp_path: Path) -> None:
    content = "role,text,is_internal,public,type\nuser,a,no,,\nagent,b,Yes,,\nagent,c,,false,\nagent,d,,,Note\n"
    (chat,) = chats(table(tmp_path, content))
    assert [message.hidden for message in chat.messages] == [None, "note", "note", "note"]


def test_a_file_that_is_newest_first_is_turned_round_with_its_equal_times(tmp_path: Path) -> None:
    content = (
        "conversation,time,author,text,extra\n"
        "heat,2026-06-15 18:20:30,AI,a2,\nheat,2026-06-15 18:20:30,Human,q2,\n"
        "pools,2026-06-14 09:00:00,AI,b1,\npools,2026-06-14 09:00:00,Human,p1,\n"
        "heat,2026-06-13 18:00:00,AI,a1,\nheat,2026-06-13 18:00:00,Human,q1,\n"
    )
    heat, pools = chats(table(tmp_path, content))
    assert [text for _, text in shown(heat)] == ["q1", "a1", "q2", "a2"]
    assert [text for _, text in shown(pools)] == ["p1", "b1"]


def test_a_late_row_is_sorted_in_and_equal_times_keep_their_order(tmp_path: Path) -> None:
    rows = ["1,10:00,a", "1,10:01,b", "1,10:05,e", "1,10:02,c", "1,10:02,d", "1,10:06,f", "1,,g"]
    content = "chat_id,time,text,role\n" + "\n".join(f"{row},user".replace(",10:", ",2026-01-01 10:") for row in rows)
    (chat,) = chats(table(tmp_path, content))
    assert "".join(text for _, text in shown(chat)) == "abcdefg"


def test_times_that_run_nowhere_leave_the_file_in_its_order(tmp_path: Path) -> None:
    hours = (5, 1, 4, 2, 3, 3, 1, 5)
    content = "role,time,text\n" + "\n".join(f"user,2026-01-01 0{hour}:00,{n}" for n, hour in enumerate(hours))
    (chat,) = chats(table(tmp_path, content))
    assert "".join(text for _, text in shown(chat)) == "01234567"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["03/04/2025 09:00", "13/04/2025 09:00"], datetime(2025, 4, 3, 9, tzinfo=UTC)),
        (["03/04/2025 09:00 PM", "03/14/2025 09:00 PM"], datetime(2025, 3, 4, 21, tzinfo=UTC)),
        (["03.04.2025 12:30", "04.04.2025 12:30"], datetime(2025, 4, 3, 12, 30, tzinfo=UTC)),
        (["3/4/25 12:05 AM", "3/25/25 12:05 AM"], datetime(2025, 3, 4, 0, 5, tzinfo=UTC)),
        (["03/04/2025", "05/04/2025", "04/05/2025"], datetime(2025, 4, 3, tzinfo=UTC)),
        (["05/05/2025 08:00"], datetime(2025, 5, 5, 8, tzinfo=UTC)),
    ],
)
def test_day_and_month_are_told_apart_once_for_a_file(tmp_path: Path, rows: list[str], expected: datetime) -> None:
    content = "role,time,text\n" + "".join(f'user,"{row}",x{n}\n' for n, row in enumerate(rows))
    records = table(tmp_path, content)
    assert times(records)[0] == expected
    assert len(records) == 1


def test_dates_that_cannot_be_told_stay_unknown_and_are_noted(tmp_path: Path) -> None:
    chat, note = table(tmp_path, "role,time,text\nuser,03/04/2025 10:00,a\nuser,03/04/2025 11:00,b\n")
    assert isinstance(chat, Chat)
    assert isinstance(note, Note)
    assert [message.created_at for message in chat.messages] == [None, None]
    assert "03/04/2025" in note.text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-01-15T09:00:00.123456789Z", datetime(2026, 1, 15, 9, 0, 0, 123456, tzinfo=UTC)),
        ("2026-01-15 09:00:00 UTC", datetime(2026, 1, 15, 9, tzinfo=UTC)),
        ("2026-01-15 09:00:00 +0200", datetime(2026, 1, 15, 7, tzinfo=UTC)),
        ("2026/01/15 09:00", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("15 Jan 2026, 9:00 PM", datetime(2026, 1, 15, 20, tzinfo=UTC)),
        ("January 15, 2026 at 9:00\u202fAM", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("Thu, 15 Jan 2026 09:00:00 +0000", datetime(2026, 1, 15, 9, tzinfo=UTC)),
        ("1768467600", datetime(2026, 1, 15, 9, tzinfo=UTC)),
        ("1768467600000", datetime(2026, 1, 15, 9, tzinfo=UTC)),
        ("46037.375", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("20260115", datetime(2026, 1, 14, 23, tzinfo=UTC)),
        ("20260115090000", datetime(2026, 1, 15, 8, tzinfo=UTC)),
        ("2026-01-15", datetime(2026, 1, 14, 23, tzinfo=UTC)),
    ],
)
def test_times_of_many_spellings(tmp_path: Path, written: str, expected: datetime) -> None:
    content = f'role,created_at,text\nuser,"{written}",hi\n'
    assert times(table(tmp_path, content, ReadOptions(timezone=ZoneInfo("Europe/Berlin")))) == [expected]


@pytest.mark.parametrize("written", ["yesterday", "31/31/2025", "2026-13-45", "0", "-5", "99:99", "1/1/1"])
def test_senseless_times_are_unknown_and_noted(tmp_path: Path, written: str) -> None:
    chat, note = table(tmp_path, f"role,created_at,text\nuser,{written},hi\n")
    assert isinstance(chat, Chat)
    assert isinstance(note, Note)
    assert chat.created_at is None


def test_a_date_column_and_a_clock_column_are_one_time(tmp_path: Path) -> None:
    records = table(tmp_path, "date,time,sender,text\n2026-01-15,09:30,Ann,hi\n")
    assert times(records) == [datetime(2026, 1, 15, 9, 30, tzinfo=UTC)]


def test_without_a_conversation_column_the_id_is_content_and_not_the_file(tmp_path: Path) -> None:
    content = "role,time,text\nuser,2026-01-15 09:00,hi\nassistant,2026-01-15 09:01,yo\n"
    turned = "role,time,text\nassistant,2026-01-15 09:01,yo\nuser,2026-01-15 09:00,hi\n"
    (first,) = chats(table(tmp_path, content))
    (second,) = chats(table(tmp_path, turned))
    (grown,) = chats(table(tmp_path, content + "user,2026-01-15 09:02,more\n"))
    assert first.native_id == second.native_id == grown.native_id
    assert [m.message_id for m in first.messages] == [m.message_id for m in second.messages]
    assert shown(first) == shown(second)


def test_an_unclosed_quote_costs_only_its_row(tmp_path: Path) -> None:
    content = (
        "chat_id,role,text\n"
        '1,user,"never closed\n'
        '1,assistant,"fine, really"\n'
        "1,user,also fine\n"
    )  # fmt: skip
    problem, chat = table(tmp_path, content)
    assert isinstance(problem, Skipped)
    assert problem.where.endswith("line 2")
    assert isinstance(chat, Chat)
    assert shown(chat) == [("user", "never closed"), ("assistant", "fine, really"), ("user", "also fine")]


def test_quotes_that_end_on_their_line_lose_nothing(tmp_path: Path) -> None:
    (chat,) = table(tmp_path, 'role,text\nuser,say "hi" now\nuser,"x" y\n')
    assert isinstance(chat, Chat)
    assert shown(chat) == [("user", 'say "hi" now'), ("user", "x y")]


def test_a_torn_last_row_costs_only_itself(tmp_path: Path) -> None:
    records = table(tmp_path, 'chat_id,role,text\n1,user,hi\n1,assistant,"half of an ans')
    assert [type(record) for record in records] == [Skipped, Chat]


def test_rows_of_the_wrong_width_are_problems_unless_nothing_is_lost(tmp_path: Path) -> None:
    content = "role,text,time\nuser,a,2026-01-01,more\nuser\nuser,b\nuser,c,2026-01-01,,\n\n,,\nuser,,2026-01-01\n"
    records = table(tmp_path, content)
    assert [type(record) for record in records] == [Skipped, Skipped, Chat]
    assert shown(chats(records)[0]) == [("user", "b"), ("user", "c")]


def test_commas_in_an_unquoted_last_text_are_text(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "role,text\nuser,one, two, three\n"))
    assert shown(chat) == [("user", "one, two, three")]


def test_nul_and_broken_bytes_do_not_stop_it(tmp_path: Path) -> None:
    rows = [b"role,text", b"user,a\0b", b"user,caf\xc3\xa9 \xff\xfe", b"assistant,ok"]
    (chat,) = chats(table(tmp_path, b"\n".join(rows)))
    assert shown(chat) == [("user", "ab"), ("user", "café \ufffd\ufffd"), ("assistant", "ok")]


def test_other_encodings_are_recognised(tmp_path: Path) -> None:
    content = "role,text\r\nuser,Grüße\r\n"
    (chat,) = chats(table(tmp_path, content.encode("utf-16")))
    assert shown(chat) == [("user", "Grüße")]
    records = table(tmp_path, content.encode("cp1252"))
    assert shown(chats(records)[0]) == [("user", "Grüße")]
    assert isinstance(records[-1], Note)


def test_json_pasted_into_a_cell_does_not_hide_the_table(tmp_path: Path) -> None:
    line = '{""role"": ""user"", ""content"": ""x""}'
    (chat,) = chats(table(tmp_path, f'role,text\nuser,"see\n{line}\n{line}\nthere"\n'))
    assert len(shown(chat)) == 1


def test_a_large_cell_is_read(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, 'role,text\nuser,"' + "long " * 100_000 + '"\n'))
    assert len(chat.messages[0].text) == 500_000


def test_a_compressed_file_that_breaks_off_keeps_its_whole_rows(tmp_path: Path) -> None:
    path = tmp_path / "messages.csv.gz"
    rows = "".join(f"user,message number {n} of many {n * n}\n" for n in range(5000))
    path.write_bytes(gzip.compress(f"role,text\n{rows}".encode())[:-4000])
    records = read(path)
    assert isinstance(records[0], Skipped)
    assert len(chats(records)[0].messages) > 1000


def test_ids_stay_unique_when_rows_repeat(tmp_path: Path) -> None:
    (chat,) = chats(table(tmp_path, "message_id,role,text\nm1,user,a\nm1,user,a\n,user,b\n,user,b\n"))
    assert len({message.message_id for message in chat.messages}) == 4


@pytest.mark.parametrize(
    "content",
    [
        b"role,text",
        b"role,text\n",
        b"role,text\n\n\n",
        b'role,text\n"',
        b'role,text\n""""',
        b"role,text\nuser,\xff\xff\n",
        b"role,text\r\ruser,a\r",
        b'role,text\n"user,a\n"user,b\n"user,c\n',
        b"role,text\n" + b"," * 5000 + b"\n",
        b"role,text,text,role\nuser,,b\n",
        b"time,role,text\n9999999999999999999999,user,a\n0001-01-01,user,b\n9999-12-31 23:59,user,c\n",
    ],
)
def test_damaged_tables_never_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.csv"
    path.write_bytes(content)
    source = only_source(path)
    assert csv_table.sniff(peek(source)).level == Level.GENERIC
    for zone in ("Pacific/Auckland", "America/Los_Angeles"):
        list(csv_table.read([source], ReadOptions(timezone=ZoneInfo(zone))))


@pytest.mark.parametrize("content", [b"", b"\0\0\0", b"\xff\xfe", b"no table here", b"a,b\n" * 3])
def test_what_is_no_table_is_skipped_when_forced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    assert [type(record) for record in csv_table.read([only_source(path)], ReadOptions())] == [Skipped]


def test_a_thread_of_blank_rows_is_an_empty_chat(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("conversation_id,role,message\n1,user,\n1,user,  \n2,user,\n2,user,hello\n,user,\n")
    found = [r for r in read(path) if isinstance(r, Chat)]
    assert [(c.native_id, len(c.messages)) for c in found] == [("2", 1), ("1", 0)]
