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
from player.library.search.query import choices, without_words, words_alone
from player.library.search.search import MOST_SORTED, Found, Places
from player.library.search.spoken_hits import SpokenHit, quotation
from player.model.episode import Episode, EpisodeId, TranscriptRef
from player.model.filters import EVERYTHING, EpisodeFilter
from player.model.podcast import Podcast, PodcastId
from player.text.durations import clock
from player.text.sentences import _, mark, plural, translate
from tui.dialogs.lists import QUERY_HELP, QuerySuggester
from tui.dialogs.picker import Cancelled, Picker
from tui.drawing.episode_rows import NOTHING, RowBytes
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of
from tui.widgets.search_results import FoundPane

if TYPE_CHECKING:
    from player.attachments.backlog import Backlog
    from player.player import Player

_MOST = 500
_MOST_PODCASTS = 4
_MOST_FETCHED = 1_000
"""The most transcripts that are fetched when the listener asks for them."""
_AGAIN_S = 1.0
"""Seconds between two searches for the same words, while more is being read."""
_ROWS_AT_ONCE = 50
"""The number of rows that are read together with the results: more than most terminals show."""
_MOST_OFFERED = 8
"""The most completions of a filter that are shown at once."""


class _Question(Struct, frozen=True):
    text: str
    best: bool


class Hit(Struct, frozen=True):
    """The chosen result: a podcast, or an episode and where its words are said, if they are and the time is known."""

    episode: Episode | None = None
    spoken: SpokenHit | None = None
    podcast_id: PodcastId | None = None


class _Answer(Struct, frozen=True):
    """`podcasts` are one more than are shown, if there are more; `read` are the first rows of the results, `left` is
    the number of episodes that aren't indexed yet."""

    found: Found
    podcasts: Sequence[Podcast]
    places: Places | None
    read: RowsRead
    left: int


class _Missing(Struct, frozen=True, eq=False):
    """The transcripts that haven't been fetched, of the episodes in which the search looks for its words."""

    scope: EpisodeFilter
    backlog: "Backlog"
    transcripts: Sequence[tuple[EpisodeId, TranscriptRef]]


Queue = Callable[[Episode, bool, Callable[[Episode], None], Callable[[str], object]], None]
"""Adds an episode to the queue, at its head (True) or its end. The first function shows the changed episode, the second
reports the outcome."""


