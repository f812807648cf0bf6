"""The controller: carries out commands and handles the engine's reports, all on the session's thread.

It decides. `CurrentEpisode` holds state and position, `Navigation` the jumps, `Transport` bytes and sound.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec.structs import replace

from player.events import Notice
from player.library import Library
from player.model.effects import Effects
from player.model.episode import Chapters, Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.playback.applied_settings import AppliedSettings, SettingsFor, Volume
from player.playback.choosing import Choosing, Clips
from player.playback.current_episode import CurrentEpisode
from player.playback.engine import EngineFactory, EngineReport, Listener
from player.playback.handover import Parts
from player.playback.last_session import clamp_speed, last_session, usual_speed
from player.playback.levelling import Known, Levelling
from player.playback.navigation import Navigation
from player.playback.observers import Bookkeeper, EventTracker
from player.playback.outcomes import Done, Outcome, Refused, Why
from player.playback.prefetch import Opener
from player.playback.report_handler import ReportHandler
from player.playback.rules import past_end, resume_at
from player.playback.saver import Saver
from player.playback.sleep import Sleeper, SleepHours
from player.playback.transport import Transport
from player.playback.up_next import Ended, EndedBy, Follows, Nothing, Play
from player.text.sentences import _


def utc_now() -> datetime:
    return datetime.now(UTC)


class PlaybackController:
    """Takes commands and reports; provides `status` and the outcome of each command. Jumps are in `navigation`.

    `settings_for` is asked once for each episode that becomes the current one, `follows` after each end. `later` takes
    work to be done once the new state has been shown, `notify` sentences for the listener that report no failure.
    `known` is what the library knows of an episode's sound; it doesn't raise.
    `clock` is monotonic, in seconds; `now` is the time of day. Methods that read the library may raise LibraryError;
    then nothing has changed.
    """

    def __init__(
        self,
        library: Library,
        store: Opener,
        saver: Saver,
        settings_for: SettingsFor,
        make_engine: EngineFactory,
        listener: Listener,
        cached_changed: Callable[[], None],
        later: Callable[[Callable[[], None]], None],
        follows: Follows,
        *,
        events: EventTracker | None = None,
        notify: Callable[[Notice], None] = lambda _notice: None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = utc_now,
        sleep_hours: Callable[[], SleepHours | None] = lambda: None,
        known: Callable[[Episode], Known] = lambda _episode: Known(),
    ) -> None:
        self._library = library
        self._settings = AppliedSettings(settings_for, saver)
        self._follows = follows
        self._notify = notify
        self._now = now
        self._transport = Transport(lambda episode: store.open(episode, cached_changed), make_engine, listener, later)
        self._volume = Volume(self._transport, saver)
        self._books = Bookkeeper(saver, clock, now)
        tracker = events or EventTracker()
        self._current = CurrentEpisode(self._transport, self._books, tracker, clock, now)
        self.navigation = Navigation(self._current, notify, clock)
        self.levelling = Levelling(known, self._set_effects)
        self._choosing = Choosing(
            library, saver, follows, self._settings, self._transport, self._books, self._current, self.navigation,
            self.levelling, store.why_not,
        )  # fmt: skip
        self.catch_up, self.look_again = self._choosing.catch_up, self._choosing.look_again
        self._current.asks = self.navigation.asks
        self._clips = Clips(
            self._choosing, self._current, self.navigation, self._settings, self._books, tracker, follows
        )
        self.sleeper = Sleeper(self._current, self.navigation, self._transport, saver, sleep_hours, notify, clock, now)
        self.parts = Parts(
            self._current, self.navigation, self.sleeper, self._choosing, self._clips, self._settings, self._volume,
            self._transport, self._books, tracker,
        )  # fmt: skip
        self._reports = ReportHandler(
            self._transport,
            self._current,
            self.navigation,
            reopen=self.reopen,
            finished=self._finish,
            failed=lambda: self._play_next(EndedBy.FAILED),
            notify=notify,
        )

    # -- what is shown ------------------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        return self._current.status

    @property
    def active(self) -> bool:
        """Whether the listener wants to hear something, and hears it or waits for it."""
        return self._current.active

    @property
    def ticks(self) -> bool:
        """Whether there is anything for `tick` to do."""
        return self._current.active or self.sleeper.restoring

    @property
    def chapters(self) -> Chapters:
        return self.navigation.chapters

    def open_version(self, episode_id: EpisodeId) -> str:
        """Identifies the bytes that are open of that episode; "" if none are. For any thread."""
        episode = self._current.episode
        return self._transport.version if episode is not None and episode.id == episode_id else ""

    @property
    def speed(self) -> float:
        return self._transport.speed

    @property
    def volume(self) -> int:
        return self._transport.volume

    # -- commands -----------------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Loads the last episode, paused at its position, with the last speed and volume. Opens no audio."""
        last = last_session(self._library)
        self._settings.usual_speed = usual_speed(self._library)
        self.sleeper.restore(self._library.state.get)
        self._transport.set_speed(self._settings.speed)
        self._transport.set_volume(last.volume)
        if last.episode is not None:
            self._make_current(last.episode)
            self._current.enter(last.state)

    def play(self, episode_id: EpisodeId, at_ms: int | None = None) -> Outcome:
        """Plays an episode from its position, or from `at_ms`; resumes it if it is the current one."""
        return self._choosing.refusal(episode_id) or self._play(episode_id, at_ms, EndedBy.REPLACED)

    def skip(self) -> Outcome:
        """Plays what is up next, now. If nothing is, nothing changes."""
        match self._follows.up_next(Ended(self._clips.listening_to, EndedBy.SKIPPED)):
            case Play(episode_id, position_ms):
                return self._play(episode_id, position_ms, EndedBy.SKIPPED)
            case Nothing():
                return Refused(Why.NO_NEXT, _("The queue is empty, so nothing is next"))

    def _play(self, episode_id: EpisodeId, at_ms: int | None, by: EndedBy) -> Outcome:
        self._choose(episode_id, by)
        if self.navigation.in_clip:
            self._clips.leave_interrupted(by)
            at_ms = self._current.listener_ms if at_ms is None else at_ms
        if at_ms is not None:
            length, exact = self._current.duration()
            if length and exact and at_ms >= length:
                return Refused(Why.PAST_END, str(past_end(at_ms, length)))
            sought = self.navigation.seek_to(at_ms)
            if self._current.active:
                return sought
        return self.resume()

    def play_clip(self, episode_id: EpisodeId, start_ms: int, duration_ms: int) -> Outcome:
        """Plays a part of an episode, then pauses where the listener was before.

        A clip isn't listening: it changes no position and no mark, and a restart doesn't show it.
        """
        self._clips.choose(episode_id)
        if self._current.live:
            return Refused(Why.LIVE, _("You can't jump in a live stream"))
        self.navigation.begin_clip(start_ms, duration_ms)
        self.resume()
        return Done(self.status)

    def toggle(self) -> Outcome:
        return self.pause() if self._current.active else self.resume()

    def pause(self) -> Outcome:
        if not self._current.active:
            return Refused(Why.ALREADY, _("Nothing is playing"))
        self._current.pause()
        return Done(self.status)

    def resume(self) -> Outcome:
        """Resumes; a little earlier after a long pause, from the start if the episode had ended."""
        current = self._current
        if current.episode is None:
            return Refused(Why.NO_EPISODE, _("There is no episode to resume"))
        if current.active:
            return Refused(Why.ALREADY, _("Already playing"))
        if current.state is PlaybackState.ERROR:
            self._follows.retried()
        if current.state is PlaybackState.ENDED:
            current.position = current.position.restarted()
        left_ms, rewind = current.position.ms, self._settings.of_episode.rewind
        begins_ms = resume_at(left_ms, current.position.left_at, self._now(), rewind)
        current.begin(self.navigation.begins(begins_ms, fresh=left_ms == 0))
        return Done(self.status)

    def stop(self) -> Outcome:
        """Stops the sound; the episode stays the current one."""
        if self._current.state is PlaybackState.STOPPED:
            return Refused(Why.ALREADY, _("Nothing is playing"))
        if self._clips.away:
            self._clips.come_back(PlaybackState.STOPPED)
        else:
            self._choosing.end_sound()
        return Done(self.status)

    def reopen(self) -> None:
        """Restarts the sound at the same position, for example when another output is chosen."""
        active = self._current.active
        self.pause()
        self._transport.unload()
        if active:
            self.resume()

    def forget(self, podcast_id: PodcastId) -> None:
        """Removes the current episode, without saving anything, if it belongs to that podcast."""
        episode = self._current.episode
        self._clips.forget(podcast_id)
        if episode and episode.podcast_id == podcast_id:
            self._clips.come_back()

    def undo_jump(self) -> Outcome:
        """Undoes the last jump; after the sleep timer has ended the sound, returns to where the timer started."""
        if self._clips.away:
            sounds = self._current.active
            return self.resume() if self._clips.come_back() and sounds else Done(self.status)
        if (back := self.sleeper.return_to()) is None:
            return self.navigation.undo_jump()
        self.sleeper.returned()
        self._choose(back[0], EndedBy.RETURNED)
        return self.navigation.seek_to(back[1])

    def set_speed(self, speed: float) -> Outcome:
        if self._current.live:
            return Refused(Why.LIVE, _("The speed of a live stream can't be changed"))
        there = self._transport.elsewhere
        if there is not None and there.slowest == there.fastest:
            return Refused(Why.DEVICE, _("“{device}” plays at normal speed only", device=there.device))
        self._current.set_speed(clamp_speed(speed))
        self._settings.set_speed(self.speed)
        self._reports.tell_shortcomings()
        return Done(self.status)

    def settings_changed(self, podcast_id: PodcastId) -> None:
        """Applies the podcast's changed settings or title to the current episode from here on."""
        episode = self._current.episode
        if episode and episode.podcast_id == podcast_id:
            for row in self._library.episodes.rows([episode.id]):
                self._current.episode = episode = replace(episode, podcast=row.podcast)
            self._settings.look_up(episode)
            self._choosing.apply_settings()

    def set_volume(self, volume: int) -> Outcome:
        self._volume.set(volume)
        return Done(self.status)

    def mute(self) -> Outcome:
        """Mutes, or restores the volume from before."""
        self._volume.mute()
        return Done(self.status)

    def save(self) -> None:
        """Passes the current position to the saver if it has changed."""
        self._current.note_position()
        self._current.save(announce=True)

    def close(self) -> None:
        """Passes the position to the saver first, so that nothing that happens to the sound can lose it."""
        try:
            self._choosing.end_sound()
        finally:
            self._transport.close()

    def _set_effects(self, effects: Effects) -> None:
        self._transport.set_effects(effects)
        self._reports.tell_shortcomings()

    def _choose(self, episode_id: EpisodeId, by: EndedBy) -> None:
        """Makes an episode the current one, unless it is already. `by` says why the previous one is left."""
        if self._clips.away and self._clips.listening_to == episode_id:
            self._clips.come_back()
        elif self._current.episode is None or self._current.episode.id != episode_id:
            self._make_current(self._choosing.find(episode_id), by)

    def _make_current(self, episode: Episode, by: EndedBy = EndedBy.REPLACED) -> None:
        """Replaces the current episode. Everything that may fail is looked up first."""
        saved = self._choosing.look_up(episode)
        left = None if self._clips.away else self._choosing.left(by)
        self._choosing.end_sound()
        if left:
            self._follows.leave(left)
        self._clips.leave_interrupted(by)
        self._choosing.put_in(episode, saved)

    # -- time passes, and the engine reports ----------------------------------------------------------------------

    def tick(self) -> None:
        """Called about ten times a second while `ticks` says so."""
        if not self._current.active:
            self.sleeper.tick()
            return
        self._transport.poll()
        # First, because a skip after the end of a chapter begins after that end.
        if self.sleeper.tick():
            return
        if self.navigation.tick():
            self._finish()
        else:
            self._current.tick()

    def on_cached(self) -> None:
        """Called when more bytes are there."""
        self._reports.on_cached()

    def on_report(self, report: EngineReport) -> None:
        self._reports.on_report(report)

    def _finish(self) -> None:
        self._current.finish()
        self._play_next(EndedBy.FINISHED)

    def _play_next(self, by: EndedBy) -> None:
        """Plays what is up next, if anything. The sleep timer and "stop after this one" may prevent that."""
        current = self._current
        assert current.episode is not None
        if self.navigation.in_clip:
            return
        if self.sleeper.episode_ended(finished=by is EndedBy.FINISHED):
            return
        match self._follows.up_next(Ended(current.episode.id, by), current.error):
            case Play(episode_id, position_ms):
                self._play(episode_id, position_ms, by)
            case Nothing():
                pass
