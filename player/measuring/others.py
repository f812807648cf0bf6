"""Which episodes are measured besides the current one: those that are whole on this disk, if there is a reason."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from msgspec import Struct

from player.library import Library
from player.library.episodes import WithAudio
from player.links.addresses import is_file_address
from player.media.available import key_for
from player.media.cache import RECORD
from player.model.episode import Episode, EpisodeId

_NEWEST = 3
"""Of each podcast so many downloads are measured in any case: what sounds the same in all of them is found then."""


class Other(Struct, frozen=True):
    """`is_marked`: its sound is kept, for the listener's marks in it."""

    episode: Episode
    is_marked: bool


class Others:
    """An old download that nobody has begun is left alone: five hundred of them would take an hour."""

    def __init__(self, library: Library, whole: Callable[[], Collection[str]], cache: Path) -> None:
        """`whole`: the keys of the completely cached episodes. `cache` is their folder."""
        self._library = library
        self._whole = whole
        self._cache = cache
        self.new: set[EpisodeId] = set()
        """Downloaded since Earmark started."""

    def wanted(self, without: Collection[tuple[EpisodeId, bool]]) -> list[Other]:
        """Those that are to be measured, in this order, without some of them: ids, and whether they are marked. Raises
        LibraryError."""
        whole = self._whole()
        found = {
            one.id: one.marked
            for one in self._library.episodes.with_audio()
            if (one.id, one.marked) not in without and self._is_wanted(one, whole)
        }
        return [Other(episode, found[episode.id]) for episode in self._library.episodes.rows(list(found))]

    def _is_wanted(self, one: WithAudio, whole: Collection[str]) -> bool:
        if one.nth:
            return one.queued or one.needed or one.nth <= _NEWEST or one.id in self.new
        return is_file_address(one.url) or (bool(whole) and key_for(one.guid, one.url) in whole)

    def gone(self, keys: Collection[str]) -> set[str]:
        """Those of the keys of which no bytes are on this disk. Raises LibraryError."""
        left = {key for key in keys if not (self._cache / f"{key}{RECORD}").exists()}
        if not left:
            return left
        return left - {
            key_for(one.guid, one.url)
            for one in self._library.episodes.with_audio()
            if one.nth or not one.url.startswith(("http://", "https://"))
        }

    def existing(self, ids: Iterable[EpisodeId]) -> set[EpisodeId]:
        """Those that are in the library. Raises LibraryError."""
        return self._library.episodes.existing(list(ids))
