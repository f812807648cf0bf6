"""Lists, how they are shown, choices, and what was heard of removed episodes, put back from an export."""

import sqlite3

from player.library.database.values import stored
from player.library.listening.lists import MOST_LETTERS
from player.library.personal.reading import CHOICES
from player.library.personal.records import ExportedList, ExportedView, RemovedEpisode
from player.model.filters import Order, View, ViewName
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line, fold

_MOST_NAMES = 50
_SAME_SPAN = (
    "SELECT coalesce(s.former_id, -s.id) FROM listening_spans s LEFT JOIN episodes e ON e.id = s.episode_id"
    " WHERE s.began_at = ? AND s.from_ms = ? AND coalesce(e.title, s.removed_episode) = ?"
)


def restore_list(connection: sqlite3.Connection, wanted: ExportedList) -> tuple[str, bool]:
    """Its title here, and whether it is new. A list that has the same name and is another one keeps it."""
    here = {fold(title): (title, query) for title, query in connection.execute("SELECT title, query FROM lists")}
    title = clean_line(wanted.title, MOST_LETTERS)
    for number in range(2, _MOST_NAMES):
        if (known := here.get(fold(title))) is None:
            break
        if known[1] == wanted.query:
            return known[0], False
        title = f"{clean_line(wanted.title, MOST_LETTERS - 5)} ({number})"
    else:
        return "", False
    if not title:
        return "", False
    cursor = connection.execute(
        "INSERT INTO lists (title, query, rank) VALUES (?, ?, (SELECT coalesce(max(rank), 0) + 1 FROM lists))",
        (title, wanted.query),
    )
    if wanted.downloads is not None and wanted.downloads > 0:
        most = min(MOST_NEWEST, wanted.downloads)
        connection.execute("INSERT INTO list_downloads (list_id, most) VALUES (?, ?)", (cursor.lastrowid, most))
    key = f"{ViewName.LIST} {cursor.lastrowid}"
    restore_view(connection, ExportedView(key, wanted.order, wanted.hide_played, wanted.continues))
    return title, True


def restore_view(connection: sqlite3.Connection, wanted: ExportedView) -> None:
    """Unless something was set for it here."""
    if View.of_key(wanted.view) is None:
        return
    order = wanted.order if wanted.order in set(Order) else ""
    if order or wanted.hide_played:
        connection.execute(
            "INSERT INTO view_settings (view, order_by, hide_played) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, order, int(wanted.hide_played)),
        )
    if wanted.continues in ("newest", "oldest"):
        connection.execute(
            "INSERT INTO continued (view, newest_first) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, int(wanted.continues == "newest")),
        )


def restore_choices(connection: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """Those that weren't made here."""
    connection.executemany(
        "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(key, value) for key, value in wanted.items() if key in CHOICES],
    )


def restore_removed(connection: sqlite3.Connection, wanted: RemovedEpisode, since_ms: int | None) -> tuple[int, int]:
    """How many spans are new, and how many were heard before `since_ms`, when the history was deleted here."""
    number: int | None = None
    missing = []
    forgotten = 0
    for span in wanted.heard:
        began = stored(span.began_at)
        if since_ms is not None and began < since_ms:
            forgotten += 1
        elif (row := connection.execute(_SAME_SPAN, (began, span.from_ms, wanted.episode)).fetchone()) is None:
            missing.append((span.from_ms, span.to_ms, began, span.speed))
        else:
            number = row[0]
    if missing:
        former = number if number is not None and number > 0 else _unused_id(connection)
        connection.executemany(
            "INSERT INTO listening_spans (from_ms, to_ms, began_at, speed, former_id, removed_episode, removed_podcast,"
            " removed_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*span, former, wanted.episode, wanted.podcast, wanted.duration_ms) for span in missing],
        )
    return len(missing), forgotten


def _unused_id(connection: sqlite3.Connection) -> int:
    """A number that no episode has had, or will get."""
    row = connection.execute(
        "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes' RETURNING seq"
    ).fetchone()
    if row is None:
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('episodes', 1)")
        return 1
    return int(row[0])
