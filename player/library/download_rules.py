"""What download rules need from the library: candidates, refusals, lists that are downloaded."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, stored
from player.library.lists.compiler import NOT_LIVE
from player.model.downloads import Candidate, Coming, Offer, Protection, Refusal, Rule, Source, Stored, Trashed
from player.model.episode import EpisodeId
from player.model.filters import ListId, View, ViewName, ViewSettings
from player.model.moments import EARLIEST
from player.model.podcast import PodcastId
from player.model.podcast_settings import ANY_EPISODE, EpisodeTest, PodcastDownloads

if TYPE_CHECKING:
    from player.library import Library


def is_rule(why: str) -> bool:
    """Whether a download was wanted by a rule, not by hand."""
    return why.partition(":")[0] in set(Source)


_PROTECTION = (
    "CASE WHEN d.episode_id IS ?1 THEN 'playing' WHEN e.starred = 1 THEN 'starred'"
    " WHEN EXISTS (SELECT 1 FROM queue q WHERE q.episode_id = e.id) THEN 'queued'"
    " WHEN e.played = 0 AND EXISTS (SELECT 1 FROM progress g WHERE g.episode_id = e.id AND g.position_ms > 0)"
    " THEN 'in progress' END"
)
_STORED = (
    f"SELECT d.episode_id, d.size, d.downloaded_at, d.why, d.played_at, e.played, {_PROTECTION}"
    " FROM downloads d CROSS JOIN episodes e ON e.id = d.episode_id"
)
_CANDIDATES = (
    "SELECT e.id, e.podcast_id, e.title, e.sort, e.size, coalesce(e.measured_ms, e.duration_ms), e.played"
    " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value CROSS JOIN podcasts p ON p.id = e.podcast_id"
    f" WHERE e.url LIKE 'http%' AND p.url NOT LIKE 'radio:%' AND {NOT_LIVE} ORDER BY j.key"
)


class DownloadFacts:
    """Every method may raise LibraryError."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def stored(self, playing: EpisodeId | None = None) -> tuple[Stored, ...]:
        """All downloads. `playing` is the episode in the player. A download without a recorded time counts as made long
        ago."""
        with self._connections.reading() as connection:
            return tuple(_stored(row) for row in connection.execute(_STORED, (playing,)))

    def candidates(self, ids: Sequence[int]) -> dict[int, Candidate]:
        """The given episodes that can be downloaded: not the files of a local podcast, no radio and no live show."""
        with self._connections.reading() as connection:
            rows = connection.execute(_CANDIDATES, (as_json(ids),))
            return {row[0]: _candidate(row) for row in rows}

    def trash(self) -> tuple[Trashed, ...]:
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT episode_id, size, trashed_at FROM download_trash WHERE restored = 0")
            return tuple(Trashed(EpisodeId(one), size or 0, at) for one, size, at in _whole(rows))

    def refused(self) -> dict[EpisodeId, Refusal]:
        """Episodes that no rule downloads again; failed downloads are in the queue of downloads as well."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT episode_id, refusal FROM download_notes WHERE refusal <> ''"
                " UNION SELECT episode_id, 'failed' FROM download_queue WHERE downloads AND state = 'failed'"
            )
            return {EpisodeId(one): Refusal(refusal) for one, refusal in rows}

    def sizes(self) -> dict[EpisodeId, int]:
        """The file sizes of episodes that aren't downloaded any more."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT episode_id, size FROM download_notes WHERE size > 0")
            return {EpisodeId(one): size for one, size in _whole(rows)}

    def coming(self) -> list[tuple[EpisodeId, str, bool]]:
        """The downloads that wait or run, why each was added, and whether it is paused or waits for another attempt."""
        with self._connections.reading() as connection:
            sql = (
                "SELECT episode_id, why, state = 'paused' OR retry_at IS NOT NULL FROM download_queue"
                " WHERE downloads AND state <> 'failed' ORDER BY rank"
            )
            return [(EpisodeId(one), why, bool(is_held)) for one, why, is_held in connection.execute(sql)]

    def lists(self) -> dict[ListId, int]:
        """The lists that are downloaded, and how many of their episodes."""
        with self._connections.reading() as connection:
            return {ListId(one): most for one, most in _whole(connection.execute("SELECT * FROM list_downloads"))}

    # -- writing ----------------------------------------------------------------------------------------------

    def date_trash_anew(self) -> None:
        """Downloads that went into the trash while the clock was ahead count as trashed now, and are deleted a day
        later."""
        if (now := self._now()) < EARLIEST:
            return
        later = "trashed_at > ?1"
        with self._connections.reading() as connection:
            found = connection.execute(f"SELECT 1 FROM download_trash WHERE {later} LIMIT 1", (stored(now),)).fetchone()
        if found is not None:
            with self._connections.writing() as connection:
                connection.execute(f"UPDATE download_trash SET trashed_at = ?1 WHERE {later}", (stored(now),))

    def set_list(self, list_id: ListId, most: int) -> None:
        """Downloads the first `most` unplayed episodes of a list from now on; 0 ends that."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM list_downloads WHERE list_id = ?", (list_id,))
            if most > 0:
                connection.execute(
                    "INSERT INTO list_downloads (list_id, most) SELECT id, ? FROM lists WHERE id = ?", (most, list_id)
                )

    def note_played(self) -> None:
        """Downloads whose episodes are marked as played count as played from now on; downloads whose mark was removed
        no longer do."""
        different = "(played_at IS NULL) = (SELECT e.played FROM episodes e WHERE e.id = episode_id)"
        with self._connections.reading() as connection:
            if connection.execute(f"SELECT 1 FROM downloads WHERE {different} LIMIT 1").fetchone() is None:
                return
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE downloads SET played_at = CASE WHEN played_at IS NULL THEN ? END WHERE {different}",
                (stored(self._now()),),
            )

    def forgive(self, ids: Sequence[EpisodeId]) -> None:
        """Rules may download these episodes again."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE download_notes SET refusal = '' WHERE episode_id IN (SELECT value FROM json_each(?))",
                (as_json(ids),),
            )


