"""What the links of an episode do, wherever they are chosen: they open, they are copied, they lead to a place in it.

What finds and opens links is loaded with the first of them.
"""

from __future__ import annotations

from functools import partial
from time import sleep
from typing import TYPE_CHECKING

from textual import on

from player.errors import EarmarkError
from player.model.episode import Episode
from player.model.playback import PlaybackState
from player.text.durations import clock
from tui.screens.bar import BarScreen
from tui.widgets.page_view import PageView

if TYPE_CHECKING:
    from player.notes.episode_links import Links

_STEP, _REST_S = 4_000, 0.001
_AT_ONCE = 20_000
"""Characters of notes whose links are found between two frames; those of longer ones in a thread."""
_GOES_ON = (PlaybackState.PLAYING, PlaybackState.PAUSED, PlaybackState.BUFFERING, PlaybackState.OPENING)


class FollowingScreen(BarScreen):
    """`follow` goes where a link leads; the actions are about the links of `episode`."""

    @property
    def episode(self) -> Episode | None:
        """The one whose links these are."""
        raise NotImplementedError

    @property
    def no_episode(self) -> str:
        """Why there is none, where a key needs one."""
        return "No episode selected"

    def follow(self, href: str) -> None:
        """Opens a page in the browser; goes to a time of the episode."""
        from player.text.times_in_text import time_of
        from tui.terminal.browser import open_link

        ms = time_of(href)
        if ms is None:
            open_link(self.app, href, self.say)
        elif self.episode is not None:
            self.play_at(self.episode, ms)

    def play_at(self, episode: Episode, ms: int) -> None:
        """Jumps there if that episode is in the bar, and stays paused if it is; else plays it from there."""
        status = self.status
        if status.episode is not None and status.episode.id == episode.id and status.state in _GOES_ON:
            self.seek_to(ms)
        else:
            self.player.session.play(episode.id, ms)
            self.say(f"Playing from {clock(ms)}")

    @on(PageView.Followed)
    def _followed(self, event: PageView.Followed) -> None:
        self.follow(event.href)

    # -- keys -------------------------------------------------------------------------------------------------

    def action_links(self) -> None:
        from tui.dialogs.link_chooser import LinksScreen

        if (episode := self._episode_here()) is None:
            return
        notes = self._notes_of(episode)
        found = partial(self.links_of, episode, notes)
        dialog = LinksScreen(found() if len(notes) <= _AT_ONCE else found, self.say)
        self.app.push_screen(dialog, lambda ms: None if ms is None else self.play_at(episode, ms))

    def action_copy_link(self) -> None:
        """The episode's own page, else the first of its links."""
        if (episode := self._episode_here()) is None:
            return
        if episode.link:
            self.copy_link(episode.link, "the episode's page")
        else:
            self.copy_link(self._first_link(episode), "the first link in its notes, as it has no page")

    def copy_link(self, address: str, what: str = "") -> None:
        """`what` it is, in a few words."""
        from tui.terminal.clipboard import copy_link

        self.say(copy_link(self.app, address, what))

    def action_copy_links(self) -> None:
        if (episode := self._episode_here()) is not None:
            self.run_worker(partial(self._find_and_copy, episode), thread=True, group="links", exclusive=True)

    def _find_and_copy(self, episode: Episode) -> None:
        self.call_later(self._copy_links, self.links_of(episode, self._notes_of(episode)))

    def _copy_links(self, found: Links) -> None:
        from tui.terminal.clipboard import copy_links

        self.say(copy_links(self.app, found))

    # -- what they are ----------------------------------------------------------------------------------------

    def links_of(self, episode: Episode, notes: str) -> Links:
        """For any thread. With long notes it gives way now and then, so that no key waits for it."""
        from player.notes import Block, Notes, read_in_parts
        from player.notes.episode_links import links

        try:
            podcast = self.player.library.podcasts.get(episode.podcast_id).link
        except EarmarkError:
            podcast = ""
        blocks: list[Block] = []
        for part in read_in_parts(notes, _STEP):
            blocks += part
            if len(notes) > _AT_ONCE:
                sleep(_REST_S)
        return links(Notes(tuple(blocks)), episode.duration_ms, episode=episode.link, podcast=podcast)

    def _first_link(self, episode: Episode) -> str:
        pages = self.links_of(episode, self._notes_of(episode)).pages
        return pages[0].address if pages else ""

    def _notes_of(self, episode: Episode) -> str:
        try:
            return self.player.library.episodes.notes(episode.id)
        except EarmarkError:
            return ""

    def _episode_here(self) -> Episode | None:
        if self.episode is None:
            self.say(self.no_episode)
        return self.episode
