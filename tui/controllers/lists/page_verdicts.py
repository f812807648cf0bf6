"""Verdicts about a new episode while its page is shown over the list."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Protocol

from player.errors import LibraryError
from player.model.episode import Episode, EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.controllers.ui import Ui


class New(Protocol):
    """The list behind a page, where that may be New: `InboxController` fits."""

    @property
    def is_shown(self) -> bool: ...

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None, /) -> Episode | None: ...

    def take_back(self, ids: Sequence[EpisodeId], /) -> None: ...

    def words(self, dismissed: int, /) -> str: ...


class NeverNew:
    """A list that holds nothing new, such as a preview's."""

    is_shown = False

    def decided(self, _ids: Sequence[EpisodeId], _writing: "Future[Any] | None" = None) -> None:
        return None

    def take_back(self, _ids: Sequence[EpisodeId]) -> None:
        return None

    def words(self, _dismissed: int) -> str:
        return _("Not in New: you aren't subscribed to this podcast")


class PageVerdicts:
    """`here` is the page's episode, `inbox` belongs to the list behind it; `turn_to` shows another episode."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        inbox: New,
        here: Callable[[], Episode],
        turn_to: Callable[[Episode], None],
    ) -> None:
        self._player = player
        self._ui = ui
        self._inbox = inbox
        self._here = here
        self._turn_to = turn_to

    @property
    def in_new(self) -> bool:
        """Whether New is the list behind the page."""
        return self._inbox.is_shown

    def dismiss(self) -> None:
        """Over New, the page of the following episode is shown, as the cursor moves there in the list."""
        ids = [self._here().id]
        dismissing = self._player.acts.dismiss(ids)
        following = self._inbox.decided(ids, dismissing)

        def done(ended: "Future[list[EpisodeId]]") -> None:
            if not ended.cancelled() and ended.exception() is None:
                self._ui.call_later(self._ui.say, self._inbox.words(len(ended.result())))

        if following is not None:
            self._turn_to(following)
        dismissing.add_done_callback(done)

    def taken_back(self, ids: Sequence[EpisodeId]) -> None:
        """What was done with these was undone or redone: the list shows them. Over New, so does the page if it is a
        single episode."""
        self._inbox.take_back(ids)
        if self.in_new and len(ids) == 1 and ids[0] != self._here().id:
            self._ui.in_background(partial(self._return_to, ids[0]), "taken back")

    async def _return_to(self, episode_id: EpisodeId) -> None:
        try:
            rows = await asyncio.to_thread(self._player.library.episodes.rows, [episode_id])
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
        else:
            for episode in rows:
                self._turn_to(episode)
