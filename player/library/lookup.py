"""Finds a podcast or an episode by its number, or by enough of its title to be unambiguous."""

import sqlite3

from player.errors import Ambiguous, NotFound
from player.library.lists.preview_keys import LISTED, SUBSCRIBED
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

_SHOWN = 4
_TITLES = {
    "episodes": f"SELECT e.id, e.title, e.folded FROM episodes e WHERE {LISTED}",
    "podcasts": (
        "SELECT id, coalesce(nullif(own_title, ''), title) AS title, folded FROM podcasts"
        f" WHERE {SUBSCRIBED}"
        " UNION ALL SELECT id, own_title, fold(title) FROM podcasts WHERE own_title <> ''"
        f" AND {SUBSCRIBED}"
    ),
}
"""The names of each row. A podcast that the listener renamed is also found by the feed's title; previews aren't."""


def find_id(connection: sqlite3.Connection, table: str, kind: str, text: str) -> int:
    """The id of the row of `table` with that number or title, or whose title begins with the text or contains it.

    Case and accents don't matter. Raises NotFound or Ambiguous, whose messages call the row a `kind`.
    """
    if text.strip().isdecimal() and (row := _by_number(connection, table, text)):
        return row
    folded = fold(text.strip())
    rows = connection.execute(
        "SELECT min(CASE WHEN folded = ?1 THEN 0 WHEN instr(folded, ?1) = 1 THEN 1 ELSE 2 END) AS rank, id, title"
        f" FROM ({_TITLES[table]}) WHERE ?1 <> '' AND instr(folded, ?1) > 0"
        f" GROUP BY id ORDER BY rank, id DESC LIMIT {_SHOWN + 1}",
        (folded,),
    ).fetchall()
    best = [(row_id, title) for rank, row_id, title in rows if rank == rows[0][0]]
    shown = clean_line(text, 80)
    if not best:
        raise NotFound(_("No {kind} matches “{text}”", kind=kind, text=shown), _("See `earmark {kind}s`.", kind=kind))
    if len(best) > 1:
        several = ", ".join(f"{row_id} “{clean_line(title, 60)}”" for row_id, title in best[:_SHOWN])
        more = _(" and more") if len(best) > _SHOWN else ""
        raise Ambiguous(
            _("“{text}” matches several {kind}s: {matches}{more}", text=shown, kind=kind, matches=several, more=more),
            _("Use an ID."),
        )
    return int(best[0][0])


def _by_number(connection: sqlite3.Connection, table: str, text: str) -> int | None:
    if len(text) > 18:
        return None
    subscribed = f" AND {SUBSCRIBED}" if table == "podcasts" else ""
    row = connection.execute(f"SELECT id FROM {table} WHERE id = ?{subscribed}", (int(text),)).fetchone()
    return int(row[0]) if row else None
