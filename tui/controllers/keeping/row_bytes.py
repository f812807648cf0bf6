"""What the rows of all lists say about an episode's audio: its download, and whether it can be played offline."""

from collections.abc import Callable, Iterable

from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.drawing.row_bytes import NOTHING, RowBytes
from tui.widgets.episode_list import EpisodeList


class RowBytesController:
    """`lists` are those that are shown now. Nothing is read: what is known of downloads is taken over from events."""

    def __init__(self, player: Player, lists: Callable[[], Iterable[EpisodeList]]) -> None:
        self._player = player
        self._lists = lists
        self._known: dict[EpisodeId, RowBytes] = {}

    def of(self, episode: Episode) -> RowBytes:
        found = self._known.get(episode.id, NOTHING)
        if self._player.network.offline and not self._player.network.has(episode):
            return RowBytes(found.state, found.percent, missing=True)
        return found

    def network_moved(self) -> None:
        """What can be played is other than before."""
        for rows in self._lists():
            rows.refresh_changed()
