"""Imports a list of subscriptions: first all are added to the library at once, then their feeds are read."""

from collections.abc import Sequence

from msgspec import Struct

from player.errors import AlreadySubscribed, BadAddress
from player.feeds.opml import Outline
from player.feeds.storage import FeedLibrary
from player.feeds.subscribe import feed_address
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _, plural


class Subscribed(Struct, frozen=True):
    """`added` in the list's order; `known` were there before, `unread` those of them whose feeds were never read.
    `refused` aren't addresses: the text and a sentence. `tagged` got `tags` that they didn't have.
    """

    added: tuple[PodcastId, ...] = ()
    known: int = 0
    unread: tuple[PodcastId, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    tagged: tuple[PodcastId, ...] = ()
    tags: frozenset[str] = frozenset()


def subscribe_all(library: FeedLibrary, outlines: Sequence[Outline]) -> Subscribed:
    """Subscribes to all in one transaction, with the list's titles and tags, and with the listener's own titles where
    Earmark wrote the list. Those that are known get the tags too, and keep their titles. Feeds are not read here.
    Raises LibraryError."""
    added: list[PodcastId] = []
    unread: list[PodcastId] = []
    refused: list[tuple[str, str]] = []
    known = 0
    tags: dict[PodcastId, tuple[str, ...]] = {}
    with library.transaction():
        for outline in outlines:
            try:
                url = feed_address(outline.url)
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
