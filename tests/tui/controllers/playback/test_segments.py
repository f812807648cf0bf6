"""`(` and `)` mark a segment, and two keys answer whether marked ones are skipped."""

from concurrent.futures import Future
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace

from player.measuring.kinds.pauses import Pauses, snapped
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.model.segments import Segment, SegmentId, SegmentKind, SegmentRule, SegmentRules
from player.player import Player
from tests.tui.controllers.fake import Calls, FakePlayer, FakeUi, episode, playing
from tui.controllers.segments import Line, SegmentController
from tui.dialogs.segment import SegmentScreen

ASKED = Segment(
    SegmentId(3), PodcastId(1), EpisodeId(1), 60_000, 94_000, SegmentKind.SPONSOR,
    datetime(2026, 3, 1, tzinfo=UTC), found=True, podcast="Loop",
)  # fmt: skip


class Keys:
    def __init__(self, pauses: Pauses | None = None) -> None:
        self.player, self.ui = FakePlayer(), FakeUi()
        done: Future[list[SegmentId]] = Future()
        done.set_result([SegmentId(1)])
        self.player.acts = Calls(self.player.made, mark_segment=done)  # type: ignore[assignment]
        cast(Any, self.player).services = SimpleNamespace(measuring=Calls([], known=pauses))
        self.line: Line | None = None
        self.pointed: int | None = None
        self.begun = 0
        self.controller = SegmentController(
            cast(Player, self.player), self.ui, self._begun, lambda: self.pointed, lambda: self.line
        )

    def _begun(self) -> None:
        self.begun += 1

    def at(self, position_ms: int, number: int = 1) -> "Keys":
        self.player.status = replace(playing(PlaybackState.PAUSED, position_ms=position_ms), episode=episode(number))
        return self

    async def chosen(self, kind: SegmentKind | None) -> None:
        assert isinstance(self.ui.dialog, SegmentScreen)
        self.ui.answer(kind)
        await self.ui.finish()

    @property
    def marked(self) -> list[tuple[Any, ...]]:
        return [call[1:] for call in self.player.made if call[0] == "mark_segment"]


async def test_two_keys_and_an_answer_mark_a_segment() -> None:
    keys = Keys()
    keys.at(60_000).controller.start()
    assert keys.ui.messages == [], "the bar says it"
    assert keys.player.segment_begun.position_ms == 60_000
    keys.at(94_000).controller.end()
    assert keys.marked == []
    await keys.chosen(SegmentKind.SPONSOR)
    assert keys.marked == [(EpisodeId(1), 60_000, 94_000, SegmentKind.SPONSOR)]
    assert keys.ui.messages[-1] == "Marked a sponsor of 0:34 at 1:00 · <undo> undoes"
    assert keys.player.segment_begun is None
    assert keys.begun == 2


async def test_the_start_moves_when_its_key_is_pressed_again() -> None:
    keys = Keys()
    keys.at(60_000).controller.start()
    keys.at(62_000).controller.start()
    assert keys.player.segment_begun.position_ms == 62_000
    keys.at(94_000).controller.end()
    await keys.chosen(SegmentKind.INTRO)
    assert keys.marked == [(EpisodeId(1), 62_000, 94_000, SegmentKind.INTRO)]


async def test_an_end_before_the_start_is_the_start() -> None:
    keys = Keys()
    keys.at(94_000).controller.start()
    keys.at(60_000).controller.end()
    await keys.chosen(SegmentKind.OTHER)
    assert keys.marked == [(EpisodeId(1), 60_000, 94_000, SegmentKind.OTHER)]


async def test_closing_the_dialog_marks_nothing_and_drops_the_start() -> None:
    keys = Keys()
    keys.at(60_000).controller.start()
    keys.at(94_000).controller.end()
    await keys.chosen(None)
    assert (keys.marked, keys.player.segment_begun) == ([], None)
    assert keys.ui.messages[-1] == "Nothing was marked"


def test_an_end_without_a_start_says_what_to_do() -> None:
    keys = Keys()
    keys.at(94_000).controller.end()
    assert keys.ui.messages == ["Press <segment_start> first, where the segment begins"]
    keys.at(5_000, 2).controller.start()
    keys.at(94_000).controller.end()
    assert keys.ui.messages[-1].startswith("The start that you marked is in another episode. Press <segment_start>")
    assert keys.ui.dialog is None
    assert keys.player.segment_begun is None


