"""Cleans and bounds the data from a file, whatever it contained: all data that a reader found in another app's file,
and each entry of an export, which may have been edited."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

from msgspec import ValidationError, convert
from msgspec.structs import replace

from player.errors import BadAddress
from player.feeds.subscribe import feed_address
from player.library.listening.bookmarks import LONGEST_NOTE
from player.library.listening.lists import MOST_LETTERS
from player.links.addresses import audiobookshelf_address, url_key
from player.links.urls import LIMIT, split_login, web_address
from player.model.foreign import (
    ExportedView,
    ForeignEpisode,
    ForeignLibrary,
    ForeignList,
    ForeignPodcast,
    HeardSpan,
    Kept,
    MarkedSegment,
    RemovedEpisode,
)
from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast import MOST_EPISODES as MOST_OF_PODCAST
from player.model.podcast import WELCOME_URL
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.cleaning import clean_block, clean_line
from player.text.sentences import plural
from player.text.typed_names import clean_tags

MOST_PODCASTS = 20_000
MOST_EPISODES = 1_000_000
MOST_SPANS = 1_000_000
MOST_BOOKMARKS = 20_000
"""The most bookmarks of a podcast."""
_MOST_LISTS = 1_000
_MOST_SENTENCES = 50
_MOST_OF_EPISODE = 100_000
"""The most spans or bookmarks of an entry."""
_LONGEST_GUID = 2_000
_LONGEST_CHOICE = 10_000
_MOST = 2**53
_EARLIEST, _LATEST = datetime(2, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)
Entry = TypeVar("Entry")


def cleaned(read: ForeignLibrary) -> ForeignLibrary:
    """The data with every text fit for a terminal, every number possible, each feed once, and no more of anything than
    any listener has."""
    left_out = list(read.left_out)
    podcasts = _together(read.podcasts)
    if len(podcasts) > MOST_PODCASTS:
        over = len(podcasts) - MOST_PODCASTS
        left_out.append(plural(over, "{n:,} podcast is over the limit.", "{n:,} podcasts are over the limit."))
    room = _Room()
    kept = tuple(_of_app(one, room) for one in podcasts[:MOST_PODCASTS])
    if room.refused:
        left_out.append(plural(room.refused, "{n:,} episode is over the limit.", "{n:,} episodes are over the limit."))
    return ForeignLibrary(
        clean_line(read.app, 80),
        clean_line(read.version, 80),
        kept,
        tuple(clean_line(sentence) for sentence in left_out[:_MOST_SENTENCES]),
        tuple(_list(one, room) for one in read.lists[:_MOST_LISTS] if clean_line(one.title)),
    )


class _Room:
    """The numbers of episodes and spans that still fit."""

    def __init__(self) -> None:
        self.episodes = MOST_EPISODES
        self.spans = MOST_SPANS
        self.refused = 0


def _together(podcasts: Iterable[ForeignPodcast]) -> list[ForeignPodcast]:
    """Each feed once, with the data of all its entries."""
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


def _of_app(one: ForeignPodcast, room: _Room) -> ForeignPodcast:
    episodes = one.episodes[: room.episodes]
    room.episodes -= len(episodes)
    room.refused += len(one.episodes) - len(episodes)
    bookmarks = (_bookmark(kept) for kept in one.bookmarks[:MOST_BOOKMARKS] if _identity(kept.guid))
    return _podcast(one, (_foreign(episode, room) for episode in episodes), bookmarks)


def _podcast(one: ForeignPodcast, episodes: Iterable[ForeignEpisode], bookmarks: Iterable[Kept] = ()) -> ForeignPodcast:
    title = clean_line(one.title)
    own_title = clean_line(one.own_title)
    return replace(
        one,
        title=title,
        own_title="" if own_title == title else own_title,
        tags=clean_tags(one.tags),
        settings=one.settings.within_limits(),
        episodes=tuple(episodes),
        bookmarks=tuple(bookmarks),
        link=web_address(one.link),
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
        max(0, min(LONGEST_SPAN_MS, one.length_ms)),
    )


def _identity(text: str) -> str:
    """A guid or an address, which isn't cleaned, as it would then be another one; "" if it is too long."""
    return text.strip() if len(text) <= LIMIT else ""


def _is_span(one: HeardSpan) -> bool:
    return 0 <= one.from_ms <= one.to_ms <= one.from_ms + LONGEST_SPAN_MS and _is_moment(one.began_at)


def _is_moment(one: datetime | None) -> bool:
    return one is not None and _EARLIEST < one < _LATEST


