"""Live streams: how they are recognised, and their bytes as they come: an endless response (Icecast), the segments of
HLS, or the stream that a playlist names.

A stream is live by its type or by the server's response: a playlist (HLS, RFC 8216; M3U; PLS), or Icecast's `icy-`
headers without a length. Nothing of it is cached. An engine gets all of a live stream from here: libvlc itself
opens no address.
"""

import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from player.errors import MediaError
from player.links.addresses import RADIO_TYPE
from player.links.urls import origin, web_address
from player.media.fetching import hls
from player.media.fetching.hls import is_hls
from player.media.fetching.media_errors import Failure
from player.media.fetching.range_request import ByteRange, Connection
from player.media.formats.sniff import HEAD, names_other_files, no_audio, stream_start, without_tags
from player.media.protocol import never
from player.net.failures import server_name
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.net.surroundings import is_inside
from player.text.sentences import _

PLAYLIST_TYPES = frozenset(
    {
        "application/vnd.apple.mpegurl",
        "application/x-mpegurl",
        "application/mpegurl",
        "audio/mpegurl",
        "audio/x-mpegurl",
        "audio/x-scpls",
        "application/pls+xml",
    }
)
_LIVE_TYPES = frozenset({"application/vnd.apple.mpegurl", RADIO_TYPE})
_PLS_FILE = re.compile(r"file\d+\s*=\s*(\S+)", re.IGNORECASE)


def is_stream(url: str, media_type: str) -> bool:
    """Whether the feed says that it is one; then no request is needed."""
    return media_type.partition(";")[0].strip().lower() in _LIVE_TYPES or urlsplit(url).path.lower().endswith(".m3u8")


def stream_address(url: str, content_type: str, header_names: Iterable[str], *, endless: bool, head: bytes) -> str:
    """The address of the stream that a response from `url` is or names; "" when it is a file."""
    if endless and any(name.lower().startswith("icy-") for name in header_names):
        return url
    text = text_of(head[:65536])
    return url if is_hls(text) else first_entry(url, content_type, text)


def text_of(data: bytes) -> str:
    """A playlist's text."""
    return data.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")


def is_playlist(content_type: str, head: bytes) -> bool:
    """Whether a response is a playlist, by its type and first 64 bytes."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t").lower()
    named = content_type.partition(";")[0].strip().lower() in PLAYLIST_TYPES and start.startswith(
        (b"http://", b"https://")
    )
    return named or start.startswith((b"#extm3u", b"[playlist]"))


def first_entry(base: str, content_type: str, text: str) -> str:
    """The first address that an M3U or a PLS at `base` names; "" if there is none."""
    kind = content_type.partition(";")[0].strip().lower()
    if text.startswith("#EXTM3U") or (kind in PLAYLIST_TYPES and text.lower().startswith(("http://", "https://"))):
        return _first(text.splitlines(), base)
    if text.lower().startswith("[playlist]"):
        return _first(_PLS_FILE.findall(text), base)
    return ""


def _first(lines: Iterable[str], base: str) -> str:
    entries = (line.strip() for line in lines)
    return next((web_address(entry, base) for entry in entries if entry and not entry.startswith("#")), "")


log = logging.getLogger(__name__)

AHEAD = 1024 * 1024
"""Most bytes of HLS buffered for the reader: its segments arrive as a whole."""
_LIVE = 64 * 1024
"""The same for an endless response, where buffered bytes are heard that much later."""
BEHIND = 256 * 1024
"""Bytes already read that are kept for demuxers that read the beginning twice."""
HOPS = 4
"""Most playlists on the way to the audio."""
RECENT = 8 * 1024 * 1024
"""Bytes already read that are kept for a clip of what was just heard: eight minutes at 128 kbit/s."""
_PIECE = 32 * 1024
TELLING_TEXT = 64
"""Bytes needed to tell a playlist."""
_TELLING = 4096
"""Bytes needed to tell MPEG-TS packets from the frames in them."""


class NextSegment:
    """Which segment of a stream follows the segments that were read, so that a reconnection continues there."""

    def __init__(self) -> None:
        self.number: int | None = None


class OwnNetworkFence:
    """Keeps a stream from leading into the listener's own network, unless its feed comes from there. The first
    address is from the feed, and is requested like that of any episode.
    """

    def __init__(self, address: str, feed: str) -> None:
        """`address` is the stream's, `feed` its podcast's."""
        self._address = address
        self._feed = feed
        self._first = True

    def __call__(self, address: str) -> None:
        """Called with each address before it is requested, redirects included. Raises MediaError."""
        first, self._first = self._first, False
        if first or not is_inside(address) or is_inside(self._feed):
            return
        if origin(address) == origin(self._address) and is_inside(self._address):
            return
        raise MediaError(
            _(
                "This stream redirects to {host}, inside your own network, so Earmark doesn't play it",
                host=server_name(address),
            ),
            _("Listen on its web page, or tell its publisher."),
        )


class Recent:
    """The last bytes of a stream that were read, also of the connections before, and their format. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._format = ""

    def add(self, form: str, data: bytes) -> None:
        with self._lock:
            if form != self._format:
                self._pieces.clear()
                self._format, self._size = form, 0
            self._pieces.append(data)
            self._size += len(data)
            while self._size > RECENT:
                self._size -= len(self._pieces.popleft())

    def all(self) -> tuple[str, bytes]:
        """The format, and the bytes."""
        with self._lock:
            return self._format, b"".join(self._pieces)


