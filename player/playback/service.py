"""Playback, for any thread: what the rest of Earmark calls."""

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import TypeVar

from player.errors import LibraryError
from player.events import (
    Bus,
    Cause,
    EpisodesChanged,
    EpisodesMarked,
    LibraryChanged,
    ListsChanged,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsArranged,
    QueueChanged,
    SegmentsChanged,
)
from player.library import Library
from player.library.loudness import MeasuredLoudness
from player.model.effects import Span
from player.model.episode import Chapters, Episode, EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState, PlaybackStatus, SleepChoice
from player.model.podcast import PodcastId
from player.playback.applied_settings import Configured, settings_for
from player.playback.controller import PlaybackController, utc_now
from player.playback.engine import EngineFactory, EngineReport
from player.playback.handover import Handing
from player.playback.last_session import stepped_speed
from player.playback.levelling import Known
from player.playback.navigation import Moved
from player.playback.observers import EventTracker, SavedNews
from player.playback.outcomes import Outcome, Refused, Why
from player.playback.prefetch import Opener, Prefetch
from player.playback.rules import NOTHING_SKIPPED, SkipRules
from player.playback.saver import Saver
from player.playback.session_thread import SessionThread, StatusPublisher
from player.playback.up_next import Following
from player.settings import Audio, Playback, Queue, Sleep
from player.text.sentences import _

log = logging.getLogger(__name__)

_FLUSH_S = 3.0
_JOIN_S = 10.0
_NEVER_BY_ITSELF = Sleep()

_QUEUE = Queue()
_AUDIO = Audio()
_CHANGES_OF_WHAT_IS_NEXT = (
    QueueChanged, EpisodesMarked, ListsChanged, PodcastRemoved, PodcastRefreshed, PodcastsArranged, LibraryChanged,
)  # fmt: skip
"""The states after which a different episode may be next."""

T = TypeVar("T")


def _known(library: Library, episode: Episode) -> Known:
    try:
        return Known(library.loudness.of(episode.id), library.loudness.usual(episode.podcast_id))
    except LibraryError as error:
        log.warning("how loud an episode is can't be read: %s", error)
        return Known()


