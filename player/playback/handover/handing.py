"""A session's sound for another process, or from one: what any thread calls."""

from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Protocol

from player.errors import PlaybackError
from player.model.playback import Cause, PlaybackState
from player.playback.following.following import Following
from player.playback.following.prefetch import Prefetch
from player.playback.handover.memory import SessionMemory
from player.playback.handover.parts import Parts
from player.playback.outcomes import Refused
from player.playback.saver import Saver
from player.text.sentences import _

_PAUSE_S = 2.0
"""A sound that takes longer to end is kept."""


class Given:
    """A sound that was taken away from this process. The session's thread rests until `keep` or `leave`, one of which
    must be called; later calls do nothing."""

    def __init__(self, memory: SessionMemory, saver: Saver, decided: "SimpleQueue[bool]") -> None:
        self.memory = memory
        self._saver = saver
        self._decided = decided

    def written(self, timeout_s: float) -> bool:
        """Waits until everything about what was heard is on the disk."""
        return self._saver.flush(timeout_s)

    def keep(self) -> None:
        """The sound goes on here, and what was asked meanwhile is carried out."""
        self._decided.put(False)

    def leave(self) -> None:
        """The sound goes on elsewhere. Nothing is ever played or written here again."""
        self._decided.put(True)


class Thread(Protocol):
    """The session's."""

    def command(self, work: Callable[[], None], cause: Cause, /) -> "Future[Refused | None]": ...
    def leave(self) -> None: ...


class Handing:
    """Of one session. `publish` publishes its events."""

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
        """Ends the sound for real and returns once it has ended. Raises PlaybackError: it goes on here."""
        given: Future[Given] = Future()
        decided: SimpleQueue[bool] = SimpleQueue()
        asked = self._thread.command(lambda: self._rest(given, decided), Cause.RULE)
        asked.add_done_callback(lambda done: _fail(given, done.result()))
        try:
            return given.result(_PAUSE_S)
        except TimeoutError as error:
            decided.put(False)  # should it come to that after all
            raise PlaybackError(_("The sound didn't stop in time")) from error

    def _rest(self, given: "Future[Given]", decided: "SimpleQueue[bool]") -> None:
        """On the session's thread: nothing else happens there until it is decided whose the sound is."""
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
        """Before `start`: loads what the sound would have to wait for. Raises PlaybackError."""
        self._parts.warm_up()

    def comes(self, memory: SessionMemory) -> None:
        """Before `start`: this is what the session goes on with. It saves nothing before `begin_saving`."""
        self._coming, self._waits_to_save = memory, True

    def recall(self) -> None:
        """On the session's thread, once what the library knows is restored."""
        if self._coming is not None:
            coming, self._coming = self._coming, None
            self._parts.take(coming, self._following)

    def begin_saving(self) -> None:
        """The other process has written its last. `start` begins by itself where nothing comes."""
        if self._waits_to_save:
            self._waits_to_save = False
        else:
            self._saver.start()


def _fail(given: "Future[Given]", outcome: object) -> None:
    """Where taking the sound away raised, the session's thread has already said so to the listener."""
    if isinstance(outcome, Refused) and not given.done():
        given.set_exception(PlaybackError(outcome.sentence))


def sounds(state: PlaybackState) -> bool:
    """Whether a session in this state makes a sound, or is about to."""
    return state in (PlaybackState.PLAYING, PlaybackState.OPENING, PlaybackState.BUFFERING)
