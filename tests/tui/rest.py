"""When a Textual app in a test has done all that it can do by itself."""

import asyncio
from typing import Any

from textual._context import active_app
from textual.pilot import Pilot


async def rest(min_sleep: float = 0, max_sleep: float = 0) -> None:
    """Returns when the app at hand waits: no message is under way, no callback due, no frame to be drawn.

    It stands in for Textual's own `wait_for_idle`, which sleeps for 20 ms until a slice took next to no processor
    time, twice a key: slow where all is done in one, and no answer where a thread is late. What threads and timers
    bring is to be waited for by what it brings about.
    """
    app = active_app.get()
    await _nothing_due()
    while _on_the_beat(app):
        await _nothing_due()


_wait_for_screen = Pilot._wait_for_screen


async def wait_for_screen(pilot: Pilot[Any], timeout: float = 30.0) -> bool:
    """Returns when no widget is in the middle of a message.

    It stands in for the pilot's own, which has every widget answer a message, four times a key. Once nothing is due,
    nearly always all of them wait for one.
    """
    await _nothing_due()
    app = pilot.app
    pumps = [app, *app.screen.walk_children(with_self=True)] if app.screen_stack else []
    if pumps and all(pump._message_queue.ready_event._waiters for pump in pumps):
        return True
    return await _wait_for_screen(pilot, timeout)


async def _nothing_due() -> None:
    """Two rounds of the loop with nothing in them: the first may yet have set a timer of no length."""
    loop: Any = asyncio.get_running_loop()
    empty = 0
    while empty < 2:
        await asyncio.sleep(0)
        empty = 0 if loop._ready else empty + 1


def _on_the_beat(app: Any) -> bool:
    """Does now what Textual puts off to the next 60th or 120th of a second; whether there was anything."""
    if not app.is_running or not app._screen_stack:
        return False
    if app._resize_timer:
        app._check_resize()
        return True
    if app._batch_count or not app.screen._update_timer._active.is_set():
        return False
    app.screen._on_timer_update()
    return True
