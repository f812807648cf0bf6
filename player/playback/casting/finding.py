"""Finds devices on the local network: all of them for a list, or one that was chosen."""

import logging
import socket
from collections.abc import Callable
from concurrent.futures import wait

from player.errors import NoSoundDevice
from player.net.surroundings import is_inside_ip
from player.playback.casting.device import FoundDevice
from player.playback.casting.kinds import device_kinds
from player.playback.outputs import FoundOutput, SoundOutput
from player.processes.python_child import with_pip
from player.processes.threads import on_own_thread
from player.text.cleaning import fold
from player.text.sentences import _

log = logging.getLogger(__name__)

SEARCH_S = 4.0
"""Devices answer within a second or two; UPnP lets them wait as long as they are told to."""
_LATE_S = 2.0
"""How much longer than it should a search may take before it isn't waited for."""
MOST = 100
"""Devices that are listed."""


def can_cast() -> bool:
    """Whether the libraries for any kind of device are installed."""
    return bool(device_kinds())


def how_to_cast() -> str:
    """A sentence for listeners who look for devices and have no libraries for them."""
    return _("To play on Chromecasts and DLNA devices: {command}", command=with_pip("earmark[cast]"))


def find_devices() -> tuple[FoundOutput, ...]:
    """All devices that answer, by name. Waits for them, about four seconds."""
    found: dict[SoundOutput, FoundDevice] = {}

    def add(device: FoundDevice) -> bool:
        found[device.output] = device
        return len(found) >= MOST

    _search(tuple(device_kinds()), add)
    by_name = sorted(found.copy().values(), key=lambda one: (fold(one.name), one.title, one.output.device))
    return tuple(FoundOutput(one.output, one.title) for one in by_name)


def find_device(wanted: SoundOutput, name: str, stopped: Callable[[], bool]) -> FoundDevice:
    """The device of that output; the first that answers if it names none. `name`: what it is called if it doesn't
    answer. Raises NoSoundDevice."""
    found: list[FoundDevice] = []

    def is_it(device: FoundDevice) -> bool:
        if wanted.device in ("", device.output.device):
            found.append(device)
        return bool(found) or stopped()

    if wanted.output not in device_kinds():
        raise NoSoundDevice(_("Earmark can't play on “{device}” here", device=name), how_to_cast())
    _search((wanted.output,), is_it)
    if not found:
        raise NoSoundDevice(
            _("“{device}” isn't on the network", device=name), _("Switch it on, or choose another sound output.")
        )
    return found[0]


def _search(kinds: tuple[str, ...], found: Callable[[FoundDevice], bool]) -> None:
    """Asks for all kinds at once. A device that says it is elsewhere on the internet isn't one."""
    if not kinds or not (here := addresses()):
        return

    def found_inside(device: FoundDevice) -> bool:
        return is_inside_ip(device.host) and found(device)

    def search(kind: str) -> None:
        try:
            device_kinds()[kind].find(here, SEARCH_S, found_inside)
        except Exception as error:  # noqa: BLE001
            # These libraries raise whatever they come across: a network that is gone, packets that make no sense.
            log.warning("looking for %s failed: %r", kind, error)

    wait([on_own_thread(lambda kind=kind: search(kind), f"earmark-{kind}") for kind in kinds], SEARCH_S + _LATE_S)  # type: ignore[misc]


def addresses() -> tuple[str, ...]:
    """The IPv4 addresses of this computer on its networks."""
    import ifaddr

    found = (str(one.ip) for adapter in ifaddr.get_adapters() for one in adapter.ips if one.is_IPv4)
    return tuple(one for one in found if not one.startswith("127."))


def address_towards(host: str) -> str:
    """The address of this computer on the network where `host` is. Sends nothing. Raises OSError."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((host, 9))
        return str(probe.getsockname()[0])
