"""Offline mode: chosen by a key, or because the network is gone; the footer says so as long as it lasts. So it does
while syncing fails."""

from collections.abc import Callable

from player.player import Player
from player.text.sentences import _
from tui.controllers.ui import Ui

_LASTING = 3
"""After as many failures in a row, a minute and a half, syncing is said to fail."""


class OfflineController:
    """`stand` shows words as long as they hold; "" ends that."""

    def __init__(self, player: Player, ui: Ui, stand: Callable[[str], None]) -> None:
        self._network = player.network
        self._ui = ui
        self._stand = stand
        self._was_gone = False

    def toggle(self) -> None:
        """Offline; then with nothing in the lists but what can be played; then online again."""
        key = self._ui.key_of("offline")
        if not self._network.offline:
            self._network.choose(True)
            self._ui.say(_("Offline. {key} again lists only what can be played.", key=key))
        elif not self._network.only_here:
            self._network.choose(True, only_here=True)
            self._ui.say(_("Only what can be played is listed. {key} goes online.", key=key))
        else:
            self._network.choose(False)
            self._ui.say(_("Online"))

    @property
    def words(self) -> str:
        """For the footer; "" while Earmark is online and syncs, or isn't to sync."""
        if self._network.only_here:
            return _("offline {dot} playable only", dot=self._ui.glyphs.dot)
        if self._network.by_hand:
            return _("offline")
        return _("no network") if self._network.offline else self._sync_words

    @property
    def _sync_words(self) -> str:
        """Nothing about a failure that may have passed by the next try."""
        if self._network.sync_needs_login:
            return _("sync: sign in again")
        return _("sync fails") if self._network.sync_failures >= _LASTING else ""

    def show(self) -> None:
        """As it is, without a sentence."""
        self._was_gone = self._network.offline and not self._network.by_hand
        self._stand(self.words)

    def moved(self) -> None:
        """The network went or came back, or the listener chose otherwise; or syncing began to fail, or went well."""
        was_gone = self._was_gone
        self.show()
        if self._was_gone and not was_gone:
            self._ui.say(_("No network: refreshes and downloads wait until it is back"))
        elif was_gone and not self._network.offline:
            self._ui.say(_("The network is back"))
