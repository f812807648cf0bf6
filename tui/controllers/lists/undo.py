"""Undoes and redoes what was done with episodes and podcasts."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from player.library.listening.act_words import reverted_words
from player.model.acts import Reverted
from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.controllers.ui import Ui


class UndoController:
    """`show` reads the list again and puts its cursor on one of those episodes, if any is in it."""

    def __init__(self, player: Player, ui: Ui, show: Callable[[Sequence[EpisodeId]], None]) -> None:
        self._player = player
        self._ui = ui
        self._show = show

    def undo(self) -> None:
        self._wait(self._player.acts.undo(), _("Nothing to undo"))

    def redo(self) -> None:
        self._wait(self._player.acts.redo(), _("Nothing to redo"))

    def _wait(self, reverting: "Future[Reverted | None]", nothing: str) -> None:
        def done(ended: "Future[Reverted | None]") -> None:
            """Called on the thread that writes; a failure is published as a Notice."""
            if ended.cancelled() or ended.exception() is not None:
                return
            reverted = ended.result()
            if reverted is None:
                self._ui.call_later(self._ui.say, nothing)
            else:
                self._ui.call_later(self._reverted, reverted)

        reverting.add_done_callback(done)

    def _reverted(self, reverted: Reverted) -> None:
        self._ui.say(reverted_words(reverted))
        if reverted.episode_ids:
            self._show(reverted.episode_ids)
