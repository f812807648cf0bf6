"""The layout of the episode list: the columns and marks of a row, the lines of rows, and the date headings between
them."""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from player.model.downloads import DownloadState
from player.model.episode import Episode, LiveState
from player.model.playback import PlaybackState, PlaybackStatus
from player.text.sentences import _, mark, translate
from player.text.times import start_of_week
from tui.drawing import cells, labels
from tui.look.glyphs import Glyphs

BAR_CELLS = 6
"""The cells of a started episode's bar, in the column of the length."""
LOWER_BAR_CELLS = 8
"""The cells of that bar in the second line of a row, which has more room."""
_LENGTH = BAR_CELLS + 2
ROOMY = 74
"""A row at least this wide shows the dates of other years with day, month and year."""
_LEAST_TITLE = 19
"""A column is shown only if it leaves the title this many cells."""
_TALL_FROM, _TALL_HEIGHT = 24, 28
_SHORT_TITLE, _SHORT_HEIGHT = 40, 12
"""If one line leaves titles fewer cells than this, rows have two lines in a list of at least this many lines."""
_PODCAST_FROM = 34
_PODCAST = range(12, 27)
"""Rows at least as wide as `_PODCAST_FROM` have this many cells for the podcast's name, after two spaces."""


class RowForm(Struct, frozen=True):
    """The properties that the rows of a list share.

    `mixed`: the list has several podcasts, so that each row shows its own. `years`: some episodes may be of another
    year than this, and no heading shows it. `queued`: queued episodes are marked. `tall`: rows have two lines.
    `headed`: headings show which episodes were released today and yesterday. `lengths`: rows in one line show lengths.
    `wanted`: the cells in which most of the titles fit.
    """

    mixed: bool = False
    years: bool = True
    queued: bool = True
    tall: bool = False
    headed: bool = False
    lengths: bool = True
    wanted: int = 0


def is_tall(setting: str, width: int, height: int, form: RowForm) -> bool:
    """Whether rows of `width` cells have two lines, in a list of `height` lines. The second line of a list with mixed
    podcasts names them; another list has it only for the rest of long titles. `setting` is `[appearance] rows`."""
    if width < _TALL_FROM or setting == "one":
        return False
    if form.mixed and (setting == "two" or height >= _TALL_HEIGHT):
        return True
    title = columns(width, replace(form, tall=False)).title
    return title < (_SHORT_TITLE if form.mixed else min(_SHORT_TITLE, form.wanted)) and height >= _SHORT_HEIGHT


