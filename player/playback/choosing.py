"""Changes which episode is the current one; plays clips of another episode, then restores the interrupted one."""

from collections.abc import Callable
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from player.errors import LibraryError, MediaError
from player.library import Library
from player.model.episode import Episode, EpisodeId, SavedPosition
from player.model.playback import PlaybackState
from player.model.podcast import PodcastId
from player.playback.applied_settings import AppliedSettings, KeptSettings
from player.playback.current_episode import CurrentEpisode
from player.playback.levelling import Levelling
from player.playback.navigation import AudioChange, Moved, Navigation
from player.playback.observers import Bookkeeper, EventTracker
from player.playback.outcomes import Refused, Why
from player.playback.position import ListenerPosition
from player.playback.saver import Saver
from player.playback.transport import Transport
from player.playback.up_next import EndedBy, Follows, Left

_MOVED_MS = 1_000
"""A sound that is elsewhere by less stays where it is."""


class Choosing:
    """Runs on the session's thread."""

    def __init__(
        self,
        library: Library,
        saver: Saver,
        follows: Follows,
        settings: AppliedSettings,
        transport: Transport,
        books: Bookkeeper,
        current: CurrentEpisode,
        navigation: Navigation,
        levelling: Levelling,
        why_not: Callable[[Episode], MediaError | None],
    ) -> None:
        """`why_not` is the store's function of that name."""
        self._library = library
        self._saver = saver
        self._follows = follows
        self._settings = settings
        self._transport = transport
        self._books = books
        self._current = current
        self._navigation = navigation
        self._levelling = levelling
        self._why_not = why_not

    def find(self, episode_id: EpisodeId) -> Episode:
        """The episode with that ID. Raises LibraryError."""
        return self._library.episodes.get(episode_id)

    def refusal(self, episode_id: EpisodeId) -> Refused | None:
        """Why the episode can't be played now, for example while offline; then the current episode plays on. Raises
        LibraryError."""
        current = self._current.episode
        if self._transport.loaded and current is not None and current.id == episode_id:
            return None
        missing = self._why_not(self.find(episode_id))
        return None if missing is None else Refused(Why.OFFLINE, str(missing))

    def look_up(self, episode: Episode) -> SavedPosition | None:
        """Returns the episode's saved position and applies its settings. If it raises LibraryError, nothing has
        changed."""
        saved = self._saver.position(episode.id) or self._library.progress.position(episode.id)
        if saved and self._follows.begins_again(episode, saved):
            saved = None
        self._settings.look_up(episode)
        return saved

    def put_in(self, episode: Episode, saved: SavedPosition | None) -> None:
        """Makes an episode the current one if there is none, or if the current one has ended or been stopped."""
        self._books.new_episode()
        self._current.clear()
        self._current.set_episode(episode, saved)
        self._navigation.new_episode()
        self.apply_settings()

    def catch_up(self, moved: Moved | None = None) -> None:
        """Takes over the position that something else has written to the library: an import, its undo, or sync. An
        episode that is playing keeps its own position, which is newer. If the library can't be read now, nothing
        changes.

        `moved` makes it a jump that can be undone, and tells the listener about it.
        """
        current, episode = self._current, self._current.episode
        if episode is None or current.in_clip or current.live:
            return
        if moved is not None and moved.episode_id != episode.id:
            return
        if moved is not None and moved.audio is not None:
            if moved.audio.moved is None:
                current.unsure(moved.audio.former)
                return
            if self._follows_sound(moved, moved.audio, moved.audio.moved):
                return
        if current.active or current.position.unsaved:
            return
        before_ms = current.listener_ms
        with suppress(LibraryError):
            if (changed := self._changed_position(episode)) is not None:
                found, saved = changed
                current.move_to(replace(found, nearby=found.nearby or current.position.nearby))
                current.resumed = saved
                if moved is not None:
                    self._navigation.moved_from(before_ms, moved)

    def _follows_sound(self, moved: Moved, change: AudioChange, to: Callable[[int], int]) -> bool:
        """Whether the bytes that are open are those of the change. If the listener resumed in them at a position in the
        former audio and hasn't jumped since, the sound moves as far as that position."""
        current = self._current
        if not change.version or self._transport.version != change.version:
            return False
        resumed, current.resumed = current.resumed, None
        by_ms = 0
        if resumed is not None and resumed.audio == change.former:
            by_ms = to(resumed.position_ms) - resumed.position_ms
        if abs(by_ms) >= _MOVED_MS:
            before_ms = current.listener_ms
            # An engine that was told to begin beyond the end of these bytes plays something before that.
            current.seek(max(before_ms, current.position.begun_ms) + by_ms)
            self._navigation.moved_from(before_ms, moved)
        return True

    def _changed_position(self, episode: Episode) -> tuple[ListenerPosition, SavedPosition | None] | None:
        """The position in the library if it differs from the current one. Raises LibraryError."""
        if not self._saver.flush(0):
            return None  # the current position is still on its way there; what follows it is announced again
        saved, ms = self._library.progress.position(episode.id), self._current.position.ms
        ended = self._current.state is PlaybackState.ENDED
        if saved is None and ended:
            return None
        rows = self._library.episodes.rows([episode.id])
        if not rows or (saved.position_ms if saved else 0) == ms:
            return None
        if saved is not None and self._follows.begins_again(rows[0], saved):
            saved = None
        found = ListenerPosition.from_saved(saved)
        return None if found.ms == ms or (saved is None and ended) else (found, saved)

    def take_out(self) -> None:
        """Leaves no current episode."""
        self._current.clear()
        self._navigation.forget()
        self._settings.forget()
        self.apply_settings()

    def left(self, by: EndedBy) -> Left | None:
        """Records how the current episode was left; the listener didn't cause an end or a failure."""
        current = self._current
        if current.episode is None:
            return None
        if current.state is PlaybackState.ENDED:
            by = EndedBy.FINISHED
        elif current.state is PlaybackState.ERROR and by is EndedBy.REPLACED:
            by = EndedBy.FAILED
        duration, exact = current.duration()
        # A feed may say ten minutes for an episode of an hour, and the last byte is read long before it is heard.
        left_ms = duration - current.listener_ms if duration is not None and exact else None
        return Left(current.episode, by, self._books.heard_s, left_ms, current.live)

    def end_sound(self) -> None:
        """Ends the sound; the episode stays the current one."""
        if self._current.state is not PlaybackState.STOPPED:
            self._navigation.stopped()
            self._current.stop()

    def apply_settings(self) -> None:
        if self._settings.speed != self._transport.speed:
            self._current.set_speed(self._settings.speed)
        of_episode = self._settings.of_episode
        self._transport.set_adjustment(of_episode.gain_db)
        self._levelling.choose(self._current.episode, of_episode.level, of_episode.effects)
        self._navigation.skip(
            of_episode.skip_words, of_episode.skip_intro_ms, of_episode.skip_outro_ms, of_episode.skipped,
            of_episode.asked,
        )  # fmt: skip

    def look_again(self) -> None:
        """Applies what the library says now about the current episode: its podcast's settings, and its segments.
        Raises LibraryError."""
        if (episode := self._current.episode) is not None:
            before = self._settings.of_episode
            self._settings.look_up(episode)
            if self._settings.of_episode != before:
                self.apply_settings()


