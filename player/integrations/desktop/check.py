"""Whether media keys can work here, for `earmark doctor`. It takes no name, and tells no program that it was here."""

import asyncio
import os
import sys
from collections.abc import Mapping

from player.integrations.desktop.media_keys import bus_address
from player.text.sentences import _

_PATIENCE_S = 2.0


def obstacle(environ: Mapping[str, str] = os.environ) -> str:
    """Why there are none, in words for a line; "" if they work."""
    if sys.platform != "linux":
        return _("none; they need Linux")
    try:
        from dbus_fast import DBusFastError
        from dbus_fast.aio import MessageBus

        from player.integrations.desktop.presence import ended
    except ImportError:
        return _("none; the Python package dbus-fast is missing")
    address = bus_address(environ)
    if not address:
        return _("none; there is no D-Bus session here, as is usual over SSH and in containers")

    async def connect() -> None:
        async with asyncio.timeout(_PATIENCE_S):
            bus = await MessageBus(bus_address=address).connect()
        bus.disconnect()
        await ended(bus)

    try:
        asyncio.run(connect())
    except TimeoutError:
        return _("none; the D-Bus session doesn't answer")
    except (OSError, EOFError, DBusFastError) as error:
        return _("none; the D-Bus session can't be reached: {error}", error=str(error) or type(error).__name__)
    return ""
