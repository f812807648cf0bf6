"""A row of the episode list: how wide its columns are, and which parts follow playback."""

from collections.abc import Hashable, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import Episode
from player.model.playback import PlaybackState, PlaybackStatus
from tui.drawing import labels
from tui.look.glyphs import Glyphs

BAR_CELLS = 6
"""Cells of a started episode's bar, in the column of the length."""
LOWER_BAR_CELLS = 8
"""The same in the second line of a row, which has more room."""
_LENGTH = BAR_CELLS + 2
_ROOMY = 74
"""A row at least this wide shows the dates of other years with day, month and year."""
_LEAST_TITLE = 19
"""A column is shown only if it leaves the title so many cells."""
_TALL_FROM, _TALL_HEIGHT = 24, 28
_SHORT_TITLE, _SHORT_HEIGHT = 40, 12
"""Where one line leaves a title less than so many cells, rows have two from so many lines of the list on."""
_PODCAST_FROM = 34
_PODCAST = range(12, 27)
"""Rows at least as wide as `_PODCAST_FROM` give the podcast's name so many cells, with two spaces before it."""


class RowForm(Struct, frozen=True):
    """What the rows of one list have in common.

    `mixed`: they are of several podcasts, so that each names its own. `years`: some may be of another year than this,
    and no heading says which. `queued`: whether to mark queued episodes. `tall`: they have two lines. `headed`:
    headings say which were released today and yesterday.
    """

    mixed: bool = False
    years: bool = True
    queued: bool = True
    tall: bool = False
    headed: bool = False


def is_tall(setting: str, width: int, height: int, form: RowForm) -> bool:
    """Whether rows of so many cells have two lines, in a list of so many lines: only where podcasts are mixed.
    `setting` is `[appearance] rows`."""
    if not form.mixed or width < _TALL_FROM or setting == "one":
        return False
    if setting == "two" or height >= _TALL_HEIGHT:
        return True
    title = columns(width, replace(form, tall=False)).title
    return title < _SHORT_TITLE and height >= _SHORT_HEIGHT


def has_other_years(episodes: Sequence[Episode] | None, today: date) -> bool:
    """Whether some of a list's episodes are of another year than this; True if not all are known (None)."""
    dates = [one.published.astimezone().year for one in episodes or () if one.published is not None]
    return episodes is None or any(year != today.year for year in dates)


class Columns(Struct, frozen=True):
    """How wide the columns of a row are, with the spaces before them; `title` gets the rest. Zero: the column isn't
    shown."""

    title: int
    podcast: int
    date: int
    length: int


def columns(width: int, form: RowForm) -> Columns:
    """The columns of a row of `width` cells, which begins with the state and a space and ends with a space.

    They depend on nothing that differs from row to row, so they stay where they are while the list scrolls.
    """
    room = max(0, width - 3)
    if form.tall:
        return Columns(room, 0, 0, 0)
    podcast = 2 + max(_PODCAST[0], min(_PODCAST[-1], width // 4)) if form.mixed and width >= _PODCAST_FROM else 0
    day = labels.SHORT_DATE_CELLS
    if form.years:
        day = labels.LONG_DATE_CELLS if width >= _ROOMY else labels.MONTH_DATE_CELLS
    for date_cells, length in ((day + 1, _LENGTH), (0, _LENGTH), (0, 0)):
        title = room - podcast - date_cells - length
        if title >= _LEAST_TITLE:
            return Columns(title, podcast, date_cells, length)
    return Columns(max(0, room - podcast), podcast, 0, 0)


def with_position(episode: Episode, status: PlaybackStatus) -> Episode:
    """The episode with its current position, which is newer than the library's. Playing a clip doesn't change it."""
    if status.heard != episode.id:
        return episode
    duration = status.duration_ms or episode.duration_ms
    return replace(episode, position_ms=status.position_ms, duration_ms=duration)


def playing_sign(episode: Episode, status: PlaybackStatus) -> PlaybackState | None:
    """What the row of the episode in the player bar shows in place of the episode's own state."""
    if status.episode is None or status.episode.id != episode.id:
        return None
    if status.state in (PlaybackState.PLAYING, PlaybackState.BUFFERING, PlaybackState.OPENING):
        return PlaybackState.PLAYING
    return PlaybackState.PAUSED if status.state is PlaybackState.PAUSED else None


def state_sign(episode: Episode, status: PlaybackStatus, glyphs: Glyphs) -> tuple[str, str]:
    """The first glyph of its row, and the glyph's role: only what plays and what is new is in the accent."""
    if (sign := playing_sign(episode, status)) is not None:
        return (glyphs.playing if sign is PlaybackState.PLAYING else glyphs.paused), "alive"
    if episode.played:
        return glyphs.played, "muted"
    if episode.in_progress:
        return glyphs.started, "title"
    return (glyphs.new, "alive") if episode.new else (glyphs.unplayed, "title")


def title_role(episode: Episode, status: PlaybackStatus, *, at_cursor: bool, missing: bool = False) -> str:
    """The role of its title. `missing`: it can't be played now."""
    if missing:
        return "faint"
    if playing_sign(episode, status) is not None:
        return "alive"
    if episode.played:
        return "muted"
    return "strong" if at_cursor else "title"


def marks_of(episode: Episode, glyphs: Glyphs, *, queued: bool = True) -> list[tuple[str, str]]:
    """The glyphs for what the listener has done with it, and their roles; `queued`: whether to mark queued episodes."""
    marks = (
        (queued and episode.queued, glyphs.queued, "muted"),
        (episode.downloaded, glyphs.downloaded, "muted"),
        (episode.starred, glyphs.star, "title"),
    )
    return [(sign, role) for on, sign, role in marks if on]


def look(episode: Episode, status: PlaybackStatus, today: date) -> Hashable:
    """Everything about an episode that its row shows, or more: of one that isn't in the player bar all that is known,
    which takes a fortieth of the time."""
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
        labels.short_date(episode.published, today),
        labels.length(shown, ""),
        steps,
        playing_sign(shown, status),
    )
