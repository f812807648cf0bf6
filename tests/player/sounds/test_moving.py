"""The listener's marks stay at the sound that they were made at when an episode comes with other advertisements."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    Notice,
    PlaybackChanged,
    SegmentsChanged,
    SoundMeasured,
)
from player.library import Library
from player.measuring.kept_sounds import KeptSounds
from player.measuring.sound import Sound
from player.model.episode import Episode, EpisodeId
from player.model.listening import Moment
from player.model.playback import PlaybackStatus
from player.model.segments import SegmentKind
from player.paths import Paths
from player.playback.navigation import Moved
from player.sounds.moving import MarkMover
from tests.player.library.helpers import apply_feed, episode
from tests.player.media.conftest import eventually
from tests.player.sounds.made import made_up, with_inserted

AT = datetime(2026, 4, 1, 10, tzinfo=UTC)
OLD = made_up(1, 5_000)
ADVERTISEMENT = made_up(2, 300)
NEW = with_inserted(OLD, 60_000, ADVERTISEMENT, "new")
BY_MS = NEW.duration_ms - OLD.duration_ms


class Stage:
    def __init__(self, library: Library, paths: Paths) -> None:
        self.library = library
        self.here: Sound | None = None
        self.open = ""
        self.told: list[Moved] = []
        self.events: list[object] = []
        self.bus = Bus()
        for kind in (BookmarksChanged, SegmentsChanged, Notice):
            self.bus.subscribe(kind, self.events.append)
        self.known_when_told: list[bool] = []
        self.bus.subscribe(EpisodesChanged, lambda _event: self.known_when_told.append(bool(self.told)))
        self.kept = KeptSounds(paths.data / "sounds")
        podcast = library.podcasts.add("https://a.example/feed", "A")
        (self.episode_id,) = apply_feed(library, podcast, episode(1)).new
        self.mover = MarkMover(library, self.bus, self._sound, self.kept, lambda _id: self.open, self.told.append)
        self.mover.start()

    def _sound(self, _episode: Episode) -> Sound | None:
        return self.here

    def measure(self, sound: Sound) -> None:
        """These bytes are on the disk now and have been measured, which keeps their sound if it is the first."""
        self.here = sound
        self.kept.keep_if_first(self.episode_id, sound)
        self.bus.publish(SoundMeasured(self.episode_id, sound.version))

    def hear(self, position_ms: int, sound: Sound, *bookmarks: int) -> None:
        self.library.progress.save(self.episode_id, position_ms, None, AT, version=sound.version)
        for one in bookmarks:
            self.library.bookmarks.put(self.episode_id, Moment(one))

    @property
    def marks(self) -> tuple[int, list[int]]:
        position = self.library.progress.position(self.episode_id)
        return position.position_ms if position else -1, [
            one.position_ms for one in self.library.bookmarks.of_episode(self.episode_id)
        ]


@pytest.fixture
def stage(library: Library, paths: Paths) -> Iterator[Stage]:
    made = Stage(library, paths)
    yield made
    made.mover.close()


def test_marks_behind_an_insertion_move_with_the_sound(stage: Stage) -> None:
    stage.measure(OLD)
    eventually(lambda: stage.kept.read(stage.episode_id) is not None)
    stage.hear(300_000, OLD, 30_000, 100_000)
    stage.library.segments.mark(stage.episode_id, 200_000, 230_000, SegmentKind.SPONSOR)
    stage.measure(NEW)
    eventually(lambda: stage.marks != (300_000, [30_000, 100_000]))
    position_ms, (before_ms, behind_ms) = stage.marks
    assert before_ms == 30_000
    assert abs(behind_ms - 100_000 - BY_MS) < 200
    assert abs(position_ms - 300_000 - BY_MS) < 200
    eventually(lambda: stage.known_when_told)
    assert stage.known_when_told == [True], "the session hears why before it hears that the position is another"
    assert stage.told[0].audio is not None
    assert stage.told[0].audio.moved is not None
    assert stage.told[0].audio.moved(300_000) == position_ms
    eventually(lambda: len(stage.events) == 2)
    assert stage.events == [BookmarksChanged(Cause.RULE), SegmentsChanged((stage.episode_id,), Cause.RULE)]
    eventually(lambda: stage.kept.read(stage.episode_id) == NEW)


def test_the_same_sound_in_other_bytes_moves_nothing(stage: Stage) -> None:
    stage.measure(OLD)
    eventually(lambda: stage.kept.read(stage.episode_id) is not None)
    stage.hear(300_000, OLD, 30_000)
    same = Sound("download", OLD.duration_ms, OLD.values, OLD.levels)
    stage.measure(same)
    eventually(lambda: stage.kept.read(stage.episode_id) == same)
    assert stage.marks == (300_000, [30_000])
    assert stage.told == []
    stage.hear(310_000, OLD)
    stage.measure(NEW)
    eventually(lambda: stage.told)
    assert abs(stage.marks[0] - 310_000 - BY_MS) < 200, "the cache and its download are one audio"


def test_another_recording_leaves_marks_at_their_seconds_and_says_so(stage: Stage) -> None:
    stage.measure(OLD)
    eventually(lambda: stage.kept.read(stage.episode_id) is not None)
    stage.hear(300_000, OLD, 30_000)
    stage.measure(made_up(9, 5_000))
    eventually(lambda: stage.events)
    assert stage.marks == (300_000, [30_000])
    (notice,) = stage.events
    assert isinstance(notice, Notice)
    assert "another recording" in notice.text
    assert [one.audio.moved for one in stage.told if one.audio] == [None]
    position = stage.library.progress.position(stage.episode_id)
    assert position is not None
    assert position.unsure, "it is shown with ≈"
    stage.hear(301_000, made_up(9, 5_000))
    position = stage.library.progress.position(stage.episode_id)
    assert position is not None
    assert not position.unsure, "the listener has gone on from there"


def test_while_the_former_bytes_play_nothing_moves(stage: Stage) -> None:
    """As when a new download is complete, but what plays is still the cache."""
    stage.measure(OLD)
    eventually(lambda: stage.kept.read(stage.episode_id) is not None)
    stage.hear(300_000, OLD)
    stage.open = OLD.version
    stage.measure(NEW)
    eventually(lambda: stage.mover._held)
    assert stage.marks[0] == 300_000
    stage.open = ""
    stage.bus.publish(PlaybackChanged(PlaybackStatus()))
    eventually(lambda: stage.marks[0] != 300_000)


def test_marks_made_in_the_new_bytes_stay(stage: Stage) -> None:
    stage.measure(OLD)
    eventually(lambda: stage.kept.read(stage.episode_id) is not None)
    stage.hear(300_000, OLD, 30_000, 100_000)
    stage.hear(305_000, NEW, 304_000)
    stage.measure(NEW)
    eventually(lambda: stage.told)
    position_ms, bookmarks = stage.marks
    assert position_ms == 305_000
    assert bookmarks[0] == 30_000
    assert 304_000 in bookmarks
    assert any(abs(one - 100_000 - BY_MS) < 200 for one in bookmarks)


def test_of_an_episode_that_is_gone_nothing_is_written(stage: Stage) -> None:
    stage.here = NEW
    stage.kept.write(EpisodeId(99_999), OLD)
    stage.bus.publish(SoundMeasured(EpisodeId(99_999), NEW.version))
    eventually(lambda: not stage.mover._waiting)
    assert stage.told == stage.events == []