class LiveMedia:
    """Implements player.media.protocol.Media for a stream: there are no bytes to read but those of a Broadcast."""

    def __init__(self, address: str, network: NetworkLoop, login: Login, feed: Callable[[], str]) -> None:
        """`login` gives name and password for the server at an address. `feed` is the address of the podcast's feed."""
        self.stream, self.version = address, ""
        self._network = network
        self._login = login
        self._feed = feed
        self._next_segment = NextSegment()
        self.recent = Recent()
        self.size: int | None = None
        self.seekable = False
        self.format = ""
        self.duration_ms: int | None = None
        self.cached: tuple[tuple[float, float], ...] = ()
        self.complete = False
        self.reached_end = True
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None

    def listen(self, ready: Callable[[], None]) -> "Broadcast":
        """Starts to fetch the stream; after the segments played before, if these are known."""
        connection = Connection(self._network, self._login, OwnNetworkFence(self.stream, self._feed()), _LIVE)
        return Broadcast(self.stream, connection, self._next_segment, ready, self.recent)

    def read(self, offset: int, count: int, given_up: object = None) -> bytes:  # noqa: ARG002
        raise MediaError("A live stream has no bytes to read")

    def available(self, offset: int, count: int) -> bytes:  # noqa: ARG002
        return b""

    def wake(self) -> None: ...

    def cancel(self) -> None: ...

    def close(self) -> None: ...


