"""Opens the screens and dialogs over the main screen."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _
from tui.controllers.main_parts import MainParts
from tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from player.directory.directory import FoundPodcast
    from player.library.search.spoken_hits import SpokenHit
    from tui.controllers.preview import Wanted
    from tui.manual import Passage

_MOST_EPISODES, _MOST_PAGES = 20, 5


class Openers:
    """Opens screens and dialogs over the main screen, and imports each when it is first opened."""

    def __init__(self, screen: BaseScreen, parts: MainParts) -> None:
        self._screen = screen
        self._parts = parts
        self._today = parts.lists.today
        self._searched = ""

    def read(self) -> None:
        """Opens the page of the episode under the cursor over the whole screen."""
        from tui.screens.reading import ReadingScreen

        screen, parts = self._screen, self._parts
        if (episode := parts.lists.rows.episode) is None:
            screen.say(screen.no_episode())
        else:
            step, notes = parts.lists.step, parts.notes.known(episode)
            screen.push(
                ReadingScreen(screen.player, screen.actions, episode, step, screen.go_to_episode, parts.inbox, notes)
            )

    def add(self) -> None:
        """Opens the search for podcasts, by words or by an address."""
        self._find(charts=False)

    suggestions = add

    def offer(self, address: str) -> None:
        """Opens the same search with an address in its field; the listener decides whether to add it."""
        self._find(charts=False, typed=address)

    def charts(self) -> None:
        self._find(charts=True)

    def _find(self, *, charts: bool, typed: str = "") -> None:
        from tui.screens.find import FindScreen

        parts = self._parts

        def closed(chosen: "PodcastId | Episode | None") -> None:
            if isinstance(chosen, Episode):
                parts.back_stack.show_episode(chosen)
            elif chosen is not None:
                parts.back_stack.show_podcast(chosen)

        places = self._open_found, self.preview, parts.queue.add_found
        self._screen.push(
            FindScreen(self._screen.player, *places, typed=typed, charts=charts, today=self._today), closed
        )

    def _open_found(self, podcast: "FoundPodcast", in_library: Callable[[PodcastId | None], None]) -> None:
        from tui.controllers.preview import Wanted

        self._preview(Wanted(podcast.feed_url, podcast.title), in_library)

    def preview(self, episode: Episode, problem: str = "") -> None:
        """Opens the page of a podcast that isn't subscribed to, with the cursor on that episode. `problem` is as in
        Wanted."""
        from tui.controllers.preview import Wanted

        wanted = Wanted("", episode.podcast, episode.podcast_id, episode.id, problem)
        self._preview(wanted, self._parts.back_stack.show_podcast)

    def suggestion(self, podcast: Podcast) -> None:
        """Opens the page of a podcast that is only suggested; its row and list are read again afterwards."""
        from tui.controllers.preview import Wanted

        self._preview(Wanted(podcast.url, podcast.title), self._parts.back_stack.show_podcast, self._parts.sidebar.load)

    def _preview(
        self, wanted: "Wanted", in_library: Callable[[PodcastId], None], closed: Callable[[], None] = lambda: None
    ) -> None:
        from tui.screens.preview import PreviewScreen

        screen = self._screen
        preview = PreviewScreen(screen.player, screen.actions, wanted, in_library, self._today)
        screen.push(preview, lambda _answer: closed())

    def search(self) -> None:
        from tui.screens.search import Hit, SearchScreen

        parts = self._parts
        queue, bytes_of = parts.queue.add_found, parts.row_bytes.of
        screen = SearchScreen(self._screen.player, self._searched, self._today, queue=queue, bytes_of=bytes_of)

        def closed(hit: Hit | None) -> None:
            self._searched = screen.text
            if hit is not None:
                if hit.podcast_id is not None:
                    parts.back_stack.show_podcast(hit.podcast_id)
                if hit.episode is not None:
                    parts.back_stack.show_episode(hit.episode)
                if hit.episode is not None and hit.spoken is not None:
                    self._screen.in_background(partial(self._play, hit.episode.id, hit.spoken), "word")
            elif screen.saving:
                self.save_search()

        self._screen.push(screen, closed)

    async def _play(self, episode_id: EpisodeId, hit: "SpokenHit") -> None:
        """Plays an episode from the word that was found."""
        at_ms = hit.at_ms
        with suppress(EarmarkError):
            at_ms = await asyncio.to_thread(self._screen.player.library.search.said_at, episode_id, hit)
        self._screen.playback.play_from(episode_id, at_ms or 0)

    def save_search(self) -> None:
        """Opens the dialog that saves the last search as a smart list."""
        self._parts.own_lists.save(self._searched)

    def statistics(self) -> None:
        from tui.screens.statistics import StatisticsScreen

        screen = self._screen
        screen.push(StatisticsScreen(screen.player, screen.actions, self._today(), screen.go_to_episode))

    def commands(self) -> None:
        from tui.actions.palette import Command, Kind

        parts = self._parts
        library, sidebar, show = self._screen.player.library, parts.lists.sidebar, parts.back_stack.show_episode
        places = [
            Command(
                _("Go to {podcast}", podcast=title),
                "",
                partial(parts.go_to, view),
                kind=Kind.LISTS,
                id=f"list {view.key}",
            )
            for title, view in sidebar.places
        ]

        def find(words: str, cancelled: Callable[[], bool]) -> list[Command]:
            from tui import manual
            from tui.drawing.general_fields import settings_found

            settings = [
                Command(
                    title,
                    _("open"),
                    partial(self.settings, name),
                    "",
                    Kind.SETTINGS,
                    detail="" if title == name else name,
                )
                for name, title in settings_found(words)
            ]
            pages = [
                Command(one.heading, _("read"), partial(self.documentation, one), "", Kind.PAGES, detail=one.page)
                for one in manual.passages(manual.words_in(words))[:_MOST_PAGES]
            ]
            ids = library.listing(View.of(title=words), cancelled).page(0, _MOST_EPISODES)
            episodes = [
                Command(one.title, _("show"), partial(show, one), "", Kind.EPISODES, detail=one.podcast)
                for one in library.episodes.rows(ids)
            ]
            return [*settings, *pages, *episodes]

        self._screen.open_commands(sidebar.podcasts, places, find)

    def documentation(self, passage: "Passage") -> None:
        """Opens the page of the documentation, from that passage's section on."""
        from tui.controllers.about_pages import documentation

        self._screen.open_about(documentation(passage.page, passage.heading))

    def output(self) -> None:
        from tui.dialogs.output_chooser import OutputScreen

        self._screen.push(OutputScreen(self._screen.player))

    def sync(self) -> None:
        """Opens the page about the state of syncing, or the dialogs that set it up."""
        from tui.controllers.syncing import SyncPages

        SyncPages(self._screen.player, self._screen).open()

    def sync_now(self) -> None:
        from tui.controllers.syncing import SyncNow

        SyncNow(self._screen.player, self._screen).begin()

    def settings(self, name: str = "") -> None:
        """Opens the settings with the cursor on the one with this name, such as `appearance.rows`."""
        from tui.dialogs.settings import SettingsScreen

        self._screen.push(SettingsScreen(self._screen.player, name))
