"""Parses the answers of an Audiobookshelf server, entry by entry: a malformed entry doesn't lose the others. Pure.

Seconds become milliseconds here. Texts are as the server sent them; callers clean what they show or store.
"""

import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct

MOST_EPISODES = 100_000
_MOST_CHAPTERS = 2_000
_MOST_LISTED = 100_000
_LARGEST_ENTRY = 4 * 1024 * 1024
_MOST_MS = 400 * 3_600_000
"""The longest episode, 400 hours."""
_LAST_MS = 4_102_444_800_000
"""No moment is later than 2100."""
_LONGEST_TOKEN = 8_000
_LONGEST_ID = 64


class Unreadable(ValueError):
    """The answer doesn't have the form that this API has."""


class ServerStatus(Struct, frozen=True):
    """`is_ready`: the server has been set up. `methods` are the ways to sign in to it (`local`, `openid`)."""

    version: str
    is_ready: bool = True
    methods: tuple[str, ...] = ()


class SignedIn(Struct, frozen=True):
    """`refresh` is "" if the access token doesn't expire."""

    name: str
    access: str
    refresh: str = ""


class PodcastLibrary(Struct, frozen=True):
    id: str
    name: str


class ListedPodcast(Struct, frozen=True):
    """An item of a podcast library. `feed` is the address of the feed that it came from, or ""."""

    id: str
    title: str
    author: str = ""
    feed: str = ""
    episodes: int | None = None


class ItemEpisode(Struct, frozen=True):
    """`guid` and `enclosure` are the feed's, "" if it had none. `audio` is the path of the file. It contains the file's
    inode, so it changes when the file is replaced. `notes` is HTML or plain text. A chapter is its start in ms and its
    title."""

    id: str
    guid: str = ""
    enclosure: str = ""
    title: str = ""
    subtitle: str = ""
    notes: str = ""
    published: datetime | None = None
    duration_ms: int | None = None
    size: int | None = None
    media_type: str = ""
    season: str = ""
    number: str = ""
    chapters: tuple[tuple[int, str], ...] = ()
    audio: str = ""


class Item(Struct, frozen=True):
    """A podcast with the episodes that the server has. `is_whole`: all episodes in the answer could be read."""

    id: str
    title: str
    author: str = ""
    description: str = ""
    feed: str = ""
    language: str = ""
    explicit: bool = False
    has_cover: bool = False
    episodes: tuple[ItemEpisode, ...] = ()
    is_whole: bool = True


class Progress(Struct, frozen=True):
    """The user's position in an episode. `updated_ms` (ms since 1970) is the time by which the server compares updates.
    `is_hidden`: it isn't listed under “Continue Listening”."""

    item: str
    episode: str
    position_ms: int
    duration_ms: int | None
    is_finished: bool
    updated_ms: int
    id: str = ""
    finished_ms: int | None = None
    is_hidden: bool = False


class Listening(Struct, frozen=True):
    """A listening session, with an id (UUID) that the client chooses: sent again with the same id, the session is
    updated. `listened_ms` is the total time listened, `from_ms` the position at which it began, `position_ms` the
    latest one; times are in ms since 1970."""

    id: str
    item: str
    episode: str
    title: str
    position_ms: int
    duration_ms: int
    listened_ms: int
    started_ms: int
    updated_ms: int
    from_ms: int = 0


class Taken(Struct, frozen=True):
    """The server's answer to a Listening. `moved`: its position is the user's now; it isn't if the server had a newer
    one."""

    id: str
    success: bool
    moved: bool = False
    error: str = ""


# -- whole answers --------------------------------------------------------------------------------------------


def read_status(body: bytes) -> ServerStatus | None:
    """None if the answer isn't that of an Audiobookshelf server."""
    try:
        found = _object(body)
    except Unreadable:
        return None
    if _text(found, "app").lower() != "audiobookshelf":
        return None
    methods = found.get("authMethods")
    ways = tuple(one for one in methods[:20] if isinstance(one, str)) if isinstance(methods, list) else ()
    return ServerStatus(_text(found, "serverVersion"), found.get("isInit") is not False, ways)


