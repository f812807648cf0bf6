"""Files with chapters in them: as ffmpeg writes them, and byte by byte as the formats allow."""

import io
import struct
import zlib
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import av
import numpy as np

if TYPE_CHECKING:
    from av.container.core import Chapter

SECONDS = 10
ENCODED = {
    "mp3": ("mp3", "libmp3lame", {}),
    "mp3 id3v2.3": ("mp3", "libmp3lame", {"id3v2_version": "3"}),
    "m4a": ("ipod", "aac", {}),
    "mov": ("mov", "aac", {}),
    "opus": ("ogg", "libopus", {}),
}


@cache
def encoded(kind: str, *titles: str) -> bytes:
    """Ten seconds of silence, cut into as many chapters of whole seconds as there are titles."""
    container, codec, options = ENCODED[kind]
    out = io.BytesIO()
    length = SECONDS // len(titles)
    chapters: list[Chapter] = [
        {
            "id": number,
            "start": number * length,
            "end": (number + 1) * length,
            "time_base": Fraction(1, 1),
            "metadata": {"title": title},
        }
        for number, title in enumerate(titles)
    ]
    rate = 48_000
    with av.open(out, "w", format=container, options=options) as file:
        stream = file.add_stream(codec, rate=rate)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        file.set_chapters(chapters)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, rate * SECONDS), "float32"), format="fltp", layout="mono")
        silence.sample_rate = rate
        resampler = av.AudioResampler(stream.format, "mono", rate)
        queue = av.AudioFifo()
        for frame in (*resampler.resample(silence), *resampler.resample(None)):
            queue.write(frame)
        while (part := queue.read(stream.frame_size or 1024, partial=True)) is not None:
            file.mux(stream.encode(part))
        file.mux(stream.encode(None))
    return out.getvalue()


def as_ffmpeg_reads(data: bytes) -> list[tuple[int, str]]:
    """Start (ms) and title of each chapter."""
    with av.open(io.BytesIO(data)) as file:
        return [
            (round(one["start"] * (one["time_base"] or 0) * 1000), one["metadata"].get("title", ""))
            for one in file.chapters()
        ]


# -- ID3v2 ----------------------------------------------------------------------------------------------------


def _safe(size: int) -> bytes:
    return bytes((size >> 21 & 127, size >> 14 & 127, size >> 7 & 127, size & 127))


def id3_frame(name: bytes, content: bytes, version: int = 4, flags: int = 0, *, plain_size: bool = False) -> bytes:
    size = _safe(len(content)) if version == 4 and not plain_size else struct.pack(">I", len(content))
    return name + size + bytes((0, flags)) + content


def id3_tag(*frames: bytes, version: int = 4, flags: int = 0, padding: int = 50) -> bytes:
    body = b"".join(frames) + bytes(padding)
    return b"ID3" + bytes((version, 0, flags)) + _safe(len(body)) + body


def id3_chapter(
    name: str, start: int, end: int, title: bytes = b"", url: bytes = b"", version: int = 4, *inside: bytes
) -> bytes:
    """The content of a CHAP frame. `title` and `url` are those of TIT2 and WXXX, with the byte of their encoding."""
    entries_of = name.encode() + b"\0" + struct.pack(">IIII", start, end, 0xFFFFFFFF, 0xFFFFFFFF)
    entries_of += id3_frame(b"TIT2", title, version) if title else b""
    entries_of += b"".join(inside)
    return entries_of + (id3_frame(b"WXXX", url, version) if url else b"")


def id3_contents(name: str, *listed: str, flags: int = 3) -> bytes:
    """The content of a CTOC frame."""
    return name.encode() + b"\0" + bytes((flags, len(listed))) + b"".join(one.encode() + b"\0" for one in listed)


def packed(content: bytes, version: int) -> bytes:
    """A frame's content as zlib has it, behind its length."""
    size = _safe(len(content)) if version == 4 else struct.pack(">I", len(content))
    return size + zlib.compress(content)


# -- Ogg and FLAC ---------------------------------------------------------------------------------------------


