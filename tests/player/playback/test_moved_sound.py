"""What plays moves with its sound when the episode has come with other advertisements, unless the listener jumped."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.events import Bus, EpisodesChanged, Notice
from player.library import Library
from player.model.episode import EpisodeId
from player.model.playback import Offer, PlaybackState, PlaybackStatus
from player.playback.last_session import last_session
from player.playback.navigation import AudioChange, Moved
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.player.playback.support import HeldMedia, Store, silence, wait_until

AT = datetime.now(UTC)
LATE_MS = 15_000


class Stage:
    """An episode of a minute was heard up to 0:20 in bytes that are gone; what plays now has 15 s more before that."""

    def __init__(self, library: Library, episode_id: EpisodeId) -> None:
        self.library = library
        self.episode_id = episode_id
        library.progress.start(episode_id)
        library.progress.save(episode_id, 20_000, None, AT, version="old")
        self.former = library.audio.number(episode_id, "old") or 0
        self.bus = Bus()
        self.notices: list[Notice] = []
        self.bus.subscribe(Notice, self.notices.append)
        self.session = PlaybackService(library, Store(self._media), self.bus, Playback(), SilentEngine)
        self.session.start()

    def _media(self, _episode: object) -> HeldMedia:
        media = HeldMedia(silence(60))
        media.version = "new"
        return media

    def play(self) -> None:
        self.session.play(self.episode_id)
        wait_until(lambda: self.session.status.state is PlaybackState.PLAYING, "sound")

    def sound_moves(self) -> None:
        """As when the new bytes have been measured."""
        self.library.audio.move(self.episode_id, "old", "new", later)
        self.session.moved(Moved(self.episode_id, audio=AudioChange(self.former, "new", later)))
        self.bus.publish(EpisodesChanged((self.episode_id,)))
        self.session.set_volume(50).result(10)

    @property
    def status(self) -> PlaybackStatus:
        return self.session.status


def later(ms: int) -> int:
    return ms + LATE_MS


@pytest.fixture
def stage(library: Library, ids: tuple[EpisodeId, ...]) -> Iterator[Stage]:
    made = Stage(library, ids[0])
    yield made
    made.session.close()


def test_what_plays_moves_as_far_as_the_position_it_went_on_from_and_undoing_leads_back(stage: Stage) -> None:
    stage.play()
    before_ms = stage.status.position_ms
    stage.sound_moves()
    assert stage.status.position_ms >= before_ms + LATE_MS
    (notice,) = stage.notices
    assert notice.text == "The file has changed by +0:15; your position moved with it"
    assert notice.offer is Offer.UNDO_JUMP
    stage.session.undo_jump().result(10)
    assert stage.status.position_ms < before_ms + LATE_MS
    stage.sound_moves()
    assert stage.status.position_ms < before_ms + LATE_MS, "only once"
    assert len(stage.notices) == 1


def test_where_the_engine_began_elsewhere_the_position_counts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was told to begin beyond the end of shorter bytes, and plays their last seconds."""
    stage.play()
    begun_ms = stage.session._controller._current.position.begun_ms
    monkeypatch.setattr(SilentEngine, "position", lambda _engine: begun_ms - 9_000)
    stage.sound_moves()
    monkeypatch.undo()
    stage.session.pause().result(10)
    assert 0 <= stage.status.position_ms - begun_ms - LATE_MS < 2_000


def test_after_a_jump_of_the_listeners_nothing_moves(stage: Stage) -> None:
    stage.play()
    stage.session.seek_to(40_000).result(10)
    stage.sound_moves()
    assert 40_000 <= stage.status.position_ms < 40_000 + LATE_MS
    assert stage.notices == []


def test_a_paused_episode_that_was_not_opened_yet_is_shown_where_its_sound_is(stage: Stage) -> None:
    assert stage.status.position_ms == 20_000
    stage.sound_moves()
    wait_until(lambda: stage.status.position_ms == 35_000, "the new position")
    assert [notice.offer for notice in stage.notices] == [Offer.UNDO_JUMP]


