"""The download rules of a running Earmark, on a thread of their own: their input, and carrying out their decisions."""

import logging
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from datetime import datetime
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.downloads import trash
from player.downloads.downloader import Downloader
from player.downloads.files import folder_of
from player.downloads.planning import Cause as Removed
from player.downloads.planning import Cleaning, Limits, Plan, State, estimated, passes, plan
from player.downloads.reasons import Explained, deleted_words, explained, held_words, kept_words
from player.downloads.trash import delete
from player.errors import LibraryError, NotWritable
from player.events import (
    Bus,
    EpisodeFinished,
    EpisodeLeft,
    EpisodesChanged,
    EpisodesMarked,
    EpisodeStarted,
    InboxChanged,
    LibraryChanged,
    ListsChanged,
    Notice,
    PodcastRemoved,
    QueueChanged,
    RefreshProgress,
)
from player.library import Library
from player.library.database.values import stored
from player.library.download_rules import General, coming_as, offers
from player.model.downloads import (
    Candidate,
    DownloadCancelled,
    DownloadDeleted,
    DownloadFailed,
    DownloadFinished,
    DownloadRules,
    Source,
)
from player.model.episode import EpisodeId
from player.model.playback import Cause, Severity
from player.model.podcast_settings import AS_ALL_DOWNLOADS, MOST_NEWEST, EpisodeTest
from player.paths import Paths
from player.settings import Settings
from player.text.durations import parse_time
from player.text.sentences import _
from player.text.sizes import parse_size
from player.text.times import Hours, parse_days, parse_hours


class RuleSettings(Struct, frozen=True):
    """`hours` None: any hour."""

    general: General = General()
    limits: Limits = Limits()
    cleaning: Cleaning = Cleaning()
    hours: Hours | None = None


def rule_settings(settings: DownloadRules) -> RuleSettings:
    """The settings were checked when they were loaded."""
    test = EpisodeTest(
        settings.include, settings.exclude, _length(settings.longer_than), _length(settings.shorter_than)
    )
    return RuleSettings(
        General(_most(settings.queue), _most(settings.inbox), _most(settings.newest), test),
        Limits(parse_size(settings.limit) if settings.limit else None, parse_size(settings.keep_free or "0")),
        Cleaning(parse_days(settings.delete_played), parse_days(settings.delete_after)),
        parse_hours(settings.hours),
    )


def _most(number: int) -> int:
    return max(0, min(MOST_NEWEST, number))


def _length(text: str) -> int | None:
    return parse_time(text) or None if text else None


log = logging.getLogger(__name__)

_BOUNDLESS = 1 << 62
"""Bytes, if the free space isn't known."""
_UNKNOWN = 60_000_000


class Surroundings(Struct, frozen=True):
    """Everything that isn't in the library. `folders` are the folders for downloads, `playing` is the episode in the
    player. `part` returns how much of a download has been fetched, 0 to 1."""

    settings: RuleSettings
    folders: tuple[Path, ...]
    playing: Callable[[], EpisodeId | None] = lambda: None
    part: Callable[[EpisodeId], float] = lambda _episode_id: 0.0


def read_state(library: Library, around: Surroundings, now: datetime, slots: int) -> State:
    """`now` has the listener's time zone. Raises LibraryError."""
    settings, facts = around.settings, library.downloads.facts
    playing = around.playing()
    with library.episodes.snapshot():
        podcasts = library.podcast_settings.downloads()
        coming = facts.coming()
        known = facts.candidates([one for one, *_more in coming])

        def fits(one: Candidate) -> bool:
            own = podcasts.get(one.podcast_id, AS_ALL_DOWNLOADS)
            return passes(one, settings.general.test) and passes(one, own.test)

        def size(episode_id: EpisodeId) -> tuple[int, int]:
            whole = estimated(known[episode_id]) if episode_id in known else _UNKNOWN
            return whole, int(whole * (1 - min(1.0, max(0.0, around.part(episode_id)))))

        return State(
            now=stored(now),
            free=free_bytes(around.folders),
            offers=offers(library, facts, settings.general, podcasts, fits),
            stored=facts.stored(playing),
            trash=facts.trash(),
            coming=tuple(coming_as(coming, size)),
            refused=facts.refused(),
            sizes=facts.sizes(),
            podcasts=podcasts,
            test=settings.general.test,
            limits=settings.limits,
            cleaning=settings.cleaning,
            open=settings.hours is None or settings.hours.contain(now),
            slots=slots,
        )


