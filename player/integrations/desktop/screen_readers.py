"""Finds out whether a screen reader runs on this computer."""

import asyncio
import logging
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from player.integrations.desktop.media_keys import bus_address
from player.text.sentences import _

log = logging.getLogger(__name__)

_OWN, _OF_ALL = {"orca": "Orca"}, {"brltty": "BRLTTY", "espeakup": "Speakup", "speechd-up": "Speakup"}
"""The screen readers of this user and of the computer, by the names of their processes."""
_SYNTH = "sys/accessibility/speakup/synth"
"""The kernel's file with the synthesizer that Speakup uses."""
_SILENT = ("", "none", "(null)")
_PATIENCE_S = 3.0


def running(environ: Mapping[str, str] = os.environ, root: Path = Path("/")) -> str:
    """The name of a screen reader that runs; "" if none is found. Reads the process table and asks the session bus, so
    call it on a thread of its own."""
    if sys.platform != "linux":
        return ""
    return _of_kernel(root) or _of_processes(root / "proc") or _of_bus(environ)


def _of_kernel(root: Path) -> str:
    with suppress(OSError, ValueError):
        if (root / _SYNTH).read_text(encoding="ascii").strip() not in _SILENT:
            return "Speakup"
    return ""


def _of_processes(table: Path) -> str:
    names = _OWN | _OF_ALL
    with suppress(OSError):
        for process in table.iterdir():
            if not process.name.isdigit():
                continue
            with suppress(OSError, ValueError):  # it has ended meanwhile
                name = (process / "comm").read_text(encoding="utf-8").strip()
                if name in _OF_ALL or (name in _OWN and process.stat().st_uid == os.getuid()):
                    return names[name]
    return ""


def _of_bus(environ: Mapping[str, str]) -> str:
    """Asks AT-SPI's bus launcher, without starting it, whether a screen reader is switched on."""
    if not (address := bus_address(environ)):
        return ""
    try:
        return _("A screen reader") if asyncio.run(asyncio.wait_for(_is_enabled(address), _PATIENCE_S)) else ""
    except Exception as error:  # noqa: BLE001 - without a bus that answers, nothing is known
        log.debug("no screen reader was found on the session bus: %s", error)
        return ""


async def _is_enabled(address: str) -> bool:
    from dbus_fast import Message, MessageFlag, MessageType, Variant
    from dbus_fast.aio import MessageBus

    from player.integrations.desktop.presence import PROPERTIES, hang_up

    bus = await MessageBus(bus_address=address).connect()
    try:
        answer = await bus.call(
            Message(
                destination="org.a11y.Bus",
                path="/org/a11y/bus",
                interface=PROPERTIES,
                member="Get",
                signature="ss",
                body=["org.a11y.Status", "ScreenReaderEnabled"],
                flags=MessageFlag.NO_AUTOSTART,
            )
        )
    finally:
        await hang_up(bus)
    value = answer.body[0] if answer is not None and answer.message_type is MessageType.METHOD_RETURN else None
    return isinstance(value, Variant) and value.value is True
