"""The app is left, and what plays goes on in the background."""

import asyncio

from player.background.detaching import Detaching
from player.model.playback import Severity
from player.player import Player
from player.text.sentences import _
from tui.controllers.ui import Ui

_PATIENCE_S = 10.0


async def detach(player: Player, ui: Ui) -> None:
    """Returns when the app is about to end, or when it says why it doesn't."""
    if player.services.giver.expects:
        return
    detaching = Detaching(player)
    if not detaching.plays:
        ui.say(_("Nothing is playing. {key} quits", key=ui.key_of("quit")))
        return
    ui.say(_("Starting the background player, which plays on"))
    problem = await asyncio.to_thread(detaching.run, _PATIENCE_S)
    if problem is not None:
        player.notify(_("Playback continues here. {problem}", problem=problem), Severity.WARNING)
