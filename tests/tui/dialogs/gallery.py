"""One of each dialog, with long words in it, for tests of what they all share."""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

from player.bookmarks import Here
from player.errors import DamagedLibrary
from player.feeds.source import Offered
from player.library import Repair
from player.model.episode import Chapters
from player.model.filters import ListId, SavedList
from player.model.playback import PlaybackStatus, SleepChoice, SleepUntil
from player.model.podcast import Podcast, PodcastId
from player.notes.episode_links import Links
from player.player import Player
from tests.tui.controllers.fake import Calls, episode
from tests.tui.dialogs.syncing.states import SYNCING
from tui.actions.palette import Command
from tui.dialogs.add import AddScreen, PodcastChooser
from tui.dialogs.clip import ClipScreen
from tui.dialogs.confirm import ConfirmScreen, CountryScreen, LoginScreen, NoteScreen
from tui.dialogs.damaged import DamagedScreen, OpeningScreen
from tui.dialogs.dialog import Dialog
from tui.dialogs.export import FileScreen, exports
from tui.dialogs.import_file import ImportScreen
from tui.dialogs.link_chooser import LinksScreen
from tui.dialogs.lists import ListDownloads, ListEditor, PlaylistChooser
from tui.dialogs.output_chooser import OutputScreen
from tui.dialogs.palette import Palette
from tui.dialogs.podcast_names import TagsScreen, TitleScreen
from tui.dialogs.podcast_settings import PodcastSettingsScreen
from tui.dialogs.queue_order import QueueOrderScreen
from tui.dialogs.refreshed import Refreshed, RefreshedScreen
from tui.dialogs.segment import SegmentScreen
from tui.dialogs.settings import SettingsScreen
from tui.dialogs.sleep import SleepScreen
from tui.dialogs.theme_chooser import ThemeChooser, ThemeOffer
from tui.dialogs.transcribing import TranscribingScreen
from tui.screens.find import FindScreen
from tui.screens.search import SearchScreen

LONG = "A very long title [b]with markup[/b] that goes on and on 漢字漢字 to the end of the line"
PODCAST = Podcast(PodcastId(1), "https://example.org/feed", LONG, tags=("work", "long walks"))


def _sleep() -> SleepScreen:
    return SleepScreen(lambda: PlaybackStatus(), Chapters(), SleepChoice(SleepUntil.MINUTES, 30), lambda: None, "t")


def _damaged() -> DamagedScreen:
    repair = Calls([], backups=cast(Any, Future()))
    return DamagedScreen(DamagedLibrary(LONG), Path("~/.local/share/earmark"), cast(Repair, repair))


def gallery(player: Player) -> dict[type[Dialog[Any]], Callable[[], Dialog[Any]]]:
    """How one of each class is made; `player` is open, with the podcast 1 in its library."""
    made: list[Callable[[], Dialog[Any]]] = [
        *SYNCING,
        lambda: AddScreen(player),
        lambda: ClipScreen(player, Here(episode(1, title=LONG, duration_ms=3_600_000), 750_400, 34_600)),
        lambda: ConfirmScreen(f"Unsubscribe from “{LONG}”?", LONG, "unsubscribe", "cancel", danger=True),
        lambda: CountryScreen("US"),
        lambda: FileScreen(player, *exports(), heading="Export"),
        lambda: FindScreen(
            player, lambda _podcast, _then: None, lambda _episode, _problem: None, lambda *_queued: None
        ),
        lambda: ImportScreen(player),
        lambda: LinksScreen(Links(), lambda _words: None),
        lambda: ListDownloads(LONG, lambda: 3),
        lambda: ListEditor(player, "New smart list", LONG, "is:unplayed", taken=set()),
        lambda: LoginScreen("a.very.long.host.name.example.org"),
        lambda: NoteScreen("A note to the bookmark", LONG),
        lambda: OpeningScreen(),
        lambda: OutputScreen(player),
        lambda: Palette([Command(LONG, "ctrl+x", lambda: None)]),
        lambda: PodcastChooser(
            f"{LONG} has 2 podcasts", (Offered("", LONG, episodes=12), Offered("", LONG, known=True))
        ),
        lambda: PlaylistChooser([SavedList(ListId(1), LONG)], 3, set()),
        lambda: PodcastSettingsScreen(player, PodcastId(1)),
        lambda: QueueOrderScreen(),
        lambda: TranscribingScreen(player),
        lambda: RefreshedScreen([Refreshed(PodcastId(1), LONG, "Not found (404)", LONG)], lambda _one: Future(), "r"),
        lambda: SearchScreen(player),
        lambda: SegmentScreen("12:30–13:05"),
        lambda: SettingsScreen(player),
        _sleep,
        lambda: TagsScreen(PODCAST, ("work", "long walks", "music")),
        lambda: ThemeChooser([ThemeOffer("ink", LONG, "dark")], "ink", lambda _name: None),
        lambda: TitleScreen(PODCAST),
        _damaged,
    ]
    return {type(make()): make for make in made}
