"""The audio in a segment of HLS (RFC 8216, 3): frames of MP3, or of AAC in ADTS, whatever the container.

MPEG transport streams (ISO/IEC 13818-1) and fragmented MP4 (ISO/IEC 14496-12) are unpacked, so that the frames of all
segments together are one file in a format that Earmark plays, with positions exact to a frame.
"""

from collections.abc import Iterator

from msgspec import Struct

from player.errors import MediaError
from player.media.formats.sniff import no_audio, sniff, stream_start, without_tags
from player.text.sentences import _

_PACKET = 188
_TABLE_OF_PROGRAMS = 0
_TYPES = {0x03: "mp3", 0x04: "mp3", 0x0F: "aac"}
"""Stream types in a transport stream's table."""
_TYPES_OF_MP4 = {0x40: "aac", 0x67: "aac", 0x69: "mp3", 0x6B: "mp3"}
"""Object types in an MP4's decoder configuration (ISO/IEC 14496-1)."""
_LONGEST_FRAME = 0x1FFF
_MP4 = (b"ftyp", b"styp", b"moov", b"moof", b"sidx", b"emsg", b"prft")
_LC, _SBR, _PS = 2, 5, 29
_MOST_BOXES = 20_000
_MOST_SAMPLES = 100_000


def audio_of(segment: bytes) -> tuple[str, bytes]:
    """The format, `mp3` or `aac`, and the frames. If there is an initialisation section, `segment` begins with it.

    Raises MediaError if it contains no such audio.
    """
    try:
        if segment[4:8] in _MP4:
            return _of_mp4(segment)
        form, start = stream_start(segment)
        if form == "mpegts":
            return _of_transport_stream(segment[start:])
    except IndexError:  # the segment is cut off
        raise _unknown() from None
    data = without_tags(segment)
    form = sniff(data)
    if form in ("mp3", "aac"):
        return form, data
    raise _unknown() if form else no_audio(segment)


def _unknown() -> MediaError:
    return MediaError(
        _("This recording's audio is in a format that Earmark can't play from a playlist (HLS)"),
        _("Listen on its web page."),
    )


# -- MPEG transport streams -----------------------------------------------------------------------------------


def _of_transport_stream(data: bytes) -> tuple[str, bytes]:
    """The first audio stream of the first program."""
    for section in _sections(data, _TABLE_OF_PROGRAMS):
        for at in range(8, len(section) - 3, 4):
            if int.from_bytes(section[at : at + 2], "big"):
                return _of_program(data, int.from_bytes(section[at + 2 : at + 4], "big") & 0x1FFF)
    raise _unknown()


def _of_program(data: bytes, table: int) -> tuple[str, bytes]:
    for section in _sections(data, table):
        at = 12 + (int.from_bytes(section[10:12], "big") & 0xFFF)
        while at + 5 <= len(section):
            if form := _TYPES.get(section[at], ""):
                stream = int.from_bytes(section[at + 1 : at + 3], "big") & 0x1FFF
                return form, b"".join(map(_contents, _units(data, stream)))
            at += 5 + (int.from_bytes(section[at + 3 : at + 5], "big") & 0xFFF)
    raise _unknown()


def _units(data: bytes, wanted: int) -> Iterator[bytes]:
    """The payload of one stream's packets, one table or audio packet (a unit) at a time. A unit that began before
    `data` is left out."""
    unit: bytearray | None = None
    for at in range(0, len(data) - _PACKET + 1, _PACKET):
        if data[at] != 0x47 or (data[at + 1] & 0x1F) << 8 | data[at + 2] != wanted or not data[at + 3] & 0x10:
            continue
        start = at + 4 + (data[at + 4] + 1 if data[at + 3] & 0x20 else 0)
        if data[at + 1] & 0x40:
            if unit is not None:
                yield bytes(unit)
            unit = bytearray()
        if unit is not None:
            unit += data[start : at + _PACKET]
    if unit is not None:
        yield bytes(unit)


def _sections(data: bytes, wanted: int) -> Iterator[bytes]:
    """The tables of a stream, without their checksums."""
    for unit in _units(data, wanted):
        section = unit[1 + unit[0] :] if unit else b""
        yield section[: 3 + (int.from_bytes(section[1:3], "big") & 0xFFF) - 4]


def _contents(unit: bytes) -> bytes:
    """The payload of a packet of audio (PES); b"" if it isn't one."""
    if unit[:3] != b"\0\0\1" or len(unit) < 9:
        return b""
    length = int.from_bytes(unit[4:6], "big")
    return unit[9 + unit[8] : 6 + length if length else len(unit)]


# -- fragmented MP4 -------------------------------------------------------------------------------------------


class _Track(Struct, frozen=True):
    """`header` is the ADTS header of each frame, without the frame's length; b"" for MP3. `size` is the size of samples
    whose fragment gives none."""

    number: int
    form: str
    header: bytes
    size: int


def _of_mp4(data: bytes) -> tuple[str, bytes]:
    movie = next(_boxes(data, 0, len(data), b"moov"), None)
    track = _track(data, *movie) if movie else None
    if track is None:
        raise _unknown()
    samples = [
        data[start:end]
        for fragment in _boxes(data, 0, len(data), b"moof")
        for traf in _boxes(data, *fragment, b"traf")
        for start, end in _samples(data, fragment[0] - 8, traf, track)
    ]
    if sum(map(len, samples)) > len(data):  # the fragments list some bytes more than once
        raise _unknown()
    if track.form == "aac":
        return "aac", b"".join(_adts(track.header, len(sample)) + sample for sample in samples)
    return track.form, b"".join(samples)


