"""PortCast documents (`.portcast.json`), as draft-trimplayer-portcast-00 and portcast.org specify them: versions 0.1
and 0.2, and later versions as far as they are alike.

A podcast is identified by `feedUrl`, `podcastGuid` or `platformRefs`; Earmark can subscribe only to the first. The
`events` of an episode that tell from where to where it was heard become its history.
"""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from player import regular_file
from player.errors import TransferError
from player.links.addresses import url_key
from player.model.foreign import (
    ForeignEpisode,
    ForeignLibrary,
    ForeignPodcast,
    HeardSpan,
    Kept,
    position_of,
    queued_at,
)
from player.model.playback import FASTEST, SLOWEST
from player.model.podcast_settings import PodcastSettings
from player.text.sentences import _, plural
from player.text.untrusted_json import BrokenJson, is_true, line_of, members, moment_of_text, ms_of_s, whole_of

_MARK = re.compile(rb'"portcast"\s*:\s*"(\d+\.\d+)')
_KNOWN = ("0.1", "0.2")
_MOST = 1_000_000
"""The most episodes, queue items and the like."""
_MOST_EVENTS = 10_000
_NAMED = 5
_LISTS = ("subscriptions", "episodes", "queue", "bookmarks")


class PortCastReader:
    def recognises(self, path: Path, start: bytes) -> bool:  # noqa: ARG002 - recognised by its content
        return start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _MARK.search(start) is not None

    def read(self, path: Path) -> ForeignLibrary:
        document = _Document()
        try:
            with regular_file.opened(path) as file:
                for name, value in members(file.read):
                    document.take(name, value)
        except OSError as error:
            raise TransferError(_("Can't read {file} ({reason})", file=path, reason=error.strerror)) from error
        except BrokenJson:
            document.ends_early = True
        return document.library()


class _Document:
    def __init__(self) -> None:
        self.ends_early = False
        self._version = ""
        self._app = ""
        self._lists: dict[str, list[dict[str, Any]]] = {name: [] for name in _LISTS}
        self._settings: dict[str, Any] = {}
        self._lost = 0

    def take(self, name: str, value: Any) -> None:
        if name == "portcast":
            self._version = line_of(value, 40)
        elif name == "generator" and isinstance(value, dict):
            self._app = line_of(value.get("name"), 60)
        elif name == "preferences" and isinstance(value, dict):
            own = value.get("perFeed")
            self._settings = own if isinstance(own, dict) else {}
        elif name in _LISTS and isinstance(value, dict) and len(self._lists[name]) < _MOST:
            self._lists[name].append(value)

    def library(self) -> ForeignLibrary:
        ranks = dict(self._ranks())
        episodes: dict[str, list[ForeignEpisode]] = {}
        for one in self._lists["episodes"]:
            if (episode := _episode(one, ranks)) is not None:
                for key in _keys(one.get("subscriptionRef")):
                    episodes.setdefault(key, []).append(episode)
        bookmarks = self._bookmarks()
        podcasts, homeless = [], []
        for one in self._lists["subscriptions"]:
            if url := line_of(one.get("feedUrl"), 8_000):
                found = [each for key in _keys(one) for each in episodes.get(key, ())]
                kept = tuple(each for key in _keys(one) for each in bookmarks.get(key, ()))
                podcasts.append(self._podcast(url, one, tuple(dict.fromkeys(found)), tuple(dict.fromkeys(kept))))
            elif one.get("unsubscribedAt") is None:
                homeless.append(line_of(one.get("title"), 80) or _("Unknown"))
        app = f"PortCast ({self._app})" if self._app else "PortCast"
        return ForeignLibrary(app, self._version, tuple(podcasts), tuple(self._left_out(homeless)))

    def _ranks(self) -> Iterator[tuple[str, int]]:
        for item in self._lists["queue"]:
            reference, rank = item.get("episodeRef"), whole_of(item.get("position"))
            if isinstance(reference, dict) and rank is not None:
                for name in ("guid", "enclosureUrl"):
                    if text := line_of(reference.get(name), 8_000):
                        yield f"{name} {text}", rank

    def _bookmarks(self) -> dict[str, list[Kept]]:
        """The bookmarks by the keys of their podcasts, which the document has only in its episodes."""
        known: dict[str, dict[str, Any]] = {}
        for one in self._lists["episodes"]:
            for name in ("guid", "enclosureUrl"):
                if text := line_of(one.get(name), 8_000):
                    known.setdefault(f"{name} {text}", one)
        found: dict[str, list[Kept]] = {}
        for kept in self._lists["bookmarks"]:
            reference = kept.get("episodeRef")
            reference = reference if isinstance(reference, dict) else {}
            texts = (f"{name} {line_of(reference.get(name), 8_000)}" for name in ("guid", "enclosureUrl"))
            episode: dict[str, Any] = next((known[text] for text in texts if text in known), {})
            keys = _keys(episode.get("subscriptionRef"))
            if not keys or not line_of(episode.get("guid"), 2_000):
                self._lost += 1
            for key in keys:
                found.setdefault(key, []).append(_bookmark(kept, episode))
        return found

    def _podcast(
        self,
        url: str,
        one: dict[str, Any],
        episodes: tuple[ForeignEpisode, ...],
        bookmarks: tuple[Kept, ...],
    ) -> ForeignPodcast:
        tags = one.get("tags")
        own = self._settings.get(line_of(one.get("podcastGuid"))) or self._settings.get(url)
        return ForeignPodcast(
            url,
            line_of(one.get("title")),
            tags=tuple(line_of(tag) for tag in tags) if isinstance(tags, list) else (),
            settings=_settings(own if isinstance(own, dict) else {}),
            subscribed=one.get("unsubscribedAt") is None,
            episodes=episodes,
            bookmarks=bookmarks,
        )

    def _left_out(self, homeless: list[str]) -> Iterator[str]:
        if homeless:
            named = ", ".join(f"“{title}”" for title in homeless[:_NAMED])
            yield plural(
                len(homeless),
                "{n:,} podcast has no feed and can't be imported: {titles}.",
                "{n:,} podcasts have no feed and can't be imported, among them: {titles}.",
                titles=named,
            )
        if self._lost:
            yield plural(self._lost, "{n:,} bookmark can't be imported.", "{n:,} bookmarks can't be imported.")
        if not self._version.startswith(_KNOWN):
            yield _("This PortCast is newer than Earmark knows: something may be missing.")
        if self.ends_early:
            yield _("The file isn't whole: it ends early, or is damaged. What comes before that was read.")


