"""Frame headers of MPEG audio (ISO/IEC 11172-3, 13818-3: MP2, MP3) and of AAC in ADTS (ISO/IEC 13818-7)."""

from functools import lru_cache

from msgspec import Struct

# Bit rates in kbit/s by index; MPEG-1 layers II and III, then layers II and III of MPEG-2 and 2.5.
_MPEG1_LAYER2 = (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384)
_MPEG1_LAYER3 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MPEG2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = (44100, 48000, 32000)
_ADTS_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)


class Frame(Struct, frozen=True):
    """`size` in bytes with the header, `samples` per channel, `rate` in Hz. `kind` is the same for all of a stream."""

    size: int
    samples: int
    rate: int
    kind: int


@lru_cache(maxsize=4096)
def mp3_frame(header: bytes) -> Frame | None:
    """The frame that starts with these 4 bytes; None for no frame, or one of free bit rate."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return None
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bitrate_index, rate_index, padding = header[2] >> 4, header[2] >> 2 & 3, header[2] >> 1 & 1
    if version == 1 or layer not in (1, 2) or bitrate_index in (0, 15) or rate_index == 3:
        return None
    mpeg1 = version == 3
    table = (_MPEG1_LAYER3 if layer == 1 else _MPEG1_LAYER2) if mpeg1 else _MPEG2
    rate = _RATES[rate_index] >> (0 if mpeg1 else 1 if version == 2 else 2)
    samples = 576 if layer == 1 and not mpeg1 else 1152
    size = samples // 8 * table[bitrate_index] * 1000 // rate + padding
    return Frame(size, samples, rate, version << 4 | layer << 2 | rate_index)


def adts_frame(header: bytes) -> Frame | None:
    """The frame that starts with these 7 bytes; None for no frame."""
    if len(header) < 7 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return None
    rate_index = header[2] >> 2 & 15
    size = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    if rate_index >= len(_ADTS_RATES) or size < 7:
        return None
    return Frame(size, 1024 * ((header[6] & 3) + 1), _ADTS_RATES[rate_index], rate_index)


def id3v2_size(data: bytes) -> int:
    """Bytes of the ID3v2 tag (id3.org, 2.4.0 section 3) that `data` begins with; 0 without one."""
    if len(data) < 10 or data[:3] != b"ID3" or max(data[6:10]) > 0x7F:
        return 0
    body = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
    return 10 + body + (10 if data[5] & 0x10 else 0)


def empty_tag(length: int) -> bytes:
    """An ID3v2 tag of `length` bytes that says nothing. Raises ValueError where none can be of that length."""
    body = length - 10
    if length and not 0 <= body < 1 << 28:
        raise ValueError(length)
    size = bytes(body >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\0\0" + size + bytes(body) if length else b""


def reservoir(frame: bytes) -> tuple[int, int]:
    """How many bytes a layer III frame uses of those before it, and how many it has for itself and later ones.

    ISO/IEC 11172-3, 2.4.1.7 (main_data_begin). Both are 0 for other layers.
    """
    if len(frame) < 8 or frame[1] >> 1 & 3 != 1:
        return 0, 0
    mpeg1, mono, checked = frame[1] >> 3 & 3 == 3, frame[3] >> 6 == 3, not frame[1] & 1
    at = 6 if checked else 4
    side = (17 if mono else 32) if mpeg1 else (9 if mono else 17)
    taken = frame[at] << 1 | frame[at + 1] >> 7 if mpeg1 else frame[at]
    return taken, max(0, len(frame) - at - side)


class SeekTable(Struct, frozen=True):
    """What an encoder's header frame claims: the number of frames, and where each of len(points) equal parts of the
    duration begins, in bytes from the start of the header frame.
    """

    frames: int
    points: tuple[int, ...]


def seek_table(frame: bytes) -> SeekTable | None:
    """The table of a Xing, Info or VBRI header frame; None for any other frame.

    There is no published standard; this is what LAME and the Fraunhofer encoder write.
    """
    for tag in (b"Xing", b"Info"):
        if (at := frame.find(tag, 4, 64)) > 0:
            return _xing(frame[at + 4 :])
    if (at := frame.find(b"VBRI", 4, 64)) > 0:
        return _vbri(frame[at + 4 :], len(frame))
    return None


def _xing(data: bytes) -> SeekTable:
    flags, at = int.from_bytes(data[:4], "big"), 4
    frames = count = 0
    if flags & 1:
        frames, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    if flags & 2:
        count, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    table = data[at : at + 100] if flags & 4 and count else b""
    return SeekTable(frames, tuple(part * count // 256 for part in table) if len(table) == 100 else ())


def _vbri(data: bytes, frame_size: int) -> SeekTable:
    frames, entries, scale, width = (
        int.from_bytes(data[start:end], "big") for start, end in ((10, 14), (14, 16), (16, 18), (18, 20))
    )
    if not 1 <= width <= 4 or len(data) < 22 + entries * width:
        return SeekTable(frames, ())
    points, byte = [], frame_size
    for at in range(22, 22 + entries * width, width):
        points.append(byte)
        byte += int.from_bytes(data[at : at + width], "big") * scale
    return SeekTable(frames, tuple(points))
