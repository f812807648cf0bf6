"""Rows of podcasts as values."""

import sqlite3
from typing import Any

from player.errors import NotFound
from player.library.database.values import check_kinds, moment_maybe
from player.model.podcast import Podcast
from player.text.cleaning import fold
from player.text.sentences import _

ROW = (
    "SELECT p.id, p.url, p.title, p.author, p.description, p.link, p.image_url, c.episodes, c.unplayed,"
    " p.last_refreshed, p.error, p.own_title, p.pinned, p.previewed_at,"
    " (SELECT group_concat(t.tag, char(10)) FROM podcast_tags t WHERE t.podcast_id = p.id)"
    " FROM podcasts p JOIN podcast_counts c ON c.podcast_id = p.id"
)


def podcast_from(row: tuple[Any, ...]) -> Podcast:
    """From the columns of ROW."""
    row_id, url, title, author, description, link, image_url, episodes, unplayed, last_refreshed, error, *own = row
    own_title, pinned, previewed_at, tags = own
    texts = (url, title, author, description, link, image_url, error or "", own_title, tags or "")
    check_kinds(texts, (episodes, unplayed, pinned, previewed_at))
    return Podcast(
        id=row_id,
        url=url,
        title=own_title or title,
        author=author,
        description=description,
        link=link,
        image_url=image_url,
        episode_count=episodes,
        unplayed_count=unplayed,
        last_refreshed=moment_maybe(last_refreshed),
        error=error,
        feed_title=title if own_title else "",
        pinned=bool(pinned),
        tags=tuple(sorted(tags.split("\n"), key=lambda tag: (fold(tag), tag))) if tags else (),
        previewed=previewed_at is not None,
    )


def podcast_of(connection: sqlite3.Connection, podcast_id: int | None) -> Podcast:
    """Raises NotFound."""
    podcast = podcast_row(connection, "p.id = ?", podcast_id)
    if podcast is None:
        raise gone()
    return podcast


def podcast_row(connection: sqlite3.Connection, condition: str, value: object) -> Podcast | None:
    """The podcast `p` that fulfils a condition on one value, if there is one."""
    row = connection.execute(f"{ROW} WHERE {condition}", (value,)).fetchone()
    return podcast_from(row) if row else None


def gone() -> NotFound:
    return NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))
