"""A row of the episode list: how wide its columns are, and which parts follow playback."""

from collections.abc import Hashable
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import Episode
from player.model.playback import PlaybackState, PlaybackStatus
from tui.drawing import labels
from tui.look.glyphs import Glyphs

_WIDEST_BAR = 8
_ROOMY = 74
"""A row at least this wide shows dates with day, month and year."""
_SHORT_DATES = range(44, 70)
"""Rows of these widths, in lists with several podcasts, have shorter dates and durations."""
_TITLE_FIRST = 28
"""Cells that a title gets before its row has room for the podcast's name."""
_PODCAST_CELLS = range(12, 27)
"""Cells for a podcast's name, with the two spaces before it."""


class Columns(Struct, frozen=True):
    """How wide the columns of a row are; `title` gets the rest. Zero: the column isn't shown."""

    title: int
    podcast: int
    marks: int
    bar: int
    date: int
    length: int

    def with_podcast(self, cells: int) -> "Columns":
        """For a row of several podcasts' episodes whose title needs so many cells: where there is no column for the
        podcast, it has what a short title leaves."""
        if self.podcast or self.title - cells < _PODCAST_CELLS[0]:
            return self
        return replace(self, podcast=_PODCAST_CELLS[0], title=self.title - _PODCAST_CELLS[0])

    def with_marks(self, cells: int) -> "Columns":
        """With room for this many marks and a space, taken from the podcast, or otherwise from the title."""
        more = max(0, cells - self.marks)
        if not self.marks or not more:
            return self
        if self.podcast:
            return replace(self, marks=self.marks + more, podcast=self.podcast - more)
        return replace(self, marks=self.marks + more, title=max(0, self.title - more))


def columns(width: int, *, mixed: bool) -> Columns:
    """The columns of a row of `width` cells, which begins with the state and a space and ends with a space.

    `mixed`: the list has several podcasts. `marks` has room for one. `bar` is how much a started episode's bar and the
    space before it take from the title.
    """
    marks = 2 if width >= 24 else 0
    length = labels.LENGTH_CELLS + 2 if width >= 32 else 0
    day = labels.DATE_CELLS + 1 if width >= 46 else 0
    if width >= _ROOMY:
        day = labels.LONG_DATE_CELLS + 1
    if mixed and width in _SHORT_DATES:
        day, length = labels.SHORT_DATE_CELLS + 1, labels.SHORT_LENGTH_CELLS + 1
    room = max(0, width - 3 - marks - length - day)
    podcast = min(_PODCAST_CELLS[-1], width // 4, room - _TITLE_FIRST) if mixed else 0
    podcast = podcast if podcast in _PODCAST_CELLS else 0
    title = room - podcast
    bar = _WIDEST_BAR + 1 if title >= 32 else 6 if title >= 22 else 0
    return Columns(title, podcast, marks, bar, day, length)


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
    """The first glyph of its row, and the glyph's role."""
    if (sign := playing_sign(episode, status)) is not None:
        return (glyphs.playing if sign is PlaybackState.PLAYING else glyphs.paused), "alive"
    if episode.played:
        return glyphs.played, "faint"
    return (glyphs.started if episode.in_progress else glyphs.new), "alive"


def marks_of(episode: Episode, glyphs: Glyphs, *, queued: bool = True) -> list[tuple[str, str]]:
    """The glyphs for what the listener has done with it, and their roles; `queued`: whether to mark queued episodes."""
    marks = (
        (queued and episode.queued, glyphs.queued, "muted"),
        (episode.downloaded, glyphs.downloaded, "muted"),
        (episode.starred, glyphs.star, "alive"),
    )
    return [(sign, role) for on, sign, role in marks if on]


def look(episode: Episode, status: PlaybackStatus, today: date) -> Hashable:
    """Everything about an episode that its row shows."""
    shown = with_position(episode, status)
    steps = round(labels.progress(shown) * 4 * _WIDEST_BAR) if shown.in_progress else None
    return (
        episode.id,
        episode.title,
        episode.podcast,
        episode.played,
        episode.starred,
        episode.downloaded,
        episode.queued,
        labels.short_date(episode.published, today),
        labels.length(shown, ""),
        steps,
        playing_sign(shown, status),
    )