def comments(*entries_of: str | bytes, count: int | None = None) -> bytes:
    """Vorbis comments."""
    entries = [one.encode() if isinstance(one, str) else one for one in entries_of]
    head = struct.pack("<I", 3) + b"me!" + struct.pack("<I", len(entries) if count is None else count)
    return head + b"".join(struct.pack("<I", len(entry)) + entry for entry in entries)


def ogg(*packets: bytes, serial: int = 7) -> bytes:
    """A page for each packet, or several for a long one; without checksums, which nobody here looks at."""
    pages: list[bytes] = []
    for packet in packets:
        laces = [255] * (len(packet) // 255) + [len(packet) % 255]
        at = 0
        for first in range(0, len(laces), 255):
            part = laces[first : first + 255]
            head = struct.pack("<4sBBqIIIB", b"OggS", 0, 0, 0, serial, len(pages), 0, len(part))
            pages.append(head + bytes(part) + packet[at : at + sum(part)])
            at += sum(part)
    return b"".join(pages)


def flac(*blocks: tuple[int, bytes]) -> bytes:
    """Metadata blocks by type; the last is marked so."""
    last = len(blocks) - 1
    heads = (
        bytes((kind | (0x80 if at == last else 0),)) + len(data).to_bytes(3, "big")
        for at, (kind, data) in enumerate(blocks)
    )
    return b"fLaC" + b"".join(head + data for head, (_, data) in zip(heads, blocks, strict=True))


# -- MP4 ------------------------------------------------------------------------------------------------------


def box(name: bytes, *inside: bytes) -> bytes:
    content = b"".join(inside)
    return struct.pack(">I", 8 + len(content)) + name + content


def chpl(*chapters: tuple[int, bytes], version: int = 1) -> bytes:
    """Nero's list: start in ms and title of each."""
    head = bytes((version, 0, 0, 0)) + (bytes(4) if version else b"") + bytes((len(chapters),))
    entries = (struct.pack(">QB", start * 10_000, len(title)) + title for start, title in chapters)
    return box(b"udta", box(b"chpl", head + b"".join(entries)))


def _table(name: bytes, *numbers: int, head: Sequence[int] = ()) -> bytes:
    return box(name, bytes(4), *(struct.pack(">I", number) for number in (*head, *numbers)))


def chapter_track(
    texts: Sequence[bytes], seconds: Sequence[int], offsets: Sequence[int], *, per_chunk: int = 1, delay_ms: int = 0
) -> bytes:
    """A sound's track that refers to one of texts, which stand at `places`, `per_chunk` of them at each."""
    sizes = [len(text) for text in texts]
    stts = [number for length in seconds for number in (1, length * 1_000)]
    tables = box(
        b"stbl",
        _table(b"stts", *stts, head=(len(seconds),)),
        _table(b"stsz", *sizes, head=(0, len(sizes))),
        _table(b"stsc", 1, per_chunk, 1, head=(1,)),
        _table(b"stco", *offsets, head=(len(offsets),)),
    )
    edit = box(b"edts", box(b"elst", bytes(4), struct.pack(">IIiI", 1, delay_ms, -1, 0x10000))) if delay_ms else b""
    return b"".join(
        (
            box(b"mvhd", bytes(12), struct.pack(">II", 1_000, 0), bytes(80)),
            box(b"trak", _tkhd(1), box(b"tref", box(b"chap", struct.pack(">I", 2)))),
            box(
                b"trak",
                _tkhd(2),
                edit,
                box(
                    b"mdia",
                    box(b"mdhd", bytes(12), struct.pack(">II", 1_000, 0), bytes(4)),
                    box(b"hdlr", bytes(8), b"text", bytes(12)),
                    box(b"minf", tables),
                ),
            ),
        )
    )


def _tkhd(number: int) -> bytes:
    return box(b"tkhd", bytes(12), struct.pack(">I", number), bytes(68))


def text_sample(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return struct.pack(">H", len(data)) + data + box(b"encd", bytes.fromhex("00000100"))
