"""What a controller asks for, carried out on the session, no faster than a person could want it."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Protocol

from player.errors import EarmarkError
from player.integrations.desktop.interfaces import INTERFACES, PLAYER, ROOT
from player.integrations.desktop.properties import Value, speed_of, track_path, volume_of
from player.links.addresses import is_address
from player.links.urls import web_address
from player.model.episode import EpisodeId
from player.playback.outcomes import Outcome, Refused, Why
from player.playback.service import PlaybackService
from player.settings import Desktop, Playback
from player.text.durations import parse_time
from player.text.sentences import _

_ERROR = "org.freedesktop.DBus.Error."
_MOST_AT_ONCE = 32
_LONGEST_ADDRESS = 8_000


class Opening(Protocol):
    """Opens `earmark:` addresses, and offers feeds that aren't subscribed to. Both return at once."""

    def open_soon(self, text: str, /) -> None: ...
    def offer_soon(self, url: str, /) -> bool: ...


class CallError(Exception):
    """`name` is an error name of D-Bus (its specification, "Error names"), `text` says more."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = _ERROR + name
        self.text = text


class Calls:
    """On the desktop's thread. Commands aren't waited for; while 32 of them aren't carried out yet, more are refused.

    `find` gives the episode of an address, None for an unknown one; `quit` ends Earmark.
    """

    def __init__(
        self,
        session: PlaybackService,
        keys: Desktop,
        times: Playback,
        find: Callable[[str], EpisodeId | None],
        quit: Callable[[], None],
        asked: Opening | None = None,
    ) -> None:
        self._session = session
        self._keys = keys
        self._back_ms, self._ahead_ms = parse_time(times.seek_back), parse_time(times.seek_forward)
        self._find = find
        self._quit = quit
        self._asked = asked
        self._waiting = 0
        self._lock = threading.Lock()
        self._plain: dict[str, Callable[[], Future[Outcome]]] = {
            "Pause": session.pause,
            "PlayPause": session.toggle,
            "Play": session.resume,
            "Stop": session.stop,
        }

    def call(self, interface: str | None, member: str, signature: str, body: Sequence[object]) -> None:
        """Raises CallError. None of these methods returns anything."""
        name = interface or next((one for one, has in INTERFACES.items() if member in has.methods), "")
        arguments = INTERFACES[name].methods.get(member) if name in INTERFACES else None
        if arguments is None:
            raise CallError("UnknownMethod", f"{interface or ''}.{member} is no method of this object")
        wanted = "".join(one.signature for one in arguments)
        if signature != wanted:
            raise CallError("InvalidArgs", f"{member} takes '{wanted}', not '{signature}'")
        if name == ROOT:
            if member == "Quit":
                self._quit()
            return
        self._command(member, body)

    def set(self, interface: str, name: str, value: Value) -> None:
        """Raises CallError."""
        found = INTERFACES[interface].properties.get(name) if interface in INTERFACES else None
        if found is None:
            raise CallError("UnknownProperty", f"{interface}.{name} is no property of this object")
        if not found.writable or interface != PLAYER:
            raise CallError("PropertyReadOnly", f"{name} can only be read")
        if value.signature != found.signature or not isinstance(value.value, float):
            raise CallError("InvalidArgs", f"{name} is '{found.signature}', not '{value.signature}'")
        wanted = speed_of(value.value) if name == "Rate" else volume_of(value.value)
        if wanted is None:
            raise CallError("InvalidArgs", f"{name} must be a number")
        if name == "Volume":
            self._begin(lambda: self._session.set_volume(int(wanted)))
        elif wanted:
            self._begin(lambda: self._session.set_speed(wanted))
        else:
            self._begin(self._session.pause)

    # -- inside -----------------------------------------------------------------------------------------------

    def _command(self, member: str, body: Sequence[object]) -> None:
        match member, *body:
            case ("Next",):
                self._step(self._keys.next, self._session.skip, self._session.next_chapter, self._ahead_ms)
            case ("Previous",):
                self._step(self._keys.previous, self._session.previous, self._session.previous_chapter, -self._back_ms)
            case "Seek", int() as offset_us:
                self._seek_by(offset_us // 1000)
            case "SetPosition", str() as track, int() as position_us:
                self._seek_to(track, position_us // 1000)
            case "OpenUri", str() as address:
                self._open(address)
            case _:
                self._begin(self._plain[member])

    def _step(
        self, kind: str, episode: Callable[[], Future[Outcome]], chapter: Callable[[], Future[Outcome]], by_ms: int
    ) -> None:
        """To another episode, another chapter, or by as much as the keys jump, which an episode without chapters does,
        too."""

        def answered(done: Future[Outcome]) -> None:
            match done.result():
                case Refused(Why.NO_CHAPTERS):
                    self._session.seek_by(by_ms)

        if kind == "episode":
            self._begin(episode)
        elif kind == "chapter":
            self._begin(chapter).add_done_callback(answered)
        elif self._can_seek:
            self._begin(lambda: self._session.seek_by(by_ms))

    @property
    def _can_seek(self) -> bool:
        status = self._session.status
        return status.episode is not None and not status.live

    def _seek_by(self, by_ms: int) -> None:
        """Beyond the end it acts like Next, says the specification; where nothing is next it stays."""
        if not self._can_seek:
            return
        status = self._session.status.at(time.monotonic())
        if status.duration_ms and not status.approximate and status.position_ms + by_ms >= status.duration_ms:
            if status.next_up is not None:
                self._begin(self._session.skip)
            return
        self._begin(lambda: self._session.seek_by(by_ms))

    def _seek_to(self, track: str, position_ms: int) -> None:
        """Nothing happens when another episode plays by now, or where it doesn't reach."""
        status = self._session.status
        if not self._can_seek or track != track_path(status.episode) or position_ms < 0:
            return
        if status.duration_ms and position_ms > status.duration_ms:
            return
        self._begin(lambda: self._session.seek_to(position_ms))

    def _open(self, address: str) -> None:
        """An address that nothing is known of is offered to the listener where there is a screen, as a feed."""
        try:
            if self._asked is not None and is_address(address):
                self._asked.open_soon(address)
                return
            episode_id = self._find(address) if len(address) <= _LONGEST_ADDRESS else None
        except EarmarkError as error:
            raise CallError("Failed", str(error)) from error
        if episode_id is None:
            if self._asked is not None and (url := web_address(address)) and self._asked.offer_soon(url):
                return
            raise CallError("Failed", _("There is no episode and no podcast with this address"))
        found = episode_id
        self._begin(lambda: self._session.play(found))

    def _begin(self, command: Callable[[], Future[Outcome]]) -> Future[Outcome]:
        with self._lock:
            if self._waiting >= _MOST_AT_ONCE:
                raise CallError("LimitsExceeded", "Too many commands at once")
            self._waiting += 1
        begun = command()
        begun.add_done_callback(self._carried_out)
        return begun

    def _carried_out(self, _done: Future[Outcome]) -> None:
        with self._lock:
            self._waiting -= 1


_A_SECOND, _AT_ONCE = 200.0, 100.0


class Pace:
    """100 calls are answered at once, then 200 a second: a program that asks without end makes itself wait, and takes
    little from the rest of Earmark. Its calls wait at the bus, which limits how many. The answers to 100 fit into the
    buffer of a socket: dbus_fast ends a connection whose buffer is full."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] | None = None
    ) -> None:
        self._clock = clock
        self._over = threading.Event()
        self._sleep = sleep or self._over.wait
        self._left = _AT_ONCE
        self._at = clock()

    def wait(self) -> None:
        """Call for each call, on the thread that answers."""
        now = self._clock()
        self._left = min(_AT_ONCE, self._left + (now - self._at) * _A_SECOND) - 1
        self._at = now
        if self._left < 0:
            self._sleep(1 / _A_SECOND)

    def ends(self) -> None:
        """From now on nothing waits."""
        self._over.set()
