"""Lists of subscriptions as files: OPML 2.0 (http://opml.org/spec2.opml), read, written and imported."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from player import regular_file
from player.errors import AlreadySubscribed, BadAddress, FeedError
from player.feeds.parsing.outlines import END, START, TITLE, outline_events
from player.feeds.subscribe import feed_address
from player.library import Library
from player.links.urls import FEED_SCHEMES, without_secrets
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, plural
from player.text.typed_names import clean_tag, clean_tags

_MOST_BYTES = 64_000_000
_AROUND_ALL = frozenset({"feeds", "podcasts", "subscriptions"})
"""Folders in which some players put every podcast: they say nothing about a podcast."""
_TYPES_OF_FEEDS = ("rss", "atom", "podcast", "feed", "")
_MOST_CATEGORIES = 1_000
_HEAD = "Podcasts in Earmark"
"""The title of the lists that Earmark writes. In the lists of other apps `text` may be anything: gPodder puts
descriptions there."""
_ADDRESS = re.compile(rf"(?:https?|{'|'.join(FEED_SCHEMES)})://\S+", re.IGNORECASE)


class OpmlError(FeedError):
    """A file that is no list of subscriptions, or can't be read or written."""


class Outline(Struct, frozen=True):
    """A feed in a list. `tags` are the titles of the folders that contain it, from the outside in, then its categories.
    `own_title` is a title that a listener of Earmark gave it."""

    url: str
    title: str = ""
    tags: tuple[str, ...] = ()
    own_title: str = ""


def load_opml(path: Path) -> list[Outline]:
    """The feeds of the list at `path`. Raises OpmlError."""
    try:
        with regular_file.opened(path) as file:
            body = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise OpmlError(
            _("Can't read {file} ({reason})", file=path, reason=error.strerror), _("Enter the path of an OPML file.")
        ) from error
    if len(body) > _MOST_BYTES:
        raise OpmlError(_("{file} is larger than 64 MB", file=path), _("Enter the path of an OPML file."))
    return read_opml(body, str(path))


def read_opml(body: bytes, name: str) -> list[Outline]:
    """The feeds that a list names, in its order, each address once, with the tags of all places where it appears.

    `name` is the list's name in error messages. Raises OpmlError.
    """
    outlines: dict[str, Outline] = {}
    for outline in list(_of_xml(body)) or _of_text(body):
        first = outlines.setdefault(outline.url, outline)
        if outline != first:
            title, own_title = first.title or outline.title, first.own_title or outline.own_title
            tags = clean_tags((*first.tags, *outline.tags))
            outlines[outline.url] = replace(first, title=title, tags=tags, own_title=own_title)
    if not outlines:
        raise OpmlError(
            _("There are no podcast feeds in {file}", file=name),
            known_files(),
        )
    return list(outlines.values())


def known_files() -> str:
    """A sentence that names what can be imported."""
    return _(
        "Earmark reads OPML, text with one URL per line, its own exports, PortCast documents, and the files of"
        " AntennaPod, Apple Podcasts, Podcast Addict, Overcast, gPodder, castero, Kasts, GNOME Podcasts and newsboat."
    )


def _of_xml(body: bytes) -> Iterator[Outline]:
    """The outlines that have an `xmlUrl`, at any depth; from a broken file at least the outlines before the break."""
    folders: list[tuple[str, ...]] = []
    is_of_earmark = False
    for kind, attributes in outline_events((body,)):
        if kind == TITLE and not folders:
            is_of_earmark = attributes["text"].strip() == _HEAD
        if kind == END:
            del folders[-1:]
        if kind != START:
            continue
        around = folders[-1] if folders else ()
        title = clean_line(attributes.get("title", "").strip() or attributes.get("text", ""))
        url = feed_url(attributes)
        if url:
            category = attributes.get("category")
            tags = clean_tags((*around, *_categories(category))) if category else around
            shown = clean_line(attributes.get("text", ""))
            own_title = shown if is_of_earmark and attributes.get("title", "").strip() and shown != title else ""
            yield Outline(url, "" if title == url else title, tags, own_title)
        tag = "" if url or (not around and fold(title) in _AROUND_ALL) else clean_tag(title)
        folders.append(clean_tags((*around, tag)) if tag else around)


