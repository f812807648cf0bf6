"""Brings what another app knew into the library: subscriptions, settings, logins, and all about the episodes."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.feeds.opml import Outline, Subscribed, subscribe_all
from player.library import Library
from player.library.incoming import Brought
from player.library.personal.records import Kept
from player.links.addresses import url_key
from player.model.foreign import ForeignBookmark, ForeignEpisode, ForeignLibrary, ForeignPodcast
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, PodcastSettings
from player.text.sentences import _, plural
from player.transfer.lists import ToFill, make
from player.transfer.preview import address_of, podcasts_to_bring


class Logins(Protocol):
    """Names and passwords of servers: `player.net.credentials.Credentials` fits."""

    def find(self, address: str, /) -> tuple[str, str] | None: ...

    def remember(self, address: str, name: str, password: str, /) -> None: ...


class Arrived(Struct, frozen=True):
    """The result of an import, before the feeds are read."""

    app: str
    subscribed: Subscribed
    episodes: Brought
    bookmarks: int = 0
    lists: int = 0
    playlists: tuple[ToFill, ...] = ()
    """To be filled once the feeds were read."""

    @property
    def to_read(self) -> tuple[PodcastId, ...]:
        """Podcasts whose feeds were never read."""
        return (*self.subscribed.added, *self.subscribed.unread)

    def came(self, waiting: int) -> int:
        """For how many episodes something came, if `waiting` of this import still wait for their feeds."""
        return len(self.episodes.ids) + max(0, self.episodes.waiting - waiting)


def bring(library: Library, read: ForeignLibrary, logins: Logins) -> Arrived:
    """One transaction; feeds are read by whoever calls, and bring the episodes that wait. Nothing that is set here is
    changed: settings and logins come only where there are none. Raises LibraryError."""
    coming = list(podcasts_to_bring(library, read.podcasts))
    outlines = [Outline(url, one.title, one.tags, one.own_title) for one, url, _known in coming]
    episodes: dict[PodcastId, Sequence[ForeignEpisode]] = {}
    bookmarks = 0
    ids: dict[str, PodcastId] = {}
    with library.transaction():
        subscribed = subscribe_all(library, outlines)
        for one, url, _known in coming:
            podcast = library.podcasts.by_url(url) if read.lists or _has_more(one) else None
            if podcast is None:
                continue
            ids[url_key(one.url)] = podcast.id
            if one.settings != AS_ALL:
                _set(library, podcast.id, one.settings)
            if one.episodes:
                # An app may have a feed twice: with a login in its address, and without.
                episodes[podcast.id] = (*episodes.get(podcast.id, ()), *one.episodes)
            if one.bookmarks:
                bookmarks += library.personal.keep(podcast, map(_kept, one.bookmarks))
        brought = library.incoming.bring(episodes) if episodes else Brought()
        lists, playlists = make(library, read.lists, ids)
    for one, url, _known in coming:
        login = address_of(one)[1]
        if login and logins.find(url) is None:
            logins.remember(url, *login)
    return Arrived(read.app, subscribed, brought, bookmarks, lists, tuple(playlists))


def _has_more(one: ForeignPodcast) -> bool:
    """Whether more is known of it than a subscription has."""
    return bool(one.episodes or one.bookmarks) or one.settings != AS_ALL


def _kept(one: ForeignBookmark) -> Kept:
    """One that has no time of its own was kept now."""
    at = one.created_at or datetime.now(UTC)
    return Kept(one.position_ms, at, one.note, episode=one.episode, link=one.link, guid=one.guid)


def _set(library: Library, podcast_id: PodcastId, settings: PodcastSettings) -> None:
    """What is set for a podcast here stays."""
    here = library.podcast_settings.get(podcast_id)
    if replace(here, view=AS_ALL.view) == AS_ALL:
        library.podcast_settings.set(podcast_id, replace(settings, view=here.view))


def episodes_report(arrived: Arrived, waiting: int, unlisted: int = 0) -> str:
    """What has come for episodes, in sentences; `waiting` of this import still wait, and `unlisted` belong in playlists
    and aren't here. "" for nothing."""
    brought = arrived.episodes
    came = arrived.came(waiting)
    sentences = []
    if came:
        words = plural(
            came, "Imported what {app} knew of {n:,} episode.", "Imported what {app} knew of {n:,} episodes.",
            app=arrived.app or _("the other app"),
        )  # fmt: skip
        sentences.append(words)
    if brought.before and not came:
        sentences.append(_("All that it knew of episodes was imported before."))
    if waiting:
        sentences.append(
            plural(waiting, "{n:,} episode isn't in its feed (yet).", "{n:,} episodes aren't in their feeds (yet).")
        )
    if arrived.bookmarks:
        sentences.append(plural(arrived.bookmarks, "{n:,} bookmark added.", "{n:,} bookmarks added."))
    if arrived.lists:
        sentences.append(plural(arrived.lists, "{n:,} list added.", "{n:,} lists added."))
    if unlisted:
        sentences.append(
            plural(
                unlisted,
                "{n:,} episode of a playlist isn't in its feed: import the file again later.",
                "{n:,} episodes of playlists aren't in their feeds: import the file again later.",
            )
        )
    if brought.unnamed:
        sentences.append(plural(brought.unnamed, "{n:,} episode has no name.", "{n:,} episodes have no names."))
    return " ".join(sentences)
