"""Stars, played marks and downloads of the episodes that a key acts on; undo and redo."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TypeVar

from msgspec.structs import replace

from player.acts import Toggled
from player.events import Mark
from player.library.listening.acts import reverted_words
from player.model.episode import EpisodeId
from player.model.listening import Reverted
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.deleting import DownloadDeletion
from tui.controllers.lists.selection import EpisodeTargets, Targets
from tui.controllers.transcribing import transcribe
from tui.controllers.ui import Ui, after

T = TypeVar("T")


class MarksController:
    def __init__(self, player: Player, ui: Ui, targets: EpisodeTargets) -> None:
        self._player = player
        self._ui = ui
        self._targets = targets
        self._deletion = DownloadDeletion(player, ui)

    def star(self) -> None:
        self._targets.episodes(self._star)

    def played(self) -> None:
        self._targets.episodes(self._mark_played)

    def download(self) -> None:
        self._targets.episodes(self._download)

    def changed_words(mark: Mark, on: bool, count: int) -> str:
    match mark, on:
        case Mark.PLAYED, True:
            return plural(count, "Marked {n:,} episode as played", "Marked {n:,} episodes as played")
        case Mark.PLAYED, False:
            return plural(count, "Marked {n:,} episode as unplayed", "Marked {n:,} episodes as unplayed")
        case Mark.STARRED, True:
            return plural(count, "Starred {n:,} episode", "Starred {n:,} episodes")
        case _:
            return plural(count, "Removed {n:,} star", "Removed {n:,} stars")


class UndoController:
    def __init__(self, player: Player, ui: Ui, targets: EpisodeTargets) -> None:
        self._player = player
        self._ui = ui
        self._targets = targets

    def undo(self) -> None:
        self._wait(self._player.acts.undo(), _("Nothing to undo"))

    def redo(self) -> None:
        self._wait(self._player.acts.redo(), _("Nothing to redo"))

    def _wait(self, reverting: "Future[Reverted | None]", nothing: str) -> None:
        after(self._ui, reverting, lambda reverted: self._reverted(reverted) if reverted else self._ui.say(nothing))

    def _reverted(self, reverted: Reverted) -> None:
        self._ui.say(reverted_words(reverted))
        if reverted.episode_ids:
            self._targets.take_back(reverted.episode_ids)
