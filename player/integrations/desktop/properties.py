"""The status of playback and what the library knows of an episode as the properties of MPRIS2."""

import math
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import NamedTuple

from msgspec import Struct

from player.errors import EarmarkError
from player.integrations.desktop.interfaces import NO_TRACK
from player.library import Library
from player.library.search.index import plain
from player.links.urls import without_secrets
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import ACTIVE, FASTEST, SLOWEST, PlaybackState, PlaybackStatus
from player.settings import Desktop
from player.text.cleaning import clean_line

LOUDEST = 1.5
"""The volume that 150 % is."""

_JUMP_MS = 500
_LENGTH_DIFFERS_MS, _ABOUT_MS = 1_000, 30_000
_LONGEST_TEXT, _LONGEST_COMMENT = 500, 1_000
_UNTOUCHED = ("state", "episode", "speed", "volume", "duration_ms", "live")


class Value(NamedTuple):
    """`signature` is its D-Bus type. In an `a{sv}` the values are such pairs again."""

    signature: str
    value: object


class Track(Struct, frozen=True):
    """What is shown of an episode beside its row: the `file:` address of its cover, and how its notes begin."""

    art: str = ""
    comment: str = ""


Properties = Mapping[str, Value]

NOTHING_KNOWN = Track()


def root_properties() -> Properties:
    return {
        "CanQuit": Value("b", True),
        "CanRaise": Value("b", False),
        "HasTrackList": Value("b", False),
        "Identity": Value("s", "Earmark"),
        "DesktopEntry": Value("s", "earmark"),
        "SupportedUriSchemes": Value("as", ["http", "https", "earmark"]),
        "SupportedMimeTypes": Value("as", []),
    }


def player_properties(status: PlaybackStatus, track: Track, length_ms: int | None, keys: Desktop) -> Properties:
    """All of the interface Player but Position, which changes all the time. `length_ms` is from `steady_length`."""
    loaded = status.episode is not None
    can_seek = loaded and not status.live
    return {
        "PlaybackStatus": Value("s", playback_status(status)),
        "Rate": Value("d", status.speed),
        "Metadata": Value("a{sv}", metadata(status.episode, track, length_ms)),
        "Volume": Value("d", status.volume / 100),
        "MinimumRate": Value("d", SLOWEST),
        "MaximumRate": Value("d", FASTEST),
        "CanGoNext": Value("b", status.next_up is not None if keys.next == "episode" else can_seek),
        "CanGoPrevious": Value("b", loaded if keys.previous == "episode" else can_seek),
        "CanPlay": Value("b", loaded),
        "CanPause": Value("b", loaded),
        "CanSeek": Value("b", can_seek),
        "CanControl": Value("b", True),
    }


def playback_status(status: PlaybackStatus) -> str:
    """An episode that failed is paused: the key for playing tries it again, at the same position."""
    if status.episode is None:
        return "Stopped"
    if status.state in ACTIVE:
        return "Playing"
    return "Paused" if status.state in (PlaybackState.PAUSED, PlaybackState.ERROR) else "Stopped"


def position_us(status: PlaybackStatus, now: float) -> int:
    """`now` is time.monotonic, in seconds."""
    return max(0, status.at(now).position_ms) * 1000 if status.episode else 0


def track_path(episode: Episode | None) -> str:
    """The object path that names the episode. None of those under /org/mpris, which belong to the specification."""
    return f"/earmark/episode/{episode.id}" if episode else NO_TRACK


def metadata(episode: Episode | None, track: Track, length_ms: int | None) -> dict[str, Value]:
    """As the MPRIS v2 metadata guidelines name it. What isn't known is left out."""
    about = {"mpris:trackid": Value("o", track_path(episode))}
    if episode is None:
        return about
    podcast = _clean(episode.podcast)
    about["xesam:title"] = Value("s", _clean(episode.title))
    about["xesam:album"] = Value("s", podcast)
    about["xesam:artist"] = Value("as", [podcast])
    if length_ms:
        about["mpris:length"] = Value("x", length_ms * 1000)
    if track.art:
        about["mpris:artUrl"] = Value("s", track.art)
    if episode.url:
        about["xesam:url"] = Value("s", _clean(without_secrets(episode.url), len(episode.url)))
    if episode.published is not None:
        published = episode.published.astimezone(UTC).isoformat(timespec="seconds")
        about["xesam:contentCreated"] = Value("s", published.replace("+00:00", "Z"))
    if track.comment:
        about["xesam:comment"] = Value("as", [_clean(track.comment, _LONGEST_COMMENT)])
    return about


def steady_length(before_ms: int | None, status: PlaybackStatus) -> int | None:
    """The length to show, when `before_ms` was shown for the same episode. A guess that gets better by little isn't
    worth other metadata, which some desktops show as a new song."""
    if status.live or not status.duration_ms:
        return None
    least = _ABOUT_MS if status.approximate else _LENGTH_DIFFERS_MS
    if before_ms is not None and abs(before_ms - status.duration_ms) < least:
        return before_ms
    return status.duration_ms


def changed(before: Properties, after: Properties) -> Properties:
    """What of `after` is other than before."""
    return {name: value for name, value in after.items() if before.get(name) != value}


def says_more(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether a property may be another. It is asked ten times a second, and false while something just plays."""
    return (before.next_up is None) is not (status.next_up is None) or any(
        getattr(before, name) != getattr(status, name) for name in _UNTOUCHED
    )


def jumped(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether the position is another than what time alone made of it, within the same episode."""
    if before.episode is None or status.episode is None or before.episode.id != status.episode.id:
        return False
    return abs(before.at(status.measured_at).position_ms - status.position_ms) > _JUMP_MS


def speed_of(rate: float) -> float | None:
    """The speed that a controller wants, within what there is; None for what is no number. 0 means a pause."""
    return None if not math.isfinite(rate) else 0.0 if rate == 0 else min(FASTEST, max(SLOWEST, rate))


def volume_of(volume: float) -> int | None:
    """In percent. The specification has what is below 0 be 0."""
    return round(min(LOUDEST, max(0.0, volume)) * 100) if math.isfinite(volume) else None


def _clean(text: str, most: int = _LONGEST_TEXT) -> str:
    """What D-Bus takes for a string: UTF-8 without NUL. One that it doesn't take would end the connection."""
    return text[:most].replace("\0", "").encode("utf-8", "replace").decode("utf-8")


_NOTES, _COMMENT = 4_000, 400
"""Characters: how much of the notes is looked at, and how much of their text is shown."""


def track_of(library: Library, cover: Callable[[Episode], str], episode: Episode) -> Track:
    """Empty where the library can't be read. `cover` gives the `file:` address of the cover, or ""."""
    try:
        notes = library.episodes.notes(episode.id)
    except EarmarkError:
        notes = ""
    return Track(art=cover(episode), comment=clean_line(plain(notes[:_NOTES]), _COMMENT))


def episode_at(library: Library, address: str) -> EpisodeId | None:
    """The episode with this audio, or the newest of the podcast with this feed. Raises LibraryError."""
    if (found := library.episodes.at_url(address)) is not None:
        return found
    podcast = library.podcasts.by_url(address)
    if podcast is None:
        return None
    newest = library.episodes.ids(View.of(ViewName.PODCAST, podcast.id), 1)
    return EpisodeId(newest[0]) if newest else None
