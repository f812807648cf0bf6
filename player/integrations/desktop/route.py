"""Where the sound goes, and whether it goes elsewhere because headphones were unplugged."""

from collections.abc import Mapping

from msgspec import Struct, field

_EARS = ("headphone", "headset", "hands-free", "handsfree", "earpiece")
"""In the names of ports, as ALSA's profiles and BlueZ give them."""


class Sink(Struct, frozen=True):
    """A sound output of PulseAudio or PipeWire.

    `port` is the name of the socket in use, "" where it has none; `unplugged` are the names of those that are known to
    have nothing plugged in.
    """

    port: str = ""
    unplugged: frozenset[str] = frozenset()


class Route(Struct, frozen=True):
    """`sink` is the name of the output that Earmark's sound goes to, "" while there is none."""

    sink: str = ""
    sinks: Mapping[str, Sink] = field(default_factory=dict)


def lost(before: Route, after: Route) -> bool:
    """Whether the output that the sound went to is gone, or its headphones are unplugged.

    Who sends the sound elsewhere while they are still there wanted that, so nothing is lost.
    """
    if not before.sink:
        return False
    if before.sink not in after.sinks:
        return True
    port = before.sinks[before.sink].port if before.sink in before.sinks else ""
    return for_ears(port) and after.sinks[before.sink].port != port and port in after.sinks[before.sink].unplugged


def for_ears(port: str) -> bool:
    return any(word in port.lower() for word in _EARS)
