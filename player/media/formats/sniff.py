"""Recognises audio formats, and files that aren't audio, by their bytes alone: servers and feeds state wrong types."""

import re
from collections.abc import Callable

from player.errors import MediaError
from player.media.formats.mpeg import Frame, adts_frame, id3v2_size, mp3_frame
from player.text.sentences import _

HEAD = 64 * 1024
"""Bytes from the start that suffice to recognise a format, unless there is garbage before the first frame."""

LONG_HEAD = 256 * 1024
"""Bytes from the start that suffice even with as much garbage as is tolerated."""

HEADS = (4096, HEAD, LONG_HEAD)
"""Numbers of bytes to examine, in ascending order, until they suffice: for most files the first is enough."""

FORMATS = ("mp3", "mp4", "aac", "ogg", "flac", "wav", "matroska", "aiff")
"""The formats that `sniff` recognises and Earmark plays; `aac` is ADTS, `matroska` includes WebM."""

_MP4_BOXES = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
_BOX_BELOW = 9
"""The first byte of the first box's length is below this (150 MB). Higher values also begin gzip, bzip2 and text."""
_FRAMES = 3
_MOST_TAGS = 16
_TS_PACKET = 188


def sniff(head: bytes) -> str:
    """The format, one of FORMATS; "" if it is none of them, or the bytes don't suffice."""
    if tag := id3v2_size(head):
        # Some AAC and FLAC files have an ID3 tag as well. A tag longer than `head` is taken for an MP3's.
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
    # Frames of layer I or of free bit rate can't be counted, but right after a tag a sync word is enough.
    is_frame = len(head) > 1 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0
    return sniff(head) or ("mp3" if is_frame else "")


def without_tags(head: bytes) -> bytes:
    """`head` without the ID3v2 tags at its beginning."""
    start = 0
    for _tag in range(_MOST_TAGS):
        if not (tag := id3v2_size(head[start : start + 10])):
            break
        start += tag
    return head[start:]


def found(read: Callable[[int, int], bytes]) -> tuple[str, int]:
    """The file's format, one of FORMATS, and the byte after its tags, where the audio begins; ("", 0) for none.

    `read` waits for bytes, and returns as many as it was asked for if the file has them.
    """
    start = tags_length(read)
    sniffed = _sniff_behind_tags if start else sniff
    form = next(filter(None, (sniffed(read(start, count)) for count in HEADS)), "")
    return (form, start) if form else ("", 0)


def tags_length(read: Callable[[int, int], bytes]) -> int:
    """The number of bytes of the ID3v2 tags at the beginning of the file."""
    start = 0
    for _tag in range(_MOST_TAGS):
        if not (tag := id3v2_size(read(start, 10))):
            break
        start += tag
    return start


def stream_start(head: bytes) -> tuple[str, int]:
    """The format of a stream that was joined midway (one of FORMATS, or `mpegts`), and the byte to start at.

    ("", 0) while the bytes don't suffice.
    """
    start = len(head) - len(without_tags(head))
    data = head[start:]
    for at in range(_TS_PACKET):
        if data[at : at + 3 * _TS_PACKET + 1 : _TS_PACKET] == b"\x47" * 4:
            return "mpegts", start + at
    form = sniff(data)
    return (form, start + _first_frame(data)[1]) if form in ("mp3", "aac") else (form, start if form else 0)


def names_other_files(head: bytes) -> bool:
    """Whether libvlc would take such bytes for a manifest of Adobe's HTTP Dynamic Streaming, whatever they are.

    It looks for the word in the first 200 bytes before it considers which demuxer was requested. Then it fetches the
    files that the manifest names, or crashes if the rest isn't a manifest (libvlc 3.0.24, modules/stream_filter/hds).
    """
    return any("<manifest".encode(encoding) in head[:512] for encoding in ("ascii", "utf-16-le", "utf-16-be"))


