"""The acts that can be undone. With each act the library stores the state of its episodes before it and, once the act
is undone, the state after it."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import takewhile

from msgspec.structs import replace

from player.errors import AlreadySubscribed
from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, moment, stored
from player.library.listening import act_podcasts, act_positions, act_rows, removed_podcasts
from player.library.listening.inbox import note_decisions
from player.model.episode import EpisodeId
from player.model.listening import Act, ActKind, BookmarkId, Part, Reverted
from player.model.podcast import PodcastId
from player.model.segments import SegmentId
from player.text.sentences import _, plural


def reverted_words(reverted: Reverted) -> str:
    """The undone or redone act as a sentence without its full stop."""
    words = undone_words if reverted.is_undone else redone_words
    return words(reverted.act.kind, reverted.act.title, reverted.act.count)


def undone_words(kind: ActKind, title: str, count: int) -> str:
    return _("Undone: {act}", act=act_words(kind, title, count))


def redone_words(kind: ActKind, title: str, count: int) -> str:
    return _("Redone: {act}", act=act_words(kind, title, count))


def act_words(kind: ActKind, title: str, count: int) -> str:
    """In the past tense, as after "Undone:". `title` is that of the only episode, or of the podcast."""
    match kind:
        case ActKind.PLAYED:
            return plural(count, "marked “{title}” as played", "marked {n:,} episodes as played", title=title)
        case ActKind.UNPLAYED:
            return plural(count, "marked “{title}” as unplayed", "marked {n:,} episodes as unplayed", title=title)
        case ActKind.STARRED:
            return plural(count, "starred “{title}”", "starred {n:,} episodes", title=title)
        case ActKind.UNSTARRED:
            return plural(count, "unstarred “{title}”", "unstarred {n:,} episodes", title=title)
        case ActKind.QUEUED:
            return plural(count, "queued “{title}”", "queued {n:,} episodes", title=title)
        case ActKind.QUEUED_NEXT:
            return plural(count, "queued “{title}” to play next", "queued {n:,} episodes to play next", title=title)
        case ActKind.UNQUEUED:
            return plural(
                count, "removed “{title}” from the queue", "removed {n:,} episodes from the queue", title=title
            )
        case ActKind.MOVED:
            return _("moved “{title}” in the queue", title=title)
        case ActKind.SORTED:
            return _("sorted the queue")
        case ActKind.SHUFFLED:
            return _("shuffled the queue")
        case ActKind.MIXED:
            return _("mixed the queue")
        case ActKind.CLEARED:
            return plural(count, "cleared the queue (“{title}”)", "cleared the queue ({n:,} episodes)", title=title)
        case ActKind.SKIPPED:
            return _("skipped “{title}”", title=title)
        case ActKind.DISMISSED:
            return plural(count, "dismissed “{title}”", "dismissed {n:,} episodes", title=title)
        case ActKind.UNSUBSCRIBED:
            return plural(count, "unsubscribed from “{title}”", "unsubscribed from {n:,} podcasts", title=title)
        case ActKind.BOOKMARKED:
            return _("bookmarked “{title}”", title=title)
        case ActKind.BOOKMARK_DELETED:
            return plural(count, "deleted the bookmark in “{title}”", "deleted {n:,} bookmarks", title=title)
        case ActKind.SEGMENT_MARKED:
            return plural(count, "marked a segment in “{title}”", "marked {n:,} segments", title=title)
        case ActKind.SEGMENT_CHANGED:
            return plural(count, "changed a segment in “{title}”", "changed {n:,} segments", title=title)
        case ActKind.SEGMENT_DELETED:
            return plural(count, "deleted the segment in “{title}”", "deleted {n:,} segments", title=title)
        case ActKind.TAGGED:
            return plural(count, "changed the tags of “{title}”", "changed the tags of {n:,} podcasts", title=title)
        case ActKind.RENAMED:
            return plural(count, "renamed “{title}”", "renamed {n:,} podcasts", title=title)
        case ActKind.PINNED:
            return plural(count, "pinned “{title}”", "pinned {n:,} podcasts", title=title)
        case ActKind.UNPINNED:
            return plural(count, "unpinned “{title}”", "unpinned {n:,} podcasts", title=title)
        case ActKind.IMPORTED:
            return plural(
                count,
                "imported what another app knew of “{title}”",
                "imported what another app knew of {n:,} episodes",
                title=title,
            )
        case ActKind.SYNCED:
            return plural(
                count,
                "synced “{title}” from other devices",
                "synced {n:,} episodes from other devices",
                title=title,
            )
        case ActKind.DOWNLOADS_DELETED:
            return plural(count, "deleted the download of “{title}”", "deleted {n:,} downloads", title=title)


MOST_KEPT = 50
"""The most acts that can be undone, one after the other."""
_NOW = -1
"""The id for the present state while it is exchanged with a stored one."""
MOST_EPISODES = 1_000_000
"""The most episodes of all acts together. The last act is kept whatever its size."""
_UNCHANGED = {
    Part.PLAYED: "played = (SELECT e.played FROM episodes e WHERE e.id = episode_id)",
    Part.STARRED: "starred = (SELECT e.starred FROM episodes e WHERE e.id = episode_id)",
    Part.QUEUE: "rank IS (SELECT q.rank FROM queue q WHERE q.episode_id = act_episodes.episode_id)",
    Part.INBOX: "arrived_at IS (SELECT i.arrived_at FROM inbox i WHERE i.episode_id = act_episodes.episode_id)",
    Part.POSITION: "NOT EXISTS (SELECT 1 FROM act_positions p WHERE p.act_id = act_episodes.act_id"
    " AND p.episode_id = act_episodes.episode_id)",
}
_LOOKED_AT_ONCE = 500


class Acts:
    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    @contextmanager
    def recorded(self, kind: ActKind, ids: Sequence[EpisodeId], *parts: Part, onto: int | None = None) -> Iterator[int]:
        """Everything written inside to `parts` of these episodes is one act: one transaction, which also stores the
        state before it. With `onto`, an act of the same kind, it becomes part of that act, if nothing else has been
        done or undone since.

        Yields the act's id. An act that changed nothing, or nothing in the end, isn't kept. Acts that were undone
        before can't be redone from here on.
        """
        with self._connections.writing() as connection:
            act_id = onto if onto is not None and _is_last(connection, onto) else self._begin(connection, kind, parts)
            _capture(connection, act_id, ids)
            yield act_id
            _forget_the_unchanged(connection, act_id, parts)
            _finish(connection, act_id, changed=_title(connection, act_id, ids))

    @contextmanager
    def recorded_bookmarks(self, kind: ActKind, ids: Sequence[BookmarkId] = ()) -> Iterator[None]:
        """Like `recorded`, for changes to these bookmarks, and for bookmarks made inside."""
        with self._recorded_rows(act_rows.BOOKMARKS, kind, Part.BOOKMARKS, ids):
            yield

    @contextmanager
    def recorded_segments(self, kind: ActKind, ids: Sequence[SegmentId] = ()) -> Iterator[None]:
        """Like `recorded`, for changes to these segments, and for segments made inside."""
        with self._recorded_rows(act_rows.SEGMENTS, kind, Part.SEGMENTS, ids):
            yield

    @contextmanager
    def _recorded_rows(self, of: act_rows.Kept, kind: ActKind, part: Part, ids: Sequence[int]) -> Iterator[None]:
        with self._connections.writing() as connection:
            act_id = self._begin(connection, kind, (part,))
            newest = act_rows.newest(connection, of)
            act_rows.capture(connection, of, act_id, ids)
            yield
            act_rows.capture_made(connection, of, act_id, newest)
            _finish(connection, act_id, changed=act_rows.finish(connection, of, act_id))

    @contextmanager
    def recorded_podcasts(self, kind: ActKind, ids: Sequence[PodcastId], *parts: Part) -> Iterator[None]:
        """Like `recorded`, for changes to the tags, titles and pins of these podcasts."""
        with self._connections.writing() as connection:
            act_id = self._begin(connection, kind, parts)
            act_podcasts.capture(connection, act_id, ids)
            yield
            _finish(connection, act_id, changed=act_podcasts.finish(connection, act_id))

    @contextmanager
    def recorded_downloads(self) -> Iterator[int]:
        """Like `recorded`, for downloads moved aside inside. It isn't an act of the listener's: everything that could
        be redone can still be redone afterwards."""
        with self._connections.writing() as connection:
            act_id = self._begin(connection, ActKind.DOWNLOADS_DELETED, (Part.DOWNLOADS,))
            yield act_id
            from player.library.listening import act_downloads

            changed = act_downloads.finish(connection, act_id)
            _finish(connection, act_id, changed=changed, ends_redo=False)

    def unsubscribe(self, podcast_id: PodcastId, at: datetime | None = None) -> str | None:
        """Removes the podcast with all that belongs to it, packed for `undo`, and returns its title. If the podcast is
        gone, nothing happens: None. Podcasts with the same `at` are undone and redone together."""
        with self._connections.writing() as connection:
            row = connection.execute(
                "SELECT coalesce(nullif(own_title, ''), title) FROM podcasts WHERE id = ?", (podcast_id,)
            ).fetchone()
            if row is None:
                return None
            act_id = self._begin(connection, ActKind.UNSUBSCRIBED, (), at)
            _remove(connection, act_id, podcast_id)
            connection.execute("UPDATE acts SET title = ?, count = 1 WHERE id = ?", (row[0], act_id))
            _finish(connection, act_id, changed=True)
            return str(row[0])

    def to_remove_again(self) -> list[PodcastId]:
        """The podcasts that `redo` would remove, if redoing means removing podcasts."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT kind, at, removed FROM acts WHERE undone = 1 ORDER BY id").fetchall()
        alike = takewhile(lambda row: row[:2] == (ActKind.UNSUBSCRIBED, rows[0][1]), rows)
        return [removed_podcasts.podcast_of(row[2]) for row in alike]

    def last(self) -> Act | None:
        """The act that `undo` would undo."""
        return self._next("WHERE undone = 0 ORDER BY id DESC")

    def undo(self) -> Reverted | None:
        """Takes back the last act that wasn't undone; None when there is none.

        Raises AlreadySubscribed for a podcast that can't come back, as it was added again and used; that act is then
        dropped, so that the acts before it can be undone.
        """
        return self._revert_together("WHERE undone = 0 ORDER BY id DESC", undone=True)

    def redo(self) -> Reverted | None:
        """Redoes the act that was undone last; None if none was, or if something else has been done since."""
        return self._revert_together("WHERE undone = 1 ORDER BY id", undone=False)

    def _revert_together(self, which: str, *, undone: bool) -> Reverted | None:
        """Reverts the next act, together with all other podcasts that another device unsubscribed from in one go."""
        first = self._revert_or_forget(which, undone=undone)
        if first is None or first.act.kind is not ActKind.UNSUBSCRIBED:
            return first
        together: list[Reverted] = []
        while (following := self._next(which)) and (following.kind, following.at) == (first.act.kind, first.act.at):
            with suppress(AlreadySubscribed):
                together += filter(None, [self._revert_or_forget(which, undone=undone)])
        return replace(first, act=replace(first.act, count=1 + len(together)), together=tuple(together))

    def _revert_or_forget(self, which: str, *, undone: bool) -> Reverted | None:
        try:
            return self._revert(which, undone=undone)
        except AlreadySubscribed:
            with self._connections.writing() as connection:
                _forget(connection, f"SELECT id FROM acts {which} LIMIT 1")
            raise

    def _next(self, which: str) -> Act | None:
        with self._connections.reading() as connection:
            row = connection.execute(f"{_ACT} {which} LIMIT 1").fetchone()
            return _act(row) if row else None

    def _begin(
        self, connection: sqlite3.Connection, kind: ActKind, parts: Sequence[Part], at: datetime | None = None
    ) -> int:
        cursor = connection.execute(
            "INSERT INTO acts (at, kind, title, count, parts) VALUES (?, ?, '', 0, ?)",
            (stored(at or self._now()), kind, " ".join(parts)),
        )
        return cursor.lastrowid or 0

    def _revert(self, which: str, *, undone: bool) -> Reverted | None:
        with self._connections.writing() as connection:
            row = connection.execute(f"{_ACT} {which} LIMIT 1").fetchone()
            if row is None:
                return None
            act, parts = _act(row), [Part(part) for part in row[5].split()]
            if act.kind is ActKind.UNSUBSCRIBED:
                return self._revert_unsubscribing(connection, act, undone=undone)
            ids = [EpisodeId(one) for (one,) in connection.execute(_EPISODES_OF, (act.id,))]
            _capture(connection, _NOW, ids)
            _apply(connection, act.id, parts)
            if Part.INBOX in parts:
                note_decisions(connection, ids)
            connection.execute("DELETE FROM act_episodes WHERE act_id = ?", (act.id,))
            connection.execute("UPDATE act_episodes SET act_id = ? WHERE act_id = ?", (act.id, _NOW))
            act_rows.change_sides(connection, act_rows.BOOKMARKS, act.id)
            ids += act_rows.change_sides(connection, act_rows.SEGMENTS, act.id)
            act_positions.change_sides(connection, act.id, undone=undone)
            arranged = act_podcasts.change_sides(connection, act.id, parts)
            if act.kind is ActKind.DOWNLOADS_DELETED:
                from player.library.listening import act_downloads

                ids = act_downloads.change_sides(connection, act.id, undone=undone)
            connection.execute("UPDATE acts SET undone = ? WHERE id = ?", (int(undone), act.id))
        return Reverted(act, tuple(ids), frozenset(parts), undone, arranged=arranged)

    def _revert_unsubscribing(self, connection: sqlite3.Connection, act: Act, *, undone: bool) -> Reverted:
        (packed,) = connection.execute("SELECT removed FROM acts WHERE id = ?", (act.id,)).fetchone()
        podcast_id, replaced = removed_podcasts.podcast_of(packed), None
        if undone:
            replaced = removed_podcasts.restore(connection, packed)
            packed = removed_podcasts.pack_name(podcast_id)
            connection.execute("UPDATE acts SET removed = ? WHERE id = ?", (packed, act.id))
        else:
            _remove(connection, act.id, podcast_id)
        connection.execute("UPDATE acts SET undone = ? WHERE id = ?", (int(undone), act.id))
        return Reverted(act, (), frozenset(), undone, podcast_id, replaced)


