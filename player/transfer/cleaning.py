"""Cleans and bounds what was read of a file, whatever it contained: all that a reader found in another app's, and each
entry of an export, which somebody may have changed."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from player.errors import BadAddress
from player.feeds.subscribe import feed_address
from player.library.listening.bookmarks import LONGEST_NOTE
from player.library.listening.lists import MOST_LETTERS
from player.library.personal.records import ExportedList, ExportedPodcast, ExportedView, RemovedEpisode
from player.links.addresses import url_key
from player.links.urls import LIMIT, web_address
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignList, ForeignPodcast, HeardSpan, Kept
from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast import MOST_EPISODES as MOST_OF_PODCAST
from player.model.podcast import WELCOME_URL
from player.text.cleaning import clean_block, clean_line
from player.text.names import clean_tags
from player.text.sentences import plural

MOST_PODCASTS = 20_000
MOST_EPISODES = 1_000_000
MOST_SPANS = 1_000_000
MOST_BOOKMARKS = 20_000
"""Of a podcast."""
_MOST_LISTS = 1_000
_MOST_SENTENCES = 50
_MOST_OF_EPISODE = 100_000
"""Spans or bookmarks of an entry."""
_LONGEST_GUID = 2_000
_LONGEST_CHOICE = 10_000
_MOST = 2**53
_EARLIEST, _LATEST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)
Entry = TypeVar("Entry", bound=Struct)


def cleaned(read: ForeignLibrary) -> ForeignLibrary:
    """With every text fit for a terminal, every number possible, each feed once, and no more of anything than any
    listener has."""
    left_out = list(read.left_out)
    podcasts = _together(read.podcasts)
    if len(podcasts) > MOST_PODCASTS:
        over = len(podcasts) - MOST_PODCASTS
        left_out.append(plural(over, "{n:,} podcast is too many.", "{n:,} podcasts are too many."))
    room = _Room()
    kept = tuple(_podcast(one, room) for one in podcasts[:MOST_PODCASTS])
    if room.refused:
        left_out.append(plural(room.refused, "{n:,} episode is too many.", "{n:,} episodes are too many."))
    return ForeignLibrary(
        clean_line(read.app, 80),
        clean_line(read.version, 80),
        kept,
        tuple(clean_line(sentence) for sentence in left_out[:_MOST_SENTENCES]),
        tuple(_list(one, room) for one in read.lists[:_MOST_LISTS] if clean_line(one.title)),
    )


class _Room:
    """How many episodes and spans still fit."""

    def __init__(self) -> None:
        self.episodes = MOST_EPISODES
        self.spans = MOST_SPANS
        self.refused = 0


def _together(podcasts: Iterable[ForeignPodcast]) -> list[ForeignPodcast]:
    """Each feed once, with all that was said of it."""
    found: dict[str, ForeignPodcast] = {}
    for one in podcasts:
        if not one.url.strip() or len(one.url) > LIMIT:
            continue
        key = url_key(one.url)
        first = found.setdefault(key, one)
        if first is not one:
            found[key] = replace(
                first,
                title=first.title or one.title,
                own_title=first.own_title or one.own_title,
                tags=(*first.tags, *one.tags),
                login=first.login or one.login,
                subscribed=first.subscribed or one.subscribed,
                episodes=(*first.episodes, *one.episodes),
                bookmarks=(*first.bookmarks, *one.bookmarks),
            )
    return list(found.values())


def _podcast(one: ForeignPodcast, room: _Room) -> ForeignPodcast:
    episodes = one.episodes[: room.episodes]
    room.episodes -= len(episodes)
    room.refused += len(one.episodes) - len(episodes)
    title = clean_line(one.title)
    own_title = clean_line(one.own_title)
    return replace(
        one,
        title=title,
        own_title="" if own_title == title else own_title,
        tags=tuple(clean_tags(one.tags)),
        settings=one.settings.within_limits(),
        episodes=tuple(_foreign(episode, room) for episode in episodes),
        bookmarks=tuple(_bookmark(kept) for kept in one.bookmarks[:MOST_BOOKMARKS] if _identity(kept.guid)),
    )


def _foreign(one: ForeignEpisode, room: _Room) -> ForeignEpisode:
    heard = [span for span in one.heard[: room.spans] if _is_span(span) and SLOWEST <= span.speed <= FASTEST]
    room.spans -= len(heard)
    return _episode(one, _identity(one.guid), _identity(one.url), heard)


def _episode(
    one: ForeignEpisode, guid: str, url: str, heard: Iterable[HeardSpan], bookmarks: Iterable[Kept] = ()
) -> ForeignEpisode:
    return replace(
        one,
        guid=guid,
        url=url,
        title=clean_line(one.title),
        duration_ms=one.duration_ms if one.duration_ms and 0 < one.duration_ms <= LONGEST_SPAN_MS else None,
        position=one.position if one.position and 0 <= one.position.position_ms <= LONGEST_SPAN_MS else None,
        heard=tuple(heard),
        link=web_address(one.link),
        media_type=clean_line(one.media_type, 100),
        playlists={clean_line(title, MOST_LETTERS): rank for title, rank in (one.playlists or {}).items()} or None,
        bookmarks=tuple(bookmarks),
    )


def _list(one: ForeignList, room: _Room) -> ForeignList:
    episodes = one.episodes[: room.episodes]
    room.episodes -= len(episodes)
    return replace(
        one,
        title=clean_line(one.title),
        feeds=one.feeds[:MOST_PODCASTS],
        episodes=tuple((feed, _foreign(episode, room)) for feed, episode in episodes),
    )


def _bookmark(one: Kept) -> Kept:
    return Kept(
        max(0, min(LONGEST_SPAN_MS, one.position_ms)),
        one.created_at,
        clean_line(one.note, LONGEST_NOTE),
        clean_line(one.chapter, 300),
        clean_line(one.line, 600),
        clean_line(one.episode),
        clean_line(one.podcast),
        web_address(one.link),
        clean_line(one.feed, _LONGEST_GUID),
        clean_line(one.guid, _LONGEST_GUID),
    )


def _identity(text: str) -> str:
    """What is too long to be a guid or an address, or would be another one when cleaned, finds no episode."""
    return text.strip() if len(text) <= LIMIT else ""


def _is_span(one: HeardSpan) -> bool:
    return 0 <= one.from_ms <= one.to_ms <= one.from_ms + LONGEST_SPAN_MS and _is_moment(one.began_at)


def _is_moment(one: datetime | None) -> bool:
    return one is not None and _EARLIEST < one < _LATEST


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
        read = (self._episode(one, is_welcome=url == WELCOME_URL) for one in self._list(episodes, MOST_OF_PODCAST))
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
        return _bookmark(found) if found is not None and _is_moment(found.created_at) else None

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

    def _episode(self, value: Any, *, is_welcome: bool) -> ForeignEpisode | None:
        bookmarks = value.pop("bookmarks", ()) if isinstance(value, dict) else ()
        heard = value.pop("heard", ()) if isinstance(value, dict) else ()
        found = self._one(value, ForeignEpisode)
        if found is None:
            return None
        own_url = is_welcome and found.url.startswith(f"{WELCOME_URL}/")
        url = clean_line(found.url, _LONGEST_GUID) if own_url else web_address(found.url)
        guid = clean_line(found.guid, _LONGEST_GUID)
        if not (guid or url) or not all(map(_is_moment, _moments(found))):
            self.odd += 1
            return None
        read = (self.bookmark(one) for one in self._list(bookmarks, _MOST_OF_EPISODE))
        kept = (one for one in read if one is not None)
        return replace(_episode(found, guid, url, self._spans(heard), kept), changed_at=None)

    def _spans(self, values: Any) -> tuple[HeardSpan, ...]:
        read = (self._one(value, HeardSpan) for value in self._list(values, _MOST_OF_EPISODE))
        spans = [one for one in read if one is not None]
        possible = tuple(filter(_is_span, spans))
        self.odd += len(spans) - len(possible)
        return possible

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


def _moments(episode: ForeignEpisode) -> list[datetime | None]:
    """Those that it has, and those that it must have."""
    found: list[datetime | None] = [
        one for one in (episode.published, episode.listed_at, episode.inbox) if one is not None
    ]
    found += [episode.position.saved_at] if episode.position else []
    found += [episode.queued.added_at] if episode.queued else []
    return found


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
