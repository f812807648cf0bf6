"""Overcast's “All data” export (extended OPML), from the account page of its website.

Its format isn't documented; this is as its files are, and as other readers of it take it: outlines of type `rss` with
`overcastId` and `subscribed`, within them `podcast-episode` with `enclosureUrl`, `played`, `progress` (seconds),
`userUpdatedDate`, `userRecommendedDate` (the star) and `userDeleted`; `podcast-playlist` beside them. It has no guids.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from player import regular_file
from player.errors import TransferError
from player.feeds.opml import feed_url
from player.feeds.parsing.outlines import END, START, outline_events
from player.model.foreign.library import ForeignEpisode, ForeignLibrary, ForeignPodcast
from player.text.sentences import _, plural
from player.text.untyped import is_true, line_of, moment_of_date, ms_of_s

_MARK = re.compile(rb"<opml\b.*\bovercastId\s*=", re.IGNORECASE | re.DOTALL)
_LARGEST = 512_000_000
_PIECE = 1 << 20


class OvercastReader:
    def recognises(self, path: Path, start: bytes) -> bool:  # noqa: ARG002 - by what is in it
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
        return ForeignLibrary("Overcast", "", tuple(found.podcasts), tuple(found.left_out()))


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    read = 0
    while (piece := file.read(_PIECE)) and read < _LARGEST:
        read += len(piece)
        yield piece


class _Found:
    """What was read so far. `depth` is how deep the outlines are that are open, `at` how deep the feed's is."""

    def __init__(self) -> None:
        self.podcasts: list[ForeignPodcast] = []
        self._feed: Mapping[str, str] | None = None
        self._episodes: list[ForeignEpisode] = []
        self._depth = self._at = 0
        self._playlists = 0

    def begin(self, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        kind = attributes.get("type", "").lower()
        if kind == "podcast-playlist":
            self._playlists += 1
        elif kind == "podcast-episode":
            if (episode := _episode(attributes)) is not None:
                self._episodes.append(episode)
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
            self.podcasts.append(
                ForeignPodcast(
                    line_of(feed_url(self._feed), 8_000),
                    line_of(self._feed.get("title", "") or self._feed.get("text", "")),
                    subscribed=is_true(self._feed.get("subscribed", "1")),
                    episodes=tuple(self._episodes),
                )
            )
        self._feed, self._episodes = None, []

    def left_out(self) -> Iterator[str]:
        if self._playlists:
            yield plural(
                self._playlists, "{n:,} playlist of Overcast can't come.", "{n:,} playlists of Overcast can't come."
            )


def _episode(attributes: Mapping[str, str]) -> ForeignEpisode | None:
    """None for one with which nothing was done. One that was deleted wasn't necessarily heard."""
    played = is_true(attributes.get("played"))
    position_ms = ms_of_s(attributes.get("progress"))
    starred = bool(attributes.get("userrecommendeddate", "").strip())
    if not (played or position_ms or starred):
        return None
    return ForeignEpisode(
        url=line_of(attributes.get("enclosureurl", ""), 8_000),
        title=line_of(attributes.get("title", "")),
        published=moment_of_date(attributes.get("pubdate")),
        played=played,
        position_ms=0 if played else position_ms,
        changed_at=moment_of_date(attributes.get("userupdateddate")),
        starred=starred,
    )
