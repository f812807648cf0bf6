"""What is done with podcasts: adding, unsubscribing, signing in, OPML, and the page about one."""

from functools import partial

from player.links.addresses import is_file_address
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.selection import Selection
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.refresh import RefreshController
from tui.controllers.ui import after


class PodcastsController:
    def __init__(self, player: Player, ui: EpisodeUi, refreshing: RefreshController, selected: Selection) -> None:
        self._player = player
        self._ui = ui
        self._refreshing = refreshing
        self._selected = selected

    def sign_in(self) -> None:
        from player.links.urls import host
        from tui.dialogs.confirm import LoginScreen

        episode, podcast = self._selected.episode, self._selected.podcast
        address = episode.url if episode else podcast.url if podcast else ""
        if not host(address):
            self._ui.say(self._selected.no_podcast())
            return

        def try_again() -> None:
            if episode:
                self._ui.playback.play_episode(episode.id)
            elif podcast:
                self._refreshing.begin([podcast.id])

        def given(login: tuple[str, str] | None) -> None:
            if login is not None:
                after(self._ui, self._player.remember_login(address, *login), lambda _kept: try_again(), try_again)

        self._ui.push(LoginScreen(host(address)), given)

    def import_opml(self) -> None:
        from tui.dialogs.import_file import ImportScreen

        self._ui.push(ImportScreen(self._player))

    def export_opml(self) -> None:
        from tui.dialogs.export import EXPORTS, FileScreen

        self._ui.push(FileScreen(self._player, *EXPORTS, heading=_("Export")))

    def about(self) -> None:
        """Of the podcast that is shown, or of that of the episode under the cursor."""
        from tui.controllers.page.about_pages import show

        if (podcast_id := self._selected.podcast_id) is None:
            self._ui.say(self._selected.no_podcast())
        else:
            self._ui.open_about(show(self._player, podcast_id), podcast_id)

    def settings(self) -> None:
        """Of the podcast that is shown, or of that of the episode under the cursor."""
        from tui.dialogs.podcast_settings import PodcastSettingsScreen

        if (podcast_id := self._selected.podcast_id) is None:
            self._ui.say(self._selected.no_podcast())
        else:
            self._ui.push(PodcastSettingsScreen(self._player, podcast_id))

    def copy_link(self) -> bool:
        """The website of the podcast whose episodes are listed, else its feed; False where they are of several."""
        from player.links.urls import web_address, without_secrets

        podcast = self._selected.podcast
        if podcast is None:
            return False
        if podcast.link:
            self._ui.copy_link(podcast.link, _("the podcast's website"))
        else:
            self._ui.copy_link(web_address(without_secrets(podcast.url)), _("the podcast's feed"))
        return True

    def _say_unsubscribed(self) -> None:
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        self._ui.say(f"{_('Unsubscribed')} {self._ui.glyphs.dot} {undo}")

    def _say_kept(self, title: str) -> None:
        self._ui.notify(_("You are still subscribed to “{title}”.", title=title), severity="error", markup=False)

    def unsubscribe(self) -> None:
        from tui.dialogs.confirm import ConfirmScreen

        podcast = self._selected.podcast
        if podcast is None:
            self._ui.say(_("Select a podcast to unsubscribe from it"))
            return

        def decided(yes: bool | None) -> None:
            if yes:
                removing = self._player.remove(podcast.id)
                said, kept = self._say_unsubscribed, partial(self._say_kept, podcast.title)
                after(self._ui, removing, lambda _removed: said(), kept)

        question = _("Unsubscribe from “{title}”?", title=podcast.title)
        back = _("{key} brings it back with all positions and stars.", key=self._ui.key_of("undo"))
        files = (
            _("Its files stay where they are.")
            if is_file_address(podcast.url)
            else _("Downloaded files are deleted for good.")
        )
        detail = f"{back} {files}"
        self._ui.push(
            ConfirmScreen(question, detail, _("unsubscribe"), _("cancel"), title=_("Unsubscribe"), danger=True), decided
        )
