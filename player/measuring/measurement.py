"""What a kind of measurement is, and the audio that it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from av import AudioFrame

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Audio(Struct, frozen=True):
    """The bytes of an episode: `data`, or what of the file at `path` is there, as (from, to) in bytes.

    `size` is that of the whole file, None if it isn't known; `duration_ms` is what the episode is said to last. The
    path is as the file system has it.
    """

    path: bytes
    spans: tuple[tuple[int, int], ...]
    size: int | None
    duration_ms: int | None
    data: bytes = b""

    @property
    def reach(self) -> int:
        """How many bytes are there from the start on."""
        return len(self.data) or next((end for start, end in self.spans if start <= 0 < end), 0)


class Meter(Protocol[T_co]):
    """Hears an episode once, from its start to where its bytes end; in the process that decodes."""

    def hear(self, frame: AudioFrame, at_ms: float) -> None:
        """The next piece of audio, which begins at `at_ms`. Its samples are as the decoder made them."""
        ...

    def result(self) -> T_co | None:
        """None if what was heard is too little."""
        ...


class Measurement(Struct, Generic[T], frozen=True):
    """`result` is the class of what is measured; msgpack can say its values. `name` stands for it on the disk: it
    changes when the same audio would be measured otherwise. `meter` is given what the episode lasts, in ms, or None.

    `all_of_it`: whether the meter hears every piece; three in sixteen of a long episode take a third of the time.
    """

    name: str
    result: type[T]
    meter: Callable[[int | None], Meter[T]]
    all_of_it: bool = False
