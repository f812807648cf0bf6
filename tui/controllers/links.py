"""Following and copying an episode's links, and finding words in a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.model.episode import Episode
from player.player import Player
from player.text.sentences import _
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.ui import Ui
from tui.widgets.cursor_page import CursorPage
from tui.widgets.episode_page import EpisodePage

if TYPE_CHECKING:
    from player.notes.episode_links import Links


class FindController:
    """Searches `page` while it has the focus."""

    def __init__(self, ui: Ui, page: CursorPage) -> None:
        self._ui = ui
        self._page = page

    def open(self) -> bool:
        """Opens the line for typing words; False if the page has no text to search."""
        if not self._page.findable:
            return False
        from tui.dialogs.find_in_page import FindInPage

        def closed(stay: bool | None) -> None:
            if stay:
                self._step(0)
            else:
                self._page.find("")

        self._ui.push(FindInPage(self._page.find), closed)
        return True

    def takes(self, key: str, character: str | None) -> bool:
        """While found words are marked, `n` and `N` go to the next and previous match, and `esc` removes the marks.
        Returns whether it took the key."""
        if not self._page.found or not self._ui.on_page:
            return False
        if character in ("n", "N"):
            self._step(1 if character == "n" else -1)
        elif key == "escape":
            self._page.find("")
            self._ui.say("")
        else:
            return False
        return True

    def _step(self, step: int) -> None:
        words, dot = self._page.found, self._ui.glyphs.dot
        which, count = self._page.find(words, step)
        found = _("“{words}” {which} of {count}", words=words, which=which, count=count)
        self._ui.say(f"{found} {dot} n {_('next')} {dot} N {_('previous')} {dot} esc {_('ends')}")


class LinksController:
    """`follow` follows any link; the other methods act on the links of the screen's episode, which its `page` may have
    found already."""

    def __init__(self, player: Player, ui: EpisodeUi, page: EpisodePage | None = None) -> None:
        self._player = player
        self._ui = ui
        self._page = page

    def follow(self, href: str) -> None:
        """Opens a page in the browser, or plays the episode from the time of a link."""
        from player.text.times import time_of

        ms = time_of(href)
        if ms is None:
            self._ui.open_link(href)
        elif (episode := self._ui.episode) is not None:
            self._ui.playback.play_at(episode, ms)

    # -- keys -------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """Opens the list of the episode's links."""
        from tui.dialogs.link_chooser import LinksScreen

        if (episode := self._episode_here()) is None:
            return
        dialog = LinksScreen(self._known(episode) or partial(self._find, episode), self._ui.say)
        self._ui.push(dialog, lambda ms: None if ms is None else self._ui.playback.play_at(episode, ms))

    def copy(self) -> None:
        """Copies the address of the episode's own page, or else of the first of its links."""
        if (episode := self._episode_here()) is None:
            return
        if episode.link:
            self._ui.copy_link(episode.link, _("the episode's page"))
        else:
            self._with_links(episode, self._copy_first)

    def copy_all(self) -> None:
        if (episode := self._episode_here()) is not None:
            self._with_links(episode, self._ui.copy_links)

    def _copy_first(self, found: Links) -> None:
        address = found.pages[0].address if found.pages else ""
        self._ui.copy_link(address, _("the first link in the notes; it has no page"))

    def _with_links(self, episode: Episode, do: Callable[[Links], None]) -> None:
        """Acts on the episode's links: at once if they are known, otherwise when they have been found."""

        async def find() -> None:
            do(await asyncio.to_thread(self._find, episode))

        if (links := self._known(episode)) is not None:
            do(links)
        else:
            self._ui.in_background(find, "links")

    # -- finding links ----------------------------------------------------------------------------------------

    def _known(self, episode: Episode) -> Links | None:
        return self._page.links_of(episode) if self._page is not None else None

    def links_of(self, episode: Episode, notes: str) -> Links:
        """The links of an episode. Call it on any thread except the screen's. With long notes it pauses now and then,
        so that keys don't wait for it."""
        from player.model.episode import chat, content_links, discussions
        from player.notes import parsed
        from player.notes.episode_links import links

        podcast, extra, of_podcast, library = "", "", "", self._player.library
        try:
            podcast, of_podcast = (
                library.podcasts.get(episode.podcast_id).link,
                library.podcasts.extra(episode.podcast_id),
            )
            extra = library.episodes.details(episode.id).extra
        except EarmarkError:
            pass
        others = [
            *content_links(extra),
            *((one.url, _("Comments")) for one in discussions(extra)),
            (chat(extra) or chat(of_podcast), _("Chat")),
        ]
        return links(parsed(notes).whole(), episode.duration_ms, episode=episode.link, podcast=podcast, others=others)

    def _find(self, episode: Episode) -> Links:
        try:
            notes = self._player.library.episodes.notes(episode.id)
        except EarmarkError:
            notes = ""
        return self.links_of(episode, notes)

    def _episode_here(self) -> Episode | None:
        if (episode := self._ui.episode) is None:
            self._ui.say(self._ui.no_episode())
        return episode
