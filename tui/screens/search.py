"""Searches everything as the listener types: a field, and the results with excerpts that have the words."""

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
from textual.widgets import Input

from player.library import RowsRead, WholeList, read_rows
from player.library.search.query import choices, words_alone
from player.library.search.search import Found
from player.model.episode import Episode
from player.model.podcast import Podcast, PodcastId
from player.text.durations import clock
from player.text.sentences import _, mark, plural, translate
from tui.dialogs.lists import QuerySuggester
from tui.dialogs.picker import Cancelled, Picker
from tui.drawing.episode_rows import NOTHING, RowBytes
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.search_results import FoundPane

if TYPE_CHECKING:
    from player.player import Player

_MOST = 500
_MOST_PODCASTS = 4
_ROWS_AT_ONCE = 50
"""The number of rows that are read together with the results: more than most terminals show."""
_MOST_OFFERED = 8
"""The most completions of a filter that are shown at once."""
_HELP = mark(
    '"two words"  begin*  -without  title:word  podcast:name  tag:work  is:unplayed  in:transcript  duration:<20m  '
    "longer:30m  shorter:1h  age:<7d  after:2026-03  before:2026  sort:oldest  limit:50"
)


class _Question(Struct, frozen=True):
    text: str
    best: bool


class Hit(Struct, frozen=True):
    """The chosen result: a podcast, or an episode and the time at which the words are said, if known."""

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
"""Adds an episode to the queue, at its head (True) or its end. The first function shows the changed episode, the second
reports the outcome."""


