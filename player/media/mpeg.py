"""Frame headers of MPEG audio (ISO/IEC 11172-3, 13818-3: MP2, MP3) and of AAC in ADTS (ISO/IEC 13818-7)."""

from dataclasses import dataclass
from functools import lru_cache

# Bit rates in kbit/s by index; MPEG-1 layers II and III, then layers II and III of MPEG-2 and 2.5.
_MPEG1_LAYER2 = (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384)
_MPEG1_LAYER3 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MPEG2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = (44100, 48000, 32000)
_ADTS_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)


@dataclass(frozen=True, slots=True)
class Frame:
    """`size` in bytes with the header, `samples` a channel, `rate` in Hz. `kind` is one for all frames of a stream."""

    size: int
    samples: int
    rate: int
    kind: int


@lru_cache(maxsize=4096)
def mp3_frame(header: bytes) -> Frame | None:
    """The frame that these 4 bytes begin; None if they begin none, or one of free bit rate."""
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
    """The frame that these 7 bytes begin; None if they begin none."""
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
