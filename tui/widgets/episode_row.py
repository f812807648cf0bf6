"""The row of one episode in a list, in one line or in two; and a list that draws its own rows."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date
from typing import NamedTuple

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style

from player.library import Listing
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from player.text.durations import long_time
from tui.drawing import cells, labels
from tui.drawing.episode_rows import (
    BAR_CELLS,
    LOWER_BAR_CELLS,
    NOTHING,
    Headings,
    RowBytes,
    RowForm,
    columns,
    marks_of,
    playing_sign,
    signs_of,
    state_sign,
    title_role,
    with_position,
)
from tui.drawing.speech import time_left
from tui.look.colours import hue_of
from tui.look.glyphs import SPOKEN, Glyphs, as_words

NO_EPISODE = 0
"""Stands for an episode's ID in rows without an episode; no episode has this ID."""

Ink = Callable[[str], Style]
"""Returns the style of a role."""


class Heading(NamedTuple):
    """The line above a row: its words, and the facts beside them."""

    words: str = ""
    facts: str = ""


class OwnRows(ABC):
    """A `Listing` that draws its own rows, each with or without an episode. An `EpisodeList` shows it like any other
    listing."""

    has_two_lines = False
    """Whether its rows may have two lines."""
    mixed = True
    """Whether it has several podcasts, so that rows with room for two lines have them."""
    keeps_headings = False
    """Whether it has headings even if the list is low."""
    more = False
    count = 0
    """The number of rows that aren't headings or gaps."""
    dated: Listing | None = None
    """The list of episodes that forms its last rows, if there is one."""
    dates: Headings = ()
    """The headings above rows of the `dated` list, counted from its first row."""

    def __init__(self, ids: Sequence[int]) -> None:
        """`ids` are the episode of each row, or NO_EPISODE."""
        self._ids = array("q", ids)
        self._status: Callable[[], PlaybackStatus] = PlaybackStatus
        self._row_of: Callable[[EpisodeId], Episode | None] = lambda _episode_id: None
        self._bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING
        self.tall = False
        """Whether its rows have two lines now."""
        self.form = RowForm()
        """The form in which the list draws its rows now."""
        self.says_dates = True
        """Whether rows show the dates today and yesterday, because no heading does."""

    def bind(
        self,
        status: Callable[[], PlaybackStatus],
        row_of: Callable[[EpisodeId], Episode | None],
        bytes_of: Callable[[Episode], RowBytes],
    ) -> None:
        """Called by the list that shows these rows, with functions that return the playback status, the episodes that
        it has read, and where the audio of each is."""
        self._status, self._row_of, self._bytes_of = status, row_of, bytes_of

    def __len__(self) -> int:
        return len(self._ids)

    def page(self, start: int, size: int) -> "array[int]":
        return self._ids[max(0, start) : max(0, start) + size]

    @property
    def headed(self) -> Sequence[int]:
        """The rows with a heading above them, in order."""
        return ()

    def laid(self, *, tall: bool) -> Sequence[int]:
        """Called by the list with whether rows have two lines now. Returns the rows that are `headed`."""
        self.tall = tall
        return self.headed

    def heading_of(self, index: int) -> Heading:  # noqa: ARG002
        """The heading above a row that is `headed`."""
        return Heading()

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        """The row of an episode."""
        try:
            return self._ids.index(episode_id) if episode_id else None
        except ValueError:
            return None

    @abstractmethod
    def may_rest(self, index: int) -> bool:
        """Whether the cursor may be on a row."""

    @abstractmethod
    def key(self, index: int) -> Hashable:
        """Everything that the look of a row depends on."""

    @abstractmethod
    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        """The row, or its first line if rows are `tall`, in exactly `width` cells."""

    def draw_below(self, index: int, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:  # noqa: ARG002
        """The second line of the row, if rows have two, in exactly `width` cells."""
        return [Segment(" " * width)]

    @abstractmethod
    def same_row(self, before: object, index: int) -> int | None:
        """The row for a cursor that was on row `index` of the previous listing; None: it keeps its line."""


MARKS_FROM = 24
"""Rows at least this wide have marks."""
NO_REST = ("", Style())
_LEAST_TITLE = 20
_DAY = labels.LONG_DATE_CELLS
_LEAST_PODCAST = 12
"""The cells that the podcast's name gets before any facts are shown."""


def lower_line(
    podcast: str,
    facts: Sequence[str],
    width: int,
    glyphs: Glyphs,
    ink: Ink,
    *,
    podcast_id: PodcastId | None = None,
    tail: Iterable[tuple[str, Style]] = (),
    role: str = "muted",
    rest: tuple[str, Style] = NO_REST,
) -> list[Segment]:
    """The second line of a row, in exactly `width` cells. If there is too little room, the last `facts` are left out.
    `podcast` is "" in a list of one podcast. Its hue goes by `podcast_id`; None: no hue. `tail` is at the right end and
    isn't cut. `rest` is what the first line had no room for: it comes first, and leaves the podcast's name a little
    room."""
    hue = "" if podcast_id is None else f"hue-{hue_of(podcast_id)}"
    stripe = [Segment(glyphs.hue, ink(hue))] if hue and width > 2 else []
    end = [Segment(text, style) for text, style in tail]
    room = max(0, width - 3 - sum(one.cell_length for one in [*stripe, *end]))
    begun = cells.cut(rest[0], room - min(_LEAST_PODCAST, cells.width(podcast)) - 2, glyphs.ellipsis)
    begun += "  " if begun else ""
    room -= cells.width(begun)
    said = [one for one in facts if one]
    while said and room - _cells(said, glyphs) < min(_LEAST_PODCAST, cells.width(podcast)):
        said.pop()
    after = f" {glyphs.dot} ".join([""] * bool(podcast) + said)
    name = cells.cut(podcast, room - cells.width(after), glyphs.ellipsis)
    return [
        Segment("  "[: max(0, width)]),
        *([Segment(begun, rest[1])] if begun else []),
        *stripe,
        Segment(name + after, ink(role)),
        Segment(" " * (room - cells.width(name) - cells.width(after))),
        *end,
        Segment(" " * min(1, max(0, width - 3))),
    ]


def marks_cells(marks: Iterable[tuple[str, str]]) -> int:
    return sum(cells.width(text) for text, _role in marks)


def _cells(facts: Sequence[str], glyphs: Glyphs) -> int:
    return sum(cells.width(one) + cells.width(glyphs.dot) + 2 for one in facts)


DrawTitle = Callable[[str, Style], Sequence[Segment]]
"""Draws a title that has been cut to its column."""

_LOWER_BAR_FROM = 40
"""The second line of a row at least this wide has a bar."""


class EpisodeRow(Struct, frozen=True):
    """Draws the row of an episode. Each line takes exactly `width` cells."""

    status: PlaybackStatus
    bytes: RowBytes
    today: date
    form: RowForm

    def draw(
        self, episode: Episode, width: int, glyphs: Glyphs, ink: Ink, draw_title: DrawTitle, *, at_cursor: bool
    ) -> list[Segment]:
        """The row, or its first line if it has two. Marks take their cells from this row's title only."""
        shown = with_position(episode, self.status)
        missing = self.bytes.missing
        sign, sign_role = state_sign(shown, self.status, glyphs)
        room = columns(width, self.form)
        marks = [] if self.form.tall else self._marks(episode, width, glyphs)
        title = cells.in_two(episode.title, room.title)[0] if self.form.tall else episode.title
        title = cells.fit(title, max(0, room.title - marks_cells(marks)), ellipsis=glyphs.ellipsis)
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

    def said(self, episode: Episode, width: int) -> str:
        """The row for a screen reader: the state, the title, the podcast in a list of several, the length, the date,
        and the marks. In `width` cells, if possible: the podcast's name is cut first, then the date is left out, then
        the title is cut."""
        shown, playing = with_position(episode, self.status), playing_sign(episode, self.status) is not None
        left = None if playing else labels.left_ms(shown)
        signs = [state_sign(shown, self.status, SPOKEN), *signs_of(self.bytes, SPOKEN, 0)]
        signs += marks_of(episode, SPOKEN, queued=self.form.queued)
        state, *marks = [as_words(sign) for sign, _role in signs]
        before = ", ".join(filter(None, (state, "" if left is None else time_left(left))))
        length = "" if episode.duration_ms is None else long_time(episode.duration_ms)
        day = labels.short_date(episode.published, self.today, _DAY)
        podcast = f", {episode.podcast}" if self.form.mixed and episode.podcast else ""
        least = min(_LEAST_TITLE, cells.width(episode.title)) + min(_LEAST_PODCAST, cells.width(podcast))
        for facts in ((length, day, *marks), (length, *marks)):
            after = ", ".join(filter(None, facts))
            room = width - cells.width(before) - cells.width(after) - 2 * len(", ")
            if room >= least:
                break
        of_podcast = max(_LEAST_PODCAST, room - cells.width(episode.title))
        podcast = cells.cut(podcast, of_podcast, SPOKEN.ellipsis)
        title = cells.cut(episode.title, max(_LEAST_TITLE, room - cells.width(podcast)), SPOKEN.ellipsis)
        return ", ".join(filter(None, (before, title + podcast, after)))

    def draw_below(self, episode: Episode, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
        """The second line: the rest of a long title, the podcast with its hue, the date and the length; then the marks
        and the progress."""
        shown = with_position(episode, self.status)
        marks = [(text, ink(role)) for text, role in self._marks(episode, width, glyphs)]
        if labels.progress(shown) and width >= _LOWER_BAR_FROM:
            bar = self._bar(shown, LOWER_BAR_CELLS, glyphs, ink)
            marks += [("  ", Style()), *((one.text, one.style or Style()) for one in bar)]
        return lower_line(
            episode.podcast if self.form.mixed else "",
            (self._day(shown), labels.length(shown, glyphs.minus, _ROOM_FOR_LEFT)),
            width,
            glyphs,
            ink,
            podcast_id=episode.podcast_id if self.form.mixed else None,
            tail=marks,
            role="faint" if self.bytes.missing else "muted",
            rest=(
                cells.in_two(episode.title, columns(width, self.form).title)[1],
                ink(title_role(shown, self.status, at_cursor=False, missing=self.bytes.missing)),
            ),
        )

    def _day(self, episode: Episode, room: int = labels.DATE_CELLS) -> str:
        """The date of release, or when a live show begins; "" for today and yesterday if a heading above the row says
        so."""
        if episode.live is not None:
            return labels.live_date(episode, self.today, room)
        if self.form.headed and labels.is_new_day(episode.published, self.today):
            return ""
        return labels.short_date(episode.published, self.today, room)

    def _marks(self, episode: Episode, width: int, glyphs: Glyphs) -> list[tuple[str, str]]:
        """The marks, after a space; none if the row is too narrow."""
        if width < MARKS_FROM:
            return []
        marks = [*signs_of(self.bytes, glyphs, width // 2), *marks_of(episode, glyphs, queued=self.form.queued)]
        return [(" ", "muted"), *marks] if marks else []

    def _bar(self, shown: Episode, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
        """The progress, in the accent if the episode is playing."""
        full, half = labels.bar(labels.progress(shown), width)
        role = "muted" if playing_sign(shown, self.status) is None else "alive"
        return [
            Segment(glyphs.line * full + glyphs.line_half * half, ink(role)),
            Segment(glyphs.line_thin * (width - full - half), ink("line")),
        ]


_ROOM_FOR_LEFT = 16
"""The cells of `1h 23m left`, in full."""
