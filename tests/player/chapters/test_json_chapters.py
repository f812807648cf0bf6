"""JSON chapters as the specification has them, and as people write them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.chapters.best import MOST, tidied
from player.chapters.texts import read_json_chapters
from player.model.episode import Chapter
from player.text.cleaning import clean_line


def read(*chapters: Any) -> list[Chapter]:
    return list(tidied(read_json_chapters(json.dumps({"version": "1.2.0", "chapters": chapters}).encode())))


def test_all_that_the_format_has_is_read() -> None:
    item = {
        "startTime": 94.5,
        "endTime": 100,
        "title": "Two\u202e\n words",
        "url": "https://example.org/a",
        "img": "https://example.org/a.png",
        "toc": False,
        "location": {"name": "Here"},
    }
    expected = Chapter(94_500, "Two words", 100_000, "https://example.org/a", "https://example.org/a.png", hidden=True)
    assert read(item) == [expected]


@pytest.mark.parametrize(
    ("time", "ms"),
    [(12, 12_000), (0.0015, 2), ("12", 12_000), ("12.5", 12_500), ("1:02:03", 3_723_000), ("00:00:01.250", 1_250)],
)
def test_numbers_may_be_texts(time: object, ms: int) -> None:
    assert read({"startTime": time, "title": "One"}) == [Chapter(ms, "One")]


@pytest.mark.parametrize("time", [None, "soon", -1, True, [], {}, 1e300, float("nan"), float("inf"), "", 10**400])
def test_a_chapter_without_a_start_is_left_out(time: object) -> None:
    assert read({"startTime": time, "title": "One"}, {"startTime": 5, "title": "Two"}) == [Chapter(5_000, "Two")]


def test_they_are_put_in_order_and_each_stands_there_once() -> None:
    found = read(*({"startTime": start, "title": str(start)} for start in (30, 10, 20, 10)))
    assert [chapter.title for chapter in found] == ["10", "20", "30"]


def test_those_without_a_title_are_numbered_as_they_are_listed() -> None:
    hidden = {"startTime": 10, "toc": False}
    found = read({"startTime": 20, "title": "  "}, hidden, {"startTime": 0, "title": 5})
    assert [(chapter.title, chapter.hidden) for chapter in found] == [
        ("Chapter 1", False),
        ("", True),
        ("Chapter 2", False),
    ]


def test_of_two_at_once_the_listed_one_plays() -> None:
    found = read({"startTime": 0, "title": "Seen"}, {"startTime": 0, "title": "Picture", "toc": "false"})
    assert [chapter.title for chapter in found] == ["Picture", "Seen"]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "/relative", "ftp://example.org", 7, None, "https://"])
def test_a_link_that_is_none_is_left_out(link: object) -> None:
    assert read({"startTime": 0, "title": "One", "url": link, "img": link}) == [Chapter(0, "One")]


def test_an_end_before_the_start_is_none() -> None:
    assert read({"startTime": 5, "endTime": 5, "title": "One"}) == [Chapter(5_000, "One")]


def test_there_is_an_end_to_them() -> None:
    assert len(read(*({"startTime": start, "title": "One"} for start in range(MOST + 50)))) == MOST


@pytest.mark.parametrize("body", [b"\xef\xbb\xbf%s", b"%s\n\n"])
def test_a_mark_before_it_and_space_behind_it_do_no_harm(body: bytes) -> None:
    assert read_json_chapters(body % b'[{"startTime": 0, "title": "One"}]') == (Chapter(0, "One"),)


def test_latin_letters_cost_a_letter_and_not_the_chapters() -> None:
    body = '{"chapters": [{"startTime": 0, "title": "Café"}]}'.encode("latin-1")
    assert read_json_chapters(body) == (Chapter(0, "Caf\ufffd"),)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"7", b"{}", b'{"chapters": {}}', b'{"chapters": null}', b"[" * 100_000, b'"' + b"\\" * 1_001],
)
def test_what_is_no_such_file_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        read_json_chapters(body)


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["startTime", "title", "toc", "url"]), inner)
    ),
    max_leaves=20,
)


@given(json_values | st.fixed_dictionaries({"chapters": st.lists(json_values)}))
def test_no_file_breaks_it(item: object) -> None:
    try:
        found = tidied(read_json_chapters(json.dumps(item).encode()))
    except ValueError:
        return
    assert [one.start_ms for one in found] == sorted(one.start_ms for one in found)
    assert all(one.title == clean_line(one.title) and (one.title or one.hidden) for one in found)


@given(st.binary(max_size=200))
def test_no_bytes_break_it(body: bytes) -> None:
    try:
        read_json_chapters(body)
    except ValueError:
        return


def test_titles_may_be_escaped_as_for_html() -> None:
    (chapter,) = read_json_chapters(b'{"chapters": [{"startTime": 0, "title": "Q&amp;A &#8211; caf&eacute;"}]}')
    assert chapter.title == "Q&A – café"
