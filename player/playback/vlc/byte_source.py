"""Hands a Media to libvlc as the four C callbacks it reads bytes through; libvlc's events and demuxers."""

import ctypes
import logging
import time
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any, Protocol

from player.errors import MediaError
from player.media.formats.ogg import BEGINS, Link
from player.playback.effects.decoder import FORMATS
from player.text.sentences import _

log = logging.getLogger(__name__)

_UNKNOWN_SIZE = 2**64 - 1
_CHUNK = 128 * 1024
"""libvlc asks for megabytes at once; shorter reads let it stop sooner."""

_Open = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint64)
)
_Read = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
_Seek = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64)
_Close = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Bytes(Protocol):
    """A Media, or the bytes of a live stream."""

    @property
    def size(self) -> int | None: ...

    @property
    def seekable(self) -> bool: ...

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes: ...

    def wake(self) -> None: ...


class Linked:
    """The bytes of a Media; of a chained Ogg file those of one link, which ends where the next begins. `end` is the
    byte behind it, None while that isn't known."""

    def __init__(self, media: Bytes, link: Link | None) -> None:
        self._media = media
        self._link = link
        self.end = link.end if link else None

    @property
    def size(self) -> int | None:
        return self.end or self._media.size

    @property
    def seekable(self) -> bool:
        return self._media.seekable

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes:
        data, link = self._media.read(offset, count, given_up), self._link
        # Another link may begin anywhere.
        if link is not None and (begins := data.find(BEGINS, max(0, link.head_end - offset))) >= 0:
            self.end = min(self.end or offset + begins, offset + begins)
        return data if self.end is None else data[: max(0, self.end - offset)]

    def wake(self) -> None:
        self._media.wake()


class ByteSource:
    """Holds the callbacks: it must outlive every player that reads from them.

    The callbacks run in libvlc's threads. An error in a callback is stored in `error`. libvlc gets the bytes from
    `start` on as if they were a whole file, or (not `sized`) as a stream of unknown length.
    """

    def __init__(
        self,
        media: Bytes,
        start: int = 0,
        *,
        sized: bool = True,
        reaches: Callable[[int], bool] = lambda _offset: True,
        paced: bool = True,
        held: bool = False,
    ) -> None:
        """`reaches`: whether the bytes from an offset on can be read.

        Unless `paced`, they are played as they arrive, at speed 1 only. `held`: libvlc doesn't begin before `let_open`
        is called.
        """
        self.error: MediaError | None = None
        self._media = media
        self._start = start
        self._sized = sized
        self._reaches = reaches
        self._paced = paced
        self.at_end = False
        """Whether the last read found no more bytes."""
        self._offset = 0
        self._given_up = False
        self._may_open = Event()
        if not held:
            self._may_open.set()
        self._waiting_since: float | None = None
        self._callbacks = (_Open(self._open), _Read(self._read), _Seek(self._seek), _Close(self._close))

    def new_media(self, vlc: Any, instance: Any) -> Any:
        """A libvlc media that reads from here; None if libvlc refuses. `vlc` is python-vlc's module."""
        kinds = (vlc.MediaOpenCb, vlc.MediaReadCb, vlc.MediaSeekCb, vlc.MediaCloseCb)
        callbacks = [ctypes.cast(callback, kind) for callback, kind in zip(self._callbacks, kinds, strict=True)]
        if not self._paced:
            # This is how libvlc 3 accepts a source without a seek callback.
            callbacks[2] = vlc.MediaSeekCb()
        return vlc.libvlc_media_new_callbacks(instance, *callbacks, None)

    def let_open(self) -> None:
        """Call this once the player has all its settings."""
        self._may_open.set()

    def give_up(self) -> None:
        """Ends the current read at once, and all later ones."""
        self._given_up = True
        self._may_open.set()
        self._media.wake()

    def waited(self, now: float) -> float:
        """How many seconds the current read has waited for bytes by `now` (monotonic)."""
        since = self._waiting_since
        return 0.0 if since is None else now - since

    def _open(self, _opaque: int, _data: Any, size: Any) -> int:
        self._may_open.wait()
        self._offset = self._start
        # If libvlc knows the size, it first looks at the file's end: without range requests, that waits for the whole
        # file.
        known = self._media.size if self._sized and self._media.seekable else None
        size[0] = _UNKNOWN_SIZE if known is None else max(0, known - self._start)
        return 0

    def _read(self, _opaque: int, buffer: int, count: int) -> int:
        data = self._read_bytes(min(count, _CHUNK))
        if data is None:
            return -1
        self.at_end = not data
        ctypes.memmove(buffer, data, len(data))
        self._offset += len(data)
        return len(data)

    def _seek(self, _opaque: int, offset: int) -> int:
        if not self._reaches(self._start + offset):
            return -1
        self._offset = self._start + offset
        return 0

    def _close(self, _opaque: int) -> None:
        pass

    def _read_bytes(self, count: int) -> bytes | None:
        self._waiting_since = time.monotonic()
        try:
            return self._media.read(self._offset, count, lambda: self._given_up)
        except MediaError as error:
            self.error = error
        except Exception as error:
            # An exception must not pass through C.
            log.exception("reading an episode's bytes failed")
            self.error = MediaError(
                _("Reading the episode failed ({kind})", kind=type(error).__name__), _("See the log.")
            )
        finally:
            self._waiting_since = None
        return None


Handlers = Mapping[int, Callable[[Any], None]]


def attach(vlc: Any, player: Any, handlers: Handlers) -> Callable[[], None]:
    """Calls a handler for each event of its kind, on a thread of libvlc's.

    Returns a handle that detaches it; keep a reference to it until then.

    python-vlc's EventManager isn't used, because it keeps every player it ever saw.
    """

    @vlc.CallbackDecorators.Callback  # type: ignore[untyped-decorator]
    def on_event(event: Any, _data: int) -> None:
        try:
            found = event.contents
            handlers[found.type.value](found)
        except Exception:
            log.exception("an event of libvlc's failed")

    manager = vlc.libvlc_media_player_event_manager(player)
    for kind in handlers:
        vlc.libvlc_event_attach(manager, kind, on_event, None)

    def detach() -> None:
        for kind in handlers:
            vlc.libvlc_event_detach(manager, kind, on_event, None)

    return detach


_OWN = {"mp3": "mpga", "matroska": "mkv", "mpegts": "ts"}
"""libvlc's own demuxers, where their names aren't those of the formats."""

_NOTHING_ELSE = (
    ":no-sub-autodetect-file",
    ":no-mkv-preload-local-dir",
    ":no-metadata-network-access",
    ":input-slave=",
    ":sub-file=",
)


def demuxer_options(form: str, *, own_first: bool = False) -> tuple[str, ...]:
    """Options of a libvlc media, for one of formats.FORMATS or `mpegts`.

    `own_first`: prefer libvlc's demuxer to FFmpeg's.
    """
    format_of_ffmpeg, own = FORMATS[form], _OWN.get(form, form)
    names = (own, "avformat") if own_first else ("avformat", own)
    return (f":demux={','.join(names)}", f":avformat-format={format_of_ffmpeg}", *_NOTHING_ELSE)