class Interrupted(Struct, frozen=True):
    """The interrupted episode, and everything needed to make it the current one again.

    `left` says how it is left if another episode follows; `plays` whether it was playing or about to.
    """

    episode: Episode
    position: ListenerPosition
    state: PlaybackState
    plays: bool
    left: Left
    way_back_ms: int | None
    settings: KeptSettings

    def left_by(self, by: EndedBy) -> Left:
        """`by` is the reason why another episode takes over."""
        found = self.left.by
        ended = found is EndedBy.FINISHED or (found is EndedBy.FAILED and by is EndedBy.REPLACED)
        return self.left if ended else replace(self.left, by=by)


class Clips:
    """Runs on the session's thread."""

    def __init__(
        self,
        choosing: Choosing,
        current: CurrentEpisode,
        navigation: Navigation,
        settings: AppliedSettings,
        books: Bookkeeper,
        events: EventTracker,
        follows: Follows,
    ) -> None:
        self._choosing = choosing
        self._current = current
        self._navigation = navigation
        self._settings = settings
        self._books = books
        self._events = events
        self._follows = follows
        self.away = False
        """Whether the current episode is a clip of another one."""
        self._interrupted: Interrupted | None = None
        """None even while `away` if there was no current episode before."""
        navigation.came_back, navigation.clip_kept = self._came_back, self.leave_interrupted

    @property
    def listening_to(self) -> EpisodeId | None:
        """The episode being listened to, even while a clip of another one is playing."""
        episode = self._current.episode
        if self.away:
            episode = self._interrupted.episode if self._interrupted else None
        return episode.id if episode else None

    def choose(self, episode_id: EpisodeId) -> None:
        """Makes it the current episode for a clip. If it raises LibraryError, nothing has changed."""
        current = self._current
        if current.episode and current.episode.id == episode_id:
            return
        if self.away and self.listening_to == episode_id:
            self.come_back()
            return
        episode, kept = self._choosing.find(episode_id), self._settings.kept()
        saved = self._choosing.look_up(episode)
        if not self.away:
            self._events.clip_begins(current.listener_ms)
            self._interrupt(kept)
        self._choosing.put_in(episode, saved)

    def _interrupt(self, settings: KeptSettings) -> None:
        current = self._current
        left, state, position = self._choosing.left(EndedBy.REPLACED), current.state, current.position
        way_back_ms, plays = self._navigation.jumped_from_ms, current.active
        self._choosing.end_sound()
        self.away = True
        if current.episode is None or left is None:
            return
        if state is not PlaybackState.ENDED:
            position = current.position
        if state not in (PlaybackState.ENDED, PlaybackState.STOPPED):
            state = PlaybackState.PAUSED
        self._interrupted = Interrupted(current.episode, position, state, plays, left, way_back_ms, settings)

    def come_back(self, state: PlaybackState | None = None) -> bool:
        """Restores the interrupted episode, in `state` or its earlier state; without one, there is no current episode.

        Returns whether it was playing before.
        """
        found = self._over()
        if found is None:
            self._choosing.take_out()
            self._events.clip_over()
            return False
        self._settings.restore(found.settings)
        self._choosing.put_in(found.episode, None)
        self._current.position = found.position
        self._books.heard_s = found.left.heard_s
        self._navigation.way_back(found.way_back_ms)
        self._events.clip_over()
        self._current.enter(state or found.state)
        if self._current.state is PlaybackState.PAUSED:
            self._books.paused(found.episode.id)
        return found.plays

    def _came_back(self) -> bool:
        if away := self.away:
            self.come_back()
        return away

    def leave_interrupted(self, by: EndedBy = EndedBy.REPLACED) -> None:
        """Drops the interrupted episode because the listener plays something else."""
        if (found := self._over()) is not None:
            self._follows.leave(found.left_by(by))

    def forget(self, podcast_id: PodcastId) -> None:
        """Drops the interrupted episode if it belongs to that podcast."""
        if self._interrupted and self._interrupted.episode.podcast_id == podcast_id:
            self._interrupted = None

    def _over(self) -> Interrupted | None:
        found, self._interrupted, self.away = self._interrupted, None, False
        return found