def read_signed_in(body: bytes) -> SignedIn:
    """Reads the answer to a login, to a renewal of tokens, or to a check of a token. Raises Unreadable."""
    user = _object(body).get("user")
    if not isinstance(user, dict):
        raise Unreadable
    access, refresh, old = (_text(user, name) for name in ("accessToken", "refreshToken", "token"))
    if is_token(access) and is_token(refresh):
        return SignedIn(_text(user, "username"), access, refresh)
    if is_token(old):
        return SignedIn(_text(user, "username"), old)
    raise Unreadable


def read_user_name(body: bytes) -> str:
    """Reads the user's name from the same answers. Raises Unreadable."""
    user = _object(body).get("user")
    if not isinstance(user, dict):
        raise Unreadable
    return _text(user, "username")


def is_token(text: str) -> bool:
    """Whether it can be sent as a token, in a header: it contains no line break."""
    return 0 < len(text) <= _LONGEST_TOKEN and text.isascii() and text.isprintable() and " " not in text


def read_libraries(body: bytes) -> tuple[PodcastLibrary, ...]:
    """The podcast libraries; libraries of audiobooks are left out. Raises Unreadable."""
    listed = _entries(_fields(body), "libraries")
    found = (one for one in listed if one is not None and one.get("mediaType") == "podcast")
    return tuple(PodcastLibrary(id, _text(one, "name")) for one in found if (id := _id(one, "id")))


def read_podcasts(body: bytes) -> tuple[tuple[ListedPodcast, ...], int, int]:
    """The podcasts on a page of a library's list, how many entries the page has, and how many the library has. Raises
    Unreadable."""
    fields = _fields(body)
    listed = tuple(_entries(fields, "results"))
    found = []
    for one in listed:
        media = one.get("media") if one else None
        metadata = media.get("metadata") if isinstance(media, dict) else None
        if one is None or not isinstance(media, dict) or not isinstance(metadata, dict) or not (id := _id(one, "id")):
            continue
        episodes = _whole(media.get("numEpisodes"), MOST_EPISODES)
        title = _text(metadata, "title")
        found.append(ListedPodcast(id, title, _text(metadata, "author"), _text(metadata, "feedUrl"), episodes))
    total = _whole(_decoded(fields.get("total", msgspec.Raw(b"null"))), _MOST_LISTED)
    return tuple(found), len(listed), total or 0


def read_item(body: bytes) -> Item | None:
    """None if the item isn't a podcast. Raises Unreadable."""
    fields = _fields(body)
    id = _id({"id": _decoded(fields.get("id", msgspec.Raw(b"null")))}, "id")
    if not id:
        raise Unreadable
    if _decoded(fields.get("mediaType", msgspec.Raw(b"null"))) != "podcast":
        return None
    media = _fields(bytes(fields.get("media", msgspec.Raw(b""))))
    metadata = _decoded(media.get("metadata", msgspec.Raw(b"null")))
    if not isinstance(metadata, dict):
        raise Unreadable
    episodes: list[ItemEpisode] = []
    is_whole = True
    for one in _entries(media, "episodes"):
        episode = _episode(one) if one is not None else None
        if episode is None or len(episodes) == MOST_EPISODES:
            is_whole = False
        else:
            episodes.append(episode)
    return Item(
        id,
        _text(metadata, "title"),
        _text(metadata, "author"),
        _text(metadata, "description"),
        _text(metadata, "feedUrl"),
        _text(metadata, "language"),
        metadata.get("explicit") is True,
        isinstance(_decoded(media.get("coverPath", msgspec.Raw(b"null"))), str),
        tuple(episodes),
        is_whole,
    )


def read_progress_of_all(body: bytes) -> tuple[Progress, ...]:
    """Reads the progress in all episodes, from the answer about the user. Raises Unreadable."""
    fields = _fields(body)
    if "mediaProgress" not in fields:
        raise Unreadable
    found = (_progress(one) for one in _entries(fields, "mediaProgress") if one is not None)
    return tuple(one for one in found if one is not None)


def read_taken(body: bytes) -> tuple[Taken, ...]:
    """Raises Unreadable."""
    listed = (one for one in _entries(_fields(body), "results") if one is not None)
    return tuple(
        Taken(_text(one, "id"), one.get("success") is True, one.get("progressSynced") is True, _text(one, "error"))
        for one in listed
    )


# -- its parts ------------------------------------------------------------------------------------------------


