"""Stars, played marks and downloads of the episodes that a key acts on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from player.model.episode import Episode, EpisodeId
from player.player import Player
from player.text.sentences import _
from tui.controllers.lists.selection import Targets
from tui.controllers.ui import Ui


class MarksController:
    """`episodes` calls what it is given with the episodes that a key acts on; `put` shows a row as it is now. `decided`
    and `downloading` are called with those for which the key was a verdict, if they are new."""

    def __init__(
        self,
        player: Player,
        ui: Ui,
        episodes: Callable[[Callable[[Targets], object]], None],
        put: Callable[[Episode], None],
        *,
        decided: Callable[[Sequence[EpisodeId]], object] = lambda _ids: None,
        downloading: Callable[[Sequence[EpisodeId]], object] = lambda _ids: None,
    ) -> None:
        self._player = player
        self._ui = ui
        self._episodes = episodes
        self._put = put
        self._decided = decided
        self._downloading = downloading

    def star(self) -> None:
        self._episodes(self._star)

    def played(self) -> None:
        self._episodes(self._mark_played)

    def download(self) -> None:
        self._episodes(self._download)

    def _star(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._put(replace(episode, starred=not episode.starred))
            self._player.acts.set_starred([episode.id], not episode.starred)
            self._ui.say(_("Star removed") if episode.starred else _("Starred"))
            if not episode.starred:
                self._decided(targets.ids)

    def _mark_played(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._put(replace(episode, played=not episode.played))
            self._player.acts.set_played([episode.id], not episode.played)
            self._ui.say(_("Marked as unplayed") if episode.played else _("Marked as played"))
            if not episode.played:
                self._decided(targets.ids)

    def _download(self, targets: Targets) -> None:
        if (episode := targets.episode) is None:
            return
        if episode.downloaded:
            self._ask_to_delete(episode)
        elif self._player.downloads.is_downloading(episode.id):
            self._player.downloads.cancel(episode.id)
            self._ui.say(_("Download cancelled. The part already downloaded is kept for now."))
        else:
            self._player.download(episode.id)
            self._ui.say(_("Downloading “{title}”", title=episode.title))
            self._downloading(targets.ids)

    def _ask_to_delete(self, episode: Episode) -> None:
        from tui.dialogs.confirm import ConfirmScreen

        def decided(yes: bool | None) -> None:
            if yes:
                self._player.delete_download(episode.id)
                self._ui.say(_("Download deleted"))

        question = _("Delete the downloaded file of “{title}”?", title=episode.title)
        self._ui.push(ConfirmScreen(question, _("You can download it again."), _("delete"), _("cancel")), decided)