def cells_of_most_titles(episodes: Sequence[Episode]) -> int:
    """The cells in which three of four titles fit."""
    widths = sorted(cells.width(one.title) for one in episodes)
    return widths[len(widths) * 3 // 4] if widths else 0


def has_other_years(episodes: Sequence[Episode] | None, today: date) -> bool:
    """Whether some of a list's episodes are of another year than this; True if not all of them have been read
    (None)."""
    dates = [one.published.astimezone().year for one in episodes or () if one.published is not None]
    return episodes is None or any(year != today.year for year in dates)


class Columns(Struct, frozen=True):
    """The widths of a row's columns in cells, with the spaces before them; `title` gets the rest. 0: the column isn't
    shown."""

    title: int
    podcast: int
    date: int
    length: int


def columns(width: int, form: RowForm) -> Columns:
    """The columns of a row of `width` cells, which begins with the state and a space and ends with a space.

    They don't depend on the contents of rows, so that they stay where they are while the list scrolls.
    """
    room = max(0, width - 3)
    if form.tall:
        return Columns(room, 0, 0, 0)
    podcast = 2 + max(_PODCAST[0], min(_PODCAST[-1], width // 4)) if form.mixed and width >= _PODCAST_FROM else 0
    day = labels.SHORT_DATE_CELLS
    if form.years:
        day = labels.LONG_DATE_CELLS if width >= ROOMY else labels.month_date_cells()
    of_length = _LENGTH if form.lengths else 0
    for date_cells, length in ((day + 1, of_length), (0, of_length), (0, 0)):
        title = room - podcast - date_cells - length
        if title >= _LEAST_TITLE:
            return Columns(title, podcast, date_cells, length)
    return Columns(max(0, room - podcast), podcast, 0, 0)


def with_position(episode: Episode, status: PlaybackStatus) -> Episode:
    """The episode with its position in playback, if it is playing, which is newer than the library's. Playing a clip
    doesn't change the position."""
    if status.heard != episode.id:
        return episode
    duration = status.duration_ms or episode.duration_ms
    return replace(episode, position_ms=status.position_ms, duration_ms=duration)


def playing_sign(episode: Episode, status: PlaybackStatus) -> PlaybackState | None:
    """The playback state that the row of the episode in the player bar shows in place of the episode's own state; None
    for its own state."""
    if status.episode is None or status.episode.id != episode.id:
        return None
    if status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
        return PlaybackState.PLAYING
    return PlaybackState.PAUSED if status.state is PlaybackState.PAUSED else None


def state_sign(episode: Episode, status: PlaybackStatus, glyphs: Glyphs) -> tuple[str, str]:
    """The first glyph of an episode's row, and the glyph's role: only the playing episode and new ones are in the
    accent."""
    if (sign := playing_sign(episode, status)) is not None:
        return (glyphs.playing if sign is PlaybackState.PLAYING else glyphs.paused), "alive"
    if episode.played:
        return glyphs.played, "muted"
    if episode.in_progress:
        return glyphs.started, "title"
    return (glyphs.new, "alive") if episode.new else (glyphs.unplayed, "title")


def title_role(episode: Episode, status: PlaybackStatus, *, at_cursor: bool, missing: bool = False) -> str:
    """The role of an episode's title. `missing`: the episode can't be played now."""
    if missing:
        return "faint"
    if playing_sign(episode, status) is not None:
        return "alive"
    if episode.played:
        return "muted"
    return "strong" if at_cursor else "title"


def marks_of(episode: Episode, glyphs: Glyphs, *, queued: bool = True) -> list[tuple[str, str]]:
    """The marks of an episode (live, queued, downloaded, starred) and their roles; `queued`: whether to mark queued
    episodes."""
    marks = (
        (episode.live is LiveState.LIVE, glyphs.live, "alive"),
        (episode.live is LiveState.PENDING, glyphs.live, "muted"),
        (queued and episode.queued, glyphs.queued, "muted"),
        (episode.downloaded, glyphs.downloaded, "muted"),
        (episode.starred, glyphs.star, "title"),
    )
    return [(sign, role) for on, sign, role in marks if on]


def look(episode: Episode, status: PlaybackStatus, today: date) -> Hashable:
    """A value that differs whenever the row of an episode looks different. For an episode that isn't in the player bar
    it is the whole episode, which takes a fortieth of the time."""
    if status.heard != episode.id and (status.episode is None or status.episode.id != episode.id):
        return episode, today
    shown = with_position(episode, status)
    steps = round(labels.progress(shown) * 4 * LOWER_BAR_CELLS) if shown.in_progress else None
    return (
        episode.id,
        episode.title,
        episode.podcast,
        episode.played,
        episode.starred,
        episode.downloaded,
        episode.queued,
        episode.new,
        episode.live,
        labels.short_date(episode.published, today),
        labels.length(shown, ""),
        steps,
        playing_sign(shown, status),
    )


_ROOMY_WORDS = 24
"""The least cells of a title with room for the progress of a download."""


class RowBytes(Struct, frozen=True):
    """Where the audio of an episode is. `state` is the state of its download, `percent` the progress. `missing`:
    Earmark is offline, and not all of the episode is on this computer."""

    state: DownloadState | None = None
    percent: int | None = None
    missing: bool = False


NOTHING = RowBytes()


def signs_of(found: RowBytes, glyphs: Glyphs, title_cells: int) -> list[tuple[str, str]]:
    """The signs of a download and their roles; the progress in percent only if the title has enough cells."""
    signs = [(glyphs.missing, "muted")] if found.missing else []
    match found.state:
        case DownloadState.RUNNING:
            percent = f"{found.percent}%" if found.percent is not None and title_cells >= _ROOMY_WORDS else ""
            signs.append((f"{glyphs.downloading}{percent}", "title"))
        case DownloadState.WAITING:
            signs.append((glyphs.waiting, "muted"))
        case DownloadState.PAUSED:
            signs.append((glyphs.paused, "muted"))
        case DownloadState.FAILED:
            signs.append((glyphs.failed, "failed"))
    return signs


class Line(NamedTuple):
    """The contents of a line: line `part` of a row, or the heading above that row (-1), or the gap above the heading
    (-2)."""

    row: int
    part: int


class RowLines:
    """The lines of `count` rows of `height` lines each. The rows in `headings`, in order, have a heading of one line
    above them. If `gap`, there is a gap of one line above each heading, except on the very first line."""

    def __init__(self, count: int, height: int = 1, headings: Sequence[int] = (), *, gap: bool = False) -> None:
        self.count, self.height, self._gap = count, height, gap
        self._headings = [row for row in headings if row < count]
        self._starts = [row * height + self._headings_above(at) for at, row in enumerate(self._headings)]

    def __len__(self) -> int:
        """The number of lines."""
        return self.count * self.height + self._headings_above(len(self._headings))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowLines) and self._shape == other._shape

    def __hash__(self) -> int:
        return hash(self._shape[:3])

    @property
    def _shape(self) -> tuple[object, ...]:
        return self.count, self.height, self._gap, self._headings

    def _headings_above(self, at: int) -> int:
        """The number of lines that the first `at` headings take."""
        if not at or not self._gap:
            return at
        return 2 * at - (self._headings[0] == 0)

    def height_of(self, index: int) -> int:  # noqa: ARG002 - for subclasses
        """The number of a row's lines."""
        return self.height

    def top_of(self, index: int) -> int:
        """The first line of a row."""
        return index * self.height + self._headings_above(bisect_right(self._headings, index))

    def head_of(self, index: int) -> int:
        """The first line of a row, or of the heading right above it."""
        at = bisect_right(self._headings, index)
        return self._starts[at - 1] if at and self._headings[at - 1] == index else self.top_of(index)

    def at(self, line: int) -> Line:
        """The contents of a line, counted from 0. After the last row: of the rows that would follow."""
        at = bisect_right(self._starts, line)
        if not at:
            return Line(*divmod(line, self.height))
        row, start = self._headings[at - 1], self._starts[at - 1]
        lines = self._headings_above(at) - self._headings_above(at - 1)
        if line - start < lines:
            return Line(row, line - start - lines)
        index, part = divmod(line - start - lines, self.height)
        return Line(row + index, part)

    def rows_between(self, start: int, end: int) -> range:
        """The rows that have a line or heading on the lines from `start` up to `end`."""
        if end <= start:
            return range(0)
        last = self.at(end - 1)
        return range(max(0, self.at(start).row), max(0, min(self.count, last.row + (last.part >= 0))))


_MONTHS = (
    mark("January"), mark("February"), mark("March"), mark("April"), mark("May"), mark("June"), mark("July"),
    mark("August"), mark("September"), mark("October"), mark("November"), mark("December"),
)  # fmt: skip
_FIRST_YEAR = 2000
"""Older months share a heading, as there were no podcasts before this year. Episodes without a date are stored as of
1970."""
_DATED_FROM = datetime(1980, 1, 1, tzinfo=UTC)


Headings = tuple[tuple[int, str], ...]
"""The rows that have a heading above them, in order, with the words of the headings."""


class DateGroup(NamedTuple):
    """The episodes from a moment on, up to the moment of the newer group before this one."""

    since: datetime
    words: str


def date_groups(today: date) -> tuple[DateGroup, ...]:
    """The groups, the newest first; the last one has no beginning. Days begin at midnight in the local time zone, weeks
    on the first day of the week in the locale."""
    return _groups(today, start_of_week(today))


@lru_cache(2)
def _groups(today: date, week: date) -> tuple[DateGroup, ...]:
    groups = [
        DateGroup(_midnight(today + timedelta(days=1)), _("Upcoming")),
        DateGroup(_midnight(today), _("Today")),
        DateGroup(_midnight(today - timedelta(days=1)), _("Yesterday")),
        DateGroup(_midnight(week), _("This week")),
        DateGroup(_midnight(week - timedelta(days=7)), _("Last week")),
    ]
    year, month = today.year, today.month
    while year >= _FIRST_YEAR:
        groups.append(DateGroup(_midnight(date(year, month, 1)), _month_words(year, month, today)))
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    groups.append(DateGroup(_DATED_FROM, _("Before {year}", year=_FIRST_YEAR)))
    groups.append(DateGroup(datetime.min.replace(tzinfo=UTC), _("Without a date")))
    # Empty groups: on the first day of a week, this week is today; at the beginning of a month, the month is in last
    # week.
    kept: list[DateGroup] = []
    for one in groups:
        if not kept or one.since < kept[-1].since:
            kept.append(one)
    return tuple(kept)


def headings(groups: Sequence[DateGroup], counts: Sequence[int], total: int, *, oldest_first: bool = False) -> Headings:
    """The headings above rows, in order. `counts` are the numbers of rows, of `total`, in each group and all newer
    ones, for all groups but the last. A very long list has fewer counts, and the rest is “Earlier”."""
    rest = groups[-1].words if len(counts) >= len(groups) - 1 else _("Earlier")
    found = []
    before = 0
    for words, up_to in (*((group.words, count) for group, count in zip(groups, counts, strict=False)), (rest, total)):
        if up_to > before:
            found.append((total - up_to if oldest_first else before, words))
            before = up_to
    return tuple(reversed(found)) if oldest_first else tuple(found)


def _month_words(year: int, month: int, today: date) -> str:
    words = translate(_MONTHS[month - 1])
    return words if year == today.year else _("{month} {year}", month=words, year=year)


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day).astimezone()