class Broadcast:
    """One connection to a stream, from now on. Implements what a ByteSource reads from.

    `ready` is called on another thread once `format` is known or it is `over`.
    """

    size: int | None = None
    seekable = False

    def __init__(
        self,
        address: str,
        connection: Connection,
        next_segment: NextSegment,
        ready: Callable[[], None],
        recent: Recent,
    ) -> None:
        self.format = ""
        self.over = False
        self.ended = False
        """Whether the stream said that it ended, or just broke off."""
        self.error: MediaError | None = None
        """Why it can't be played, if a retry won't help."""
        self._address = address
        self._connection = connection
        self._next_segment = next_segment
        self._ready = ready
        self._recent = recent
        self._news = threading.Condition()
        self._head = b""
        self._waiting = bytearray()
        self._gone = b""
        self._ahead, self._in_pieces = _LIVE, False
        self._given = 0
        self._taken = next_segment.number
        self._ends: deque[tuple[int, int]] = deque()
        """For each buffered segment, the byte after it, and its number."""
        self._closed = False
        threading.Thread(target=self._run, name="earmark-live", daemon=True).start()

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        """Some bytes; b"" at the end. Raises MediaError where `offset` can't be read, and when it is cancelled."""
        with self._news:
            if not self.reaches(offset):
                raise MediaError("This part of the live stream has gone by")
            if offset < self._given:
                start = len(self._gone) - (self._given - offset)
                return bytes(self._gone[start : start + count])
            self._news.wait_for(lambda: self._waiting or self.over or self._closed or given_up())
            if self._closed or given_up():
                raise MediaError("Reading was stopped")
            data = bytes(self._waiting[:count])
            del self._waiting[:count]
            self._gone = (self._gone + data)[-BEHIND:]
            self._recent.add(self.format, data)
            self._given += len(data)
            while self._ends and self._ends[0][0] <= self._given:
                self._next_segment.number = self._ends.popleft()[1] + 1
            self._news.notify_all()
            return data

    def reaches(self, offset: int) -> bool:
        """Whether the bytes from `offset` on can be read: the next ones, and a little before them."""
        return self._given - len(self._gone) <= offset <= self._given

    def wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def close(self) -> None:
        """Ends it at once, from any thread."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._connection.abort()

    # -- the thread that fetches --------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            self._follow()
            self.ended = not self._closed
        except _Stopped:
            pass
        except Failure as failure:
            log.info("the live stream can't be had: %s", failure)
        except MediaError as error:
            self.error = error
        except Exception:
            log.exception("fetching a live stream failed")
        finally:
            self._finish()

    def _finish(self) -> None:
        with self._news:
            unknown = not self.format
            if unknown and self._head and not self.error and not self._closed:
                self._recognize(all_there=True)
            self.over = True
            self._news.notify_all()
        if unknown and not self._closed:
            self._ready()

    def _follow(self) -> None:
        """Raises Failure where the network fails, MediaError where there is nothing to play."""
        address = self._address
        for _hop in range(HOPS):
            with self._connection.ask(ByteRange(address)) as (answer, body):
                address = answer.origin.resolved or address
                head = filled(body, TELLING_TEXT)
                if not is_playlist(answer.content_type, head):
                    self._take(head)
                    for data in body:
                        self._take(data)
                    if answer.origin.length is None:
                        raise _Stopped
                    return
                text = text_of(head + filled(body, hls.LONGEST))
            if not hls.is_hls(text):
                address = first_entry(address, answer.content_type, text)
                if not address:
                    raise no_audio(text.encode())
                continue
            other = hls.variant(text, address)
            if not other:
                self._play_pieces(address, hls.read_playlist(text, address))
                return
            address = other
        raise only_playlists()

    def _play_pieces(self, address: str, playlist: hls.Playlist) -> None:
        head: hls.Part | None = None
        self._ahead, self._in_pieces = AHEAD, True
        while True:
            news = False
            for segment in self._due(playlist):
                if segment.head is not None and segment.head != head:
                    self._take_part(segment.head)
                    head = segment.head
                self._take_part(segment.part)
                self._taken, news = segment.number + 1, True
                with self._news:
                    self._ends.append((self._given + len(self._waiting), segment.number))
            if playlist.over:
                return
            self._pause(playlist.pause_s if news else playlist.pause_s / 2)
            with self._connection.ask(ByteRange(address)) as (_, body):
                playlist = hls.read_playlist(text_of(filled(body, hls.LONGEST)), address)

    def _due(self, playlist: hls.Playlist) -> Iterator[hls.Segment]:
        """The segment after the last one played; if that is gone, or none was played yet, the live one."""
        segments = playlist.segments
        if not segments:
            return
        wanted = self._taken
        if wanted is None or not segments[0].number <= wanted <= segments[-1].number + 1:
            wanted = playlist.start()
        yield from (segment for segment in segments if segment.number >= wanted)

    def _take_part(self, part: hls.Part) -> None:
        with self._connection.ask(ByteRange(part.address, part.start, part.end)) as (answer, body):
            left = None if part.end is None else part.end - part.start
            # Segments of bare frames begin with a tag that has their time. A server may not support ranges.
            data = filled(body, part.start - answer.start + HEAD)[max(0, part.start - answer.start) :]
            start = len(data[:left]) - len(without_tags(data[:left]))
            while data and left != 0:
                self._take(data[start:left])
                left = None if left is None else max(0, left - len(data))
                data, start = next(body, b""), 0

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._news:
            self._news.wait_for(lambda: self._closed, until - time.monotonic())
            if self._closed:
                raise _Stopped

    def _take(self, data: bytes) -> None:
        """Waits while the buffer is full. Raises _Stopped."""
        for at in range(0, len(data), _PIECE):
            piece = data[at : at + _PIECE]
            with self._news:
                self._news.wait_for(lambda: self._closed or len(self._waiting) < self._ahead)
                if self._closed:
                    raise _Stopped
                known = bool(self.format)
                if known:
                    self._waiting += piece
                else:
                    self._head += piece
                    self._recognize(all_there=False)
                self._news.notify_all()
            if self.error:
                raise self.error
            if not known and self.format:
                self._ready()

    def _recognize(self, *, all_there: bool) -> None:
        """With the lock held."""
        if len(self._head) < _TELLING and not all_there:
            return
        form, start = stream_start(self._head)
        if form == "mp4" and self._in_pieces:
            # Tried with libvlc 3.0.24: FFmpeg's demuxer loses its position in them, libvlc's own has to seek back.
            self.error = MediaError(
                _("This live stream is fragmented MP4, which Earmark can't play"), _("Listen on its web page.")
            )
        elif form and not names_other_files(self._head[start:]):
            self._waiting += self._head[start:]
            self.format = form
        elif form or all_there or len(self._head) >= HEAD:
            self.error = no_audio(self._head)


class _Stopped(Exception):
    """Not an error: the stream was closed, or the server ended it."""


def only_playlists() -> MediaError:
    return MediaError(_("This stream has only playlists that lead to other playlists, and no audio"))


def filled(body: Iterator[bytes], count: int) -> bytes:
    """The next `count` bytes, or all there are."""
    data = bytearray()
    for piece in body:
        data += piece
        if len(data) >= count:
            break
    return bytes(data)
