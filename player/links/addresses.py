"""Addresses that Earmark knows besides web addresses: `earmark:`, `file:`, `radio:`, and those for YouTube and for
Audiobookshelf servers."""

import contextlib
import os
import re
import unicodedata
from enum import StrEnum
from pathlib import Path
from urllib.parse import parse_qsl, quote, unquote_to_bytes, urlsplit

from msgspec import Struct

from player.errors import EarmarkError
from player.links.urls import in_ascii, in_unicode, web_address
from player.text.durations import parse_time
from player.text.sentences import _
from player.text.typed_names import suggestion

SCHEME = "earmark"
LONGEST = 8_000
"""Most characters of an `earmark:` address."""
_MOST_FIELDS = 20
_LONGEST_GUID = 2_000


class BadAddress(EarmarkError):
    """Earmark can't open the address."""


class Verb(StrEnum):
    PLAY = "play"
    SHOW = "show"
    SUBSCRIBE = "subscribe"


class EarmarkAddress(Struct, frozen=True):
    """`feed` is an http or https address. Without a `guid` it means the podcast; `at_ms` is the position to play
    from."""

    verb: Verb
    feed: str
    guid: str = ""
    at_ms: int | None = None


def is_address(text: str) -> bool:
    """Whether the text is meant as an `earmark:` address."""
    return text[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def parse(text: str) -> EarmarkAddress:
    """The contents of an `earmark:` address. Raises BadAddress."""
    if len(text) > LONGEST:
        raise BadAddress(_("That address is too long"))
    if not is_address(text):
        raise BadAddress(_("That isn't an earmark: address"), _example())
    if any(letter.isspace() or _is_control(letter) for letter in text):
        raise BadAddress(_("That address contains a space or a control character"), _example())
    try:
        parts = urlsplit(text)
        fields = parse_qsl(parts.query, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise BadAddress(_("That address can't be read"), _example()) from error
    name = (parts.netloc or parts.path).strip("/").lower()
    if name not in {*Verb} or (parts.netloc and parts.path.strip("/")):
        near = suggestion(name[:40], Verb) or _(" There are {verbs}.", verbs=", ".join(Verb))
        raise BadAddress(_("An earmark: address can't “{verb}”", verb=_shown(name)), near.strip())
    return _checked(Verb(name), fields)


def _checked(verb: Verb, fields: list[tuple[str, str]]) -> EarmarkAddress:
    given = dict(fields)
    if len(given) != len(fields):
        raise BadAddress(_("That address has the same part twice"), _example())
    if any(_is_control(letter) for value in given.values() for letter in value):
        raise BadAddress(_("That address contains a control character"), _example())
    feed, guid = given.get("feed", ""), given.get("guid", "")
    if not feed:
        raise BadAddress(_("That address names no feed"), _example())
    web = web_address(feed)
    if not web:
        raise BadAddress(_("The feed in that address isn't an http or https URL"), _example())
    if len(guid) > _LONGEST_GUID:
        raise BadAddress(_("That address is too long"))
    try:
        at_ms = parse_time(given["t"]) if verb is Verb.PLAY and given.get("t") else None
    except ValueError as error:
        raise BadAddress(_("The time in that address can't be used: {error}", error=error)) from error
    return EarmarkAddress(verb, web, guid if verb is not Verb.SUBSCRIBE else "", at_ms)


def written(address: EarmarkAddress) -> str:
    """The `earmark:` address as text."""
    fields = {"feed": address.feed, "guid": address.guid, "t": f"{(address.at_ms or 0) // 1000 or ''}"}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items() if value)
    return f"{SCHEME}://{address.verb}?{query}"


def _is_control(letter: str) -> bool:
    """Whether it is a control character, or a character that changes the direction of text or is invisible."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _shown(name: str) -> str:
    return name if len(name) <= 40 and name.isprintable() else name[:40].encode("ascii", "replace").decode() + "…"


def _example() -> str:
    return _("One is like {example}", example="earmark://subscribe?feed=https%3A%2F%2Fexample.org%2Ffeed")


_SCHEME = "radio:"
RADIO_TYPE = "audio/x-radio-stream"
"""The media type of radio streams and live shows as episodes."""


def radio_address(stream: str) -> str:
    return f"{_SCHEME}{stream}"


def is_radio(address: str) -> bool:
    return address.startswith(_SCHEME)


def stream_of(address: str) -> str:
    """The web address inside a `radio:` address; other addresses unchanged."""
    return address.removeprefix(_SCHEME)


_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def url_key(url: str) -> str:
    """A key that is the same for all addresses of one feed: the host in lower case; no scheme, trailing slash, default
    port or fragment. A radio stream has the key of its web address."""
    url = stream_of(url.strip())
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        return url
    login, at, host = parts.netloc.rpartition("@")
    host = host.lower().removesuffix(_DEFAULT_PORTS[scheme])
    query = f"?{parts.query}" if parts.query else ""
    return f"{login}{at}{host}{parts.path.rstrip('/')}{query}"


def spelling_key(url: str) -> str:
    """`url_key`, and the same for an address with letters that aren't ASCII and for its form in ASCII."""
    return url_key(in_ascii(url) or url)


def spellings(url: str) -> set[str]:
    """The address, in ASCII, and with the letters that the ASCII stands for."""
    return {url, in_ascii(url), in_unicode(url)} - {""}


HOSTS = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "youtu.be"})
_GUID = re.compile(r"yt:video:([A-Za-z0-9_-]{11})")
_PAGE = re.compile(r"https://www\.youtube\.com/watch\?v=[A-Za-z0-9_-]{11}")
VIDEO_TYPE = "video/webm"
"""The media type of YouTube's videos as episodes."""
_CHAPTERS, _CAPTIONS = "#chapters", "#captions"


