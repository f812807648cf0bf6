"""The links of an Ogg file (RFC 3533, section 4): whole streams one after another, as recorders and `cat` leave them.

Demuxers take such a file for one stream: its length is the last link's, and playback ends with the first link. So each
link is played as a file of its own, and this module finds where each begins and ends. Ends are found by bisection, as
the pages of a stream carry its serial number (Opus: RFC 7845; Vorbis I; FLAC: RFC 9639, 10.1; Speex).
"""

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from player.model.episode import BytePosition

Read = Callable[[int, int], bytes]
"""(offset, count) -> all bytes of that range, as far as the file has them."""

MOST_PAGE = 65_307
"""Bytes of the largest page."""

BEGINS = b"OggS\0\x02"
"""The first bytes of the first page of a stream."""

_CAPTURE, _HEADER, _STREAM_BEGINS = b"OggS", 27, 2
_PROBE = 16 * 1024
_NEAR = 2 * MOST_PAGE
_MOST_STREAMS = 16
_MOST_LINKS = 1_000
_MOST_FIRST_S = 20
"""A first page that ends later than this is from a recording that began in the middle of its stream."""


class Link(Struct, frozen=True):
    """The bytes and times of a link. The first pages of its streams end at byte `head_end`.

    `end` is the byte behind it, None while it isn't known because bytes only arrive in sequence; `start_ms` is where in
    the episode it begins, and `ms` how long it plays, as far as its pages say.
    """

    start: int
    head_end: int
    end: int | None
    start_ms: float
    ms: float | None

    @property
    def end_ms(self) -> float:
        return self.start_ms + (self.ms or 0.0)


class Chain:
    """The links of one file, as far as they have been searched for. Only `link_at` waits for bytes."""

    def __init__(self, size: int | None, start: int = 0) -> None:
        """`start`: the byte of the first page. `size` is the file's; None if bytes only arrive in sequence."""
        self._start = start
        self.size = size
        self._links: tuple[Link, ...] = ()
        """The known links from the first one on, without a gap. Only the last may have no end."""

    def duration(self) -> tuple[int, bool] | None:
        """The duration in ms, and whether that is exact; None while it can't be determined."""
        links, size = self._links, self.size
        if size is None or not links or any(link.ms is None for link in links):
            return None
        end, ms = links[-1].end or size, links[-1].end_ms
        return round(ms * (size - self._start) / max(1, end - self._start)), end == size

    def is_last(self, link: Link) -> bool:
        return link.end is None or link.end == self.size

    def link_at(self, position_ms: int, nearby: BytePosition | None, read: Read) -> Link | None:
        """The link that plays at the position, or else the last one; None if there is no page.

        `read` may wait; its exceptions are raised here. If `nearby` is at that position and a link begins at its byte,
        it is that link.
        """
        byte = nearby.byte if nearby is not None and nearby.position_ms == position_ms else -1
        links, number = list(self._links), 0
        while True:
            if number == len(links):
                if number == _MOST_LINKS:
                    return links[-1]
                begins, at_ms = (links[-1].end, links[-1].end_ms) if links else (self._start, 0.0)
                if begins is None or (found := self._link(begins, at_ms, read)) is None:
                    return links[-1] if links else None
                links.append(found)
                self._links = tuple(links)
            link = links[number]
            number += 1
            if self.is_last(link) or link.start == byte or (link.start > byte and position_ms < link.end_ms):
                return link

    def whole(self, read: Read) -> int | None:
        """The duration in ms of the whole file, all of whose bytes are available; None if it can't be determined."""
        begins, ms = self._start, 0.0
        for _ in range(_MOST_LINKS):
            link = self._link(begins, ms, read)
            if link is None or link.ms is None or link.end is None:
                return None
            begins, ms = link.end, link.end_ms
            if self.is_last(link):
                return round(ms)
        return None

    def ended(self, link: Link, byte: int, available: Read) -> Link:
        """The link turned out to end at `byte`, and the bytes before are available; returns it with that end."""
        links = [one for one in self._links if one.start < link.start]
        streams = _Streams.at(link.start, available)
        known = replace(link, end=byte, ms=streams.ms_before(byte, link.start, available) if streams else link.ms)
        self._links = (*links, known)
        return known

    def _link(self, start: int, start_ms: float, read: Read) -> Link | None:
        """The link that begins at byte `start`; None if there is none."""
        streams = _Streams.at(start, read)
        if streams is None:
            return None
        end = None if self.size is None else _end(streams, start, self.size, read)
        ms = None if end is None else streams.ms_before(end, start, read)
        return Link(start, streams.head_end, end, start_ms, ms)


class _Page(Struct, frozen=True):
    at: int
    size: int
    flags: int
    granule: int
    serial: bytes


