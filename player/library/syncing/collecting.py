"""Makes actions of the changes on this device, in the caller's transaction."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from player.library.database.values import as_json
from player.library.syncing import applying, log, outbox
from player.library.syncing.log import Named, named
from player.library.syncing.names_here import AT_ONCE, PodcastsHere, episodes_here, find, last_span, with_state
from player.library.syncing.own_actions import Device, own_action
from player.merging.fold import fold
from player.model.listening import ActKind
from player.model.podcast import PodcastId
from player.model.syncing import EpisodeState, FactKind

_OF_EPISODES = "what IN ('position', 'played')"
_OF_FACTS = "what IN ('star', 'queue', 'bookmark', 'segment', 'settings', 'dismissed')"


class Dirty(NamedTuple):
    """What triggers have noted: for each episode, when its mark was changed (None: only its position was); podcasts;
    and kinds of facts."""

    episodes: dict[int, int | None]
    podcasts: frozenset[PodcastId]
    facts: frozenset[FactKind]


def dirty(connection: sqlite3.Connection, most: int = -1) -> Dirty:
    """Everything that was noted; or the podcasts, and `most` of the episodes."""
    rows = connection.execute(f"SELECT DISTINCT id FROM sync_changed WHERE {_OF_EPISODES} LIMIT ?", (most,))
    episodes = _noted(connection, [number for (number,) in rows])
    podcasts = connection.execute("SELECT id FROM sync_changed WHERE what = 'podcast'").fetchall()
    facts = connection.execute(f"SELECT DISTINCT what FROM sync_changed WHERE {_OF_FACTS}").fetchall()
    kinds = frozenset(FactKind(what) for (what,) in facts)
    return Dirty(episodes, frozenset(PodcastId(row[0]) for row in podcasts), kinds)


def _noted(connection: sqlite3.Connection, ids: Sequence[int]) -> dict[int, int | None]:
    """The given episodes that have changed, as in Dirty."""
    episodes: dict[int, int | None] = {}
    rows = connection.execute(
        "SELECT c.what, c.id, c.changed_at FROM json_each(?) j CROSS JOIN sync_changed c ON c.id = j.value"
        f" WHERE {_OF_EPISODES}",
        (as_json(ids),),
    )
    for what, number, changed_at in rows.fetchall():
        if what == "played":
            episodes[number] = changed_at
        else:
            episodes.setdefault(number, None)
    return episodes


def is_dirty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sync_changed LIMIT 1").fetchone() is not None


def clean_collected(connection: sqlite3.Connection) -> None:
    """Clears the noted podcasts and facts; `clean_episodes` clears the episodes."""
    connection.execute("DELETE FROM sync_changed WHERE what = 'podcast'")
    connection.execute(f"DELETE FROM sync_changed WHERE {_OF_FACTS}")


def clean(connection: sqlite3.Connection) -> None:
    """Clears every change, as all are collected now; except spans, of which some may be left."""
    connection.execute("DELETE FROM sync_changed WHERE what <> 'span'")


def clean_episodes(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """Clears the changes of these episodes."""
    rows = [(one,) for one in ids]
    connection.executemany(f"DELETE FROM sync_changed WHERE {_OF_EPISODES} AND id = ?", rows)


def begin(connection: sqlite3.Connection) -> None:
    """Marks all podcasts as new, so that everything done with their episodes before is collected; of dismissals only
    the ones that can still be undone."""
    connection.execute(
        "INSERT INTO sync_changed (what, id, changed_at)"
        " VALUES ('podcast', 0, 0), ('star', 0, 0), ('queue', 0, 0), ('bookmark', 0, 0), ('segment', 0, 0),"
        " ('settings', 0, 0)"
    )
    connection.execute(
        "INSERT OR IGNORE INTO sync_changed (what, id, changed_at) SELECT 'dismissed', a.episode_id, 0"
        " FROM act_episodes a CROSS JOIN acts ON acts.id = a.act_id"
        " WHERE acts.kind = ? AND acts.undone = 0 AND a.arrived_at IS NOT NULL",
        (ActKind.DISMISSED,),
    )


def collect_episodes(
    connection: sqlite3.Connection,
    podcasts: PodcastsHere,
    device: Device,
    changed: Mapping[int, int | None],
    now: int,
) -> int:
    """Returns the number of new actions, in the log and in the outbox."""
    count, unapplied = 0, applying.held(connection)
    ids = list(changed)
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        known = log.of_episodes(connection, some)
        made: list[tuple[int, Named]] = []
        for here in episodes_here(connection, some):
            name = here.name(podcasts)
            if name is None:
                continue
            actions = known[here.id]
            seen = unapplied.get(here.id) or (fold(actions) if actions else EpisodeState())
            span = last_span(connection, here.id)
            action = own_action(here, name, changed[here.id], actions, seen, span, device, now)
            if action is not None:
                made.append((here.id, named(action)))
                if here.id in unapplied:
                    applying.hold(connection, here)
        log.add(connection, made)
        outbox.add_actions(connection, [one.id for _episode, one in made])
        count += len(made)
    return count


def match(connection: sqlite3.Connection, podcasts: PodcastsHere, waiting: Sequence[Named]) -> set[int]:
    """Assigns waiting actions to their episodes, as far as these are in the library now. Returns the episodes."""
    found = find(connection, podcasts, waiting)
    log.match(connection, [(found[one.id], one) for one in waiting if one.id in found])
    return set(found.values())


def match_podcasts(
    connection: sqlite3.Connection,
    podcasts: PodcastsHere,
    ids: Iterable[PodcastId],
    device: Device,
    now: int,
) -> set[int]:
    """Like `match`, for podcasts that are new here, or known by another address. Listening on this device is collected
    before the waiting actions are assigned."""
    matched: set[int] = set()
    for podcast_id in ids:
        waiting = log.waiting(connection, podcasts.keys(podcast_id))
        heard = with_state(connection, podcast_id)
        collect_episodes(connection, podcasts, device, dict.fromkeys(heard, 0) | _noted(connection, heard), now)
        clean_episodes(connection, heard)
        matched |= match(connection, podcasts, waiting)
    return matched


def hold(connection: sqlite3.Connection, ids: Iterable[int]) -> None:
    """The next pull applies the actions of these episodes."""
    for here in episodes_here(connection, ids):
        applying.hold(connection, here)
