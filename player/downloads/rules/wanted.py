"""Which episodes the rules want, the most wanted first."""

from collections.abc import Iterator, Sequence

from player.downloads.rules.records import State, Wanted
from player.library.search.title_filter import title_passes
from player.model.downloads.facts import Candidate, Offer, Refusal, Source
from player.model.podcast_settings import EpisodeTest

_BYTES_OF_A_SECOND = 16_000
"""At 128 kbit/s, where a feed says how long an episode is, but not how large."""
_UNKNOWN = 60_000_000
_LEAST, _MOST = 100_000, 20_000_000_000
_LEAST_OF_A_SECOND, _MOST_OF_A_SECOND = 700, 1_000_000
"""What a feed says of a file's size is believed within these."""


def wanted(state: State) -> tuple[Wanted, ...]:
    """Each episode once, for the first rule that wants it: what is queued, then lists, the inbox, podcasts. The newest
    of all podcasts come before their second newest."""
    found: dict[int, Wanted] = {}
    sizes = dict(state.sizes)
    sizes.update((one.episode_id, one.size) for one in state.trash)
    sizes.update((one.episode_id, one.size) for one in state.stored)
    for offer, one in (*_in_turn(state), *_by_date(state)):
        if one.episode_id not in found and not _is_refused(state, offer, one):
            size = sizes.get(one.episode_id) or estimated(one)
            found[one.episode_id] = Wanted(one.episode_id, offer.rule, size)
    return tuple(found.values())


def chosen(state: State, offer: Offer) -> list[Candidate]:
    """Those of an offer that its rule means, in its order. Played episodes are among the newest of a podcast, though
    none is downloaded; of a list only the unplayed count."""
    source, most = offer.rule.source, offer.rule.most
    some = [one for one in offer.candidates if not state.of_podcast(one.podcast_id).never]
    if source is Source.QUEUE:
        return some[:most]
    if source is Source.LIST:
        return [one for one in some if not one.played][:most]
    fitting = (one for one in some if passes(one, state.test) and passes(one, state.of_podcast(one.podcast_id).test))
    return [one for one, _place in zip(fitting, range(most), strict=False) if not one.played]


def passes(one: Candidate, test: EpisodeTest) -> bool:
    """An episode whose length is unknown is neither long nor short."""
    if test.at_least_ms is not None and (one.duration_ms is None or one.duration_ms < test.at_least_ms):
        return False
    if test.under_ms is not None and (one.duration_ms is None or one.duration_ms >= test.under_ms):
        return False
    return title_passes(one.title, test.include, test.exclude)


def estimated(one: Candidate) -> int:
    """How many bytes its file probably has."""
    seconds = (one.duration_ms or 0) / 1000
    if one.size is not None and _LEAST <= one.size <= _MOST:
        is_likely = not seconds or _LEAST_OF_A_SECOND <= one.size / seconds <= _MOST_OF_A_SECOND
        if is_likely:
            return one.size
    return min(_MOST, max(_LEAST, int(seconds * _BYTES_OF_A_SECOND))) if seconds > 0 else _UNKNOWN


def _in_turn(state: State) -> Iterator[tuple[Offer, Candidate]]:
    for source in (Source.QUEUE, Source.LIST, Source.INBOX):
        for offer in state.offers:
            if offer.rule.source is source:
                yield from ((offer, one) for one in chosen(state, offer))


def _by_date(state: State) -> Sequence[tuple[Offer, Candidate]]:
    found = [
        (place, -one.sort, one.episode_id, offer, one)
        for offer in state.offers
        if offer.rule.source is Source.PODCAST
        for place, one in enumerate(chosen(state, offer))
    ]
    found.sort(key=lambda entry: entry[:3])
    return [(offer, one) for _place, _date, _id, offer, one in found]


def _is_refused(state: State, offer: Offer, one: Candidate) -> bool:
    refusal = state.refused.get(one.episode_id)
    return refusal is not None and not (refusal is Refusal.CLEANED and offer.rule.source is Source.QUEUE)
