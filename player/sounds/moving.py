"""Moves the listener's marks when an episode has other bytes than those that they were made in.

Until then, the sound of the bytes with the marks is kept. As soon as the new bytes have been measured, both are aligned
in the background, and all marks move in one transaction.
"""

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from player.errors import LibraryError
from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    Notice,
    PlaybackChanged,
    SegmentsChanged,
    SoundMeasured,
    SoundMoved,
    SyncChanged,
)
from player.library import Library
from player.measuring.kept_sounds import KeptSounds
from player.measuring.sound import Sound
from player.model.episode import Episode, EpisodeId
from player.playback.navigation import AudioChange, Moved
from player.processes.scheduler import SHARED
from player.text.cleaning import clean_line
from player.text.sentences import _

if TYPE_CHECKING:
    from player.sounds.alignment import Alignment

log = logging.getLogger(__name__)


class MarkMover:
    """Follows the bus from `start` until `close`."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        sound: Callable[[Episode], Sound | None],
        kept: KeptSounds,
        playing: Callable[[EpisodeId], str],
        tell: Callable[[Moved], None],
    ) -> None:
        """`sound` is that of the bytes on this disk. `playing` gives the version of the bytes that are open of an
        episode, "" for none. `tell`: the session is told that an episode was moved."""
        self._library = library
        self._bus = bus
        self._sound = sound
        self._kept = kept
        self._playing = playing
        self._tell = tell
        self._lock = threading.Lock()
        self._waiting: dict[EpisodeId, str] = {}
        """And the versions of their bytes, as far as they are known."""
        self._held: set[EpisodeId] = set()
        """Episodes whose former bytes are still open."""
        self._from_elsewhere = False
        self._task = SHARED.task(self._work, "marks")
        self._ends: list[Callable[[], None]] = []

    def start(self) -> None:
        self._ends = [
            self._bus.subscribe(SoundMeasured, lambda event: self._look_at(event.episode_id, event.version)),
            self._bus.subscribe(PlaybackChanged, self._follow),
            self._bus.subscribe(SyncChanged, self._synced),
        ]
        self._look_elsewhere()

    def close(self) -> None:
        for end in self._ends:
            end()
        self._task.close(timeout_s=0)

    def _look_at(self, episode_id: EpisodeId, version: str = "") -> None:
        with self._lock:
            self._waiting[episode_id] = version
        self._task.soon()

    def _synced(self, event: SyncChanged) -> None:
        if not event.status.busy:
            self._look_elsewhere()

    def _look_elsewhere(self) -> None:
        """Compares positions that may have arrived from other devices."""
        self._from_elsewhere = True
        self._task.soon()

    def _follow(self, event: PlaybackChanged) -> None:
        current = event.status.episode.id if event.status.episode else None
        for episode_id in [one for one in self._held if one != current]:
            self._held.discard(episode_id)
            self._look_at(episode_id)

    # -- its thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        if self._from_elsewhere:
            self._from_elsewhere = False
            try:
                for episode in self._library.episodes.rows(self._library.audio.uncompared()):
                    self._place(episode)
            except LibraryError as error:
                log.info("positions from elsewhere can't be compared: %s", error)
        while True:
            with self._lock:
                episode_id = next(iter(self._waiting), None)
                if episode_id is None:
                    return
                version = self._waiting.pop(episode_id)
            try:
                for episode in self._library.episodes.rows([episode_id]):
                    self._compare(episode, version)
            except (LibraryError, OSError) as error:
                log.info("the marks of an episode can't be compared with its sound: %s", error)

    def _compare(self, episode: Episode, version: str) -> None:
        """Raises LibraryError or OSError; then nothing has changed, or what has changed is compared again."""
        self._place(episode)
        former = self._kept.read(episode.id)
        if former is not None and former.version == version:
            return
        new = self._sound(episode)
        if new is None or former is None or former.version == new.version:
            return
        if self._playing(episode.id) == former.version:
            self._held.add(episode.id)
            return
        from player.sounds.alignment import aligned  # needed after most of a start

        alignment = aligned(former, new)
        if alignment is None:
            log.info("%r has other bytes now, which can't be compared", episode.title)
            self._stays(episode, former, new)
        elif alignment.is_same:
            self._library.audio.note_same(episode.id, former.version, new.version)
        else:
            log.info("%r has other bytes now: %s", episode.title, alignment.parts)
            self._move(episode, former, new, alignment)
        self._kept.write(episode.id, new)

    def _place(self, episode: Episode) -> None:
        """Moves a position from another device to where its sound is in the audio here. Raises LibraryError."""
        elsewhere = self._library.audio.elsewhere(episode.id)
        sound = self._sound(episode) if elsewhere is not None else None
        if elsewhere is None or sound is None or self._playing(episode.id) not in ("", sound.version):
            return
        from player.sounds.placing import shift_in  # needed after most of a start

        shift_ms = shift_in(sound, elsewhere.sound)
        log.info("the position of %r from another device is moved by %s ms", episode.title, shift_ms)
        is_there = self._library.audio.place(episode.id, elsewhere, sound.version, shift_ms)
        if shift_ms == 0:
            return
        by_ms = shift_ms or 0
        moved = None if shift_ms is None else lambda ms: max(0, ms + by_ms)
        self._tell(Moved(episode.id, audio=AudioChange(elsewhere.number, sound.version, moved, elsewhere=True)))
        if is_there:
            self._bus.publish(EpisodesChanged((episode.id,)))

    def _move(self, episode: Episode, former: Sound, new: Sound, alignment: "Alignment") -> None:
        number = self._library.audio.number(episode.id, former.version)
        marks = self._library.audio.move(episode.id, former.version, new.version, alignment.moved)
        if number is not None:  # before the event, at which the session would take the position without a word
            self._tell(Moved(episode.id, audio=AudioChange(number, new.version, alignment.moved)))
        if marks.position_ms is not None:
            self._bus.publish(EpisodesChanged((episode.id,)))
        if marks.bookmarks:
            self._bus.publish(BookmarksChanged(Cause.RULE))
        if marks.segments:
            self._bus.publish(SegmentsChanged((episode.id,), Cause.RULE))
        parts = tuple((part.first_ms, part.last_ms, part.shift_ms) for part in alignment.parts)
        self._bus.publish(SoundMoved(episode.id, parts, new.duration_ms - former.duration_ms))

    def _stays(self, episode: Episode, former: Sound, new: Sound) -> None:
        """Marks stay at their seconds."""
        had_marks = self._library.audio.has_marks(episode.id, former.version)
        number = self._library.audio.number(episode.id, former.version)
        self._library.audio.note_same(episode.id, former.version, new.version, unsure=True)
        if number is not None:
            self._tell(Moved(episode.id, audio=AudioChange(number, new.version, None)))
        if had_marks:
            title = clean_line(episode.title, 60)
            self._bus.publish(
                Notice(_("“{title}” is another recording now: your position in it may be off (≈)", title=title))
            )
