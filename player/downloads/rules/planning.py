"""What is to be downloaded and what deleted now. Pure.

The plan never deletes what is protected, never lets the downloads of rules grow beyond their limit or the disk fill up,
and makes room before it begins anything. Followed again and again while nothing else happens it comes to rest.
"""

from collections.abc import Sequence

from player.downloads.rules.records import (
    DAY_MS,
    TRASH_MS,
    Cause,
    Cleaning,
    Held,
    Obstacle,
    Plan,
    Removal,
    State,
    Wanted,
)
from player.downloads.rules.wanted import wanted
from player.model.downloads.facts import Coming, Stored, Trashed
from player.model.episode import EpisodeId


def plan(state: State) -> Plan:
    """What to do now."""
    return _Planning(state).made()


def due_at(one: Stored, cleaning: Cleaning) -> tuple[int, Cause] | None:
    """When a clean-up deletes that download, and why; None: it never does. What protects it isn't asked here."""
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
    """The downloads and the disk as they will be once what is decided so far is done."""

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
        """Whether what comes for a rule is still wanted. After the hours what runs already ends, but nothing begins."""
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
        """After the limit was lowered, or a file was larger than its feed said."""
        for one in self._victims(-1):
            if self._over_limit(0) <= 0:
                return
            self._remove(one, Cause.ROOM)

    def _keep_disk_free(self) -> None:
        """What rules still want isn't deleted because something else fills the disk."""
        for one in (None, *(one for one in self._victims(-1) if one.episode_id not in self._places)):
            if one is not None and self._short_on_disk(0) > 0:
                self._remove(one, Cause.ROOM)
            self._empty_trash(0)

    def _want(self, one: Wanted) -> None:
        """Begins it, if there is room, or room can be made by deleting what is wanted less."""
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
        """What may be deleted for the episode at that place: what no rule wants any more, the oldest download first,
        then what is wanted less, the least first."""
        found = list(self._evictable.values())
        unwanted = [one for one in found if one.episode_id not in self._places]
        less = [one for one in found if self._places.get(one.episode_id, -1) > place]
        unwanted.sort(key=lambda one: (one.played_at is None, one.at, one.episode_id))
        less.sort(key=lambda one: -self._places[one.episode_id])
        return unwanted + less

    def _over_limit(self, more: int) -> int:
        """By how many bytes the downloads of rules would be over their limit."""
        return 0 if self._limits.most is None else self._taken + more - self._limits.most

    def _short_on_disk(self, more: int) -> int:
        """How many bytes too few would be free."""
        return self._limits.keep_free + more - self._free

    def _empty_trash(self, for_bytes: int) -> None:
        """The oldest first, as far as it takes."""
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
    """The first of them that have that size together, without those that could stay all the same."""
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
