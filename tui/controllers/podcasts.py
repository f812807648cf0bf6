"""Actions on podcasts: unsubscribing, signing in, OPML, the page about a podcast, its settings, tags, own titles and
pins."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from player.errors import EarmarkError
from player.links.addresses import is_file_address
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from player.text.cleaning import fold
from player.text.sentences import _
from tui.controllers.lists.selection import PodcastTargets, Selection
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.refresh import RefreshController
from tui.controllers.ui import Ui, after, say_after

T = TypeVar("T")


class PodcastsController:
    def __init__(self, player: Player, ui: EpisodeUi, refreshing: RefreshController, selected: Selection) -> None:
        self._player = player
        self._ui = ui
        self._refreshing = refreshing
        self._selected = selected

    def sign_in(self) -> None:
        from player.links.urls import host
        from player.sources import all_sources
        from tui.dialogs.confirm import LoginScreen

        episode, podcast = self._selected.episode, self._selected.podcast
        address = episode.url if episode else podcast.url if podcast else ""
        server = all_sources().server(address)
        if not host(server):
            self._ui.say(self._selected.no_podcast())
            return

        def try_again() -> None:
            if episode:
                self._ui.playback.play_episode(episode.id)
            elif podcast:
                self._refreshing.begin([podcast.id])

        def given(login: tuple[str, str] | None) -> None:
            if login is not None:
                after(self._ui, self._player.remember_login(address, *login), lambda _kept: try_again())

        self._ui.push(LoginScreen(host(server), takes_key=server != address), given)

    def import_opml(self) -> None:
        from tui.dialogs.import_file import ImportScreen

        self._ui.push(ImportScreen(self._player))

    def export_opml(self) -> None:
        from tui.dialogs.export import FileScreen, exports

        self._ui.push(FileScreen(self._player, *exports(), heading=_("Export")))

    def about(self) -> None:
        """Of the podcast that is shown, or of that of the episode under the cursor."""
        from tui.controllers.about_pages import show

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
        """Copies the address of the list's podcast: its website, or else its feed. False if the list mixes podcasts."""
        from player.links.urls import web_address, without_secrets

        podcast = self._selected.podcast
        if podcast is None:
            return False
        if podcast.link:
            self._ui.copy_link(podcast.link, _("the podcast's website"))
        else:
            self._ui.copy_link(web_address(without_secrets(podcast.url)), _("the podcast's feed"))
        return True

    def _say_removed(self, podcast: Podcast) -> None:
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        words = _("Suggestion removed") if podcast.suggested else _("Unsubscribed")
        self._ui.say(f"{words} {self._ui.glyphs.dot} {undo}")

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
                kept = partial(self._say_kept, podcast.title)
                after(self._ui, removing, lambda _removed: self._say_removed(podcast), kept)

        verb, question = _("unsubscribe"), _("Unsubscribe from “{title}”?", title=podcast.title)
        if podcast.suggested:
            verb, question = _("remove"), _("Remove the suggestion “{title}”?", title=podcast.title)
        back = _("{key} brings it back with all positions and stars.", key=self._ui.key_of("undo"))
        files = (
            _("Its files stay where they are.")
            if is_file_address(podcast.url)
            else _("Downloaded files are deleted for good.")
        )
        detail = f"{back} {files}"
        self._ui.push(ConfirmScreen(question, detail, verb, _("cancel"), title=verb.capitalize(), danger=True), decided)


class ArrangingController:
    """Arranges podcasts by tags, own titles and pins."""

    def __init__(self, player: Player, ui: Ui, podcasts: PodcastTargets) -> None:
        self._player = player
        self._ui = ui
        self._podcasts = podcasts

    def tags(self) -> None:
        from tui.dialogs.podcast_names import TagsScreen

        def edit(podcast: Podcast, known: list[str]) -> None:
            def entered(tags: tuple[str, ...] | None) -> None:
                if tags is not None and tags != podcast.tags:
                    self._say_after(self._player.shelf.set_tags(podcast.id, tags), _tags_in_words)

            self._ui.push(TagsScreen(podcast, known), entered)

        self._read_and(edit)

    def rename(self) -> None:
        from tui.dialogs.podcast_names import TitleScreen

        def edit(podcast: Podcast, _known: list[str]) -> None:
            def entered(title: str | None) -> None:
                if title is not None and title != podcast.title:
                    renaming = self._player.shelf.rename(podcast.id, title)
                    self._say_after(renaming, lambda renamed: _("Now called “{title}”", title=renamed.title))

            self._ui.push(TitleScreen(podcast), entered)

        self._read_and(edit)

    def pin(self) -> None:
        """Pins the podcast, or unpins it."""
        if (podcast_id := self._meant()) is not None:
            pinning = self._player.shelf.toggle_pin(podcast_id)
            self._say_after(pinning, lambda pinned: _("Pinned: it stands first") if pinned else _("No longer pinned"))

    def _meant(self) -> PodcastId | None:
        podcast_id = self._podcasts.podcast_id
        if podcast_id is None:
            self._ui.say(self._podcasts.no_podcast())
        return podcast_id

    def _read_and(self, edit: Callable[[Podcast, list[str]], None]) -> None:
        """Calls `edit` with the podcast and all existing tags once they have been read; keys typed meanwhile go to the
        dialog."""
        podcast_id = self._meant()
        if podcast_id is None:
            return
        library = self._player.library
        is_read = asyncio.Event()

        def read() -> tuple[Podcast, list[str]]:
            tags = {tag for some in library.shelf.tags().values() for tag in some}
            return library.podcasts.get(podcast_id), sorted(tags, key=lambda tag: (fold(tag), tag))

        async def read_and_edit() -> None:
            try:
                edit(*await asyncio.to_thread(read))
            except EarmarkError as error:
                self._ui.notify(str(error), severity="error", markup=False)
            finally:
                is_read.set()

        self._ui.keys_wait(is_read.wait())
        self._ui.in_background(read_and_edit, "arranging")

    def _with_undo(self, words: str) -> str:
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        return f"{words} {self._ui.glyphs.dot} {undo}"

    def _say_after(self, act: "Future[T]", words: Callable[[T], str]) -> None:
        say_after(self._ui, act, lambda result: self._with_undo(words(result)))


def _tags_in_words(tags: tuple[str, ...]) -> str:
    return _("Tags: {tags}", tags=", ".join(tags)) if tags else _("No tags")
