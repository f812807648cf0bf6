"""Connections that follow events: they get the status once, then a line of JSON for each event."""

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from player import events
from player.errors import ControlError, LibraryError
from player.events import Bus, LibraryChanged, PlaybackChanged, QueueChanged
from player.integrations.json_api import Ranks, chapter_json, sleep_json, status_json
from player.model import downloads as downloads
from player.model.episode import Chapters
from player.model.playback import PlaybackStatus, Running
from player.text.directions import FSI, PDI
from player.text.sentences import _
from player.text.typed_names import suggestion

if TYPE_CHECKING:
    from player.playback.service import PlaybackService

MOST_IDS = 100
"""The most ids in an event; of more episodes the first are given, and `count` says how many there are."""

Fields = dict[str, Any]
Happening = tuple[str, Fields]
"""The kind and the fields of an event."""

_JUMP_MS = 1_000
"""A client gets a status when the position differs by more than this from the position that the client's own clock
gives."""


def happening(event: object) -> Happening | None:
    """The kind and fields of the line for an event of the bus; None for an event that isn't discrete, or that tells a
    follower nothing."""
    made = _MADE.get(type(event))
    return made(event) if made else None


def _fields(kind: str, *names: str) -> Callable[[Any], Happening]:
    def made(event: Any) -> Happening:
        found = {name: getattr(event, name) for name in names}
        return kind, {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}

    return made


def _marked(event: events.EpisodesMarked) -> Happening:
    return "marked", {
        "mark": event.mark.value,
        "on": event.on,
        "episode_ids": list(event.episode_ids[:MOST_IDS]),
        "count": len(event.episode_ids),
        "cause": event.cause.value,
    }


def _imported(event: events.PodcastsImported) -> Happening:
    ids = event.podcast_ids
    return "podcasts_imported", {
        "podcast_ids": list(ids[:MOST_IDS]), "count": len(ids), "cause": event.cause.value,
    }  # fmt: skip


def _refreshed(event: events.PodcastRefreshed) -> Happening | None:
    if event.error is not None:
        return "refresh_failed", {
            "podcast_id": event.podcast_id, "error": event.error, "cause": event.cause.value,
        }  # fmt: skip
    if not event.new:
        return None
    return "new_episodes", {
        "podcast_id": event.podcast_id,
        "episode_ids": list(event.new[:MOST_IDS]),
        "count": len(event.new),
        "cause": event.cause.value,
    }


def _notice(event: events.Notice) -> Happening:
    return "notice", {"text": event.text, "severity": event.severity.name.lower()}


_MADE: Mapping[type[object], Callable[[Any], Happening | None]] = {
    events.EpisodeStarted: _fields("started", "episode_id", "position_ms", "cause"),
    events.EpisodeFinished: _fields("finished", "episode_id", "cause"),
    events.EpisodeLeft: _fields("left", "episode_id", "position_ms", "cause"),
    events.Paused: _fields("paused", "episode_id", "position_ms", "cause"),
    events.Resumed: _fields("resumed", "episode_id", "position_ms", "cause"),
    events.PlaybackFailed: _fields("failed", "episode_id", "position_ms", "error", "cause"),
    events.Seeked: _fields("seeked", "episode_id", "from_ms", "to_ms", "cause"),
    events.SpeedChanged: _fields("speed", "speed", "cause"),
    events.PodcastAdded: _fields("podcast_added", "podcast_id", "cause"),
    events.PodcastsImported: _imported,
    events.PodcastRemoved: _fields("podcast_removed", "podcast_id", "cause"),
    events.PodcastRefreshed: _refreshed,
    events.EpisodesMarked: _marked,
    events.QueueChanged: _fields("queue", "cause"),
    events.InboxChanged: _fields("inbox", "cause"),
    events.BookmarksChanged: _fields("bookmarks", "cause"),
    events.SegmentsChanged: _fields("segments", "cause"),
    downloads.DownloadFinished: _fields("downloaded", "episode_id", "cause"),
    downloads.DownloadFailed: _fields("download_failed", "episode_id", "error", "cause"),
    downloads.DownloadCancelled: _fields("download_cancelled", "episode_id", "cause"),
    downloads.DownloadDeleted: _fields("download_deleted", "episode_id", "cause"),
    events.NetworkChanged: _fields("network", "offline", "by_hand"),
    events.Notice: _notice,
}

