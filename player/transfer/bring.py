"""Imports the data of another app into the library: a preview of the import, then subscriptions, settings, logins,
lists, and the data of the episodes."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from player.errors import BadAddress
from player.feeds.opml import Outline, Subscribed, subscribe_all
from player.feeds.subscribe import feed_address
from player.library import Library
from player.library.incoming import Brought
from player.library.listening.lists import MOST_LETTERS
from player.library.search.query import to_text
from player.links.addresses import url_key
from player.links.urls import split_login
from player.model.filters import AS_IT_IS, EpisodeFilter, ListId, Order, SavedList, State, View, ViewSettings
from player.model.foreign import ExportedView, ForeignEpisode, ForeignLibrary, ForeignList, ForeignPodcast
from player.model.podcast import PodcastId
from player.model.podcast_settings import AS_ALL, MOST_NEWEST, PodcastSettings
from player.net.credentials import Credentials
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, plural

MOST_PODCASTS = 80
"""The most podcasts of a smart list: a search can't name more."""
_MOST_NAMES = 50


class Preview(Struct, frozen=True):
    """`podcasts` is the number of podcasts to import, `known` how many of them are subscribed to here. The other
    numbers are of the file's data about them: `heard` counts the episodes with a history. `left_out` are whole
    sentences."""

    app: str
    version: str
    podcasts: int
    known: int
    played: int
    positions: int
    starred: int
    queued: int
    heard: int
    bookmarks: int
    lists: int
    left_out: tuple[str, ...]

    @property
    def summary(self) -> str:
        """In one line: “12 podcasts, 3 already here; 1,204 played, 18 positions, 9 stars, queue of 14”."""
        podcasts = plural(self.podcasts, "{n:,} podcast", "{n:,} podcasts")
        known = plural(self.known, "{n:,} already here", "{n:,} already here") if self.known else ""
        episodes = [
            plural(self.played, "{n:,} played", "{n:,} played") if self.played else "",
            plural(self.positions, "{n:,} position", "{n:,} positions") if self.positions else "",
            plural(self.starred, "{n:,} star", "{n:,} stars") if self.starred else "",
            plural(self.queued, "queue of {n:,}", "queue of {n:,}") if self.queued else "",
            plural(self.bookmarks, "{n:,} bookmark", "{n:,} bookmarks") if self.bookmarks else "",
            plural(self.lists, "{n:,} list", "{n:,} lists") if self.lists else "",
            plural(self.heard, "history of {n:,} episode", "history of {n:,} episodes") if self.heard else "",
        ]
        parts = (", ".join(filter(None, some)) for some in ((podcasts, known), episodes))
        return "; ".join(filter(None, parts))

    @property
    def facts(self) -> tuple[str, ...]:
        """The same in short, the most telling first: “12 podcasts”, “18 in progress”, “queue of 14”."""
        counted = [
            plural(self.podcasts, "{n:,} podcast", "{n:,} podcasts"),
            _("{n:,} in progress", n=self.positions) if self.positions else "",
            plural(self.queued, "queue of {n:,}", "queue of {n:,}") if self.queued else "",
            plural(self.played, "{n:,} played", "{n:,} played") if self.played else "",
            plural(self.starred, "{n:,} star", "{n:,} stars") if self.starred else "",
        ]
        return tuple(filter(None, counted))

    @property
    def words(self) -> str:
        """The summary with the app's name, and the sentences about what can't be imported."""
        from_app = _("From {app}: {summary}.", app=self.app, summary=self.summary) if self.app else f"{self.summary}."
        return " ".join((from_app, *self.left_out))


def preview(library: Library | None, read: ForeignLibrary) -> Preview:
    """Only reads the library; None stands for an empty one. Raises LibraryError."""
    coming = list(podcasts_to_bring(library, read.podcasts))
    episodes = [episode for one, _url, _known in coming for episode in one.episodes]
    lists, unlisted = _lists_to_bring(read.lists, {url_key(one.url) for one, _url, _known in coming})
    left_out = [*read.left_out, *unlisted]
    if tried := len(read.podcasts) - len(coming):
        left_out.append(
            plural(
                tried,
                "{n:,} podcast isn't imported: you weren't subscribed to it.",
                "{n:,} podcasts aren't imported: you weren't subscribed to them.",
            )
        )
    return Preview(
        app=read.app,
        version=read.version,
        podcasts=len(coming),
        known=sum(known for _one, _url, known in coming),
        played=sum(one.played for one in episodes),
        positions=sum(one.position is not None and not one.played for one in episodes),
        starred=sum(one.starred for one in episodes),
        queued=sum(one.queued is not None for one in episodes),
        heard=sum(bool(one.heard) for one in episodes),
        bookmarks=sum(len(one.bookmarks) for one, _url, _known in coming),
        lists=len(lists),
        left_out=tuple(left_out),
    )