class _Streams(Struct, frozen=True):
    """A link's streams, by serial number. The stream `audio` has `rate` granules a second; the first `skip` granules
    aren't heard."""

    serials: frozenset[bytes]
    head_end: int
    audio: bytes = b""
    rate: int = 0
    skip: int = 0

    @classmethod
    def at(cls, start: int, read: Read) -> "_Streams | None":
        found, at = cls(frozenset(), start), start
        for _ in range(_MOST_STREAMS):
            page = _page(read(at, _HEADER + 255), at)
            if page is None or not page.flags & _STREAM_BEGINS:
                break
            at += page.size
            rate, skip = (0, 0) if found.rate else _codec(read(page.at, min(page.size, 512)))
            audio = page.serial if rate else found.audio
            found = cls(found.serials | {page.serial}, at, audio, rate or found.rate, skip if rate else found.skip)
        return found if found.serials else None

    def ms_before(self, end: int, start: int, read: Read) -> float | None:
        """The duration of the link, according to its last page before byte `end`; None if that is unknown."""
        if not self.rate:
            return None
        tail = self._last(MOST_PAGE, end, start, read) or self._last(4 * MOST_PAGE, end, start, read)
        if tail is None:
            return None
        head = next((page for page in _pages(read(start, _NEAR), start) if self._says_time(page)), None)
        late = head is not None and head.granule > _MOST_FIRST_S * self.rate
        begun = head.granule if head is not None and late else self.skip
        return max(0, tail.granule - begun) * 1000 / self.rate

    def _last(self, within: int, end: int, start: int, read: Read) -> _Page | None:
        """The link's last page with a time, within that many bytes before `end`."""
        begins = max(start, end - within)
        last = None
        for page in _pages(read(begins, end - begins), begins):
            last = page if self._says_time(page) else last
        return last

    def _says_time(self, page: _Page) -> bool:
        return page.serial == self.audio and page.granule > 0


def _end(streams: _Streams, start: int, size: int, read: Read) -> int:
    """The byte behind the last page of those streams: the file's size, unless pages of other streams follow."""
    from_byte = max(start, size - MOST_PAGE)
    tail = list(_pages(read(from_byte, size - from_byte), from_byte))
    if not tail or tail[-1].serial in streams.serials:
        return size
    last, foreign = streams.head_end, size
    while foreign - last > _NEAR:
        middle = (last + foreign) // 2
        page = _first_page(middle, foreign, read)
        if page is None:
            foreign = middle
        elif page.serial in streams.serials:
            last = page.at + page.size
        else:
            foreign = page.at
    # Bytes that aren't a page belong to the link before them.
    near = _pages(read(last, min(size, foreign + MOST_PAGE) - last), last)
    return next((page.at for page in near if page.serial not in streams.serials), size)


def _first_page(start: int, end: int, read: Read) -> _Page | None:
    """The first page that begins between the bytes `start` and `end`."""
    data = b""
    while len(data) < min(_NEAR, end - start):
        more = read(start + len(data), _PROBE)
        data += more
        if page := next((page for page in _pages(data, start) if page.at < end), None):
            return page
        if not more:
            break
    return None


def _pages(data: bytes, offset: int) -> Iterator[_Page]:
    """The pages that begin in `data`, which is at byte `offset`: each is followed by another page, or extends beyond
    `data`."""
    at = data.find(_CAPTURE)
    while at >= 0:
        page = _page(data[at : at + _HEADER + 255], offset + at)
        behind = at + page.size if page else 0
        if page and (behind + 4 > len(data) or data[behind : behind + 4] == _CAPTURE):
            yield page
            at = data.find(_CAPTURE, behind)
        else:
            at = data.find(_CAPTURE, at + 1)


def _page(header: bytes, at: int) -> _Page | None:
    if header[:4] != _CAPTURE or len(header) < _HEADER or header[4] or header[5] > 7:
        return None
    table = header[_HEADER : _HEADER + header[26]]
    if len(table) < header[26]:
        return None
    granule = int.from_bytes(header[6:14], "little", signed=True)
    return _Page(at, _HEADER + len(table) + sum(table), header[5], granule, header[14:18])


def _codec(page: bytes) -> tuple[int, int]:
    """The granules a second, and how many at the start aren't heard, by the first page of a stream; (0, 0) if it isn't
    audio of a known codec."""
    body = page[_HEADER + page[26] :]
    if body[:8] == b"OpusHead":
        return 48_000, int.from_bytes(body[10:12], "little")
    if body[:7] == b"\x01vorbis":
        return int.from_bytes(body[12:16], "little"), 0
    if body[:5] == b"\x7fFLAC":
        return int.from_bytes(body[27:30], "big") >> 4, 0
    if body[:8] == b"Speex   ":
        return int.from_bytes(body[36:40], "little"), 0
    return 0, 0