class SearchScreen(Picker[Hit]):
    """Answers with the chosen result. The search runs in a thread, and is cancelled when another letter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("show in list")),
        ("ctrl+g", "go_there", mark("show in list")),
        ("escape", "close", mark("close")),
        Binding("ctrl+e", "queue(False)", mark("queue"), priority=True),
        ("ctrl+t", "queue(True)", mark("play next")),
        ("tab,shift+tab", "order", mark("sort by relevance")),
        ("ctrl+s", "save", mark("save as list")),
    ]

    DEFAULT_CSS = """
    SearchScreen {
        & #dialog { width: 112; height: 100%; margin: 0 0 4 0; padding: 1 0 0 1; overflow: hidden; }
        & #asked, & #told { padding: 0 2 0 1; }
        & #asked { height: 1; }
        & Input { width: 1fr; }
        & #told { color: $muted; height: auto; margin: 1 0; }
        &.-low #dialog { margin: 0; padding: 0; }
        &.-low #told { margin: 0; }
    }
    """

    def __init__(
        self,
        player: "Player",
        text: str = "",
        today: Callable[[], date] = date.today,
        *,
        queue: Queue = lambda _episode, _first, _put, _say: None,
        bytes_of: Callable[[Episode], RowBytes] = lambda _episode: NOTHING,
    ) -> None:
        """`bytes_of` as in `EpisodeList`."""
        self.found = FoundPane(player.library.episodes.rows, player.library.search.passages, today, bytes_of)
        self._suggester = QuerySuggester()
        of = Input(
            text,
            placeholder=_("Search podcasts, titles, notes and transcripts"),
            select_on_focus=True,
            max_length=MOST_LETTERS,
            suggester=self._suggester,
        )
        super().__init__(_("Search"), of, self.found, translate(_HELP))
        self._library = player.library
        self._queue = queue
        self._best = False
        self._found: Found | None = None
        self._question: _Question | None = None
        self.saving = False
        """Whether the search was closed to save it."""

    @property
    def text(self) -> str:
        return self.field.value

    def contents(self) -> ComposeResult:
        with Horizontal(id="asked"):
            yield self.field
        yield self.told
        yield self.found

    def on_mount(self) -> None:
        self._ask()
        read = partial(self._suggester.read_names, self._library)
        self.read(read, lambda _read: None, lambda _error: None, group="names")

    # -- asking -----------------------------------------------------------------------------------------------

    @on(Input.Changed)
    def _ask(self) -> None:
        question = _Question(self.text, self._best)
        self.entered = False
        self.show_frame()
        if question == self._question:
            return
        self._question = question
        if question.text.strip():
            self.ask("search", partial(self._answer, question), partial(self._answered, question), self._not_answered)
        else:
            self.forget("search")
            self._found = None
            self.found.show_found("", Found(array("q")), (), "")
            self.tell(translate(_HELP))

    def _answer(self, question: _Question, cancelled: Cancelled) -> _Answer:
        """Called in a thread."""
        found = self._library.search.find(question.text, _MOST, best=question.best, cancelled=cancelled)
        read = read_rows(WholeList(found.ids), self._library.episodes.rows, 0, _ROWS_AT_ONCE)
        podcasts = self._library.podcasts.named(words_alone(question.text), _MOST_PODCASTS)
        return _Answer(found, podcasts, read, self._library.search.left())

    def _not_answered(self, error: Exception) -> None:
        self._found, self.entered = None, False
        self.failed(error)

    def _answered(self, question: _Question, answer: _Answer) -> None:
        self._found = found = answer.found
        self.entered = self.entered and bool(found.ids or answer.podcasts)
        empty = "" if found.problems else _("No results")
        self.found.show_found(question.text, found, answer.podcasts, empty, answer.read)
        if self.entered and self.found.podcast is not None:
            self.action_take()
            return
        if found.problems:
            self.tell(" ".join(found.problems), trouble=True)
            return
        number = len(found.ids)
        words = _("{n:,}+ matches", n=number) if found.more else plural(number, "{n:,} match", "{n:,} matches")
        if answer.left:
            left = plural(answer.left, "{n:,} episode is still being read", "{n:,} episodes are still being read")
            words += f" {glyphs_of(self.app).dot} {left}"
        if offered := choices(question.text, self._suggester.names):
            self.tell("  ".join(offered[:_MOST_OFFERED]))
        else:
            self.tell(words)

    def words(self, action: str, words: str) -> str:
        at_ms = self.found.passage.at_ms if self.found.passage else None
        podcast = self.found.podcast is not None
        match action:
            case "take" if podcast:
                return _("open podcast")
            case "take" if at_ms is not None:
                return _("play from {time}", time=clock(at_ms))
            case "go_there" if at_ms is None:
                return ""
            case "order" if self._best and not podcast:
                return _("sort by date")
        return words if not podcast or action in ("close", "save") else ""

    # -- results ----------------------------------------------------------------------------------------------

    def moved(self) -> None:
        self.show_frame()
        if self.entered:
            self.action_take()

    def action_take(self) -> None:
        """Chooses the result under the cursor. Waits for the results, and for the time at which the words are said."""
        self.entered = self.waits_for("search")
        episode, podcast, passage = self.found.episode, self.found.podcast, self.found.passage
        if self.entered:
            return
        if podcast is not None:
            self.dismiss(Hit(podcast_id=podcast.id))
        if episode is None or self._found is None:
            return
        if passage is not None:
            self.dismiss(Hit(episode, passage.at_ms))
        else:
            self.entered = True

    # -- keys -------------------------------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        self.entered = False
        super().action_move(rows)

    def action_page(self, pages: int) -> None:
        self.entered = False
        super().action_page(pages)

    def action_go_there(self) -> None:
        if (episode := self.found.episode) is not None:
            self.dismiss(Hit(episode))

    def action_queue(self, first: bool) -> None:
        if (episode := self.found.episode) is not None:
            self._queue(episode, first, self.found.put, self.tell)

    def action_save(self) -> None:
        """Closes the search to save it as a smart list; the screen below asks for the list's name."""
        if self.text.strip():
            self.saving = True
            self.dismiss(None)

    def action_order(self) -> None:
        self._best = not self._best
        self._ask()
