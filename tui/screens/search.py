"""Searches everything as the listener types: a field, the results, and where the words occur in the notes."""

import logging
from array import array
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from player.errors import EarmarkError
from player.library import Interrupted, RowsRead, WholeList, read_rows
from player.library.search.completion import Names, choices
from player.library.search.query import words_alone
from player.library.search.search import Found, Passage
from player.model.episode import Episode, EpisodeId
from player.model.podcast import Podcast, PodcastId
from player.text.durations import clock
from player.text.sentences import _, mark, plural, translate
from tui.dialogs.dialog import Dialog, keys
from tui.dialogs.lists import QuerySuggester
from tui.drawing.episode_rows import NOTHING, RowBytes
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice
from tui.widgets.search import LINES, Excerpt, FoundPane
from tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from player.player import Player

log = logging.getLogger(__name__)

_MOST = 500
_MOST_PODCASTS = 4
_ROWS_AT_ONCE = 50
"""Rows of results that come with the answer: as many as most terminals show."""
_MOST_OFFERED = 8
"""Most completions of a filter that are shown at once."""
_HELP = mark(
    '"two words"  begin*  -without  title:word  podcast:name  tag:work  is:unplayed  in:transcript  duration:<20m  '
    "longer:30m  shorter:1h  age:<7d  after:2026-03  before:2026  sort:oldest  limit:50"
)


class _Question(Struct, frozen=True):
    text: str
    best: bool


class Hit(Struct, frozen=True):
    """A podcast; or an episode, with the time at which the words are said."""

    episode: Episode | None = None
    at_ms: int | None = None
    podcast_id: PodcastId | None = None


class _Answer(Struct, frozen=True):
    """`read` are the first rows of the results, `left` the number of episodes that aren't indexed yet."""

    found: Found
    podcasts: Sequence[Podcast]
    read: RowsRead
    left: int


Queue = Callable[[Episode, bool, Callable[[Episode], None], Callable[[str], object]], None]
"""Adds an episode to the queue, at its head (True) or its end. The first function shows the episode, the second the
outcome."""