def video_page(guid: str) -> str:
    """The page of the video for an entry of a YouTube feed, by its id; "" for entries of other feeds."""
    found = _GUID.fullmatch(guid)
    return f"https://www.youtube.com/watch?v={found[1]}" if found else ""


def is_video_page(address: str) -> bool:
    return bool(_PAGE.fullmatch(address))


def video_page_of(address: str) -> str:
    """The page of the video to which a link to YouTube leads (`youtu.be/…`, `/embed/…`, `/live/…`); "" for other
    links."""
    try:
        parts = urlsplit(address)
        name = (parts.hostname or "").rstrip(".")
    except ValueError:
        return ""
    if name not in HOSTS or parts.scheme not in ("http", "https"):
        return ""
    first, _slash, rest = parts.path.strip("/").partition("/")
    found = rest if first in ("embed", "live", "shorts", "v") else first if name == "youtu.be" else ""
    if first == "watch":
        found = next((part[2:] for part in parts.query.split("&") if part.startswith("v=")), "")
    return video_page(f"yt:video:{found.rstrip('/')}")


def is_youtube(address: str) -> bool:
    """Whether it is an address on YouTube: of a feed, a channel, a video."""
    try:
        return (urlsplit(address).hostname or "").rstrip(".") in HOSTS
    except ValueError:
        return False


def chapters_of(page: str) -> str:
    """The address that stands for an episode's chapters on YouTube, for which there is no file."""
    return page + _CHAPTERS


def captions_of(page: str) -> str:
    """The address that stands for an episode's captions on YouTube, whose real address expires."""
    return page + _CAPTIONS


def page_of(address: str) -> tuple[str, str]:
    """The page of the video that chapters or captions belong to, and `chapters` or `captions`; ("", "") for other
    addresses."""
    page, _hash, part = address.partition("#")
    return (page, part) if is_video_page(page) and f"#{part}" in (_CHAPTERS, _CAPTIONS) else ("", "")


_AUDIOBOOKSHELF = "audiobookshelf:"
_AUDIOBOOKSHELF_PODCAST = re.compile(r"(https?://[^?#]+)/item/([A-Za-z0-9_-]{1,64})")
_AUDIOBOOKSHELF_EPISODE = re.compile(
    rf"{_AUDIOBOOKSHELF_PODCAST.pattern}#audiobookshelf/([A-Za-z0-9_-]{{1,64}})(/chapters)?"
)


class AudiobookshelfAddress(Struct, frozen=True):
    """A podcast on an Audiobookshelf server (an “item” there), or an episode of it. `server` is the base address of the
    server, without a slash at its end. `is_chapters`: the address is that of the episode's chapters."""

    server: str
    item: str
    episode: str = ""
    is_chapters: bool = False


def audiobookshelf_podcast(server: str, item: str) -> str:
    """The address of a podcast: that of its web page, but with a scheme that no feed has."""
    return f"{_AUDIOBOOKSHELF}{server}/item/{item}"


def audiobookshelf_episode(server: str, item: str, episode: str) -> str:
    """The address of an episode: that of its podcast's web page, with a fragment, which isn't sent to the server. It
    stands for the audio, whose own address changes when the server replaces the file."""
    return f"{server}/item/{item}#audiobookshelf/{episode}"


def audiobookshelf_chapters(episode: str) -> str:
    """The address that stands for the chapters of the episode at that address."""
    return f"{episode}/chapters"


def is_audiobookshelf(address: str) -> bool:
    return address.startswith(_AUDIOBOOKSHELF)


