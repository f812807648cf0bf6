"""Episodes on the page of a podcast or a person: rows like those of a list."""

from collections.abc import Sequence
from datetime import date

from player.model.episode import Episode, EpisodeId
from player.model.playback import HOLDS_PLACE, PlaybackState, PlaybackStatus
from tui.drawing.about.blocks import Block
from tui.drawing.cells import cut, fit, steady, width
from tui.drawing.episode_tabs import Entry
from tui.drawing.labels import length, short_date
from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

EPISODE = "earmark:episode/"
"""The start of a link to an episode; its number follows."""

_SIGN = 2
_LEAST_TITLE = 18
NOTHING_PLAYS = PlaybackStatus()


def episode_link(episode: Episode) -> str:
    return f"{EPISODE}{episode.id}"


def episode_of(href: str) -> EpisodeId | None:
    """The episode that a link leads to; None for any other link."""
    number = href.removeprefix(EPISODE)
    return EpisodeId(int(number)) if number != href else None


def episode_rows(
    episodes: Sequence[Episode],
    columns: int,
    glyphs: Glyphs,
    today: date,
    status: PlaybackStatus = NOTHING_PLAYS,
    *,
    mixed: bool = False,
) -> Block:
    """A line for each: state, title, star, date, length; if they are `mixed`, the podcast in a second line.

    The date and then the length are left out where titles would get too narrow.
    """
    block = Block()
    stars = any(one.starred for one in episodes)
    dates = [short_date(one.published, today) for one in episodes]
    lengths = [length(one, glyphs.minus) for one in episodes]
    cells = [2 if stars else 0, _column(dates), _column(lengths)]
    for drop in (1, 2, 0):
        if columns - _SIGN - sum(cells) < _LEAST_TITLE:
            cells[drop] = 0
    room = max(1, columns - _SIGN - sum(cells))
    for episode, day, time in zip(episodes, dates, lengths, strict=True):
        plays = status.episode is not None and status.episode.id == episode.id and status.state in HOLDS_PLACE
        role = "muted" if episode.played and not plays else ""
        star = f" {glyphs.star}" if episode.starred else ""
        right = "".join(
            fit(word, size, "right") for word, size in ((star, cells[0]), (day, cells[1]), (time, cells[2])) if size
        )
        title = Run(fit(episode.title, room, ellipsis=glyphs.ellipsis), "bold" if plays else role)
        lines: list[Line] = [(_sign(episode, status if plays else NOTHING_PLAYS, glyphs), title, Run(right, "muted"))]
        if mixed and episode.podcast:
            podcast = cut(steady(episode.podcast), max(1, columns - _SIGN), glyphs.ellipsis)
            lines.append((Run(" " * _SIGN), Run(podcast, "muted")))
        block.add(Entry(0, href=episode_link(episode), url=episode.link, text=episode.title), lines)
    return block


def _column(words: Sequence[str]) -> int:
    """As wide as the widest, with a gap before it."""
    widest = max(map(width, words), default=0)
    return widest + 2 if widest else 0


def _sign(episode: Episode, status: PlaybackStatus, glyphs: Glyphs) -> Run:
    if status.episode is not None:
        paused = status.state is PlaybackState.PAUSED
        return Run(f"{glyphs.paused if paused else glyphs.playing} ", "time")
    if episode.played:
        return Run(f"{glyphs.played} ", "muted")
    if episode.in_progress:
        return Run(f"{glyphs.started} ")
    return Run(f"{glyphs.new} ", "time") if episode.new else Run(f"{glyphs.unplayed} ")