class Entries:
    """Reads the entries of an export, given as decoded JSON. `odd` counts the entries that couldn't be understood."""

    def __init__(self) -> None:
        self.odd = 0

    def read(self, clean: Callable[[Any], Entry], value: Any) -> Entry | None:
        """The entry, cleaned by one of the functions below; None if it can't be understood."""
        try:
            return clean(value)
        except (ValidationError, BadAddress, ValueError, OverflowError):
            self.odd += 1
            return None

    def podcast(self, value: Any) -> ForeignPodcast:
        episodes, settings = _taken(value, "episodes"), _taken(value, "settings", {})
        found = convert(value, ForeignPodcast)
        settings = convert(settings, dict[str, Any])
        is_own = found.url == WELCOME_URL or _is_of_server(found.url)
        url = found.url if is_own else feed_address(found.url)

        def episode(value: Any) -> ForeignEpisode:
            return self._episode(value, is_welcome=url == WELCOME_URL)

        found = replace(found, url=url, settings=self._settings(settings))
        return _podcast(found, self._all(episode, episodes, MOST_OF_PODCAST))

    def removed(self, value: Any) -> RemovedEpisode:
        heard = _taken(value, "heard")
        found = convert(value, RemovedEpisode)
        spans = self._all(_span, heard, _MOST_OF_EPISODE)
        return replace(found, episode=clean_line(found.episode), podcast=clean_line(found.podcast), heard=spans)

    # -- inside -----------------------------------------------------------------------------------------------

    def _episode(self, value: Any, *, is_welcome: bool) -> ForeignEpisode:
        bookmarks, heard, segments = (_taken(value, name) for name in ("bookmarks", "heard", "segments"))
        found = convert(value, ForeignEpisode)
        own_url = is_welcome and found.url.startswith(f"{WELCOME_URL}/")
        url = clean_line(found.url, _LONGEST_GUID) if own_url else web_address(found.url)
        guid = clean_line(found.guid, _LONGEST_GUID)
        if not (guid or url) or not all(map(_is_moment, _moments(found))):
            raise ValueError("nothing can find it, or it is of no time")
        kept = self._all(bookmark, bookmarks, _MOST_OF_EPISODE)
        marked = self._all(_segment, segments, _MOST_OF_EPISODE)
        episode = _episode(found, guid, url, self._all(_span, heard, _MOST_OF_EPISODE), kept)
        return replace(episode, changed_at=None, segments=marked)

    def _settings(self, values: dict[str, Any]) -> PodcastSettings:
        """The settings that are known. Each is read by itself, so that an odd value doesn't spoil the other
        settings."""
        names = PodcastSettings.__struct_fields__
        read = {name: self.read(_setting, {name: one}) for name, one in _clean_tree(values).items() if name in names}
        return replace(AS_ALL, **{name: getattr(one, name) for name, one in read.items() if one is not None})

    def _all(self, clean: Callable[[Any], Entry | None], values: Any, most: int) -> tuple[Entry, ...]:
        if not isinstance(values, list):
            self.odd += values != ()
            return ()
        self.odd += max(0, len(values) - most)
        return tuple(one for value in values[:most] if (one := self.read(clean, value)) is not None)


def _is_of_server(url: str) -> bool:
    """Whether it is the address of a podcast of an Audiobookshelf server, without a name and password."""
    found = audiobookshelf_address(url)
    return (
        found is not None
        and not found.episode
        and web_address(found.server) == found.server
        and split_login(found.server)[1] is None
    )


def saved_list(value: Any) -> ForeignList:
    found = convert(value, ForeignList)
    query = None if found.query is None else clean_line(found.query)
    return replace(found, title=clean_line(found.title, MOST_LETTERS), query=query)


def view(value: Any) -> ExportedView:
    found = convert(value, ExportedView)
    return replace(found, view=clean_line(found.view))


def bookmark(value: Any) -> Kept | None:
    """None for a bookmark with an impossible time."""
    found = convert(value, Kept)
    return _bookmark(found) if _is_moment(found.created_at) else None


def choices(value: Any) -> dict[str, str]:
    return {
        key: clean_block(text, _LONGEST_CHOICE)
        for key, text in convert(value, dict[str, Any]).items()
        if isinstance(text, str) and len(text) < _LONGEST_CHOICE
    }


def _span(value: Any) -> HeardSpan:
    found = convert(value, HeardSpan)
    if not _is_span(found):
        raise ValueError("nobody can have heard it")
    return found


def _segment(value: Any) -> MarkedSegment:
    found = convert(value, MarkedSegment)
    if not (_is_moment(found.created_at) and found.start_ms < found.end_ms):
        raise ValueError("nothing is there")
    return found


def _setting(value: Any) -> PodcastSettings:
    return convert(value, PodcastSettings)


def _taken(value: Any, name: str, default: Any = ()) -> Any:
    """Takes a field out of an entry, to be read by itself, so that odd values in it don't spoil the entry."""
    return value.pop(name, default) if isinstance(value, dict) else default


def _moments(episode: ForeignEpisode) -> list[datetime | None]:
    """The optional moments that the episode has, and the moments that it must have."""
    found: list[datetime | None] = [
        one for one in (episode.published, episode.listed_at, episode.inbox) if one is not None
    ]
    found += [episode.position.saved_at] if episode.position else []
    found += [episode.queued.added_at] if episode.queued else []
    return found


def _clean_tree(value: Any, depth: int = 4) -> Any:
    """The value with its texts cleaned. Values nested deeper than settings are left out, and so are numbers beyond all
    limits."""
    if isinstance(value, int | float) and not -_MOST < value < _MOST:
        return None
    if isinstance(value, str):
        return clean_line(value)
    if isinstance(value, dict):
        return {str(key): _clean_tree(one, depth - 1) for key, one in value.items()} if depth else {}
    if isinstance(value, list):
        return [_clean_tree(one, depth - 1) for one in value[:1000]] if depth else []
    return value
