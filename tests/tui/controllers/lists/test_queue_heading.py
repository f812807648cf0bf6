"""The heading of the queue follows the player bar, and reads nothing for that."""

from collections.abc import Iterator

import pytest

from player.model.playback import PlaybackState, PlaybackStatus
from player.player import Player
from player.text.durations import brief
from tests.tui.controllers.fake import FakeUi
from tests.tui.shelf import episodes_of
from tests.tui.stage import stocked_player
from tui.controllers.lists.queue import QueueHeading
from tui.controllers.ui import LibraryReader

MINUTE = 60_000
PLAYING, PAUSED = PlaybackState.PLAYING, PlaybackState.PAUSED


@pytest.fixture
def player() -> Iterator[Player]:
    opened = stocked_player()
    yield opened
    opened.close()


class Heading:
    """One for a queue of two episodes."""

    def __init__(self, player: Player) -> None:
        library = player.library
        rows = episodes_of(library, library.podcasts.find("PyTorch Developer Podcast").id)
        self.queued, self.second, self.other = [row for row in rows if not row.in_progress and row.duration_ms][:3]
        library.queue.add_last([self.queued.id, self.second.id])
        self.second_ms = self.second.duration_ms or 0
        self.player, self.ui, self.reads = player, FakeUi(), 0
        self.heading = QueueHeading(player, self.ui, LibraryReader(self.ui), lambda: None)
        self.heading.show(self.heading.read())

    async def play(
        self, ms: int | None, state: PlaybackState = PLAYING, *, queued: bool = True, speed: float = 1.0
    ) -> None:
        """An episode of half an hour; `ms` None: of unknown length."""
        episode = self.queued if queued else self.other
        length = None if ms is None else 30 * MINUTE
        self.heading.follow(PlaybackStatus(state, episode, ms or 0, length, speed=speed))
        self.reads += bool(self.ui.work)
        await self.ui.finish()

    def left(self, ms: int) -> str:
        """As the heading says it of the second episode and so much more."""
        return f"{brief(self.second_ms + ms)} left"

    @property
    def words(self) -> tuple[str, str]:
        """How many are to come, and how long it takes."""
        episodes, left, _ends = self.heading.facts(2, more=False)[0].split(" · ")
        return episodes, left


async def test_it_follows_what_plays_and_reads_the_library_once(player: Player) -> None:
    heading = Heading(player)
    for ms in range(0, 10 * MINUTE, 200):
        await heading.play(ms)
        assert heading.words == ("1 to come", heading.left(30 * MINUTE - ms))
    assert heading.reads == 1


async def test_what_plays_without_being_queued_counts_in_the_time_and_not_among_the_episodes(player: Player) -> None:
    heading = Heading(player)
    queued_ms = heading.queued.duration_ms or 0
    await heading.play(10 * MINUTE, queued=False)
    assert heading.words == ("2 episodes", heading.left(queued_ms + 20 * MINUTE))
    await heading.play(10 * MINUTE, PAUSED, queued=False)
    assert heading.words == ("2 episodes", heading.left(queued_ms + 20 * MINUTE)), "a pause changes nothing"
    await heading.play(30 * MINUTE, PlaybackState.ENDED, queued=False)
    assert heading.words == ("2 episodes", heading.left(queued_ms))


async def test_one_that_cannot_be_played_is_to_come_again(player: Player) -> None:
    heading = Heading(player)
    await heading.play(0, PlaybackState.ERROR)
    assert heading.words == ("2 episodes", heading.left(heading.queued.duration_ms or 0))


async def test_what_plays_and_whose_length_is_unknown_is_said_to_be_so(player: Player) -> None:
    heading = Heading(player)
    await heading.play(None)
    assert heading.heading.facts(2, more=False)[0] == f"1 to come · {heading.left(0)} · 1 of unknown length"


async def test_the_rest_of_what_plays_is_that_at_its_speed(player: Player) -> None:
    heading = Heading(player)
    await heading.play(10 * MINUTE, speed=2.0)
    assert heading.words == ("1 to come", f"{brief((heading.second_ms + 20 * MINUTE) // 2)} left")


async def test_with_another_list_on_the_screen_nothing_is_read(player: Player) -> None:
    heading = Heading(player)
    heading.heading.show(None)
    await heading.play(0)
    assert heading.reads == 0
    assert heading.heading.facts(2, more=False) == ()
    assert [ticker.runs for ticker in heading.ui.tickers] == [False]
