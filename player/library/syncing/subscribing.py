"""Subscriptions on all devices: changes made here, and changes by other devices. The caller adds and removes
podcasts."""

import json
import sqlite3
from typing import NamedTuple

from player.library.database.values import check_kinds
from player.library.syncing import outbox
from player.library.syncing.names_here import PodcastsHere
from player.library.syncing.own_actions import Device
from player.links.addresses import spellings, url_key
from player.merging.clock import next_at
from player.merging.same_podcast import Moves
from player.merging.subscriptions import Standing, SubscriptionPlan, plan_subscriptions
from player.model.podcast import PodcastId
from player.model.syncing import Pulled, SubscriptionChange
from player.text.cleaning import clean_line

MOST_KNOWN = 50_000
_LONGEST_TITLE = 300


class _Known(NamedTuple):
    podcast: str
    guid: str
    title: str
    is_subscribed: bool
    is_here: bool
    is_known: bool
    at: int
    device: str


def collect(connection: sqlite3.Connection, podcasts: PodcastsHere, device: Device, now: int) -> set[PodcastId]:
    """Collects new and ended subscriptions. Returns the podcasts that are new here."""
    known = _all(connection)
    new: set[PodcastId] = set()
    # A podcast that is new here may be one that was unsubscribed from with a clock that was ahead, and that has moved.
    ended_at = max((one.at for one in known.values() if not one.is_subscribed), default=0)
    for podcast_id, address in podcasts.addresses.items():
        keys = [url_key(address), *(podcasts.keys(podcast_id) - {url_key(address)})]
        there = sorted(
            (key for key in keys if key in known),
            key=lambda key: (not known[key].is_here, not known[key].is_subscribed),
        )
        before = known[there[0]] if there else None
        if (before and before.is_here) or not podcasts.is_shared(before.podcast if before else address):
            continue
        new.add(podcast_id)
        if before and before.is_subscribed:
            known[there[0]] = before._replace(is_here=True)
            _put(connection, there[0], known[there[0]])
            continue
        at = next_at(now, before.at if before else ended_at, device.step_ms)
        guid, title = _described(connection, podcast_id)
        name = before.podcast if before else address
        _change(connection, _Known(name, guid, title, True, True, False, at, device.id))
    for key, before in known.items():
        if before.is_here and podcasts.podcast(key) is None:
            at = next_at(now, before.at, device.step_ms)
            gone = before._replace(is_here=False)
            if before.is_subscribed:
                _change(connection, gone._replace(is_subscribed=False, is_known=False, at=at, device=device.id))
            else:
                _put(connection, key, gone)
    return new


def take(
    connection: sqlite3.Connection, podcasts: PodcastsHere, pulled: Pulled, device: Device, now: int
) -> set[PodcastId]:
    """Takes over the changes of other devices, unless a later change here overrides them. Returns the podcasts that are
    known by more addresses now."""
    if not pulled.subscriptions and not pulled.is_whole:
        return set()
    elsewhere = [one.podcast for one in pulled.subscriptions]
    spelled = podcasts.add_aliases((one, other) for one in elsewhere for other in spellings(one) - {one})
    known = _all(connection)
    standings = [
        Standing(one.podcast, one.is_subscribed, one.at, one.device, one.is_known, one.guid, one.title)
        for one in known.values()
    ]
    plan = plan_subscriptions(
        standings, pulled.subscriptions, podcasts.moves, podcasts.aliases, is_whole=pulled.is_whole
    )
    _keep(connection, known, plan)
    outbox.add_other(connection, "", [url_key(one.podcast) for one in plan.standings if not one.acknowledged])
    for address in plan.remove_again:
        before = known.get(url_key(address)) or _Known(address, "", "", False, False, False, 0, device.id)
        at = next_at(now, before.at, device.step_ms)
        _change(connection, before._replace(is_subscribed=False, is_known=False, at=at, device=device.id))
    missing = [key for key in map(url_key, plan.missing) if key in known]
    connection.executemany("UPDATE sync_subscriptions SET is_known = 0 WHERE key = ?", [(key,) for key in missing])
    outbox.add_other(connection, "", missing)
    return spelled | podcasts.add_aliases(plan.aliases)


