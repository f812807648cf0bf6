"""Asks for transcripts, and has a way to make them set up first."""

from collections.abc import Callable, Sequence

from player.model.episode import EpisodeId
from player.player import Player
from player.text.sentences import plural
from tui.controllers.ui import Ui, after


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
