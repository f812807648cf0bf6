"""Finds the video of an episode: one that its feed names beside the audio, its enclosure, or its page on YouTube."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from player.links.addresses import is_video_page, video_page_of
from player.links.urls import openable
from player.model.episode import Episode

_STREAMS = ("application/x-mpegurl", "application/vnd.apple.mpegurl")
"""HLS, which may also contain only audio."""
_VIDEO_CODECS = ("avc", "hvc", "hev", "vp8", "vp9", "vp09", "av01", "h264")


def video_of(episode: Episode, extra: str, file: Path | None = None) -> str:
    """The address of the video (http or https, only characters of RFC 3986), or the absolute path of a file; "" if the
    episode has no video. `extra` is the episode's; `file` is its download or local file, if it has one."""
    if alternate := _alternate(extra):
        return alternate
    if episode.media_type.startswith("video/"):
        if is_video_page(episode.url):
            return episode.url
        return str(file) if file is not None and file.is_absolute() else _web(episode.url)
    return video_page_of(episode.link)


def _alternate(extra: str) -> str:
    """The best video among the alternative enclosures (`podcast:alternateEnclosure`): the default, else the one with
    the greatest height; "" if there is none."""
    found = json.loads(extra).get("alternateEnclosure") if '"alternateEnclosure"' in extra else None
    enclosures = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    for one in sorted(enclosures, key=_rank, reverse=True):
        if address := next(_sources(one), ""):
            return address
    return ""


def _rank(enclosure: dict[str, Any]) -> tuple[bool, float, float]:
    return enclosure.get("default") is True, _number(enclosure.get("height")), _number(enclosure.get("bitrate"))


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0.0


def _sources(enclosure: dict[str, Any]) -> Iterator[str]:
    """Its web addresses with video, by their own type or that of the enclosure; no torrents."""
    sources = enclosure.get("source")
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict) and (address := _web(source.get("uri"))):
            kind = source.get("contentType") or enclosure.get("type")
            if _is_video(kind if isinstance(kind, str) else "", enclosure):
                yield address


def _is_video(kind: str, enclosure: dict[str, Any]) -> bool:
    if kind in _STREAMS:
        codecs = str(enclosure.get("codecs", "")).lower()
        return _number(enclosure.get("height")) > 0 or any(one in codecs for one in _VIDEO_CODECS)
    return kind.startswith("video/")


def _web(address: object) -> str:
    """The address in a form that is safe as a program's argument; "" unless it is http or https."""
    found = openable(address) if isinstance(address, str) else ""
    return found if found.startswith(("http://", "https://")) else ""
