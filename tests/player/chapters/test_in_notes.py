"""Lists of times in the notes are chapters; times that are merely mentioned are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.chapters.texts import read_notes_chapters
from player.model.episode import Chapter

HOUR = 3_600_000
THREE = [(0, "Hello"), (90_000, "Middle"), (3_000_000, "End")]


def read(notes: str, duration_ms: int | None = HOUR) -> list[tuple[int, str]]:
    return [(one.start_ms, one.title) for one in read_notes_chapters(notes, duration_ms)]


@pytest.mark.parametrize(
    "notes",
    [
        "0:00 Hello\n1:30 Middle\n50:00 End",
        "Welcome.\n\n00:00:00 - Hello\n00:01:30 – Middle\n00:50:00: End\n\nThanks.",
        "<p>(00:00) Hello<br>(01:30) Middle<br/>(50:00) End</p>",
        "<p>[00:00] Hello</p><p>[01:30] Middle</p><p>We speak of it.</p><p>[50:00] End</p>",
        "<ul><li>0:00 Hello</li><li>1:30 - Middle</li><li>50:00 | End</li></ul>",
        "<ul><li>Hello (0:00)</li><li>Middle – 1:30</li><li>End [50:00]</li></ul>",
        "<p><b>0:00</b> Hello<br><b>1:30</b> Middle<br><b>50:00</b> End</p>",
        "<p>0:00 - 1:30 Hello<br>1:30 - 50:00 Middle<br>50:00 - 55:00 End</p>",
        "<h2>Chapters</h2><ol><li>0:00 Hello</li><li>1:30 Middle</li><li>50:00 End</li></ol><p>5:00 of ads</p>",
    ],
)
def test_a_list_of_times_is_read(notes: str) -> None:
    assert read(notes) == THREE


@pytest.mark.parametrize(
    "notes",
    [
        "",
        "<p>Nothing of the kind.</p>",
        "0:00 Hello\n1:30 Middle",
        "0:00 Hello\n1:30\n50:00 End",
        "1:30 Middle\n0:00 Hello\n0:00 End",
        "Doors open at 10:30, talks at 11:00, food at 12:15.",
        "<p>10:30 am Doors</p><p>11:00 am Talks</p><p>11:30 am Food</p>",
        "0:00 Hello\n1:30 Middle\n1:50:00 End",
        "<p>See 0:10, 0:20 and 0:30.</p>",
        f"0:00 {'x ' * 200}\n1:30 Middle\n50:00 End",
    ],
)
def test_what_is_no_list_is_none(notes: str) -> None:
    assert read(notes) == []


def test_while_nobody_knows_the_length_any_time_will_do() -> None:
    assert len(read("0:00 Hello\n1:30 Middle\n1:50:00 End", None)) == 3


def test_the_longest_run_of_times_that_grow_is_taken() -> None:
    notes = "5:00 Quote\n" + "0:00 Hello\n1:30 Middle\n50:00 End\n" + "2:00 Errata\n3:00 More"
    assert read(notes) == THREE


def test_the_first_link_of_a_line_is_the_chapters() -> None:
    notes = '<li>0:00 Hello</li><li>1:30 <a href="https://example.org/">Middle</a></li><li>50:00 End</li>'
    assert read_notes_chapters(f"<ul>{notes}</ul>", HOUR)[1] == Chapter(90_000, "Middle", url="https://example.org/")


@given(st.lists(st.sampled_from(["<li>", "0:00 ", "1:30", "59:59 x", "\n", "<br>", "(2:00)", " y ", "&amp;", "</li>"])))
def test_whatever_the_notes_say_the_times_grow_and_have_titles(parts: list[str]) -> None:
    found = read("".join(parts))
    assert [start for start, _ in found] == sorted({start for start, _ in found})
    assert all(title for _, title in found)
    assert len(found) != 1
    assert len(found) != 2


def test_notes_of_a_megabyte_are_read_in_one_go() -> None:
    assert len(read("0:00 Hello\n" + "1:30 Middle\n50:00 End\n" + "x 1:2 " * 150_000)) == 3
