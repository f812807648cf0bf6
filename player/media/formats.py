"""What kind of audio bytes are, told from the bytes alone: servers and feeds are wrong about it too often."""

from collections.abc import Callable

from player.media.mpeg import Frame, adts_frame, id3v2_size, mp3_frame

HEAD = 64 * 1024
"""Bytes from the start that are enough to tell, unless garbage stands before the first frame."""

LONG_HEAD = 256 * 1024
"""So much garbage is borne with."""

_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
_FRAMES = 3


def sniff(head: bytes) -> str:
    """`mp3`, `mp4`, `aac` (ADTS), `ogg`, `flac` or `wav`; "" when the bytes tell none of them."""
    if tag := id3v2_size(head):
        # Some AAC and FLAC carry an ID3 tag as well. A tag longer than what we see is taken for that of an MP3.
        return (sniff(head[tag:]) or "mp3") if tag < len(head) else "mp3"
    if head[:4] == b"fLaC":
        return "flac"
    if head[:4] == b"OggS":
        return "ogg"
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return "wav"
    if head[4:8] in _MP4_BOXES:
        return "mp4"
    return _sniff_frames(head)


def is_page(content_type: str, head: bytes) -> bool:
    """Whether an answer is a web page (a sign-in page, a "not found" with status 200) and no audio."""
    if sniff(head):
        return False
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        return True
    start = head[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<script"))


def _sniff_frames(head: bytes) -> str:
    """Garbage may stand before the first frame; so a frame counts only where others of its kind follow on its end."""
    at = head.find(b"\xff")
    while at >= 0:
        if _chain(head, at, adts_frame, 7):
            return "aac"
        if _chain(head, at, mp3_frame, 4):
            return "mp3"
        at = head.find(b"\xff", at + 1)
    return ""


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
