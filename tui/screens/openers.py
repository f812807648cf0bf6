"""What opens over the main screen."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from player.model.episode import Episode, EpisodeId
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _
from tui.controllers.playback.playback import PlaybackController
from tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from player.directory.found_podcast import FoundPodcast
    from tui.controllers.finding.preview import Wanted
    from tui.controllers.lists.inbox import InboxController
    from tui.controllers.page.about_pages import Build
    from tui.drawing.row_bytes import RowBytes
    from tui.screens.search import Queue


class Openers:
    """Imports each screen when it is first opened. `episode` is the one under the cursor, `no_episode` says why there
    is none.

    `show` and `go_to` show an episode in its list, `show_podcast` the list of a podcast, `step` moves the cursor there.
    `notes` returns notes that have been read.
    """

    def __init__(
        self,
        screen: BaseScreen,
        episode: Callable[[], Episode | None],
        no_episode: Callable[[], str],
        playback: PlaybackController,
        *,
        show: Callable[[Episode], None],
        show_podcast: Callable[[PodcastId], None],
        go_to: Callable[[EpisodeId], None],
        step: Callable[[int, EpisodeId], Episode | None],
        inbox: Callable[[], "InboxController"],
        podcasts: Callable[[], Sequence[Podcast]],
        notes: Callable[[Episode], str | None],
        today: Callable[[], date],
        queue: "Queue",
        bytes_of: "Callable[[Episode], RowBytes]",
    ) -> None:
        self._screen = screen
        self._episode = episode
        self._no_episode = no_episode
        self._playback = playback
        self._show = show
        self._show_podcast = show_podcast
        self._go_to = go_to
        self._step = step
        self._inbox = inbox
        self._podcasts = podcasts
        self._notes = notes
        self._today = today
        self._queue = queue
        self._bytes_of = bytes_of
        self.searched = ""

    def read(self) -> None:
        """Opens the page of the episode under the cursor over the whole screen."""
        from tui.screens.reading import ReadingScreen

        if (episode := self._episode()) is None:
            self._screen.say(self._no_episode())
        else:
            notes = self._notes(episode)
            self._screen.push(
                ReadingScreen(
                    self._screen.player,
                    self._screen.actions,
                    episode,
                    self._step,
                    self._go_to,
                    self._inbox(),
                    notes,
                )
            )

    def about(self, read: "Callable[[], Build]", podcast_id: PodcastId | None = None) -> None:
        """Opens a page for what `read` reads, which may be about a podcast."""
        from tui.screens.about import AboutScreen

        self._screen.push(AboutScreen(self._screen.player, self._screen.actions, read, self._go_to, podcast_id))

    def add(self) -> None:
        """Podcasts by words, or one by its address."""
        self._find(charts=False)

    suggestions = add

    def charts(self) -> None:
        self._find(charts=True)

    def _find(self, *, charts: bool) -> None:
        from tui.screens.finding.find import FindScreen

        def closed(podcast_id: PodcastId | None) -> None:
            if podcast_id is not None:
                self._show_podcast(podcast_id)

        self._screen.push(FindScreen(self._screen.player, self._open_found, charts=charts, today=self._today), closed)

    def _open_found(self, podcast: "FoundPodcast", in_library: Callable[[PodcastId | None], None]) -> None:
        from tui.controllers.finding.preview import Wanted

        self._preview(Wanted(podcast.feed_url, podcast.title), in_library)

    def preview(self, episode: Episode) -> None:
        """The page of a podcast that isn't subscribed to, with the cursor on that episode."""
        from tui.controllers.finding.preview import Wanted

        wanted = Wanted(title=episode.podcast, podcast_id=episode.podcast_id, episode_id=episode.id)
        self._preview(wanted, self._show_podcast)

    def _preview(self, wanted: "Wanted", in_library: Callable[[PodcastId], None]) -> None:
        from tui.screens.about import AboutScreen
        from tui.screens.finding.preview import PreviewScreen

        def about(read: "Callable[[], Build]", choose: Callable[[EpisodeId], None]) -> None:
            self._screen.push(AboutScreen(self._screen.player, self._screen.actions, read, choose))

        screen = self._screen
        screen.push(PreviewScreen(screen.player, screen.actions, wanted, in_library, about, self._today))

    def search(self) -> None:
        from tui.screens.search import Hit, SearchScreen

        screen = SearchScreen(
            self._screen.player, self.searched, self._today, queue=self._queue, bytes_of=self._bytes_of
        )

        def closed(hit: Hit | None) -> None:
            self.searched = screen.text
            if hit is not None:
                if hit.podcast_id is not None:
                    self._show_podcast(hit.podcast_id)
                if hit.episode is not None:
                    self._show(hit.episode)
                if hit.episode is not None and hit.at_ms is not None:
                    self._playback.play_from(hit.episode.id, hit.at_ms)
            elif screen.saving:
                self._screen.act("save_search")

        self._screen.push(screen, closed)

    def statistics(self) -> None:
        from tui.screens.statistics import StatisticsScreen

        self._screen.push(StatisticsScreen(self._screen.player, self._screen.actions, self._today(), self._go_to))

    def palette(self) -> None:
        from tui.actions.palette import Palette, commands

        screen = self._screen
        screen.app.push_screen(Palette(tuple(commands(screen, screen.actions, self._podcasts()))))

    def output(self) -> None:
        from tui.dialogs.output_chooser import OutputScreen

        self._screen.push(OutputScreen(self._screen.player))

    def settings(self) -> None:
        file = self._screen.player.paths.settings
        there = "" if file.exists() else _("It doesn't exist yet; Earmark uses its defaults.")
        self._screen.notify(f"{file} {there}".rstrip(), title=_("Settings"), markup=False, timeout=15)