_ACT = "SELECT id, kind, title, count, at, parts FROM acts"
_EPISODES_OF = "SELECT a.episode_id FROM act_episodes a JOIN episodes e ON e.id = a.episode_id WHERE a.act_id = ?"


def _is_last(connection: sqlite3.Connection, act_id: int) -> bool:
    """Whether that act is the next to be undone, and nothing can be redone."""
    newest = connection.execute("SELECT id, undone FROM acts ORDER BY id DESC LIMIT 1").fetchone()
    return bool(newest == (act_id, 0))


def _act(row: tuple[object, ...]) -> Act:
    number, kind, title, count, at, parts = row
    check_kinds((kind, title, parts), (number, count, at))
    return Act(number, ActKind(kind), title, count, moment(at))  # type: ignore[arg-type]


def _capture(connection: sqlite3.Connection, act_id: int, ids: Sequence[EpisodeId]) -> None:
    """Stores the present state of these episodes; an act that goes on keeps the first state. Written in the order of
    the tables: 100,000 episodes take half as long as in the order of a list. SQLite sorts them, while other threads
    run."""
    connection.execute(
        "INSERT OR IGNORE INTO act_episodes (act_id, episode_id, played, starred, rank, added_at, arrived_at)"
        " SELECT ?, e.id, e.played, e.starred, q.rank, q.added_at, i.arrived_at"
        " FROM (SELECT value FROM json_each(?) ORDER BY value) j CROSS JOIN episodes e ON e.id = j.value"
        " LEFT JOIN queue q ON q.episode_id = e.id LEFT JOIN inbox i ON i.episode_id = e.id",
        (act_id, as_json(ids)),
    )


