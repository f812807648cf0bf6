"""The real service on a real library, with an engine that does what the test says, and a clock in the test's hands."""

from collections.abc import Callable
from typing import TypeVar

from player.errors import MediaError, NoSoundDevice
from player.events import Bus, Notice
from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState, PlaybackStatus
from player.playback.engine import Engine, EngineFailed, EngineReport, Finished, Listener, Playing
from player.playback.outcomes import Outcome
from player.playback.service import PlaybackService
from player.settings import Playback, Queue
from tests.player.playback.support import DEADLINE_S, HeldMedia, ScriptedEngine, Store, Time, silence

T = TypeVar("T")

LENGTH_MS = 30 * 60_000


class Stage:
    def __init__(self, library: Library, settings: Queue | None = None) -> None:
        self.library = library
        self.time = Time()
        self.bus = Bus()
        self.events: list[object] = []
        self.bus.subscribe(object, self.events.append)
        self.store = Store(self._media)
        self.settings = settings or Queue()
        self.engine = ScriptedEngine()
        self._listener: Listener = lambda _report: None
        self.session = self._begin()

    def _media(self, _episode: Episode) -> HeldMedia:
        return HeldMedia(silence(0.1), duration_ms=LENGTH_MS)

    def _begin(self) -> PlaybackService:
        session = PlaybackService(
            self.library, self.store, self.bus, Playback(), self._make, queue=self.settings,
            clock=self.time.clock, now=self.time.now,
        )  # fmt: skip
        session.start()
        return session

    def _make(self, listener: Listener) -> Engine:
        self._listener = listener
        return self.engine

    def reopen(self) -> None:
        """Earmark is quit, and started again."""
        self.session.close()
        self.engine = ScriptedEngine()
        self.session = self._begin()

    def kill(self) -> None:
        """Nothing more is saved, and Earmark is started again."""
        saver = self.session._saver
        with saver._changed:
            saver._waiting.clear()
            saver._closing = saver._giving_up = True
            saver._changed.notify_all()
        assert self.session._thread.end(lambda: None, DEADLINE_S)
        self.engine = ScriptedEngine()
        self.session = self._begin()

    def close(self) -> None:
        self.session.close()

    # -- what the listener does -------------------------------------------------------------------------------

    def do(self, command: Callable[[], "object"]) -> Outcome:
        """What comes of the command, once all that follows from it has happened."""
        outcome: Outcome = command().result(DEADLINE_S)  # type: ignore[attr-defined]
        self.settle()
        return outcome

    def play(self, episode_id: EpisodeId, at_ms: int | None = None, view: View | None = None) -> None:
        """Until sound comes out."""
        self.do(lambda: self.session.play(episode_id, at_ms, view=view))
        self.sound()

    def skip(self) -> Outcome:
        outcome = self.do(self.session.skip)
        self.sound()
        return outcome

    def previous(self) -> Outcome:
        outcome = self.do(self.session.previous)
        self.sound()
        return outcome

    def toggle(self) -> None:
        self.do(self.session.toggle)
        self.sound()

    # -- what happens -----------------------------------------------------------------------------------------

    def sound(self) -> None:
        if self.state is PlaybackState.OPENING:
            self.report(Playing(self.engine.generation))

    def listen(self, seconds: float) -> None:
        """So much of it is heard."""
        assert self.engine.position_ms is not None
        for _ in range(2):
            self.time.pass_(seconds / 2)
            self.engine.position_ms += int(seconds * 500)
            self.on_thread(self.session._controller.tick)

    def move(self, position_ms: int) -> None:
        self.engine.position_ms = position_ms

    def finish(self, *, sounds: bool = True) -> None:
        """It is heard to its end, and what follows sounds."""
        self.move(LENGTH_MS)
        media = self.engine.media
        assert media is not None
        assert media.size
        media.read(0, media.size)
        self.report(Finished(self.engine.generation))
        if sounds:
            self.sound()

    def fail(self, sentence: str = "The server has no such file") -> None:
        """It can't be played; what follows then is opened."""
        self.report(EngineFailed(self.engine.generation, MediaError(sentence)))

    def lose_device(self) -> None:
        self.report(EngineFailed(self.engine.generation, NoSoundDevice("No sound device is responding")))

    def report(self, report: EngineReport) -> None:
        self._listener(report)
        self.settle()

    def on_thread(self, work: Callable[[], T]) -> None:
        self.session._command(work).result(DEADLINE_S)

    def settle(self) -> None:
        """All that was begun has been done, and is on the disk."""
        for _ in range(3):
            self.on_thread(lambda: None)
        assert self.session._saver.flush(DEADLINE_S)
        self.on_thread(lambda: None)

    # -- what there is to see ---------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        return self.session.status

    @property
    def state(self) -> PlaybackState:
        return self.status.state

    @property
    def playing(self) -> EpisodeId | None:
        return self.status.episode.id if self.status.episode else None

    @property
    def next(self) -> EpisodeId | None:
        return self.status.next_up.episode.id if self.status.next_up else None

    @property
    def queue(self) -> list[int]:
        return list(self.library.queue.ids())

    def played(self, episode_id: EpisodeId) -> bool:
        return self.library.episodes.get(episode_id).played

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]
