"""Gemini Apps activity of Google Takeout: whose file, which rows, which thread, which id."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from chatmem.model import Chat, Record, Skipped
from chatmem.readers import gemini_takeout
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import Detected, detect
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "gemini-takeout"


def files(path: Path) -> list[Source]:
    return [source for source in sources(path) if isinstance(source, Source)]


def write(tmp_path: Path, value: Any, name: str = "MyActivity.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(value), "utf-8")
    return path


def detected(tmp_path: Path, value: Any) -> Detected:
    return detect(files(write(tmp_path, value))[0])


def read(*paths: Path) -> list[Record]:
    return list(gemini_takeout.read([source for path in paths for source in files(path)], ReadOptions()))


def chats(records: list[Record]) -> list[Chat]:
    return [record for record in records if isinstance(record, Chat)]


def imported(tmp_path: Path, *rows: Any) -> list[Chat]:
    found = detected(tmp_path, list(rows))
    assert (found.reader, found.level) == (gemini_takeout, Level.EXACT), found.reason
    records = read(tmp_path / "MyActivity.json")
    assert not [record for record in records if isinstance(record, Skipped)]
    return chats(records)


def row(title: Any, html: str | None = "<p>Yes.</p>", time: str = "2026-01-02T10:00:00.000Z", **more: Any) -> Any:
    answer = {} if html is None else {"safeHtmlItem": [{"html": html}]}
    head = {"header": "Gemini Apps", "title": title, "time": time, "products": ["Gemini Apps"]}
    return {**head, "activityControls": ["Gemini Apps Activity"], **answer, **more}


def link(*ids: str) -> list[dict[str, str]]:
    return [{"name": "From chat", "url": f"https://gemini.google.com/app/{thread}"} for thread in ids]


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(m.role, m.text) for m in chat.visible()]


def prompts(found: list[Chat]) -> list[str]:
    return [m.text for chat in found for m in chat.visible() if m.role == "user"]


def test_the_sample_is_claimed_and_other_products_are_not() -> None:
    found = {source.parts[-2]: detect(source) for source in files(SAMPLE) if source.name == "MyActivity.json"}
    assert {folder: d.level for folder, d in found.items()} == {"Gemini Apps": Level.EXACT, "YouTube": Level.SIDE}
    assert all(d.reader is gemini_takeout for d in found.values())
    claimed = [source for source in files(SAMPLE) if detect(source).level == Level.EXACT]
    records = list(gemini_takeout.read(claimed, ReadOptions()))
    found_chats = chats(records)
    assert len(records) == len(found_chats) == 5
    assert sum(len(list(chat.visible())) for chat in found_chats) == 12
    assert {m.created_at.tzinfo for chat in found_chats for m in chat.messages if m.created_at} == {UTC}


def test_a_row_is_a_prompt_and_its_answer(tmp_path: Path) -> None:
    (chat,) = imported(tmp_path, row("Prompted Do moths have ears?", "<p>Many do.</p>", "2025-12-03T10:00:00.250Z"))
    assert shown(chat) == [("user", "Do moths have ears?"), ("assistant", "Many do.")]
    assert (chat.source, chat.title, chat.title_origin) == ("gemini", "Do moths have ears?", "derived")
    at = datetime(2025, 12, 3, 10, 0, 0, 250_000, tzinfo=UTC)
    assert {chat.created_at, chat.updated_at, *(m.created_at for m in chat.messages)} == {at}
    assert (chat.source_url, chat.model, chat.origin.pointer) == (None, None, "/0")
    assert [m.home for m in chat.messages] == [None, None]


@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("Prompted Do moths have ears?", "Do moths have ears?"),
        ("Prompted\u00a0Do moths have ears?", "Do moths have ears?"),
        ("Asked Prompted by whom?", "Prompted by whom?"),
        ("Said good night", "good night"),
        ("Branched good night", "good night"),
        ("Answered 42", "42"),
        ("Запит: Чи мають метелики вуха?", "Чи мають метелики вуха?"),
        ("Eingegebener Prompt: Haben Motten Ohren: ja?", "Haben Motten Ohren: ja?"),
        ("送信したメッセージ: 蛾に耳は?", "蛾に耳は?"),
        ("Prompt : Les mites ont-elles des oreilles ?", "Les mites ont-elles des oreilles ?"),
    ],
)
def test_the_prompt_follows_the_activity_in_any_known_language(tmp_path: Path, title: str, prompt: str) -> None:
    assert prompts(imported(tmp_path, row(title), row(title, None, "2026-01-03T10:00:00Z"))) == [prompt, prompt]


@pytest.mark.parametrize(
    ("title", "prompt"),
    [
        ("Pytanie: Czy ćmy mają uszy?", "Czy ćmy mają uszy?"),
        ("Wysłano zapytanie Czy ćmy mają uszy?", "Wysłano zapytanie Czy ćmy mają uszy?"),
        ("Czy ćmy, które latają: mają uszy?", "Czy ćmy, które latają: mają uszy?"),
    ],
)
def test_in_an_unknown_language_a_row_with_an_answer_is_chat(tmp_path: Path, title: str, prompt: str) -> None:
    silent = row("Coś innego", None, header="Aplikacje Gemini")
    assert prompts(imported(tmp_path, row(title, header="Aplikacje Gemini"), silent)) == [prompt]


@pytest.mark.parametrize(
    "title",
    [
        "Created Gemini Canvas titled Plan",
        "Used Gemini Apps",
        "Gave feedback: Good response",
        "Selected preferred draft",
        "Added chat from link",
        "Cleared previous feedback",
        "Searched for moths",
        "Answered survey question",
    ],
)
def test_other_activities_are_no_chat_turns(tmp_path: Path, title: str) -> None:
    assert prompts(imported(tmp_path, row("Prompted Real"), row(title), row(title, None))) == ["Real"]


@pytest.mark.parametrize("header", ["Gemini in Google Messages", "AI Mode", "Bard", "Gemini アプリ"])
def test_other_headers_in_a_gemini_file_are_read(tmp_path: Path, header: str) -> None:
    assert len(imported(tmp_path, row("Prompted One"), row("Asked Two", header=header, products=[header]))) == 2


def test_rows_of_other_products_in_the_file_are_left_out(tmp_path: Path) -> None:
    search = {
        "header": "Search",
        "title": "Searched for Gemini Apps",
        "time": "2026-01-02T10:00:00Z",
        "products": ["Search"],
    }
    assert prompts(imported(tmp_path, row("Prompted One"), search)) == ["One"]


@pytest.mark.parametrize(
    ("head", "level"),
    [
        ({"header": "Gemini Apps", "products": ["Gemini Apps"]}, Level.EXACT),
        ({"header": "Додатки Gemini", "products": ["Додатки Gemini"]}, Level.EXACT),
        ({"header": "Bard", "products": ["Bard"]}, Level.EXACT),
        ({"header": "?", "activityControls": ["Aktywność w aplikacjach Gemini"], "safeHtmlItem": []}, Level.EXACT),
        ({"header": "?", "details": link("abc")}, Level.EXACT),
        ({"header": "?", "activityControls": ["Gemini Apps Activity"]}, Level.SIDE),
        ({"header": "YouTube", "products": ["YouTube"], "title": "Watched Prompted: Gemini"}, Level.SIDE),
        ({"header": "Search", "products": ["Search"], "title": "Searched for Gemini Apps"}, Level.SIDE),
        ({"header": "Geminids"}, Level.SIDE),
    ],
)
def test_the_product_decides_not_the_file_name_or_the_words(tmp_path: Path, head: Any, level: Level) -> None:
    found = detected(tmp_path, [{"title": "Prompted One", "time": "2026-01-02T10:00:00Z", **head}])
    assert (found.reader, found.level) == (gemini_takeout, level)


@pytest.mark.parametrize(
    "value", [{}, [], [1, None, "header"], [{"header": "Gemini Apps"}], row("Prompted x"), "Gemini"]
)
def test_what_is_no_activity_log_is_left_alone(tmp_path: Path, value: Any) -> None:
    assert detected(tmp_path, value).reader is not gemini_takeout


def test_in_a_takeout_zip_only_the_gemini_file_is_chat(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "takeout.zip", "w") as archive:
        youtube = [
            {"header": "YouTube", "title": "Watched it", "time": "2026-01-02T10:00:00Z", "products": ["YouTube"]}
        ]
        archive.writestr("Takeout/My Activity/YouTube/MyActivity.json", json.dumps(youtube))
        archive.writestr("Takeout/My Activity/Gemini Apps/MyActivity.json", json.dumps([row("Prompted One")]))
    levels = {source.parts[-2]: detect(source).level for source in files(tmp_path / "takeout.zip")}
    assert levels == {"YouTube": Level.SIDE, "Gemini Apps": Level.EXACT}


def test_rows_that_name_one_thread_are_one_chat_oldest_first(tmp_path: Path) -> None:
    thread, alone = imported(
        tmp_path,
        row("Prompted Three", time="2026-01-02T12:00:00Z", details=link("abc123")),
        row("Prompted Alone", time="2026-01-02T11:30:00Z"),
        row("Prompted Two", time="2026-01-02T11:00:00Z", details=link("abc123", "abc123")),
        row("Prompted One", time="2026-01-02T11:00:00Z", titleUrl="https://gemini.google.com/u/1/app/c_abc123?hl=en"),
    )
    assert prompts([thread]) == ["One", "Two", "Three"]
    assert (thread.native_id, thread.source_url) == ("abc123", "https://gemini.google.com/app/abc123")
    assert (thread.origin.pointer, thread.messages[0].pointer, thread.messages[-1].pointer) == ("", "/3", "/0")
    assert prompts([alone]) == ["Alone"]


@pytest.mark.parametrize(
    "details", [[], link("abc", "def"), None, "x", [None, {"url": 3}], [{"url": "https://x.org/app/a"}]]
)
def test_rows_that_name_no_thread_or_several_stand_alone(tmp_path: Path, details: Any) -> None:
    rows = [row(f"Prompted {n}", time=f"2026-01-02T11:00:0{n}Z", details=details) for n in range(2)]
    found = imported(tmp_path, *rows)
    assert sorted(prompts(found)) == ["0", "1"]
    assert [chat.source_url for chat in found] == [None, None]


def test_an_id_is_made_of_the_whole_second_and_the_prompt_never_of_the_place(tmp_path: Path) -> None:
    (before,) = imported(tmp_path, row("Prompted Do moths  have ears?", time="2025-12-03T10:00:00.999Z"))
    newer = row("Prompted Newer", time="2026-01-01T00:00:00Z")
    _, after = imported(tmp_path, newer, row("Prompted Do moths have ears?", time="2025-12-03T10:00:00Z"))
    assert before.native_id == after.native_id
    assert [m.message_id for m in before.messages] == [m.message_id for m in after.messages]
    (later,) = imported(tmp_path, row("Prompted Do moths have ears?", time="2025-12-03T10:00:01Z"))
    assert later.native_id != after.native_id


def test_an_older_export_beside_the_newer_one_adds_nothing(tmp_path: Path) -> None:
    time = "2025-12-03T10:00:00.500Z"
    old = write(
        tmp_path, [row("Prompted One", None, time), row("Prompted Lost", time="2025-01-01T00:00:00Z")], "a.json"
    )
    new = write(tmp_path, [row("Prompted One", "<p>Answer</p>", time, details=link("abc123"))], "b.json")
    for order in ([old, new], [new, old]):
        found = {chat.native_id: shown(chat) for chat in chats(read(*order))}
        assert found.pop("abc123") == [("user", "One"), ("assistant", "Answer")]
        assert list(found.values()) == [[("user", "Lost"), ("assistant", "Yes.")]]


def test_a_row_of_a_thread_names_the_chat_that_an_older_export_made_of_it(tmp_path: Path) -> None:
    (old,) = imported(tmp_path, row("Prompted One"))
    (new,) = imported(tmp_path, row("Prompted One", details=link("abc123")))
    assert {m.home for m in new.messages} == {old.native_id}
    assert [m.message_id for m in new.messages] == [m.message_id for m in old.messages]


def test_the_same_prompt_in_the_same_second_of_two_threads_is_kept_twice(tmp_path: Path) -> None:
    found = imported(tmp_path, row("Prompted One", details=link("abc")), row("Prompted One", details=link("def")))
    assert sorted(chat.native_id for chat in found) == ["abc", "def"]


def test_several_answers_are_all_kept_with_a_rule_between(tmp_path: Path) -> None:
    both = [{"html": "<p>First</p>"}, {"html": ""}, {"html": "<p>Second</p>"}]
    (chat,) = imported(tmp_path, row("Prompted One", safeHtmlItem=both))
    assert shown(chat)[1] == ("assistant", "First\n\n---\n\nSecond")


@pytest.mark.parametrize("html", [None, "", "<p> </p>"])
def test_a_prompt_without_an_answer_is_still_a_prompt(tmp_path: Path, html: str | None) -> None:
    (chat,) = imported(tmp_path, row("Prompted One", html))
    assert shown(chat) == [("user", "One")]


def test_attached_files_are_named_once_and_found_in_the_export(tmp_path: Path) -> None:
    (tmp_path / "heron-4f2a.png").write_bytes(b"\x89PNG")
    (chat,) = imported(
        tmp_path,
        row(
            "Prompted ",
            subtitles=[
                {"name": "Attached 2 files."},
                {"name": "-  heron.png", "url": "heron-4f2a.png"},
                {"url": "https://x.org"},
            ],
            imageFile="heron-4f2a.png",
            attachedFiles=["list.pdf", {"name": "notes.txt"}, 3, None],
        ),
    )
    asked = next(chat.visible())
    assert asked.text == "[attached: heron.png, list.pdf, notes.txt]"
    assert [(a.name, a.pointer, a.present) for a in asked.attachments] == [
        ("heron.png", "heron-4f2a.png", True),
        ("list.pdf", "list.pdf", False),
        ("notes.txt", "notes.txt", False),
    ]


def test_an_empty_prompt_is_hidden_and_its_answer_is_not(tmp_path: Path) -> None:
    (chat,) = imported(tmp_path, row("Prompted"))
    assert [m.hidden for m in chat.messages] == ["placeholder", None]


def test_a_gem_is_the_agent(tmp_path: Path) -> None:
    used = [
        {"name": "Quiz master was used in this chat. Manage your Gems.", "url": "https://gemini.google.com/gems/view"}
    ]
    (chat,) = imported(tmp_path, row("Prompted One", subtitles=used))
    assert (chat.agent_id, list(chat.messages[0].attachments)) == ("Quiz master", [])


@pytest.mark.parametrize("time", [None, "", "soon", 0, [], {}])
def test_an_unknown_time_stays_unknown_and_the_order_is_that_of_the_file(tmp_path: Path, time: Any) -> None:
    found = imported(tmp_path, *(row(f"Prompted {n}", time=time, details=link("abc")) for n in range(3)))
    assert prompts(found) == ["2", "1", "0"]
    assert found[0].created_at is None


def test_a_file_in_the_order_of_time_reads_the_same(tmp_path: Path) -> None:
    rows = [row(f"Prompted {n}", time=f"2026-01-02T11:0{n // 2}:00Z", details=link("abc")) for n in range(4)]
    assert prompts(imported(tmp_path, *rows)) == ["0", "1", "2", "3"]


def test_damage_costs_only_the_row_it_hits(tmp_path: Path) -> None:
    path = write(
        tmp_path, [row("Prompted One"), 3, None, row(["x"], None), row("Prompted Two", time="2026-01-03T00:00:00Z")]
    )
    records = read(path)
    assert prompts(chats(records)) == ["One", "Two"]
    assert [r.where.rsplit(" ", 1)[-1] for r in records if isinstance(r, Skipped)] == ["/1", "/2", "/3"]


WRONG: list[Any] = [None, 0, True, "", "x", [], [None], [[]], [3], {}, {"html": 1}, "\ud800", ["\ud800"]]


@pytest.mark.parametrize(
    "key",
    ["header", "title", "time", "products", "activityControls", "safeHtmlItem", "subtitles", "details", "titleUrl",
     "imageFile", "attachedFiles"],
)  # fmt: skip
def test_a_wrong_type_never_raises(tmp_path: Path, key: str) -> None:
    for value in WRONG:
        path = write(tmp_path, [row("Prompted One"), {**row("Prompted Two", time="2026-01-03T00:00:00Z"), key: value}])
        detect(files(path)[0])
        assert "One" in prompts(chats(read(path)))


@pytest.mark.parametrize("content", ["", "[", "[{", '[{"header": "Gemini Apps", "title": "Prom', "null", "3"])
def test_a_cut_off_file_never_raises(tmp_path: Path, content: str) -> None:
    path = tmp_path / "MyActivity.json"
    path.write_text(content, "utf-8")
    assert chats(read(path)) == []
