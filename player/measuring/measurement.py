"""The definition of a kind of measurement, and the audio that is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from av import AudioFrame

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Audio(Struct, frozen=True):
    """The bytes of an episode: `data`, or the `spans` of the file at `path` that are available, as (from, to) in bytes.

    `size` is the size of the whole file, None if it isn't known; `duration_ms` is the stated duration of the episode.
    The path is in the encoding of the file system.
    """

    path: bytes
    spans: tuple[tuple[int, int], ...]
    size: int | None
    duration_ms: int | None
    data: bytes = b""

    @property
    def reach(self) -> int:
        """The number of bytes that are available from the start on."""
        return len(self.data) or next((end for start, end in self.spans if start <= 0 < end), 0)


class Meter(Protocol[T_co]):
    """Hears an episode once, from its start to the end of its available bytes, in the process that decodes."""

    def hear(self, frame: AudioFrame, at_ms: float) -> None:
        """Takes the next piece of audio, which begins at `at_ms`. Its samples are as the decoder made them."""
        ...

    def result(self) -> T_co | None:
        """None if too little was heard."""
        ...


class Measurement(Struct, Generic[T], frozen=True):
    """`result` is the class of the result, which msgpack can encode. `name` identifies the measurement on the disk: it
    changes when the same audio would be measured differently. `meter` gets the duration of the episode, in ms, or None.
    `all_of_it`: whether the meter hears every piece; three in sixteen of a long episode take a third of the time."""

    name: str
    result: type[T]
    meter: Callable[[int | None], Meter[T]]
    all_of_it: bool = False
