"""The entries of an export as a file has them: checked, cleaned and bounded. Somebody may have changed the file."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from player.errors import BadAddress
from player.feeds.subscribe import feed_address
from player.library.listening.bookmarks import LONGEST_NOTE
from player.library.listening.lists import MOST_LETTERS
from player.library.personal.records import (
    ExportedEpisode,
    ExportedList,
    ExportedPodcast,
    ExportedView,
    Heard,
    Kept,
    RemovedEpisode,
)
from player.links.urls import web_address
from player.model.listening import LONGEST_SPAN_MS
from player.model.podcast import MOST_EPISODES, WELCOME_URL
from player.text.cleaning import clean_block, clean_line

Entry = TypeVar("Entry", bound=Struct)
_LONGEST_GUID = 2_000
_MOST_OF_EPISODE = 100_000
"""Spans, bookmarks or playlists."""
_LONGEST_CHOICE = 10_000
_MOST = 2**53
_EARLIEST, _LATEST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)


class Entries:
    """`odd` counts the entries that could not be understood."""

    def __init__(self) -> None:
        self.odd = 0

    def podcast(self, value: Any) -> ExportedPodcast | None:
        """None for one that can't be subscribed to."""
        episodes = value.pop("episodes", ()) if isinstance(value, dict) else ()
        found = self._one(value, ExportedPodcast)
        if found is None:
            return None
        url = found.url
        if url != WELCOME_URL:
            try:
                url = feed_address(url)
            except BadAddress:
                self.odd += 1
                return None
        read = (self._episode(one, is_welcome=url == WELCOME_URL) for one in self._list(episodes, MOST_EPISODES))
        return replace(
            found,
            url=url,
            title=clean_line(found.title),
            own_title=clean_line(found.own_title),
            link=web_address(found.link),
            settings=_clean_tree(found.settings),
            episodes=tuple(one for one in read if one is not None),
        )

    def saved_list(self, value: Any) -> ExportedList | None:
        found = self._one(value, ExportedList)
        if found is None:
            return None
        query = None if found.query is None else clean_line(found.query)
        return replace(found, title=clean_line(found.title, MOST_LETTERS), query=query)

    def view(self, value: Any) -> ExportedView | None:
        found = self._one(value, ExportedView)
        return None if found is None else replace(found, view=clean_line(found.view))

    def bookmark(self, value: Any) -> Kept | None:
        found = self._one(value, Kept)
        if found is None or not _possible(found.created_at):
            return None
        return replace(
            found,
            note=clean_line(found.note, LONGEST_NOTE),
            chapter=clean_line(found.chapter, 300),
            line=clean_line(found.line, 600),
            episode=clean_line(found.episode),
            podcast=clean_line(found.podcast),
            link=web_address(found.link),
            feed=clean_line(found.feed, _LONGEST_GUID),
            guid=clean_line(found.guid, _LONGEST_GUID),
        )

    def removed(self, value: Any) -> RemovedEpisode | None:
        heard = value.pop("heard", ()) if isinstance(value, dict) else ()
        found = self._one(value, RemovedEpisode)
        if found is None:
            return None
        return replace(
            found, episode=clean_line(found.episode), podcast=clean_line(found.podcast), heard=self._spans(heard)
        )

    def choices(self, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            self.odd += 1
            return {}
        return {
            str(key): clean_block(text, _LONGEST_CHOICE)
            for key, text in value.items()
            if isinstance(text, str) and len(text) < _LONGEST_CHOICE
        }

    # -- inside -----------------------------------------------------------------------------------------------

    def _episode(self, value: Any, *, is_welcome: bool) -> ExportedEpisode | None:
        bookmarks = value.pop("bookmarks", ()) if isinstance(value, dict) else ()
        heard = value.pop("heard", ()) if isinstance(value, dict) else ()
        found = self._one(value, ExportedEpisode)
        if found is None:
            return None
        url = found.url if is_welcome and found.url.startswith(f"{WELCOME_URL}/") else web_address(found.url)
        guid = clean_line(found.guid, _LONGEST_GUID)
        if not (guid or url) or not all(map(_possible, _moments(found))):
            self.odd += 1
            return None
        read = (self.bookmark(one) for one in self._list(bookmarks, _MOST_OF_EPISODE))
        return replace(
            found,
            guid=guid,
            url=clean_line(url, _LONGEST_GUID) if is_welcome else url,
            title=clean_line(found.title),
            link=web_address(found.link),
            media_type=clean_line(found.media_type, 100),
            playlists={clean_line(title, MOST_LETTERS): rank for title, rank in found.playlists.items()},
            bookmarks=tuple(one for one in read if one is not None),
            heard=self._spans(heard),
        )

    def _spans(self, values: Any) -> tuple[Heard, ...]:
        found = []
        for value in self._list(values, _MOST_OF_EPISODE):
            one = self._one(value, Heard)
            if one is None:
                continue
            if one.from_ms <= one.to_ms <= one.from_ms + LONGEST_SPAN_MS and _possible(one.began_at):
                found.append(one)
            else:
                self.odd += 1
        return tuple(found)

    def _one(self, value: Any, kind: type[Entry]) -> Entry | None:
        try:
            return convert(value, kind)
        except (ValidationError, ValueError, OverflowError):
            self.odd += 1
            return None

    def _list(self, values: Any, most: int) -> Iterable[Any]:
        if not isinstance(values, list):
            self.odd += values != ()
            return ()
        self.odd += max(0, len(values) - most)
        return values[:most]


def _moments(episode: ExportedEpisode) -> list[datetime]:
    found = [episode.published, episode.listed_at, episode.inbox]
    found += [episode.position.saved_at] if episode.position else []
    found += [episode.queued.added_at] if episode.queued else []
    return [one for one in found if one is not None]


def _possible(moment: datetime) -> bool:
    return _EARLIEST < moment < _LATEST


def _clean_tree(value: Any, depth: int = 4) -> Any:
    """Its texts cleaned; what is nested deeper than settings are is left out, and so are numbers beyond all limits."""
    if isinstance(value, int | float) and not -_MOST < value < _MOST:
        return None
    if isinstance(value, str):
        return clean_line(value)
    if isinstance(value, dict):
        return {str(key): _clean_tree(one, depth - 1) for key, one in value.items()} if depth else {}
    if isinstance(value, list):
        return [_clean_tree(one, depth - 1) for one in value[:1000]] if depth else []
    return value
