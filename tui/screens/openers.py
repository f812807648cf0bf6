"""What opens over the main screen."""

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _
from tui.controllers.playback import PlaybackController
from tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from player.directory.directory import FoundPodcast
    from tui.controllers.lists.inbox import NewList
    from tui.controllers.preview import Wanted
    from tui.drawing.episode_rows import RowBytes
    from tui.screens.search import Queue

_RECENT = "palette"
_MOST_EPISODES = 20


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
        inbox: Callable[[], "NewList"],
        podcasts: Callable[[], Sequence[Podcast]],
        places: Callable[[], Sequence[tuple[str, View]]],
        show_place: Callable[[View], None],
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
        self._places = places
        self._show_place = show_place
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

    def add(self) -> None:
        """Podcasts by words, or one by its address."""
        self._find(charts=False)

    suggestions = add

    def offer(self, address: str) -> None:
        """The same, with that address in the field: what becomes of it is the listener's."""
        self._find(charts=False, typed=address)

    def charts(self) -> None:
        self._find(charts=True)

    def _find(self, *, charts: bool, typed: str = "") -> None:
        from tui.screens.find import FindScreen

        def closed(podcast_id: PodcastId | None) -> None:
            if podcast_id is not None:
                self._show_podcast(podcast_id)

        player, opened = self._screen.player, self._open_found
        self._screen.push(FindScreen(player, opened, typed=typed, charts=charts, today=self._today), closed)

    def _open_found(self, podcast: "FoundPodcast", in_library: Callable[[PodcastId | None], None]) -> None:
        from tui.controllers.preview import Wanted

        self._preview(Wanted(podcast.feed_url, podcast.title), in_library)

    def preview(self, episode: Episode) -> None:
        """The page of a podcast that isn't subscribed to, with the cursor on that episode."""
        from tui.controllers.preview import Wanted

        wanted = Wanted(title=episode.podcast, podcast_id=episode.podcast_id, episode_id=episode.id)
        self._preview(wanted, self._show_podcast)

    def _preview(self, wanted: "Wanted", in_library: Callable[[PodcastId], None]) -> None:
        from tui.screens.preview import PreviewScreen

        screen = self._screen
        screen.push(PreviewScreen(screen.player, screen.actions, wanted, in_library, self._today))

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
        from tui.actions.palette import Command, Kind, commands, read_recent, with_recent
        from tui.dialogs.palette import Palette

        screen, player = self._screen, self._screen.player
        library = player.library
        places = [
            Command(_("Go to {podcast}", podcast=title), "", partial(self._show_place, view), "", Kind.LISTS, view.key)
            for title, view in self._places()
        ]
        recent = read_recent(player.remembered(_RECENT))

        def find(words: str, cancelled: Callable[[], bool]) -> list[Command]:
            ids = library.listing(View.of(title=words), cancelled).page(0, _MOST_EPISODES)
            return [
                Command(one.title, _("show"), partial(self._show, one), "", Kind.EPISODES, detail=one.podcast)
                for one in library.episodes.rows(ids)
            ]

        screen.push(
            Palette(
                tuple(commands(screen, screen.actions, self._podcasts(), places)),
                recent,
                lambda command_id: player.remember(_RECENT, with_recent(recent, command_id)),
                find,
            )
        )

    def output(self) -> None:
        from tui.dialogs.output_chooser import OutputScreen

        self._screen.push(OutputScreen(self._screen.player))

    def sync(self) -> None:
        """How syncing stands, or setting it up."""
        from tui.controllers.syncing import SyncPages

        SyncPages(self._screen.player, self._screen).open()

    def sync_now(self) -> None:
        from tui.controllers.syncing import SyncNow

        SyncNow(self._screen.player, self._screen).begin()

    def settings(self) -> None:
        file = self._screen.player.paths.settings
        there = "" if file.exists() else _("It doesn't exist yet; Earmark uses its defaults.")
        edit = _("Change it with: earmark config edit")
        self._screen.notify(f"{file} {there}".rstrip() + f"\n{edit}", title=_("Settings"), markup=False, timeout=15)
