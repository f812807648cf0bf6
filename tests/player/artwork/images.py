"""Images for tests, good and bad, made with Pillow."""

import io
import struct
import zlib
from typing import Any

from PIL import Image

RED, BLUE = (200, 30, 40), (20, 60, 190)


def halves(width: int = 300, height: int = 300, kind: str = "PNG", mode: str = "RGB", **more: Any) -> bytes:
    """Red on the left, blue on the right."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    out = io.BytesIO()
    image.convert(mode).save(out, kind, **more)
    return out.getvalue()


def upright(orientation: int) -> bytes:
    """A JPEG whose tag says how it is to be turned (Exif 2.3, 4.6.4)."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return halves(kind="JPEG", exif=exif)


def animated() -> bytes:
    out = io.BytesIO()
    frames = [Image.new("RGB", (64, 64), colour) for colour in (RED, *[BLUE] * 50)]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    return out.getvalue()


def claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it has so many pixels, all of the same colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    lines = zlib.compress(bytes(1_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", lines) + chunk(b"IEND", b"")


def gif_bomb() -> bytes:
    """A GIF whose screen is 65535 by 65535."""
    return (
        b"GIF89a"
        + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0)
        + bytes(6)
        + b"\x2c"
        + bytes(4)
        + (struct.pack("<HHB", 65535, 65535, 0) + b"\x02\x02\x4c\x01\x00\x3b")
    )


def mean(rgb: bytes) -> tuple[float, ...]:
    """The mean colour of RGB pixels."""
    count = len(rgb) // 3
    return tuple(sum(rgb[channel::3]) / count for channel in range(3))


def close(one: tuple[float, ...], other: tuple[float, ...], by: float = 14) -> bool:
    return all(abs(a - b) <= by for a, b in zip(one, other, strict=True))
