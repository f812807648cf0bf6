"""Cleans and bounds what a reader has read, whatever the file contained."""

from collections.abc import Iterable

from msgspec.structs import replace

from player.links.addresses import url_key
from player.links.urls import LIMIT, web_address
from player.model.foreign import ForeignBookmark, ForeignEpisode, ForeignLibrary, ForeignList, ForeignPodcast, HeardSpan
from player.model.listening import LONGEST_SPAN_MS
from player.model.playback import FASTEST, SLOWEST
from player.text.cleaning import clean_line
from player.text.names import clean_tags
from player.text.sentences import plural

MOST_PODCASTS = 20_000
MOST_EPISODES = 1_000_000
MOST_SPANS = 1_000_000
MOST_BOOKMARKS = 20_000
"""Of a podcast."""
_MOST_LISTS = 1_000
_MOST_SENTENCES = 50
_LONGEST_MS = 1_000_000_000
"""Eleven days: no episode is longer."""


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
        episodes=tuple(_episode(episode, room) for episode in episodes),
        bookmarks=tuple(_bookmark(kept) for kept in one.bookmarks[:MOST_BOOKMARKS] if _identity(kept.guid)),
    )


def _episode(one: ForeignEpisode, room: _Room) -> ForeignEpisode:
    heard = tuple(span for span in one.heard[: room.spans] if _possible(span))
    room.spans -= len(heard)
    return ForeignEpisode(
        _identity(one.guid),
        _identity(one.url),
        clean_line(one.title),
        one.published,
        one.duration_ms if one.duration_ms and 0 < one.duration_ms <= _LONGEST_MS else None,
        one.played,
        one.position_ms if 0 < one.position_ms <= _LONGEST_MS else 0,
        one.changed_at,
        one.starred,
        one.queued,
        heard,
    )


def _list(one: ForeignList, room: _Room) -> ForeignList:
    episodes = one.episodes[: room.episodes]
    room.episodes -= len(episodes)
    return replace(
        one,
        title=clean_line(one.title),
        feeds=one.feeds[:MOST_PODCASTS],
        episodes=tuple((feed, _episode(episode, room)) for feed, episode in episodes),
    )


def _bookmark(one: ForeignBookmark) -> ForeignBookmark:
    return ForeignBookmark(
        _identity(one.guid),
        max(0, min(_LONGEST_MS, one.position_ms)),
        one.created_at,
        clean_line(one.note, 2_000),
        clean_line(one.episode),
        web_address(one.link),
    )


def _identity(text: str) -> str:
    """What is too long to be a guid or an address, or would be another one when cleaned, finds no episode."""
    return text.strip() if len(text) <= LIMIT else ""


def _possible(span: HeardSpan) -> bool:
    return 0 <= span.from_ms < span.to_ms <= span.from_ms + LONGEST_SPAN_MS and SLOWEST <= span.speed <= FASTEST
