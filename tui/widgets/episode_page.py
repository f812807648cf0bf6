"""The page of an episode: its notes and, in tabs, its chapters, transcript, links, bookmarks and comments.

The modules that draw the tabs are imported with the first tab, so that the first frame doesn't wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.message import Message

from player.model.episode import Chapters, Episode, EpisodeId, Person, Soundbite, Summary, Transcript, TranscriptRef
from player.model.listening import Bookmark
from player.model.playback import PlaybackStatus
from player.model.segments import Segment
from player.text.sentences import _, mark, translate
from tui.drawing.cells import steady
from tui.drawing.runs import Line, Run, width_of, wrap, wrap_facts
from tui.drawing.selected_text import Selection, Spot
from tui.look.glyphs import glyphs_of
from tui.terminal.line_by_line import say
from tui.widgets.notes_pane import LOW_TERMINAL, NotesPane

if TYPE_CHECKING:
    from player.comments.comments import Comments
    from player.notes.episode_links import Links
    from tui.drawing.episode_tabs import TabWord, TextPage

NOTES, CHAPTERS, TRANSCRIPT, LINKS, BOOKMARKS = "notes", "chapters", "transcript", "links", "bookmarks"
COMMENTS, SUMMARY = "comments", "summary"
TABS = (NOTES, CHAPTERS, TRANSCRIPT, LINKS, BOOKMARKS, COMMENTS, SUMMARY)
_TAB_WORDS = {
    NOTES: mark("Notes"),
    CHAPTERS: mark("Chapters"),
    TRANSCRIPT: mark("Transcript"),
    LINKS: mark("Links"),
    BOOKMARKS: mark("Bookmarks"),
    COMMENTS: mark("Comments"),
    SUMMARY: mark("Summary"),
}

_AT_ONCE = 300
"""The most lines of a transcript that can be laid out between two frames (10 ms); longer ones are laid out in a
thread."""
_POSTS_AT_ONCE = 20
"""The same for comments."""
_PINNED_SHARE = 3
"""The head stays above a tab's entries if it takes at most one part in this many of the page."""


_NO_CHAPTERS = Chapters()


class EpisodeTabs(Struct, frozen=True):
    """The contents of an episode's tabs besides its notes.

    `facts` is a line such as “Season 2, episode 7”. `transcribed`: there is a transcript, stored or not; `trouble`: why
    it couldn't be fetched, or how one is made. `transcripts` are the stored ones to choose from, `transcript_facts` say
    which one is shown. `chapters_to_come`: the feed names chapters that haven't been fetched; `chapters_trouble`: why
    they couldn't be; `chapters_settled`: no further chapters can be found. `comments_hints` say with which keys
    comments are fetched again and shown.
    """

    chapters: Chapters = _NO_CHAPTERS
    transcript: Transcript | None = None
    transcribed: bool = False
    bites: tuple[Soundbite, ...] = ()
    people: tuple[Person, ...] = ()
    facts: str = ""
    trouble: str = ""
    chapters_to_come: bool = False
    chapters_trouble: str = ""
    chapters_settled: bool = True
    links: Links | None = None
    transcripts: tuple[TranscriptRef, ...] = ()
    transcript_facts: tuple[str, ...] = ()
    bookmarks: tuple[Bookmark, ...] = ()
    summary: Summary | None = None
    segments: tuple[Segment, ...] = ()
    comments: Comments | None = None
    comments_hints: tuple[str, str] = ("", "")


