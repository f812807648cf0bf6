"""Addresses of YouTube: a video's page, which stands for its audio, its chapters and its captions."""

import re
from urllib.parse import urlsplit

HOSTS = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "youtu.be"})
_GUID = re.compile(r"yt:video:([A-Za-z0-9_-]{11})")
_PAGE = re.compile(r"https://www\.youtube\.com/watch\?v=[A-Za-z0-9_-]{11}")
VIDEO_TYPE = "video/webm"
"""What most videos are."""
_CHAPTERS, _CAPTIONS = "#chapters", "#captions"


def video_page(guid: str) -> str:
    """The page of the video that an entry of a YouTube feed is, by its id; "" for entries of other feeds."""
    found = _GUID.fullmatch(guid)
    return f"https://www.youtube.com/watch?v={found[1]}" if found else ""


def is_video_page(address: str) -> bool:
    return bool(_PAGE.fullmatch(address))


def is_youtube(address: str) -> bool:
    """Whether it is the address of anything on YouTube: a feed, a channel, a video."""
    try:
        return (urlsplit(address).hostname or "").rstrip(".") in HOSTS
    except ValueError:
        return False


def chapters_of(page: str) -> str:
    """What an episode calls its chapters, which no file has."""
    return page + _CHAPTERS


def captions_of(page: str) -> str:
    """What an episode calls its captions, whose real address expires."""
    return page + _CAPTIONS


def page_of(address: str) -> tuple[str, str]:
    """The page of a video that chapters or captions belong to, and `chapters` or `captions`; ("", "") for others."""
    page, _hash, part = address.partition("#")
    return (page, part) if is_video_page(page) and f"#{part}" in (_CHAPTERS, _CAPTIONS) else ("", "")
