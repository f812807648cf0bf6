"""How long the queue lasts, in the heading of its view, following the player bar to the second.

What is in the player bar is heard before the queue continues, so its remaining time counts, queued or not. It is no
longer to come, so it doesn't count as an episode.
"""

from collections.abc import Callable
from datetime import datetime

from player.library.listening.queue import QueueLeft
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus
from player.player import Player
from tui.controllers.reader import LibraryReader
from tui.controllers.ui import Ticker, Ui
from tui.drawing.queue_words import queue_facts

_CLOCK_S = 15.0
"""How often the clock is checked: while nothing plays, the queue ends later and later."""


class QueueHeading:
    """`read` and what follows it come from the library, the position of what is heard from the status, so that nothing
    is read during playback. `changed` is called when the heading may have changed."""

    now: Callable[[], datetime] = staticmethod(datetime.now)

    def __init__(self, player: Player, ui: Ui, reader: LibraryReader, changed: Callable[[], None]) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._changed = changed
        self._status = player.status
        self._left: QueueLeft | None = None
        """What is left of the queue, while it is shown."""
        self._reading_besides: EpisodeId | None = None
        self._clock: Ticker | None = None

    def read(self) -> QueueLeft:
        """Called on the thread that reads lists. Raises LibraryError."""
        return self._player.library.queue.left(self._status.heard)

    def show(self, left: QueueLeft | None) -> None:
        """Shows what was read with the list; None if the list isn't the queue."""
        self._left = left
        if left is not None:
            self._reading_besides = left.besides
            self._clock = self._clock or self._ui.every(_CLOCK_S, self._changed)
            self._clock.resume()
        elif self._clock is not None:
            self._clock.pause()

    def follow(self, status: PlaybackStatus) -> None:
        """Updates what is playing, and where."""
        self._status = status
        if self._left is None:
            return
        if (heard := status.heard) not in (self._left.besides, self._reading_besides):
            self._reading_besides = heard
            self._ui.in_background(self._read_again, "left")
        self._changed()

    async def _read_again(self) -> None:
        left = await self._reader.read(self.read)
        if left is not None and self._left is not None:
            self.show(left)
            self._changed()

    def facts(self, rows: int, *, more: bool) -> tuple[str, ...]:
        """The facts for a list with that many rows; () while another list is shown."""
        if (left := self._left) is None or not rows:
            return ()
        status, lasts_ms, unknown = self._status, left.ms / self._status.speed, left.unknown
        heard = left.besides is not None and left.besides == status.heard
        if heard and status.duration_ms is None:
            unknown += 1
        elif heard and status.duration_ms is not None:
            lasts_ms += max(0, status.duration_ms - status.position_ms) / status.speed
        coming, dot = rows - left.has_besides, self._ui.glyphs.dot
        return queue_facts(coming, int(lasts_ms), unknown, self.now(), dot, plays=left.has_besides, more=more)
