"""The sleep timer within playback: the engine does what the test says, and time passes when the test lets it."""

from collections.abc import Iterator
from datetime import UTC, datetime, time

import pytest

from player.errors import MediaError
from player.library import Library
from player.model.episode import Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState, SleepChoice, SleepStatus, SleepUntil
from player.playback.engine import Playing, Starving
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.sleep import SleepHours
from player.playback.up_next import EndedBy, Play
from tests.player.playback.test_controller import MINUTES, Stage

CHAPTERS = Chapters((Chapter(0, "Intro"), Chapter(2 * MINUTES, "Sponsor"), Chapter(3 * MINUTES, "Two")))
Ids = tuple[EpisodeId, ...]


class Night(Stage):
    """Listening, with a sleep timer."""

    def play(self, episode: EpisodeId, at_ms: int | None = None) -> None:
        super().play(episode, at_ms)
        self.controller.tick()

    def is_(self, state: PlaybackState) -> bool:
        return self.state is state

    def runs(self) -> bool:
        return self.timer.choice is not None

    def stops(self) -> bool:
        return self.timer.stops_after

    def sleep(self, until: SleepUntil, count: int = 1) -> Outcome:
        return self.controller.sleeper.set(SleepChoice(until, count))

    def listen(self, seconds: float, *, speed: float = 1.0) -> None:
        """Sound comes out for so long, unless something ends it."""
        for _step in range(round(seconds * 2)):
            if self.state is not PlaybackState.PLAYING:
                return
            self.time.pass_(0.5)
            assert self.engine.position_ms is not None
            self.engine.position_ms += round(500 * speed)
            self.controller.tick()

    def idle(self, seconds: float) -> None:
        """Time passes; the thread ticks as long as there is reason to."""
        for _step in range(round(seconds * 2)):
            self.time.pass_(0.5)
            if self.controller.ticks:
                self.controller.tick()

    def hear_the_rest(self) -> None:
        """Up to the engine's report that it is over."""
        self.read_all()
        self.move(30 * MINUTES)
        self.finish()

    @property
    def gain(self) -> float:
        """What the engine was told last, of the volume."""
        volumes = [call[-1] for call in self.engine_calls if call[0] in ("volume", "load")]
        assert isinstance(volumes[-1], int)
        return volumes[-1] / self.controller.volume

    @property
    def timer(self) -> SleepStatus:
        return self.controller.status.sleep


@pytest.fixture
def night(library: Library) -> Iterator[Night]:
    made = Night(library)
    yield made
    made.end()


def test_the_sound_fades_over_twenty_seconds_and_pauses_when_the_minutes_are_over(night: Night, ids: Ids) -> None:
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.MINUTES, 5)
    night.listen(280)
    assert (night.gain, night.timer.fading) == (1.0, True)
    night.listen(10)
    assert night.gain == pytest.approx(0.5, abs=0.03)
    assert night.timer.left_ms == pytest.approx(10_000, abs=600)
    assert night.controller.status.volume == 100
    night.listen(9)
    assert night.gain == pytest.approx(0.05, abs=0.03)
    night.listen(60)
    assert night.is_(PlaybackState.PAUSED)
    assert night.position_ms == 60_000 + 300_000
    assert night.timer == SleepStatus(slept=True)
    assert night.notices == ["The sleep timer has paused at 6:00"]
    assert night.engine_calls[-1] == ("pause",), "silent before the gain is full again"
    night.idle(2)
    assert night.gain == 1.0
    assert not night.controller.ticks