def _boxes(data: bytes, at: int, end: int, wanted: bytes) -> Iterator[tuple[int, int]]:
    """The start and end of the contents of each box of that name."""
    for _box in range(_MOST_BOXES):
        if at + 8 > end:
            return
        length, start = int.from_bytes(data[at : at + 4], "big"), at + 8
        if length == 1:
            length, start = int.from_bytes(data[at + 8 : at + 16], "big"), at + 16
        stop = min(end, at + length) if length else end
        if stop < start:
            return
        if data[at + 4 : at + 8] == wanted:
            yield start, stop
        at = stop


def _only(data: bytes, within: tuple[int, int], *names: bytes) -> tuple[int, int] | None:
    """The box at the end of a path of names, the first of each name; None if there is none."""
    found: tuple[int, int] | None = within
    for name in names:
        found = next(_boxes(data, *found, name), None) if found else None
    return found


def _track(data: bytes, start: int, end: int) -> _Track | None:
    """The first track whose audio format is known; None if there is none."""
    for trak in _boxes(data, start, end, b"trak"):
        entries = _only(data, trak, b"mdia", b"minf", b"stbl", b"stsd")
        head = _only(data, trak, b"tkhd")
        if entries is None or head is None:
            continue
        if next(_boxes(data, entries[0] + 8, entries[1], b"enca"), None):
            raise MediaError(_("This recording is encrypted, which Earmark can't play"), _("Listen on its web page."))
        entry = next(_boxes(data, entries[0] + 8, entries[1], b"mp4a"), None)
        configuration = next(_boxes(data, entry[0] + 28, entry[1], b"esds"), None) if entry else None
        if configuration is None:
            continue
        at = head[0] + (20 if data[head[0]] else 12)
        number = int.from_bytes(data[at : at + 4], "big")
        form, header = _configured(data[configuration[0] + 4 : configuration[1]])
        if form:
            return _Track(number, form, header, _usual_size(data, (start, end), number))
    return None


def _usual_size(data: bytes, movie: tuple[int, int], number: int) -> int:
    extends = _only(data, movie, b"mvex")
    for start, _end in _boxes(data, *extends, b"trex") if extends else ():
        if int.from_bytes(data[start + 4 : start + 8], "big") == number:
            return int.from_bytes(data[start + 16 : start + 20], "big")
    return 0


def _configured(data: bytes) -> tuple[str, bytes]:
    """The format of an elementary stream, by its descriptors, and the ADTS header of its frames; ("", b"") if it is
    unknown."""
    form, at = "", 0
    while at + 2 <= len(data):
        tag, length = data[at], 0
        at += 1
        for _byte in range(4):
            more = data[at] if at < len(data) else 0
            length, at = length << 7 | more & 0x7F, at + 1
            if not more & 0x80:
                break
        if tag == 0x03:  # the stream's descriptor, which contains the others
            at += 3
        elif tag == 0x04:  # the decoder's configuration
            form = _TYPES_OF_MP4.get(data[at], "") if at < len(data) else ""
            if form != "aac":
                return form, b""
            at += 13
        elif tag == 0x05:  # AudioSpecificConfig (ISO/IEC 14496-3)
            return _adts_of(data[at : at + length])
        else:
            at += length
    return "", b""


def _adts_of(configuration: bytes) -> tuple[str, bytes]:
    """ADTS can only name AAC LC; decoders find its extensions (SBR, PS) in the frames themselves."""
    bits = int.from_bytes(configuration[:2].ljust(2, b"\0"), "big")
    kind, rate, channels = bits >> 11, bits >> 7 & 15, bits >> 3 & 15
    if kind not in (_LC, _SBR, _PS) or rate > 12 or not 1 <= channels <= 7:
        return "", b""
    return "aac", bytes((0xFF, 0xF1, (_LC - 1) << 6 | rate << 2 | channels >> 2, (channels & 3) << 6))


def _adts(header: bytes, size: int) -> bytes:
    length = size + 7
    if length > _LONGEST_FRAME:
        raise _unknown()
    return header[:3] + bytes((header[3] | length >> 11, length >> 3 & 0xFF, (length & 7) << 5 | 0x1F, 0xFC))


def _samples(data: bytes, moof: int, traf: tuple[int, int], track: _Track) -> Iterator[tuple[int, int]]:
    """The start and end of each sample of a track fragment."""
    head = _only(data, traf, b"tfhd")
    if head is None or int.from_bytes(data[head[0] + 4 : head[0] + 8], "big") != track.number:
        return
    flags, at = int.from_bytes(data[head[0] + 1 : head[0] + 4], "big"), head[0] + 8
    if flags & 0x1:
        # An offset in a whole file, which a segment isn't.
        at += 8
    at += 4 * bool(flags & 0x2) + 4 * bool(flags & 0x8)
    usual = int.from_bytes(data[at : at + 4], "big") if flags & 0x10 else track.size
    place = moof
    for start, end in _boxes(data, *traf, b"trun"):
        flags, count = (int.from_bytes(data[start + first : start + first + 4], "big") for first in (0, 4))
        at = start + 8
        if flags & 0x1:
            place, at = moof + int.from_bytes(data[at : at + 4], "big", signed=True), at + 4
        at += 4 * bool(flags & 0x4)
        step = 4 * sum(bool(flags & flag) for flag in (0x100, 0x200, 0x400, 0x800))
        sized = 4 * bool(flags & 0x100) if flags & 0x200 else None
        for _sample in range(min(count, _MOST_SAMPLES)):
            if sized is not None and at + step > end:
                break
            size = usual if sized is None else int.from_bytes(data[at + sized : at + sized + 4], "big")
            if size <= 0 or place < 0 or place + size > len(data):
                break
            yield place, place + size
            place, at = place + size, at + step