def coming_as(
    found: Sequence[tuple[EpisodeId, str, bool]], size: Callable[[EpisodeId], tuple[int, int]]
) -> Iterator[Coming]:
    """`size` returns the size of a file in bytes, and how many of them are still to be written."""
    for one, why, is_held in found:
        whole, left = size(one)
        yield Coming(one, whole, left, why if is_rule(why) else "", is_held)


def _stored(row: Sequence[Any]) -> Stored:
    episode_id, size, at, why, played_at, played, protection = row
    check_kinds((why, protection or ""), (size, at, played_at))
    return Stored(
        EpisodeId(episode_id),
        size or 0,
        at or 0,
        why if is_rule(why) else "",
        played_at if played else None,
        Protection(protection) if protection else None,
    )


def _candidate(row: Sequence[Any]) -> Candidate:
    episode_id, podcast_id, title, sort, size, duration_ms, played = row
    check_kinds((title,), (sort, size, duration_ms))
    return Candidate(EpisodeId(episode_id), PodcastId(podcast_id), title, sort, size, duration_ms, bool(played))


def _whole(rows: sqlite3.Cursor) -> list[tuple[Any, ...]]:
    found = rows.fetchall()
    for row in found:
        check_kinds((), row)
    return found


MOST_LOOKED_AT = 100
"""How many episodes of a podcast are searched for the ones that a rule's filter lets through."""

_AT_FIRST = 10
"""A few more than a rule wants: often these are enough for its filter."""


class General(Struct, frozen=True):
    """How many episodes of the queue, of the inbox and of every podcast rules download; 0: none. `test` is the filter
    for the newest episodes."""

    queue: int = 0
    inbox: int = 0
    newest: int = 0
    test: EpisodeTest = ANY_EPISODE


def offers(
    library: "Library",
    facts: DownloadFacts,
    general: General,
    podcasts: dict[PodcastId, PodcastDownloads],
    fits: Callable[[Candidate], bool] = lambda _one: True,
) -> tuple[Offer, ...]:
    """The candidates of each existing rule. `fits` returns the episodes that the filters let through: if too few of a
    podcast are left, more of its episodes are looked at. Raises LibraryError."""
    found = list(_ids(library, facts, general, podcasts))
    known = facts.candidates(list(dict.fromkeys(one for _rule, ids in found for one in ids)))
    for at, (rule, ids) in enumerate(found):
        if rule.source is Source.PODCAST and len(ids) > rule.most > sum(map(fits, _known(known, ids))):
            more = library.episodes.ids(_newest_of(rule), rule.most + MOST_LOOKED_AT)
            known.update(facts.candidates(more))
            found[at] = (rule, more)
    return tuple(Offer(rule, tuple(_known(known, ids))) for rule, ids in found)


def _known(known: dict[int, Candidate], ids: Sequence[int]) -> Iterator[Candidate]:
    return (known[one] for one in ids if one in known)


def _ids(
    library: "Library", facts: DownloadFacts, general: General, podcasts: dict[PodcastId, PodcastDownloads]
) -> Iterator[tuple[Rule, Sequence[int]]]:
    nothing_of = sum(one.never for one in podcasts.values())
    if general.queue:
        ids = library.queue.ids()
        yield Rule(Source.QUEUE, general.queue), ids[: general.queue + (MOST_LOOKED_AT if nothing_of else 0)]
    chosen = facts.lists()
    for saved in library.lists.all() if chosen else ():
        if most := chosen.get(saved.id):
            unplayed = library.listing(View.of_list(saved.id).shown(ViewSettings(hide_played=True)))
            yield Rule(Source.LIST, most, saved.id, saved.title), unplayed.page(0, most + MOST_LOOKED_AT)
    if general.inbox:
        yield Rule(Source.INBOX, general.inbox), library.inbox.ids()[: general.inbox + MOST_LOOKED_AT]
    if general.newest or any(one.newest for one in podcasts.values()):
        yield from _newest(library, general, podcasts)


def _newest(
    library: "Library", general: General, podcasts: dict[PodcastId, PodcastDownloads]
) -> Iterator[tuple[Rule, Sequence[int]]]:
    with_shows = {one.podcast_id for one in library.live_shows.times()}
    for podcast in library.podcasts.all():
        own = podcasts.get(podcast.id, PodcastDownloads())
        if most := general.newest if own.newest is None else own.newest:
            is_filtered = (own.test, general.test) != (ANY_EPISODE, ANY_EPISODE) or podcast.id in with_shows
            rule = Rule(Source.PODCAST, most, podcast.id, podcast.title)
            yield rule, library.episodes.ids(_newest_of(rule), most + _AT_FIRST * is_filtered)


def _newest_of(rule: Rule) -> View:
    return View.of(ViewName.PODCAST, PodcastId(rule.number))
