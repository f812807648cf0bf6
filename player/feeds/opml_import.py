"""Imports a list of subscriptions: first all are added to the library at once, then their feeds are read."""

from collections.abc import Sequence
from dataclasses import dataclass

from player.errors import AlreadySubscribed, BadAddress
from player.feeds.opml import Outline
from player.feeds.storage import FeedLibrary
from player.feeds.subscribe import feed_address
from player.model.podcast import PodcastId
from player.text.sentences import _, plural


@dataclass(frozen=True, slots=True)
class Subscribed:
    """`added` in the list's order; `known` were there before, `unread` those of them whose feeds were never read.
    `refused` aren't addresses: the text and a sentence.
    """

    added: tuple[PodcastId, ...] = ()
    known: int = 0
    unread: tuple[PodcastId, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


def subscribe_all(library: FeedLibrary, outlines: Sequence[Outline]) -> Subscribed:
    """Subscribes to all in one transaction, with the list's titles; feeds are not read here. Raises LibraryError."""
    added: list[PodcastId] = []
    unread: list[PodcastId] = []
    refused: list[tuple[str, str]] = []
    known = 0
    with library.transaction():
        for outline in outlines:
            try:
                url = feed_address(outline.url)
                added.append(library.podcasts.add(url, outline.title).id)
            except AlreadySubscribed:
                known += 1
                podcast = library.podcasts.by_url(url)
                unread += [podcast.id] if podcast and podcast.last_refreshed is None else []
            except BadAddress as error:
                refused.append((outline.title or outline.url, str(error)))
    new = set(added)
    return Subscribed(
        tuple(added), known, tuple(one for one in dict.fromkeys(unread) if one not in new), tuple(refused)
    )


def import_report(subscribed: Subscribed, failed: int, left: int) -> str:
    """The result of an import in sentences. `failed` feeds couldn't be read, `left` aren't read yet."""
    sentences = [plural(len(subscribed.added), "{n:,} podcast added.", "{n:,} podcasts added.")]
    if subscribed.known:
        sentences.append(plural(subscribed.known, "{n:,} was already there.", "{n:,} were already there."))
    if failed:
        sentences.append(plural(failed, "{n:,} feed couldn't be read.", "{n:,} feeds couldn't be read."))
    if subscribed.refused:
        sentences.append(plural(len(subscribed.refused), "{n:,} URL isn't valid.", "{n:,} URLs aren't valid."))
    if left:
        left_over = plural(left, "{n:,} feed is still to be read", "{n:,} feeds are still to be read")
        sentences.append(_("{feeds}: the next refresh does that.", feeds=left_over))
    return " ".join(sentences)
