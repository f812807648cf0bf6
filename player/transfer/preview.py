"""What an import will bring, and what it can't: said before anything is done."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from player.errors import BadAddress
from player.feeds.subscribe import feed_address
from player.library import Library
from player.links.addresses import url_key
from player.links.urls import split_login
from player.model.foreign import ForeignLibrary, ForeignPodcast
from player.text.sentences import _, plural
from player.transfer.lists import coming as coming_lists


class Preview(Struct, frozen=True):
    """`podcasts` is how many come, `known` how many of those are subscribed to here. The numbers are of what the file
    has of their episodes: `heard` counts those with a history. `left_out` are whole sentences.
    """

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
    def words(self) -> str:
        """The summary with the app's name, and what can't come."""
        from_app = _("From {app}: {summary}.", app=self.app, summary=self.summary) if self.app else f"{self.summary}."
        return " ".join((from_app, *self.left_out))


def preview(library: Library, read: ForeignLibrary) -> Preview:
    """Reads the library alone. Raises LibraryError."""
    coming = list(podcasts_to_bring(library, read.podcasts))
    episodes = [episode for one, _url, _known in coming for episode in one.episodes]
    lists, unlisted = coming_lists(read.lists, {url_key(one.url) for one, _url, _known in coming})
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
        positions=sum(one.position_ms > 0 and not one.played for one in episodes),
        starred=sum(one.starred for one in episodes),
        queued=sum(one.queued is not None for one in episodes),
        heard=sum(bool(one.heard) for one in episodes),
        bookmarks=sum(len(one.bookmarks) for one, _url, _known in coming),
        lists=len(lists),
        left_out=tuple(left_out),
    )


def podcasts_to_bring(
    library: Library, podcasts: Sequence[ForeignPodcast]
) -> Iterator[tuple[ForeignPodcast, str, bool]]:
    """Each with its address, without a name and password in it, and whether it is here already. Those that were only
    tried come if they are."""
    for one in podcasts:
        url = address_of(one)[0]
        known = library.podcasts.by_url(url) is not None
        if known or one.subscribed:
            yield one, url, known


def address_of(podcast: ForeignPodcast) -> tuple[str, tuple[str, str] | None]:
    """The feed's address, and the login that the app has for it. What is no address is given as it is."""
    try:
        url, login = split_login(feed_address(podcast.url))
    except BadAddress:
        return podcast.url, None
    return url, podcast.login or login
