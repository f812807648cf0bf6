"""What rules download and delete now: which episodes are wanted most, which of them fit, and why. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field

from player.library.search.title_filter import title_passes
from player.model.downloads import Candidate, Coming, Offer, Refusal, Rule, Source, Stored, Trashed
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import ANY_EPISODE, AS_ALL_DOWNLOADS, EpisodeTest, PodcastDownloads

DAY_MS = 24 * 60 * 60_000
TRASH_MS = DAY_MS
"""How long a clean-up can be undone."""


class Cleaning(Struct, frozen=True):
    """When downloads of rules are deleted; None: never. Both in days; 0 after playing means at once."""

    days_after_playing: int | None = None
    days: int | None = None


class Limits(Struct, frozen=True):
    """`most`: how many bytes all downloads of rules may take; None: no limit. `keep_free`: how many bytes stay free on
    the disk."""

    most: int | None = None
    keep_free: int = 0


class State(Struct, frozen=True):
    """Everything on which the rules decide. `sizes` are the sizes of files that were downloaded before. `open`: whether
    rules may download at this hour. `test` applies to the newest episodes of podcasts and of the inbox."""

    now: int
    free: int
    offers: tuple[Offer, ...] = ()
    stored: tuple[Stored, ...] = ()
    trash: tuple[Trashed, ...] = ()
    coming: tuple[Coming, ...] = ()
    refused: Mapping[EpisodeId, Refusal] = field(default_factory=dict)
    sizes: Mapping[EpisodeId, int] = field(default_factory=dict)
    podcasts: Mapping[PodcastId, PodcastDownloads] = field(default_factory=dict)
    test: EpisodeTest = ANY_EPISODE
    limits: Limits = Limits()
    cleaning: Cleaning = Cleaning()
    open: bool = True
    slots: int = 1_000_000
    """How many more downloads may be begun now."""

    def of_podcast(self, podcast_id: PodcastId) -> PodcastDownloads:
        return self.podcasts.get(podcast_id, AS_ALL_DOWNLOADS)


class Wanted(Struct, frozen=True):
    """An episode that a rule wants as a download, and its size, as far as it is known."""

    episode_id: EpisodeId
    rule: Rule
    size: int


class Cause(StrEnum):
    """Why a rule deletes a download."""

    PLAYED = "played"
    OLD = "old"
    ROOM = "room"


class Removal(Struct, frozen=True):
    """A download that is moved to the trash."""

    episode_id: EpisodeId
    size: int
    cause: Cause


class Obstacle(StrEnum):
    """Why a wanted download isn't begun now."""

    HOURS = "hours"
    LIMIT = "limit"
    DISK = "disk"
    TURN = "turn"
    """Other episodes come first."""


class Held(Struct, frozen=True):
    wanted: Wanted
    obstacle: Obstacle


