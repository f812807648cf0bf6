"""The episodes that download rules choose from: a few of each source, however large the library is."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from player.library.download_rules.facts import DownloadFacts
from player.model.downloads.facts import Candidate, Offer, Rule, Source
from player.model.filters import View, ViewName, ViewSettings
from player.model.podcast import PodcastId
from player.model.podcast_settings import ANY_EPISODE, EpisodeTest, PodcastDownloads

if TYPE_CHECKING:
    from player.library import Library

MOST_LOOKED_AT = 100
"""Episodes of a podcast among which those are looked for that a rule with a filter means."""

_AT_FIRST = 10
"""More than a rule wants: often that is enough for its filter."""


class General(Struct, frozen=True):
    """How many of the queue, of the inbox and of every podcast rules download; 0: none. `test` is for the newest."""

    queue: int = 0
    inbox: int = 0
    newest: int = 0
    test: EpisodeTest = ANY_EPISODE


def offers(
    library: "Library",
    facts: DownloadFacts,
    general: General,
    podcasts: dict[PodcastId, PodcastDownloads],
    fits: Callable[[Candidate], bool] = lambda _one: True,
) -> tuple[Offer, ...]:
    """What each rule that there is chooses from. `fits` tells the episodes that filters let through: where they leave
    too few of a podcast, more of it is looked at. Raises LibraryError."""
    found = list(_ids(library, facts, general, podcasts))
    known = facts.candidates(list(dict.fromkeys(one for _rule, ids in found for one in ids)))
    for at, (rule, ids) in enumerate(found):
        if rule.source is Source.PODCAST and len(ids) > rule.most > sum(map(fits, _known(known, ids))):
            more = library.episodes.ids(_newest_of(rule), rule.most + MOST_LOOKED_AT)
            known.update(facts.candidates(more))
            found[at] = (rule, more)
    return tuple(Offer(rule, tuple(_known(known, ids))) for rule, ids in found)


def _known(known: dict[int, Candidate], ids: Sequence[int]) -> Iterator[Candidate]:
    return (known[one] for one in ids if one in known)


def _ids(
    library: "Library", facts: DownloadFacts, general: General, podcasts: dict[PodcastId, PodcastDownloads]
) -> Iterator[tuple[Rule, Sequence[int]]]:
    nothing_of = sum(one.never for one in podcasts.values())
    if general.queue:
        ids = library.queue.ids()
        yield Rule(Source.QUEUE, general.queue), ids[: general.queue + (MOST_LOOKED_AT if nothing_of else 0)]
    chosen = facts.lists()
    for saved in library.lists.all() if chosen else ():
        if most := chosen.get(saved.id):
            unplayed = library.listing(View.of_list(saved.id).shown(ViewSettings(hide_played=True)))
            yield Rule(Source.LIST, most, saved.id, saved.title), unplayed.page(0, most + MOST_LOOKED_AT)
    if general.inbox:
        yield Rule(Source.INBOX, general.inbox), library.inbox.ids()[: general.inbox + MOST_LOOKED_AT]
    if general.newest or any(one.newest for one in podcasts.values()):
        yield from _newest(library, general, podcasts)


def _newest(
    library: "Library", general: General, podcasts: dict[PodcastId, PodcastDownloads]
) -> Iterator[tuple[Rule, Sequence[int]]]:
    for podcast in library.podcasts.all():
        own = podcasts.get(podcast.id, PodcastDownloads())
        if most := general.newest if own.newest is None else own.newest:
            is_filtered = (own.test, general.test) != (ANY_EPISODE, ANY_EPISODE)
            rule = Rule(Source.PODCAST, most, podcast.id, podcast.title)
            yield rule, library.episodes.ids(_newest_of(rule), most + _AT_FIRST * is_filtered)


def _newest_of(rule: Rule) -> View:
    return View.of(ViewName.PODCAST, PodcastId(rule.number))
