"""Where the episodes that a feed has brought go: into the inbox, into the queue, or nowhere."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from player.library.database.values import stored
from player.library.listening.inbox import Inbox
from player.library.listening.queue import Queue
from player.library.podcast_settings import PodcastSettingsStore
from player.library.search.title_filter import title_passes
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes

_LATE_MS = timedelta(days=7) // timedelta(milliseconds=1)
"""How much older than the newest known episode a new episode may be. Older episodes are the back catalogue."""
_DAY_MS = 24 * 60 * 60_000


class Arrival(NamedTuple):
    """An episode that a feed has brought; `sort` is its date, or stands for it, in ms since 1970."""

    id: EpisodeId
    title: str
    sort: int


class Known(NamedTuple):
    """The dates of the oldest and the newest episode that a podcast already had."""

    oldest: int
    newest: int


class Landed(NamedTuple):
    """Whether the inbox and the queue have changed."""

    inbox: bool = False
    queue: bool = False


class Settled(Protocol):
    """`decided` are the episodes about which the listener has decided in another app."""

    @property
    def decided(self) -> frozenset[int]: ...

    @property
    def inbox(self) -> bool: ...

    @property
    def queue(self) -> bool: ...


Settle = Callable[[PodcastId], Settled]
"""Applies what another app knew about episodes that have arrived."""


def arrivals_to_keep(
    found: Sequence[Arrival], known: Known | None, rules: NewEpisodeRules, now_ms: int
) -> list[EpisodeId]:
    """The episodes that go where the rules say, oldest first. `known` is None when the feed was read for the first
    time: then only the newest. Episodes of the back catalogue are left out."""
    chosen = [one for one in found if _is_new(one, known, now_ms) and _passes(one, rules, now_ms)]
    chosen.sort(key=lambda one: one.sort)
    if known is None or rules.only_newest:
        chosen = [next(one for one in chosen if one.sort == chosen[-1].sort)] if chosen else []
    return [one.id for one in chosen]


def _is_new(one: Arrival, known: Known | None, now_ms: int) -> bool:
    # A date in the future must not make all later episodes seem old.
    return known is None or one.sort >= max(known.oldest, min(known.newest, now_ms) - _LATE_MS)


def _passes(one: Arrival, rules: NewEpisodeRules, now_ms: int) -> bool:
    if rules.age_limit_days is not None and one.sort < now_ms - rules.age_limit_days * _DAY_MS:
        return False
    return title_passes(one.title, rules.include, rules.exclude)


class Arrivals:
    """Its writes are part of the enclosing transaction. Unless `uses_inbox()`, nothing goes into the inbox. `settle` is
    called before any new episode goes anywhere.
    """

    def __init__(
        self,
        settings: PodcastSettingsStore,
        inbox: Inbox,
        queue: Queue,
        now: Callable[[], datetime],
        uses_inbox: Callable[[], bool],
        settle: Settle,
    ) -> None:
        self._settings = settings
        self._inbox = inbox
        self._queue = queue
        self._now = now
        self._uses_inbox = uses_inbox
        self._settle = settle

    def settle(self, podcast_id: PodcastId) -> Landed:
        """Applies what another app knew about episodes that are in the library now."""
        settled = self._settle(podcast_id)
        return Landed(settled.inbox, settled.queue)

    def land(self, podcast_id: PodcastId, found: Sequence[Arrival], known: Known | None) -> Landed:
        """Puts the episodes that a feed has brought where the podcast's rules say, unless another app has already
        decided about them."""
        if not found:
            return Landed()
        settled = self._settle(podcast_id)
        rest = self._land(podcast_id, found, known, settled.decided)
        return Landed(settled.inbox or rest.inbox, settled.queue or rest.queue)

    def _land(
        self, podcast_id: PodcastId, found: Sequence[Arrival], known: Known | None, decided: frozenset[int]
    ) -> Landed:
        rules = self._settings.new_episodes(podcast_id)
        if rules.to is NewEpisodes.NOWHERE:
            return Landed()
        ids = [one for one in arrivals_to_keep(found, known, rules, stored(self._now())) if one not in decided]
        if not ids:
            return Landed()
        if rules.to is NewEpisodes.QUEUE:
            return Landed(queue=bool(self._queue.add_last(ids, by_rule=True)))
        if rules.to is NewEpisodes.NEXT:
            return Landed(queue=bool(self._queue.add_next(ids, by_rule=True)))
        if not self._uses_inbox():
            return Landed()
        if rules.only_newest:
            self._inbox.remove_older_of(podcast_id, ids[0])
        return Landed(inbox=bool(self._inbox.add(ids)))
