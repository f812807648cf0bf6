"""Overcast's “All data” export (extended OPML), from the account page of its website.

Its format isn't documented; this follows its files, and other programs that read them: outlines of type `rss` with
`overcastId` and `subscribed`, within them `podcast-episode` with `enclosureUrl`, `played`, `progress` (seconds),
`userUpdatedDate`, `userRecommendedDate` (the star) and `userDeleted`. It has no guids. Beside these outlines,
`podcast-playlist` has a `title`, `smart`, `sorting` (such as `reverse-chronological-by-podcast`, `manual`) and ids,
separated by commas: `includePodcastIds`, `excludePodcastIds`, `priorityPodcastIds`, `sortedEpisodeIds` (in the order
set by hand) and `includeEpisodeIds`. A smart playlist without podcasts has the episodes of all podcasts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from player import regular_file
from player.errors import TransferError
from player.feeds.opml import feed_url
from player.feeds.parsing.outlines import END, START, outline_events
from player.model.filters import Order
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignList, ForeignPodcast, position_of
from player.text.sentences import _, plural
from player.text.untrusted_json import is_true, line_of, moment_of_date, ms_of_s

_MARK = re.compile(rb"<opml\b.*\bovercastId\s*=", re.IGNORECASE | re.DOTALL)
_LARGEST = 512_000_000
_PIECE = 1 << 20
_MOST_PLAYLISTS = 1_000
_MOST_IDS = 20_000
_MOST_EPISODES = 1_000_000


class OvercastReader:
    def recognises(self, path: Path, start: bytes) -> bool:  # noqa: ARG002 - recognised by its content
        return _MARK.search(start) is not None

    def read(self, path: Path) -> ForeignLibrary:
        found = _Found()
        try:
            with regular_file.opened(path) as file:
                for kind, attributes in outline_events(_pieces(file)):
                    if kind == START:
                        found.begin(attributes)
                    elif kind == END:
                        found.end()
        except OSError as error:
            raise TransferError(_("Can't read {file} ({reason})", file=path, reason=error.strerror)) from error
        found.close()
        lists, left_out = found.lists()
        return ForeignLibrary("Overcast", "", tuple(found.podcasts), tuple(left_out), tuple(lists))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    read = 0
    while (piece := file.read(_PIECE)) and read < _LARGEST:
        read += len(piece)
        yield piece


class _Found:
    """The data read so far. `depth` is the number of open outlines, `at` the depth of the feed's outline."""

    def __init__(self) -> None:
        self.podcasts: list[ForeignPodcast] = []
        self._feed: Mapping[str, str] | None = None
        self._episodes: list[ForeignEpisode] = []
        self._depth = self._at = 0
        self._playlists: list[Mapping[str, str]] = []
        self._feeds: dict[str, str] = {}
        """The addresses of the feeds that are subscribed to, by their ids."""
        self._by_id: dict[str, tuple[str, ForeignEpisode]] = {}

    def begin(self, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        kind = attributes.get("type", "").lower()
        if kind == "podcast-playlist":
            if len(self._playlists) < _MOST_PLAYLISTS:
                self._playlists.append(attributes)
        elif kind == "podcast-episode" and self._feed is not None:
            episode = _episode(attributes)
            if episode.is_touched:
                self._episodes.append(episode)
            if (number := attributes.get("overcastid", "")) and len(self._by_id) < _MOST_EPISODES:
                named = ForeignEpisode(url=episode.url, title=episode.title, published=episode.published)
                self._by_id[number] = line_of(feed_url(self._feed), 8_000), named
        elif feed_url(attributes):
            self.close()
            self._feed, self._at = attributes, self._depth

    def end(self) -> None:
        if self._feed is not None and self._depth == self._at:
            self.close()
        self._depth -= 1

    def close(self) -> None:
        """The feed that was open is complete, or the file ends in it."""
        if self._feed is not None:
            url = line_of(feed_url(self._feed), 8_000)
            title = line_of(self._feed.get("title", "") or self._feed.get("text", ""))
            subscribed = is_true(self._feed.get("subscribed", "1"))
            self.podcasts.append(ForeignPodcast(url, title, subscribed=subscribed, episodes=tuple(self._episodes)))
            if subscribed:
                self._feeds[self._feed.get("overcastid", "")] = url
        self._feed, self._episodes = None, []

    def lists(self) -> tuple[list[ForeignList], Iterator[str]]:
        """The playlists, once the whole file has been read, and sentences about the parts of them that can't be
        imported."""
        missed: Counter[str] = Counter()
        return [one for each in self._playlists if (one := self._list(each, missed))], _sentences(missed)

    def _list(self, attributes: Mapping[str, str], missed: Counter[str]) -> ForeignList | None:
        title, sorting = line_of(attributes.get("title", "")), attributes.get("sorting", "").lower()
        order = Order.NEWEST if sorting.startswith("reverse-") else Order.OLDEST
        named, refused = _ids(attributes, "includepodcastids"), _ids(attributes, "excludepodcastids")
        chosen = _ids(attributes, "sortedepisodeids") or _ids(attributes, "includeepisodeids")
        if is_true(attributes.get("smart")) or named:
            missed["priorities"] += bool(_ids(attributes, "prioritypodcastids"))
            missed["by podcast"] += sorting.endswith("-by-podcast")
            missed["by hand"] += bool(chosen)
            feeds = [self._feeds[one] for one in named or self._feeds if one in self._feeds and one not in refused]
            if (named or refused) and not feeds:
                missed["gone"] += 1
                return None
            return ForeignList(title, True, tuple(feeds if named or refused else ()), order=order)
        episodes = tuple(self._by_id[one] for one in chosen if one in self._by_id)
        missed["unknown"] += len(chosen) - len(episodes)
        missed["empty"] += not chosen
        by_hand = sorting == "manual" or bool(attributes.get("sortedepisodeids"))
        return ForeignList(title, episodes=episodes, order="" if by_hand else order) if episodes else None


def _ids(attributes: Mapping[str, str], name: str) -> list[str]:
    return list(filter(None, map(str.strip, attributes.get(name, "").split(",", _MOST_IDS)[:_MOST_IDS])))


def _sentences(missed: Counter[str]) -> Iterator[str]:
    if n := missed["priorities"]:
        yield plural(
            n, "{n:,} smart playlist comes without its priorities.", "{n:,} smart playlists come without priorities."
        )
    if n := missed["by podcast"]:
        yield plural(
            n,
            "{n:,} smart playlist, sorted by podcast in Overcast, is sorted by date alone.",
            "{n:,} smart playlists, sorted by podcast in Overcast, are sorted by date alone.",
        )
    if n := missed["by hand"]:
        yield plural(
            n,
            "{n:,} smart playlist comes without the episodes that were put there by hand.",
            "{n:,} smart playlists come without the episodes that were put there by hand.",
        )
    if n := missed["gone"]:
        yield plural(
            n,
            "{n:,} smart playlist without a podcast that you subscribed to isn't imported.",
            "{n:,} smart playlists without a podcast that you subscribed to aren't imported.",
        )
    if n := missed["unknown"]:
        yield plural(
            n,
            "For {n:,} episode of a playlist, the file has only a number.",
            "For {n:,} episodes of playlists, the file has only numbers.",
        )
    if n := missed["empty"]:
        yield plural(n, "{n:,} empty playlist isn't imported.", "{n:,} empty playlists aren't imported.")


def _episode(attributes: Mapping[str, str]) -> ForeignEpisode:
    """An episode that was deleted wasn't necessarily heard."""
    played = is_true(attributes.get("played"))
    return ForeignEpisode(
        url=line_of(attributes.get("enclosureurl", ""), 8_000),
        title=line_of(attributes.get("title", "")),
        published=moment_of_date(attributes.get("pubdate")),
        played=played,
        position=None if played else position_of(ms_of_s(attributes.get("progress"))),
        changed_at=moment_of_date(attributes.get("userupdateddate")),
        starred=bool(attributes.get("userrecommendeddate", "").strip()),
    )