class PlaybackService:
    """Playback, for any thread. Every command returns at once and is carried out soon after, in order.

    The future of a command has its outcome, once `status` shows it too; it is completed on the session's thread, so its
    callbacks have to be quick. It raises nothing, and is never completed if Earmark ends first. A command that fails
    also publishes a Notice; an episode that can't be played shows as state ERROR. Discrete events are published on the
    session's thread; their `cause` says who gave the command.
    """

    def __init__(
        self,
        library: Library,
        media_store: Opener,
        bus: Bus,
        playback_settings: Playback,
        engine_factory: EngineFactory,
        *,
        queue: Queue = _QUEUE,
        skip: SkipRules = NOTHING_SKIPPED,
        sleep: Sleep = _NEVER_BY_ITSELF,
        audio: Audio = _AUDIO,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """`skip`: which chapters to skip; `sleep`: when the sleep timer starts by itself; `audio`: the effects on the
        sound."""
        self._bus = bus
        self._events = EventTracker()
        news = SavedNews(bus)
        self._saver = Saver(library, news.saved, news.not_saved, news.marked, news.queue_changed, news.rejected)
        self.configured = Configured(playback_settings, queue, skip, sleep, audio)
        self._following = Following(
            library, self._saver, self.configured, self._events, bus.publish, lambda: self._thread.wake()
        )
        self._prefetch = Prefetch(media_store, lambda episode_id: library.progress.position(episode_id))
        self._controller = PlaybackController(
            library,
            self._prefetch,
            self._saver,
            settings_for(
                self.configured,
                lambda one: library.podcast_settings.get(one),
                lambda one: library.shelf.feed_title(one),
                lambda one: library.segments.to_pass(one),
                now,
            ),
            engine_factory,
            self._on_report,
            self._on_cached,
            lambda work: self._thread.put(work),
            self._following,
            events=self._events,
            notify=bus.publish,
            clock=clock,
            now=now,
            sleep_hours=lambda: self.configured.sleep_hours,
            known=partial(_known, library),
        )
        self._navigation = self._controller.navigation
        self._publisher = StatusPublisher(bus, self._events, self._controller, self._shown)
        self._thread = SessionThread(bus, self._events, self._publisher, self._controller)
        publish, parts = self._publisher.publish_events, self._controller.parts
        self.handing = Handing(self._thread, self._saver, parts, self._following, publish, self._prefetch)
        self._cached_pending = self._close_begun = False
        # Before any command: a key pressed while Earmark starts plays the chosen episode, not the last one.
        self._restored = self._command(self._restore, Cause.ENGINE)
        for kind in _CHANGES_OF_WHAT_IS_NEXT:
            bus.subscribe(kind, self._next_may_differ)
        bus.subscribe(SegmentsChanged, self._segments_changed)
        for changed in (PodcastsArranged, LibraryChanged):
            bus.subscribe(changed, lambda _event: self._thread.put(self._look_again, Cause.RULE))
        for moving in (EpisodesChanged, LibraryChanged):  # an import, its undo, or another process
            bus.subscribe(moving, lambda _event: self._thread.put(self._controller.catch_up, Cause.RULE))

    @property
    def status(self) -> PlaybackStatus:
        """The latest status; `status.at(time.monotonic())` advances its position."""
        return self._publisher.status

    @property
    def chapters(self) -> Chapters:
        """The chapters of the episode in `status`, as far as they are known."""
        return self._controller.chapters

    @property
    def last_sleep(self) -> SleepChoice:
        """The last choice for the sleep timer."""
        return self._controller.sleeper.last_choice

    # -- life -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Starts the thread; when this returns, the last episode is in `status`, paused at its position. A session
        taken over from another process (`handing`) plays on."""
        self.handing.begin_saving()
        self._thread.start()
        with suppress(TimeoutError):
            self._restored.result(_JOIN_S)

    def close(self, timeout_s: float = _FLUSH_S) -> None:
        """Saves the position, stops the sound, ends the threads; later commands do nothing. May be called twice.

        Returns after `timeout_s` even if something hangs. The position is handed to the saver before the sound is
        stopped.
        """
        if not self._thread.started or self._close_begun:
            return
        self._close_begun = True
        deadline = time.monotonic() + timeout_s
        if not self._thread.end(self._close, timeout_s):
            log.error("playback did not end in %.1f s", timeout_s)
        if not self._saver.close(max(0.0, deadline - time.monotonic())):
            log.error("the position could not be saved before the end")

    def save_now(self, timeout: float = _FLUSH_S) -> bool:
        """True once the position is on disk, False after `timeout` seconds. Safe in signal handlers."""
        deadline = time.monotonic() + timeout
        if not self._thread.alive:
            return True
        try:
            self._command(self._controller.save, Cause.ENGINE).result(timeout)
        except TimeoutError:
            return False
        return self._saver.flush(max(0.0, deadline - time.monotonic()))

    # -- commands ---------------------------------------------------------------------------------------------

    def play(self, episode_id: EpisodeId, at_ms: int | None = None, *, view: View | None = None) -> Future[Outcome]:
        """Plays from the episode's position, or from `at_ms`. The current episode is resumed, or tried again.

        `view`: the list that it is played from, which may continue after it.
        """
        return self._command(lambda: self._play(episode_id, at_ms, view))

    def play_clip(self, episode_id: EpisodeId, start_ms: int, duration_ms: int) -> Future[Outcome]:
        """Plays a part of an episode, then pauses where the listener was before."""
        return self._command(lambda: self._controller.play_clip(episode_id, start_ms, duration_ms))

    def skip(self) -> Future[Outcome]:
        """Plays what is next (`status.next_up`), now."""
        return self._command(self._controller.skip)

    def previous(self) -> Future[Outcome]:
        """Plays what played before the current episode."""
        return self._command(self._previous)

    def toggle(self) -> Future[Outcome]:
        """Pauses or resumes. After the end of an episode, plays what is next, if anything."""
        return self._command(lambda: self._resume() if self._ended else self._controller.toggle())

    def pause(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._command(self._controller.pause, cause)

    def resume(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._command(self._resume, cause)

    def stop(self, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._command(self._controller.stop, cause)

    def seek_to(self, position_ms: int, *, cause: Cause = Cause.PERSON) -> Future[Outcome]:
        return self._command(lambda: self._navigation.seek_to(position_ms), cause)

    def seek_by(self, by_ms: int) -> Future[Outcome]:
        return self._command(lambda: self._navigation.seek_by(by_ms))

    def restart(self) -> Future[Outcome]:
        """Jumps to the start of the episode."""
        return self.seek_to(0)

    def undo_jump(self) -> Future[Outcome]:
        return self._command(self._controller.undo_jump)

    def previous_chapter(self) -> Future[Outcome]:
        """Jumps to the start of the chapter; within its first three seconds, to the start of the chapter before."""
        return self._command(self._navigation.previous_chapter)

    def next_chapter(self) -> Future[Outcome]:
        return self._command(self._navigation.next_chapter)

    def set_speed(self, speed: float) -> Future[Outcome]:
        return self._command(lambda: self._set_speed(speed))

    def change_speed(self, by: float) -> Future[Outcome]:
        """Changes the speed to the next multiple of `by`."""
        return self._command(lambda: self._set_speed(stepped_speed(self._controller.speed, by)))

    def set_volume(self, volume: int) -> Future[Outcome]:
        return self._command(lambda: self._controller.set_volume(volume))

    def change_volume(self, by: int) -> Future[Outcome]:
        return self._command(lambda: self._controller.set_volume(self._controller.volume + by))

    def mute(self) -> Future[Outcome]:
        """Mutes, or restores the volume."""
        return self._command(self._controller.mute)

    def sleep(self, choice: SleepChoice) -> Future[Outcome]:
        """Starts the sleep timer, replacing one that is running."""
        return self._command(lambda: self._controller.sleeper.set(choice))

    def sleep_longer(self) -> Future[Outcome]:
        """Adds five minutes to the sleep timer."""
        return self._command(self._controller.sleeper.longer)

    def sleep_off(self) -> Future[Outcome]:
        return self._command(self._controller.sleeper.off)

    def stop_after(self) -> Future[Outcome]:
        """Plays nothing after the current episode; called again, plays what is up next after all."""
        return self._command(self._controller.sleeper.stop_after)

    # -- what is no command of the listener's ---------------------------------------------------------------------

    def set_chapters(self, episode_id: EpisodeId, chapters: Chapters) -> None:
        """Call when chapters of an episode have been found."""
        self._thread.put(lambda: self._navigation.set_chapters(episode_id, chapters), Cause.RULE)

    def look_ahead(self) -> None:
        """Call when a list starts or stops continuing, or changes its order."""
        self._next_may_differ()

    def reopen(self) -> None:
        """Restarts the sound at the same position, on the output that is chosen now."""
        self._thread.put(self._controller.reopen, Cause.PERSON)

    def settings_changed(self, podcast_id: PodcastId) -> None:
        """Applies changed settings, or another title, of a podcast to what is playing."""
        self._thread.put(lambda: self._controller.settings_changed(podcast_id), Cause.PERSON)

    def measured(self, episode_id: EpisodeId, own: MeasuredLoudness | None, pauses: tuple[Span, ...]) -> None:
        """Call when more is known of how an episode sounds."""
        self._thread.put(lambda: self._controller.levelling.measured(episode_id, own, pauses), Cause.RULE)

    def moved(self, moved: Moved) -> None:
        """Call when another device's listening was written to the library: unless it plays, the episode is moved there,
        which can be undone as a jump. Or when the sound of an episode is elsewhere in its bytes."""
        self._thread.put(lambda: self._controller.catch_up(moved), Cause.RULE if moved.audio else Cause.SYNC)

    def open_version(self, episode_id: EpisodeId) -> str:
        """Identifies the bytes that are open of that episode; "" if none are. Never waits."""
        return self._controller.open_version(episode_id)

    def forget(self, podcast_id: PodcastId) -> None:
        """If the current episode belongs to that podcast, stops it and leaves no current episode."""
        self._thread.put(lambda: self._controller.forget(podcast_id), Cause.PERSON)

    # -- from other threads -----------------------------------------------------------------------------------

    def _command(self, work: Callable[[], T], cause: Cause = Cause.PERSON) -> "Future[T | Refused]":
        return self._thread.command(work, cause)

    def _on_report(self, report: EngineReport) -> None:
        self._thread.put(lambda: self._controller.on_report(report))

    def _on_cached(self) -> None:
        if not self._cached_pending:
            self._cached_pending = True
            self._thread.put(self._check_cached)

    def _next_may_differ(self, _event: object = None) -> None:
        self._following.outdated = True
        self._thread.wake()

    def _segments_changed(self, event: SegmentsChanged) -> None:
        current = self.status.episode
        if current is not None and current.id in event.episode_ids:
            self._thread.put(self._look_again, Cause.RULE)

    # -- on the session's thread --------------------------------------------------------------------------------

    def _shown(self, status: PlaybackStatus) -> PlaybackStatus:
        shown = self._following.shown(status)
        self._prefetch.follow(shown)
        return shown

    def _close(self) -> None:
        self._prefetch.end()
        self._following.close()
        self._controller.close()

    def _restore(self) -> None:
        self._controller.restore()
        self._following.restore()
        self.handing.recall()

    def _play(self, episode_id: EpisodeId, at_ms: int | None, view: View | None) -> Outcome:
        outcome = self._controller.play(episode_id, at_ms)
        self._following.chosen(episode_id, view)
        return outcome

    def _previous(self) -> Outcome:
        current = self._controller.status.episode
        with self._following.going_back(current.id if current else None) as episode_id:
            if episode_id is None:
                return Refused(Why.NO_PREVIOUS, _("Nothing was played before this"))
            return self._controller.play(episode_id)

    @property
    def _ended(self) -> bool:
        return self._controller.status.state is PlaybackState.ENDED

    def _resume(self) -> Outcome:
        if self._ended and self._following.next_up:
            return self._controller.skip()
        return self._controller.resume()

    def _set_speed(self, speed: float) -> Outcome:
        outcome = self._controller.set_speed(speed)
        self._events.at_speed(self._controller.speed)
        return outcome

    def _look_again(self) -> None:
        with suppress(LibraryError):
            self._controller.look_again()

    def _check_cached(self) -> None:
        self._cached_pending = False
        self._controller.on_cached()
