"""What the rows of all lists say about an episode's audio: its download, and whether it can be played offline."""

from collections.abc import Callable, Iterable

from player.model.downloads.download import DownloadEntry, DownloadSnapshot, DownloadState
from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.controllers.ui import Ticker, Ui
from tui.drawing.row_bytes import NOTHING, RowBytes
from tui.widgets.episode_list import EpisodeList

_EVERY_S = 0.35
"""How often rows are drawn anew at most."""


class RowBytesController:
    """`lists` are those that are shown now; `moved` is called with the queue of downloads when it has come further.
    Nothing is read: what is known of downloads is taken over from events."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        lists: Callable[[], Iterable[EpisodeList]],
        moved: Callable[[DownloadSnapshot], object] = lambda _snapshot: None,
    ) -> None:
        self._player = player
        self._ui = ui
        self._lists = lists
        self._moved = moved
        self._known: dict[EpisodeId, RowBytes] = {}
        self._ticks: Ticker | None = None
        self._news = self._ticking = False

    def of(self, episode: Episode) -> RowBytes:
        found = self._known.get(episode.id, NOTHING)
        if self._player.network.offline and not self._player.network.has(episode):
            return RowBytes(found.state, found.percent, missing=True)
        return found

    def downloads_moved(self) -> None:
        """Downloads began or ended, wait, or have come further."""
        self._news = True
        if self._ticks is None:
            self._ticks = self._ui.every(_EVERY_S, self._tick)
        if not self._ticking:
            self._ticking = True
            self._tick()
            self._ticks.resume()

    def network_moved(self) -> None:
        """What can be played is other than before."""
        for rows in self._lists():
            rows.refresh_changed()

    def _tick(self) -> None:
        if not self._news:
            self._ticking = False
            if self._ticks is not None:
                self._ticks.pause()
            return
        self._news = False
        snapshot = self._player.downloads.snapshot()
        self._known = {
            entry.episode_id: _bytes(entry) for entry in snapshot.entries if entry.state is not DownloadState.DONE
        }
        self._moved(snapshot)
        self.network_moved()


def _bytes(entry: DownloadEntry) -> RowBytes:
    part = entry.progress.part
    return RowBytes(entry.state, None if part is None else int(100 * part))
