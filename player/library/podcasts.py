"""Subscriptions, the contents of their feeds, and when each feed was last checked."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from player.errors import AlreadySubscribed
from player.library import live_shows
from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment_maybe, stored, stored_maybe
from player.library.episodes import find_id
from player.library.listening.inbox import Arrivals, Known, Landed
from player.library.lists.compiler import podcasts_named
from player.library.lists.ordering import drop_untouched, put_in_order
from player.library.lists.preview_keys import SUBSCRIBED
from player.library.subscriptions import (
    ROW,
    gone,
    keys_of_new,
    known_episodes,
    podcast_from,
    podcast_of,
    podcast_row,
    read_header,
    subscribe,
    write_changed,
    write_header,
    write_new,
)
from player.links.addresses import url_key
from player.links.urls import without_secrets
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedSchedule, FeedState, KnownEpisode, Merge
from player.model.podcast import Podcast, PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

Decide = Callable[[Sequence[KnownEpisode], Feed], Merge]

_AT_URL = f"p.url_key = ? AND p.{SUBSCRIBED}"
_BY_TITLE = "ORDER BY p.pinned DESC, p.folded, p.id"
_NAMES = "(p.folded || CASE p.own_title WHEN '' THEN '' ELSE ' ' || fold(p.title) END)"
"""The folded names of a podcast: its title, and the feed's too if the listener renamed it."""


class Applied(Struct, frozen=True):
    """The result of an update: `new` episodes in the feed's order, and whether anything else is `changed` (or new).

    `inbox` and `queue`: whether any episodes were added there. `live`: the live shows that have begun; no live show is
    among the `new` episodes.
    """

    new: tuple[EpisodeId, ...] = ()
    changed: bool = False
    inbox: bool = False
    queue: bool = False
    live: tuple[EpisodeId, ...] = ()


