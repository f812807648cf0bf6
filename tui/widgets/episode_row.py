"""The row of one episode in a list."""

from collections.abc import Callable, Sequence
from datetime import date

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style

from player.model.episode import Episode
from player.model.playback import PlaybackStatus
from tui.drawing import cells, labels
from tui.drawing.episode_rows import columns, marks_of, state_sign, with_position
from tui.drawing.row_bytes import RowBytes, signs_of
from tui.look.glyphs import Glyphs
from tui.widgets.rows.own_rows import Ink

DrawTitle = Callable[[str, Style], Sequence[Segment]]
"""Draws a title that was cut to its column."""


class EpisodeRow(Struct, frozen=True):
    """What a row shows beside its episode. `mixed`: the list has several podcasts. `queued`: whether to mark queued
    episodes."""

    status: PlaybackStatus
    bytes: RowBytes
    today: date
    mixed: bool
    queued: bool

    def draw(
        self, episode: Episode, width: int, glyphs: Glyphs, ink: Ink, draw_title: DrawTitle, *, at_cursor: bool
    ) -> list[Segment]:
        """The row in exactly `width` cells."""
        shown = with_position(episode, self.status)
        sign, sign_role = state_sign(shown, self.status, glyphs)
        room = columns(width, mixed=self.mixed)
        marks = [Segment(text, ink(role)) for text, role in self._marks(episode, glyphs, room.title)]
        marks = marks if room.marks else []
        marks_cells = sum(cells.width(one.text) for one in marks)
        room = room.with_marks(1 + marks_cells)
        bar = room.bar if labels.progress(shown) or shown.in_progress else 0
        if self.mixed:
            room = room.with_podcast(cells.width(episode.title) + bar)
        role = "faint" if self.bytes.missing else "muted" if episode.played else "strong" if at_cursor else "title"
        segments = [
            Segment(sign, ink("faint" if self.bytes.missing and sign_role == "alive" else sign_role)),
            Segment(" "),
            *draw_title(cells.fit(episode.title, room.title - bar, ellipsis=glyphs.ellipsis), ink(role)),
        ]
        if bar:
            segments += [Segment(" "), *_bar(labels.progress(shown), bar - 1, glyphs, ink)]
        if room.podcast:
            podcast = cells.fit(episode.podcast, room.podcast - 2, ellipsis=glyphs.ellipsis)
            segments.append(Segment("  " + podcast, ink("faint" if self.bytes.missing else "muted")))
        segments += [Segment(" " * (room.marks - marks_cells)), *marks]
        if room.date:
            day = labels.short_date(episode.published, self.today, room.date - 1)
            segments.append(Segment(cells.fit(day, room.date, "right"), ink("muted")))
        if room.length:
            length = labels.length(shown, glyphs.minus, room.length - 1)
            segments.append(Segment(cells.fit(length, room.length, "right"), ink("muted")))
        return segments

    def _marks(self, episode: Episode, glyphs: Glyphs, title_cells: int) -> list[tuple[str, str]]:
        return [*signs_of(self.bytes, glyphs, title_cells), *marks_of(episode, glyphs, queued=self.queued)]


def _bar(part: float, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
    full, half = labels.bar(part, width)
    return [
        Segment(glyphs.line * full + glyphs.line_half * half, ink("alive")),
        Segment(glyphs.line_thin * (width - full - half), ink("line")),
    ]