KINDS = (
    "status", "started", "finished", "left", "paused", "resumed", "failed", "seeked", "speed", "volume", "sleep",
    "chapter", "queue", "inbox", "marked", "bookmarks", "segments", "podcast_added", "podcasts_imported",
    "podcast_removed", "new_episodes", "refresh_failed", "downloaded", "download_failed", "download_cancelled",
    "download_deleted", "network", "notice",
)  # fmt: skip
"""The kinds of events that can be followed. A follower also gets `alive`, `too_slow` and `quit`, whatever it asked
for."""


def changes(before: PlaybackStatus, now: PlaybackStatus, chapters: tuple[Chapters, Chapters]) -> list[Happening]:
    """The changes between two statuses that aren't events of their own, and `status` if a line drawn and advanced from
    the first would be wrong by now. `chapters`: the chapters of both."""
    found: list[Happening] = []
    if before.volume != now.volume:
        found.append(("volume", {"volume": now.volume}))
    if _timer(before) != _timer(now):
        found.append(("sleep", {"sleep": sleep_json(now.sleep), "slept": now.sleep.slept}))
    was, chapter = chapter_json(before, chapters[0]), chapter_json(now, chapters[1])
    if chapter is not None and chapter != was and now.heard is not None:
        found.append(("chapter", {"episode_id": now.heard, **chapter}))
    expected_ms = before.at(now.measured_at).position_ms
    if _lasting(before) != _lasting(now) or chapter != was or abs(expected_ms - now.position_ms) > _JUMP_MS:
        found.append(("status", {}))
    return found


def _timer(status: PlaybackStatus) -> object:
    sleep = status.sleep
    return sleep.choice, sleep.episodes_left, sleep.stops_after, sleep.slept


def _lasting(status: PlaybackStatus) -> object:
    """The part of the status that doesn't change with time alone."""
    episode = status.episode
    heard = episode and (episode.id, episode.title, episode.podcast, episode.starred, episode.played)
    return (
        heard, status.state, status.duration_ms, status.speed, status.volume, status.error, status.waiting, status.live,
        status.clip, status.sleep.fading, _timer(status),
    )  # fmt: skip


PROTOCOL = 1
"""The version of the protocol. Fields, commands and kinds of events are only ever added, so it rises only if this rule
has to be broken."""

MOST_LINES, MOST_BYTES = 256, 1 << 20
"""The most lines and bytes that may wait for a follower; a follower that exceeds them is cut off."""

HEARTBEAT_S = 60.0
_MOST_ANSWERS = 32


def encode(document: dict[str, Any]) -> bytes:
    """A line of JSON, without the marks that its sentences have for the screen (`sentences.for_screen`)."""
    text = json.dumps(document, ensure_ascii=False).replace(FSI, "").replace(PDI, "")
    return text.encode("utf-8", "replace") + b"\n"


def line(kind: str, at: float | None = None, **fields: Any) -> bytes:
    """One event. `at`: when it happened, in seconds since 1970; now, unless it is given."""
    return encode({"kind": kind, "at": _moment(at), **fields})


def first_line(tag: dict[str, Any], status: Mapping[str, Any]) -> bytes:
    """The answer to the request with that `tag`."""
    return encode({"ok": True, "protocol": PROTOCOL, **tag, "kind": "status", "at": _moment(None), "status": status})


