"""The list New: a single key decides about a new episode, in the list or on the episode's page over it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, Protocol

from player.errors import LibraryError
from player.library import Listing
from player.model.episode import Episode, EpisodeId
from player.model.filters import ViewName
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.lists.list import ListController, ListKind
from tui.controllers.lists.selection import Selection, Targets
from tui.controllers.ui import Ui, after, say_after


class NewList(ListKind):
    """A verdict about a new episode (queueing, downloading, starring, dismissing it, or marking it as played) takes it
    out of New. Until the verdict is written, its row is still in the list, but keys no longer act on it."""

    view_name = ViewName.NEW

    def __init__(self, lists: ListController, selection: Selection) -> None:
        super().__init__(lists)
        self._selection = selection
        self._decided: set[EpisodeId] = set()

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the episodes that a key acts on, unless there is a verdict about all of them already."""

        def unless_decided(targets: Targets) -> None:
            if not (self.is_shown and self._decided.issuperset(targets.ids)):
                act(targets)

        self._selection.episodes(unless_decided)

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object]) -> None:
        self._selection.with_list(act)

    def put(self, episode: Episode) -> None:
        self.rows.put(episode)

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None) -> Episode | None:
        """Call this after a verdict. In New, moves the cursor to the next episode, or to the previous one at the end of
        the list, and returns the episode there if its row has been read. If `writing` the verdict fails, the episodes
        are still new, and keys act on them again."""
        if not self.is_shown:
            return None
        self._decided.update(ids)

        if writing is not None:
            after(self.ui, writing, lambda _written: None, lambda: self._still_new(ids))
        if list(ids) == [self.rows.episode_id] and (self.rows.move_by(1) or self.rows.move_by(-1)):
            return self.rows.episode
        return None

    def _still_new(self, ids: Sequence[EpisodeId]) -> None:
        self._decided.difference_update(ids)

    def dismiss(self) -> None:
        self.episodes(self._dismiss)

    def downloading(self, ids: Sequence[EpisodeId]) -> None:
        """In New, a download is a verdict; anywhere else the episode stays new."""
        if self.is_shown:
            self.decided(ids, self.player.acts.dismiss(ids))

    def shown(self, _listing: Listing) -> None:
        """Forgets the verdicts about episodes that have left the list: if they come back, they are new."""
        self._decided = {one for one in self._decided if self.rows.has_row(one)}

    def touched(self) -> None:
        """Episodes have changed: the episode that is playing is no longer new."""
        self.lists.load()

    def take_back(self, ids: Sequence[EpisodeId]) -> None:
        """The verdicts about these episodes were undone."""
        self._decided.difference_update(ids)
        self.lists.show_changed(ids)

    def _dismiss(self, targets: Targets) -> None:
        dismissing = self.player.acts.dismiss(targets.ids)
        self.decided(targets.ids, dismissing)

        say_after(self.ui, dismissing, lambda dismissed: self.words(len(dismissed)))

    def words(self, dismissed: int) -> str:
        """A sentence about how many episodes were dismissed."""
        if not dismissed:
            played = self.ui.key_of("played")
            return _("Only episodes in New can be dismissed. {key}: mark as played", key=played)
        done = plural(dismissed, "Dismissed", "{n:,} episodes dismissed")
        return f"{done} {self.ui.glyphs.dot} {_('{key} undoes', key=self.ui.key_of('undo'))}"


class New(Protocol):
    """The list behind a page, which may be New; implemented by `NewList`."""

    @property
    def is_shown(self) -> bool: ...

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None, /) -> Episode | None: ...

    def take_back(self, ids: Sequence[EpisodeId], /) -> None: ...

    def words(self, dismissed: int, /) -> str: ...


class NeverNew:
    """A list without new episodes, such as a preview's; implements `New`."""

    is_shown = False

    def decided(self, _ids: Sequence[EpisodeId], _writing: "Future[Any] | None" = None) -> None:
        return None

    def take_back(self, _ids: Sequence[EpisodeId]) -> None:
        return None

    def words(self, _dismissed: int) -> str:
        return _("Not in New: you aren't subscribed to this podcast")


class PageUi(Ui, Protocol):
    """The page of an episode, which can turn to another episode."""

    @property
    def episode(self) -> Episode: ...

    def turn_to(self, episode: Episode, /) -> None: ...


class PageVerdicts:
    """Verdicts about the episode of a page. `inbox` is the list behind the page."""

    def __init__(self, player: Player, ui: PageUi, inbox: New) -> None:
        self._player = player
        self._ui = ui
        self._inbox = inbox

    @property
    def in_new(self) -> bool:
        """Whether New is the list behind the page."""
        return self._inbox.is_shown

    def dismiss(self) -> None:
        """Dismisses the page's episode. Over New, the page turns to the next episode, to which the list's cursor
        moves."""
        ids = [self._ui.episode.id]
        dismissing = self._player.acts.dismiss(ids)
        following = self._inbox.decided(ids, dismissing)

        if following is not None:
            self._ui.turn_to(following)
        say_after(self._ui, dismissing, lambda dismissed: self._inbox.words(len(dismissed)))

    def taken_back(self, ids: Sequence[EpisodeId]) -> None:
        """An action on these episodes was undone or redone: the list shows them. Over New, the page turns to the
        episode if it is a single one."""
        self._inbox.take_back(ids)
        if self.in_new and len(ids) == 1 and ids[0] != self._ui.episode.id:
            self._ui.in_background(partial(self._return_to, ids[0]), "taken back")

    async def _return_to(self, episode_id: EpisodeId) -> None:
        try:
            rows = await asyncio.to_thread(self._player.library.episodes.rows, [episode_id])
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
        else:
            for episode in rows:
                self._ui.turn_to(episode)