def test_an_episode_that_was_opened_and_paused_moves_as_well(stage: Stage) -> None:
    stage.play()
    stage.session.pause().result(10)
    paused_ms = stage.status.position_ms
    stage.sound_moves()
    assert stage.status.position_ms == paused_ms + LATE_MS
    assert stage.session.save_now()
    saved = stage.library.progress.position(stage.episode_id)
    assert saved is not None
    assert saved.position_ms == paused_ms + LATE_MS


def test_a_position_that_is_beyond_the_end_of_shorter_bytes_is_moved_and_can_be_played(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    """As where the longer file had an advertisement before it."""
    library.progress.start(ids[0])
    library.progress.save(ids[0], 75_000, None, AT, version="old")
    former = library.audio.number(ids[0], "old") or 0
    bus = Bus()
    notices: list[Notice] = []
    bus.subscribe(Notice, notices.append)

    def media(_episode: object) -> HeldMedia:
        held = HeldMedia(silence(60), duration_ms=60_000)
        held.version = "new"
        return held

    def earlier(ms: int) -> int:
        return ms - 20_000

    session = PlaybackService(library, Store(media), bus, Playback(), SilentEngine)
    session.start()
    try:
        session.play(ids[0])
        wait_until(lambda: session.status.state is PlaybackState.ERROR, "the end of the file")
        assert session.save_now()
        library.audio.move(ids[0], "old", "new", earlier)
        session.moved(Moved(ids[0], audio=AudioChange(former, "new", earlier)))
        wait_until(lambda: session.status.position_ms == 55_000, "the position")
        assert session.status.error is None
        session.play(ids[0])
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "the sound")
    finally:
        session.close()


def test_the_notice_says_that_the_position_came_from_another_device(stage: Stage) -> None:
    stage.library.audio.move(stage.episode_id, "old", "new", later)
    stage.session.moved(Moved(stage.episode_id, audio=AudioChange(stage.former, "new", later, elsewhere=True)))
    wait_until(lambda: stage.status.position_ms == 35_000, "the new position")
    (notice,) = stage.notices
    assert notice.text == "The other device's file differs by +0:15; your position moved"
    assert notice.offer is Offer.UNDO_JUMP


def test_an_arrived_position_that_is_played_at_once_moves_when_its_sound_is_known(stage: Stage) -> None:
    """Syncing put it there while the episode was paused; the bytes here are measured while it plays."""
    stage.library.progress.save(stage.episode_id, 40_000, None, AT, version="theirs")
    theirs = stage.library.audio.number(stage.episode_id, "theirs") or 0
    stage.session.moved(Moved(stage.episode_id, "laptop"))
    wait_until(lambda: stage.status.position_ms == 40_000, "the position that arrived")
    stage.play()
    stage.session.moved(Moved(stage.episode_id, audio=AudioChange(theirs, "new", later, elsewhere=True)))
    wait_until(lambda: stage.status.position_ms >= 40_000 + LATE_MS, "its sound")


def test_a_position_that_cannot_be_compared_is_unsure_until_playback_goes_on(stage: Stage) -> None:
    assert not stage.status.unsure
    stage.library.audio.note_same(stage.episode_id, "old", "new", unsure=True)
    stage.session.moved(Moved(stage.episode_id, audio=AudioChange(stage.former, "new", None)))
    wait_until(lambda: stage.status.unsure, "the mark")
    assert last_session(stage.library).unsure, "the next start shows it, too"
    assert stage.notices == []
    stage.play()
    wait_until(lambda: stage.status.position_ms > 20_000, "more sound")
    wait_until(lambda: not stage.status.unsure, "the mark is gone")
    stage.session.pause().result(10)
    assert stage.session.save_now()
    assert not last_session(stage.library).unsure