class SearchScreen(Dialog[Hit]):
    """Answers with what was chosen. The search runs in a thread, and ends when another letter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
        ("pagedown", "page(1)"),
        ("pageup", "page(-1)"),
        ("tab,shift+tab", "order"),
        ("ctrl+g", "go_there"),
        Binding("ctrl+e", "queue(False)", show=False, priority=True),
        ("ctrl+t", "queue(True)"),
        ("ctrl+s", "save"),
    ]

    DEFAULT_CSS = """
    SearchScreen {
        & #dialog { width: 112; height: 100%; margin: 0 0 4 0; padding: 1 0 0 1; overflow: hidden; }
        & #asked, & #told, & Excerpt { padding: 0 2 0 1; }
        & #asked { height: 1; }
        & Input { width: 1fr; }
        & #told { color: $muted; height: auto; margin: 1 0; }
        & Excerpt { margin-top: 1; }
        &.-low #dialog { margin: 0; padding: 0; }
        &.-low #told { margin: 0; }
        &.-low Excerpt { display: none; }
    }
    """

    class _Answered(Message):
        def __init__(self, question: _Question, answer: _Answer | None, trouble: str) -> None:
            super().__init__()
            self.question = question
            self.answer = answer
            self.trouble = trouble

    class _Seen(Message):
        """Where the words of `found` occur in the episode that the cursor was on."""

        def __init__(self, episode: Episode, found: Found, passage: Passage) -> None:
            super().__init__()
            self.episode = episode
            self.found = found
            self.passage = passage

    def __init__(
        self,
        player: "Player",
        text: str = "",
        today: Callable[[], date] = date.today,
        *,
        queue: Queue = lambda _episode, _first, _put, _say: None,
        bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING,
    ) -> None:
        """`bytes_of`: as that of a list of episodes."""
        super().__init__()
        self._library = player.library
        self._queue = queue
        self._suggester = QuerySuggester()
        self._input = Input(
            text,
            placeholder=_("Search podcasts, titles, notes and transcripts"),
            select_on_focus=True,
            max_length=MOST_LETTERS,
            suggester=self._suggester,
        )
        self._told = Static(translate(_HELP), id="told", markup=False)
        self._list = FoundPane(player.library.episodes.rows, today, bytes_of)
        self._excerpt = Excerpt()
        self._best = False
        self._found: Found | None = None
        self._question: _Question | None = None
        self._answered: _Question | None = None
        self._seen: SearchScreen._Seen | None = None
        self._going = False
        self.saving = False
        """Whether the search was closed to save it."""

    @property
    def text(self) -> str:
        return self._input.value

    def heading(self) -> str:
        return _("Search")

    def contents(self) -> ComposeResult:
        with Horizontal(id="asked"):
            yield self._input
        yield self._told
        yield self._list
        yield self._excerpt

    def on_mount(self) -> None:
        self._ask()
        self.run_worker(self._read_names, thread=True, group="names")

    def _read_names(self) -> None:
        """In a thread: reads the names with which filters can be completed. Everything else works without them."""
        try:
            self._suggester.names = Names.of(self._library.podcasts.all(), self._library.shelf.tags().values())
        except EarmarkError as error:
            log.info("no names to complete with: %s", error)

    # -- asking -----------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _ask(self) -> None:
        question = _Question(self._input.value, self._best)
        self._going = False
        self.show_frame()
        if question == self._question:
            return
        self._question = question
        if question.text.strip():
            self.run_worker(partial(self._answer, question), thread=True, group="search")
        else:
            self._answered, self._found = question, None
            self._list.show_found("", Found(array("q")), (), "")
            self._tell(translate(_HELP))

    def _answer(self, question: _Question) -> None:
        """In a thread; does nothing if another search has been started."""

        def cancelled() -> bool:
            return question is not self._question

        answer, trouble = None, ""
        try:
            if cancelled():
                return
            found = self._library.search.find(question.text, _MOST, best=question.best, cancelled=cancelled)
            read = read_rows(WholeList(found.ids), self._library.episodes.rows, 0, _ROWS_AT_ONCE)
            podcasts = self._library.podcasts.named(words_alone(question.text), _MOST_PODCASTS)
            answer = _Answer(found, podcasts, read, self._library.search.left())
        except Interrupted:
            return
        except EarmarkError as error:
            trouble = str(error)
        self.post_message(self._Answered(question, answer, trouble))

    def on_search_screen__answered(self, event: _Answered) -> None:
        if event.question is not self._question:
            return
        self._answered, answer = event.question, event.answer
        self._found = found = None if answer is None else answer.found
        self._going = self._going and bool(answer and (answer.found.ids or answer.podcasts))
        if answer is None or found is None:
            self._tell(event.trouble, trouble=True)
            return
        empty = "" if found.problems else _("No results")
        self._list.show_found(event.question.text, found, answer.podcasts, empty, answer.read)
        if self._going and self._list.podcast is not None:
            self._go()
            return
        if found.problems:
            self._tell(" ".join(found.problems), trouble=True)
            return
        number = len(found.ids)
        words = _("{n:,}+ matches", n=number) if found.more else plural(number, "{n:,} match", "{n:,} matches")
        if answer.left:
            left = plural(answer.left, "{n:,} episode is still being read", "{n:,} episodes are still being read")
            words += f" {glyphs_of(self.app).dot} {left}"
        if offered := choices(event.question.text, self._suggester.names):
            self._tell("  ".join(offered[:_MOST_OFFERED]))
        else:
            self._tell(words)

    def _tell(self, words: str, *, trouble: bool = False) -> None:
        self._told.update(words)
        self._told.set_class(trouble, "-trouble")

    def choices(self) -> list[Choice]:
        order = _("sort by date") if self._best else _("sort by relevance")
        at_ms = self._seen.passage.at_ms if self._seen else None
        show = _("show in list")
        if self._list.podcast is not None:
            return keys(("enter", _("open podcast")), ("esc", _("close")), ("ctrl+s", _("save as list")))
        hints = [("enter", show)]
        if at_ms is not None:
            hints = [("enter", _("play from {time}", time=clock(at_ms))), ("ctrl+g", show)]
        return keys(
            *hints,
            ("esc", _("close")),
            ("ctrl+e", _("queue")),
            ("ctrl+t", _("play next")),
            ("tab", order),
            ("ctrl+s", _("save as list")),
        )

    # -- what was found ---------------------------------------------------------------------------------------

    @on(VirtualList.Moved)
    def _moved(self, event: VirtualList.Moved) -> None:
        event.stop()
        self.call_after_refresh(self._look_into, self._list.episode_id)

    def _look_into(self, episode_id: EpisodeId | None) -> None:
        if episode_id != self._list.episode_id:
            return
        episode, found = self._list.episode, self._found
        if episode is None or found is None:
            self._show_passage(None)
        else:
            width = max(20, self._excerpt.size.width * LINES)
            self.run_worker(partial(self._find_passage, episode, found, width), thread=True, group="passage")

    def _find_passage(self, episode: Episode, found: Found, width: int) -> None:
        """In a thread."""
        try:
            (passage,) = self._library.search.passages([episode], found, width)
        except EarmarkError:
            passage = Passage("")
        self.post_message(self._Seen(episode, found, passage))

    def on_search_screen__seen(self, event: _Seen) -> None:
        if event.found is self._found and event.episode.id == self._list.episode_id:
            self._show_passage(event)
            if self._going:
                self._go()

    def _show_passage(self, seen: "SearchScreen._Seen | None") -> None:
        self._seen = seen
        self._excerpt.show(seen.passage if seen else Passage(""), seen.found.terms if seen else ())
        self.show_frame()

    @on(VirtualList.Chosen)
    def _chosen(self, event: VirtualList.Chosen) -> None:
        event.stop()
        self._go()

    @on(Input.Submitted)
    def _go(self) -> None:
        """Waits for the results and, if not known yet, for the time at which the words are said."""
        if self._answered is not self._question:
            self._going = True
            return
        episode, podcast = self._list.episode, self._list.podcast
        if podcast is not None:
            self.dismiss(Hit(podcast_id=podcast.id))
        if episode is None or self._found is None:
            return
        seen = self._seen
        self._going = seen is None or seen.found is not self._found or seen.episode.id != episode.id
        if seen is not None and not self._going:
            self.dismiss(Hit(episode, seen.passage.at_ms))

    # -- keys -------------------------------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        self._going = False
        self._list.move_by(rows)

    def action_page(self, pages: int) -> None:
        self._going = False
        self._list.move_by_pages(pages)

    def action_go_there(self) -> None:
        if (episode := self._list.episode) is not None:
            self.dismiss(Hit(episode))

    def action_queue(self, first: bool) -> None:
        if (episode := self._list.episode) is not None:
            self._queue(episode, first, self._list.put, self._tell)

    def action_save(self) -> None:
        """Saves the search as a smart list; whoever opened the search asks for its name."""
        if self.text.strip():
            self.saving = True
            self.dismiss(None)

    def action_order(self) -> None:
        self._best = not self._best
        self._ask()

    def action_close(self) -> None:
        self.dismiss(None)