def test_resuming_starts_no_timer(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(61)
    assert night.is_(PlaybackState.PAUSED)
    night.idle(3)
    night.controller.resume()
    night.listen(600)
    assert night.is_(PlaybackState.PLAYING)
    assert night.timer == SleepStatus()
    assert night.gain == 1.0


def test_a_pause_and_a_wait_for_bytes_hold_the_minutes(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    night.sleep(SleepUntil.MINUTES, 2)
    night.listen(30)
    night.controller.pause()
    night.idle(3600)
    assert night.timer.left_ms == 90_000
    night.controller.resume()
    night.controller.on_report(Starving(night.engine.generation, True))
    assert night.is_(PlaybackState.BUFFERING)
    night.idle(3600)
    assert night.timer.left_ms == 90_000
    night.controller.on_report(Starving(night.engine.generation, False))
    night.listen(89)
    assert night.is_(PlaybackState.PLAYING)
    night.listen(2)
    assert night.is_(PlaybackState.PAUSED)


def test_a_pause_right_after_the_start_holds_the_minutes_too(night: Night, ids: Ids) -> None:
    night.play(ids[0], 5_000)
    night.sleep(SleepUntil.MINUTES, 2)
    night.controller.tick()
    night.controller.pause()
    night.time.pass_(3600)
    night.controller.resume()
    night.controller.tick()
    assert night.is_(PlaybackState.PLAYING)
    assert night.timer.left_ms is not None
    assert night.timer.left_ms > 115_000


@pytest.mark.parametrize("how", ["pause", "seek", "off", "longer", "stop", "other"])
def test_whatever_interrupts_a_fade_brings_the_full_gain_back(night: Night, ids: Ids, how: str) -> None:
    controller = night.controller
    controller.set_volume(80)
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(55)
    assert night.gain == pytest.approx(0.25, abs=0.03)
    match how:
        case "pause":
            controller.pause()
        case "seek":
            controller.navigation.seek_to(10 * MINUTES)
            controller.on_report(Playing(night.engine.generation))
            controller.tick()
        case "off":
            controller.sleeper.off()
        case "longer":
            controller.sleeper.longer()
        case "stop":
            controller.stop()
        case "other":
            night.play(ids[1], 60_000)
            controller.tick()
    if not controller.active:
        night.idle(1)
    assert night.gain == 1.0
    assert controller.status.volume == 80
    assert night.saver.flush(5)
    assert night.library.state.get("volume") == "80"


def test_a_fade_that_was_interrupted_begins_again_from_the_full_gain(night: Night, ids: Ids) -> None:
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(50)
    night.controller.pause()
    night.idle(5)
    night.controller.resume()
    night.controller.tick()
    assert night.gain == 1.0
    night.listen(5)
    assert night.gain == pytest.approx(0.5, abs=0.06)
    night.listen(6)
    assert night.is_(PlaybackState.PAUSED)


def test_ending_amid_a_fade_saves_the_volume_and_not_the_gain(night: Night, ids: Ids) -> None:
    night.controller.set_volume(70)
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(55)
    night.end()
    night.begin()
    night.controller.restore()
    assert night.controller.volume == 70
    assert night.timer == SleepStatus()
    night.play(ids[0])
    assert night.engine_calls[-1][-1] == 70


# -- the end of a chapter -----------------------------------------------------------------------------------------


def with_chapters(night: Night, episode: EpisodeId, at_ms: int) -> None:
    night.play(episode, at_ms)
    night.controller.navigation.set_chapters(episode, CHAPTERS)


def test_it_stops_where_the_chapter_ends_and_before_a_chapter_that_is_skipped(night: Night, ids: Ids) -> None:
    with_chapters(night, ids[0], 60_000)
    night.sleep(SleepUntil.CHAPTER)
    assert night.timer.left_ms == 60_000
    night.listen(50)
    assert night.gain == pytest.approx(0.5, abs=0.03)
    night.listen(60)
    assert night.is_(PlaybackState.PAUSED)
    assert night.position_ms == 2 * MINUTES


def test_a_jump_past_the_end_of_the_chapter_stops_at_the_end_of_the_next(night: Night, ids: Ids) -> None:
    with_chapters(night, ids[0], 60_000)
    night.sleep(SleepUntil.CHAPTER)
    night.listen(50)
    night.controller.navigation.seek_by(30_000)
    night.controller.on_report(Playing(night.engine.generation))
    night.listen(1)
    assert night.is_(PlaybackState.PLAYING)
    assert night.gain == 1.0
    assert night.timer.left_ms == pytest.approx(39_000, abs=600)
    night.listen(60)
    assert night.is_(PlaybackState.PAUSED)
    assert night.position_ms == 3 * MINUTES


def test_a_chapter_that_is_skipped_is_no_end(night: Night, ids: Ids) -> None:
    night.play(ids[0], 119_000)
    night.listen(0.5)
    night.controller.navigation.set_chapters(ids[0], CHAPTERS)
    night.listen(0.5)
    assert night.position_ms == 3 * MINUTES, "over the sponsor"
    night.sleep(SleepUntil.CHAPTER)
    night.listen(60)
    assert night.is_(PlaybackState.PLAYING)


def test_an_intro_that_is_skipped_is_no_end(night: Night, ids: Ids) -> None:
    chapters = Chapters((Chapter(0, "Sponsor"), Chapter(60_000, "One"), Chapter(120_000, "Two")))
    night.controller.play(ids[0])
    night.settle()
    night.controller.navigation.set_chapters(ids[0], chapters)
    night.sleep(SleepUntil.CHAPTER)
    night.controller.on_report(Playing(night.engine.generation))
    night.listen(5)
    assert night.is_(PlaybackState.PLAYING)
    assert night.position_ms > 60_000
    night.listen(60)
    assert (night.state, night.position_ms) == (PlaybackState.PAUSED, 120_000)


def test_without_chapters_there_is_no_end_of_one(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    refused = night.sleep(SleepUntil.CHAPTER)
    assert isinstance(refused, Refused)
    assert refused.why is Why.NO_CHAPTERS


# -- the end of an episode ----------------------------------------------------------------------------------------


def test_it_stops_before_the_next_episode_begins(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 29 * MINUTES)
    night.sleep(SleepUntil.EPISODE)
    assert night.timer.left_ms == 60_000
    night.listen(50)
    assert night.gain == pytest.approx(0.5, abs=0.03)
    night.hear_the_rest()
    assert night.is_(PlaybackState.ENDED)
    assert night.asked == [], "what is up next isn't even asked for"
    assert night.saver.flush(5)
    assert night.library.episodes.get(ids[0]).played, "it ended by itself"
    assert not night.library.episodes.get(ids[1]).played
    night.idle(2)
    assert night.gain == 1.0


def test_seeking_past_the_end_still_stops(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.EPISODE)
    night.controller.navigation.seek_to(45 * MINUTES)
    night.controller.on_report(Playing(night.engine.generation))
    night.controller.tick()
    night.hear_the_rest()
    assert night.is_(PlaybackState.ENDED)
    assert night.asked == []


def test_it_stops_after_so_many_episodes_and_then_no_more(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0])
    night.sleep(SleepUntil.EPISODE, 2)
    night.listen(5)
    night.hear_the_rest()
    night.settle()
    night.controller.on_report(Playing(night.engine.generation))
    assert night.timer.episodes_left == 1
    night.listen(5)
    night.next = Play(ids[2])
    night.hear_the_rest()
    assert night.is_(PlaybackState.ENDED)
    night.play(ids[2])
    night.next = Play(ids[1])
    night.listen(5)
    night.hear_the_rest()
    assert [ended.by for ended in night.asked] == [EndedBy.FINISHED] * 2, "no timer came back"


def test_an_episode_that_cannot_be_played_is_none_of_them(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    night.sleep(SleepUntil.EPISODE, 2)
    night.listen(5)
    night.next = Play(ids[1])
    night.hear_the_rest()
    night.settle()
    night.next = Play(ids[2])
    night.fail(MediaError("There is no such file"))
    assert [ended.by for ended in night.asked] == [EndedBy.FINISHED, EndedBy.FAILED]
    assert night.timer.episodes_left == 1


def test_an_episode_that_ends_amid_a_fade_is_the_last(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 29 * MINUTES)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(50)
    night.hear_the_rest()
    assert night.asked == []


def test_minutes_go_on_over_the_end_of_an_episode(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 29 * MINUTES)
    night.sleep(SleepUntil.MINUTES, 2)
    night.listen(59)
    night.hear_the_rest()
    night.settle()
    night.controller.on_report(Playing(night.engine.generation))
    night.listen(62)
    assert night.is_(PlaybackState.PAUSED)
    assert night.controller.status.episode is not None
    assert night.controller.status.episode.id == ids[1]


# -- stop after this one ------------------------------------------------------------------------------------------


def test_nothing_follows_the_episode_after_which_it_is_to_stop(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 29 * MINUTES)
    night.controller.sleeper.stop_after()
    assert night.stops()
    night.listen(58)
    assert night.gain == 1.0, "whoever wants that is awake"
    night.hear_the_rest()
    assert night.asked == []
    assert night.is_(PlaybackState.ENDED)
    night.play(ids[0])
    assert not night.stops()
    night.hear_the_rest()
    assert len(night.asked) == 1


def test_it_can_be_taken_back_and_is_meant_for_this_one(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    for wanted in (True, False, True):
        night.controller.sleeper.stop_after()
        assert night.stops() == wanted
    night.play(ids[1])
    night.listen(1)
    assert not night.stops()
    night.hear_the_rest()
    assert len(night.asked) == 1


# -- the way back -------------------------------------------------------------------------------------------------


def test_u_leads_back_to_where_the_timer_started_and_again_to_where_it_ended(night: Night, ids: Ids) -> None:
    night.play(ids[0], 60_000)
    night.listen(10)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(61)
    assert isinstance(night.controller.undo_jump(), Done)
    assert (night.state, night.position_ms) == (PlaybackState.PAUSED, 70_000)
    assert not night.timer.slept
    night.controller.undo_jump()
    assert night.position_ms == 130_000


def test_u_leads_back_into_an_earlier_episode(night: Night, ids: Ids) -> None:
    night.next = Play(ids[1])
    night.play(ids[0], 28 * MINUTES)
    night.sleep(SleepUntil.EPISODE, 2)
    night.listen(5)
    night.hear_the_rest()
    night.settle()
    night.controller.on_report(Playing(night.engine.generation))
    night.listen(5)
    night.hear_the_rest()
    assert isinstance(night.controller.undo_jump(), Done)
    status = night.controller.status
    assert status.episode is not None
    assert (status.episode.id, status.position_ms, status.state) == (ids[0], 28 * MINUTES, PlaybackState.PAUSED)


def test_a_later_jump_is_what_u_undoes(night: Night, ids: Ids) -> None:
    night.play(ids[0], 60_000)
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(61)
    night.controller.navigation.seek_to(20 * MINUTES)
    night.controller.undo_jump()
    assert night.position_ms == 120_000


# -- longer, and by itself ----------------------------------------------------------------------------------------


def test_five_minutes_longer(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    night.sleep(SleepUntil.MINUTES, 1)
    night.listen(30)
    night.controller.sleeper.longer()
    assert night.timer.left_ms == 330_000
    night.listen(329)
    assert night.is_(PlaybackState.PLAYING)
    night.listen(2)
    assert night.is_(PlaybackState.PAUSED)


def test_without_a_timer_there_is_nothing_to_lengthen_or_turn_off(night: Night) -> None:
    for refused, why in (
        (night.controller.sleeper.longer(), Why.NO_TIMER),
        (night.controller.sleeper.off(), Why.ALREADY),
    ):
        assert isinstance(refused, Refused)
        assert refused.why is why


def test_the_last_choice_is_remembered(night: Night, ids: Ids) -> None:
    night.play(ids[0])
    night.sleep(SleepUntil.EPISODE, 3)
    night.end()
    night.begin()
    night.controller.restore()
    assert night.controller.sleeper.last_choice == SleepChoice(SleepUntil.EPISODE, 3)


def test_it_starts_by_itself_once_a_night(library: Library, ids: Ids, monkeypatch: pytest.MonkeyPatch) -> None:
    night = Night(library)
    night.end()
    night.sleep_hours = SleepHours(time(23), time(6), SleepChoice(SleepUntil.MINUTES, 30))
    night.time.day = datetime(2026, 3, 1, 22, 50, tzinfo=UTC).astimezone()
    night.time.day = night.time.day.replace(hour=22, minute=50)
    night.begin()
    night.controller.restore()
    night.play(ids[0])
    night.listen(540)
    assert night.timer == SleepStatus()
    night.listen(70)
    assert night.timer.choice == SleepChoice(SleepUntil.MINUTES, 30)
    assert night.notices == ["Sleep timer: 30 minutes"]
    night.controller.sleeper.off()
    night.listen(60)
    assert not night.runs(), "turned off is turned off"
    night.end()
    night.begin()
    night.controller.restore()
    night.play(ids[0], 0)
    night.listen(60)
    assert not night.runs(), "after a restart as well"
    night.time.day = night.time.day.replace(day=2, hour=23, minute=30)
    night.listen(1)
    assert night.runs(), "another night"
    night.end()
