"""Asks for transcripts, and has a way to make them set up first."""

from collections.abc import Callable, Sequence

from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import plural
from tui.controllers.ui import Ui, after


def transcribe(self) -> None:
        self._targets.episodes(self._transcribe)

    def _star(self, targets: Targets) -> None:
        if (episode := targets.episode) is not None:
            self._targets.put(replace(episode, starred=not episode.starred))
            marking = self._player.acts.set_starred([episode.id], not episode.starred)
            self._ui.say(_("Star removed") if episode.starred else _("Starred"))
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


def transcribe(
    player: Player,
    ui: Ui,
    ids: Sequence[EpisodeId],
    *,
    first: bool = False,
    then: Callable[[], object] = lambda: None,
) -> None:
    """`first`: now, before others. `then` is called once they are in the queue."""

    def asked(_added: list[EpisodeId]) -> None:
        ui.say(plural(len(ids), "To be transcribed: it is listed in Downloads", "To be transcribed: {n:,} episodes"))
        then()

    def begin() -> None:
        after(ui, player.downloads.transcribe(ids, first=first), asked)

    def set_up(saved: bool | None) -> None:
        if saved:
            begin()

    if player.services.transcriber.is_set_up:
        begin()
    else:
        from tui.dialogs.transcribing import TranscribingScreen

        ui.push(TranscribingScreen(player), set_up)