class SearchScreen(Picker[Hit]):
    """Answers with the chosen result. The search runs in a thread, and is cancelled when another letter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("show in list")),
        ("ctrl+l", "hits", mark("all hits")),
        ("ctrl+y", "quote", mark("quote")),
        ("escape", "close", mark("close")),
        ("ctrl+g", "go_there", mark("show in list")),
        Binding("ctrl+e", "queue(False)", mark("queue"), priority=True),
        ("ctrl+t", "queue(True)", mark("play next")),
        ("tab,shift+tab", "order", mark("sort by relevance")),
        ("ctrl+s", "save", mark("save as list")),
        Binding("ctrl+f", "fetch", mark("fetch transcripts"), priority=True),
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
        self.found = FoundPane(player.library.episodes.rows, player.library.search, today, bytes_of)
        self._suggester = QuerySuggester()
        of = Input(
            text,
            placeholder=_("Search podcasts, titles, notes and transcripts"),
            select_on_focus=True,
            max_length=MOST_LETTERS,
            suggester=self._suggester,
        )
        super().__init__(_("Search"), of, self.found, translate(QUERY_HELP))
        self._player = player
        self._library = player.library
        self._queue = queue
        self._best = False
        self._answer: _Answer | None = None
        self._missing: _Missing | None = None
        self._fetching = False
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
        self.set_interval(_AGAIN_S, self._search_again)

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
            self._search(question)
        else:
            self.forget("search")
            self._answer = None
            self.found.show_found("", Found(array("q")), (), "")
            self.tell(translate(QUERY_HELP))

    def _search(self, question: _Question, *, again: bool = False) -> None:
        done = partial(self._answered, question, again=again)
        self.found.will_read()
        self.ask("search", partial(self._find, question), done, self._not_answered)

    def _find(self, question: _Question, cancelled: Cancelled) -> _Answer:
        """Called in a thread."""
        search = self._library.search
        found = search.find(question.text, _MOST, best=question.best, cancelled=cancelled)
        read = read_rows(WholeList(found.ids), self._library.episodes.rows, 0, _ROWS_AT_ONCE)
        podcasts = self._library.podcasts.named(words_alone(question.text), _MOST_PODCASTS + 1)
        return _Answer(found, podcasts, search.places(found, cancelled), read, search.left())

    def _not_answered(self, error: Exception) -> None:
        self._answer, self.entered = None, False
        self.failed(error)

    def _answered(self, question: _Question, answer: _Answer, *, again: bool) -> None:
        before, self._answer = self._answer, answer
        found = answer.found
        self.entered = self.entered and bool(found.ids or answer.podcasts)
        if not again or before is None or before.found.ids != found.ids:
            empty = "" if found.problems else _("No results")
            podcasts = answer.podcasts[:_MOST_PODCASTS]
            self.found.show_found(question.text, found, podcasts, empty, answer.read, stay=again)
        self._show_heading()
        if found.terms or found.speakers:
            self._count_missing()
        if self.entered:
            self.action_take()

    def _show_heading(self) -> None:
        answer, question = self._answer, self._question
        if answer is None or question is None:
            return
        if answer.found.problems:
            self.tell(" ".join(answer.found.problems), trouble=True)
        elif offered := choices(question.text, self._suggester.names):
            self.tell("  ".join(offered[:_MOST_OFFERED]))
        else:
            left = 0 if self._fetching else answer.left
            words = (*_counts(answer), _about_index(left), self._about_transcripts(answer))
            self.tell(f" {glyphs_of(self.app).dot} ".join(filter(None, words)))
        self.show_frame()

    # -- transcripts that haven't been fetched ------------------------------------------------------------------

    def _count_missing(self, *, anew: bool = False) -> None:
        scope = without_words(self.text)
        if anew or self._missing is None or self._missing.scope != scope:
            self.read(partial(self._find_missing, scope), self._show_missing, lambda _error: None, group="missing")

    def _find_missing(self, scope: EpisodeFilter) -> _Missing:
        """Called in a thread."""
        among = None if scope == EVERYTHING else self._library.search.ids(scope, MOST_SORTED)
        backlog = self._player.attachments.backlog
        return _Missing(scope, backlog, backlog.missing(among))

    def _show_missing(self, missing: _Missing) -> None:
        self._missing = missing
        self._show_heading()

    @property
    def _can_fetch(self) -> bool:
        if (missing := self._missing) is None or missing.backlog.progress.under_way:
            return False
        return bool(missing.transcripts) and not self._player.network.offline

    @property
    def _can_stop(self) -> bool:
        """Whether transcripts are being fetched because the listener asked for them."""
        progress = self._missing.backlog.progress if self._missing else None
        return progress is not None and progress.under_way and progress.by_person

    def _about_transcripts(self, answer: _Answer) -> str:
        """How many transcripts haven't been fetched: words that are said in them aren't found."""
        if (missing := self._missing) is None or not (answer.found.terms or answer.found.speakers):
            return ""
        dot, offline = glyphs_of(self.app).dot, self._player.network.offline
        progress, number = missing.backlog.progress, len(missing.transcripts)
        if progress.under_way:
            words = _("fetching transcripts: {done:,} of {total:,}", done=progress.done, total=progress.total)
            after = _("offline") if offline else _("{key} stops", key="esc") if progress.by_person else ""
        elif number:
            words = plural(number, "{n:,} transcript not fetched yet", "{n:,} transcripts not fetched yet")
            after = _("offline") if offline else _("{key} fetches them", key="ctrl+f")
        else:
            return ""
        return f"{words} {dot} {after}" if after else words

    def _search_again(self) -> None:
        """Results grow while transcripts are being fetched, and while episodes are being read into the index."""
        before, self._fetching = self._fetching, bool(self._missing and self._missing.backlog.progress.under_way)
        if before and not self._fetching:
            self._count_missing(anew=True)
        grows = before or self._fetching or bool(self._answer and self._answer.left)
        if grows and self._question and self._question.text.strip() and not self.waits_for("search"):
            self._search(self._question, again=True)

    def action_fetch(self) -> None:
        if self._missing is not None and self._can_fetch:
            self._missing.backlog.fetch(self._missing.transcripts[:_MOST_FETCHED])
            self._fetching = True
            self._show_heading()

    def action_close(self) -> None:
        """Stops fetching transcripts first."""
        if self._missing is not None and self._can_stop:
            self._missing.backlog.cancel()
            self._count_missing(anew=True)
        else:
            super().action_close()

    def words(self, action: str, words: str) -> str:
        hit = self.found.hit
        at_ms = hit.at_ms if hit else None
        podcast = self.found.podcast is not None
        match action:
            case "take" if podcast:
                return _("open podcast")
            case "take" if at_ms is not None:
                return _("play from {time}", time=clock(at_ms))
            case "go_there" if at_ms is None:
                return ""
            case "hits" | "quote" if hit is None:
                return ""
            case "hits" if self.found.shows_hits:
                return _("hide hits")
            case "fetch":
                return words if self._can_fetch else ""
            case "close" if self._can_stop:
                return _("stop fetching")
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
        episode, podcast, hit = self.found.episode, self.found.podcast, self.found.hit
        if self.entered:
            return
        if podcast is not None:
            self.dismiss(Hit(podcast_id=podcast.id))
        if episode is None or self._answer is None:
            return
        if self.found.passage is not None:
            self.dismiss(Hit(episode, hit if hit and hit.at_ms is not None else None))
        else:
            self.entered = True

    # -- keys -------------------------------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        self.entered = False
        super().action_move(rows)

    def action_page(self, pages: int) -> None:
        self.entered = False
        super().action_page(pages)

    def action_hits(self) -> None:
        self.found.toggle_hits()

    def action_quote(self) -> None:
        """Copies what is said, with title, podcast, time and link."""
        from tui.terminal.clipboard import copy_text

        if (hit := self.found.hit) is not None and (episode := self.found.episode) is not None:
            self.tell(copy_text(self.app, quotation(hit, episode), _("Copied as a quotation, with its link")))

    def action_go_there(self) -> None:
        if (episode := self.found.episode) is not None:
            self.dismiss(Hit(episode))

    def action_queue(self, first: bool) -> None:
        if (episode := self.found.episode) is None:
            return

        def said(words: str) -> None:
            self.found.forget(episode.id)  # what was searched meanwhile may have been read before the change
            self.tell(words)

        self._queue(episode, first, self.found.put, said)

    def action_save(self) -> None:
        """Closes the search to save it as a smart list; the screen below asks for the list's name."""
        if self.text.strip():
            self.saving = True
            self.dismiss(None)

    def action_order(self) -> None:
        self._best = not self._best
        self._ask()


_PLACES = mark("in titles"), mark("in notes"), mark("in transcripts")


def _counts(answer: _Answer) -> list[str]:
    """How many results of each kind there are."""
    number, places, more = len(answer.found.ids), answer.places, "+" if answer.found.more else ""
    words = _("{n:,}+ matches", n=number) if more else plural(number, "{n:,} match", "{n:,} matches")
    kinds = [(some, translate(where)) for some, where in zip(places or (), _PLACES, strict=False) if some]
    if len(kinds) == 1:
        words = f"{words} {kinds[0][1]}"
    elif kinds:
        words = f"{words}: {', '.join(f'{some}{more} {where}' for some, where in kinds)}"
    if len(answer.podcasts) > _MOST_PODCASTS:
        return [_("{n:,}+ podcasts", n=_MOST_PODCASTS), words]
    podcasts = len(answer.podcasts)
    return [plural(podcasts, "{n:,} podcast", "{n:,} podcasts") if podcasts else "", words]


def _about_index(left: int) -> str:
    return plural(left, "{n:,} episode is still being read", "{n:,} episodes are still being read") if left else ""
