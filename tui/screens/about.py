"""Pages over the whole screen about a podcast or a person, read from the library."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action, Focus
from tui.actions.table import bindings
from tui.bridge import (
    EpisodesTouched,
    ListsTouched,
    RefreshMoved,
    SegmentsTouched,
    StatusMoved,
    SubscriptionsChanged,
)
from tui.controllers.about_pages import person, repeats, show
from tui.controllers.links import FindController, LinksController
from tui.controllers.lists.selection import Targets
from tui.controllers.podcasts import ArrangingController
from tui.controllers.refresh import RefreshController
from tui.controllers.ui import no_episode
from tui.drawing.about.sheet import WHOLE, Build, episode_of, repeat_of
from tui.drawing.episode_tabs import person_of
from tui.drawing.found_podcasts import episodes_of, find_of, preview_of
from tui.screens.page_screen import PageScreen, page_actions
from tui.widgets.pages import AboutPage

if TYPE_CHECKING:
    from player.directory.directory import FoundPodcast
    from tui.controllers.preview import Wanted

_HERE = frozenset({
    "queue", "queue_next", "skip", "previous", "copy_link", "quit", "about", "people", "help", "filter", "read",
    "star", "played", "download", "refresh", "podcast_settings", "tags", "rename", "pin", "undo", "redo", "offline",
})  # fmt: skip
_ACTIONS = page_actions(_HERE)


class AboutScreen(PageScreen):
    """`read` reads the page, in a thread. `choose` is called with an episode to show in its list, after the screen has
    closed. `podcast_id` is the podcast that the page is about; None for a person."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    page: AboutPage
    episode: Episode | None = None
    """Links on these pages don't lead to times of an episode, so there is none."""

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        read: Callable[[], Build],
        choose: Callable[[EpisodeId], None],
        podcast_id: PodcastId | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(player, actions)
        self.podcast_id = podcast_id
        self._read_page = read
        self.choose = choose
        self._today = today
        self._episode: Episode | None = None
        self.page = AboutPage(today=today, hint=self._settings_hint)
        self._links = LinksController(player, self)
        self.finding = FindController(self, self.page)
        self._refreshing = RefreshController(player, self, self.footer, self)
        arranging = ArrangingController(player, self, self)
        self.run_by(_ACTIONS, {
            "copy_link": self.copy, "filter": self.find, "read": self.read, "about": self.back, "people": self.back,
            "refresh": self.podcast, "podcast_settings": self.settings,
            "tags": arranging.tags, "rename": arranging.rename, "pin": arranging.pin,
            "segment_end": self.mark_segment,
        })  # fmt: skip

    def on_mount(self) -> None:
        self.in_background(self._fill, "page")
        self._look_for_repeats()

    @on(SegmentsTouched)
    def _look_for_repeats(self) -> None:
        self.in_background(self._find_repeats, "repeats")

    @on(ListsTouched)
    @on(SubscriptionsChanged)
    @on(EpisodesTouched)
    def _facts_changed(self) -> None:
        self.in_background(self._fill, "page")

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.show_status(event.status)

    @on(RefreshMoved)
    def _refresh_moved(self, event: RefreshMoved) -> None:
        self._refreshing.moved(event.progress)

    @on(AboutPage.Moved)
    def _entry_selected(self) -> None:
        self.in_background(self._find_episode, "episode")

    @on(AboutPage.Chosen)
    def _row_clicked(self, event: AboutPage.Chosen) -> None:
        self.follow(event.href)

    async def _fill(self) -> None:
        try:
            self.page.fill(await asyncio.to_thread(self._read_page))
        except EarmarkError as error:
            self.page.say_instead(str(error))

    async def _find_repeats(self) -> None:
        """Where they can't be read, the page has none."""
        if self.podcast_id is not None:
            with suppress(EarmarkError):
                found = await asyncio.to_thread(repeats, self.player, self.podcast_id, lambda: self.is_attached)
                self.page.show_repeats(found)

    def moving(self) -> AboutPage:
        return self.page

    async def _find_episode(self) -> None:
        """Reads the current state of the episode under the cursor."""
        episode_id = self._episode_id()
        self._episode = None if episode_id is None else await self.read_episode(episode_id)
        self.show_hints()

    @property
    def chosen_episode(self) -> Episode | None:
        return self._episode or self.status.episode

    def _episode_id(self) -> EpisodeId | None:
        entry = self.page.entry
        return episode_of(entry.href) if entry else None

    def _settings_hint(self) -> str:
        return _("{key} changes this", key=self.key_of("podcast_settings"))

    def show_hints(self) -> None:
        entry = self.page.entry
        href = entry.href if entry else ""
        repeat = repeat_of(href) is not None
        plays = self._episode_id() is not None
        word = _("play") if plays else _("hear") if repeat else _("read on") if href == WHOLE else ""
        self.show_keys(Focus.ABOUT, self._episode, word, podcast=self.podcast_id is not None, repeat=repeat)

    def show_status(self, status: PlaybackStatus) -> None:
        super().show_status(status)
        self.page.show_status(status)

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if (entry := self.page.entry) is not None:
            self.follow(entry.href)

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the episode under the cursor, or says that none is selected."""
        episode_id = self._episode_id()
        if episode_id is None:
            self.say(no_episode())
        else:
            self.act_on(episode_id, act)

    def follow(self, href: str) -> None:
        """Follows a link: plays an episode or a part of one, opens a page or a search in Earmark, or opens an address
        in the browser."""
        if (episode_id := episode_of(href)) is not None:
            self.playback.play_episode(episode_id)
        elif repeat := repeat_of(href):
            episode_id, start_ms, end_ms = repeat
            self.playback.play_clip(episode_id, start_ms, end_ms - start_ms)
        elif href == WHOLE:
            self.page.show_whole()
        elif name := person_of(href):
            page = AboutScreen(self.player, self.actions, person(self.player, name), self.choose, None, self._today)
            self.app.switch_screen(page)
        elif url := preview_of(href):
            self._preview(url, self.page.entry.text if self.page.entry else "")
        elif words := find_of(href):
            self._find(words, episodes=False)
        elif words := episodes_of(href):
            self._find(words, episodes=True)
        else:
            self._links.follow(href)

    def mark_segment(self) -> None:
        """Marks the repeat under the cursor, or else where a segment ends that is heard."""
        repeat = repeat_of(self.page.entry.href) if self.page.entry else None
        if repeat is None:
            self.segments.end()
        else:
            self.in_background(partial(self._mark_repeat, *repeat), "repeat")

    async def _mark_repeat(self, episode_id: EpisodeId, start_ms: int, end_ms: int) -> None:
        if (episode := await self.read_episode(episode_id)) is None:
            self.say(_("That episode is no longer in the library"))
        else:
            self.segments.mark(episode, start_ms, end_ms)

    def _preview(self, url: str, title: str) -> None:
        """Opens the preview of a podcast that this page recommends."""
        from tui.controllers.preview import Wanted

        self._open_preview(Wanted(url, title))

    def _open_preview(self, wanted: "Wanted") -> None:
        from tui.screens.preview import PreviewScreen

        self.push(PreviewScreen(self.player, self.actions, wanted, self.show_podcast))

    def _find(self, words: str, *, episodes: bool) -> None:
        from tui.controllers.preview import Wanted
        from tui.screens.find import FindScreen

        def preview(podcast: "FoundPodcast", _then: Callable[[PodcastId | None], None]) -> None:
            self._preview(podcast.feed_url, podcast.title)

        def show(episode: Episode, problem: str) -> None:
            self._open_preview(Wanted("", episode.podcast, episode.podcast_id, episode.id, problem))

        def closed(chosen: PodcastId | Episode | None) -> None:
            if isinstance(chosen, Episode):
                self.go_to_episode(chosen.id)
            elif chosen is not None:
                self.show_podcast(chosen)

        self.push(FindScreen(self.player, preview, show, self.queue.add_found, words=words, episodes=episodes), closed)

    def show_podcast(self, podcast_id: PodcastId) -> None:
        """Opens the same page about a podcast of the library."""
        read = show(self.player, podcast_id)
        self.push(AboutScreen(self.player, self.actions, read, self.choose, podcast_id, self._today))

    def find(self) -> None:
        if not self.finding.open():
            self.say(_("Nothing to search here"))

    def copy(self) -> None:
        entry = self.page.entry
        self.copy_link(entry.url if entry else "")

    def settings(self) -> None:
        """Opens the podcast's settings."""
        from tui.dialogs.podcast_settings import PodcastSettingsScreen

        if self.podcast_id is None:
            self.say(self.no_podcast())
        else:
            self.push(PodcastSettingsScreen(self.player, self.podcast_id), lambda _none: self._facts_changed())

    def read(self) -> None:
        """Goes to the episode under the cursor in its list, where its notes are."""
        if (episode_id := self._episode_id()) is None:
            self.say(no_episode())
        else:
            self.go_to_episode(episode_id)

    def podcast(self) -> None:
        """Checks this podcast for new episodes."""
        if self.podcast_id is None:
            self.say(self.no_podcast())
        else:
            self._refreshing.podcast()

    @property
    def podcasts_here(self) -> list[PodcastId]:
        return [] if self.podcast_id is None else [self.podcast_id]

    @property
    def titles(self) -> dict[PodcastId, str]:
        return dict.fromkeys(self.podcasts_here, _("This podcast"))

    def no_podcast(self) -> str:
        return _("This page isn't about a podcast")