def _apply(connection: sqlite3.Connection, act_id: int, parts: Sequence[Part]) -> None:
    """Puts the episodes into the stored state. An episode that has been played since returns neither to the queue nor
    to the inbox."""
    for part, column in ((Part.PLAYED, "played"), (Part.STARRED, "starred")):
        if part in parts:
            connection.execute(
                f"UPDATE episodes SET {column} = a.{column} FROM act_episodes a"
                f" WHERE a.act_id = ? AND a.episode_id = episodes.id AND episodes.{column} <> a.{column}",
                (act_id,),
            )
    for part, table, columns in ((Part.QUEUE, "queue", "rank, added_at"), (Part.INBOX, "inbox", "arrived_at")):
        if part in parts:
            connection.execute(
                f"DELETE FROM {table} WHERE episode_id IN (SELECT episode_id FROM act_episodes WHERE act_id = ?)",
                (act_id,),
            )
            present = columns.partition(",")[0]
            connection.execute(
                f"INSERT INTO {table} (episode_id, {columns}) SELECT a.episode_id, {columns}"
                " FROM act_episodes a JOIN episodes e ON e.id = a.episode_id"
                f" WHERE a.act_id = ? AND a.{present} IS NOT NULL AND e.played <= a.played",
                (act_id,),
            )