def is_page(content_type: str, head: bytes) -> bool:
    """Whether a response is a web page (a sign-in page, a "not found" with status 200) instead of audio."""
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
    """The format and the first byte of the first frame; ("", 0) if there is none. Garbage may precede it, so it must be
    followed by further frames of its kind."""
    at = head.find(b"\xff")
    while at >= 0:
        if _chain(head, at, adts_frame, 7):
            return "aac", at
        if _chain(head, at, mp3_frame, 4):
            return "mp3", at
        at = head.find(b"\xff", at + 1)
    return "", 0


def _chain(head: bytes, at: int, parse: Callable[[bytes], Frame | None], length: int) -> bool:
    """Whether there are two frames of one kind at `at`, or three if `head` is long enough."""
    kinds: list[int] = []
    while len(kinds) < _FRAMES and at + length <= len(head):
        frame = parse(head[at : at + length])
        if frame is None or (kinds and frame.kind != kinds[0]):
            return False
        kinds.append(frame.kind)
        at += frame.size
    return len(kinds) >= 2


_PLAYLISTS = re.compile(
    rb"\s*(?:#EXTM3U|#EXTINF|\[playlist\]|\[reference\]|ffconcat version|SDP|v=0\r?\n|RTSPtext|SMILtext"
    rb"|(?:https?|file|rtsp|rtmp|mms)://\S+\s*(?:\n|$)"
    # An atomic group: otherwise, comments after comments would be tried in every combination.
    rb"|(?>(?:<\?(?:xml|wpl|quicktime|zpl)[^>]*>\s*|<!--(?:(?!-->).)*-->\s*|<!DOCTYPE[^>]*>\s*)*)"
    rb"<(?:\w+:)?(?:playlist|asx|smil|MPD|manifest|WinampXML|WMP|SmoothStreamingMedia|embed)\b"
    rb"|<\?(?:wpl|quicktime)\b"
    rb"|(?:REM |TITLE |PERFORMER |CATALOG )[^\n]*\n|FILE +\"[^\n]*\" +\w+\s*\n)",
    re.IGNORECASE | re.DOTALL,
)
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_ARCHIVES = (
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"7z\xbc\xaf",
    b"Rar!",
    b"\x28\xb5\x2f\xfd",
)
_NOT_PLAYED = {
    b"\x30\x26\xb2\x75\x8e\x66\xcf\x11": "Windows Media",
    b"\x0b\x77": "AC-3",
    b"#!AMR": "AMR",
    b".RMF": "RealMedia",
    b".ra\xfd": "RealAudio",
    b"MThd": "MIDI",
    b"MAC ": "Monkey's Audio",
    b"wvpk": "WavPack",
    b"MPCK": "Musepack",
}
"""Audio formats that Earmark doesn't play, by the first bytes of their files."""
_ENOUGH = 4096


def no_audio(head: bytes) -> MediaError:
    """Why a file that begins with `head` can't be played."""
    start = without_tags(head)
    if name := next((name for begins, name in _NOT_PLAYED.items() if start.startswith(begins)), ""):
        return MediaError(
            _("This episode's file is in a format that Earmark can't play ({name})", name=name),
            _("Open its link in another player."),
        )
    return MediaError(
        _("This episode's file is {what}", what=_what(head)), _("Refresh the podcast; it may have a new file by now.")
    )


def _what(head: bytes) -> str:
    start = without_tags(head)[:_ENOUGH].lstrip(b"\xef\xbb\xbf")
    if not head:
        return _("empty")
    if has_page(start):
        return _("a web page, not audio")
    if _PLAYLISTS.match(start):
        return _("a playlist, not audio")
    if start.startswith(_PICTURES) or (start[:4] == b"RIFF" and start[8:12] == b"WEBP"):
        return _("a picture, not audio")
    if start.startswith(_ARCHIVES):
        return _("an archive, not audio")
    if start.startswith(b"%PDF"):
        return _("a PDF document, not audio")
    if start and b"\0" not in start and _is_text(start):
        return _("text, not audio")
    return _("not in an audio format that Earmark knows")


def _is_text(data: bytes) -> bool:
    try:
        # The cut may be in the middle of a character.
        data[: max(1, len(data) - 4)].decode()
    except UnicodeDecodeError:
        return False
    return True