class EpisodePage(NotesPane):
    """Call `show` with an episode and its notes, then `show_beside` with the contents of its tabs, after which the page
    is `filled`. `follow` moves the current line with playback."""

    class _SheetMade(Message):
        def __init__(self, tab: str, columns: int, make: Callable[[], TextPage]) -> None:
            super().__init__()
            self.tab = tab
            self.make = make
            self.columns = columns
            self.sheet = make()

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filled = False
        self._beside = EpisodeTabs()
        self._chosen = NOTES
        self._sheets: dict[tuple[str, int], TextPage] = {}
        self._cursors: dict[str, int] = {}
        self._status = PlaybackStatus()
        self._now: int | None = None
        self._word: tuple[int, tuple[int, int]] | None = None
        """The entry with the word that is being said, and where the word is in it."""
        self._following = True
        self._selected_from: int | None = None
        """The entry from which lines are selected by moving the cursor."""
        self._contents_row = 0
        """The first line of the visible tab's contents."""
        self._offered: EpisodeId | None = None
        """The episode whose transcript was asked for, whether it has one or not."""
        self._open_posts: frozenset[str] = frozenset()
        """The comments with a content warning whose text is shown."""
        self._made_aside: Callable[[], TextPage] | None = None
        """Makes the sheet that is being laid out in a thread."""

    # -- contents ---------------------------------------------------------------------------------------------

    @property
    def shown(self) -> tuple[Episode, str] | None:
        """The episode on the page, and its notes."""
        return self._shown

    @property
    def beside(self) -> EpisodeTabs:
        return self._beside

    def links_of(self, episode: Episode) -> Links | None:
        """The links of an episode, if it is on the page and they have been found."""
        return self._beside.links if self._shown is not None and self._shown[0].id == episode.id else None

    @property
    def bookmark(self) -> Bookmark | None:
        """The bookmark under the cursor, in the tab of bookmarks."""
        return self._beside.bookmarks[self.cursor] if self.tab == BOOKMARKS and self.entry is not None else None

    def selected_time(self) -> tuple[int, int] | None:
        """From when to when the selected words of the transcript are said, in ms; None if none are selected, or their
        times aren't known."""
        from tui.drawing.episode_tabs import time_of

        if self.selection is None or self.sheet is None or self._beside.transcript is None or self.tab != TRANSCRIPT:
            return None
        return time_of(self.selection, self.sheet, self._lines, self.first_row, self._beside.transcript)

    @property
    def tab(self) -> str:
        """The visible tab: the chosen one if the episode has it, otherwise the notes."""
        return self._chosen if self._chosen in self.tabs() else NOTES

    @property
    def awaited(self) -> bool:
        """Whether the feed names chapters, a transcript or comments for the visible tab that haven't been fetched."""
        beside = self._beside
        if self.tab == COMMENTS:
            return beside.comments is not None and beside.comments.thread is None and not beside.comments.trouble
        if self.tab == CHAPTERS:
            return beside.chapters_to_come
        return self.tab == TRANSCRIPT and beside.transcribed and beside.transcript is None

    @property
    def offers_transcript(self) -> bool:
        """Whether the visible tab offers to make a transcript."""
        return self.tab == TRANSCRIPT and not self._beside.transcribed and self._beside.transcript is None

    def offer_transcript(self) -> None:
        """The episode on the page has a tab for a transcript from now on, though it has no transcript."""
        self._offered = self._shown[0].id if self._shown else None

    @property
    def _is_offered(self) -> bool:
        return self._shown is not None and self._shown[0].id == self._offered

    def tabs(self) -> list[str]:
        """The tabs that have contents."""
        beside = self._beside
        has = {
            NOTES: True,
            CHAPTERS: bool(beside.chapters.listed or beside.bites or beside.chapters_to_come),
            TRANSCRIPT: beside.transcribed or beside.transcript is not None or self._is_offered,
            LINKS: beside.links is not None and bool(beside.links.pages),
            BOOKMARKS: bool(beside.bookmarks),
            COMMENTS: beside.comments is not None,
            SUMMARY: beside.summary is not None,
        }
        return [name for name in TABS if has[name]]

    def show(self, episode: Episode | None, notes: str) -> None:
        if episode is None or self._shown is None or episode.id != self._shown[0].id:
            self._beside = EpisodeTabs()
            self.filled = False
            self._sheets.clear()
            self._made_aside = None
            self.sheet = None
            self._cursors = {}
            self._now = None
            self._following = True
            self._found = ""
            self._open_posts = frozenset()
        super().show(episode, notes)

    def show_beside(self, episode_id: EpisodeId, beside: EpisodeTabs) -> None:
        """Shows the contents of the episode's tabs; does nothing if another episode is on the page."""
        if self._shown is None or self._shown[0].id != episode_id:
            return
        self.filled = True
        if beside == self._beside:
            return
        self._beside = beside
        self._sheets.clear()
        self._made_aside = None
        self._now = None
        self._put_together()
        self.follow(self._status)

    def show_bookmarks(self, episode_id: EpisodeId, bookmarks: tuple[Bookmark, ...]) -> None:
        """Shows the episode's bookmarks if they have changed; the other tabs stay as they are."""
        shown = self._shown is not None and self._shown[0].id == episode_id
        if not self.filled or not shown or bookmarks == self._beside.bookmarks:
            return
        self._beside = replace(self._beside, bookmarks=bookmarks)
        self._sheets = {key: sheet for key, sheet in self._sheets.items() if key[0] != BOOKMARKS}
        self._now = None
        self._put_together()
        self.follow(self._status)

    def fold(self, post_id: str) -> None:
        """Shows or hides the text of a comment with a content warning."""
        if self._request is None:
            return
        self._open_posts ^= {post_id}
        here = COMMENTS, self._request.columns
        # What is shown stays until the other sheet has been laid out.
        self._sheets = {key: sheet for key, sheet in self._sheets.items() if key[0] != COMMENTS or key == here}
        if (made := self._make_comments(self._beside, here[1])) is not None:
            self._sheets[here] = made
            self._put_together()
            self.bring_in_sight()

    def choose_tab(self, name: str) -> None:
        """Shows a tab with the cursor where it was left; a tab that follows playback follows it again."""
        if name == self.tab:
            self._chosen = name
            return
        self._chosen = name
        self._now = None
        self._following = True
        self._found = ""
        self._put_together()
        self.to_top()
        if say(self.app, translate(_TAB_WORDS[self.tab])):
            self._read_at = self._contents_row
        self.follow(self._status)
        self.bring_in_sight()

    # -- following --------------------------------------------------------------------------------------------

    def follow(self, status: PlaybackStatus) -> None:
        """Marks the current line and word, and keeps the line in view unless the listener has scrolled away."""
        self._status = status
        now = self._heard()
        if now != self._now:
            self._now = now
            if now is not None and self._following:
                self._cursors[self.tab] = now
                self.bring_in_sight(share=0.3)
                if self.is_spoken:  # once, as nothing may move by itself
                    self.go_to_entry(now)
            self.redraw()
        if not self.is_spoken:
            self._mark_word()

    def _mark_word(self) -> None:
        """Draws only the lines again in which a word begins or ends."""
        said = self.sheet.entries[self._now].said if self.sheet is not None and self._now is not None else None
        place = said.word_at(self._status.at(monotonic()).position_ms) if said is not None else None
        word = (self._now, place) if self._now is not None and place is not None else None
        before, self._word = self._word, word
        if word != before:
            if before is not None and (word is None or before[0] != word[0]):
                self._show_word(before[0], None)
            if word is not None:
                self._show_word(*word)

    def _show_word(self, index: int, word: tuple[int, int] | None) -> None:
        from tui.drawing.now_playing import spoken_runs

        if self.sheet is None or self._request is None or (said := self.sheet.entries[index].said) is None:
            return
        rows = self.sheet.rows_of(index)
        for row, line in zip(rows, wrap(spoken_runs(said, word), self._request.columns), strict=False):
            if self._lines[self.first_row + row] != line:
                self._lines[self.first_row + row] = line
                self.redraw_row(self.first_row + row)

    def follow_again(self) -> bool:
        """Moves the cursor back to the current line; False if this page has none."""
        self._following = True
        self._now = None
        self.follow(self._status)
        return self._now is not None

    def _heard(self) -> int | None:
        status, sheet = self._status, self.sheet
        if sheet is None or status.episode is None or self._shown is None or status.episode.id != self._shown[0].id:
            return None
        return sheet.playing(status.at(monotonic()).position_ms)

    # -- moving -----------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        if not self._scroll_within(rows):
            super().move_by(rows)

    def move_by_pages(self, pages: float) -> None:
        if not self._scroll_within(round(pages * max(1, self.size.height - self.pinned - 1))):
            super().move_by_pages(pages)

    def _scroll_within(self, rows: int) -> bool:
        """Scrolls within an entry that is higher than the page; False once its end, or its beginning, is in sight."""
        sheet, entry, room = self.sheet, self.entry, self.size.height - self.pinned
        if sheet is None or entry is None or room <= 0:
            return False
        before = self.first_row - self.pinned
        first, end, top = before + entry.first, before + sheet.rows_of(self.cursor).stop, self.scroll_offset.y
        if end - first <= room or not first - entry.lead <= top < end:
            return False
        target = min(top + rows, end - room) if rows > 0 else max(top + rows, first - entry.lead)
        if (target - top) * rows <= 0:
            return False
        self.move_to_row(target)
        return True

    def go_to_entry(self, entry: int) -> None:
        self._following = False
        self._cursors[self.tab] = entry
        super().go_to_entry(entry)
        self._select_lines()

    def select_lines(self) -> bool:
        """Selects the line of the transcript under the cursor, and from now on all that the cursor moves over; ends
        that, if it has begun. False outside a transcript."""
        if self.tab != TRANSCRIPT or self.entry is None:
            return False
        if self._selected_from is not None:
            self.clear_selection()
        else:
            self._following = False
            self._selected_from = self.cursor
            self._select_lines()
        return True

    def clear_selection(self) -> bool:
        self._selected_from = None
        return super().clear_selection()

    def _select_lines(self) -> None:
        if self._selected_from is None or self.sheet is None or self.tab != TRANSCRIPT:
            self._selected_from = None
            return
        first, last = sorted((self._selected_from, self.cursor))
        begin, end = (self.first_row + self.sheet.rows_of(one)[edge] for one, edge in ((first, 0), (last, -1)))
        self._select(Selection(Spot(begin, 0), Spot(end, width_of(self._lines[end]))))

    def cursor_place(self) -> int:
        return self._cursors.get(self.tab, 0)

    def on_mouse_scroll_down(self, _event: events.MouseScrollDown) -> None:
        self._following = False

    def on_mouse_scroll_up(self, _event: events.MouseScrollUp) -> None:
        self._following = False

    # -- lines ------------------------------------------------------------------------------------------------

    def _put_together(self) -> None:
        if self._request is None:
            return
        from tui.drawing.episode_tabs import tab_line

        tab, columns = self.tab, self._request.columns
        self._word = None
        self.sheet = None if tab in (NOTES, SUMMARY) else self._sheet_of(tab, columns)
        top = self.head_lines()
        if self.sheet is not None and (len(top) + 2) * _PINNED_SHARE > self.size.height:
            top = self.head_lines(covered=False)
        names = self.tabs()
        if len(names) > 1:
            top = [*top, (), tab_line(self._words(), tab, columns, self._request.glyphs.ellipsis)]
        if self.sheet is None:
            self.first_row, self._contents_row = 0, len(top) + 1
            rest = self._body if tab == NOTES else self._summary(columns) if tab == SUMMARY else self._waiting(columns)
            self.show_lines([*top, (), *rest, ()])
            return
        if len(top) * _PINNED_SHARE > self.size.height:
            top = [*([] if self.app.size.height < LOW_TERMINAL else [()]), *top[-1:]]
            self._title_rows = range(0)
            self._cover_rows = range(0)
        self.first_row = self._contents_row = len(top) + 1
        self.show_lines([*top, (), *self.sheet.lines, ()], pinned=len(top) + 1)

    def more_facts(self, columns: int) -> list[Line]:
        """Season and number, the segments, and the people, whose names link to their other episodes."""
        from tui.drawing.episode_tabs import people_pieces, segment_words

        lines: list[Line] = wrap([Run(steady(self._beside.facts), "muted")], columns) if self._beside.facts else []
        if words := segment_words(self._beside.segments):
            lines += wrap([Run(words, "muted")], columns)
        named = people_pieces(self._beside.people)
        return [*lines, *(wrap(named, columns) if named else [])]

    def _words(self) -> list[TabWord]:
        """The tabs with their numbers of entries."""
        from tui.drawing.episode_tabs import TabWord

        links, comments = self._beside.links, self._beside.comments
        numbers = {
            CHAPTERS: len(self._beside.chapters.listed),
            LINKS: len(links.pages) if links else 0,
            BOOKMARKS: len(self._beside.bookmarks),
            COMMENTS: comments.thread.replies if comments and comments.thread else 0,
        }
        return [TabWord(name, translate(_TAB_WORDS[name]), numbers.get(name, 0)) for name in self.tabs()]

    def _summary(self, columns: int) -> list[Line]:
        """What was made of the transcript, below what made it; its times link to positions."""
        from player.notes import read_notes
        from tui.drawing.notes.notes_page import body

        summary, shown = self._beside.summary, self._shown
        if summary is None or shown is None:
            return []
        made = wrap([Run(_("made here by {program}", program=steady(summary.made_by)), "muted")], columns)
        return [*made, (), *body(read_notes(summary.text), columns, glyphs_of(self.app), shown[0].duration_ms)]

    def _waiting(self, columns: int) -> list[Line]:
        comments = self._beside.comments
        if self.tab == CHAPTERS:
            trouble, fetching = self._beside.chapters_trouble, _("Fetching the chapters")
        elif self.tab == COMMENTS and comments is not None:
            fetching = "" if comments.thread else _("Fetching the comments from {server}", server=comments.server)
            trouble = comments.trouble
        else:
            trouble, fetching = self._beside.trouble, _("Fetching the transcript")
        return wrap([Run(trouble or fetching + glyphs_of(self.app).ellipsis, "muted")], columns)

    def _sheet_of(self, tab: str, columns: int) -> TextPage | None:
        """The entries of a tab; None while they are being laid out or fetched."""
        made = self._sheets.get((tab, columns))
        if made is None:
            made = self._make(tab, columns)
            if made is not None:
                self._sheets[tab, columns] = made
        return made

    def _make(self, tab: str, columns: int) -> TextPage | None:
        from tui.drawing.episode_tabs import bookmarks_sheet, chapters_sheet, links_sheet, transcript_sheet

        beside = self._beside
        if tab == CHAPTERS:
            if not (beside.chapters.listed or beside.bites):
                return None
            return chapters_sheet(beside.chapters, beside.bites, columns, glyphs_of(self.app))
        if tab == LINKS and beside.links:
            return links_sheet(beside.links, columns)
        if tab == BOOKMARKS:
            return bookmarks_sheet(beside.bookmarks, columns)
        if tab == COMMENTS:
            return self._make_comments(beside, columns)
        if beside.transcript is None:
            return None
        heading = wrap_facts(beside.transcript_facts, columns, glyphs_of(self.app).dot, "muted")
        if len(beside.transcript.lines) <= _AT_ONCE:
            return transcript_sheet(beside.transcript, columns, heading)
        self._make_aside(tab, columns, partial(transcript_sheet, beside.transcript, columns, heading))
        return None

    def _make_comments(self, beside: EpisodeTabs, columns: int) -> TextPage | None:
        comments = beside.comments
        if comments is None or comments.thread is None:
            return None
        from tui.drawing.comments import comments_sheet

        duration_ms = self._shown[0].duration_ms if self._shown else None
        make = partial(
            comments_sheet, comments, columns, glyphs_of(self.app), duration_ms, self._open_posts, beside.comments_hints
        )
        if len(comments.thread.posts) <= _POSTS_AT_ONCE:
            return make()
        self._make_aside(COMMENTS, columns, make)
        return None

    def _make_aside(self, tab: str, columns: int, make: Callable[[], TextPage]) -> None:
        def work() -> None:
            self.post_message(self._SheetMade(tab, columns, make))

        self._made_aside = make
        self.run_worker(work, thread=True, exclusive=True, group="sheet")

    def on_episode_page__sheet_made(self, message: _SheetMade) -> None:
        if message.make is self._made_aside:
            self._sheets[message.tab, message.columns] = message.sheet
            self._put_together()
            self.follow_again()

    def line_of(self, row: int) -> Line:
        line, sheet = super().line_of(row), self.sheet
        if sheet is None or row < self.first_row or not line:
            return line
        if self._now is None:
            return line
        rows, place = sheet.rows_of(self._now), row - self.first_row
        if self.tab == TRANSCRIPT:
            more = "spoken" if place in rows else "said" if place < rows.start else ""
        else:
            more = "now" if place in rows else ""
        return tuple(Run(text, f"{role} {more}".strip(), href) for text, role, href in line) if more else line
