"""Suspends Earmark, which gives the terminal back to the shell until `fg`."""

import asyncio
from collections.abc import Callable

from player.model.playback import ACTIVE, Cause
from player.player import Player

_SAVE_S = 1.0


async def suspend(player: Player, stop: Callable[[], None]) -> None:
    """`stop` stops the process, and returns after `fg`. The sound would stop with the process, so playback is paused
    first."""
    plays = player.status.state in ACTIVE
    if plays:
        await asyncio.wrap_future(player.session.pause(cause=Cause.RULE))
    await asyncio.to_thread(player.save_position, _SAVE_S)
    stop()
    if plays:
        player.session.resume(cause=Cause.RULE)
