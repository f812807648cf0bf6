"""The row of one episode in a list, in one line or in two."""

from collections.abc import Callable, Sequence
from datetime import date

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style

from player.model.episode import Episode
from player.model.playback import PlaybackStatus
from tui.drawing import cells, labels
from tui.drawing.episode_rows import (
    BAR_CELLS,
    LOWER_BAR_CELLS,
    RowForm,
    columns,
    marks_of,
    playing_sign,
    state_sign,
    title_role,
    with_position,
)
from tui.drawing.row_bytes import RowBytes, signs_of
from tui.look.glyphs import Glyphs
from tui.widgets.rows.lower_line import MARKS_FROM, lower_line, marks_cells
from tui.widgets.rows.own_rows import Ink

DrawTitle = Callable[[str, Style], Sequence[Segment]]
"""Draws a title that was cut to its column."""

_LOWER_BAR_FROM = 40
"""The second line of a row at least this wide has a bar."""


class EpisodeRow(Struct, frozen=True):
    """What a row shows beside its episode. Each line takes exactly the cells that it is given."""

    status: PlaybackStatus
    bytes: RowBytes
    today: date
    form: RowForm

    def draw(
        self, episode: Episode, width: int, glyphs: Glyphs, ink: Ink, draw_title: DrawTitle, *, at_cursor: bool
    ) -> list[Segment]:
        """The row, or its first line if it has two: marks take their cells from this row's title alone."""
        shown = with_position(episode, self.status)
        missing = self.bytes.missing
        sign, sign_role = state_sign(shown, self.status, glyphs)
        room = columns(width, self.form)
        marks = [] if self.form.tall else self._marks(episode, width, glyphs)
        title = cells.fit(episode.title, max(0, room.title - marks_cells(marks)), ellipsis=glyphs.ellipsis)
        role = title_role(shown, self.status, at_cursor=at_cursor, missing=missing)
        segments = [
            Segment(cells.fit(sign, min(2, width)), ink("faint" if missing and sign_role != "muted" else sign_role)),
            *draw_title(title, ink(role)),
            *(Segment(text, ink(one)) for text, one in marks),
        ]
        if room.podcast:
            podcast = cells.fit(episode.podcast, room.podcast - 2, ellipsis=glyphs.ellipsis)
            segments.append(Segment("  " + podcast, ink("faint" if missing else "muted")))
        if room.date:
            day = self._day(episode, room.date - 1)
            segments.append(Segment(cells.fit(day, room.date, "right"), ink("muted")))
        if room.length and labels.progress(shown):
            segments += [Segment(" " * (room.length - BAR_CELLS)), *self._bar(shown, BAR_CELLS, glyphs, ink)]
        elif room.length:
            words = labels.length(shown, glyphs.minus, room.length - 1)
            segments.append(Segment(cells.fit(words, room.length, "right"), ink("muted")))
        return [*segments, Segment(" " * min(1, max(0, width - 2)))]

    def draw_below(self, episode: Episode, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
        """The second line: whose episode it is, in the podcast's hue, its day and its length; then what the listener
        has done with it, and how far it is."""
        shown = with_position(episode, self.status)
        marks = [(text, ink(role)) for text, role in self._marks(episode, width, glyphs)]
        if labels.progress(shown) and width >= _LOWER_BAR_FROM:
            bar = self._bar(shown, LOWER_BAR_CELLS, glyphs, ink)
            marks += [("  ", Style()), *((one.text, one.style or Style()) for one in bar)]
        return lower_line(
            episode.podcast,
            (self._day(shown), labels.length(shown, glyphs.minus, _ROOM_FOR_LEFT)),
            width,
            glyphs,
            ink,
            feed_url=episode.feed_url,
            tail=marks,
            role="faint" if self.bytes.missing else "muted",
        )

    def _day(self, episode: Episode, room: int = labels.DATE_CELLS) -> str:
        """When it was released, but where the heading above it says so: today and yesterday."""
        if self.form.headed and labels.is_new_day(episode.published, self.today):
            return ""
        return labels.short_date(episode.published, self.today, room)

    def _marks(self, episode: Episode, width: int, glyphs: Glyphs) -> list[tuple[str, str]]:
        """With a space before them, in a row that has room for any."""
        if width < MARKS_FROM:
            return []
        marks = [*signs_of(self.bytes, glyphs, width // 2), *marks_of(episode, glyphs, queued=self.form.queued)]
        return [(" ", "muted"), *marks] if marks else []

    def _bar(self, shown: Episode, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
        """How far it is: in the accent if it is the one that plays."""
        full, half = labels.bar(labels.progress(shown), width)
        role = "muted" if playing_sign(shown, self.status) is None else "alive"
        return [
            Segment(glyphs.line * full + glyphs.line_half * half, ink(role)),
            Segment(glyphs.line_thin * (width - full - half), ink("line")),
        ]


_ROOM_FOR_LEFT = 16
"""`1h 23m left`, in full."""
