"""Recognising a radio stream by what its server sends, and its name. Pure.

Icecast and SHOUTcast name a station in `icy-` headers, an M3U in `#EXTINF:-1,Name`, a PLS in `Title1=Name`.
"""

import re

from msgspec import Struct

from player.links.urls import host, web_address
from player.media.fetching.hls import is_hls
from player.media.fetching.live_streams import first_entry, is_playlist
from player.net.fetch import Fetched
from player.text.cleaning import clean_block, clean_line

_ENDS = "#EXT-X-ENDLIST"
_NAMED = re.compile(r"^(?:#EXTINF:\s*-?\d+[^,\n]*,|title1\s*=)[ \t]*(\S[^\r\n]*)", re.IGNORECASE | re.MULTILINE)
_DESCRIPTION = 2_000


class Station(Struct, frozen=True):
    """`next` is the address of the stream that a playlist names, which is still to be looked at; "" for the stream."""

    name: str = ""
    description: str = ""
    link: str = ""
    next: str = ""


def station_of(peeked: Fetched) -> Station | None:
    """The station by the beginning of a response, which is empty if the head alone tells that it is a radio stream.
    None for what is no stream: a file, or something else."""
    headers = peeked.headers
    if not peeked.body or (_is_audio(peeked) and _has_no_end(peeked)):
        return Station(
            clean_line(_text(headers.get("icy-name", ""))),
            clean_block(_text(headers.get("icy-description", "")), _DESCRIPTION),
            web_address(_text(headers.get("icy-url", ""))),
        )
    text = peeked.body.decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if not is_playlist(peeked.content_type, peeked.body[:64]):
        return None
    if is_hls(text):
        return None if _ENDS in text else Station()
    there = first_entry(peeked.url, peeked.content_type, text)
    found = _NAMED.search(text)
    return Station(clean_line(found[1]) if found else "", next=there) if there else None


def otherwise_named(address: str) -> str:
    """What a station without a name is called."""
    return host(address) or clean_line(address, 80)


def _is_audio(peeked: Fetched) -> bool:
    return peeked.content_type.lower().startswith(("audio/", "application/ogg"))


def _has_no_end(peeked: Fetched) -> bool:
    """A file has a length, ranges or a version, even where it is sent in chunks."""
    return not any(name in peeked.headers for name in ("Content-Length", "Accept-Ranges", "ETag", "Last-Modified"))


def _text(value: str) -> str:
    """Headers are read as ISO-8859-1; most stations send UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value