def to_do(
    connection: sqlite3.Connection, podcasts: PodcastsHere
) -> tuple[tuple[SubscriptionChange, ...], tuple[PodcastId, ...]]:
    """The subscriptions that other devices have added and removed, and that haven't been changed here yet."""
    subscribe: list[SubscriptionChange] = []
    unsubscribe: list[PodcastId] = []
    moved = Moves(podcasts.moves)
    for key, one in _all(connection).items():
        here = podcasts.podcast(key)
        if one.is_subscribed and here is None:
            address = moved.present(one.podcast)
            subscribe.append(SubscriptionChange(address, True, one.at, one.device, one.title, one.guid))
        elif not one.is_subscribed and one.is_here and here is not None:
            unsubscribe.append(here)
    return tuple(subscribe), tuple(unsubscribe)


def date_anew(connection: sqlite3.Connection, device: Device, until: int, now: int) -> None:
    """Changes that are dated later than `until` are dated `now`. This device's are sent again."""
    rows = connection.execute("SELECT key FROM sync_subscriptions WHERE at > ? AND device = ?", (until, device.id))
    keys = [key for (key,) in rows.fetchall()]
    connection.executemany("UPDATE sync_subscriptions SET is_known = 0 WHERE key = ?", [(key,) for key in keys])
    connection.execute("UPDATE sync_subscriptions SET at = ? WHERE at > ?", (now, until))
    outbox.add_other(connection, "", keys)


def put_back(connection: sqlite3.Connection, device: Device) -> None:
    """All subscription changes of this device are to be sent again."""
    which = "is_here = 1 AND is_subscribed = 1 OR is_subscribed = 0 AND device = ?"
    keys = [row[0] for row in connection.execute(f"SELECT key FROM sync_subscriptions WHERE {which}", (device.id,))]
    connection.executemany("UPDATE sync_subscriptions SET is_known = 0 WHERE key = ?", [(key,) for key in keys])
    outbox.add_other(connection, "", keys)


def _all(connection: sqlite3.Connection) -> dict[str, _Known]:
    rows = connection.execute(
        "SELECT key, podcast, guid, title, is_subscribed, is_here, is_known, at, device FROM sync_subscriptions"
    ).fetchall()
    for row in rows:
        check_kinds((*row[:4], row[8]), row[4:8])
    return {row[0]: _Known(*row[1:4], *map(bool, row[4:7]), *row[7:]) for row in rows}


def _keep(connection: sqlite3.Connection, known: dict[str, _Known], plan: SubscriptionPlan) -> None:
    for ours, theirs in plan.renamed:
        former = url_key(ours)
        known[url_key(theirs)] = known.pop(former)._replace(podcast=theirs)
        connection.execute("DELETE FROM sync_subscriptions WHERE key = ?", (former,))
        connection.execute("DELETE FROM sync_outbox WHERE action_id IS NULL AND kind = '' AND key = ?", (former,))
    room = MOST_KNOWN - len(known)
    for one in plan.standings:
        key = url_key(one.podcast)
        if key not in known and (room := room - 1) < 0:
            continue
        is_here = known[key].is_here if key in known else False
        title = clean_line(one.title, _LONGEST_TITLE)
        row = _Known(one.podcast, one.guid, title, one.subscribed, is_here, one.acknowledged, one.at, one.device)
        _put(connection, key, row)
        if one.acknowledged:
            connection.execute("DELETE FROM sync_outbox WHERE action_id IS NULL AND kind = '' AND key = ?", (key,))


def _change(connection: sqlite3.Connection, row: _Known) -> None:
    """Stores a change that is to be sent."""
    key = url_key(row.podcast)
    _put(connection, key, row)
    outbox.add_other(connection, "", [key])


def _put(connection: sqlite3.Connection, key: str, row: _Known) -> None:
    connection.execute(
        "INSERT OR REPLACE INTO sync_subscriptions"
        " (key, podcast, guid, title, is_subscribed, is_here, is_known, at, device) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, *row[:3], *map(int, row[3:6]), *row[6:]),
    )


def _described(connection: sqlite3.Connection, podcast_id: PodcastId) -> tuple[str, str]:
    """The guid that the feed gives (Podcasting 2.0), and its title."""
    title, extra = connection.execute("SELECT title, extra FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
    check_kinds((title, extra))
    guid = json.loads(extra).get("guid", {}).get("text", "") if '"guid"' in extra else ""
    return str(guid), title