def _moment(at: float | None) -> str:
    moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Follower:
    """The lines that wait to be sent to one follower. No method blocks, and any thread may call any of them.

    `kinds`: the kinds of events that it gets; None for all. `wake` is called when there is a line to take.
    """

    def __init__(self, kinds: frozenset[str] | None, wake: Callable[[], None]) -> None:
        self.kinds = kinds
        self._wake = wake
        self._lock = threading.RLock()
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._last: bytes | None = None
        """The last line, once there is one."""
        self._begun = False
        self.over = False
        """Whether the last line has been taken."""

    def begin(self, first: bytes) -> None:
        """Adds the first line; answers and events come after it."""
        with self._lock:
            self._begun = True
            self.put_answer(first)

    def put(self, event: bytes) -> None:
        """Adds an event; does nothing before `begin` and after the end. When too much is waiting, the follower is cut
        off."""
        with self._lock:
            if not self._begun or self.ended:
                return
            if len(self._lines) < MOST_LINES and self._bytes + len(event) <= MOST_BYTES:
                self.put_answer(event)
            else:
                self.cut()

    def cut(self) -> None:
        """Drops the waiting lines, and ends with a line that says that the follower has missed events."""
        with self._lock:
            self._lines.clear()
            self._bytes = 0
            self.end(line("too_slow", error=_("This connection was too slow to follow. Connect again.")))

    @property
    def takes_answers(self) -> bool:
        """False while many lines are waiting, so that a client is answered no faster than it reads."""
        return self._begun and len(self._lines) < _MOST_ANSWERS and not self.ended

    def put_answer(self, answer: bytes) -> None:
        with self._lock:
            self._lines.append(answer)
            self._bytes += len(answer)
        self._wake()

    def end(self, last: bytes) -> None:
        """Lines that wait are still sent, then `last`."""
        with self._lock:
            if self._last is None:
                self._last = last
        self._wake()

    @property
    def ended(self) -> bool:
        return self._last is not None

    def take(self) -> bytes | None:
        """The next line to send; None if there is none."""
        with self._lock:
            if self._lines:
                taken = self._lines.popleft()
                self._bytes -= len(taken)
                return taken
            if self._last is None or self.over:
                return None
            self.over = True
            return self._last


MOST_FOLLOWERS = 16
_MOST_WAITING = 2_000
"""The most events from which no lines have been made yet."""


class Followers:
    """All followers. `follow` and `close` may be called from any thread. Without followers, nothing is subscribed
    to."""

    def __init__(
        self,
        bus: Bus,
        session: "PlaybackService",
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

    def follow(self, kinds: Sequence[str] | None, tag: dict[str, Any], wake: Callable[[], None]) -> Follower:
        """Adds a follower. It gets the status, as the answer to its request with that `tag`, then the events.

        `kinds`: the kinds of events that it gets; None for all. `wake` is called when there is a line to take. Raises
        ControlError if there are too many followers, or a kind is unknown.
        """
        follower = Follower(_kinds(kinds), wake)
        with self._lock:
            if len(self._followers) >= MOST_FOLLOWERS or self._closed:
                raise ControlError(_("Too many connections follow already"), _("Try again in a moment."))
            self._followers.append(follower)
            if self._unsubscribe is None:
                self._before, self._chapters_before = self._session.status, self._session.chapters
                self._known_ranks = None
                self._unsubscribe = self._bus.subscribe(object, self._take)
        # In the lane, so that later events come after the first line.
        self._lane.put(lambda: self._begin(follower, tag))
        return follower

    def leave(self, follower: Follower) -> None:
        with self._lock:
            with suppress(ValueError):
                self._followers.remove(follower)
            if not self._followers and self._unsubscribe is not None:
                self._unsubscribe()
                self._unsubscribe = None

    def close(self) -> None:
        """All followers get the events until now, and a last line."""
        self._lane.close(0.2)
        with self._lock:
            self._closed = True
            followers = tuple(self._followers)
        for follower in followers:
            follower.end(line("quit"))

    # -- on the thread that publishes --------------------------------------------------------------------------

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


def _kinds(wanted: Sequence[str] | None) -> frozenset[str] | None:
    """Raises ControlError."""
    for one in wanted or ():
        if one not in KINDS:
            raise ControlError(
                _("Unknown kind of event {kind}", kind=ascii(one[:40])) + "." + suggestion(one[:40], KINDS),
                _("Available: {kinds}.", kinds=", ".join(KINDS)),
            )
    return None if wanted is None else frozenset(wanted)
