"""Media that needs no fetching: the built-in podcast, and episodes whose bytes aren't available."""

from collections.abc import Callable

from player.errors import MediaError
from player.media.available import version_of_data
from player.media.formats import sniff as formats
from player.media.formats.audio_length import duration_ms
from player.media.protocol import never


class BuiltInMedia:
    """Bytes in memory; implements player.media.protocol.Media."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.version = version_of_data(data)
        self._cancelled = False
        self.size = len(data)
        self.seekable = True
        self.format = formats.sniff(data[: formats.HEAD])
        self.duration_ms = duration_ms(self._part, len(data), complete=True)
        self.cached = ((0.0, 1.0),)
        self.complete = True
        self.reached_end = False
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self.stream = ""

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        if self._cancelled or given_up():
            raise MediaError("Reading was stopped")
        data = self._part(offset, count)
        self.reached_end = offset + len(data) >= len(self._data)
        return data

    def available(self, offset: int, count: int) -> bytes:
        return self._part(offset, count)

    def wake(self) -> None: ...

    def cancel(self) -> None:
        self._cancelled = True

    def close(self) -> None:
        self.cancel()

    def _part(self, offset: int, count: int) -> bytes:
        return self._data[offset : offset + count]


class NoMedia:
    """An episode whose bytes aren't available: every read says why."""

    def __init__(self, error: MediaError) -> None:
        self.error: MediaError | None = error
        self.trouble: MediaError | None = None
        self.stream = self.version = ""
        self._why = error
        self.size: int | None = None
        self.seekable = False
        self.duration_ms: int | None = None
        self.cached: tuple[tuple[float, float], ...] = ()
        self.complete = False
        self.reached_end = False

    @property
    def format(self) -> str:
        raise self._why

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:  # noqa: ARG002
        raise self._why

    def available(self, offset: int, count: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self) -> None: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...
