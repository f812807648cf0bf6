"""What bytes are that hold no audio, in words for the listener."""

import re

from player.errors import MediaError
from player.media.formats.sniff import has_page, without_tags

_PLAYLISTS = re.compile(
    rb"\s*(?:#EXTM3U|#EXTINF|\[playlist\]|\[reference\]|ffconcat version|SDP|v=0\r?\n|RTSPtext|SMILtext"
    rb"|(?:https?|file|rtsp|rtmp|mms)://\S+\s*(?:\n|$)"
    # Atomic: comments after comments would be tried in every combination.
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
_ADVICE = "Refresh the podcast: it may name another file by now."
_ENOUGH = 4096


def no_audio(head: bytes) -> MediaError:
    """Why a file that begins with `head` can't be played."""
    return MediaError(f"This episode's file holds {_what(head)}", _ADVICE)


def _what(head: bytes) -> str:
    start = without_tags(head)[:_ENOUGH].lstrip(b"\xef\xbb\xbf")
    if not head:
        return "nothing at all"
    if has_page(start):
        return "a web page and no audio"
    if _PLAYLISTS.match(start):
        return "a playlist and no audio"
    if start.startswith(_PICTURES) or (start[:4] == b"RIFF" and start[8:12] == b"WEBP"):
        return "a picture and no audio"
    if start.startswith(_ARCHIVES):
        return "a packed archive and no audio"
    if start.startswith(b"%PDF"):
        return "a PDF document and no audio"
    if start and b"\0" not in start and _is_text(start):
        return "text and no audio"
    return "no audio that Earmark knows"


def _is_text(data: bytes) -> bool:
    try:
        # What is cut may end in the middle of a character.
        data[: max(1, len(data) - 4)].decode()
    except UnicodeDecodeError:
        return False
    return True
