"""How podcasts are arranged: tags, own titles and pins."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from player.errors import EarmarkError
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from player.text.cleaning import fold
from player.text.sentences import _
from tui.controllers.lists.selection import PodcastTargets
from tui.controllers.ui import Ui, say_after

T = TypeVar("T")


class ArrangingController:
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
        """Calls `edit` with the podcast and all existing tags; keys typed meanwhile go to the dialog."""
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
