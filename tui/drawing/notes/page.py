"""Show notes as a page: lines of text with roles, of a comfortable width. Pure: no widgets, no colours.

Links have the same numbers as everywhere (`player.notes.episode_links.numbers`). A line that is little more than a link
becomes a row: its number, its text, its address. A link within prose gets its number at its end, and a row under
“Links” at the end of the page unless its text is its address. A time within the episode links to that position.
"""

from collections.abc import Iterator

from player.model.episode import Episode
from player.notes import Notes
from player.text.sentences import _
from tui.drawing.cells import steady, width
from tui.drawing.labels import full_date
from tui.drawing.notes.draw import Drawing
from tui.drawing.notes.link_labels import Links
from tui.drawing.notes.rows import Row, apart, lead_cells, rows_of
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import Glyphs

COMFORTABLE = 76
"""The most cells of text in a line: after longer ones it is hard to find the next."""

_LINES_OF_A_PART = 100
_ROWS_OF_A_PART = 200


def head(episode: Episode, columns: int, glyphs: Glyphs) -> list[Line]:
    """The title, and a muted line of facts: podcast, date, duration, download; two lines if they don't fit in one."""
    dot = f" {glyphs.dot} "
    podcast = steady(episode.podcast)
    here = _("downloaded") if episode.downloaded else ""
    when = dot.join(
        filter(None, (full_date(episode.published) if episode.published else "", _length(episode.duration_ms), here))
    )
    facts = dot.join(filter(None, (podcast, when)))
    fact_lines = [facts] if width(facts) <= columns else [podcast, when]
    return [
        *wrap([Run(steady(episode.title), "title")], columns),
        *(line for text in fact_lines if text for line in wrap([Run(text, "muted")], columns)),
    ]


def body(notes: Notes, columns: int, glyphs: Glyphs, duration_ms: int | None = None) -> list[Line]:
    """The notes in lines of at most `columns` cells. Only times within `duration_ms` link to a position."""
    return [line for part in body_in_parts(notes, columns, glyphs, duration_ms) for line in part]


def body_in_parts(
    notes: Notes,
    columns: int,
    glyphs: Glyphs,
    duration_ms: int | None = None,
    *,
    whole: bool = True,
    tinted: bool = True,
) -> Iterator[list[Line]]:
    """The same in steps of a few ms each; the first may be empty. Notes that aren't `whole` are continued later."""
    rows: list[Row] = []
    for row in rows_of(notes.blocks, duration_ms):
        rows.append(row)
        if len(rows) % _ROWS_OF_A_PART == 0:
            yield []
    links = Links(notes, rows)
    if whole:
        rows += links.collected()
    cells = lead_cells(rows, links.numbers)
    drawing = Drawing(glyphs, links, duration_ms, tinted)
    lines: list[Line] = []
    for index, row in enumerate(rows):
        if index and apart(rows[index - 1], row):
            lines.append(drawing.between(rows[index - 1], row))
        lines += drawing.lines(row, columns, cells[index])
        if len(lines) > _LINES_OF_A_PART:
            yield lines
            lines = []
    yield lines


def _length(duration_ms: int | None) -> str:
    """`49 s`, `24 min`, `1 h 5 min`."""
    if not duration_ms:
        return ""
    seconds = (duration_ms + 500) // 1000
    if seconds < 60:
        return _("{seconds} s", seconds=seconds)
    minutes = (seconds + 30) // 60
    if minutes < 60:
        return _("{minutes} min", minutes=minutes)
    hours, rest = divmod(minutes, 60)
    return _("{hours:,} h {minutes} min", hours=hours, minutes=rest) if rest else _("{hours:,} h", hours=hours)
