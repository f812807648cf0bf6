"""Takes the sound away from a session's parts, gives it back, or puts into them what another session knew.

No event is published for any of it: to the listener, and to whatever follows, one hearing goes on.
"""

from player.errors import NotFound
from player.model.playback import PlaybackState
from player.playback.choosing import Choosing
from player.playback.clips import Clips
from player.playback.current_episode import CurrentEpisode
from player.playback.following.following import Following
from player.playback.handover.memory import SessionMemory
from player.playback.navigation import Navigation
from player.playback.observers.bookkeeper import Bookkeeper
from player.playback.observers.event_tracker import EventTracker
from player.playback.settings.applied_settings import AppliedSettings
from player.playback.settings.loudness import Loudness
from player.playback.sleep.sleeper import Sleeper
from player.playback.transport import Transport

_HEARD_MORE_MS = 45
"""Until a pause took effect so much more was heard than the position says (20 ms), and a start at a position begins so
much before it (25 ms): measured at the sink in MP3, AAC, Opus and WAV."""

_BEFORE_END_MS = 1_000

_SOUNDING = (PlaybackState.PLAYING, PlaybackState.BUFFERING)


class Parts:
    """Runs on the session's thread. The test of this room says which of the parts' attributes are handed over."""

    def __init__(
        self,
        current: CurrentEpisode,
        navigation: Navigation,
        sleeper: Sleeper,
        choosing: Choosing,
        clips: Clips,
        settings: AppliedSettings,
        loudness: Loudness,
        transport: Transport,
        books: Bookkeeper,
        tracker: EventTracker,
    ) -> None:
        self._current = current
        self._navigation = navigation
        self._sleeper = sleeper
        self._choosing = choosing
        self._clips = clips
        self._settings = settings
        self._loudness = loudness
        self._transport = transport
        self._books = books
        self._tracker = tracker

    def warm_up(self) -> None:
        """Before the thread runs. Raises PlaybackError."""
        self._transport.warm_up()

    # -- given away -------------------------------------------------------------------------------------------

    def give(self, following: Following) -> SessionMemory:
        """Ends the sound for real, and passes its position to the saver. Until `keep`, nothing else may be asked."""
        self._end_clip()
        current, transport = self._current, self._transport
        self._sleeper.tick()
        state = current.state
        if state in _SOUNDING:
            current.note_heard()
            transport.pause()
            current.note_position()  # what was heard by now, and not what has been decoded
        listening = self._books.memory()
        current.save(announce=True)
        memory = SessionMemory(
            current.episode.id if current.episode else None,
            state,
            current.position,
            self._settings.usual_speed,
            self._settings.kept().speed_for_now,
            transport.volume,
            self._loudness.unmuted,
            transport.lengths,
            self._navigation.memory(),
            self._sleeper.memory(),
            following.memory(),
            listening,
            self._tracker.memory(),
        )
        transport.release()
        return memory

    def _end_clip(self) -> None:
        """A clip isn't listening: what it interrupted is handed over, playing if it was."""
        if not self._navigation.in_clip and not self._clips.away:
            return
        if not self._clips.away:
            self._navigation.end_clip()
        elif self._clips.come_back():
            self._current.begin(self._current.position.ms)

    def keep(self, memory: SessionMemory) -> None:
        """The sound goes on here, from where it was taken away."""
        self._sound(memory)

    def close(self) -> None:
        """The sound is elsewhere for good."""
        self._transport.close()

    # -- taken over -------------------------------------------------------------------------------------------

    def take(self, memory: SessionMemory, following: Following) -> None:
        """Goes on where the other one stopped. Raises LibraryError."""
        self._settings.usual_speed = memory.usual_speed
        self._transport.set_volume(memory.volume)
        self._loudness.unmuted = memory.unmuted
        following.recall(memory.following)
        if memory.episode_id is None:
            self._choosing.take_out()
            return
        try:
            episode = self._choosing.find(memory.episode_id)
        except NotFound:  # its podcast was removed meanwhile
            self._choosing.take_out()
            return
        self._choosing.look_up(episode)
        kept = self._settings.kept()
        self._settings.restore(kept._replace(speed_for_now=memory.speed_for_now))
        self._choosing.put_in(episode, None)
        self._current.position = memory.position
        self._transport.lengths = memory.lengths
        self._navigation.recall(memory.navigation)
        self._tracker.recall(memory.hearing)
        self._sound(memory)
        self._sleeper.recall(memory.sleep)

    def _sound(self, memory: SessionMemory) -> None:
        current = self._current
        if memory.state in (*_SOUNDING, PlaybackState.OPENING):
            current.state = PlaybackState.PAUSED  # for its bytes are closed; no pause, so nobody hears of it
            current.begin(self._begins_at(memory))
            self._books.recall(memory.listening)
        elif memory.state is PlaybackState.ERROR:
            current.enter(PlaybackState.PAUSED)
        else:
            current.enter(memory.state)
            self._books.recall(memory.listening)

    def _begins_at(self, memory: SessionMemory) -> int:
        """In ms, so that nothing is heard twice and nothing is lost."""
        ms = memory.position.ms
        if memory.state not in _SOUNDING:
            return ms
        length, _ = self._current.duration()
        later = ms + round(_HEARD_MORE_MS * self._transport.sounding_speed)
        return ms if length is not None and later > length - _BEFORE_END_MS else later
