"""Syncing, as far as the library is concerned: changes become actions, and other devices' actions become positions and
marks."""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import stored
from player.library.history.spans import truncate_log
from player.library.incoming import Settled
from player.library.listening.acts import Acts
from player.library.syncing import account, applying, collecting, facts, log, outbox, shared_spans, subscribing
from player.library.syncing.arranged_podcasts import ArrangedPodcasts
from player.library.syncing.log import Named, named
from player.library.syncing.names_here import PodcastsHere, find
from player.library.syncing.own_actions import Device
from player.links.addresses import url_key
from player.merging.clock import furthest
from player.merging.fold import fold
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Part
from player.model.podcast import PodcastId
from player.model.syncing import (
    Action,
    Carried,
    EpisodeState,
    Fact,
    FactKind,
    KnownDevice,
    Outgoing,
    Pulled,
    Pushed,
    SyncAccount,
    SyncCounts,
    SyncPlan,
    SyncState,
    Taken,
)

_PARTS = (Part.PLAYED, Part.QUEUE, Part.INBOX, Part.POSITION)
_AT_ONCE = 5_000
"""Episodes collected in one transaction: 0.3 s, during which a position has to wait to be saved."""


class _OnlyPlanned(Exception):
    """Rolls back the transaction that found out what syncing would do."""