def free_bytes(folders: Sequence[Path]) -> int:
    """The free bytes on the disk of these folders that has the fewest. A missing folder counts as on its parent's
    disk."""
    return min((_free(folder) for folder in folders), default=_BOUNDLESS)


def _free(folder: Path) -> int:
    try:
        return shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
    except (OSError, StopIteration) as error:
        log.warning("nobody knows how much is free: %s", error)
        return _BOUNDLESS


_ALL = 1_000_000


def explain(library: Library, around: Surroundings, now: datetime) -> tuple[dict[EpisodeId, Explained], Plan]:
    """Each download, and everything that the rules would do if nothing had to wait for its turn. Raises
    LibraryError."""
    state = read_state(library, around, now, _ALL)
    made = plan(state)
    return explained(state, made, rule_titles(library, {one.rule for one in state.stored})), made


def rule_titles(library: Library, keys: set[str]) -> dict[str, str]:
    """The titles of the podcasts and lists of these rules, as far as they still exist."""
    podcasts = library.podcasts.all() if any(one.startswith(Source.PODCAST) for one in keys) else ()
    lists = library.lists.all() if any(one.startswith(Source.LIST) for one in keys) else ()
    titles = {f"{Source.PODCAST}:{one.id}": one.title for one in podcasts}
    titles.update((f"{Source.LIST}:{one.id}", one.title) for one in lists)
    return {key: titles[key] for key in keys if key in titles}


_ROUNDS = 5
"""How many times in a row a plan is made and followed: the changes of one plan may make room for another."""
AT_ONCE = 3
"""The most downloads of rules that wait in the queue or run: others may become more wanted meanwhile."""

_PATIENCE_S = 10.0
"""How long a change of the queue may take."""


class Queue(Protocol):
    """The queue that takes downloads: a Downloader."""

    def download(self, ids: EpisodeId, *, why: str, cause: Cause) -> Future[list[EpisodeId]]: ...

    def cancel(self, ids: EpisodeId) -> Future[list[EpisodeId]]: ...


class Followed(Struct, frozen=True):
    """What was done, and the last plan: episodes held back by it still are."""

    deleted: tuple[EpisodeId, ...]
    restored: tuple[EpisodeId, ...]
    begun: tuple[EpisodeId, ...]
    last: Plan
    refused: str = ""
    """Why downloads couldn't be deleted."""


def follow(
    library: Library, around: Surroundings, folder: Path, queue: Queue | None, now: Callable[[], datetime]
) -> Followed:
    """Plans and carries out, until nothing is left to do. Without a `queue` nothing is begun or removed from it.

    Waits for the disk. Raises LibraryError.
    """
    library.downloads.facts.note_played()
    deleted: list[EpisodeId] = []
    restored: list[EpisodeId] = []
    begun: list[EpisodeId] = []
    refused, made = "", Plan()
    for _round in range(_ROUNDS):
        before, made = made, planned(library, around, now(), AT_ONCE if queue else 0)
        if made == before:
            break  # a folder can't be written to: nothing was done, and trying again would do nothing
        moved = trash.set_aside(library, folder, made.remove) if made.remove else trash.SetAside([])
        gone, refused = moved.gone, kept_words(moved.kept, moved.refused)
        deleted += gone
        if made.purge:
            trash.purge(library, made.purge)
        restored += [one.episode_id for one in made.restore if trash.restore(library, one.episode_id, one.rule.key)]
        if queue is not None:
            _drop(library, queue, made)
            if any(one.cause is Removed.ROOM and one.episode_id not in gone for one in made.remove):
                continue  # it is protected by now, or can't be moved, so there may be no room
            for one in made.begin:
                queue.download(one.episode_id, why=one.rule.key, cause=Cause.RULE).result(_PATIENCE_S)
                begun.append(one.episode_id)
        if made.is_done or queue is None:
            break
    return Followed(tuple(deleted), tuple(restored), tuple(begun), made, refused)


