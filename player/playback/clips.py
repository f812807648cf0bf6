"""Clips of an episode other than the current one, which is restored afterwards as if nothing had happened."""

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState
from player.model.podcast import PodcastId
from player.playback.choosing import Choosing
from player.playback.current_episode import CurrentEpisode
from player.playback.following.up_next import EndedBy, Follows, Left
from player.playback.navigation import Navigation
from player.playback.observers.bookkeeper import Bookkeeper
from player.playback.observers.event_tracker import EventTracker
from player.playback.position import ListenerPosition
from player.playback.settings.applied_settings import AppliedSettings, KeptSettings


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