class Syncing:
    """Every method that writes is one transaction, on the disk when it returns. Without an account nothing is collected
    or applied."""

    def __init__(self, connections: Connections, acts: Acts, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._acts = acts
        self._now = now

    # -- the account ------------------------------------------------------------------------------------------

    def account(self) -> SyncAccount | None:
        with self._connections.reading() as connection:
            return account.account(connection)

    def set_account(self, wanted: SyncAccount) -> None:
        """From now on changes are collected, beginning with the whole library. The same account may get another name;
        with another account everything begins again."""
        with self._connections.writing() as connection:
            before = account.account(connection)
            if before is None or _meeting(before) != _meeting(wanted):
                account.forget(connection)
                collecting.begin(connection)
                if wanted.has_facts:
                    shared_spans.note_all(connection)
            account.put(connection, wanted)

    def forget_account(self) -> None:
        """Ends syncing and deletes everything stored for it. Episodes and podcasts stay as they are."""
        with self._connections.writing() as connection:
            account.forget(connection)

    # -- state ------------------------------------------------------------------------------------------------

    def state(self) -> SyncState:
        with self._connections.reading() as connection:
            return account.state(connection)

    def succeeded(self, now: datetime) -> None:
        """Everything was pulled and sent."""
        with self._connections.writing() as connection:
            account.succeeded(connection, now)

    def failed(self, now: datetime, failure: str, what: str, advice: str = "") -> None:
        """`failure` is a value of `SyncFailure`."""
        with self._connections.writing() as connection:
            account.failed(connection, now, failure, what, advice)

    def counts(self) -> SyncCounts:
        with self._connections.reading() as connection:
            wanted = account.account(connection)
            awaited = log.awaited(connection, besides=wanted.device if wanted else None)
            return SyncCounts(outbox.count(connection), outbox.count_refused(connection), awaited)

    def refusals(self, limit: int = 20) -> list[str]:
        """A sentence for each of the last entries that the target refused for good, latest first."""
        with self._connections.reading() as connection:
            return outbox.refusals(connection, limit)

    def devices(self) -> list[KnownDevice]:
        """The known devices, including this one, latest first."""
        with self._connections.reading() as connection:
            return account.devices(connection)

    def name_devices(self, names: Mapping[str, str]) -> None:
        """The names that people have given to devices, by the devices' ids, as a target knows them."""
        with self._connections.writing() as connection:
            account.name_devices(connection, names)

    # -- from here --------------------------------------------------------------------------------------------

    def collect(self, now: datetime) -> int:
        """Makes actions of everything that has changed here since the last time; one per episode, however often it was
        saved. Returns the number of new entries in the outbox."""
        count = 0
        seconds: Counter[int] = Counter()
        while True:
            with self._connections.reading() as connection:
                if not account.has_account(connection) or not collecting.is_dirty(connection):
                    return count
            with self._connections.writing() as connection:
                wanted = account.account(connection)
                if wanted is None:
                    return count
                before = outbox.newest(connection)
                podcasts = PodcastsHere(connection)
                self._collect(connection, podcasts, _device(wanted, seconds), stored(now), _AT_ONCE)
                count += outbox.count(connection, since=before)

    def outgoing(self, limit: int, carries: Set[Carried]) -> Outgoing:
        """The next entries to send: up to `limit` actions, subscriptions and facts each, oldest first. Entries that the
        target doesn't carry leave the outbox."""
        with self._connections.reading() as connection:
            found = outbox.outgoing(connection, limit)
        uncarried = outbox.uncarried(found, carries)
        if not uncarried:
            return found
        with self._connections.writing() as connection:
            outbox.drop(connection, uncarried)
        return self.outgoing(limit, carries)

    def add_sounds(self, around: Callable[[EpisodeId, int, int], str]) -> None:
        """Adds the sound around them to positions that wait to be sent. `around` is called with an episode, a position
        in ms, and the number of its audio; it returns "" if it doesn't know the sound."""
        with self._connections.reading() as connection:
            rows = outbox.without_sound(connection)
        sounds = [(number, episode_id, around(episode_id, *heard)) for number, episode_id, *heard in rows]
        if known := [one for one in sounds if one[2]]:
            with self._connections.writing() as connection:
                log.set_sounds(connection, [(sound, number) for number, _episode, sound in known])
                log.forget_sounds(connection, [episode_id for _number, episode_id, _sound in known])

    def sent(self, pushed: Pushed) -> None:
        """Called with the same value again, it changes nothing."""
        with self._connections.writing() as connection:
            outbox.sent(connection, pushed)
            if pushed.cursor:
                account.move_on(connection, pushed.cursor)
            if pushed.moved:
                wanted = account.account(connection)
                podcasts = PodcastsHere(connection)
                new = podcasts.add_moves(pushed.moved)
                if wanted is not None and new:
                    self._match(connection, podcasts, new, _device(wanted), stored(self._now()))

    def forgot(self) -> None:
        """The target has lost its contents: everything of this device has to be sent again, and everything pulled
        again."""
        with self._connections.writing() as connection:
            wanted = account.account(connection)
            if wanted is not None:
                account.start_over(connection)
                outbox.add_actions(connection, log.of_device(connection, wanted.device))
                subscribing.put_back(connection, _device(wanted))
                facts.put_back(connection, _device(wanted))
                if wanted.has_facts:
                    shared_spans.put_back(connection)

    # -- from others ------------------------------------------------------------------------------------------

    def plan(
        self,
        pulled: Pulled,
        now: datetime,
        wanted: SyncAccount | None = None,
        carries: Set[Carried] = frozenset(Carried),
    ) -> SyncPlan:
        """What `take` would change here, and what would be sent after it; with the account `wanted`, if the account is
        to be changed to one whose target carries `carries`. Changes nothing."""
        found = SyncPlan()
        try:
            with self._connections.writing() as connection:
                if wanted is not None:
                    self.set_account(wanted)
                here = self.take(pulled, now)
                if carries < frozenset(Carried):
                    outbox.drop(connection, outbox.uncarried(outbox.outgoing(connection, limit=-1), carries))
                found = replace(outbox.planned(connection), here=replace(here, act_id=0))
                raise _OnlyPlanned
        except _OnlyPlanned:
            return found

    def take(self, pulled: Pulled, now: datetime, playing: Set[EpisodeId] = frozenset()) -> Taken:
        """Stores the actions of other devices and applies the resulting states, after collecting all changes made here
        since; stores the cursor. `playing` episodes aren't moved. Actions whose episode isn't here yet wait for its
        feed. Anything dated more than a year ahead is left out, until everything is pulled again and its time has come.
        """
        until = furthest(stored(now))
        pulled = replace(
            pulled,
            actions=tuple(one for one in pulled.actions if one.at <= until),
            subscriptions=tuple(one for one in pulled.subscriptions if one.at <= until),
            facts=tuple(one for one in pulled.facts if one.at <= until),
        )
        if pulled.is_whole:
            self._date_anew(until, stored(now))
        self.collect(now)
        heard = self._take_history(pulled.facts, stored(now))
        with self._connections.writing() as connection:
            wanted = account.account(connection)
            if wanted is None:
                return Taken()
            device, at = _device(wanted), stored(now)
            podcasts = PodcastsHere(connection)
            self._collect(connection, podcasts, device, at)
            renamed = podcasts.add_moves(pulled.moved) | subscribing.take(connection, podcasts, pulled, device, at)
            self._match(connection, podcasts, renamed, device, at)
            ids, waiting = self._keep(connection, podcasts, pulled.actions, device, at)
            if pulled.is_whole:  # whatever the target has lost is sent again
                said = [named(one) for one in map(log.possible, pulled.actions) if one is not None]
                found = find(connection, podcasts, said)
                outbox.add_actions(connection, log.unsaid(connection, device.id, said, found))
            is_first = not account.state(connection).is_merged
            ids |= applying.held_ids(connection)
            with self._first_act(ids) if is_first else nullcontext() as act_id:
                applied = applying.apply(connection, _states(connection, ids), at, playing, act_id)
            shelf = ArrangedPodcasts(self._connections)
            log.forget_sounds(connection, ids - {one.id for one in applied.held})
            others = facts.take(connection, podcasts, shelf, pulled.facts, at, touched=ids, playing=playing)
            subscribe, unsubscribe = subscribing.to_do(connection, podcasts)
            added = {podcasts.family(url_key(one.podcast)) for one in subscribe}
            account.pulled(connection, pulled.cursor, now if pulled.is_whole else None)
            collecting.clean(connection)
        return Taken(
            applied.changed,
            applied.held,
            subscribe,
            unsubscribe,
            applied.inbox or others.inbox,
            applied.queue or others.queue,
            tuple(sorted({*others.episodes, *heard})),
            others.arranged,
            unmatched=log.count_episodes(map(_names, waiting)),
            coming=log.count_episodes(_names(one) for one in waiting if podcasts.family(one.podcast_key) in added),
            act_id=act_id if act_id and applied.changed else 0,
            segments=others.segments,
        )

    def settle(self, podcast_id: PodcastId) -> Settled:
        """Applies what waited for episodes that are in the library now. Part of the enclosing transaction."""
        with self._connections.writing() as connection:
            wanted = account.account(connection)
            if wanted is None:
                return Settled()
            podcasts, now = PodcastsHere(connection), stored(self._now())
            shared_spans.settle(connection, podcasts, podcasts.keys(podcast_id), _device(wanted))
            dismissed = facts.settle(connection, podcasts)
            if not log.waiting(connection, podcasts.keys(podcast_id)):
                return Settled(decided=frozenset(dismissed))
            ids = collecting.match_podcasts(connection, podcasts, [podcast_id], _device(wanted), now)
            states = _states(connection, ids)
            applied = applying.apply(connection, states, now)
            collecting.clean_episodes(connection, [one.id for one in applied.changed])
        known = frozenset(one for one, state in states.items() if state.played or state.position_ms)
        return Settled(applied.inbox, applied.queue, known | dismissed)

    # -- inside -----------------------------------------------------------------------------------------------

    def _date_anew(self, until: int, now: int) -> None:
        """Actions and facts dated by a clock that was further ahead than other devices accept, made here or taken over
        then, are reported again with the present time."""
        with self._connections.writing() as connection:
            wanted = account.account(connection)
            if wanted is not None:
                account.date_anew(connection, now)
                log.date_anew(connection, until, now)
                subscribing.date_anew(connection, _device(wanted), until, now)
                shared_spans.date_anew(connection, until, now)
                facts.date_anew(connection, _device(wanted), until, now)

    def _collect(
        self, connection: sqlite3.Connection, podcasts: PodcastsHere, device: Device, now: int, most: int = -1
    ) -> None:
        """Collects everything that has changed, or the podcasts and `most` of the episodes."""
        changed = collecting.dirty(connection, most)
        new = subscribing.collect(connection, podcasts, device, now) if changed.podcasts else set()
        collecting.collect_episodes(connection, podcasts, device, changed.episodes, now)
        collecting.clean_episodes(connection, changed.episodes)
        if changed.podcasts:
            self._match(connection, podcasts, new | changed.podcasts, device, now)
        if device.has_facts:
            kinds = facts.KINDS if changed.podcasts else changed.facts
            facts.collect(connection, podcasts, ArrangedPodcasts(self._connections), device, kinds, now)
            shared_spans.collect(connection, podcasts, device, now)
        else:
            shared_spans.drop_noted(connection)
        collecting.clean_collected(connection)

    def _match(
        self, connection: sqlite3.Connection, podcasts: PodcastsHere, ids: Set[PodcastId], device: Device, now: int
    ) -> None:
        """The next pull applies what waited for these podcasts."""
        collecting.hold(connection, collecting.match_podcasts(connection, podcasts, ids, device, now))
        if shared_spans.is_waiting(connection):
            shared_spans.settle(connection, podcasts, {key for one in ids for key in podcasts.keys(one)}, device)

    def _keep(
        self,
        connection: sqlite3.Connection,
        podcasts: PodcastsHere,
        actions: Sequence[Action],
        device: Device,
        now: int,
    ) -> tuple[set[int], list[Named]]:
        """Returns the episodes with new actions, and the actions that wait for their episodes."""
        possible = [one for one in map(log.possible, actions) if one is not None]
        account.heard_of(connection, [(one.device, one.at) for one in possible], now)
        new = log.unknown(connection, map(named, possible))
        found = find(connection, podcasts, new)
        new = log.without_echoes(connection, new, found, device.id)
        room, room_unmatched = log.room(connection)
        matched = [(found[one.id], one) for one in new if one.id in found][:room]
        waiting = [one for one in new if one.id not in found][:room_unmatched]
        log.add(connection, [*matched, *((None, one) for one in waiting)])
        return {episode_id for episode_id, _one in matched}, waiting

    def _take_history(self, said: Sequence[Fact], now: int) -> set[EpisodeId]:
        """Uses several transactions, because a history of three years takes seconds. Taking a span twice changes
        nothing."""
        forgotten = [one for one in said if one.kind is FactKind.FORGOTTEN]
        changed: set[EpisodeId] = set()
        for batch in (forgotten, *shared_spans.batches(said)):
            if not batch:
                continue
            with self._connections.writing() as connection:
                wanted = account.account(connection)
                if wanted is None or not wanted.has_facts:
                    break
                device, podcasts = _device(wanted), PodcastsHere(connection)
                is_first = not account.state(connection).is_merged
                changed |= shared_spans.take_forgotten(connection, batch, device, now, is_first=is_first)
                changed |= shared_spans.take(connection, podcasts, batch, device)
            if batch is forgotten and changed:
                truncate_log(self._connections)
        return changed

    def _first_act(self, ids: Set[int]) -> AbstractContextManager[int]:
        return self._acts.recorded(ActKind.SYNCED, [EpisodeId(one) for one in sorted(ids)], *_PARTS)


def _device(wanted: SyncAccount, seconds: Counter[int] | None = None) -> Device:
    """If the account stores whole seconds, `seconds` counts the actions of this device in each, for a caller that
    collects in several steps."""
    counted = None if wanted.step_ms == 1 else Counter[int]() if seconds is None else seconds
    return Device(wanted.device, wanted.step_ms, counted, wanted.has_facts)


def _names(one: Named) -> tuple[str, str, str]:
    return one.podcast_key, one.action.episode.url, one.action.episode.guid


def _meeting(wanted: SyncAccount) -> tuple[str, str, str, bool]:
    """What identifies a meeting point of devices, and whether facts are shared there. Another meeting point has other
    devices."""
    return wanted.target, wanted.address, wanted.user, wanted.has_facts


def _states(connection: sqlite3.Connection, ids: Iterable[int]) -> dict[int, EpisodeState]:
    return {one: fold(actions) for one, actions in log.of_episodes(connection, sorted(ids)).items()}
