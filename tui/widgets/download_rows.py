"""The rows of the Downloads view: downloads and transcripts under way, in their order, and downloaded episodes."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date

from rich.segment import Segment
from rich.style import Style

from player.library import Listing
from player.model.downloads import Download, DownloadEntry, DownloadState, Work
from player.model.episode import Episode, EpisodeId
from player.text.cleaning import fold
from player.text.sentences import _
from player.text.sizes import size_label
from tui.drawing import cells, labels, phrases
from tui.drawing.episode_rows import RowBytes, look, signs_of, state_sign
from tui.look.glyphs import Glyphs
from tui.widgets.episode_row import Heading, Ink, OwnRows, lower_line

_ROOMY, _BAR_FROM, _WHY_FROM = 66, 84, 72
"""Rows at least this wide show the podcast of a download under way, its bar, or why an episode was downloaded."""
_NAMED_FROM, _DATED_FROM = 40, 58
"""Rows of downloaded episodes at least this wide show the podcast, or the date of the download."""
_BAR, _PERCENT, _SPEED, _LEFT, _SIZE, _DATE = 10, 5, 13, 11, 9, 12


class DownloadRows(OwnRows):
    """`moving` returns the current entry of a queued download: its progress changes while the rows stay."""

    has_two_lines = True

    def __init__(
        self,
        queue: Sequence[DownloadEntry],
        here: Listing,
        known: Mapping[EpisodeId, Download],
        why: Callable[[EpisodeId], str],
        words: str,
        today: Callable[[], date],
        moving: Callable[[EpisodeId], DownloadEntry | None],
        *,
        held: Callable[[], bool] = lambda: False,
    ) -> None:
        """`here` are the downloaded episodes in their order, `known` the facts about their files; `why` returns why an
        episode was downloaded and what keeps it. Only queued downloads that contain all of the `words` are listed.
        `held` returns whether all downloads wait for the network."""
        wanted = fold(words).split()
        self.queued = [one for one in queue if all(word in fold(f"{one.title} {one.podcast}") for word in wanted)]
        moves = {one.episode_id for one in self.queued}
        self.here = [EpisodeId(one) for one in here.page(0, len(here)) if one not in moves]
        self.dated = here
        self._known = known
        self._why = why
        self._today = today
        self._moving = moving
        self._held = held
        self.more = here.more
        self.count = len(self.queued) + len(self.here)
        ids = [one.episode_id for one in self.queued]
        super().__init__([*ids, *self.here])
        self.keeps_headings = self._in_parts = bool(self.queued and self.here)

    @property
    def shape(self) -> Hashable:
        """The order and states of the queued rows; if it changes, the list has to be read again."""
        return shape_of(self.queued)

    def entry_at(self, index: int) -> DownloadEntry | None:
        """The current entry of the download in a row; None for any other row."""
        if not 0 <= index < len(self.queued):
            return None
        return self._moving(self.queued[index].episode_id) or self.queued[index]

    def may_rest(self, index: int) -> bool:
        return 0 <= index < len(self)

    def same_row(self, before: object, index: int) -> int | None:
        """The row of the same episode."""
        ids = before.page(index, 1) if isinstance(before, DownloadRows) else None
        return self.rank(EpisodeId(ids[0])) if ids else None

    # -- headings ---------------------------------------------------------------------------------------------

    @property
    def headed(self) -> Sequence[int]:
        first = [len(self.queued)] if self._in_parts else []
        return sorted({*first, *(row + len(self.queued) for row, _words in self.dates)})

    def heading_of(self, index: int) -> Heading:
        """The date of publication; above the first downloaded episode also “On this computer”."""
        date_words = dict(self.dates).get(index - len(self.queued), "")
        if self._in_parts and index == len(self.queued):
            return Heading(_("On this computer"), date_words)
        return Heading(date_words)

    # -- drawing ----------------------------------------------------------------------------------------------

    def key(self, index: int) -> Hashable:
        if (entry := self.entry_at(index)) is not None:
            moves = entry.state, *self._moves(entry), phrases.state_words(entry, held=self._held())
            return entry.title, entry.podcast, moves
        episode, known = self._here_at(index)
        seen = None if episode is None else look(episode, self._status(), self._today())
        return seen, known, self._today(), self._why(known.episode_id) if known else ""

    def draw(self, index: int, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool) -> Sequence[Segment]:
        if (entry := self.entry_at(index)) is not None:
            return self._entry(entry, width, glyphs, ink, at_cursor=at_cursor)
        episode, known = self._here_at(index)
        if episode is None:
            return [Segment(" " * width)]
        return self._file(episode, known, width, glyphs, ink, at_cursor=at_cursor)

    def draw_below(self, index: int, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:
        if (entry := self.entry_at(index)) is not None:
            return self._entry_below(entry, width, glyphs, ink)
        episode, known = self._here_at(index)
        if episode is None:
            return [Segment(" " * width)]
        return self._file_below(episode, known, width, glyphs, ink)

    def _here_at(self, index: int) -> tuple[Episode | None, Download | None]:
        episode_id = self.here[index - len(self.queued)]
        return self._row_of(episode_id), self._known.get(episode_id)

    def _moves(self, entry: DownloadEntry) -> tuple[int | None, str, str]:
        progress = entry.progress
        percent = None if progress.part is None else int(100 * progress.part)
        if entry.state is not DownloadState.RUNNING:
            return percent, "", ""
        speed = _("transcribing") if entry.work is Work.TRANSCRIPT else phrases.speed(progress.per_second)
        return percent, speed, phrases.left(progress.seconds_left)

    def _entry(
        self, entry: DownloadEntry, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool
    ) -> Sequence[Segment]:
        """A download under way: its state and title; if rows have one line, also its podcast, then its progress and
        speed, or what it waits for."""
        sign, sign_role = next(iter(signs_of(RowBytes(entry.state), glyphs, 0)), (glyphs.downloaded, "muted"))
        tail = [] if self.tall else self._tail(entry, width, glyphs, ink)
        podcast = min(24, width // 5) if width >= _ROOMY and not self.tall else 0
        title = max(0, width - 3 - podcast - sum(one.cell_length for one in tail))
        return [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(entry.title, title, ellipsis=glyphs.ellipsis), ink("strong" if at_cursor else "title")),
            Segment(cells.fit(f"  {entry.podcast}", podcast, ellipsis=glyphs.ellipsis), ink("muted")),
            *tail,
            Segment(" "),
        ]

    def _entry_below(self, entry: DownloadEntry, width: int, glyphs: Glyphs, ink: Ink) -> Sequence[Segment]:
        episode = self._row_of(entry.episode_id)
        tail = [(one.text, one.style or Style()) for one in self._tail(entry, width, glyphs, ink)]
        podcast_id = episode.podcast_id if episode else None
        return lower_line(entry.podcast, (), width, glyphs, ink, podcast_id=podcast_id, tail=tail)

    def _tail(self, entry: DownloadEntry, width: int, glyphs: Glyphs, ink: Ink) -> list[Segment]:
        """The progress and speed of a download, or what it waits for."""
        percent, speed, left = self._moves(entry)
        shown = "" if percent is None else f"{percent}%"
        if entry.state is not DownloadState.RUNNING:
            words = phrases.state_words(entry, held=self._held())
            role = "failed" if entry.state is DownloadState.FAILED else "muted"
            room = min(cells.width(words) + 2, max(10, width // 2))
            return [
                Segment(cells.fit(shown, _PERCENT, "right"), ink("muted")),
                Segment(cells.fit(f"  {words}", room, ellipsis=glyphs.ellipsis), ink(role)),
            ]
        segments = []
        if width >= _BAR_FROM:
            full, half = labels.bar((percent or 0) / 100, _BAR)
            full, half = (0, False) if not percent else (full, half)
            segments = [
                Segment(" "),
                Segment(glyphs.line * full + glyphs.line_half * half, ink("title")),
                Segment(glyphs.line_thin * (_BAR - full - half), ink("line")),
            ]
        segments.append(Segment(cells.fit(shown, _PERCENT, "right"), ink("title")))
        return segments + [
            Segment(cells.fit(text, room, "right"), ink("muted"))
            for text, room, least in ((speed, _SPEED, 50), (left, _LEFT, 36))
            if width >= least
        ]

    def _file(
        self, episode: Episode, known: Download | None, width: int, glyphs: Glyphs, ink: Ink, *, at_cursor: bool
    ) -> Sequence[Segment]:
        """A downloaded episode: its state and title; if rows have one line, also its podcast, why it was downloaded,
        its size, and the date of the download."""
        sign, sign_role = state_sign(episode, self._status(), glyphs)
        why = self._why(episode.id)
        podcast = why_cells = size_cells = date_cells = 0
        if not self.tall:
            why_cells = min(cells.width(why) + 2, width // 3) if why and width >= _WHY_FROM else 0
            podcast = max(14, min(24, width // 5)) if width >= _NAMED_FROM else 0
            size_cells, date_cells = (_SIZE if width >= 32 else 0), (_DATE if width >= _DATED_FROM else 0)
        title = max(0, width - 3 - podcast - why_cells - size_cells - date_cells)
        role = "muted" if episode.played else "strong" if at_cursor else "title"
        return [
            Segment(sign, ink(sign_role)),
            Segment(" "),
            Segment(cells.fit(episode.title, title, ellipsis=glyphs.ellipsis), ink(role)),
            Segment(cells.fit(f"  {episode.podcast}", podcast, ellipsis=glyphs.ellipsis), ink("muted")),
            Segment(cells.fit(f"  {why}", why_cells, ellipsis=glyphs.ellipsis), ink("faint")),
            Segment(cells.fit(_size(known), size_cells, "right"), ink("muted")),
            Segment(cells.fit(self._came(known, glyphs), date_cells, "right"), ink("muted")),
            Segment(" "),
        ]

    def _file_below(
        self, episode: Episode, known: Download | None, width: int, glyphs: Glyphs, ink: Ink
    ) -> Sequence[Segment]:
        """The second line of a downloaded episode: its podcast, the date of publication, its size, the date of the
        download, and why it was downloaded."""
        today = self._today()
        said_above = not self.says_dates and labels.is_new_day(episode.published, today)
        published = "" if said_above else labels.short_date(episode.published, today)
        facts = published, _size(known), self._came(known, glyphs), self._why(episode.id)
        return lower_line(episode.podcast, facts, width, glyphs, ink, podcast_id=episode.podcast_id)

    def _came(self, known: Download | None, glyphs: Glyphs) -> str:
        """The date of the download, such as `↓ 12 Apr`: the arrow distinguishes it from the date of publication."""
        room = _DATE - 2 - cells.width(glyphs.downloaded)
        day = labels.short_date(known.downloaded_at, self._today(), room) if known else ""
        return f"{glyphs.downloaded} {day}" if day else ""


def _size(known: Download | None) -> str:
    return size_label(known.size) if known and known.size else ""


def shape_of(queue: Sequence[DownloadEntry]) -> Hashable:
    return tuple((one.episode_id, one.state, one.work) for one in queue)