def _episode(one: Mapping[str, Any]) -> ItemEpisode | None:
    """None if it has no id or no audio."""
    id, audio, track, enclosure = _id(one, "id"), one.get("audioFile"), one.get("audioTrack"), one.get("enclosure")
    track = track if isinstance(track, dict) else audio
    if not id or not isinstance(track, dict):
        return None
    enclosure = enclosure if isinstance(enclosure, dict) else {}
    published = _moment(one.get("publishedAt"))
    return ItemEpisode(
        id,
        _text(one, "guid"),
        _text(enclosure, "url"),
        _text(one, "title"),
        _text(one, "subtitle"),
        _text(one, "description"),
        None if published is None else datetime.fromtimestamp(published / 1000, UTC),
        _seconds(one.get("duration")) or _seconds(track.get("duration")) or None,
        _whole(one.get("size"), 1 << 40) or None,
        _text(track, "mimeType") or _text(enclosure, "type"),
        _text(one, "season"),
        _text(one, "episode"),
        _chapters(one.get("chapters")),
        _text(track, "contentUrl"),
    )


def _chapters(listed: object) -> tuple[tuple[int, str], ...]:
    found = []
    for one in listed[:_MOST_CHAPTERS] if isinstance(listed, list) else ():
        start = _seconds(one.get("start")) if isinstance(one, dict) else None
        if start is not None:
            found.append((start, _text(one, "title")))
    return tuple(found)


def _progress(one: Mapping[str, Any]) -> Progress | None:
    """None if it isn't about an episode, or has no time."""
    item, episode, updated = _id(one, "libraryItemId"), _id(one, "episodeId"), _moment(one.get("lastUpdate"))
    position = _seconds(one.get("currentTime"))
    if not item or not episode or updated is None:
        return None
    return Progress(
        item,
        episode,
        position or 0,  # a server stores what it is sent, also less than nothing
        _seconds(one.get("duration")) or None,
        one.get("isFinished") is True,
        updated,
        _id(one, "id"),
        _moment(one.get("finishedAt")),
        one.get("hideFromContinueListening") is True,
    )


# -- values ---------------------------------------------------------------------------------------------------


def _object(body: bytes) -> dict[str, Any]:
    """Raises Unreadable."""
    found = _decoded(msgspec.Raw(body))
    if not isinstance(found, dict):
        raise Unreadable
    return found


def _fields(body: bytes) -> dict[str, msgspec.Raw]:
    """The fields of an object, each as it was sent. Raises Unreadable."""
    try:
        return msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError) as error:  # msgspec's own errors are ValueErrors
        raise Unreadable from error


def _entries(fields: Mapping[str, msgspec.Raw], name: str) -> Iterator[dict[str, Any] | None]:
    """The entries of a list; None for an entry that isn't an object or is too large. Raises Unreadable if the field
    isn't a list."""
    try:
        listed = msgspec.json.decode(fields.get(name, b""), type=list[msgspec.Raw])
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    for raw in listed[:_MOST_LISTED]:
        found = _decoded(raw) if len(bytes(raw)) <= _LARGEST_ENTRY else None
        yield found if isinstance(found, dict) else None


def _decoded(raw: msgspec.Raw) -> Any:
    """None if it can't be read."""
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return None


def _text(one: Mapping[str, Any], name: str) -> str:
    value = one.get(name)
    return value if isinstance(value, str) else ""


def _id(one: Mapping[str, Any], name: str) -> str:
    """An id, safe to be part of a path; "" for anything else."""
    value = _text(one, name)
    plain = value.isascii() and value.replace("-", "").replace("_", "").isalnum()
    return value if plain and len(value) <= _LONGEST_ID else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _LAST_MS and math.isfinite(value) else None


def _whole(value: object, most: int) -> int | None:
    """A whole number from 0 to `most`; None for anything else."""
    number = _number(value)
    return int(number) if number is not None and 0 <= number <= most else None


def _seconds(value: object) -> int | None:
    """Seconds as milliseconds; None if they are negative or longer than any episode."""
    number = _number(value)
    return round(number * 1000) if number is not None and 0 <= number * 1000 <= _MOST_MS else None


def _moment(value: object) -> int | None:
    return _whole(value, _LAST_MS)
