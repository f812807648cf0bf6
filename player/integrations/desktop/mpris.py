"""Earmark as a player of MPRIS2 (MPRIS D-Bus Interface Specification 2.2): its two interfaces on D-Bus.

Optional parts of the specification that a podcast player has no use for are left out: LoopStatus, Shuffle, Fullscreen,
and the interfaces TrackList and Playlists. Methods and setters return at once, and raise DBusError.
"""

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC
from functools import partial
from typing import Annotated, Any

from dbus_fast import DBusError, ErrorType, PropertyAccess, Variant
from dbus_fast.annotations import DBusBool, DBusDict, DBusDouble, DBusInt64, DBusObjectPath, DBusSignature, DBusStr
from dbus_fast.introspection import Interface
from dbus_fast.service import ServiceInterface, dbus_method, dbus_property, dbus_signal

from player.errors import EarmarkError
from player.integrations.requests import Asked
from player.links.addresses import is_address
from player.links.urls import web_address, without_secrets
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE, FASTEST, SLOWEST, PlaybackState, PlaybackStatus
from player.playback.outcomes import Outcome, Refused, Why
from player.playback.service import PlaybackService
from player.settings import Settings
from player.text.durations import parse_time
from player.text.sentences import _

PATH = "/org/mpris/MediaPlayer2"
ROOT = "org.mpris.MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
NO_TRACK = "/org/mpris/MediaPlayer2/TrackList/NoTrack"

_LOUDEST = 1.5
"""The MPRIS volume for 150 %."""
_MOST_AT_ONCE = 32
_LONGEST_ADDRESS = 8_000
_LONGEST_TEXT, _LONGEST_COMMENT = 500, 1_000
_LENGTH_DIFFERS_MS, _ABOUT_MS = 1_000, 30_000
_TELLS, _UNTOLD = "org.freedesktop.DBus.Property.EmitsChangedSignal", ("Position", "CanControl")

_read_only = dbus_property(PropertyAccess.READ)
_Strings = Annotated[list[str], DBusSignature("as")]


class Root(ServiceInterface):
    """The program; `quit` ends it."""

    def __init__(self, quit: Callable[[], None]) -> None:
        super().__init__(ROOT)
        self._quit = quit

    @dbus_method()
    def Raise(self) -> None:
        """Does nothing: `CanRaise` is false."""

    @dbus_method()
    def Quit(self) -> None:
        self._quit()

    @_read_only
    def CanQuit(self) -> DBusBool:
        return True

    @_read_only
    def CanRaise(self) -> DBusBool:
        return False

    @_read_only
    def HasTrackList(self) -> DBusBool:
        return False

    @_read_only
    def Identity(self) -> DBusStr:
        return "Earmark"

    @_read_only
    def DesktopEntry(self) -> DBusStr:
        return "earmark"

    @_read_only
    def SupportedUriSchemes(self) -> _Strings:
        return ["http", "https", "earmark"]

    @_read_only
    def SupportedMimeTypes(self) -> _Strings:
        return []


