"""Finding podcasts and single episodes: a field for words or an address, and the results."""

from collections.abc import Callable, Coroutine
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from player.directory.directory import FoundPodcast
from player.model.episode import Episode
from player.model.podcast import PodcastId
from player.text.sentences import _, mark
from tui.controllers.finder import Finder, Shown, Source
from tui.dialogs.picker import Picker
from tui.drawing import cells
from tui.drawing.found_podcasts import facts
from tui.framework.screen import MOST_LETTERS, start_worker
from tui.look.glyphs import Glyphs, glyphs_of
from tui.widgets.found_rows import FoundRows

if TYPE_CHECKING:
    from player.new_podcasts import OpenedEpisode
    from player.player import Player


_LINES = 3
"""The lines for the description of the podcast under the cursor."""

OpenPreview = Callable[[FoundPodcast, Callable[[PodcastId | None], None]], None]
"""Opens the preview of a podcast. The function that it is given is called with the podcast to show in the library, if
any."""
ShowEpisode = Callable[[Episode, str], None]
"""Shows an episode on the page of its podcast, which isn't subscribed to, and a sentence."""
Queue = Callable[[Episode, bool, Callable[[Episode], None], Callable[[str], object]], None]
"""As in `tui/screens/search.py`."""


class FindScreen(Picker[PodcastId | Episode]):
    """Answers with the podcast or episode to show, if the listener is subscribed to that podcast; otherwise with None.

    Closing the screen cancels the searches and subscriptions under way.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "take", mark("search")),
        ("ctrl+s", "subscribe", mark("subscribe")),
        Binding("ctrl+e", "queue(False)", mark("queue"), priority=True),
        ("escape", "close", mark("close")),
        Binding("tab,shift+tab", "source", mark("charts"), priority=True),
        ("ctrl+t", "queue(True)", mark("play next")),
        ("ctrl+r", "again", mark("search again")),
        Binding("left", "topic(-1)", priority=True),
        Binding("right", "topic(1)", mark("topic"), key_display="left right", priority=True),
        ("ctrl+l", "country", mark("country")),
    ]

    DEFAULT_CSS = """
    FindScreen {
        & #dialog { width: 112; height: 100%; margin: 0 0 4 0; padding: 1 0 0 1; overflow: hidden; }
        & #asked, & #heading, & #told, & #about, & BusyLine { padding: 0 2 0 1; }
        & #asked { height: 1; }
        & Input { width: 1fr; }
        & BusyLine { margin: 0 2 0 1; padding: 0; }
        & #heading { height: 1; text-style: bold; }
        & #told { color: $muted; height: 1; text-wrap: nowrap; text-overflow: ellipsis; margin-bottom: 1; }
        & #told.-trouble { color: $error; height: auto; text-wrap: wrap; }
        & FoundRows { height: 1fr; }
        & #about { color: $muted; height: 4; margin-top: 1; }
        &.-middle #dialog { margin: 0 0 2 0; padding: 0 0 0 1; }
        &.-middle #told { margin: 0; }
        &.-middle #about { height: 2; margin: 0; }
        &.-low #dialog { margin: 0; padding: 0; }
        &.-low #told { margin: 0; }
        &.-low #about { display: none; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-middle"), (30, "-high")]  # noqa: RUF012 - as Textual declares it

    def __init__(
        self,
        player: "Player",
        open_preview: OpenPreview,
        show_episode: ShowEpisode,
        queue: Queue,
        *,
        words: str = "",
        typed: str = "",
        episodes: bool = False,
        charts: bool = False,
        today: Callable[[], date] = date.today,
    ) -> None:
        """`words` are searched for at once (`episodes`: in single episodes); `typed` is only put into the field.
        Without words, the screen begins with the `charts`, or with Earmark's suggestions."""
        self.found = FoundRows(today, id="found-podcasts")
        of = Input(
            words or typed,
            placeholder=_("Words; or a URL, or a folder of audio"),
            select_on_focus=False,
            max_length=MOST_LETTERS,
        )
        super().__init__("", of, self.found)
        self._player = player
        self._open_preview = open_preview
        self._show_episode = show_episode
        self._queue = queue
        self._episodes = episodes
        """Whether words are searched for in single episodes."""
        self._today = today
        self._first = words
        self._charts = charts
        self._finder = Finder(player, self, self._show)
        self._shown = Shown()
        self._asked_for: str | None = None
        """The words whose results are shown or requested; None for any other list."""
        self._about_list = Static("", id="heading", markup=False)
        self._about = Static("", id="about", markup=False)

    def contents(self) -> ComposeResult:
        with Horizontal(id="asked"):
            yield self.field
        yield self.line
        yield self._about_list
        yield self.told
        yield self.found
        yield self._about

    def on_mount(self) -> None:
        if self._first:
            self._search(self._first)
        elif self._charts:
            self._finder.charts()
        else:
            self._finder.starters()

    def on_screen_resume(self) -> None:
        """After a preview has closed: the listener may have subscribed there."""
        if self._shown.found:
            self._finder.mark_again()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_keys)

    # -- for the finder ---------------------------------------------------------------------------------------

    @property
    def glyphs(self) -> Glyphs:
        return glyphs_of(self.app)

    @property
    def again_key(self) -> str:
        return "ctrl+r"

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        start_worker(self, work, group=group, exclusive=True)

    # -- contents ---------------------------------------------------------------------------------------------

    def _show(self, shown: Shown) -> None:
        if not self.is_attached:
            return
        before, self._shown = self._shown, shown
        self.line.busy = shown.busy or bool(shown.adding)
        self._about_list.update(shown.heading)
        self.tell(shown.line, trouble=shown.trouble)
        other = (before.source, before.begun) != (shown.source, shown.begun)
        self.found.show_found(shown.found, shown.empty, adding=shown.adding, from_top=other)
        self._show_keys()

    def _show_about(self) -> None:
        chosen, width = self.found.chosen, max(1, self._about.content_size.width)
        if chosen is None:
            self._about.update("")
            return
        glyphs = self.glyphs
        first = cells.cut(facts(chosen, self._today(), glyphs.dot), width, glyphs.ellipsis)
        about = cells.cut(" ".join(chosen.description.split()), width * _LINES - width // 4, glyphs.ellipsis)
        self._about.update(f"{first}\n{about}" if first else about)

    def _show_keys(self) -> None:
        self.show_frame()
        self._show_about()

    def words(self, action: str, words: str) -> str:
        chosen, charts = self.found.chosen, self._shown.source is Source.CHARTS
        known, listed = chosen is not None and chosen.podcast_id is not None, not self.typed and not self._asked_for
        match action:
            case "take" if self._is_new:
                return _("add") if is_address(self.typed) else words
            case "take":
                return _("open") if known else _("preview") if chosen is not None else ""
            case "subscribe":
                return words if self.found.podcast is not None and not known and not self._is_new else ""
            case "queue(False)" | "queue(True)":
                return words if self.found.episode is not None and not self._is_new else ""
            case "again":
                return words if self._asked_for else ""
            case "source" if listed:
                return _("suggestions") if charts else words
            case "source" if not is_address(self.typed):
                return _("podcasts") if self._episodes else _("episodes")
            case "country":
                return words if listed and charts else ""
            case "source":
                return ""
            case "topic(1)":
                return words if listed else ""
        return words

    def heading(self) -> str:
        return _("Find episodes") if self._episodes else _("Find podcasts")

    def moved(self) -> None:
        self._show_keys()

    # -- the field --------------------------------------------------------------------------------------------

    @property
    def _is_new(self) -> bool:
        """Whether the field has text that hasn't been searched for."""
        return bool(self.typed) and self.typed != self._asked_for

    @on(Input.Changed)
    def _changed(self) -> None:
        if not self.typed and self._asked_for is not None:
            self._asked_for, self._episodes = None, False
            self._finder.starters()
        self._show_keys()

    def action_take(self) -> None:
        if not self._is_new:
            self._open()
        elif is_address(self.typed):
            self._add()
        else:
            self._search(self.typed)

    def _search(self, words: str) -> None:
        self._asked_for = words
        if self._episodes:
            self._finder.episodes(words)
        else:
            self._finder.search(words)

    def _add(self) -> None:
        """Adds the podcast at the address in the field."""
        from tui.dialogs.add import AddScreen

        # The dialog has a field of its own, in which the address can be corrected.
        self.app.push_screen(AddScreen(self._player, self.typed), lambda _added: self.action_close())

    # -- keys -------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        podcast = self.found.podcast
        if (episode := self.found.episode) is not None:
            self._finder.open_episode(episode, partial(self._opened, self._shown.begun))
        elif podcast is None:
            if self.typed:
                self._search(self.typed)
        elif podcast.podcast_id is not None:
            self._close(podcast.podcast_id)
        elif not podcast.feed_url:
            self.tell(self._finder.no_feed(podcast))
        else:
            self._open_preview(podcast, self._previewed)

    def _previewed(self, podcast_id: PodcastId | None) -> None:
        if podcast_id is not None:
            self._close(podcast_id)

    def _opened(self, begun: int, opened: "OpenedEpisode") -> None:
        """Shows an episode in the library, or on the page of its podcast; not once the listener has gone on to another
        screen, list or search."""
        if self.app.screen is not self or self._shown.begun != begun or self._is_new:
            return
        if opened.podcast.previewed:
            self._show_episode(opened.episode, opened.problem)
        else:
            self._close(opened.episode)

    def action_queue(self, first: bool) -> None:
        """Adds the episode under the cursor to the queue, without a subscription to its podcast."""

        def opened(opened: "OpenedEpisode") -> None:
            self._queue(opened.episode, first, lambda _episode: None, self.tell)

        if (episode := self.found.episode) is not None:
            self._finder.open_episode(episode, opened)
        elif not first:
            self.field.action_end()  # the key's usual action in a field

    def action_subscribe(self) -> None:
        if (podcast := self.found.podcast) is not None:
            self._finder.subscribe(podcast)

    def action_again(self) -> None:
        self._finder.again()

    def action_source(self) -> None:
        """Switches between Earmark's suggestions and the charts; with words, between podcasts and episodes."""
        if self.typed:
            if not is_address(self.typed):
                self._episodes = not self._episodes
                self._search(self.typed)
        elif self._finder.source is Source.CHARTS:
            self._finder.starters()
        else:
            self._finder.charts()

    def action_topic(self, by: int) -> None:
        """Turns to another topic of the list; while the field has text, moves the cursor in it instead."""
        if not self.field.value:
            self._finder.turn_topic(by)
        elif by < 0:
            self.field.action_cursor_left()
        else:
            self.field.action_cursor_right()

    def action_country(self) -> None:
        """Asks for the country of the charts."""
        from tui.dialogs.confirm import CountryScreen

        def chosen(country: str | None) -> None:
            if country is not None and not self._finder.choose_country(country):
                self.tell(_("“{text}” isn't a country code of two letters, such as DE", text=country))

        if self.typed:
            self.field.value = ""
        self.app.push_screen(CountryScreen(self._finder.country), chosen)

    def action_close(self) -> None:
        self._close(None)

    def _close(self, chosen: PodcastId | Episode | None) -> None:
        self._finder.close()
        self.dismiss(chosen)


def is_address(text: str) -> bool:
    """Whether a text is taken as an address: it has a scheme, looks like a host, or is a path on this computer."""
    from player.errors import BadAddress
    from player.feeds.subscribe import feed_address
    from player.links.addresses import looks_like_path

    if looks_like_path(text):
        return True
    if any(letter.isspace() for letter in text.strip()):
        return False
    head = text.partition("/")[0]
    if "://" not in text and (":" not in text) and ("." not in head.strip(".") or not head.replace(".", "").strip()):
        return False
    try:
        feed_address(text)
    except BadAddress:
        return False
    return True
