"""A small world of devices that sync: each a real library with a clock of its own, perhaps wrong. Time is simulated.

Nothing here has threads: a round happens when it is asked for, and can end at any of its steps, as by a kill.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Set
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from player.library import Library
from player.library.database import connections
from player.library.database.connect import connect
from player.links.addresses import spelling_key
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan, Moment
from player.model.podcast import Podcast as PodcastHere
from player.model.segments import SegmentKind
from player.model.syncing import Carried, Outgoing, Pulled, Pushed, SyncAccount, Taken
from player.net.loop import NetworkLoop
from player.paths import Paths
from player.sync.arrived import subscribe
from player.sync.folder.folder_target import FolderTarget, join_folder
from player.sync.round import Round
from player.sync.target import SyncTarget
from player.sync.ways import way_of
from tests.audiobookshelf import USER as ANN
from tests.audiobookshelf import AudiobookshelfServer, Podcast
from tests.player.library.helpers import apply_feed, episode
from tests.player.sync.meeting import Meeting, MeetingTarget
from tests.sync_servers import devices as servers
from tests.sync_servers.gpodder import GpodderNet, GpodderServer, OPodSync
from tests.sync_servers.nextcloud import NextcloudServer
from tests.sync_servers.server import USER, SyncServer

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
NEW_YEAR = 1_767_225_600_000
"""2026, in ms."""
FEEDS = ("https://example.org/a/feed.xml", "https://example.com/b/feed.xml")
LENGTH_MS = 30 * MINUTE
"""Of each episode."""

_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A disk in memory, if there is one: kills end a process here, so nothing has to outlast a power cut."""

KINDS: dict[str, type[SyncServer] | type[AudiobookshelfServer] | None] = {
    "memory": None,
    "folder": None,
    "gpodder": GpodderServer,
    "opodsync": OPodSync,
    "gpodder.net": GpodderNet,
    "nextcloud": NextcloudServer,
    "audiobookshelf": AudiobookshelfServer,
}


def present(feed: str) -> str:
    """The address of a feed that has moved."""
    return feed.replace("feed.xml", "moved.xml")


T = TypeVar("T")


class Killed(Exception):
    """The process ended in the middle of a round."""


class KillingTarget:
    """Ends the process before or after the request number `kills_at`, once. Implements SyncTarget."""

    def __init__(self, target: SyncTarget) -> None:
        self._target = target
        self.carries = target.carries
        self.most_at_once = target.most_at_once
        self.kills_at: int | None = None
        self.kills_after = False
        self._requests = 0

    def begin(self, kills_at: int | None, *, after: bool) -> None:
        self._requests, self.kills_at, self.kills_after = 0, kills_at, after

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        return self._asked(partial(self._target.pull, cursor, whole=whole))

    def push(self, outgoing: Outgoing) -> Pushed:
        return self._asked(partial(self._target.push, outgoing))

    def abort(self) -> None:
        self._target.abort()

    def _asked(self, ask: Callable[[], T]) -> T:
        is_last, self._requests = self._requests == self.kills_at, self._requests + 1
        if is_last and not self.kills_after:
            raise Killed
        answer = ask()
        if is_last:
            raise Killed
        return answer


