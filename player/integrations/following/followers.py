"""All that follow, and what they are sent: events are taken from the bus as they happen, and written to nobody there.

The thread on which something happens (it may be the one that saves positions) only hands it over to a lane. The lane
makes a line of it, once, and puts it into each follower's queue.
"""

import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

from player.errors import ControlError, LibraryError
from player.events import Bus, LibraryChanged, PlaybackChanged, QueueChanged
from player.integrations.arguments import Arguments, only
from player.integrations.following.event_json import KINDS, Happening, changes, happening
from player.integrations.following.follower import Follower, first_line, line
from player.integrations.json_api import Ranks, status_json
from player.model.chapters import Chapters
from player.model.playback import PlaybackStatus, Running
from player.text.sentences import _
from player.text.suggestion import suggestion

MOST_FOLLOWERS = 16
_MOST_WAITING = 2_000
"""Events that nobody has made lines of yet."""


class Watched(Protocol):
    """What is followed."""

    @property
    def status(self) -> PlaybackStatus: ...
    @property
    def chapters(self) -> Chapters: ...


class Followers:
    """`follow` and `close` may be called from any thread. While nobody follows, nothing is subscribed to."""

    def __init__(
        self,
        bus: Bus,
        session: Watched,
        ranks: Callable[[], Ranks] = dict,
        offline: Callable[[], bool] = lambda: False,
        running: Running | None = None,
    ) -> None:
        self._bus = bus
        self._session = session
        self._ranks = ranks
        self._offline = offline
        self._running = running
        self._lane = bus.lane("followers", most=2 * _MOST_WAITING)
        self._lock = threading.Lock()
        self._followers: list[Follower] = []
        self._unsubscribe: Callable[[], None] | None = None
        self._closed = False
        self._before, self._chapters_before = PlaybackStatus(), Chapters()
        self._known_ranks: Ranks | None = None
        self._waiting = 0
        self._overrun = False

    def __len__(self) -> int:
        return len(self._followers)

    def follow(self, connection: socket.socket, arguments: Arguments, tag: dict[str, Any]) -> Follower:
        """The connection gets the status, as the answer to its request with that `tag`, then what happens.

        Raises ControlError: too many follow, or the arguments are wrong.
        """
        follower = Follower(connection, _kinds(arguments))
        with self._lock:
            if len(self._followers) >= MOST_FOLLOWERS or self._closed:
                raise ControlError(_("Too many connections follow already"), _("Try again in a moment."))
            self._followers.append(follower)
            if self._unsubscribe is None:
                self._before, self._chapters_before = self._session.status, self._session.chapters
                self._known_ranks = None
                self._unsubscribe = self._bus.subscribe(object, self._take)
        follower.start()
        # In the lane, so that what happens later comes later.
        self._lane.put(lambda: self._begin(follower, tag))
        return follower

    def leave(self, follower: Follower) -> None:
        follower.drop()
        with self._lock:
            with suppress(ValueError):
                self._followers.remove(follower)
            if not self._followers and self._unsubscribe is not None:
                self._unsubscribe()
                self._unsubscribe = None

    def close(self) -> None:
        """All get what has happened until now, and a last line."""
        self._lane.close(0.2)
        with self._lock:
            self._closed = True
            followers = tuple(self._followers)
        for follower in followers:
            follower.end(line("quit"))

    # -- on the thread on which it happens ---------------------------------------------------------------------

    def _take(self, event: object) -> None:
        if isinstance(event, PlaybackChanged):
            self._take_status(event.status)
        else:
            if isinstance(event, QueueChanged | LibraryChanged):
                self._known_ranks = None
            if (happened := happening(event)) is not None:
                self._hand_over((happened,), self._session.status)

    def _take_status(self, status: PlaybackStatus) -> None:
        chapters = self._session.chapters
        found = changes(self._before, status, (self._chapters_before, chapters))
        if found:
            self._before, self._chapters_before = status, chapters
            self._hand_over(found, status)

    def _hand_over(self, happened: Sequence[Happening], status: PlaybackStatus) -> None:
        at, chapters = time.time(), self._session.chapters
        with self._lock:
            if self._waiting >= _MOST_WAITING:
                self._overrun = True
                return
            self._waiting += 1
        self._lane.put(lambda: self._tell(happened, at, status, chapters))

    # -- in the lane -------------------------------------------------------------------------------------------

    def _begin(self, follower: Follower, tag: dict[str, Any]) -> None:
        status = self._status(self._session.status, self._session.chapters)
        follower.begin(first_line(tag, status))

    def _tell(self, happened: Sequence[Happening], at: float, status: PlaybackStatus, chapters: Chapters) -> None:
        with self._lock:
            self._waiting -= 1
            overrun, self._overrun = self._overrun, False
            followers = tuple(self._followers)
        if overrun:
            for follower in followers:
                follower.cut()
            return
        shown: Mapping[str, Any] | None = None
        for kind, fields in happened:
            getting = [one for one in followers if one.kinds is None or kind in one.kinds]
            if not getting:
                continue
            shown = shown or self._status(status, chapters)
            made = line(kind, at, **fields, status=shown)
            for follower in getting:
                follower.put(made)

    def _status(self, status: PlaybackStatus, chapters: Chapters) -> Mapping[str, Any]:
        ranks = self._known_ranks
        if ranks is None:
            try:
                ranks = self._known_ranks = self._ranks()
            except LibraryError:
                ranks = {}
        return status_json(status, ranks, offline=self._offline(), chapters=chapters, running=self._running)


def _kinds(arguments: Arguments) -> frozenset[str] | None:
    """Raises ControlError."""
    only(arguments, "events")
    wanted = arguments.get("events")
    if wanted is None:
        return None
    if not isinstance(wanted, list) or not wanted or not all(isinstance(one, str) for one in wanted):
        raise ControlError(_("{argument} must be a list of kinds of events", argument="events"))
    for one in wanted:
        if one not in KINDS:
            raise ControlError(
                _("Unknown kind of event {kind}", kind=ascii(one[:40])) + "." + suggestion(one[:40], KINDS),
                _("Available: {kinds}.", kinds=", ".join(KINDS)),
            )
    return frozenset(wanted)