def planned(library: Library, around: Surroundings, now: datetime, at_once: int) -> Plan:
    """What to do now; at most `at_once` downloads of rules may then be in the queue. Raises LibraryError."""
    state = read_state(library, around, now, at_once)
    waiting = sum(bool(one.rule) and not one.is_held for one in state.coming)
    return plan(replace(state, slots=max(0, at_once - waiting)))


def _drop(library: Library, queue: Queue, made: Plan) -> None:
    for episode_id in made.drop:
        queue.cancel(episode_id).result(_PATIENCE_S)
    library.downloads.facts.forgive(made.drop)


_CHANGES = (
    EpisodesMarked, EpisodeStarted, EpisodeFinished, EpisodeLeft, QueueChanged, InboxChanged, ListsChanged,
    LibraryChanged, PodcastRemoved, DownloadFinished, DownloadFailed, DownloadCancelled, DownloadDeleted,
)  # fmt: skip
TICK_S = 60.0
"""How often the time is checked: hours begin and end, and downloads grow old."""
GATHER_S, _GATHER_MOST_S = 1.0, 5.0
"""Changes come in groups: how long it has to be quiet, and how long to wait for that at most."""
FIRST_AFTER_S = 20.0
"""How long after a start nothing is done unless a refresh ends before: new episodes should be known first."""
_NO_ROOM = "rules_no_room"
"""The key in the library's state that says that the listener has been told that there is no room."""


class RuleRunner:
    """Never two at once: everything happens on its single thread. If it fails, it is tried again a minute later."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        around: Surroundings,
        folder: Path,
        queue: Queue,
        *,
        first_after_s: float = FIRST_AFTER_S,
        gather_s: float | None = None,
        tick_s: float = TICK_S,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        """`folder` is the downloads folder."""
        self._library = library
        self._bus = bus
        self._around = around
        self._folder = folder
        self._queue = queue
        self._first_after_s = first_after_s
        self._gather_s = GATHER_S if gather_s is None else gather_s
        self._tick_s = tick_s
        self._now = now
        self._gates: list[Callable[[], bool]] = []
        self._changed = threading.Event()
        self._closed = threading.Event()
        self.is_settled = False
        """Whether a refresh has ended since the start."""
        self.looks = self.rounds = 0
        """How often the time was checked, and the rules were applied."""
        self._began_at = 0.0
        self._refused = ""
        """The last message about downloads that can't be deleted."""
        self._thread = threading.Thread(target=self._work, name="earmark-rules", daemon=True)

    def wait_for(self, is_ready: Callable[[], bool]) -> None:
        """Nothing is done while this returns False: while feeds are read, or another device's changes arrive."""
        self._gates.append(is_ready)

    def start(self) -> None:
        self._began_at = time.monotonic()
        for kind in _CHANGES:
            self._bus.subscribe(kind, lambda _event: self._changed.set())
        self._bus.subscribe(RefreshProgress, self._refreshed)
        self._thread.start()

    def follow(self, around: Surroundings, folder: Path) -> None:
        """Applies changed settings."""
        self._around, self._folder = around, folder
        self.apply_soon()

    def apply_soon(self) -> None:
        """Settings have changed."""
        self._changed.set()

    def close(self) -> None:
        self._closed.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _refreshed(self, event: RefreshProgress) -> None:
        if event.done == event.total:
            self.is_settled = True
            self._changed.set()

    # -- its thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        due, swept = True, False
        while not self._closed.is_set():
            self.looks += 1
            if due and self._is_ready():
                due = not self._apply()
                swept = swept or self._sweep()
            left_s = self._first_after_s - (time.monotonic() - self._began_at)
            if self._changed.wait(self._tick_s if self.is_settled or left_s <= 0 else min(self._tick_s, left_s)):
                self._gather()
            due = True

    def _is_ready(self) -> bool:
        waited = time.monotonic() - self._began_at >= self._first_after_s
        return (self.is_settled or waited) and all(gate() for gate in self._gates)

    def _gather(self) -> None:
        end = time.monotonic() + _GATHER_MOST_S
        while not self._closed.is_set() and time.monotonic() < end:
            self._changed.clear()
            if not self._changed.wait(self._gather_s):
                return

    def _apply(self) -> bool:
        """Returns False if it has to be tried again."""
        try:
            self.rounds += 1
            self._tell(follow(self._library, self._around, self._folder, self._queue, self._now))
            return True
        except (LibraryError, CancelledError, TimeoutError) as error:
            log.warning("the download rules wait: %s", error)
        except Exception:
            log.exception("the download rules failed")
        return False

    def _sweep(self) -> bool:
        try:
            trash.sweep(self._library, self._folder)
        except LibraryError as error:
            log.warning("the trash can't be swept: %s", error)
        return True

    def _tell(self, done: Followed) -> None:
        if changed := (*done.deleted, *done.restored):
            self._bus.publish(EpisodesChanged(changed))
        for episode_id in done.deleted:
            self._bus.publish(DownloadDeleted(episode_id, Cause.RULE))
        if done.deleted:
            self._bus.publish(Notice(deleted_words(len(done.deleted)), Severity.INFORMATION))
        if done.refused and done.refused != self._refused:
            again = _("{problem} Earmark tries again by itself.", problem=done.refused)
            self._bus.publish(Notice(again, Severity.WARNING))
        self._refused = done.refused
        self._tell_of_room(done)

    def _tell_of_room(self, done: Followed) -> None:
        """Tells the listener once, until everything has fitted again."""
        words = held_words(done.last, self._around.settings.limits)
        known = self._library.state.get(_NO_ROOM)
        if bool(words) != bool(known):
            self._library.state.set(_NO_ROOM, "1" if words else "")
            if words:
                self._bus.publish(Notice(words, Severity.WARNING))