def test_what_is_too_short_or_too_long_is_refused_before_it_is_asked_about() -> None:
    for end_ms, words in ((60_900, "shorter than a second"), (3_661_000, "longer than an hour; this one is 1:00:01")):
        keys = Keys()
        keys.at(60_000).controller.start()
        keys.at(end_ms).controller.end()
        assert words in keys.ui.messages[-1]
        assert keys.ui.dialog is None
        assert keys.player.segment_begun.position_ms == 60_000, "another end can be marked"


def test_nothing_and_a_stream_cannot_be_marked() -> None:
    for status, words in (
        (PlaybackStatus(), "Nothing is playing yet. Press <play> on an episode."),
        (replace(playing(), live=True), "You can't mark segments of a live stream"),
    ):
        keys = Keys()
        keys.player.status = status
        keys.controller.start()
        keys.controller.end()
        assert keys.ui.messages == [words, words]


async def test_the_line_of_a_transcript_is_marked_in_place_of_what_is_heard() -> None:
    keys = Keys().at(1_000)
    keys.line = Line(episode(7), 60_000, 64_000)
    keys.controller.start()
    keys.line = Line(episode(7), 90_000, 95_000)
    keys.controller.end()
    await keys.chosen(SegmentKind.RECAP)
    assert keys.marked == [(EpisodeId(7), 60_000, 95_000, SegmentKind.RECAP)]


async def test_the_place_at_the_mouse_is_marked_in_place_of_what_is_heard() -> None:
    keys = Keys().at(1_000)
    keys.pointed = 60_000
    keys.controller.start()
    keys.pointed = 94_000
    keys.controller.end()
    await keys.chosen(SegmentKind.SPONSOR)
    assert keys.marked == [(EpisodeId(1), 60_000, 94_000, SegmentKind.SPONSOR)]


async def test_its_edges_are_in_pauses_that_are_near() -> None:
    keys = Keys(Pauses(((59_000, 59_800), (94_200, 95_000))))
    keys.at(60_000).controller.start()
    keys.at(94_000).controller.end()
    await keys.chosen(SegmentKind.SPONSOR)
    assert keys.marked == [(EpisodeId(1), 59_400, 94_600, SegmentKind.SPONSOR)]


def test_the_middle_of_a_pause_is_best_then_its_nearer_edge_and_a_far_pause_is_none() -> None:
    spans = ((10_000, 10_600), (20_000, 24_000))
    assert [snapped(ms, spans) for ms in (9_700, 10_300, 10_900, 9_200, 11_400)] == [
        10_300, 10_300, 10_300, 9_200, 11_400,
    ]  # fmt: skip
    assert [snapped(ms, spans) for ms in (9_500, 19_400, 20_500, 22_100, 21_000, 24_600)] == [
        10_000, 20_000, 20_000, 22_000, 21_000, 24_000,
    ]  # fmt: skip


def test_an_answer_is_the_podcasts_setting() -> None:
    for answer, rule, words in (
        (SegmentController.skip, SegmentRule.SKIP, "From now on sponsors in “Loop” are skipped"),
        (SegmentController.leave, SegmentRule.LEAVE, "From now on sponsors in “Loop” are played"),
    ):
        keys = Keys().at(55_000)
        done: Future[PodcastSettings] = Future()
        done.set_result(AS_ALL)
        keys.player._answers["change_podcast_settings"] = done
        keys.player.status = replace(keys.player.status, asked=ASKED)
        answer(keys.controller)
        (call,) = (one for one in keys.player.made if one[0] == "change_podcast_settings")
        own = PodcastSettings(speed=1.5, segments=SegmentRules(intro=SegmentRule.SKIP))
        assert call[1] == 1
        assert call[2](own) == replace(own, segments=SegmentRules(intro=SegmentRule.SKIP, sponsor=rule))
        assert keys.ui.messages == [words]


def test_without_a_question_an_answer_says_so() -> None:
    keys = Keys().at(55_000)
    keys.controller.skip()
    keys.controller.leave()
    assert keys.ui.messages == 2 * ["The bar asks 10 s before a segment that you marked; there is none now"]
