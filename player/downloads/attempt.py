"""One attempt at one download: its thread, and how far it is."""

import threading
import time
from collections.abc import Callable

from player.downloads.making import Fetched, FileMaker
from player.downloads.meter import Meter
from player.errors import MediaError
from player.model.downloads.download import Progress, QueuedDownload
from player.model.episode import Episode
from player.net.cancel import CancelToken
from player.text.sentences import _

PATIENCE_S = 60.0
"""How long an attempt goes on without a byte. Within it, fetching is retried several times already."""


class Attempt:
    """Runs from `start` on, and calls `ended` with itself when it is over: then `error` says what went wrong, if
    anything did. `stop` and the properties are for any thread."""

    def __init__(
        self, maker: FileMaker, queued: QueuedDownload, episode: Episode, ended: Callable[["Attempt"], None]
    ) -> None:
        self.episode = episode
        self.error: Exception | None = None
        self.passing = False
        """Whether it was ended since nothing came, which may come right by itself."""
        self.over = False
        self.stopped = False
        """Somebody wanted it to end."""
        self.progressed = False
        self._maker = maker
        self._queued = queued
        self._ended = ended
        self._cancel = CancelToken()
        self._media: Fetched | None = None
        self._meter = Meter()
        self._thread = threading.Thread(target=self._run, name=f"earmark-download-{episode.id}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """It ends soon; returns at once."""
        self.stopped = True
        self._cancel.set()

    def join(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    @property
    def trouble(self) -> MediaError | None:
        """Why nothing comes just now."""
        return self._media.trouble if self._media else None

    def look(self) -> Progress:
        """How far it is. Ends it if nothing has come for too long, or the server has asked for a longer pause."""
        media, now = self._media, time.monotonic()
        if media is None:
            return Progress()
        done, total = media.amount
        moved_before = self._meter.moved_at
        progress = self._meter.update(done, total, now)
        moved_at = self._meter.moved_at or now
        self.progressed = self.progressed or (moved_before is not None and moved_at > moved_before)
        trouble = media.trouble
        asked = trouble is not None and trouble.pause_s > PATIENCE_S
        if (asked or now - moved_at > PATIENCE_S) and not (done and done == total):
            self._give_up(trouble or MediaError(_("The server sends nothing any more")))
        return progress

    def _give_up(self, error: MediaError) -> None:
        if not self.over and not self._cancel.is_set:
            self.passing, self.error = True, error
            self._cancel.set()

    def _run(self) -> None:
        try:
            self._maker.make(
                self.episode, self._cancel, why=self._queued.why, watch=self._watch, planned=self._queued.path
            )
            self.error, self.passing, self.stopped = None, False, False
        except Exception as error:  # noqa: BLE001 - the downloader says what it means
            self.error = self.error or error
        finally:
            self.over = True
            self._ended(self)

    def _watch(self, media: Fetched) -> None:
        self._media = media