def _forget_the_unchanged(connection: sqlite3.Connection, act_id: int, parts: Sequence[Part]) -> None:
    unchanged = " AND ".join(_UNCHANGED[part] for part in parts)
    connection.execute(f"DELETE FROM act_episodes WHERE act_id = ? AND {unchanged}", (act_id,))


def _title(connection: sqlite3.Connection, act_id: int, ids: Sequence[EpisodeId]) -> bool:
    """Stores how many episodes the act changed, and the title of the first one. False if there were none."""
    (count,) = connection.execute("SELECT count(*) FROM act_episodes WHERE act_id = ?", (act_id,)).fetchone()
    if not count:
        return False
    title = _first_title(connection, act_id, ids)
    connection.execute("UPDATE acts SET count = ?, title = ? WHERE id = ?", (count, title, act_id))
    return True


def _first_title(connection: sqlite3.Connection, act_id: int, ids: Sequence[EpisodeId]) -> str:
    """The title of the first of `ids` that the act changed; nearly always one of the very first ids."""
    for start in range(0, len(ids), _LOOKED_AT_ONCE):
        row = connection.execute(
            "SELECT e.title FROM json_each(?) j CROSS JOIN act_episodes a ON a.act_id = ? AND a.episode_id = j.value"
            " CROSS JOIN episodes e ON e.id = a.episode_id ORDER BY j.key LIMIT 1",
            (json.dumps(list(ids[start : start + _LOOKED_AT_ONCE])), act_id),
        ).fetchone()
        if row is not None:
            return str(row[0])
    return ""