def feed_url(attributes: Mapping[str, str]) -> str:
    """The feed's address in an outline; "" if it has none. Some apps write `url` or `feedUrl` instead of `xmlUrl`;
    where the outline has a different type (`link`, `podcast-episode`) `url` is something else."""
    found = attributes.get("xmlurl", "").strip() or attributes.get("feedurl", "").strip()
    if not found and attributes.get("type", "").strip().lower() in _TYPES_OF_FEEDS:
        found = attributes.get("url", "").strip()
    return found


def _categories(text: str) -> Iterator[str]:
    """The categories of an outline, which are separated by commas. A category that begins with a slash is a path, from
    the general to the special; any other is a tag (OPML 2.0, "category")."""
    for category in text.split(",", _MOST_CATEGORIES)[:_MOST_CATEGORIES]:
        yield from category.split("/", _MOST_CATEGORIES) if category.strip().startswith("/") else (category,)


def _of_text(body: bytes) -> Iterator[Outline]:
    for line in body.decode("utf-8-sig", "replace").splitlines():
        if found := _ADDRESS.search(line):
            yield Outline(found[0].strip("<>\"',;"))


def write_opml(podcasts: Iterable[Podcast], now: datetime) -> str:
    """The list of these podcasts, without the built-in podcast, and without the names and passwords in addresses.

    A podcast with tags is put into a folder with the name of its first tag, as all players understand folders.
    `category` has all tags. `text` is the title that is shown, `title` the feed's, as OPML 2.0 has it: they differ
    where the listener gave a title.
    """
    from email.utils import format_datetime  # 15 ms including what it takes for quoting; reading a list doesn't need it
    from xml.sax.saxutils import quoteattr

    lines = []
    folders: dict[str, list[Podcast]] = {}
    for podcast in filter(_on_the_web, podcasts):
        folders.setdefault(podcast.tags[0] if podcast.tags else "", []).append(podcast)
    for folder in sorted(folders, key=lambda tag: (not tag, fold(tag), tag)):
        feeds = [_line(podcast) for podcast in folders[folder]]
        if folder:
            name = quoteattr(folder)
            feeds = [f"    <outline text={name} title={name}>", *(f"  {line}" for line in feeds), "    </outline>"]
        lines += feeds
    return "\n".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<opml version="2.0">',
            "  <head>",
            f"    <title>{_HEAD}</title>",
            f"    <dateCreated>{format_datetime(now)}</dateCreated>",
            "  </head>",
            "  <body>",
            *lines,
            "  </body>",
            "</opml>",
            "",
        )
    )


def _on_the_web(podcast: Podcast) -> bool:
    return podcast.url.lower().startswith(("http://", "https://"))


def _line(podcast: Podcast) -> str:
    from xml.sax.saxutils import quoteattr

    attributes: dict[str, Any] = {
        "text": podcast.title,
        "title": podcast.feed_title or podcast.title,
        "type": "rss",
        "xmlUrl": without_secrets(podcast.url),
    }
    if podcast.link:
        attributes["htmlUrl"] = without_secrets(podcast.link)
    if podcast.tags:
        attributes["category"] = ",".join(podcast.tags)
    return f"    <outline {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}/>"


def save_opml(path: Path, podcasts: Sequence[Podcast], now: datetime) -> int:
    """Writes the list, whole or not at all, and returns the number of podcasts in it. Raises OpmlError.

    It replaces an older list, but no other file.
    """
    part = path.parent / f"{path.name}.part"
    try:
        _check_replaceable(path)
        part.touch(0o600)  # the address of a private feed may be its password
        part.write_text(write_opml(podcasts, now), "utf-8")
        if path.exists():
            part.chmod(path.stat().st_mode & 0o777)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise OpmlError(
            _("Can't write {file} ({reason})", file=path, reason=error.strerror),
            _("Choose a file in a folder that you can write to."),
        ) from error
    return sum(map(_on_the_web, podcasts))


