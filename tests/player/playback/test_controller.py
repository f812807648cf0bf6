"""What the controller makes of commands and of what the engine tells, in whatever order it comes."""

from collections.abc import Callable, Iterator

import pytest

from player.errors import LibraryError, MediaError, NoSoundDevice, NoSoundLibrary, NotFound
from player.library import Library
from player.model.episode import BytePosition, Chapter, Chapters, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.playback.applied_settings import Configured, settings_for
from player.playback.controller import PlaybackController
from player.playback.engine import Engine, EngineFailed, Finished, Measured, Playing, Starving
from player.playback.navigation import Moved
from player.playback.observers import EventTracker
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.rules import SkipRules
from player.playback.saver import Saver
from player.playback.silent_engine import SilentEngine
from player.playback.sleep import SleepHours
from player.playback.up_next import Ended, EndedBy, Left, Nothing, Play
from player.settings import Playback
from tests.player.playback.support import HeldMedia, NoQueue, ScriptedEngine, Store, Time, silence

MINUTES = 60_000


class Stage(NoQueue):
    """A controller, and all it has to do with."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.time = Time()
        self.engine = ScriptedEngine()
        self.engine_made: Engine = self.engine
        self.engines_made = 0
        self.store = Store(lambda _episode: HeldMedia(silence(1), duration_ms=30 * MINUTES))
        self.later: list[Callable[[], None]] = []
        self.notices: list[str] = []
        self.asked: list[Ended] = []
        self.left: list[Left] = []
        self.next: Nothing | Play = Nothing()
        self.sleep_hours: SleepHours | None = None
        self.events = EventTracker()
        self.begin()

    def begin(self) -> None:
        """A new session with the same library."""
        self.saver = Saver(self.library, lambda _id: None, lambda _error: None)
        self.saver.start()
        self.controller = PlaybackController(
            self.library,
            self.store,
            self.saver,
            settings_for(
                Configured(Playback(), skip=SkipRules(("Sponsor",))),
                lambda one: self.library.podcast_settings.get(one),
                segments=lambda one: self.library.segments.to_pass(one),
                now=self.time.now,
            ),
            self._make,
            lambda _report: None,
            lambda: None,
            self.later.append,
            self,
            events=self.events,
            notify=lambda notice: self.notices.append(notice.text),
            clock=self.time.clock,
            now=self.time.now,
            sleep_hours=lambda: self.sleep_hours,
        )

    def end(self) -> None:
        self.controller.close()
        self.saver.close(5)

    def settle(self) -> None:
        while self.later:
            self.later.pop(0)()

    def play(self, episode: EpisodeId, at_ms: int | None = None) -> None:
        """Until sound comes out."""
        self.controller.play(episode, at_ms)
        self.settle()
        self.controller.on_report(Playing(self.engine.generation))

    def move(self, position_ms: int) -> None:
        self.engine.position_ms = position_ms

    def read_all(self) -> None:
        media = self.store.opened[-1]
        assert media.size is not None
        media.read(0, media.size)

    def finish(self) -> None:
        self.controller.on_report(Finished(self.engine.generation))

    def fail(self, error: MediaError | NoSoundDevice) -> None:
        self.controller.on_report(EngineFailed(self.engine.generation, error))

    def saved(self, episode: EpisodeId) -> int | None:
        assert self.saver.flush(5)
        saved = self.library.progress.position(episode)
        return saved.position_ms if saved else None

    @property
    def state(self) -> PlaybackState:
        return self.controller.status.state

    @property
    def position_ms(self) -> int:
        return self.controller.status.position_ms

    @property
    def engine_calls(self) -> list[tuple[object, ...]]:
        """What the engine was told, without polls."""
        return [call for call in self.engine.calls if call != ("poll",)]

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        self.asked.append(ended)
        return self.next

    def leave(self, left: Left) -> None:
        self.left.append(left)

    def _make(self, _listener: object) -> Engine:
        self.engines_made += 1
        return self.engine_made


@pytest.fixture
def stage(library: Library) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    made.end()


# -- playing ----------------------------------------------------------------------------------------------------


def test_play_opens_then_plays_from_the_saved_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.progress.save(ids[0], 5 * MINUTES, None, stage.time.now())
    stage.controller.play(ids[0])
    assert stage.controller.status.state is PlaybackState.OPENING
    stage.settle()
    assert stage.engine_calls == [("load", 5 * MINUTES, 1.0, 100)]
    stage.controller.on_report(Playing(stage.engine.generation))
    assert stage.state is PlaybackState.PLAYING
    stage.move(5 * MINUTES + 1_000)
    stage.controller.tick()
    assert stage.saver.flush(5)
    assert stage.library.progress.last() == ids[0]


def test_the_last_episode_is_one_that_was_heard_whatever_failed_since(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2_000)
    stage.controller.tick()
    stage.library.episodes.set_played([ids[1], ids[2]], True)
    stage.controller.play(ids[1])
    stage.settle()
    stage.fail(MediaError("There is nothing there (404)"))
    stage.play(ids[2])
    stage.move(300)
    stage.controller.tick()
    stage.fail(MediaError("That is a page to sign in to"))
    assert stage.saver.flush(5)
    assert stage.library.progress.last() == ids[0]
    assert all(stage.library.episodes.get(one).played for one in ids[1:])


def test_a_first_second_that_the_listener_ends_counts_as_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    for episode_id, end in zip(
        ids, (stage.controller.pause, stage.controller.stop, stage.controller.close), strict=True
    ):
        stage.play(episode_id)
        stage.move(300)
        end()
        assert stage.saver.flush(5)
        assert stage.library.progress.last() == episode_id


def test_opening_shows_before_the_engine_is_made(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.controller.play(ids[0])
    assert stage.state is PlaybackState.OPENING
    assert stage.engines_made == 0


def test_a_stop_before_the_engine_is_made_wins(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.controller.play(ids[0])
    stage.controller.stop()
    stage.settle()
    assert stage.engine_calls == []
    assert stage.state is PlaybackState.STOPPED


def test_play_of_the_playing_episode_changes_nothing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.controller.play(ids[0])
    stage.settle()
    assert len(stage.engine_calls) == 1


def test_play_at_a_time_goes_there(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 12_000)
    assert stage.engine_calls == [("load", 12_000, 1.0, 100)]
    stage.controller.play(ids[0], 90_000)
    assert stage.engine_calls[-1] == ("seek", 90_000)


def test_every_episode_keeps_its_own_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_500)
    stage.play(ids[1])
    stage.move(7_000)
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 61_500, 1.0, 100)
    assert stage.saved(ids[1]) == 7_000


def test_an_episode_that_is_gone_leaves_what_plays_alone(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    with pytest.raises(NotFound):
        stage.controller.play(EpisodeId(999))
    assert stage.state is PlaybackState.PLAYING


def test_an_episode_that_cannot_be_looked_up_leaves_what_plays_alone(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(_episode_id: EpisodeId) -> None:
        raise LibraryError("The library can't be read")

    stage.play(ids[0])
    stage.move(61_000)
    monkeypatch.setattr(stage.library.progress, "position", unreadable)
    with pytest.raises(LibraryError):
        stage.controller.play(ids[1])
    status = stage.controller.status
    assert (status.state, status.position_ms, status.episode and status.episode.id) == (
        PlaybackState.PLAYING,
        61_000,
        ids[0],
    )


@pytest.mark.parametrize(
    ("part", "method"), [("episodes", "get"), ("progress", "position"), ("podcast_settings", "get")]
)
def test_a_library_that_fails_leaves_all_as_it_was(
    stage: Stage, ids: tuple[EpisodeId, ...], monkeypatch: pytest.MonkeyPatch, part: str, method: str
) -> None:
    def unreadable(_id: object) -> None:
        raise LibraryError("The library can't be read")

    stage.play(ids[0])
    stage.move(61_000)
    before, engine_calls, store = stage.controller.status, stage.engine_calls, len(stage.store.opened)
    with monkeypatch.context() as failing:
        failing.setattr(getattr(stage.library, part), method, unreadable)
        with pytest.raises(LibraryError):
            stage.controller.play(ids[1], 5_000)
        with pytest.raises(LibraryError):
            stage.controller.play_clip(ids[1], 0, 9)
    assert (stage.controller.status, stage.engine_calls, len(stage.store.opened)) == (before, engine_calls, store)
    stage.controller.pause()
    assert (stage.state, stage.saved(ids[0]), stage.saved(ids[1])) == (PlaybackState.PAUSED, 61_000, None)


# -- what a restart shows ---------------------------------------------------------------------------------------


def restart(stage: Stage) -> PlaybackStatus:
    stage.end()
    stage.begin()
    stage.controller.restore()
    return stage.controller.status


def test_what_is_shown_as_paused_comes_back_paused_though_nothing_was_heard(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.episodes.set_played([ids[0]], True)
    stage.controller.play(ids[0])
    stage.settle()
    stage.fail(NoSoundDevice("No sound device is responding"))
    stage.controller.navigation.seek_to(30_000)
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 30_000)
    again = restart(stage)
    assert (again.state, again.position_ms) == (PlaybackState.PAUSED, 30_000)
    assert again.episode is not None
    assert again.episode.id == ids[0]
    assert again.episode.played, "nothing of it was heard"


def test_a_pause_while_it_opens_comes_back_paused(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2_000)
    stage.controller.play(ids[1])
    stage.controller.pause()
    assert stage.state is PlaybackState.PAUSED
    again = restart(stage)
    assert again.state is PlaybackState.PAUSED
    assert again.episode is not None
    assert again.episode.id == ids[1]


# -- the position -------------------------------------------------------------------------------------------------


def test_the_place_is_saved_every_second_while_playing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    for tenth in range(1, 101):
        stage.time.pass_(0.1)
        stage.move(tenth * 100)
        stage.controller.tick()
        if tenth >= 20:
            assert (stage.saved(ids[0]) or 0) >= tenth * 100 - 1_000


@pytest.mark.parametrize(
    "turn",
    [
        PlaybackController.pause,
        PlaybackController.stop,
        PlaybackController.save,
        PlaybackController.close,
        lambda controller: controller.navigation.seek_to(40_000),
    ],
)
def test_the_place_is_saved_at_every_turn(
    stage: Stage, ids: tuple[EpisodeId, ...], turn: Callable[[PlaybackController], None]
) -> None:
    stage.play(ids[0])
    stage.move(40_000)
    turn(stage.controller)
    assert stage.saved(ids[0]) == 40_000


def test_the_place_of_pause_is_that_of_the_moment(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(10_000)
    stage.engine.position_ms = 10_240
    stage.controller.pause()
    assert (stage.position_ms, stage.saved(ids[0])) == (10_240, 10_240)


def test_a_pause_while_opening_keeps_the_place_and_opens_again(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.progress.save(ids[0], 5 * MINUTES, None, stage.time.now())
    stage.controller.play(ids[0])
    stage.settle()
    late = stage.engine.generation
    stage.controller.pause()
    stage.controller.on_report(Playing(late))
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 5 * MINUTES)
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 5 * MINUTES, 1.0, 100)


def test_the_last_episode_comes_back_paused_without_an_engine(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.set_speed(1.7)
    stage.controller.set_volume(80)
    stage.end()
    made, opened = stage.engines_made, len(stage.store.opened)
    stage.begin()
    stage.controller.restore()
    status = stage.controller.status
    assert (status.state, status.position_ms, status.speed, status.volume) == (PlaybackState.PAUSED, 61_000, 1.7, 80)
    assert status.episode is not None
    assert status.episode.id == ids[0]
    assert (stage.engines_made, len(stage.store.opened)) == (made, opened)


def test_looking_in_and_quitting_does_not_renew_the_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.end()
    stage.time.pass_(3 * 86_400)
    stage.begin()
    stage.controller.restore()
    stage.end()
    stage.begin()
    stage.controller.restore()
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 51_000, 1.0, 100)


def test_a_long_pause_goes_on_a_little_earlier(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.pause()
    stage.time.pass_(301)
    stage.controller.resume()
    assert stage.engine_calls[-2:] == [("seek", 58_000), ("resume",)]


def test_a_short_pause_goes_on_at_once(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.toggle()
    stage.time.pass_(299)
    stage.controller.toggle()
    assert stage.engine_calls[-1] == ("resume",)
    assert stage.state is PlaybackState.PLAYING


def test_a_place_chosen_in_a_pause_is_gone_to_exactly(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.controller.pause()
    stage.time.pass_(400)
    stage.controller.navigation.seek_to(90_000)
    stage.controller.resume()
    assert stage.engine_calls[-2:] == [("seek", 90_000), ("resume",)]


# -- jumps ------------------------------------------------------------------------------------------------------


def test_seeking_stays_within_the_episode(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.controller.navigation.seek_by(-15_000)
    assert stage.position_ms == 0
    stage.controller.navigation.seek_by(10**9)
    assert 30 * MINUTES - 1_000 < stage.position_ms < 30 * MINUTES


def test_presses_add_up(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    for _ in range(3):
        stage.controller.navigation.seek_by(30_000)
    assert stage.position_ms == 90_000


def test_undo_returns_from_a_run_of_presses(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(10_000)
    for _ in range(3):
        stage.controller.navigation.seek_by(30_000)
        stage.time.pass_(0.5)
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 10_000
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 100_000


def test_a_jump_without_an_engine_waits_there(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(50_000)
    stage.controller.stop()
    stage.controller.navigation.seek_by(-20_000)
    assert (stage.state, stage.position_ms, stage.saved(ids[0])) == (PlaybackState.PAUSED, 30_000, 30_000)


# -- what came of it ---------------------------------------------------------------------------------------------


def why(outcome: Outcome) -> Why | None:
    return outcome.why if isinstance(outcome, Refused) else None


def test_a_command_that_was_carried_out_answers_with_how_it_is_now(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    controller = stage.controller
    there = MINUTES + 30_000
    commands: list[tuple[Callable[[], Outcome], PlaybackState, int]] = [
        (lambda: controller.play(ids[0], MINUTES), PlaybackState.OPENING, MINUTES),
        (lambda: controller.navigation.seek_by(30_000), PlaybackState.OPENING, there),
        (controller.toggle, PlaybackState.PAUSED, there),
        (controller.navigation.undo_jump, PlaybackState.PAUSED, 0),
        (controller.resume, PlaybackState.OPENING, 0),
        (controller.pause, PlaybackState.PAUSED, 0),
        (controller.stop, PlaybackState.STOPPED, 0),
    ]
    for command, state, position_ms in commands:
        outcome = command()
        assert isinstance(outcome, Done)
        assert (outcome.status.state, outcome.status.position_ms) == (state, position_ms)
    faster, softer = controller.set_speed(9.0), controller.set_volume(-1)
    assert isinstance(faster, Done)
    assert isinstance(softer, Done)
    assert (faster.status.speed, softer.status.volume) == (3.0, 0)


def test_a_command_that_comes_to_nothing_says_why(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    controller = stage.controller
    assert [why(command()) for command in (controller.pause, controller.stop)] == [Why.ALREADY] * 2
    assert [why(command()) for command in (controller.toggle, controller.navigation.undo_jump)] == [Why.NO_EPISODE] * 2
    assert why(controller.navigation.seek_by(30_000)) is Why.NO_EPISODE
    stage.play(ids[0])
    assert [why(command()) for command in (controller.resume, lambda: controller.play(ids[0]))] == [Why.ALREADY] * 2
    assert why(controller.navigation.undo_jump()) is Why.NO_JUMP


def test_a_live_stream_plays_at_one_speed_and_says_so(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.controller.set_speed(1.5)
    stream = HeldMedia(silence(1))
    stream.stream = "icy"
    stage.store.media = lambda _episode: stream
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 0, 1.0, 100)
    assert stage.controller.status.speed == 1.0
    refused = stage.controller.set_speed(2.0)
    assert refused == Refused(Why.LIVE, "The speed of a live stream can't be changed")
    assert stage.engine_calls[-1] == ("load", 0, 1.0, 100)
    stage.store.media = lambda _episode: HeldMedia(silence(1))
    stage.play(ids[1])
    assert (stage.engine_calls[-1], stage.controller.status.speed) == (("load", 0, 1.5, 100), 1.5)


def test_a_live_stream_has_nowhere_to_jump_to(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.store.opened[-1].stream = "icy"
    navigation = stage.controller.navigation
    jumps: tuple[Callable[[], Outcome], ...] = (
        lambda: navigation.seek_by(-15_000),
        navigation.undo_jump,
        navigation.next_chapter,
        lambda: stage.controller.play_clip(ids[0], 0, 5_000),
    )
    assert [why(jump()) for jump in jumps] == [Why.LIVE] * 4
    assert [call for call in stage.engine_calls if call[0] == "seek"] == []


# -- the end ----------------------------------------------------------------------------------------------------


def test_heard_to_its_end_it_is_played_and_starts_anew(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.read_all()
    stage.finish()
    assert stage.state is PlaybackState.ENDED
    assert stage.saved(ids[0]) is None
    assert stage.library.episodes.get(ids[0]).played
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 0, 1.0, 100)
    stage.move(2_000)
    stage.controller.tick()
    assert stage.saver.flush(5)
    assert not stage.library.episodes.get(ids[0]).played


def test_an_end_amid_the_episode_is_an_error_and_keeps_the_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(10 * MINUTES)
    stage.read_all()
    stage.finish()
    status = stage.controller.status
    assert status.state is PlaybackState.ERROR
    assert status.error == "The audio broke off at 10:00 of 30:00."
    assert stage.saved(ids[0]) == 10 * MINUTES
    assert not stage.library.episodes.get(ids[0]).played


@pytest.mark.parametrize("sounds", [True, False], ids=["with sound", "without sound"])
@pytest.mark.parametrize("all_bytes", [True, False], ids=["all bytes", "not all"])
@pytest.mark.parametrize("exact", [True, False], ids=["a length", "no length"])
@pytest.mark.parametrize("position_ms", [0, 15 * MINUTES, 29 * MINUTES + 45_000, 30 * MINUTES - 900])
def test_an_end_marks_it_played_only_where_its_last_second_is(
    stage: Stage, ids: tuple[EpisodeId, ...], position_ms: int, exact: bool, all_bytes: bool, sounds: bool
) -> None:
    # A format whose bytes say no length, and the feed's 30 minutes may be anything.
    media = HeldMedia(silence(1), duration_ms=30 * MINUTES if exact else None)
    stage.store.media = lambda _episode: media
    stage.controller.play(ids[0])
    stage.settle()
    if sounds:
        stage.controller.on_report(Playing(stage.engine.generation))
        stage.move(position_ms)
    if all_bytes:
        stage.read_all()
    stage.finish()
    heard_to_its_end = sounds and (not exact or position_ms > 29 * MINUTES + 50_000)
    assert stage.saver.flush(5)
    assert stage.library.episodes.get(ids[0]).played == (all_bytes and heard_to_its_end)
    assert stage.state is (PlaybackState.ENDED if all_bytes and heard_to_its_end else PlaybackState.ERROR)


def test_a_guessed_length_tells_nobody_how_much_is_left(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.store.media = lambda _episode: HeldMedia(silence(1))
    stage.play(ids[0])
    stage.read_all()
    stage.move(30 * MINUTES - 5_000)
    stage.play(ids[1])
    assert [left.left_ms for left in stage.left] == [None]


def test_an_end_before_the_last_byte_is_an_error(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(30 * MINUTES)
    stage.finish()
    assert stage.state is PlaybackState.ERROR
    assert not stage.library.episodes.get(ids[0]).played


def test_a_place_beyond_a_shorter_file_says_so(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.progress.save(ids[0], 40 * MINUTES, None, stage.time.now())
    stage.controller.play(ids[0])
    stage.settle()
    stage.read_all()
    stage.finish()
    assert stage.controller.status.error == "This episode is now only 30:00 long; your position was 40:00. Jump back."
    assert stage.saved(ids[0]) == 40 * MINUTES


@pytest.mark.parametrize("known", ["from the start", "when it plays", "at the end"])
def test_what_is_started_past_its_end_is_not_played_and_keeps_the_place(
    stage: Stage, ids: tuple[EpisodeId, ...], known: str
) -> None:
    """An engine that is asked for 31:00 of 30:00 plays the last moment and is at the end."""
    stage.library.progress.save(ids[0], 5 * MINUTES, None, stage.time.now())
    length = 30 * MINUTES if known == "from the start" else None
    media = HeldMedia(silence(1), duration_ms=length)
    stage.store.media = lambda _episode: media
    stage.controller.play(ids[0], 31 * MINUTES)
    stage.settle()
    if known == "when it plays":
        stage.controller.on_report(Measured(stage.engine.generation, 30 * MINUTES, exact=True))
    stage.controller.on_report(Playing(stage.engine.generation))
    if known == "at the end":
        stage.move(30 * MINUTES)
        media.duration_ms = 30 * MINUTES
        stage.read_all()
        stage.finish()
    assert stage.controller.status.error == (
        "This episode is only 30:00 long, so it can't be played from 31:00. Choose an earlier time."
    )
    assert (stage.state, stage.position_ms, stage.saved(ids[0])) == (PlaybackState.ERROR, 5 * MINUTES, 5 * MINUTES)
    assert not stage.library.episodes.get(ids[0]).played


def test_a_time_past_the_end_of_what_plays_is_refused_with_a_sentence(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(5 * MINUTES)
    sentence = "This episode is only 30:00 long, so it can't be played from 31:00. Choose an earlier time."
    assert stage.controller.play(ids[0], 31 * MINUTES) == Refused(Why.PAST_END, sentence)
    assert (stage.state, stage.position_ms) == (PlaybackState.PLAYING, 5 * MINUTES)


def test_a_saved_place_past_the_end_of_a_shorter_file_does_not_make_it_played(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.progress.save(ids[0], 40 * MINUTES, None, stage.time.now())
    stage.play(ids[0])
    stage.move(30 * MINUTES)
    stage.read_all()
    stage.finish()
    assert stage.controller.status.error == "This episode is now only 30:00 long; your position was 40:00. Jump back."
    assert (stage.saved(ids[0]), stage.library.episodes.get(ids[0]).played) == (40 * MINUTES, False)


def test_a_place_past_the_end_that_was_overwritten_meanwhile_is_on_the_disk_again(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.progress.save(ids[0], 40 * MINUTES, None, stage.time.now())
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.time.pass_(1)
    stage.controller.tick()
    assert stage.saved(ids[0]) == 30 * MINUTES - 400
    stage.read_all()
    stage.finish()
    assert (stage.position_ms, stage.saved(ids[0])) == (40 * MINUTES, 40 * MINUTES)


def test_what_is_up_next_plays_from_its_own_position(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.library.progress.save(ids[1], 5 * MINUTES, None, stage.time.now())
    stage.next = Play(ids[1])
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.read_all()
    stage.finish()
    assert stage.asked == [Ended(ids[0], EndedBy.FINISHED)]
    assert stage.state is PlaybackState.OPENING
    assert (stage.saved(ids[0]), stage.library.episodes.get(ids[0]).played) == (None, True)
    stage.settle()
    assert stage.engine_calls[-1] == ("load", 5 * MINUTES, 1.0, 100)
    assert (stage.position_ms, stage.saved(ids[1])) == (5 * MINUTES, 5 * MINUTES)


def test_what_is_up_next_may_begin_elsewhere(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.next = Play(ids[1], 90_000)
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.read_all()
    stage.finish()
    stage.settle()
    assert stage.engine_calls[-1] == ("load", 90_000, 1.0, 100)


def test_what_is_up_next_may_be_gone(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.next = Play(EpisodeId(999))
    stage.play(ids[0])
    stage.move(30 * MINUTES - 400)
    stage.read_all()
    with pytest.raises(NotFound):
        stage.finish()
    assert stage.state is PlaybackState.ENDED
    assert stage.saver.flush(5)
    assert stage.library.episodes.get(ids[0]).played


def test_what_follows_a_failure_is_asked_for_and_a_lost_device_is_none(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.fail(NoSoundDevice("The sound device was disconnected"))
    assert stage.asked == []
    stage.play(ids[0])
    stage.fail(MediaError("The host went away"))
    assert stage.asked == [Ended(ids[0], EndedBy.FAILED)]
    assert stage.state is PlaybackState.ERROR


# -- what goes wrong --------------------------------------------------------------------------------------------


def test_without_a_sound_library_the_place_stays_and_the_sentence_shows(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.progress.save(ids[0], 5 * MINUTES, None, stage.time.now())
    stage.time.pass_(86_400 * 2)
    stage.engine.refusal = NoSoundLibrary("libvlc isn't installed", "Install it.")
    for _ in range(3):
        stage.controller.play(ids[0])
        stage.settle()
        status = stage.controller.status
        assert (status.state, status.error) == (PlaybackState.ERROR, "libvlc isn't installed. Install it.")
        assert (stage.position_ms, stage.saved(ids[0])) == (5 * MINUTES, 5 * MINUTES)
    stage.engine.refusal = None
    stage.play(ids[0])
    assert stage.state is PlaybackState.PLAYING
    assert stage.controller.status.error is None
    assert stage.engine_calls[-1] == ("load", 5 * MINUTES - 10_000, 1.0, 100)


def test_a_bug_in_starting_to_play_is_an_error_on_the_screen_too(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.engine.refusal = NameError("no function 'libvlc_new'")
    stage.controller.play(ids[0])
    stage.settle()
    assert stage.state is PlaybackState.ERROR
    assert stage.controller.status.error == "Something went wrong inside Earmark. See the log."


@pytest.mark.parametrize("moments", [0, 40, 900])
def test_a_device_that_fails_at_once_moves_no_place(stage: Stage, ids: tuple[EpisodeId, ...], moments: int) -> None:
    stage.library.progress.save(ids[0], 5 * MINUTES, None, stage.time.now())
    stage.play(ids[0])
    stage.move(5 * MINUTES + moments)
    stage.time.pass_(2)
    stage.controller.tick()
    stage.fail(NoSoundDevice("No sound device is responding"))
    assert (stage.state, stage.position_ms, stage.saved(ids[0])) == (PlaybackState.ERROR, 5 * MINUTES, 5 * MINUTES)


def test_a_device_that_goes_away_pauses_with_a_sentence_and_space_goes_on_there(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.fail(NoSoundDevice("The sound device was disconnected", "Plug it in."))
    # What the device had taken, but may not have sounded, is heard again.
    assert (stage.state, stage.saved(ids[0])) == (PlaybackState.PAUSED, 60_500)
    assert stage.controller.status.error == "The sound device was disconnected. Plug it in."
    stage.controller.toggle()
    stage.settle()
    assert stage.engine.calls[-1][:2] == ("load", 60_500)
    assert stage.controller.status.error is None


def test_another_output_goes_on_at_the_same_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.reopen()
    stage.settle()
    assert stage.engine.calls[-1][:2] == ("load", 61_000)
    assert stage.state is PlaybackState.OPENING


def test_another_output_while_paused_counts_from_the_next_sound_on(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.pause()
    stage.controller.reopen()
    assert (stage.state, stage.engine.calls[-1]) == (PlaybackState.PAUSED, ("stop",))
    stage.controller.resume()
    stage.settle()
    assert stage.engine.calls[-1][:2] == ("load", 61_000)


def test_another_output_with_nothing_playing_starts_nothing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.controller.reopen()
    assert stage.state is PlaybackState.STOPPED
    assert stage.engine.calls == []


def test_a_failure_amid_playing_keeps_what_was_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.fail(MediaError("The host went away"))
    assert (stage.state, stage.saved(ids[0])) == (PlaybackState.ERROR, 61_000)
    assert stage.store.opened[-1].closed
    stage.play(ids[0])
    assert stage.engine_calls[-1] == ("load", 61_000, 1.0, 100)


def test_bytes_that_run_out_buffer_and_go_on(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.time.pass_(10)
    stage.controller.on_report(Starving(stage.engine.generation, True))
    assert (stage.state, stage.position_ms) == (PlaybackState.BUFFERING, 61_000)
    stage.controller.on_report(Starving(stage.engine.generation, False))
    assert stage.state is PlaybackState.PLAYING


def test_a_jump_while_bytes_are_awaited_is_the_engines_to_make(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.on_report(Starving(stage.engine.generation, True))
    stage.controller.navigation.seek_by(-15_000)
    assert (stage.state, stage.position_ms) == (PlaybackState.BUFFERING, 46_000)
    assert stage.engine_calls[-1] == ("seek", 46_000)
    stage.controller.on_report(Starving(stage.engine.generation, False))
    assert stage.state is PlaybackState.PLAYING
    assert len(stage.store.opened) == 1


# -- places that bytes tell -------------------------------------------------------------------------------------


GUESS = BytePosition(61_000, 9_000_000, 20_000_000, exact=False)


def test_a_place_is_saved_with_its_byte_and_found_again_by_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.engine.heard = GUESS
    assert stage.controller.status.approximate
    stage.controller.stop()
    assert stage.saved(ids[0]) == 61_000
    stage.end()
    stage.begin()
    stage.controller.restore()
    assert stage.controller.status.approximate
    stage.play(ids[0])
    assert stage.engine_calls[-1][:2] == ("load", 61_000)
    assert stage.engine.loaded_with == GUESS


def test_a_jump_leaves_the_byte_behind(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.engine.heard = GUESS
    stage.controller.pause()
    stage.engine.heard = None
    stage.controller.navigation.seek_to(5 * MINUTES)
    assert stage.saved(ids[0]) == 5 * MINUTES
    saved = stage.library.progress.position(ids[0])
    assert saved is not None
    assert saved.byte is None


def test_a_guess_corrects_itself_while_it_is_paused(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.engine.heard = GUESS
    stage.controller.pause()
    stage.engine.heard = BytePosition(75_500, GUESS.byte, GUESS.size, exact=True)
    stage.controller.on_cached()
    assert (stage.state, stage.position_ms, stage.controller.status.approximate) == (
        PlaybackState.PAUSED,
        75_500,
        False,
    )
    assert stage.saved(ids[0]) == 75_500


def test_a_length_that_is_only_claimed_is_no_limit(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.store.media = lambda _episode: HeldMedia(silence(1))
    stage.controller.play(ids[0], 45 * MINUTES)
    stage.settle()
    assert stage.engine_calls[-1][:2] == ("load", 45 * MINUTES)
    stage.controller.on_report(Playing(stage.engine.generation))
    stage.controller.on_report(Measured(stage.engine.generation, 50 * MINUTES, exact=True))
    stage.controller.navigation.seek_to(60 * MINUTES)
    assert stage.engine_calls[-1] == ("seek", 50 * MINUTES - 500)
    assert not stage.controller.status.approximate


# -- races, replayed --------------------------------------------------------------------------------------------


def test_reports_of_the_last_episode_mean_nothing_to_the_next(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    old = stage.engine.generation
    stage.move(61_000)
    stage.controller.play(ids[1])
    stage.settle()
    for late in (
        Playing(old),
        Starving(old, True),
        Measured(old, 5),
        EngineFailed(old, MediaError("late")),
        Finished(old),
    ):
        stage.controller.on_report(late)
    assert (stage.state, stage.position_ms) == (PlaybackState.OPENING, 0)
    assert not stage.library.episodes.get(ids[0]).played
    assert stage.saved(ids[0]) == 61_000


def test_reports_after_stop_mean_nothing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.stop()
    stage.engine.position_ms = 70_000
    stage.finish()
    assert (stage.state, stage.saved(ids[0])) == (PlaybackState.STOPPED, 61_000)


def test_what_was_under_way_when_pause_was_pressed_moves_nothing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(10_000)
    stage.controller.pause()
    stage.engine.position_ms = 10_300
    stage.controller.on_report(Playing(stage.engine.generation))
    stage.controller.on_report(Starving(stage.engine.generation, True))
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 10_000)


def test_forgetting_the_podcast_empties_the_deck(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.controller.forget(PodcastId(999))
    assert stage.state is PlaybackState.PLAYING
    stage.controller.forget(stage.library.episodes.get(ids[0]).podcast_id)
    assert (stage.state, stage.controller.status.episode) == (PlaybackState.STOPPED, None)


def test_forgetting_what_plays_writes_nothing_more_of_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(61_000)
    stage.controller.forget(stage.library.episodes.get(ids[0]).podcast_id)
    assert stage.saved(ids[0]) is None
    assert stage.library.progress.last() is None


# -- speed, volume, duration ------------------------------------------------------------------------------------


def test_speed_and_volume_stay_in_their_bounds(stage: Stage) -> None:
    for speed in (0.1, 9.0, 1.2500001):
        stage.controller.set_speed(speed)
        assert 0.5 <= stage.controller.speed <= 3.0
    assert stage.controller.speed == 1.25
    stage.controller.set_volume(400)
    assert stage.controller.volume == 150
    stage.controller.set_volume(-5)
    assert stage.controller.volume == 0


def test_a_gain_softens_what_is_heard_and_leaves_the_volume_alone(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    silent = SilentEngine(lambda _report: None, stage.time.clock)
    stage.engine_made = silent
    stage.controller.set_volume(80)
    stage.play(ids[0])
    stage.controller._transport.set_gain(0.5)
    assert (silent.volume, stage.controller.status.volume) == (40, 80)
    stage.controller.set_volume(60)
    assert silent.volume == 30
    stage.play(ids[1])
    assert (silent.volume, stage.controller.status.volume) == (30, 60)
    stage.controller._transport.set_gain(7.0)
    assert silent.volume == 60
    stage.controller._transport.set_gain(0.0)
    assert silent.volume == 0
    stage.end()
    stage.begin()
    stage.controller.restore()
    assert stage.controller.status.volume == 60
    stage.play(ids[0])
    assert silent.volume == 60


def test_the_duration_that_the_bytes_tell_is_exact_and_saved(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    assert (stage.controller.status.duration_ms, stage.controller.status.approximate) == (30 * MINUTES, False)
    stage.move(10_000)
    stage.controller.pause()
    assert stage.saver.flush(5)
    assert stage.library.episodes.get(ids[0]).duration_ms == 30 * MINUTES


def test_a_duration_the_engine_guesses_is_approximate(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    mp3 = HeldMedia(b"ID3\x04\x00\x00\x00\x00\x00\x00" + bytes(9000))
    stage.store.media = lambda _episode: mp3
    stage.play(ids[0])
    stage.controller.on_report(Measured(stage.engine.generation, 110_000))
    assert (stage.controller.status.duration_ms, stage.controller.status.approximate) == (110_000, True)
    stage.move(10_000)
    stage.controller.pause()
    assert stage.saver.flush(5)
    assert stage.library.episodes.get(ids[0]).duration_ms == 30 * MINUTES


# -- chapters ---------------------------------------------------------------------------------------------------

CHAPTERS = Chapters(
    (Chapter(0, "Hello"), Chapter(MINUTES, "Talk"), Chapter(2 * MINUTES, "Sponsor"), Chapter(3 * MINUTES, "Bye"))
)


def with_chapters(stage: Stage, episode: EpisodeId, at_ms: int) -> None:
    stage.play(episode, at_ms)
    stage.controller.navigation.set_chapters(episode, CHAPTERS)


def test_keys_lead_from_chapter_to_chapter(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    with_chapters(stage, ids[0], MINUTES + 5_000)
    stage.time.pass_(10)
    positions = []
    for key in (
        stage.controller.navigation.previous_chapter,
        stage.controller.navigation.previous_chapter,
        stage.controller.navigation.next_chapter,
    ):
        key()
        positions.append(stage.position_ms)
    assert positions == [MINUTES, 0, MINUTES]
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == MINUTES + 5_000, "pressed one after the other they are one jump"


def test_behind_the_last_chapter_there_is_none(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    with_chapters(stage, ids[0], 4 * MINUTES)
    assert stage.controller.navigation.next_chapter() == Refused(Why.LAST_CHAPTER, "This is the last chapter")
    assert stage.position_ms == 4 * MINUTES


def test_an_episode_without_chapters_says_so(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    keys = stage.controller.navigation
    assert keys.next_chapter() == Refused(Why.NO_EPISODE, "There is no episode to resume")
    stage.play(ids[0], MINUTES)
    for key in (keys.previous_chapter, keys.next_chapter):
        assert key() == Refused(Why.NO_CHAPTERS, "This episode has no chapters")
    assert stage.position_ms == MINUTES


def test_chapters_of_another_episode_are_not_taken(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.controller.navigation.set_chapters(ids[1], CHAPTERS)
    assert stage.controller.chapters == Chapters()
    stage.controller.navigation.set_chapters(ids[0], CHAPTERS)
    stage.play(ids[1])
    assert stage.controller.chapters == Chapters()


def test_an_unwanted_chapter_is_stepped_over_once(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    with_chapters(stage, ids[0], 2 * MINUTES - 100)
    stage.controller.tick()
    assert stage.position_ms == 2 * MINUTES - 100
    stage.move(2 * MINUTES + 40)
    stage.controller.tick()
    assert stage.position_ms == 3 * MINUTES
    assert stage.notices == ["Skipped “Sponsor”"]
    assert stage.saved(ids[0]) == 3 * MINUTES
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 2 * MINUTES + 40
    stage.move(2 * MINUTES + 140)
    stage.controller.tick()
    assert stage.position_ms == 2 * MINUTES + 140, "who goes back hears it"


def test_an_unwanted_chapter_that_was_gone_to_is_heard(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    with_chapters(stage, ids[0], MINUTES)
    stage.controller.navigation.next_chapter()
    stage.move(2 * MINUTES + 100)
    stage.controller.tick()
    assert (stage.position_ms, stage.notices) == (2 * MINUTES + 100, [])


def test_a_paused_episode_steps_over_nothing(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    with_chapters(stage, ids[0], 2 * MINUTES - 100)
    stage.controller.pause()
    stage.engine.position_ms = 2 * MINUTES + 40
    stage.controller.tick()
    assert stage.notices == []


# -- clips ------------------------------------------------------------------------------------------------------


def play_a_clip(stage: Stage, episode: EpisodeId) -> None:
    stage.controller.play_clip(episode, 5 * MINUTES, 30_000)
    stage.settle()
    stage.controller.on_report(Playing(stage.engine.generation))


def test_a_clip_ends_where_the_listener_was_and_moves_no_place(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20 * MINUTES)
    stage.move(20 * MINUTES + 3_000)
    stage.controller.save()
    play_a_clip(stage, ids[0])
    assert stage.position_ms == 5 * MINUTES
    stage.time.pass_(10)
    stage.move(5 * MINUTES + 29_000)
    stage.controller.tick()
    assert stage.state is PlaybackState.PLAYING
    assert stage.saved(ids[0]) == 20 * MINUTES + 3_000
    stage.move(5 * MINUTES + 30_000)
    stage.controller.tick()
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 20 * MINUTES + 3_000)
    assert stage.saved(ids[0]) == 20 * MINUTES + 3_000
    assert stage.notices == ["End of clip"]


def test_a_clip_makes_its_episode_neither_the_last_one_nor_unplayed(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(9_000)
    stage.controller.tick()
    stage.library.episodes.set_played([ids[1]], True)
    play_a_clip(stage, ids[1])
    for second in range(1, 31):
        stage.time.pass_(1)
        stage.move(5 * MINUTES + second * 1_000)
        stage.controller.tick()
    assert stage.state is PlaybackState.PAUSED
    assert stage.saver.flush(5)
    assert (stage.library.progress.last(), stage.library.episodes.get(ids[1]).played) == (ids[0], True)
    stage.play(ids[1])
    stage.move(5_000)
    stage.controller.tick()
    assert stage.saver.flush(5)
    assert (stage.library.progress.last(), stage.library.episodes.get(ids[1]).played) == (ids[1], False)


@pytest.mark.parametrize("end", ["pause", "stop"])
def test_a_clip_that_is_paused_or_stopped_was_not_listening(stage: Stage, ids: tuple[EpisodeId, ...], end: str) -> None:
    stage.library.episodes.set_played([ids[1]], True)
    play_a_clip(stage, ids[1])
    stage.move(5 * MINUTES + 9_000)
    getattr(stage.controller, end)()
    assert stage.saver.flush(5)
    assert (stage.library.progress.last(), stage.library.episodes.get(ids[1]).played) == (None, True)


def test_what_was_heard_before_a_clip_is_the_last_episode(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(400)
    play_a_clip(stage, ids[0])
    assert stage.saver.flush(5)
    assert stage.library.progress.last() == ids[0]


def test_a_jump_is_undone_across_a_clip(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 10 * MINUTES)
    stage.time.pass_(10)
    stage.controller.navigation.seek_to(20 * MINUTES)
    stage.time.pass_(10)
    play_a_clip(stage, ids[0])
    stage.move(5 * MINUTES + 30_000)
    stage.controller.tick()
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 20 * MINUTES)
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 10 * MINUTES
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 20 * MINUTES


def test_a_jump_out_of_a_clip_is_undone_to_where_the_listener_was(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20 * MINUTES)
    stage.time.pass_(10)
    play_a_clip(stage, ids[0])
    stage.time.pass_(10)
    stage.controller.navigation.seek_to(7 * MINUTES)
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 20 * MINUTES


def test_a_clip_loses_nothing_of_the_last_second_before_it(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20 * MINUTES)
    stage.move(20 * MINUTES + 900)
    play_a_clip(stage, ids[0])
    stage.move(5 * MINUTES + 10_000)
    stage.controller.stop()
    assert (stage.position_ms, stage.saved(ids[0])) == (20 * MINUTES + 900, 20 * MINUTES + 900)


def test_u_ends_a_clip_and_a_jump_makes_it_listening(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0], 20 * MINUTES)
    play_a_clip(stage, ids[0])
    stage.controller.navigation.undo_jump()
    assert stage.position_ms == 20 * MINUTES
    play_a_clip(stage, ids[0])
    stage.controller.navigation.seek_to(7 * MINUTES)
    stage.time.pass_(10)
    stage.move(8 * MINUTES)
    stage.controller.tick()
    assert (stage.state, stage.position_ms) == (PlaybackState.PLAYING, 8 * MINUTES)
    assert stage.saved(ids[0]) == 8 * MINUTES


def test_a_clip_that_runs_to_the_end_makes_nothing_played(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    """As where the length was unknown when it began."""
    stage.store.media = lambda _episode: HeldMedia(silence(1))
    stage.play(ids[0], 20 * MINUTES)
    play_a_clip(stage, ids[0])
    stage.move(5 * MINUTES + 9_000)
    stage.read_all()
    stage.finish()
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 20 * MINUTES)
    assert stage.saved(ids[0]) == 20 * MINUTES
    assert not stage.library.episodes.get(ids[0]).played


def test_a_clip_of_an_episode_that_was_never_played_leaves_it_so(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    play_a_clip(stage, ids[1])
    stage.time.pass_(10)
    stage.move(5 * MINUTES + 10_000)
    stage.controller.tick()
    stage.controller.stop()
    stage.controller.save()
    assert stage.position_ms == 0
    assert stage.saved(ids[1]) is None


# -- positions that come from elsewhere -------------------------------------------------------------------------


def put_elsewhere(stage: Stage, episode: EpisodeId, position_ms: int) -> None:
    """As an import does it."""
    stage.library.progress.save(episode, position_ms, None, stage.time.now())
    stage.controller.catch_up()


def test_a_paused_episode_takes_over_a_position_that_is_imported(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.pause()
    assert stage.saved(ids[0]) == 2 * MINUTES
    put_elsewhere(stage, ids[0], 12 * MINUTES)
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 12 * MINUTES)
    assert ("seek", 12 * MINUTES) in stage.engine_calls
    stage.move(12 * MINUTES)
    stage.controller.resume()
    stage.move(12 * MINUTES + 3_000)
    stage.controller.pause()
    assert stage.saved(ids[0]) == 12 * MINUTES + 3_000


def test_one_that_is_shown_from_last_time_takes_it_over_too_and_goes_back_with_its_undo(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.library.progress.make_last(ids[0])
    stage.controller.restore()
    assert stage.position_ms == 0
    put_elsewhere(stage, ids[0], 12 * MINUTES)
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 12 * MINUTES)
    put_elsewhere(stage, ids[0], 3 * MINUTES)
    assert stage.position_ms == 3 * MINUTES
    assert stage.engines_made == 0


def test_one_that_had_ended_waits_at_the_position_that_is_imported(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.read_all()
    stage.move(30 * MINUTES)
    stage.finish()
    assert stage.saved(ids[0]) is None
    stage.controller.catch_up()
    assert stage.state is PlaybackState.ENDED
    stage.library.episodes.set_played([ids[0]], False)
    put_elsewhere(stage, ids[0], 12 * MINUTES)
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 12 * MINUTES)


def test_what_plays_is_newer_than_what_is_imported(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.tick()
    assert stage.saver.flush(5)
    put_elsewhere(stage, ids[0], 12 * MINUTES)
    assert (stage.state, stage.position_ms) == (PlaybackState.PLAYING, 2 * MINUTES)
    stage.move(2 * MINUTES + 2_000)
    stage.controller.pause()
    assert stage.saved(ids[0]) == 2 * MINUTES + 2_000


def test_marking_the_paused_episode_as_played_leaves_it_where_it_is(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(30 * MINUTES - 5_000)
    stage.controller.pause()
    before = stage.saved(ids[0])
    stage.library.episodes.set_played([ids[0]], True)
    stage.controller.catch_up()
    assert stage.position_ms == before == 30 * MINUTES - 5_000


def test_a_paused_episode_moves_to_where_another_device_was_and_back_with_a_key(
    stage: Stage, ids: tuple[EpisodeId, ...]
) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.pause()
    assert stage.saver.flush(5)
    stage.library.progress.save(ids[0], 12 * MINUTES, None, stage.time.now())
    stage.controller.catch_up(Moved(ids[1], "phone"))
    assert stage.position_ms == 2 * MINUTES, "that was another episode"
    stage.controller.catch_up(Moved(ids[0], "phone"))
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 12 * MINUTES)
    assert stage.notices == ["Moved to 12:00, where phone was"]
    stage.controller.undo_jump()
    assert stage.position_ms == 2 * MINUTES
    assert stage.saved(ids[0]) == 2 * MINUTES, "going back is the listener's own doing"


def test_the_key_leads_back_to_before_all_moves(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.pause()
    for minutes in (12, 14):
        assert stage.saver.flush(5)
        stage.library.progress.save(ids[0], minutes * MINUTES, None, stage.time.now())
        stage.controller.catch_up(Moved(ids[0], "phone"))
    stage.controller.undo_jump()
    assert stage.position_ms == 2 * MINUTES
    assert stage.saver.flush(5)
    stage.library.progress.save(ids[0], 16 * MINUTES, None, stage.time.now())
    stage.controller.catch_up(Moved(ids[0], "phone"))
    stage.controller.undo_jump()
    assert stage.position_ms == 2 * MINUTES


def test_one_that_another_device_heard_to_its_end_is_at_the_start(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.pause()
    assert stage.saver.flush(5)
    stage.library.progress.finish(ids[0])
    stage.controller.catch_up(Moved(ids[0]))
    assert (stage.state, stage.position_ms) == (PlaybackState.PAUSED, 0)
    assert stage.notices == ["Back to the start, as on another device"]


def test_what_plays_stays_where_it_is_whatever_another_device_did(stage: Stage, ids: tuple[EpisodeId, ...]) -> None:
    stage.play(ids[0])
    stage.move(2 * MINUTES)
    stage.controller.tick()
    assert stage.saver.flush(5)
    stage.library.progress.save(ids[0], 12 * MINUTES, None, stage.time.now())
    stage.controller.catch_up(Moved(ids[0], "phone"))
    assert (stage.state, stage.position_ms) == (PlaybackState.PLAYING, 2 * MINUTES)
    assert not stage.notices
