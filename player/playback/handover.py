"""The whole state of a session that isn't in the library, as one value: given to another process, or taken over from
one."""

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from msgspec import Struct

from player.errors import NotFound, PlaybackError
from player.model.episode import EpisodeId, SavedPosition
from player.model.playback import Cause, PlaybackState
from player.playback.applied_settings import AppliedSettings, Volume
from player.playback.choosing import Choosing, Clips
from player.playback.current_episode import CurrentEpisode
from player.playback.navigation import Navigation, NavigationMemory
from player.playback.observers import Bookkeeper, EventTracker, HearingMemory, ListeningMemory
from player.playback.outcomes import Refused
from player.playback.position import ListenerPosition
from player.playback.prefetch import Prefetch
from player.playback.saver import Saver
from player.playback.sleep import Sleeper, SleepMemory
from player.playback.transport import Transport
from player.playback.up_next import Following, FollowingMemory
from player.text.sentences import _


class SessionMemory(Struct, frozen=True):
    """`state` is the state before the sound was given away; `position` is what was heard by then, to the millisecond.

    `volume` and `unmuted` (the volume after muting ends) are percentages. `speed_for_now` was chosen for this episode
    of a podcast that has a speed of its own. `lengths` are the durations in ms, as measured and as known for certain.
    """

    episode_id: EpisodeId | None = None
    state: PlaybackState = PlaybackState.STOPPED
    position: ListenerPosition = ListenerPosition()
    usual_speed: float = 1.0
    speed_for_now: float | None = None
    volume: int = 100
    unmuted: int = 100
    lengths: tuple[int | None, int | None] = (None, None)
    navigation: NavigationMemory = NavigationMemory()
    sleep: SleepMemory = SleepMemory()
    following: FollowingMemory = FollowingMemory()
    listening: ListeningMemory = ListeningMemory()
    hearing: HearingMemory = HearingMemory()
    resumed: SavedPosition | None = None


_HEARD_MORE_MS = 45
"""Milliseconds. Before a pause takes effect, 20 ms more are heard than the position says, and a start begins 25 ms
before its position: measured at the sink in MP3, AAC, Opus and WAV."""

_BEFORE_END_MS = 1_000

_SOUNDING = (PlaybackState.PLAYING, PlaybackState.BUFFERING)


