"""What the links of an episode do, wherever they are chosen: they open, they are copied, they lead to a place in it.

What finds and opens links is loaded with the first of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from time import sleep
from typing import TYPE_CHECKING

from player.errors import EarmarkError
from player.model.episode import Episode
from player.player import Player
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui

if TYPE_CHECKING:
    from player.notes.episode_links import Links

_STEP, _REST_S = 4_000, 0.001
_AT_ONCE = 20_000
"""Characters of notes whose links are found between two frames; those of longer ones in a thread."""


class LinksController:
    """`follow` goes where a link leads; the rest is about the links of `episode`, the one that is asked for.

    `no_episode` says why there is none.
    """

    def __init__(
        self,
        player: Player,
        ui: Ui,
        playback: PlaybackController,
        episode: Callable[[], Episode | None],
        no_episode: Callable[[], str] = lambda: "No episode selected",
    ) -> None:
        self._player = player
        self._ui = ui
        self._playback = playback
        self.episode = episode
        self._no_episode = no_episode

    def follow(self, href: str) -> None:
        """Opens a page in the browser; goes to a time of the episode."""
        from player.text.times_in_text import time_of

        ms = time_of(href)
        if ms is None:
            self._ui.open_link(href)
        elif (episode := self.episode()) is not None:
            self._playback.play_at(episode, ms)

    # -- keys -------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """From all of them."""
        from tui.dialogs.link_chooser import LinksScreen

        if (episode := self._episode_here()) is None:
            return
        notes = self._notes_of(episode)
        found = partial(self.links_of, episode, notes)
        dialog = LinksScreen(found() if len(notes) <= _AT_ONCE else found, self._ui.say)
        self._ui.push(dialog, lambda ms: None if ms is None else self._playback.play_at(episode, ms))

    def copy(self) -> None:
        """The episode's own page, else the first of its links."""
        if (episode := self._episode_here()) is None:
            return
        if episode.link:
            self._ui.copy_link(episode.link, "the episode's page")
        else:
            self._ui.copy_link(self._first_link(episode), "the first link in its notes, as it has no page")

    def copy_all(self) -> None:
        if (episode := self._episode_here()) is not None:
            self._ui.in_background(partial(self._find_and_copy, episode), "links")

    async def _find_and_copy(self, episode: Episode) -> None:
        self._ui.copy_links(await asyncio.to_thread(self._links_of, episode))

    def _links_of(self, episode: Episode) -> Links:
        return self.links_of(episode, self._notes_of(episode))

    # -- what they are ----------------------------------------------------------------------------------------

    def links_of(self, episode: Episode, notes: str) -> Links:
        """For any thread. With long notes it gives way now and then, so that no key waits for it."""
        from player.notes import Block, Notes, read_in_parts
        from player.notes.episode_links import links

        try:
            podcast = self._player.library.podcasts.get(episode.podcast_id).link
        except EarmarkError:
            podcast = ""
        blocks: list[Block] = []
        for part in read_in_parts(notes, _STEP):
            blocks += part
            if len(notes) > _AT_ONCE:
                sleep(_REST_S)
        return links(Notes(tuple(blocks)), episode.duration_ms, episode=episode.link, podcast=podcast)

    def _first_link(self, episode: Episode) -> str:
        pages = self._links_of(episode).pages
        return pages[0].address if pages else ""

    def _notes_of(self, episode: Episode) -> str:
        try:
            return self._player.library.episodes.notes(episode.id)
        except EarmarkError:
            return ""

    def _episode_here(self) -> Episode | None:
        if (episode := self.episode()) is None:
            self._ui.say(self._no_episode())
        return episode
