"""The ticks of the chapters in the bar."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from player.artwork.picture import CoverArt
from player.bookmarks import Here
from player.errors import LibraryError
from player.measuring.kinds.waveform import Waveform
from player.model.episode import Chapters, EpisodeId
from player.model.listening import Bookmark, BookmarkId
from player.model.podcast import PodcastId
from player.model.segments import Segment, SegmentId, SegmentKind
from player.player import Player
from tests.tui.controllers.fake import Calls, FakePlayer, FakeUi, chapters, episode, playing
from tui.controllers.bar import BarController, BarCoverController


def bookmark(position_ms: int) -> Bookmark:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Bookmark(BookmarkId(1), EpisodeId(1), position_ms, at, "", "", "", "", "", "")


SEGMENT = Segment(
    SegmentId(1), PodcastId(1), EpisodeId(1), 5_000, 39_000, SegmentKind.SPONSOR, datetime(2026, 3, 1, tzinfo=UTC)
)


class Bar:
    def __init__(self) -> None:
        self.player, self.ui = FakePlayer(playing(), chapters=chapters(0, 60_000)), FakeUi()
        self.shown: list[Chapters] = []
        self.marked: list[tuple[int, ...]] = []
        self.waves: list[Waveform | None] = []
        self.segments: list[tuple[tuple[tuple[int, int], ...], int | None]] = []
        self.player.library = SimpleNamespace(
            bookmarks=Calls(self.player.made, of_episode=[bookmark(5_000)]),
            segments=Calls(self.player.made, of_episode=[SEGMENT]),
        )
        shows = {
            "show_chapters": self.shown,
            "show_bookmarks": self.marked,
            "show_wave": self.waves,
        }
        shown = SimpleNamespace(
            **{name: cast(list[Any], made).append for name, made in shows.items()},
            show_segments=lambda *shown: self.segments.append(shown),
        )
        self.controller = BarController(cast(Player, self.player), self.ui, shown)


async def test_the_chapters_of_an_episode_are_read_once_and_go_when_another_one_plays() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    assert bar.shown == [chapters(0, 60_000)]
    bar.controller.chart(episode(2))
    assert bar.shown[-1] == Chapters()
    assert len([call for call in bar.player.made if call[0] == "chapters"]) == 1


async def test_chapters_that_come_for_another_episode_meanwhile_are_not_shown() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    first = bar.ui.work.pop("chart")
    bar.controller.chart(None)
    await first()
    assert bar.shown == [Chapters()]


async def test_chapters_that_arrive_for_what_plays_are_read_anew() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    bar.controller.chapters_arrived(episode(2).id)
    assert bar.ui.work == {}
    bar.controller.chapters_arrived(episode(1).id)
    await bar.ui.finish()
    assert len([call for call in bar.player.made if call[0] == "chapters"]) == 2


async def test_bookmarks_are_shown_and_follow_what_changes() -> None:
    bar = Bar()
    bar.controller.bookmarks_changed()
    assert bar.ui.work == {}
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    assert list(bar.marked) == [(5_000,)]
    bar.player.library.bookmarks = Calls([], of_episode=[bookmark(5_000), bookmark(9_000)])
    bar.controller.bookmarks_changed()
    await bar.ui.finish()
    assert list(bar.marked[-1]) == [5_000, 9_000]
    bar.controller.chart(None)
    assert list(bar.marked[-1]) == []


async def test_bookmarks_that_cannot_be_read_are_not_shown() -> None:
    def fail(_episode_id: EpisodeId) -> list[Bookmark]:
        raise LibraryError("It can't be read")

    bar = Bar()
    bar.player.library.bookmarks = SimpleNamespace(of_episode=fail)
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    assert bar.marked == [()]


async def test_segments_are_shown_with_the_start_of_one_that_is_being_marked() -> None:
    bar = Bar()
    bar.controller.chart(episode(1))
    await bar.ui.finish()
    assert bar.segments == [(((5_000, 39_000),), None)]
    for begun, shown in ((episode(1), 50_000), (episode(2), None)):
        bar.player.segment_begun = Here(begun, 50_000)
        bar.controller.segments_changed()
        await bar.ui.finish()
        assert bar.segments[-1] == (((5_000, 39_000),), shown)
    bar.controller.chart(None)
    assert bar.segments[-1] == ((), None)


async def test_the_waveform_is_shown_as_it_becomes_known_and_goes_with_its_episode() -> None:
    bar = Bar()
    bar.controller.waveform_arrived()
    bar.controller.chart(episode(1))
    assert bar.waves == []
    wave = Waveform(1_000, b"123")
    bar.player._answers["waveform"] = wave
    bar.controller.waveform_arrived()
    assert bar.waves == [wave]
    bar.controller.chart(episode(2))
    assert bar.waves == [wave, None, wave]


async def test_all_of_it_is_shown_when_it_is_complete() -> None:
    bar = Bar()
    wave = Waveform(1_000, b"123")
    cast(Any, bar.player).services = SimpleNamespace(measuring=Calls(bar.player.made, stored=wave))
    await bar.controller.complete(episode(1))
    assert (bar.shown, bar.marked, bar.waves) == ([chapters(0, 60_000)], [(5_000,)], [wave])
    assert bar.ui.work == {}


async def test_the_cover_is_shown_when_it_is_complete() -> None:
    shown: list[CoverArt | None] = []
    art = CoverArt(PodcastId(1), "Loop", "https://a.example/feed", ())
    player = SimpleNamespace(artwork=SimpleNamespace(arts=Calls([], known=None, read=art)))
    controller = BarCoverController(cast(Player, player), FakeUi(), shown.append)
    await controller.complete(None)
    await controller.complete(episode(1))
    assert shown == [art]