def audiobookshelf_address(address: str) -> AudiobookshelfAddress | None:
    """The parts of an address that one of the three functions above has made; None for other addresses."""
    if (
        found := _AUDIOBOOKSHELF_PODCAST.fullmatch(address.removeprefix(_AUDIOBOOKSHELF))
        if is_audiobookshelf(address)
        else None
    ):
        return AudiobookshelfAddress(found[1], found[2])
    if "#audiobookshelf/" in address and (found := _AUDIOBOOKSHELF_EPISODE.fullmatch(address)):
        return AudiobookshelfAddress(found[1], found[2], found[3], bool(found[4]))
    return None


_START = "file://"
_SAFE = "/!$&'()*+,:;=@~-._"
_ESCAPED = re.compile(r"\\(.)")
_PATH = re.compile(r"(?:/|~|\.\.?(?:/|$)|file:)")


def file_address(path: str | Path, version: int = 0) -> str:
    """The address of an absolute path. Names that aren't UTF-8 keep their bytes. With a `version` it is another address
    whenever the file has changed."""
    return _START + quote(os.fsencode(path), safe=_SAFE) + (f"#{version}" if version else "")


def is_file_address(address: str) -> bool:
    return address.startswith(f"{_START}/")


def path_of(address: str) -> Path:
    """The absolute path from which `file_address` made an address. Raises ValueError for any other address."""
    name = unquote_to_bytes(address.removeprefix(_START).partition("#")[0])
    if not is_file_address(address) or b"\0" in name or b".." in name.split(b"/"):
        raise ValueError("not the address of a local file")
    return Path(os.fsdecode(name))


def belongs_to(address: str, podcast: str) -> bool:
    """Whether `address` is a file of the podcast at the address `podcast`: that file itself, or a file in that
    folder."""
    if not is_file_address(podcast) or not is_file_address(address):
        return False
    try:
        return path_of(address).is_relative_to(path_of(podcast))
    except ValueError:
        return False


def looks_like_path(text: str) -> bool:
    """Whether typed text means a file or folder rather than a URL: `/…`, `~/…`, `./…`, `file:…`, or any of these in the
    quotation marks that a terminal puts around a dragged file. Doesn't read the disk."""
    return bool(_PATH.match(_unquoted(text.strip())))


def typed_path(text: str) -> Path | None:
    """The absolute path that the text means; None if it doesn't look like a path. Reads the disk, as a name may be
    typed with or without backslashes before its spaces."""
    typed = text.strip()
    if not looks_like_path(typed):
        return None
    bare = _unquoted(typed)
    if bare.lower().startswith("file:"):
        rest = bare[len("file:") :]
        rest = rest.removeprefix("//localhost") if rest.startswith("//localhost/") else rest.removeprefix("//")
        return _absolute(os.fsdecode(unquote_to_bytes(rest)))
    plain = _absolute(bare)
    if bare == typed and "\\" in bare and not os.path.lexists(plain):
        return _absolute(_ESCAPED.sub(r"\1", bare))
    return plain


def with_home(text: str) -> Path:
    """The path for a typed file name: `~` is the home folder, `~name` another user's. Without such a user, the name
    stays as it is, and then means a file that doesn't exist."""
    with contextlib.suppress(RuntimeError):
        return Path(text).expanduser()
    return Path(text)


def below_home(text: str) -> Path:
    """A path in the settings: a relative path is below the home folder, wherever Earmark is started."""
    return Path.home() / with_home(text)


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
    return text[1:-1] if quoted else text


def _absolute(text: str) -> Path:
    path = with_home(text.replace("\0", ""))
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.resolve would follow symbolic links


_SERVER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?")
_JID = re.compile(r"[^\s@/?#]+@[^\s@/?#]+")
_MATRIX_ROOM = re.compile(r"[#!]([^\s/?#:]+:[A-Za-z0-9.:-]+)")


def chat_address(protocol: str, server: str, space: str) -> str:
    """The address of a room that a feed describes (`podcast:chat`): of IRC (draft-butcher-irc-url), XMPP (RFC 5122),
    Matrix (its “matrix: URI scheme”) or the web; "" for one without such an address."""
    if address := web_address(server):
        return address
    match protocol:
        case "irc" if _SERVER.fullmatch(server):
            channel = space.removeprefix("#") if not space.startswith("##") else space
            return f"irc://{server}/{quote(channel, safe='')}"
        case "xmpp":
            room = space if "@" in space or not space else f"{space.removeprefix('#')}@{server}"
            return f"xmpp:{quote(room, safe='@')}?join" if _JID.fullmatch(room) else ""
        case "matrix" if found := _MATRIX_ROOM.fullmatch(space):
            return f"matrix:{'r' if space[0] == '#' else 'roomid'}/{quote(found[1], safe=':')}"
    return ""