class World:
    """Its time is the true one, in ms. `close` ends it."""

    def __init__(self, kind: str) -> None:
        self._ends = ExitStack()
        self.folder = Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="earmark-world-", dir=_MEMORY)))
        self.ms = NEW_YEAR
        self.kind = kind
        self.devices: list[Device] = []
        self.published: dict[str, int] = {}
        """How many episodes each feed has."""
        self.moved: set[str] = set()
        """Feeds that have another address by now, to which their first one leads."""
        self.numbered = False
        """Whether feeds call their episodes by plain numbers, so that several have the same names."""
        self.meeting = Meeting()
        self.network = NetworkLoop(5.0, 5.0)
        self._ends.callback(self.network.close)
        make = KINDS[kind]
        self.server: SyncServer | AudiobookshelfServer | None = None
        if make is not None:
            self.server = make(lambda: self.ms / 1000)
            self._ends.enter_context(self.server)
        self._clocks: dict[Path, Device] = {}
        setattr(connections, "connect", self._connected)  # noqa: B010 - mypy doesn't know that it is there
        self._ends.callback(setattr, connections, "connect", connect)

    def add(self, offset_ms: int) -> "Device":
        device = Device(self, f"device{len(self.devices)}", offset_ms)
        self.devices.append(device)
        return device

    def sync(self, *devices: "Device", each_ms: int = MINUTE) -> None:
        for device in devices:
            self.ms += each_ms
            device.sync()

    def target(self, device: "Device") -> SyncTarget:
        if self.server is not None:
            return servers.target(self.server, self.network, device.name, now=lambda: device.ms / 1000)
        if self.kind == "memory":
            return MeetingTarget(self.meeting, device.name)
        shared = self.folder / "shared"
        shared.mkdir(exist_ok=True)
        join_folder(shared, device.paths.sync_folder)
        return FolderTarget(shared, device.name, device.name, device.paths.sync_folder)

    def account(self, device: "Device") -> SyncAccount:
        if isinstance(self.server, AudiobookshelfServer):
            return way_of("audiobookshelf").account(self.server.address, ANN, device.name, device.name)
        if self.server is None:
            return way_of("folder").account(str(self.folder / "shared"), "", device.name, device.name)
        kind = "nextcloud" if self.kind == "nextcloud" else "gpodder"
        return SyncAccount(kind, self.server.address, USER, device.name, device.name)

    def guid(self, feed: str, number: int) -> str:
        return f"{number}" if self.numbered else f"{feed}#{number}"

    def newest_s(self) -> float:
        """When, by anybody's clock, the last was done that the server has."""
        if isinstance(self.server, AudiobookshelfServer):
            return max((one["lastUpdate"] / 1000 for one in self.server.progress.values()), default=0.0)
        if isinstance(self.server, NextcloudServer):
            return max((float(one["at"]) for one in self.server.actions), default=0.0)
        actions = self.server.actions if isinstance(self.server, GpodderServer) else []
        return max((datetime.fromisoformat(f"{one['timestamp'][:19]}Z").timestamp() for _at, one in actions), default=0)

    def app_says(self, guid: str, entry: dict[str, Any]) -> bool:
        """A phone with another app says something of an episode: all that it has in common is the time. Whether the
        server keeps it: gpodder.net doesn't if the app has said the same before."""
        feed, number = guid.split("#")
        if isinstance(self.server, AudiobookshelfServer):
            self.server.change(self.stocked(feed).episodes[int(number)], entry)
            return True
        at = datetime.fromtimestamp(self.ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        name = {"podcast": self._listed(feed), "episode": f"{feed}/{number}.mp3", "timestamp": at}
        if isinstance(self.server, NextcloudServer):
            self.server.take({**name, "guid": self.guid(feed, int(number)), **entry, "action": "PLAY"})
            return True
        assert isinstance(self.server, GpodderServer)
        before = len(self.server.actions)
        self.server.take({**name, "device": "phone", **entry})
        return len(self.server.actions) > before

    def _listed(self, feed: str) -> str:
        """The address by which the server has the feed: that of apps that take part."""
        assert isinstance(self.server, GpodderServer | NextcloudServer)
        listed = {one for one, (is_there, _at) in self.server.subscriptions.items() if is_there}
        if isinstance(self.server, GpodderNet):
            listed = set().union(*map(self.server.subscribed, self.server.devices))
        return present(feed) if present(feed) in listed and feed not in listed else feed

    def stocked(self, feed: str) -> Podcast:
        """The server's podcast with all that its feed has published."""
        assert isinstance(self.server, AudiobookshelfServer)
        podcasts = self.server.podcasts.values()
        key = spelling_key(feed)
        podcast = next((one for one in podcasts if spelling_key(one.feed) == key), None)
        if podcast is None:
            podcast = self.server.add_podcast(feed)
            podcast.feed = feed
        for number in range(len(podcast.episodes), self.published[feed]):
            name = {"guid": self.guid(feed, number), "enclosure": f"{feed}/{number}.mp3"}
            podcast.add_episode(f"{number}", b"", duration=LENGTH_MS / SECOND, **name)
        return podcast

    def forget(self) -> None:
        """The server loses everything; a folder doesn't."""
        if isinstance(self.server, AudiobookshelfServer):
            self.server.forget_progress()
        if isinstance(self.server, GpodderServer | NextcloudServer):
            self.server.forget()
        elif self.kind == "memory":
            self.meeting.forget()

    def clock_of(self, path: Path, device: "Device") -> None:
        """SQLite's own clock in that library is the device's."""
        self._clocks[path] = device

    def close(self) -> None:
        for device in self.devices:
            device.library.close()
        self._ends.close()

    def _connected(self, path: Path, patience_ms: int, *, mode: str = "rwc", immutable: bool = False) -> Any:
        made: sqlite3.Connection = connect(path, patience_ms, mode=mode, immutable=immutable)
        if (device := self._clocks.get(path)) is not None:
            made.create_function("julianday", 1, lambda _now: device.ms / DAY + 2440587.5)
        return made


class Device:
    """`offset_ms`: how wrong its clock is."""

    def __init__(self, world: World, name: str, offset_ms: int) -> None:
        self.world = world
        self.name = name
        self.offset_ms = offset_ms
        self.paths = Paths.of({"EARMARK_HOME": str(world.folder / name)})
        world.clock_of(self.paths.library, self)
        self._open()
        self.target = KillingTarget(world.target(self))
        self.library.syncing.set_account(world.account(self))

    @property
    def ms(self) -> int:
        return self.world.ms + self.offset_ms

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.ms / 1000, UTC)

    def carries(self, what: Carried) -> bool:
        return what in self.target.carries

    # -- what the listener does ---------------------------------------------------------------------------------

    def subscribe(self, url: str) -> None:
        """As the app does it, which reads the feed first and follows it."""
        if self.podcast(url) is None:
            self.library.podcasts.add(present(url) if url in self.world.moved else url, url)
            self.refresh()

    def unsubscribe(self, url: str) -> None:
        if (podcast := self.podcast(url)) is not None:
            self.library.acts.unsubscribe(podcast.id)

    def podcast(self, url: str) -> PodcastHere | None:
        """By either of its addresses."""
        return self.library.podcasts.by_url(present(url)) or self.library.podcasts.by_url(url)

    def refresh(self) -> None:
        for url, count in self.world.published.items():
            if (podcast := self.podcast(url)) is not None and count:
                if url in self.world.moved:
                    former = self.library.podcasts.by_url(url)
                    if former is None or self.library.podcasts.join(former.id, present(url)) is None:
                        self.library.podcasts.move(podcast.id, present(url))
                items = [
                    episode(n, guid=self.world.guid(url, n), url=f"{url}/{n}.mp3", title=f"{n}", duration_ms=LENGTH_MS)
                    for n in range(count)
                ]
                apply_feed(self.library, podcast, *items)

    def hear(self, one: EpisodeId, to_ms: int, minutes: int = 0) -> None:
        """Heard up to there, the last minutes of it just now."""
        self.library.progress.start(one)
        before_ms = minutes * MINUTE
        span = ListeningSpan(one, max(0, to_ms - before_ms), to_ms, self.now() - timedelta(milliseconds=before_ms))
        self.library.progress.save(one, to_ms, None, self.now(), heard=[span] if minutes else [])

    def finish(self, one: EpisodeId) -> None:
        self.library.progress.start(one)
        self.library.progress.finish(one)

    def mark(self, one: EpisodeId, played: bool) -> None:
        """As the app does it."""
        self.library.episodes.set_played([one], played)
        if played:
            self.library.queue.remove([one])
            self.library.inbox.remove([one])

    def bookmark(self, one: EpisodeId, position_ms: int, note: str) -> None:
        self.library.bookmarks.put(one, Moment(position_ms, note=note))

    def segment(self, one: EpisodeId, start_ms: int, kind: SegmentKind) -> None:
        """Marks it, or says what it is if it was marked, or deletes it if that is what it was said to be."""
        segments = self.library.segments
        same = next((each for each in segments.of_episode(one) if each.start_ms == start_ms), None)
        if same is None:
            segments.mark(one, start_ms, start_ms + 30 * SECOND, kind)
        elif same.kind is kind:
            segments.delete([same.id])
        else:
            segments.change(same.id, kind)

    def position(self, one: EpisodeId) -> int:
        found = self.library.progress.position(one)
        return found.position_ms if found else 0

    def is_played(self, one: EpisodeId) -> bool:
        return self.library.episodes.get(one).played

    def episodes(self) -> dict[str, EpisodeId]:
        """Those that its feeds have brought, by feed and number."""
        found = {}
        for url, count in self.world.published.items():
            if (podcast := self.podcast(url)) is not None:
                for number in range(count):
                    if (one := self.library.episodes.at_guid(podcast.id, self.world.guid(url, number))) is not None:
                        found[f"{url}#{number}"] = one
        return found

    # -- syncing ------------------------------------------------------------------------------------------------

    def sync(
        self, *, kills_at: int | None = None, after: bool = False, playing: frozenset[EpisodeId] = frozenset()
    ) -> bool:
        """A round; False if it was killed, and the device started anew."""
        self.target.begin(kills_at, after=after)
        if self.world.kind == "audiobookshelf":
            for feed in self.world.published:
                self.world.stocked(feed)
        try:
            Round(self.library, self.target, now=self.now, playing=lambda: playing, taken=self._taken).run()
            return True
        except Killed:
            self.library.close()
            self._open()
            self.target = KillingTarget(self.world.target(self))
            return False

    def _taken(self, taken: Taken) -> None:
        for podcast_id in taken.unsubscribe:
            self.library.acts.unsubscribe(podcast_id)
        if subscribe(self.library, taken.subscribe):
            self.refresh()

    def _open(self) -> None:
        self.library = Library(self.paths, now=self.now, backs_up=False)
        self.library.open()

    # -- what there is ------------------------------------------------------------------------------------------

    def subscriptions(self) -> set[str]:
        feeds = {address: feed for feed in self.world.published for address in (feed, present(feed))}
        here = [feeds[one.url] for one in self.library.podcasts.all() if one.url in feeds and not one.previewed]
        found = set(here)
        assert len(here) == len(found), "none is doubled"
        return found

    def state(self) -> dict[str, tuple[bool, int]]:
        """Played, and the position in whole seconds, by guid."""
        found = {}
        for guid, one in self.episodes().items():
            played = self.is_played(one)
            found[guid] = (played, 0 if played else self.position(one) // SECOND)
        return found

    def extras(self, feeds: Set[str]) -> dict[str, Any]:
        """What else a folder carries, of these feeds and their episodes."""
        names = {one: guid for guid, one in self.episodes().items() if guid.split("#")[0] in feeds}
        library = self.library
        podcasts = {url: podcast for url in feeds if (podcast := self.podcast(url)) is not None}
        return {
            "arranged": {
                (url, podcast.pinned, tuple(sorted(library.shelf.tags().get(podcast.id, ()))))
                for url, podcast in podcasts.items()
            },
            "stars": {names[row.id] for row in library.episodes.rows(list(names)) if row.starred},
            "queue": [names[one] for one in map(EpisodeId, library.queue.ids()) if one in names],
            "bookmarks": {
                (names[one.episode_id], one.position_ms, one.note)
                for one in library.bookmarks.all()
                if one.episode_id in names
            },
            "segments": {
                (names[one.episode_id], one.start_ms, one.end_ms, one.kind)
                for one in library.segments.all()
                if one.episode_id in names
            },
            "heard": {
                (name, span.from_ms, span.to_ms, span.began_at)
                for one, name in names.items()
                for span in library.history.spans(one)
            },
        }


@contextmanager
def subscribed(kind: str, *, episodes: int = 1, devices: int = 2) -> Iterator[tuple[World, list[Device]]]:
    """A world in which each device has subscribed to FEEDS[0], which has so many episodes."""
    world = World(kind)
    try:
        world.published = {FEEDS[0]: episodes}
        for _device in range(devices):
            world.add(0)
        for device in world.devices:
            device.subscribe(FEEDS[0])
        yield world, list(world.devices)
    finally:
        world.close()