def _keys(reference: object) -> list[str]:
    """The keys by which a subscription is referred to: its address and its guid, as far as they are given."""
    if not isinstance(reference, dict):
        return []
    found = []
    if url := line_of(reference.get("feedUrl"), 8_000):
        found.append(f"feed {url_key(url)}")
    if guid := line_of(reference.get("podcastGuid"), 80):
        found.append(f"guid {guid.lower()}")
    return found


def _episode(one: dict[str, Any], ranks: dict[str, int]) -> ForeignEpisode | None:
    """None for an episode that the listener has done nothing with. `archived`: the listener is done with it."""
    guid, url = line_of(one.get("guid"), 2_000), line_of(one.get("enclosureUrl"), 8_000)
    status = one.get("status")
    episode = ForeignEpisode(
        guid,
        url,
        line_of(one.get("title")),
        moment_of_text(one.get("publishedAt")),
        ms_of_s(one.get("durationSeconds")) or None,
        status in ("completed", "archived"),
        position_of(ms_of_s(one.get("positionSeconds"))) if status == "in_progress" else None,
        moment_of_text(one.get("lastPlayedAt")) or moment_of_text(one.get("updatedAt")),
        is_true(one.get("starred")),
        queued_at(ranks.get(f"guid {guid}", ranks.get(f"enclosureUrl {url}"))),
        tuple(_heard(one.get("events"))),
    )
    return episode if episode.is_touched else None


def _bookmark(kept: dict[str, Any], episode: dict[str, Any]) -> Kept:
    """`label` is its title; a note follows the title. A clip has an end."""
    position_ms, end_ms = ms_of_s(kept.get("atSeconds")), ms_of_s(kept.get("endSeconds"))
    texts = [line_of(kept.get(name), 1_000) for name in ("label", "note")]
    return Kept(
        position_ms,
        moment_of_text(kept.get("createdAt")),
        ": ".join(filter(None, texts)),
        episode=line_of(episode.get("title")),
        link=line_of(episode.get("enclosureUrl"), 8_000),
        guid=line_of(episode.get("guid"), 2_000),
        length_ms=max(0, end_ms - position_ms),
    )


class _Event(NamedTuple):
    at: datetime
    kind: str
    position_ms: int | None
    from_ms: int | None


def _heard(events: object) -> Iterator[HeardSpan]:
    """The spans between each event that begins playback and the next event, if the times and the positions agree."""
    begun: tuple[datetime, int] | None = None
    for one in sorted(_events(events), key=lambda event: event.at):
        ended_ms = one.from_ms if one.kind == "seek" else one.position_ms
        if begun is not None and ended_ms is not None:
            yield from _span(begun[0], begun[1], one.at, ended_ms)
        if one.kind in ("pause", "complete") or one.position_ms is None:
            begun = None
        elif one.kind == "play" or begun is not None:
            begun = (one.at, one.position_ms)


def _events(events: object) -> Iterator[_Event]:
    """The events that tell where playback began or ended."""
    for one in events[:_MOST_EVENTS] if isinstance(events, list) else ():
        at = moment_of_text(one.get("at")) if isinstance(one, dict) else None
        if at is not None and one.get("type") in ("play", "pause", "seek", "complete"):
            yield _Event(at, str(one["type"]), _ms(one.get("positionSeconds")), _ms(one.get("fromPositionSeconds")))


def _ms(seconds: object) -> int | None:
    return ms_of_s(seconds) if isinstance(seconds, int | float) else None


def _span(began_at: datetime, from_ms: int, at: datetime, to_ms: int) -> Iterator[HeardSpan]:
    real_ms = (at - began_at) / timedelta(milliseconds=1)
    if to_ms <= from_ms or real_ms <= 0:
        return
    speed = (to_ms - from_ms) / real_ms
    if SLOWEST * 0.9 <= speed <= FASTEST * 1.1:
        near = round(min(FASTEST, max(SLOWEST, speed)), 2)
        yield HeardSpan(from_ms, to_ms, began_at, 1.0 if abs(near - 1) < 0.05 else near)


def _settings(own: dict[str, Any]) -> PodcastSettings:
    rate = own.get("playbackRate")
    return PodcastSettings(
        speed=float(rate) if isinstance(rate, int | float) and not isinstance(rate, bool) and 0 < rate < 100 else None,
        skip_intro_ms=ms_of_s(own.get("skipIntroSeconds")),
        skip_outro_ms=ms_of_s(own.get("skipOutroSeconds")),
    )