def _remove(connection: sqlite3.Connection, act_id: int, podcast_id: PodcastId) -> None:
    packed = removed_podcasts.pack(connection, podcast_id)
    connection.execute("UPDATE acts SET removed = ? WHERE id = ?", (packed, act_id))
    connection.execute("DELETE FROM podcasts WHERE id = ?", (podcast_id,))


def _finish(connection: sqlite3.Connection, act_id: int, *, changed: bool, ends_redo: bool = True) -> None:
    """An act that changed something ends the possibility to redo; any other act isn't kept."""
    if not changed:
        _forget(connection, "SELECT ?", act_id)
    elif ends_redo:
        act_positions.forget_undone(connection)
        _forget(connection, "SELECT id FROM acts WHERE undone = 1")
    _forget(
        connection,
        "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS row, sum(count) OVER (ORDER BY id DESC) AS"
        " episodes FROM acts) WHERE row > ? OR (row > 1 AND episodes > ?)",
        MOST_KEPT,
        MOST_EPISODES,
    )
    act_rows.prune(connection)
    act_podcasts.prune(connection)
    act_positions.prune(connection)
    connection.execute("DELETE FROM download_trash WHERE restored = 1 AND act_id NOT IN (SELECT id FROM acts)")


def _forget(connection: sqlite3.Connection, which: str, *values: int) -> None:
    """Deletes those acts one by one, each with its own rows only: other acts may have very many."""
    for (act_id,) in connection.execute(which, values).fetchall():
        connection.execute("DELETE FROM act_episodes WHERE act_id = ?", (act_id,))
        connection.execute("DELETE FROM acts WHERE id = ?", (act_id,))
