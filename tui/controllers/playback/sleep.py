"""The keys of the sleep timer."""

from player.model.playback import PlaybackStatus
from player.model.sleep import SleepChoice
from player.playback.outcomes import Done
from player.player import Player
from player.text.sentences import _
from tui.controllers.playback.playback import PlaybackController
from tui.controllers.ui import Ui
from tui.drawing.sleep import choice_words, left_words


class SleepController:
    """`playback` shows the outcome of each command."""

    def __init__(self, player: Player, ui: Ui, playback: PlaybackController) -> None:
        self._player = player
        self._ui = ui
        self._playback = playback

    def open(self) -> None:
        """Opens the sleep timer's dialog."""
        from tui.dialogs.sleep import SleepScreen

        session = self._player.session
        self._ui.push(
            SleepScreen(self._status, session.chapters, session.last_sleep, self.longer, self._ui.key_of("sleep")),
            self._answered,
        )

    def longer(self) -> None:
        self._playback.show(self._player.session.sleep_longer(), _longer)

    def off(self) -> None:
        self._playback.show(self._player.session.sleep_off(), lambda _done: _("Sleep timer off"))

    def stop_after(self) -> None:
        """Ends the sound after this episode; pressed again, doesn't."""
        self._playback.show(self._player.session.stop_after(), _stops)

    def _status(self) -> PlaybackStatus:
        return self._player.status

    def _answered(self, answer: "SleepChoice | str | None") -> None:
        if isinstance(answer, SleepChoice):
            words = _("Sleep timer: {what}", what=choice_words(answer))
            self._playback.show(self._player.session.sleep(answer), lambda _done: words)
        elif answer is not None:
            self.off()


def _longer(done: Done) -> str:
    return _("Sleep timer: {left} left", left=left_words(done.status.sleep))


def _stops(done: Done) -> str:
    if done.status.sleep.stops_after:
        return _("Stops after this episode")
    return _("Continues after this episode")