def _check_replaceable(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_file():  # a pipe might never end
        raise OpmlError(_("{file} isn't a file", file=path), _("Choose another name."))
    with regular_file.opened(path) as file:
        start = file.read(4096)
    if start and b"<opml" not in start.lower():
        raise OpmlError(_("{file} already exists and isn't an OPML file", file=path), _("Choose another name."))


class Subscribed(Struct, frozen=True):
    """`added` are in the list's order; `known` were there before, and `unread` are the known podcasts whose feeds were
    never read. `refused` aren't addresses: the text and a sentence. `tagged` are known podcasts that got `tags` they
    didn't have.
    """

    added: tuple[PodcastId, ...] = ()
    known: int = 0
    unread: tuple[PodcastId, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    tagged: tuple[PodcastId, ...] = ()
    tags: frozenset[str] = frozenset()

    def read(self, library: Library) -> "Subscribed":
        """Once the feeds are read: podcasts that turned out to be there by another address were there before."""
        there = {podcast.id for podcast in library.podcasts.all()}
        added = tuple(one for one in self.added if one in there)
        return replace(self, added=added, known=self.known + len(self.added) - len(added))


def subscribe_all(
    library: Library, outlines: Sequence[Outline], address: Callable[[str], str] = feed_address
) -> Subscribed:
    """Subscribes to all in one transaction, with the list's titles and tags, and with the listener's own titles where
    Earmark wrote the list. Podcasts that are known already get the tags too, and keep their titles. Doesn't read the
    feeds. `address` turns an entry's text into an address, and may raise BadAddress. Raises LibraryError."""
    added: list[PodcastId] = []
    unread: list[PodcastId] = []
    refused: list[tuple[str, str]] = []
    known = 0
    tags: dict[PodcastId, tuple[str, ...]] = {}
    with library.transaction():
        for outline in outlines:
            try:
                url = address(outline.url)
                podcast: Podcast | None = library.podcasts.add(url, outline.title)
                added += [podcast.id] if podcast else []
                if podcast and outline.own_title:
                    library.shelf.rename(podcast.id, outline.own_title)
            except AlreadySubscribed:
                known += 1
                podcast = library.podcasts.by_url(url)
                unread += [podcast.id] if podcast and podcast.last_refreshed is None else []
            except BadAddress as error:
                refused.append((outline.title or outline.url, str(error)))
                continue
            if podcast and outline.tags:
                tags[podcast.id] = (*tags.get(podcast.id, ()), *outline.tags)
        tagged = library.shelf.add_tags(tags) if tags else {}
    new = set(added)
    return Subscribed(
        tuple(added),
        known,
        tuple(one for one in dict.fromkeys(unread) if one not in new),
        tuple(refused),
        tuple(tagged),
        frozenset(tag for found in tagged.values() for tag in found),
    )


def import_report(subscribed: Subscribed, failed: int, left: int) -> str:
    """The result of an import in sentences. `failed` feeds couldn't be read, `left` aren't read yet."""
    sentences = [plural(len(subscribed.added), "{n:,} podcast added.", "{n:,} podcasts added.")]
    if subscribed.known:
        sentences.append(plural(subscribed.known, "{n:,} was already there.", "{n:,} were already there."))
    if subscribed.tags:
        sentences.append(plural(len(subscribed.tags), "{n:,} tag added.", "{n:,} tags added."))
    if failed:
        sentences.append(plural(failed, "{n:,} feed couldn't be read.", "{n:,} feeds couldn't be read."))
    if subscribed.refused:
        sentences.append(plural(len(subscribed.refused), "{n:,} URL isn't valid.", "{n:,} URLs aren't valid."))
    if left:
        left_over = plural(left, "{n:,} feed is still to be read", "{n:,} feeds are still to be read")
        sentences.append(_("{feeds}: the next refresh does that.", feeds=left_over))
    return " ".join(sentences)