def podcasts_to_bring(
    library: Library | None, podcasts: Sequence[ForeignPodcast]
) -> Iterator[tuple[ForeignPodcast, str, bool]]:
    """The podcasts to import, each with its address, without a name and password in it, and whether it is here already.
    Podcasts that were only tried are imported only if they are here already."""
    for one in podcasts:
        url = address_of(one)[0]
        known = library is not None and library.podcasts.by_url(url) is not None
        if known or one.subscribed:
            yield one, url, known


def address_of(podcast: ForeignPodcast) -> tuple[str, tuple[str, str] | None]:
    """The feed's address, and the app's login for it. An invalid address is returned as it is."""
    try:
        url, login = split_login(feed_address(podcast.url))
    except BadAddress:
        return podcast.url, None
    return url, podcast.login or login


class ToFill(Struct, frozen=True):
    """A playlist and the episodes that belong in it, some of which may still have to come from their feeds."""

    list_id: ListId
    episodes: tuple[tuple[PodcastId, ForeignEpisode], ...]


class Arrived(Struct, frozen=True):
    """The result of an import, before the feeds are read."""

    app: str
    subscribed: Subscribed
    episodes: Brought
    bookmarks: int = 0
    lists: int = 0
    playlists: tuple[ToFill, ...] = ()
    """To be filled once the feeds have been read."""

    @property
    def to_read(self) -> tuple[PodcastId, ...]:
        """Podcasts whose feeds have never been read."""
        return (*self.subscribed.added, *self.subscribed.unread)

    def came(self, waiting: int) -> int:
        """The number of episodes with imported data, if `waiting` episodes of this import still wait for their
        feeds."""
        return len(self.episodes.ids) + max(0, self.episodes.waiting - waiting)


def bring(library: Library, read: ForeignLibrary, logins: Credentials) -> Arrived:
    """Imports in one transaction. The caller reads the feeds, which bring the episodes that wait. Nothing that is set
    here is changed: settings and logins are imported only where there are none. Raises LibraryError."""
    coming = list(podcasts_to_bring(library, read.podcasts))
    outlines = [Outline(url, one.title, one.tags, one.own_title) for one, url, _known in coming]
    episodes: dict[PodcastId, Sequence[ForeignEpisode]] = {}
    ids: dict[str, PodcastId] = {}
    with library.personal.merging(datetime.now(UTC)) as marks:
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
            for kept in one.bookmarks:
                marks.bookmark(replace(kept, podcast=podcast.title, feed=url_key(podcast.url)))
        brought = library.incoming.bring(episodes) if episodes else Brought()
        lists, playlists = _make_lists(library, read.lists, ids)
    for one, url, _known in coming:
        login = address_of(one)[1]
        if login and logins.find(url) is None:
            logins.remember(url, *login)
    return Arrived(read.app, subscribed, brought, marks.counts.bookmarks, lists, tuple(playlists))


def _has_more(one: ForeignPodcast) -> bool:
    """Whether the app has more data about the podcast than a subscription."""
    return bool(one.episodes or one.bookmarks) or one.settings != AS_ALL


def _set(library: Library, podcast_id: PodcastId, settings: PodcastSettings) -> None:
    """Imports the settings of a podcast, unless some are set here."""
    here = library.podcast_settings.get(podcast_id)
    if replace(here, view=AS_ALL.view) == AS_ALL:
        library.podcast_settings.set(podcast_id, replace(settings, view=here.view))


def episodes_report(arrived: Arrived, waiting: int, unlisted: int = 0) -> str:
    """Sentences about the imported data of episodes; "" if there is none. `waiting` episodes of this import still wait
    for their feeds, and `unlisted` episodes belong in playlists and aren't here."""
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
        sentences.append(_("Everything about its episodes was already imported."))
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