def surroundings(
    paths: Paths,
    settings: Settings,
    playing: Callable[[], EpisodeId | None] = lambda: None,
    part: Callable[[EpisodeId], float] = lambda _episode_id: 0.0,
) -> tuple[Surroundings, Path]:
    """Everything that isn't in the library, and the downloads folder."""
    folder = folder_of(settings.media.downloads, paths.data)
    return Surroundings(rule_settings(settings.downloads), (folder, paths.media), playing, part), folder


class RunningRules:
    """The rules of config.toml, podcasts and lists. `runner` applies them once it has been started."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        library: Library,
        bus: Bus,
        downloads: Downloader,
        playing: Callable[[], EpisodeId | None],
    ) -> None:
        self._library = library
        self._bus = bus

        def part(episode_id: EpisodeId) -> float:
            entries = downloads.snapshot().entries
            return next((one.progress.part or 0.0 for one in entries if one.episode_id == episode_id), 0.0)

        def around(settings: Settings) -> tuple[Surroundings, Path]:
            return surroundings(paths, settings, playing, part)

        self._surroundings = around
        self._around, self._folder = self._surroundings(settings)
        self.runner = RuleRunner(library, bus, self._around, self._folder, downloads)

    def follow(self, settings: Settings) -> None:
        """Applies changed settings."""
        self._around, self._folder = self._surroundings(settings)
        self.runner.follow(self._around, self._folder)

    def explain(self) -> dict[EpisodeId, Explained]:
        """Why each episode is downloaded, what protects the download, and when it is deleted. Reads the library, so it
        must be called on a thread."""
        return explain(self._library, self._around, datetime.now().astimezone())[0]

    def delete(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Deletes the files of these downloads for the listener, as one act that can be undone for a day, and returns
        the episodes whose files are gone. Waits for the disk. Raises LibraryError, and NotWritable if some can't be
        deleted; the rest are deleted."""
        gone, kept, refused = delete(self._library, self._folder, ids)
        if gone:
            self._bus.publish(EpisodesChanged(tuple(gone)))
        for one in gone:
            self._bus.publish(DownloadDeleted(one, Cause.PERSON))
        if refused is not None:
            raise NotWritable(kept_words(kept, refused))
        return gone
