"""Podcasts put back from an export, into a library that may know some of them. Nothing that is here is lost.

An episode that no feed has brought yet is made from its entry; the feed fills it in when it is read. What both have is
joined: a mark or a tag that one of them has stays, of two positions the later one does, and what is set here stays set.
So the same export changes nothing the second time.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import ValidationError, convert, to_builtins
from msgspec.structs import replace

from player.library.database.values import insert_many, stored_maybe
from player.library.lists.preview_keys import SHIFT
from player.library.personal.marks import EpisodeMarks
from player.library.personal.records import ExportedEpisode, ExportedPodcast
from player.library.podcast_settings import PodcastSettingsStore
from player.library.podcasts import Podcasts
from player.library.subscriptions import Previews, known_episodes
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.cleaning import fold
from player.text.names import clean_tags

Decide = Callable[[Sequence[KnownEpisode], Feed], Merge]
_NEW = (
    "INSERT INTO episodes (id, podcast_id, sort, played, starred, published, duration_ms, measured_ms, size, guid,"
    " title, folded, url, media_type, link, fingerprint)"
)
_DETAILS = (
    "INSERT INTO details (episode_id, image_url, season, number, explicit, chapters_url, transcripts, notes, extra)"
)


class PodcastRestorer:
    """Within a transaction; `marks` gathers what can be written only when all podcasts are there."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        podcasts: Podcasts,
        previews: Previews,
        settings: PodcastSettingsStore,
        marks: EpisodeMarks,
        decide: Decide,
    ) -> None:
        self._connection = connection
        self._podcasts = podcasts
        self._previews = previews
        self._settings = settings
        self._marks = marks
        self._decide = decide
        self._keys = {url_key(without_secrets(one.url)): one.id for one in podcasts.all()}
        self.added: list[PodcastId] = []
        self.unread: list[PodcastId] = []
        self.known = 0
        self.odd_settings = 0

    def restore(self, wanted: ExportedPodcast) -> None:
        """The subscription with all that is set for it, and its episodes. `wanted.url` is an address."""
        podcast = self._subscribe(wanted)
        self._name(podcast, wanted)
        self._set(podcast.id, wanted.settings)
        if wanted.continues in ("newest", "oldest"):
            self._connection.execute(
                "INSERT INTO continued (view, newest_first) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (View.of(ViewName.PODCAST, podcast.id).key, int(wanted.continues == "newest")),
            )
        self._episodes(self._podcasts.get(podcast.id), wanted.episodes)

    def _subscribe(self, wanted: ExportedPodcast) -> Podcast:
        """The address in an export has no name and password, that of the library may have."""
        key = url_key(without_secrets(wanted.url))
        if (number := self._keys.get(key)) is None:
            return self._add(key, wanted)
        podcast = self._podcasts.get(number)
        if number not in self.added and wanted.subscribed:
            self.known += 1
            if podcast.last_refreshed is None:
                self.unread.append(number)
        return podcast

    def _add(self, key: str, wanted: ExportedPodcast) -> Podcast:
        if not wanted.subscribed:
            return self._previews.add(wanted.url, wanted.title)
        podcast = self._podcasts.add(wanted.url, wanted.title)
        self._keys[key] = podcast.id
        self.added.append(podcast.id)
        if wanted.link and not podcast.link:
            self._connection.execute("UPDATE podcasts SET link = ? WHERE id = ?", (wanted.link, podcast.id))
        return podcast

    def _name(self, podcast: Podcast, wanted: ExportedPodcast) -> None:
        if wanted.own_title and not podcast.own_title and wanted.own_title != podcast.title:
            self._connection.execute(
                "UPDATE podcasts SET own_title = ?, folded = ? WHERE id = ?",
                (wanted.own_title, fold(wanted.own_title), podcast.id),
            )
        if wanted.pinned and not podcast.pinned:
            self._connection.execute("UPDATE podcasts SET pinned = 1 WHERE id = ?", (podcast.id,))
        for tag in clean_tags((*podcast.tags, *wanted.tags)):
            if tag not in podcast.tags:
                self._connection.execute(
                    "INSERT INTO podcast_tags (podcast_id, tag) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    (podcast.id, tag),
                )

    def _set(self, podcast_id: PodcastId, wanted: dict[str, Any]) -> None:
        """Whatever isn't set here becomes what the export says; a value of another type is left out."""
        if not wanted:
            return
        here: PodcastSettings = self._settings.get(podcast_id)
        plain, joined = to_builtins(AS_ALL), to_builtins(here)
        for name, value in wanted.items():
            if name not in plain or joined[name] != plain[name]:
                continue
            try:
                here = convert({**joined, name: value}, PodcastSettings)
                joined = to_builtins(here)
            except ValidationError:
                self.odd_settings += 1
        self._settings.set(podcast_id, here)

    # -- its episodes -----------------------------------------------------------------------------------------

    def _episodes(self, podcast: Podcast, wanted: Sequence[ExportedEpisode]) -> None:
        known = self._known(podcast.id)
        items = tuple(_item(number, one) for number, one in enumerate(wanted))
        merge = self._decide(known, Feed(podcast.title, episodes=items))
        for episode_id, item in merge.changed:
            self._marks.join(episode_id, podcast, wanted[int(item.number)])
        new = [wanted[int(item.number)] for item in merge.new]
        for number, one in zip(self._insert(podcast, new), new, strict=True):
            self._marks.put(number, podcast, one)

    def _known(self, podcast_id: PodcastId) -> list[KnownEpisode]:
        """Their fingerprints are none that an entry has."""
        return [
            replace(one, url=without_secrets(one.url), fingerprint="known")
            for one, _sort in known_episodes(self._connection, podcast_id, 0)
        ]

    def _insert(self, podcast: Podcast, new: Sequence[ExportedEpisode]) -> range:
        """Their numbers. Their fingerprints are empty: when the feed is read it has something else to say of each."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'episodes'").fetchone()
        first = (row[0] if row else 0) + 1
        numbers = range(first, first + len(new))
        insert_many(
            self._connection,
            _NEW,
            [
                (number, podcast.id, *_columns(one, SHIFT if podcast.previewed else 0))
                for number, one in zip(numbers, new, strict=True)
            ],
        )  # fmt: skip
        insert_many(self._connection, _DETAILS, [(number, "", None, "", 0, "", "[]", "", "") for number in numbers])
        self._connection.execute(
            "UPDATE podcast_counts SET episodes = episodes + ?2, unplayed = unplayed + ?3 WHERE podcast_id = ?1",
            (podcast.id, len(new), sum(not one.played for one in new)),
        )
        return numbers


def _item(number: int, one: ExportedEpisode) -> FeedEpisode:
    """As a feed would bring it; `number` says which entry it is."""
    return FeedEpisode(
        guid=one.guid,
        title=one.title,
        url=one.url,
        published=one.published,
        duration_ms=one.duration_ms,
        number=str(number),
        fingerprint="entry",
    )


def _columns(one: ExportedEpisode, shift: int) -> tuple[Any, ...]:
    """From `sort` on, which is `shift` lower than the time."""
    sort = (stored_maybe(one.listed_at or one.published) or 0) - shift
    return (
        sort, int(one.played), int(one.starred), stored_maybe(one.published), one.duration_ms, one.measured_ms, None,
        one.guid, one.title, fold(one.title), one.url, one.media_type, one.link, "",
    )  # fmt: skip