def _lists_to_bring(lists: Iterable[ForeignList], there: Container[str]) -> tuple[list[ForeignList], list[str]]:
    """The lists that can be imported along with the feeds with these keys (`url_key`), and sentences about the other
    lists."""
    found: list[ForeignList] = []
    without = large = 0
    for one in lists:
        if one.is_smart and len(one.feeds) > MOST_PODCASTS:
            large += 1
        elif (one.is_smart and not one.feeds) or any(
            url_key(feed) in there for feed in one.feeds or (feed for feed, _episode in one.episodes)
        ):
            found.append(one)
        else:
            without += 1
    sentences = []
    if large:
        sentences.append(
            plural(
                large,
                "{n:,} smart list of more than {most} podcasts isn't imported.",
                "{n:,} smart lists of more than {most} podcasts aren't imported.",
                most=MOST_PODCASTS,
            )
        )
    if without:
        sentences.append(
            plural(
                without,
                "{n:,} list isn't imported: none of its podcasts is.",
                "{n:,} lists aren't imported: none of their podcasts are.",
            )
        )
    return found, sentences


def _make_lists(
    library: Library, lists: Sequence[ForeignList], podcasts: Mapping[str, PodcastId]
) -> tuple[int, list[ToFill]]:
    """Makes the lists that aren't here. `podcasts` has the podcasts that are here, by the keys of their addresses in
    the other app. Returns the number of new lists, and the playlists, which `fill` fills. Raises LibraryError."""
    new = 0
    playlists = []
    here = lists_here(library)
    for one in _lists_to_bring(lists, podcasts)[0]:
        wanted = one
        if one.is_smart:
            ids = frozenset(podcasts[key] for key in map(url_key, one.feeds) if key in podcasts)
            query = to_text(EpisodeFilter(podcasts=ids, states=frozenset({State.UNPLAYED})))
            wanted = replace(one, query=f"{query} sort:{one.order}" if one.order else query, order="")
        made, is_new = make_list(library, here, wanted)
        new += is_new
        if made is not None and not one.is_smart:
            keyed = ((url_key(feed), episode) for feed, episode in one.episodes)
            episodes = tuple((podcasts[key], episode) for key, episode in keyed if key in podcasts)
            playlists.append(ToFill(made.id, episodes))
    return new, playlists


def lists_here(library: Library) -> dict[str, SavedList]:
    """The lists of the library by their folded names, for `make_list`."""
    return {fold(one.title): one for one in library.lists.all()}


def make_list(library: Library, here: dict[str, SavedList], wanted: ForeignList) -> tuple[SavedList | None, bool]:
    """The list as it is here, None for a list that can't have a name, and whether it is new; a new list is added to
    `here`. A different list with the same name keeps its name. Raises LibraryError."""
    title = clean_line(wanted.title, MOST_LETTERS)
    for number in range(2, _MOST_NAMES):
        if (known := here.get(fold(title))) is None:
            break
        if known.query == wanted.query:
            return known, False
        title = f"{clean_line(wanted.title, MOST_LETTERS - 5)} ({number})"
    else:
        return None, False
    if not title:
        return None, False
    made = here[fold(title)] = library.lists.add(title, wanted.query)
    library.downloads.facts.set_list(made.id, min(MOST_NEWEST, wanted.downloads or 0))
    show(library, ExportedView(View.of_list(made.id).key, wanted.order, wanted.hide_played, wanted.continues))
    return made, True


def show(library: Library, wanted: ExportedView) -> None:
    """Sets how a list is shown and plays on, unless that is set here. Raises LibraryError."""
    if (view := View.of_key(wanted.view)) is None:
        return
    settings = ViewSettings(Order(wanted.order) if wanted.order in set(Order) else None, wanted.hide_played)
    if settings != AS_IT_IS and library.view_settings.get(view.key) == AS_IT_IS:
        library.view_settings.set(view.key, settings)
    if wanted.continues in ("newest", "oldest") and library.continued.newest_first(view) is None:
        library.continued.set(view, wanted.continues == "newest")


def fill(library: Library, playlists: Sequence[ToFill]) -> int:
    """Adds the episodes that the feeds have brought to the playlists, and returns how many episodes are missing."""
    missing = 0
    for one in playlists:
        if library.lists.get(one.list_id) is None:
            continue
        of_podcasts: dict[PodcastId, list[ForeignEpisode]] = {}
        for podcast_id, episode in one.episodes:
            of_podcasts.setdefault(podcast_id, []).append(episode)
        here = {number: library.incoming.found(number, episodes) for number, episodes in of_podcasts.items()}
        ids = [here[podcast_id].get(episode) for podcast_id, episode in one.episodes]
        library.lists.add_episodes(one.list_id, [each for each in ids if each is not None])
        missing += ids.count(None)
    return missing