class Player(ServiceInterface):
    """For the desktop's thread. Methods don't wait until their command is carried out; while 32 commands are pending,
    more are refused.

    `find` returns the episode for an address, None for an unknown address; `known` reads the `file:` address of an
    episode's cover and the beginning of its notes from the disk; `asked` opens addresses. All properties have the
    values of the last `look`.
    """

    def __init__(
        self,
        session: PlaybackService,
        settings: Settings,
        *,
        find: Callable[[str], EpisodeId | None],
        known: Callable[[Episode], tuple[str, str]],
        asked: Asked | None = None,
    ) -> None:
        super().__init__(PLAYER)
        self._session = session
        self._keys, self._times = settings.desktop, settings.playback
        self._find = find
        self._known = known
        self._asked = asked
        self._room = threading.BoundedSemaphore(_MOST_AT_ONCE)
        self._status = PlaybackStatus()
        self._art = self._comment = ""
        self._length_ms: int | None = None
        self._told_names = tuple(one.name for one in self.introspect().properties if one.name not in _UNTOLD)

    def look(self, *, for_cover: bool = False) -> None:
        """Updates the properties. The cover and notes of an episode are read once; with `for_cover` again while it has
        no cover."""
        before, self._status = self._status.episode, self._session.status
        episode = self._status.episode
        if episode is None:
            self._art = self._comment = ""
        elif before is None or before.id != episode.id:
            (self._art, self._comment), self._length_ms = self._known(episode), None
        elif for_cover and not self._art:
            self._art, self._comment = self._known(episode)
        self._length_ms = steady_length(self._length_ms, self._status)

    @property
    def lacks_cover(self) -> bool:
        return self._status.episode is not None and not self._art

    def told(self) -> dict[str, Any]:
        """The properties whose changes are announced."""
        return {name: getattr(self, name) for name in self._told_names}

    def introspect(self) -> Interface:
        """Adds what the decorators can't express: the name of an argument, and the properties whose changes aren't
        announced."""
        described = super().introspect()
        described.signals[0].args[0].name = "Position"
        for one in described.properties:
            if one.name in _UNTOLD:
                one.annotations[_TELLS] = "false"
        return described

    # -- methods ----------------------------------------------------------------------------------------------

    @dbus_method()
    def Next(self) -> None:
        ahead_ms = parse_time(self._times.seek_forward)
        self._step(self._keys.next, self._session.skip, self._session.next_chapter, ahead_ms)

    @dbus_method()
    def Previous(self) -> None:
        back_ms = parse_time(self._times.seek_back)
        self._step(self._keys.previous, self._session.previous, self._session.previous_chapter, -back_ms)

    @dbus_method()
    def Pause(self) -> None:
        self._begin(self._session.pause)

    @dbus_method()
    def PlayPause(self) -> None:
        self._begin(self._session.toggle)

    @dbus_method()
    def Stop(self) -> None:
        self._begin(self._session.stop)

    @dbus_method()
    def Play(self) -> None:
        self._begin(self._session.resume)

    @dbus_method()
    def Seek(self, Offset: DBusInt64) -> None:
        """Beyond the end it acts like Next, as the specification requires; without a next episode it does nothing."""
        status, by_ms = self._session.status.at(time.monotonic()), Offset // 1000
        if not can_seek(status):
            return
        if status.duration_ms and not status.approximate and status.position_ms + by_ms >= status.duration_ms:
            if status.next_up is not None:
                self._begin(self._session.skip)
            return
        self._begin(lambda: self._session.seek_by(by_ms))

    @dbus_method()
    def SetPosition(self, TrackId: DBusObjectPath, Position: DBusInt64) -> None:
        """Does nothing if another episode plays by now, or if the position is outside the episode."""
        status, position_ms = self._session.status, Position // 1000
        if not can_seek(status) or TrackId != track_path(status.episode) or position_ms < 0:
            return
        if status.duration_ms and position_ms > status.duration_ms:
            return
        self._begin(lambda: self._session.seek_to(position_ms))

    @dbus_method()
    def OpenUri(self, Uri: DBusStr) -> None:
        """An unknown address is offered to the listener as a feed, if there is a screen."""
        try:
            if self._asked is not None and is_address(Uri):
                self._asked.open_soon(Uri)
                return
            episode_id = self._find(Uri) if len(Uri) <= _LONGEST_ADDRESS else None
        except EarmarkError as error:
            raise DBusError(ErrorType.FAILED, str(error)) from error
        if episode_id is None:
            if self._asked is not None and (url := web_address(Uri)) and self._asked.offer_soon(url):
                return
            raise DBusError(ErrorType.FAILED, _("There is no episode and no podcast with this address"))
        self._begin(partial(self._session.play, episode_id))

    @dbus_signal()
    def Seeked(self, position_ms: int) -> DBusInt64:
        return position_ms * 1000

    # -- properties -------------------------------------------------------------------------------------------

    @_read_only
    def PlaybackStatus(self) -> DBusStr:
        """An episode that failed counts as paused: the play key tries it again, at the same position."""
        if self._status.episode is None:
            return "Stopped"
        if self._status.state in ACTIVE:
            return "Playing"
        return "Paused" if self._status.state in (PlaybackState.PAUSED, PlaybackState.ERROR) else "Stopped"

    @dbus_property()
    def Rate(self) -> DBusDouble:
        return self._status.speed

    @Rate.setter  # type: ignore[no-redef]
    def Rate(self, rate: DBusDouble) -> None:
        """Sets the nearest possible speed; 0 means a pause."""
        speed = min(FASTEST, max(SLOWEST, _finite(rate)))
        self._begin(lambda: self._session.set_speed(speed) if rate else self._session.pause())

    @_read_only
    def Metadata(self) -> DBusDict:
        return metadata(self._status.episode, self._art, self._comment, self._length_ms)

    @dbus_property()
    def Volume(self) -> DBusDouble:
        return self._status.volume / 100

    @Volume.setter  # type: ignore[no-redef]
    def Volume(self, volume: DBusDouble) -> None:
        """A value below 0 counts as 0, as the specification requires."""
        percent = round(min(_LOUDEST, max(0.0, _finite(volume))) * 100)
        self._begin(lambda: self._session.set_volume(percent))

    @_read_only
    def Position(self) -> DBusInt64:
        return max(0, self._status.at(time.monotonic()).position_ms) * 1000 if self._status.episode else 0

    @_read_only
    def MinimumRate(self) -> DBusDouble:
        return SLOWEST

    @_read_only
    def MaximumRate(self) -> DBusDouble:
        return FASTEST

    @_read_only
    def CanGoNext(self) -> DBusBool:
        return self._status.next_up is not None if self._keys.next == "episode" else self.CanSeek

    @_read_only
    def CanGoPrevious(self) -> DBusBool:
        return self._status.episode is not None if self._keys.previous == "episode" else self.CanSeek

    @_read_only
    def CanPlay(self) -> DBusBool:
        return self._status.episode is not None

    @_read_only
    def CanPause(self) -> DBusBool:
        return self._status.episode is not None

    @_read_only
    def CanSeek(self) -> DBusBool:
        return can_seek(self._status)

    @_read_only
    def CanControl(self) -> DBusBool:
        return True

    # -- inside -----------------------------------------------------------------------------------------------

    def _step(
        self, kind: str, episode: Callable[[], Future[Outcome]], chapter: Callable[[], Future[Outcome]], by_ms: int
    ) -> None:
        """Skips to another episode or chapter, or jumps by `by_ms`, the length of a jump by key. In an episode without
        chapters, skipping a chapter jumps as well."""

        def answered(done: Future[Outcome]) -> None:
            match done.result():
                case Refused(Why.NO_CHAPTERS):
                    self._session.seek_by(by_ms)

        if kind == "episode":
            self._begin(episode)
        elif kind == "chapter":
            self._begin(chapter).add_done_callback(answered)
        elif can_seek(self._session.status):
            self._begin(lambda: self._session.seek_by(by_ms))

    def _begin(self, command: Callable[[], Future[Outcome]]) -> Future[Outcome]:
        if not self._room.acquire(blocking=False):
            raise DBusError(ErrorType.LIMITS_EXCEEDED, "Too many commands at once")
        begun = command()
        begun.add_done_callback(lambda _done: self._room.release())
        return begun


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise DBusError(ErrorType.INVALID_ARGS, f"{number} is no number")
    return number


