"""Stars, played marks and downloads of the episodes that a key acts on; undoing and redoing that."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, TypeVar

from msgspec.structs import replace

from player.acts import Toggled
from player.events import Mark
from player.library.listening.acts import reverted_words
from player.model.episode import Episode, EpisodeId
from player.model.listening import Reverted
from player.player import Player
from player.text.sentences import _, plural
from tui.controllers.deleting import DownloadDeletion
from tui.controllers.lists.selection import Targets
from tui.controllers.ui import Ui, after

T = TypeVar("T")
Decided = Callable[[Sequence[EpisodeId], "Future[Any] | None"], object]
"""Episodes about which a key was a verdict, and its writing, where that hasn't ended."""


class MarksController:
    """`episodes` calls what it is given with the episodes that a key acts on, `older` with the selected one and those
    of the list; `put` shows a row as it is now. `decided` and `downloading` are called with those for which the key was
    a verdict, if they are new."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        episodes: Callable[[Callable[[Targets], object]], None],
        older: Callable[[Callable[[EpisodeId, Sequence[EpisodeId]], object]], None],
        put: Callable[[Episode], None],
        *,
        decided: Decided = lambda _ids, _writing: None,
        downloading: Callable[[Sequence[EpisodeId]], object] = lambda _ids: None,
    ) -> None:
        self._player = player
        self._ui = ui
        self._episodes = episodes
        self._older = older
        self._put = put
        self._decided = decided
        self._downloading = downloading
        self._deletion = DownloadDeletion(player, ui)

    def star(self) -> None:
        self._episodes(self._star)

    def played(self) -> None:
        self._episodes(self._mark_played)

    def download(self) -> None:
        self._episodes(self._download)

    def _star(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._put(replace(episode, starred=not episode.starred))
            marking = self._player.acts.set_starred([episode.id], not episode.starred)
            self._ui.say(_("Star removed") if episode.starred else _("Starred"))
            if not episode.starred:
                self._decided(targets.ids, marking)
        else:
            self._toggle(Mark.STARRED, targets.ids)

    def _mark_played(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._put(replace(episode, played=not episode.played))
            marking = self._player.acts.set_played([episode.id], not episode.played)
            self._ui.say(_("Marked as unplayed") if episode.played else _("Marked as played"))
            if not episode.played:
                self._decided(targets.ids, marking)
        else:
            self._toggle(Mark.PLAYED, targets.ids)

    def older_played(self) -> None:
        """What is older than the selected episode in the list."""
        self._older(self._mark_older)

    def _mark_older(self, episode_id: EpisodeId, ids: Sequence[EpisodeId]) -> None:
        def done(marked: list[EpisodeId]) -> None:
            if marked:
                self._say_changed(Mark.PLAYED, True, len(marked))
            else:
                self._ui.say(_("Nothing older in this list is unplayed"))

        after(self._ui, self._player.acts.mark_older_played(ids, episode_id), done)

    def _toggle(self, mark: Mark, ids: Sequence[EpisodeId]) -> None:
        def done(toggled: Toggled) -> None:
            self._say_changed(mark, toggled.on, len(toggled.ids))
            if toggled.on:
                self._decided(ids, None)

        after(self._ui, self._player.acts.toggle(mark, ids), done)

    def _say_changed(self, mark: Mark, on: bool, count: int) -> None:
        undo = _("{key} undoes", key=self._ui.key_of("undo"))
        self._ui.say(f"{changed_words(mark, on, count)} {self._ui.glyphs.dot} {undo}")

    def _download(self, targets: Targets) -> None:
        if (episode := targets.episode) is None:
            self._ask_to_download(targets.ids)
            return
        if episode.downloaded:
            self._deletion.delete([episode.id])
        elif self._player.downloads.is_downloading(episode.id):
            self._player.downloads.cancel(episode.id)
            self._ui.say(_("Download cancelled. The part already downloaded is kept for now."))
        else:
            self._player.download(episode.id)
            self._ui.say(_("Downloading “{title}”", title=episode.title))
            self._downloading(targets.ids)

    def _ask_to_download(self, ids: Sequence[EpisodeId]) -> None:
        """Those that are downloaded already stay as they are."""
        from tui.dialogs.confirm import ConfirmScreen

        def decided(yes: bool | None) -> None:
            if yes:
                for episode_id in ids:
                    self._player.download(episode_id)
                self._downloading(ids)
                self._ui.say(plural(len(ids), "Downloading {n:,} episode", "Downloading {n:,} episodes"))

        question = plural(len(ids), "Download {n:,} episode?", "Download {n:,} episodes?")
        detail = _("A few at a time, and after a restart too. Those you already have are skipped.")
        self._ui.push(ConfirmScreen(question, detail, _("download"), _("cancel"), title=_("Download")), decided)


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
        after(self._ui, reverting, lambda reverted: self._reverted(reverted) if reverted else self._ui.say(nothing))

    def _reverted(self, reverted: Reverted) -> None:
        self._ui.say(reverted_words(reverted))
        if reverted.episode_ids:
            self._show(reverted.episode_ids)