class Plan(Struct, frozen=True):
    """What to do now, in this order: `remove` to the trash, `purge` from the trash for good, `drop` (downloads that
    wait for a rule that is gone, or for the next hours), `restore` from the trash, `begin`. `held` are wanted as well,
    but aren't begun now. `next_at`: when something else becomes due; None: never."""

    remove: tuple[Removal, ...] = ()
    purge: tuple[EpisodeId, ...] = ()
    drop: tuple[EpisodeId, ...] = ()
    restore: tuple[Wanted, ...] = ()
    begin: tuple[Wanted, ...] = ()
    held: tuple[Held, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    next_at: int | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do now."""
        return not (self.remove or self.purge or self.drop or self.restore or self.begin)


_BYTES_OF_A_SECOND = 16_000
"""At 128 kbit/s, for a feed that says how long an episode is, but not how large."""
_UNKNOWN = 60_000_000
_LEAST, _MOST = 100_000, 20_000_000_000
_LEAST_OF_A_SECOND, _MOST_OF_A_SECOND = 700, 1_000_000
"""The limits within which a size given by a feed is believed."""


def wanted(state: State) -> tuple[Wanted, ...]:
    """Each episode once, for the first rule that wants it: first the queue, then lists, the inbox, podcasts. The newest
    episodes of all podcasts come before their second newest."""
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
    """The episodes of an offer that its rule wants, in its order. Played episodes count among the newest of a podcast,
    though none is downloaded; of a list only unplayed episodes count."""
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
    """The probable size of its file in bytes."""
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


def plan(state: State) -> Plan:
    """What to do now."""
    return _Planning(state).made()


def due_at(one: Stored, cleaning: Cleaning) -> tuple[int, Cause] | None:
    """When a clean-up deletes that download, and why; None: never. Protections aren't considered here."""
    if not one.rule:
        return None
    times = []
    if one.played_at is not None and cleaning.days_after_playing is not None:
        times.append((one.played_at + cleaning.days_after_playing * DAY_MS, Cause.PLAYED))
    if cleaning.days is not None:
        times.append((one.at + cleaning.days * DAY_MS, Cause.OLD))
    return min(times, default=None)


def is_protected(one: Stored) -> bool:
    return not one.rule or one.protection is not None


class _Planning:
    """The downloads and the disk as they will be once the decisions made so far are carried out."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._limits = state.limits
        self._wanted = wanted(state)
        self._places = {one.episode_id: place for place, one in enumerate(self._wanted)}
        self._stored = {one.episode_id: one for one in state.stored}
        self._evictable = {one.episode_id: one for one in state.stored if not is_protected(one)}
        self._trash = {one.episode_id: one for one in sorted(state.trash, key=lambda one: (one.at, one.episode_id))}
        coming = [one for one in state.coming if not one.rule or self._stays(one)]
        self._coming = {one.episode_id for one in coming}
        self._dropped = tuple(one.episode_id for one in state.coming if one.episode_id not in self._coming)
        self._free = state.free - sum(one.left for one in coming)
        self._taken = sum(one.size for one in state.stored if one.rule) + sum(one.size for one in coming if one.rule)
        self._removed: list[Removal] = []
        self._purged: list[EpisodeId] = []
        self._restored: list[Wanted] = []
        self._begun: list[Wanted] = []
        self._held: list[Held] = []

    def made(self) -> Plan:
        self._clean_up()
        self._keep_within_limit()
        self._keep_disk_free()
        settled = self._coming | {one.episode_id for one in self._removed if one.cause is not Cause.ROOM}
        for one in self._wanted:
            if one.episode_id not in self._stored and one.episode_id not in settled:
                self._want(one)
        return Plan(
            tuple(self._removed),
            tuple(self._purged),
            self._dropped,
            tuple(self._restored),
            tuple(self._begun),
            tuple(self._held),
            self._wanted,
            self._next_at(),
        )

    def _stays(self, one: Coming) -> bool:
        """Whether a download for a rule is still wanted. After the hours running downloads are completed, but none are
        begun."""
        return one.episode_id in self._places and (self._state.open or one.left < one.size)

    # -- in time ----------------------------------------------------------------------------------------------

    def _clean_up(self) -> None:
        now, cleaning = self._state.now, self._state.cleaning
        for trashed in list(self._trash.values()):
            if trashed.at + TRASH_MS <= now:
                self._purge(trashed.episode_id)
        for one in self._state.stored:
            due = None if is_protected(one) else due_at(one, cleaning)
            if due is not None and due[0] <= now:
                self._remove(one, due[1])

    def _next_at(self) -> int | None:
        due = (due_at(one, self._state.cleaning) for one in self._stored.values() if not is_protected(one))
        times = [when for when, _cause in filter(None, due)]
        return min([*times, *(one.at + TRASH_MS for one in self._trash.values())], default=None)

    # -- room -------------------------------------------------------------------------------------------------

    def _keep_within_limit(self) -> None:
        """Needed when the limit was lowered, or when a file was larger than its feed said."""
        for one in self._victims(-1):
            if self._over_limit(0) <= 0:
                return
            self._remove(one, Cause.ROOM)

    def _keep_disk_free(self) -> None:
        """A download that a rule still wants isn't deleted because something else fills the disk."""
        for one in (None, *(one for one in self._victims(-1) if one.episode_id not in self._places)):
            if one is not None and self._short_on_disk(0) > 0:
                self._remove(one, Cause.ROOM)
            self._empty_trash(0)

    def _want(self, one: Wanted) -> None:
        """Begins the download, if there is room, or if room can be made by deleting less wanted downloads."""
        in_trash = one.episode_id in self._trash
        if not in_trash and not self._state.open:
            self._held.append(Held(one, Obstacle.HOURS))
            return
        if not in_trash and len(self._begun) >= self._state.slots:
            self._held.append(Held(one, Obstacle.TURN))
            return
        on_disk = 0 if in_trash else one.size
        trash = sum(trashed.size for trashed in self._trash.values())
        over, short = self._over_limit(one.size), 0 if in_trash else self._short_on_disk(on_disk) - trash
        needed, to_be_had = max(over, short), sum(victim.size for victim in self._evictable.values())
        victims: list[Stored] = []
        if 0 < needed <= to_be_had:
            victims = self._victims(self._places[one.episode_id])
            to_be_had = sum(victim.size for victim in victims)
        if needed > to_be_had:
            self._held.append(Held(one, Obstacle.LIMIT if over > to_be_had else Obstacle.DISK))
            return
        for victim in _enough(victims, needed):
            self._remove(victim, Cause.ROOM)
        self._taken += one.size
        if in_trash:
            del self._trash[one.episode_id]
            self._restored.append(one)
        else:
            self._empty_trash(on_disk)
            self._free -= on_disk
            self._begun.append(one)

    def _victims(self, place: int) -> list[Stored]:
        """The downloads that may be deleted for the episode at that index: first those that no rule wants any more,
        oldest first, then less wanted ones, least wanted first."""
        found = list(self._evictable.values())
        unwanted = [one for one in found if one.episode_id not in self._places]
        less = [one for one in found if self._places.get(one.episode_id, -1) > place]
        unwanted.sort(key=lambda one: (one.played_at is None, one.at, one.episode_id))
        less.sort(key=lambda one: -self._places[one.episode_id])
        return unwanted + less

    def _over_limit(self, more: int) -> int:
        """By how many bytes the downloads of rules would exceed their limit."""
        return 0 if self._limits.most is None else self._taken + more - self._limits.most

    def _short_on_disk(self, more: int) -> int:
        """By how many bytes the free space would fall short."""
        return self._limits.keep_free + more - self._free

    def _empty_trash(self, for_bytes: int) -> None:
        """Oldest files first, until there is enough room."""
        for episode_id in list(self._trash):
            if self._short_on_disk(for_bytes) <= 0:
                return
            self._purge(episode_id)

    def _remove(self, one: Stored, cause: Cause) -> None:
        del self._stored[one.episode_id], self._evictable[one.episode_id]
        self._taken -= one.size
        self._removed.append(Removal(one.episode_id, one.size, cause))
        self._trash[one.episode_id] = Trashed(one.episode_id, one.size, self._state.now)

    def _purge(self, episode_id: EpisodeId) -> None:
        self._free += self._trash.pop(episode_id).size
        self._purged.append(episode_id)


def _enough(victims: Sequence[Stored], size: int) -> list[Stored]:
    """The first of them that together have that size, without any that could stay nevertheless."""
    found: list[Stored] = []
    left = size
    for one in victims:
        if left <= 0:
            break
        found.append(one)
        left -= one.size
    for one in reversed(found[:]):
        if left + one.size <= 0:
            found.remove(one)
            left += one.size
    return found