def can_seek(status: PlaybackStatus) -> bool:
    return status.episode is not None and not status.live


def track_path(episode: Episode | None) -> str:
    """The object path that names the episode. It isn't below /org/mpris, which is reserved for the specification."""
    return f"/earmark/episode/{episode.id}" if episode else NO_TRACK


def metadata(episode: Episode | None, art: str, comment: str, length_ms: int | None) -> dict[str, Variant]:
    """The metadata by the names of the MPRIS v2 metadata guidelines. Unknown values are left out."""
    about = {"mpris:trackid": Variant("o", track_path(episode))}
    if episode is None:
        return about
    podcast = _clean(episode.podcast)
    about["xesam:title"] = Variant("s", _clean(episode.title))
    about["xesam:album"] = Variant("s", podcast)
    about["xesam:artist"] = Variant("as", [podcast])
    if length_ms:
        about["mpris:length"] = Variant("x", length_ms * 1000)
    if art:
        about["mpris:artUrl"] = Variant("s", art)
    if episode.url:
        about["xesam:url"] = Variant("s", _clean(without_secrets(episode.url), len(episode.url)))
    if episode.published is not None:
        published = episode.published.astimezone(UTC).isoformat(timespec="seconds")
        about["xesam:contentCreated"] = Variant("s", published.replace("+00:00", "Z"))
    if comment:
        about["xesam:comment"] = Variant("as", [_clean(comment, _LONGEST_COMMENT)])
    return about


def steady_length(before_ms: int | None, status: PlaybackStatus) -> int | None:
    """The length to show after `before_ms` was shown for the same episode; None if it isn't known. A slightly better
    estimate isn't worth new metadata, which some desktops show as a new song."""
    if status.live or not status.duration_ms:
        return None
    least = _ABOUT_MS if status.approximate else _LENGTH_DIFFERS_MS
    if before_ms is not None and abs(before_ms - status.duration_ms) < least:
        return before_ms
    return status.duration_ms


def _clean(text: str, most: int = _LONGEST_TEXT) -> str:
    """The text as D-Bus accepts it: UTF-8 without NUL. A string that it doesn't accept would end the connection."""
    return text[:most].replace("\0", "").encode("utf-8", "replace").decode("utf-8")
