"""What a file without audio contains, in words for the listener."""

import re

from player.errors import MediaError
from player.media.formats.sniff import has_page, without_tags
from player.text.sentences import _

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
"""Audio that Earmark doesn't play, by how its files begin."""
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
