"""The account that this library syncs with, the progress of syncing, and the known devices."""

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec.structs import astuple

from player.library.database.values import check_kinds, moment_maybe, stored
from player.model.syncing import KnownDevice, SyncAccount, SyncState
from player.text.cleaning import clean_line

MOST_DEVICES = 1_000
_ROOM_FOR_DEVICE = (
    f"((SELECT count(*) FROM sync_devices) < {MOST_DEVICES} OR EXISTS (SELECT 1 FROM sync_devices WHERE id = ?1))"
)
"""Whether the device ?1 may be stored: one that is known always may."""
_LONGEST_NAME = 80
_ACCOUNT = "target, address, user, device, name, step_ms, has_facts"
_STATE = "cursor, is_merged, pulled_whole_at, succeeded_at, failed_at, failure, what, advice, failures"
_TABLES = (
    "account",
    "devices",
    "changed",
    "outbox",
    "actions",
    "held",
    "subscriptions",
    "moves",
    "facts",
    "spans",
    "spans_of_others",
)


def account(connection: sqlite3.Connection) -> SyncAccount | None:
    row = connection.execute(f"SELECT {_ACCOUNT} FROM sync_account").fetchone()
    if row is None:
        return None
    *texts, step_ms, has_facts = row
    check_kinds(texts, (step_ms, has_facts))
    target, address, user, device, name = texts
    return SyncAccount(target, address, user, device, name, step_ms, bool(has_facts))


def has_account(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sync_account").fetchone() is not None


def put(connection: sqlite3.Connection, wanted: SyncAccount) -> None:
    """Replaces any earlier account; the progress of syncing stays."""
    connection.execute(
        f"INSERT INTO sync_account (id, {_ACCOUNT}) VALUES (1, ?, ?, ?, ?, ?, ?, ?)"
        f" ON CONFLICT DO UPDATE SET ({_ACCOUNT}) = (excluded.target, excluded.address, excluded.user,"
        " excluded.device, excluded.name, excluded.step_ms, excluded.has_facts)",
        astuple(wanted),
    )
    name_devices(connection, {wanted.device: wanted.name})


def forget(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM sync_{table}")


# -- how far it has come --------------------------------------------------------------------------------------


def state(connection: sqlite3.Connection) -> SyncState:
    row = connection.execute(f"SELECT {_STATE} FROM sync_account").fetchone()
    if row is None:
        return SyncState()
    cursor, is_merged, whole_at, succeeded_at, failed_at, failure, what, advice, failures = row
    check_kinds((cursor, failure, what, advice), (is_merged, whole_at, succeeded_at, failed_at, failures))
    moments = moment_maybe(whole_at), moment_maybe(succeeded_at), moment_maybe(failed_at)
    return SyncState(cursor, bool(is_merged), *moments, failure, what, advice, failures)


def start_over(connection: sqlite3.Connection) -> None:
    """For a target that knows nothing, or a different target."""
    connection.execute("UPDATE sync_account SET cursor = '', pulled_whole_at = NULL")


def pulled(connection: sqlite3.Connection, cursor: str, whole_at: datetime | None) -> None:
    """`whole_at`: when everything was pulled; None if only the changes since the cursor were."""
    connection.execute("UPDATE sync_account SET cursor = ?, is_merged = 1", (cursor,))
    if whole_at is not None:
        connection.execute("UPDATE sync_account SET pulled_whole_at = ?", (stored(whole_at),))


def move_on(connection: sqlite3.Connection, cursor: str) -> None:
    """Stores another cursor, unless everything has to be pulled again."""
    connection.execute("UPDATE sync_account SET cursor = ? WHERE cursor <> ''", (cursor,))


def succeeded(connection: sqlite3.Connection, now: datetime) -> None:
    connection.execute(
        "UPDATE sync_account SET succeeded_at = ?, failed_at = NULL, failure = '', what = '', advice = '',"
        " failures = 0",
        (stored(now),),
    )


def failed(connection: sqlite3.Connection, now: datetime, failure: str, what: str, advice: str) -> None:
    connection.execute(
        "UPDATE sync_account SET failed_at = ?, failure = ?, what = ?, advice = ?, failures = failures + 1",
        (stored(now), failure, what, advice),
    )


# -- devices --------------------------------------------------------------------------------------------------


def devices(connection: sqlite3.Connection) -> list[KnownDevice]:
    rows = connection.execute("SELECT id, name, last_at FROM sync_devices ORDER BY last_at DESC, id").fetchall()
    for number, name, last_at in rows:
        check_kinds((number, name), (last_at,))
    return [KnownDevice(number, name, moment_maybe(last_at)) for number, name, last_at in rows]


def name_devices(connection: sqlite3.Connection, names: Mapping[str, str]) -> None:
    known = [(one, clean_line(name, _LONGEST_NAME)) for one, name in names.items() if one]
    connection.executemany(
        f"INSERT INTO sync_devices (id, name) SELECT ?1, ?2 WHERE {_ROOM_FOR_DEVICE}"
        " ON CONFLICT DO UPDATE SET name = excluded.name WHERE excluded.name <> ''",
        known,
    )


def heard_of(connection: sqlite3.Connection, moments: Iterable[tuple[str, int]], now: int) -> None:
    """Stores devices and when each was last heard of, which is `now` at the latest."""
    connection.executemany(
        f"INSERT INTO sync_devices (id, last_at) SELECT ?1, ?2 WHERE {_ROOM_FOR_DEVICE}"
        " ON CONFLICT DO UPDATE SET last_at = max(coalesce(last_at, 0), excluded.last_at)",
        [(device, min(at, now)) for device, at in moments if device],
    )


def date_anew(connection: sqlite3.Connection, now: int) -> None:
    """If the clock was ahead when a device was heard of, the time isn't known."""
    connection.execute("UPDATE sync_devices SET last_at = NULL WHERE last_at > ?", (now,))
