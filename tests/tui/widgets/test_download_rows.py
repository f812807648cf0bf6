"""The rows of the Downloads view, drawn without a screen."""

from array import array
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from rich.style import Style

from player.library.lists.listing import WholeList
from player.model.downloads import Download, DownloadEntry, DownloadState, Progress
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from tui.drawing import cells
from tui.drawing.episode_rows import NOTHING
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.widgets.download_rows import DownloadRows
from tui.widgets.episode_row import Heading

TODAY = date(2026, 11, 20)


def moment(day: int) -> datetime:
    return datetime(2026, 11, day, 12, tzinfo=UTC)


def episode(number: int) -> Episode:
    return Episode(
        id=EpisodeId(number),
        podcast_id=PodcastId(1),
        podcast="Oxide and Friends",
        title=f"Episode {number}",
        guid=f"{number}",
        url="https://example.org/a.mp3",
        published=moment(number),
    )


def rows(here: Sequence[int] = (), queued: Sequence[int] = (), *, why: str = "", tall: bool = True) -> DownloadRows:
    queue = [
        DownloadEntry(
            EpisodeId(one), f"Episode {one}", "Oxide and Friends", DownloadState.RUNNING, "", moment(one), Progress()
        )
        for one in queued
    ]
    known = {EpisodeId(one): Download(EpisodeId(one), Path("a"), moment(19), 42_000_000) for one in here}
    listing = WholeList(array("q", here))
    made = DownloadRows(queue, listing, known, lambda _id: why, "", lambda: TODAY, lambda _id: None)
    made.bind(PlaybackStatus, episode, lambda _episode: NOTHING)
    made.tall = tall
    return made


def lines(made: DownloadRows, index: int, width: int, glyphs: Glyphs = UNICODE) -> list[str]:
    ink = lambda _role: Style()  # noqa: E731
    drawn = [made.draw(index, width, glyphs, ink, at_cursor=False)]
    drawn += [made.draw_below(index, width, glyphs, ink)] if made.tall else []
    texts = ["".join(one.text for one in line) for line in drawn]
    assert all(cells.width(one) == width for one in texts), texts
    return [one.rstrip() for one in texts]


def test_a_row_of_two_lines_says_what_it_is_then_how_much_it_takes_when_it_came_and_why() -> None:
    made = rows([3], why="newest 3 of Oxide and Friends")
    assert lines(made, 0, 90) == [
        "• Episode 3",
        "  ▎Oxide and Friends · 3 Nov · 42 MB · ↓ yesterday · newest 3 of Oxide and Friends",
    ]
    assert lines(made, 0, 60)[1] == "  ▎Oxide and Friends · 3 Nov · 42 MB · ↓ yesterday"
    assert lines(made, 0, 30)[1] == "  ▎Oxide and Friends · 3 Nov"
    assert lines(made, 0, 60, ASCII)[1] == "  |Oxide and Friends - 3 Nov - 42 MB - v yesterday"


def test_in_one_line_an_arrow_tells_when_it_came_from_the_day_of_the_heading() -> None:
    (line,) = lines(rows([3], tall=False), 0, 70)
    assert line.split() == ["•", "Episode", "3", "Oxide", "and", "F…", "42", "MB", "↓", "yesterday"]


@pytest.mark.parametrize("width", [*range(26), 40, 58, 66, 84, 120])
@pytest.mark.parametrize("tall", [True, False])
def test_every_line_has_exactly_the_cells_it_is_given(width: int, tall: bool) -> None:
    made = rows([3, 1], [5], why="kept: starred", tall=tall)
    for index in range(len(made)):
        if width >= (24 if tall else 14):
            lines(made, index, width)


def test_dates_stand_above_what_is_here_below_what_is_on_its_way() -> None:
    made = rows([3, 2, 1], [5, 4])
    made.dates = ((0, "Today"), (2, "November"))
    assert made.headed == [2, 4]
    assert made.heading_of(2) == Heading("On this computer", "Today")
    assert made.heading_of(4) == Heading("November")
    assert made.keeps_headings
    alone = rows([3, 2])
    alone.dates = ((0, "Today"),)
    assert (alone.headed, alone.heading_of(0)) == ([0], Heading("Today"))
    assert not alone.keeps_headings


def test_the_cursor_rests_on_every_row_and_stays_on_its_episode() -> None:
    made = rows([3, 2], [5])
    assert all(map(made.may_rest, range(3)))
    assert rows([5, 3, 2]).same_row(made, 0) == 0
    assert rows([3, 2]).same_row(made, 0) is None
