"""What kind of audio bytes are, told from the bytes alone: servers and feeds are wrong about it too often."""

from collections.abc import Callable

from player.media.formats.mpeg import Frame, adts_frame, id3v2_size, mp3_frame

HEAD = 64 * 1024
"""Bytes from the start that are enough to tell, unless garbage stands before the first frame."""

LONG_HEAD = 256 * 1024
"""So much garbage is borne with."""

HEADS = (4096, HEAD, LONG_HEAD)
"""How much to look at, one after the other, until it is enough: most files need only the first."""

FORMATS = ("mp3", "mp4", "aac", "ogg", "flac", "wav", "matroska", "aiff")
"""All that `sniff` tells and Earmark plays: `aac` is ADTS, `matroska` WebM too."""

_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
_BOX_BELOW = 9
"""Of a first box's length the first byte: 150 MB at most. Above, gzip, bzip2 and text begin with the same bytes."""
_FRAMES = 3
_MOST_TAGS = 16
_TS_PACKET = 188


def sniff(head: bytes) -> str:
    """One of FORMATS; "" when the bytes tell none of them."""
    if tag := id3v2_size(head):
        # Some AAC and FLAC carry an ID3 tag as well. A tag longer than what we see is taken for that of an MP3.
        return _sniff_behind_tags(without_tags(head)) if tag < len(head) else "mp3"
    if head[:4] == b"fLaC":
        return "flac"
    if head[:4] == b"OggS":
        return "ogg"
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    if head[:4] == b"FORM" and head[8:12] in (b"AIFF", b"AIFC"):
        return "aiff"
    if head[:4] == b"\x1a\x45\xdf\xa3":
        return "matroska"
    if head[4:8] in _MP4_BOXES and head[0] < _BOX_BELOW:
        return "mp4"
    return _first_frame(head)[0]


def _sniff_behind_tags(head: bytes) -> str:
    # Frames of layer I or of free bit rate can't be counted; behind a tag, where one begins is still one.
    is_frame = len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0
    return sniff(head) or ("mp3" if is_frame else "")


def without_tags(head: bytes) -> bytes:
    """What stands behind the ID3v2 tags in front."""
    start = 0
    for _ in range(_MOST_TAGS):
        if not (tag := id3v2_size(head[start : start + 10])):
            break
        start += tag
    return head[start:]


def found(read: Callable[[int, int], bytes]) -> tuple[str, int]:
    """What the file is, one of FORMATS, and the byte behind its tags where the audio begins; ("", 0) where none does.

    `read` waits for bytes, and returns all it was asked for if the file holds them.
    """
    start = 0
    for _ in range(_MOST_TAGS):
        if not (tag := id3v2_size(read(start, 10))):
            break
        start += tag
    sniffed = _sniff_behind_tags if start else sniff
    form = next(filter(None, (sniffed(read(start, count)) for count in HEADS)), "")
    return (form, start) if form else ("", 0)


def stream_start(head: bytes) -> tuple[str, int]:
    """What a stream that was joined somewhere is, one of FORMATS or `mpegts`, and the byte to begin at.

    ("", 0) as long as the bytes don't tell.
    """
    start = len(head) - len(without_tags(head))
    data = head[start:]
    for at in range(_TS_PACKET):
        if data[at : at + 3 * _TS_PACKET + 1 : _TS_PACKET] == b"\x47" * 4:
            return "mpegts", start + at
    form = sniff(data)
    return (form, start + _first_frame(data)[1]) if form in ("mp3", "aac") else (form, start if form else 0)


def names_other_files(head: bytes) -> bool:
    """Whether libvlc would take bytes that begin so for a manifest of Adobe's streaming, whatever they are.

    It looks for the word in the first 200 bytes before it asks which demuxer is wanted. Then it fetches what the
    manifest names, or crashes where the rest is none (libvlc 3.0.24, modules/stream_filter/hds).
    """
    return any("<manifest".encode(encoding) in head[:512] for encoding in ("ascii", "utf-16-le", "utf-16-be"))


def is_page(content_type: str, head: bytes) -> bool:
    """Whether an answer is a web page (a sign-in page, a "not found" with status 200) and no audio."""
    if sniff(head):
        return False
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        return True
    return has_page(head)


def has_page(head: bytes) -> bool:
    """Whether the bytes themselves are HTML."""
    start = head[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<script"))


def _first_frame(head: bytes) -> tuple[str, int]:
    """Garbage may stand before the first frame; so a frame counts only where others of its kind follow on its end."""
    at = head.find(b"\xff")
    while at >= 0:
        if _chain(head, at, adts_frame, 7):
            return "aac", at
        if _chain(head, at, mp3_frame, 4):
            return "mp3", at
        at = head.find(b"\xff", at + 1)
    return "", 0


def _chain(head: bytes, at: int, parse: Callable[[bytes], Frame | None], length: int) -> bool:
    """Two frames of one kind at `at`, or three where so many bytes are there."""
    kinds: list[int] = []
    while len(kinds) < _FRAMES and at + length <= len(head):
        frame = parse(head[at : at + length])
        if frame is None or (kinds and frame.kind != kinds[0]):
            return False
        kinds.append(frame.kind)
        at += frame.size
    return len(kinds) >= 2
