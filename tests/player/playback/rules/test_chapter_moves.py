"""Where `,` and `.` lead."""

import pytest

from player.model.episode import Chapter, Chapters
from player.playback.rules import chapter_after, chapter_before

CHAPTERS = Chapters(
    (
        Chapter(5_000, "One"),
        Chapter(60_000, "Picture", hidden=True),
        Chapter(100_000, "Two"),
        Chapter(200_000, "Three"),
    )
)


@pytest.mark.parametrize(
    ("position", "title"),
    [
        (0, None),
        (6_000, None),
        (8_000, "One"),
        (60_500, "One"),
        (99_900, "One"),
        (100_000, "One"),
        (102_900, "One"),
        (103_000, "Two"),
        (900_000, "Three"),
    ],
)
def test_back_leads_to_the_chapters_start_and_soon_after_it_to_the_one_before(position: int, title: str | None) -> None:
    found = chapter_before(CHAPTERS, position)
    assert (found.title if found else None) == title


@pytest.mark.parametrize(
    ("position", "title"),
    [(0, "One"), (4_900, "Two"), (5_000, "Two"), (60_000, "Two"), (150_000, "Three"), (200_000, None)],
)
def test_on_leads_to_the_next_start(position: int, title: str | None) -> None:
    found = chapter_after(CHAPTERS, position)
    assert (found.title if found else None) == title


def test_without_chapters_neither_leads_anywhere() -> None:
    assert chapter_before(Chapters(), 50_000) is None
    assert chapter_after(Chapters(), 50_000) is None
