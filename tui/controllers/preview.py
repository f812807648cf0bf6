"""The preview of a podcast, before subscribing to it: opening its feed, listing and playing its episodes."""

import logging
from array import array
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Protocol

from msgspec import Struct

from player.errors import EarmarkError
from player.jobs.runner import Cancelled
from player.library import WholeList
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.list import Read, Stand, read_list
from tui.controllers.ui import LibraryReader, Ui, after, no_episode
from tui.drawing import labels
from tui.widgets.episodes_pane import EpisodesPane

log = logging.getLogger(__name__)


class Wanted(Struct, frozen=True):
    """The podcast to open: one of the library, or the one at an address. `title` is shown until it is open;
    `episode_id` is the episode under the cursor, `problem` a sentence to show with it."""

    url: str = ""
    title: str = ""
    podcast_id: PodcastId | None = None
    episode_id: EpisodeId | None = None
    problem: str = ""


class PreviewUi(Ui, Protocol):
    """The screen of a preview."""

    def list_changed(self) -> None:
        """Call this when the list has been read, or has changed."""

    def go_to_library(self, podcast_id: PodcastId) -> None:
        """Shows a podcast in the library, because it turned out to be a subscription."""


class PreviewController:
    def __init__(
        self, player: Player, ui: PreviewUi, reader: LibraryReader, pane: EpisodesPane, wanted: Wanted
    ) -> None:
        self._player = player
        self._ui = ui
        self._reader = reader
        self._pane = pane
        self._wanted = wanted
        self._opening: Future[Podcast] | None = None
        self._subscribing = False
        self._subscribe_when_open = False
        self._loaded = False
        self._words = ""
        self.podcast: Podcast | None = None
        self.trouble = ""
        """Why the podcast can't be opened; "" if it can."""

    @property
    def busy(self) -> bool:
        return self._opening is not None

    @property
    def view(self) -> View:
        """The podcast's list, narrowed by the filter. Only once the podcast is open."""
        assert self.podcast is not None
        return View.of(ViewName.PODCAST, self.podcast.id, title=self._words)

    @property
    def words(self) -> tuple[str, ...]:
        """The lines in place of notes: a title, then lines that may begin with a key and two spaces."""
        title, back = self._wanted.title or self._wanted.url, f"{self._ui.key_of('back')}  {_('back')}"
        if self.trouble:
            return title, "", f"{self._ui.key_of('refresh')}  {_('try again')}", back
        return (title, "", back) if self.busy else (no_episode(),)

    # -- opening ----------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Opens the podcast from its feed or from the library; also tries again after a failure."""
        if self.busy:
            return
        if self._wanted.podcast_id is not None:
            self._ui.in_background(partial(self._read_known, self._wanted.podcast_id), "open")
            return
        self.trouble = ""
        opening = self._opening = self._player.previews.open(self._wanted.url)
        self._show_head()
        opening.add_done_callback(lambda done: self._ui.call_later(self._opened, done))

    def close(self) -> None:
        """Cancels opening the podcast, if that is still under way; nothing of it stays in the library."""
        if self._opening is not None:
            self._player.previews.cancel(self._wanted.url)

    async def _read_known(self, podcast_id: PodcastId) -> None:
        podcast = await self._reader.read(partial(self._player.library.podcasts.get, podcast_id))
        if podcast is not None:
            self._show(podcast)
            if self._wanted.problem:
                self._ui.say(self._wanted.problem)

    def _opened(self, opening: "Future[Podcast]") -> None:
        self._opening = None
        try:
            podcast = opening.result()
        except (Cancelled, CancelledError):
            return
        except EarmarkError as error:
            self._fail(str(error))
        except Exception:
            log.exception("a podcast can't be opened")
            self._fail(_("Something went wrong inside Earmark. See the log."))
        else:
            self._show(podcast)

    def _fail(self, sentence: str) -> None:
        self.trouble = sentence
        self._subscribe_when_open = False
        again, back = self._ui.key_of("refresh"), self._ui.key_of("back")
        keys = _("{again} tries again, {back} goes back.", again=again, back=back)
        self._pane.episodes.show(WholeList(array("q")), None, f"{sentence} {keys}")
        self._show_head()
        self._ui.list_changed()

    def _show(self, podcast: Podcast) -> None:
        if self.podcast is None and not podcast.previewed and self._wanted.podcast_id is None:
            self._ui.go_to_library(podcast.id)
            return
        self.podcast = podcast
        self.load()
        if self._subscribe_when_open:
            self._subscribe_when_open = False
            self.subscribe()

    # -- subscribing ------------------------------------------------------------------------------------------

    def subscribe(self) -> None:
        """Subscribes to the podcast. Positions, marks and stars of its episodes are kept."""
        podcast = self.podcast
        if podcast is None:
            if self.busy:
                self._subscribe_when_open = True
                self._ui.say(_("Subscribing once it is loaded"))
            return
        if not podcast.previewed:
            self._ui.say(_("You are already subscribed to “{title}”", title=podcast.title))
        elif not self._subscribing:
            self._subscribing = True
            after(self._ui, self._player.previews.subscribe(podcast.id), self._subscribed, self._not_subscribed)

    def _not_subscribed(self) -> None:
        self._subscribing = False

    def _subscribed(self, podcast: Podcast) -> None:
        self._subscribing = False
        self.podcast = podcast
        self._ui.say(_("Subscribed to “{title}”", title=self.podcast.title))
        self.load()

    def arrived(self, podcast_id: PodcastId) -> None:
        """Call this when any podcast has been subscribed to: playing an episode of a suggestion does that."""
        if self.podcast is not None and self.podcast.id == podcast_id:
            self._ui.in_background(partial(self._read_known, podcast_id), "open")

    # -- the list ---------------------------------------------------------------------------------------------

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self._pane.episodes.episode

    def load(self) -> None:
        """Reads the list again; the cursor stays on its episode."""
        if self.podcast is not None:
            self._ui.in_background(self._load, "list")

    def filter(self, words: str) -> None:
        """Shows the episodes with these words in their titles."""
        self._words = words
        self.load()

    def go_to(self, episode_id: EpisodeId) -> None:
        """Moves the cursor to that episode, if it is one of this podcast."""
        self._ui.in_background(partial(self._seek, episode_id), "go")

    def step(self, by: int, _start: EpisodeId | None = None) -> Episode | None:
        """Moves the cursor, and returns the episode under it; None at the end of the list. Raises LibraryError while
        that row hasn't been read."""
        return self._pane.episodes.step(by)

    async def _seek(self, episode_id: EpisodeId) -> None:
        row = await self._reader.read(partial(self._pane.episodes.listing.rank, episode_id))
        if row is None:
            self._ui.say(_("It isn't an episode of this podcast. {key} goes back.", key=self._ui.key_of("back")))
        else:
            self._pane.episodes.move_to(row)

    async def _load(self) -> None:
        stand = Stand.of(self._pane.episodes) if self._loaded else Stand(self._wanted.episode_id)
        read = await self._reader.read(partial(self._read, stand))
        if read is None:
            return
        first, self._loaded = not self._loaded, True
        if not first and (moved := read.moved(Stand.of(self._pane.episodes), None)) is not None:
            read = moved
        row = read.row if read.row is not None or not first else 0
        empty = _("This podcast has no episodes yet. {key} subscribes to it all the same.", key=self._ui.key_of("add"))
        if self._words:
            back = self._ui.key_of("back")
            empty = _("No titles match “{words}”. Press {back} to clear.", words=self._words, back=back)
        self._pane.episodes.show(read.listing, row, empty, read=read.rows)
        self._show_head(len(read.listing))
        self._ui.list_changed()

    def _read(self, stand: Stand) -> Read:
        view = self.view
        return read_list(self._player, lambda: self._player.library.listing(view), view, stand, (), None, self._ui.rows)

    def _show_head(self, shown: int | None = None) -> None:
        podcast, dot = self.podcast, self._ui.glyphs.dot
        title = podcast.title if podcast else self._wanted.title or self._wanted.url
        if shown is None or podcast is None:
            fetching = _("Fetching feed{ellipsis}", ellipsis=self._ui.glyphs.ellipsis)
            self._pane.show_head(title, (fetching,) if self.busy else (), "")
            return
        state = _("preview") if podcast.previewed else _("subscribed")
        facts = labels.view_facts(self.view, shown, dot)
        self._pane.show_head(title, (*(f"{state} {dot} {one}" for one in facts), state), "")