class Podcasts:
    """`now` returns the time of a refresh."""

    def __init__(self, connections: Connections, arrivals: Arrivals, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._arrivals = arrivals
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[Podcast]:
        """Pinned podcasts first; sorted by title, regardless of case and accents."""
        with self._connections.reading() as connection:
            return [podcast_from(row) for row in connection.execute(f"{ROW} WHERE p.{SUBSCRIBED} {_BY_TITLE}")]

    def any_named(self, words: str) -> bool:
        """Whether any podcast has one of the words in its name."""
        parts = fold(words).split()
        if not parts:
            return False
        sql, values = podcasts_named(parts)
        with self._connections.reading() as connection:
            return connection.execute(f"{sql} LIMIT 1", values).fetchone() is not None

    def named(self, words: str, limit: int) -> list[Podcast]:
        """At most `limit` podcasts with all of these words in their names, in any order.

        Podcasts whose names begin with the words come first, then those with a word that begins so. Without words there
        are none.
        """
        parts = fold(words).split()
        if not parts:
            return []
        start = " ".join(parts)
        rank = f"CASE instr({_NAMES}, ?) WHEN 0 THEN 3 WHEN 1 THEN 0 ELSE 1 + (instr({_NAMES}, ?) = 0) END"
        fits = " AND ".join(f"instr({_NAMES}, ?) > 0" for _part in parts)
        sql = f"{ROW} WHERE p.{SUBSCRIBED} AND {fits} ORDER BY {rank}, p.folded, p.id LIMIT ?"
        with self._connections.reading() as connection:
            return [podcast_from(row) for row in connection.execute(sql, (*parts, start, f" {start}", limit))]

    def newest(self) -> dict[PodcastId, int]:
        """The sort key of the newest episode of each podcast that has any."""
        # One lookup at the end of an index for each podcast: asking for the greatest key of all at once would read
        # every key.
        newest = "SELECT sort FROM episodes WHERE podcast_id = p.id ORDER BY sort DESC LIMIT 1"
        with self._connections.reading() as connection:
            found = connection.execute(f"SELECT p.id, ({newest}) FROM podcasts p WHERE p.{SUBSCRIBED}").fetchall()
            check_kinds((), (sort for _podcast, sort in found))
        return {podcast_id: sort for podcast_id, sort in found if sort is not None}

    def get(self, podcast_id: PodcastId) -> Podcast:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            return podcast_of(connection, podcast_id)

    def by_url(self, url: str) -> Podcast | None:
        """The subscription with this address, or with an equivalent one."""
        with self._connections.reading() as connection:
            return podcast_row(connection, _AT_URL, url_key(url))

    def find(self, text: str) -> Podcast:
        """By number, address or title, the listener's own or the feed's. Raises NotFound or Ambiguous."""
        with self._connections.reading() as connection:
            found = podcast_row(connection, _AT_URL, url_key(text))
            return found or podcast_of(connection, find_id(connection, "podcasts", text))

    def feed_state(self, podcast_id: PodcastId) -> FeedState:
        """What the last response of the feed contained. Raises NotFound."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT etag, last_modified FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
            if row is None:
                raise gone()
            check_kinds(row)
        return FeedState(*row)

    def extra(self, podcast_id: PodcastId) -> str:
        """Everything else in the feed, as a JSON object; "" if there is nothing, or if the podcast is gone."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT extra FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
            check_kinds(row or ())
        return row[0] if row else ""

    # -- writing ----------------------------------------------------------------------------------------------

    def add(self, url: str, title: str = "", link: str = "") -> Podcast:
        """Subscribes. Without a title the podcast is named by its address until its feed is read. A preview becomes a
        subscription.

        Raises AlreadySubscribed.
        """
        title = title or clean_line(without_secrets(url).partition("://")[2]) or url
        with self._connections.writing() as connection:
            if (known := podcast_row(connection, "p.url_key = ?", url_key(url))) is not None:
                if known.previewed:
                    subscribe(connection, self._arrivals, known.id)
                    return podcast_of(connection, known.id)
                raise AlreadySubscribed(
                    _("You are already subscribed to “{title}”", title=clean_line(known.title, 80)),
                    _("`earmark refresh` checks for new episodes."),
                    known.id,
                )
            cursor = connection.execute(
                "INSERT INTO podcasts (url, url_key, title, folded, link) VALUES (?, ?, ?, ?, ?)",
                (url, url_key(url), title, fold(title), link),
            )
            return podcast_of(connection, cursor.lastrowid)

    def remove(self, podcast_id: PodcastId) -> None:
        """Removes the podcast, with its episodes and everything stored about them. Does nothing if it is gone."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM podcasts WHERE id = ?", (podcast_id,))

    def move(self, podcast_id: PodcastId, url: str) -> bool:
        """Changes the feed's address to `url`. False, without a change, if another podcast has that address."""
        with self._connections.writing() as connection:
            key = url_key(url)
            row = connection.execute("SELECT id FROM podcasts WHERE url_key = ?", (key,)).fetchone()
            if row and row[0] != podcast_id:
                return False
            connection.execute("UPDATE podcasts SET url = ?, url_key = ? WHERE id = ?", (url, key, podcast_id))
        return True

    def join(self, podcast_id: PodcastId, url: str) -> Landed | None:
        """Removes a subscription that was never read, because it turned out to be the podcast that the library has at
        `url`, which gets what another app knew about its episodes. None, without a change, if either condition fails.
        """
        with self._connections.writing() as connection:
            row = connection.execute(
                "SELECT there.id, here.url, there.url FROM podcasts here JOIN podcasts there ON there.url_key = ?2"
                " WHERE here.id = ?1 AND there.id <> ?1 AND here.last_refreshed IS NULL"
                " AND here.previewed_at IS NULL AND there.previewed_at IS NULL",
                (podcast_id, url_key(url)),
            ).fetchone()
            if row is None:
                return None
            other, former, present = row
            connection.execute(
                "INSERT OR IGNORE INTO sync_moves (former, present)"
                " SELECT ?, ? WHERE EXISTS (SELECT 1 FROM sync_account)",
                (former, present),
            )
            connection.execute(
                "UPDATE OR IGNORE waiting_episodes SET podcast_id = ? WHERE podcast_id = ?", (other, podcast_id)
            )
            connection.execute("DELETE FROM podcasts WHERE id = ?", (podcast_id,))
            return self._arrivals.settle(PodcastId(other))

    def apply(self, podcast_id: PodcastId, feed: Feed, state: FeedState, decide: Decide) -> Applied:
        """Stores the contents of a feed, in one transaction. `decide` gets the episodes that the library has.

        New episodes go into the inbox or the queue, as set for the podcast; episodes of a preview don't. Episodes,
        stars, played marks and positions stay, whatever the feed says. Raises NotFound if the podcast is gone.
        """
        moment = self._now()
        now = stored(moment)
        with self._connections.writing() as connection:
            before = read_header(connection, podcast_id)
            shows = live_shows.known_shows(connection, podcast_id)
            recorded = {item.guid for item in feed.episodes if item.guid} if shows or feed.live else set()
            plan = live_shows.plan(shows, feed.live, recorded, moment)
            is_over = live_shows.end(connection, plan.over)
            apart = {one.id for one in shows if one.guid not in recorded}
            known = known_episodes(connection, podcast_id, before.shift)
            known = [one for one in known if one[0].id not in apart] if apart else known
            merge = decide([episode for episode, _sort in known], feed)
            changed = write_header(connection, podcast_id, before, feed)
            connection.execute(
                "UPDATE podcasts SET etag = ?, last_modified = ?, last_refreshed = ?, error = NULL WHERE id = ?",
                (state.etag, state.last_modified, now, podcast_id),
            )
            write_changed(connection, merge, {episode.id: sort for episode, sort in known}, before.shift, now)
            dropped = drop_untouched(connection, merge.gone)
            keys = keys_of_new(feed, merge, known, now)
            found = write_new(connection, podcast_id, merge.new, keys, before.shift)
            live_shows.become_ordinary(connection, [one.id for one in shows if one.guid in recorded])
            live = self._write_live(connection, podcast_id, plan, before.shift, moment)
            moved = feed.is_ordered and put_in_order(connection, podcast_id, feed.episodes, before.shift)
            sorts = [sort for _episode, sort in known]
            dates = Known(min(sorts), max(sorts)) if sorts else None
            landed = Landed() if before.shift else self._arrivals.land(podcast_id, found, dates)
            shown = Landed() if before.shift else self._arrivals.land_live(podcast_id, live.live)
        new = tuple(one.id for one in found)
        changed = changed or dropped or moved or is_over or live.changed or bool(merge.new or merge.changed)
        began = () if before.shift else tuple(one.id for one in live.live)
        return Applied(new, changed, landed.inbox or shown.inbox or is_over, landed.queue or is_over, began)

    def _write_live(
        self, connection: sqlite3.Connection, podcast_id: PodcastId, plan: live_shows.Plan, shift: int, now: datetime
    ) -> live_shows.Written:
        changed = live_shows.changed_shows(plan.same)
        sorts = {known.id: known.sort for known, _show in plan.same}
        write_changed(connection, Merge(changed=tuple(changed)), sorts, 0, stored(now))
        live_shows.put_back(connection, sorts)  # not by their dates
        keys = [live_shows.sort_key(show, now) for show in plan.new]
        added = write_new(connection, podcast_id, [show.episode for show in plan.new], keys, shift)
        found = [
            *((one.id, show, None) for one, show in zip(added, plan.new, strict=True)),
            *((known.id, show, known) for known, show in plan.same),
        ]
        written = live_shows.write_states(connection, found, shift, now)
        return written._replace(changed=written.changed or bool(changed))

    def unchanged(self, podcast_id: PodcastId, state: FeedState) -> None:
        """The server reports that nothing is new."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE podcasts SET etag = ?, last_modified = ?, last_refreshed = ?, error = NULL WHERE id = ?",
                (state.etag, state.last_modified, stored(self._now()), podcast_id),
            )

    def refresh_failed(self, podcast_id: PodcastId, sentence: str) -> None:
        """The sentence is kept in the podcast's row until a refresh succeeds."""
        with self._connections.writing() as connection:
            connection.execute("UPDATE podcasts SET error = ? WHERE id = ?", (sentence, podcast_id))


_COLUMNS = "checked_at, due_at, held_until, failures, gone, digest, archive, archived"


class FeedSchedules:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, podcast_id: PodcastId) -> FeedSchedule:
        """An empty schedule for a feed that was never checked."""
        with self._connections.reading() as connection:
            row = connection.execute(f"SELECT {_COLUMNS} FROM visits WHERE podcast_id = ?", (podcast_id,)).fetchone()
            return _visit(row) if row else FeedSchedule()

    def all(self) -> Mapping[PodcastId, FeedSchedule]:
        """The schedules of the feeds that have been checked."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"SELECT podcast_id, {_COLUMNS} FROM visits").fetchall()
            return {PodcastId(row[0]): _visit(row[1:]) for row in rows}

    def note(self, podcast_id: PodcastId, schedule: FeedSchedule) -> None:
        """Does nothing if the podcast is gone."""
        with self._connections.writing() as connection:
            connection.execute(
                f"INSERT OR REPLACE INTO visits (podcast_id, {_COLUMNS})"
                " SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM podcasts WHERE id = ?",
                (*_row(schedule), podcast_id),
            )


def _visit(row: tuple[Any, ...]) -> FeedSchedule:
    checked_at, due_at, held_until, failures, gone, digest, archive, archived = row
    return FeedSchedule(
        checked_at=moment_maybe(checked_at),
        due_at=moment_maybe(due_at),
        held_until=moment_maybe(held_until),
        failures=failures,
        gone=bool(gone),
        digest=digest,
        archive=archive,
        archived=bool(archived),
    )


def _row(schedule: FeedSchedule) -> tuple[Any, ...]:
    return (
        stored_maybe(schedule.checked_at),
        stored_maybe(schedule.due_at),
        stored_maybe(schedule.held_until),
        schedule.failures,
        schedule.gone,
        schedule.digest,
        schedule.archive,
        schedule.archived,
    )
