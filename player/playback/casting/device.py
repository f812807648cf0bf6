"""What a device on the network is to the engine: how it is found, told what to do, and asked what it does."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Protocol

from msgspec import Struct

from player.playback.outputs import SoundOutput


class FoundDevice(Struct, frozen=True):
    """A device that answered. `output` names it among the sound outputs, for good; `name` is its name for people, or
    its room, and `title` says what it is as well. `host` is its IP address, `port` the port or `location` the address
    where it takes commands."""

    output: SoundOutput
    name: str
    title: str
    host: str
    port: int = 0
    location: str = ""


class DeviceFailed(Exception):
    """The device didn't answer in time, or not as it should. `lasting`: the connection is lost, or the device refuses
    for good, so that there is no use in asking again."""

    def __init__(self, what: str, *, lasting: bool = False) -> None:
        super().__init__(what)
        self.lasting = lasting


class Playable(Struct, frozen=True):
    """What a device is to play: its address on this computer, its type, and its title for the device's own display.
    `size` in bytes and `duration_ms`, where they are known."""

    url: str
    content_type: str
    title: str
    size: int | None = None
    duration_ms: int | None = None


class DeviceState(Enum):
    """What a device says it does."""

    OPENING = auto()
    """It fetches bytes, or was told nothing yet."""
    PLAYING = auto()
    BUFFERING = auto()
    PAUSED = auto()
    ENDED = auto()
    """It played to the end."""
    STOPPED = auto()
    """It has stopped, at the end or before."""
    FAILED = auto()
    """It can't play this."""
    TAKEN = auto()
    """It plays something else."""


class Reading(Struct, frozen=True):
    """What a device says, as far as that has the right type: nothing of it is believed yet. `position_s` is in
    seconds, rounded down to the device's steps; `level` is its volume, from 0 to 1."""

    state: DeviceState
    position_s: float | None = None
    duration_s: float | None = None
    level: float | None = None


class Device(Protocol):
    """A device that is connected. For one thread. Each method waits for the device, for a few seconds at most, and
    raises DeviceFailed."""

    slowest: float
    fastest: float
    """The speeds that it can play at."""
    step_ms: int
    """What its positions are rounded down to, in ms."""

    def load(self, what: Playable, start_s: float) -> None:
        """Plays that in place of anything else."""
        ...

    def play(self) -> None: ...

    def pause(self) -> None: ...

    def seek(self, position_s: float) -> None: ...

    def set_speed(self, speed: float) -> None: ...

    def set_level(self, level: float) -> None:
        """The volume of the device itself, from 0 to 1."""
        ...

    def read(self) -> Reading:
        """Asks it what it does."""
        ...

    def stop(self) -> None:
        """Ends the sound; the device is ready for another episode."""
        ...

    def close(self) -> None:
        """Leaves it as it was before; never raises."""
        ...


class DeviceKind(Struct, frozen=True):
    """A kind of device: `title` for people, and the modules that it `needs` from the extra.

    `find` asks all of the network for devices through each of this computer's `addresses`, for that many seconds or
    until `found` returns True. `connect` raises DeviceFailed.
    """

    title: str
    needs: Sequence[str]
    find: Callable[[Sequence[str], float, Callable[[FoundDevice], bool]], None]
    connect: Callable[[FoundDevice], Device]