class Parts:
    """Runs on the session's thread. A test in the tests of this module says which attributes of the parts are handed
    over."""

    def __init__(
        self,
        current: CurrentEpisode,
        navigation: Navigation,
        sleeper: Sleeper,
        choosing: Choosing,
        clips: Clips,
        settings: AppliedSettings,
        volume: Volume,
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
        self._volume = volume
        self._transport = transport
        self._books = books
        self._tracker = tracker

    def warm_up(self) -> None:
        """Called before the thread runs. Raises PlaybackError."""
        self._transport.warm_up()

    # -- given away -------------------------------------------------------------------------------------------

    def give(self, following: Following) -> SessionMemory:
        """Ends the sound, rather than pausing it, and passes its position to the saver. Until `keep`, no other call is
        allowed."""
        self._end_clip()
        current, transport = self._current, self._transport
        self._sleeper.tick()
        state = current.state
        if state in _SOUNDING:
            current.note_heard()
            transport.pause()
            current.note_position()  # what has been heard by now, not what has been decoded
        listening = self._books.memory()
        current.save(announce=True)
        memory = SessionMemory(
            current.episode.id if current.episode else None,
            state,
            current.position,
            self._settings.usual_speed,
            self._settings.kept().speed_for_now,
            transport.volume,
            self._volume.unmuted,
            transport.lengths,
            self._navigation.memory(),
            self._sleeper.memory(),
            following.memory(),
            listening,
            self._tracker.memory(),
            current.resumed,
        )
        transport.release()
        return memory

    def _end_clip(self) -> None:
        """A clip isn't listening: the session that it interrupted is handed over, playing if it was playing before."""
        if not self._navigation.in_clip and not self._clips.away:
            return
        if not self._clips.away:
            self._navigation.end_clip()
        elif self._clips.come_back():
            self._current.begin(self._current.position.ms)

    def keep(self, memory: SessionMemory) -> None:
        """The handover failed: the sound continues here, from where it stopped."""
        self._sound(memory)

    def close(self) -> None:
        """The handover succeeded: the sound is in the other process for good."""
        self._transport.close()

    # -- taken over -------------------------------------------------------------------------------------------

    def take(self, memory: SessionMemory, following: Following) -> None:
        """Continues where the other process stopped. Raises LibraryError."""
        self._settings.usual_speed = memory.usual_speed
        self._transport.set_volume(memory.volume)
        self._volume.unmuted = memory.unmuted
        following.recall(memory.following)
        if memory.episode_id is None:
            self._choosing.take_out()
            return
        try:
            episode = self._choosing.find(memory.episode_id)
        except NotFound:  # its podcast has been removed meanwhile
            self._choosing.take_out()
            return
        self._choosing.look_up(episode)
        kept = self._settings.kept()
        self._settings.restore(kept._replace(speed_for_now=memory.speed_for_now))
        self._choosing.put_in(episode, None)
        self._current.position, self._current.resumed = memory.position, memory.resumed
        self._transport.lengths = memory.lengths
        self._navigation.recall(memory.navigation)
        self._tracker.recall(memory.hearing)
        self._sound(memory)
        self._sleeper.recall(memory.sleep)

    def _sound(self, memory: SessionMemory) -> None:
        current = self._current
        if memory.state in (*_SOUNDING, PlaybackState.OPENING):
            current.state = PlaybackState.PAUSED  # as its bytes are closed; no real pause, so no event
            current.begin(self._begins_at(memory))
            self._books.recall(memory.listening)
        elif memory.state is PlaybackState.ERROR:
            current.enter(PlaybackState.PAUSED)
        else:
            current.enter(memory.state)
            self._books.recall(memory.listening)

    def _begins_at(self, memory: SessionMemory) -> int:
        """The start in ms at which nothing is heard twice and nothing is missed."""
        ms = memory.position.ms
        if memory.state not in _SOUNDING:
            return ms
        length, _ = self._current.duration()
        later = ms + round(_HEARD_MORE_MS * self._transport.sounding_speed)
        return ms if length is not None and later > length - _BEFORE_END_MS else later


_PAUSE_S = 2.0
"""If the sound takes longer to end, it isn't given away."""


class Given:
    """A sound that this process has given away. The session's thread waits for `keep` or `leave`, one of which must be
    called; later calls do nothing."""

    def __init__(self, memory: SessionMemory, saver: Saver, decided: "SimpleQueue[bool]") -> None:
        self.memory = memory
        self._saver = saver
        self._decided = decided

    def written(self, timeout_s: float) -> bool:
        """Waits until everything that was heard is recorded on disk."""
        return self._saver.flush(timeout_s)

    def keep(self) -> None:
        """The sound continues here, and commands given meanwhile are carried out."""
        self._decided.put(False)

    def leave(self) -> None:
        """The sound continues in the other process. Nothing is ever played or written here again."""
        self._decided.put(True)


class Thread(Protocol):
    """The session's thread."""

    def command(self, work: Callable[[], None], cause: Cause, /) -> "Future[Refused | None]": ...
    def leave(self) -> None: ...


class Handing:
    """Gives away the sound of one session, or takes one over. `publish` publishes the session's events."""

    def __init__(
        self,
        thread: Thread,
        saver: Saver,
        parts: Parts,
        following: Following,
        publish: Callable[[], None],
        prefetch: Prefetch,
    ) -> None:
        self._thread = thread
        self._saver = saver
        self._parts = parts
        self._following = following
        self._publish = publish
        self._prefetch = prefetch
        self._coming: SessionMemory | None = None
        self._waits_to_save = False

    # -- away -------------------------------------------------------------------------------------------------

    def give(self) -> Given:
        """Ends the sound, rather than pausing it, and returns once it has ended. If it raises PlaybackError, the sound
        continues here."""
        given: Future[Given] = Future()
        decided: SimpleQueue[bool] = SimpleQueue()
        asked = self._thread.command(lambda: self._rest(given, decided), Cause.RULE)
        asked.add_done_callback(lambda done: _fail(given, done.result()))
        try:
            return given.result(_PAUSE_S)
        except TimeoutError as error:
            decided.put(False)  # in case the thread gets there after all
            raise PlaybackError(_("The sound didn't stop in time")) from error

    def _rest(self, given: "Future[Given]", decided: "SimpleQueue[bool]") -> None:
        """Runs on the session's thread, which does nothing else until it is decided which process keeps the sound."""
        self._prefetch.end()
        memory = self._parts.give(self._following)
        self._publish()
        given.set_result(Given(memory, self._saver, decided))
        if not decided.get():
            self._parts.keep(memory)
            return
        self._following.close()
        self._saver.close(0)
        self._parts.close()
        self._thread.leave()

    # -- here -------------------------------------------------------------------------------------------------

    def warm_up(self) -> None:
        """Called before `start`: loads what the sound would otherwise have to wait for. Raises PlaybackError."""
        self._parts.warm_up()

    def comes(self, memory: SessionMemory) -> None:
        """Called before `start`: the session continues from `memory`. It saves nothing before `begin_saving`."""
        self._coming, self._waits_to_save = memory, True

    def recall(self) -> None:
        """Called on the session's thread, once the state stored in the library is restored."""
        if self._coming is not None:
            coming, self._coming = self._coming, None
            self._parts.take(coming, self._following)

    def begin_saving(self) -> None:
        """The other process has finished writing. If no session is taken over, `start` begins saving by itself."""
        if self._waits_to_save:
            self._waits_to_save = False
        else:
            self._saver.start()


def _fail(given: "Future[Given]", outcome: object) -> None:
    """If giving the sound away failed, the session's thread has already told the listener."""
    if isinstance(outcome, Refused) and not given.done():
        given.set_exception(PlaybackError(outcome.sentence))


def sounds(state: PlaybackState) -> bool:
    """Whether a session in this state makes a sound, or is about to."""
    return state in (PlaybackState.PLAYING, PlaybackState.OPENING, PlaybackState.BUFFERING)
