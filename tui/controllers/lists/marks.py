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

    def transcribe(self) -> None:
        self._targets.episodes(self._transcribe)

    def _star(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._targets.put(replace(episode, starred=not episode.starred))
            marking = self._player.acts.set_starred([episode.id], not episode.starred)
            self._ui.say(_("Star removed") if episode.starred else _("Star added"))
            if not episode.starred:
                self._targets.decided(targets.ids, marking)
        else:
            self._toggle(Mark.STARRED, targets.ids)

    def _mark_played(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._targets.put(replace(episode, played=not episode.played))
            marking = self._player.acts.set_played([episode.id], not episode.played)
            self._ui.say(_("Marked as unplayed") if episode.played else _("Marked as played"))
            if not episode.played:
                self._targets.decided(targets.ids, marking)
        else:
            self._toggle(Mark.PLAYED, targets.ids)

    def older_played(self) -> None:
        """Marks as played the episodes of the list that are older than the selected one."""
        self._targets.with_list(self._mark_older)

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
                self._targets.decided(ids)

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
            self._targets.downloading(targets.ids)

    def _transcribe(self, targets: Targets) -> None:
        """Puts them into the queue of downloads and transcripts, or takes a single one out of it. Without anything that
        makes transcripts, it is set up first."""
        episode = targets.episode
        if episode is not None and self._player.downloads.is_transcribing(episode.id):
            self._player.downloads.cancel(episode.id)
            self._ui.say(_("Transcript cancelled. What is done of it is kept."))
        else:
            transcribe(self._player, self._ui, targets.ids)

    def _ask_to_download(self, ids: Sequence[EpisodeId]) -> None:
        """Asks before several episodes are downloaded. Episodes that are downloaded already stay as they are."""
        from tui.dialogs.confirm import ConfirmScreen

        def decided(yes: bool | None) -> None:
            if yes:
                for episode_id in ids:
                    self._player.download(episode_id)
                self._targets.downloading(ids)
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
