"""What plays after an episode: the queue, a list that continues, what is skipped or interrupted."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import partial
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.errors import LibraryError, NotFound
from player.events import Cause, Notice
from player.library import Library
from player.model.episode import Episode, EpisodeId, SavedPosition
from player.model.filters import View, ViewName
from player.model.playback import NextFrom, NextUp, PlaybackStatus, Severity
from player.playback.applied_settings import Configured
from player.playback.observers import EventTracker
from player.playback.prefetch import ListAhead
from player.playback.saver import CountAsPlayed, QueueInterrupted, Remember, Saver, Skip
from player.text.cleaning import clean_line
from player.text.durations import parse_time
from player.text.sentences import _


class EndedBy(Enum):
    """Why an episode is over."""

    FINISHED = "finished"
    """It was heard to its end."""
    FAILED = "failed"
    """It can't be played, or can't be played any further."""
    SKIPPED = "skipped"
    """The listener skipped to the next episode."""
    REPLACED = "replaced"
    """The listener plays another episode."""
    RETURNED = "returned"
    """The listener returned to where the sleep timer started: what has played since isn't marked."""


class Ended(Struct, frozen=True):
    """None if there was no current episode."""

    episode_id: EpisodeId | None
    by: EndedBy


class Left(Struct, frozen=True):
    """An episode that another one has replaced as the current episode.

    `heard_s` is how long it was heard as the current episode, `left_ms` how much of it is left; None where that isn't
    certain.
    """

    episode: Episode
    by: EndedBy
    heard_s: float = 0.0
    left_ms: int | None = None
    live: bool = False


class Nothing(Struct, frozen=True):
    """Nothing plays after this."""


class Play(Struct, frozen=True):
    """Play this episode from `position_ms`; None means from its saved position. `source` says why it is next."""

    episode_id: EpisodeId
    position_ms: int | None = None
    source: NextFrom = NextFrom.QUEUE


class Follows(Protocol):
    """What the controller asks when an episode ends, and when another one replaces it. All methods except `leave` may
    raise LibraryError."""

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        """Called right after the end, which is being saved. `error` says why the episode can't be played."""
        ...

    def leave(self, left: Left) -> None:
        """Called when another episode is about to replace the current one, whose position is being saved."""
        ...

    def retried(self) -> None:
        """A person tries again to play an episode that failed."""
        ...

    def begins_again(self, episode: Episode, saved: SavedPosition) -> bool:
        """Whether the episode starts from the beginning although a position is saved."""
        ...


FirstOf = Callable[[frozenset[EpisodeId]], EpisodeId | None]
"""The first episode of a list, except the given episodes. May raise LibraryError."""


def up_next(
    ended: Ended,
    queue: FirstOf,
    continued: FirstOf,
    *,
    by_itself: bool = False,
    tried: frozenset[EpisodeId] = frozenset(),
) -> Nothing | Play:
    """The first of the queue, otherwise of the list that continues.

    `by_itself`: no person chose the episode that ended; what a person chose stays the current episode even if it can't
    be played. Episodes in `tried` couldn't be played and aren't tried again.
    """
    if ended.by is EndedBy.FAILED and not by_itself:
        return Nothing()
    excluded = tried if ended.episode_id is None else tried | {ended.episode_id}
    for source, first_of in ((NextFrom.QUEUE, queue), (NextFrom.LIST, continued)):
        if (found := first_of(excluded)) is not None:
            return Play(found, source=source)
    return Nothing()


log = logging.getLogger(__name__)

PLAYED_FROM = "played_from"
"""The key in the library's state for the list that is playing and the episode that it has reached."""
_INTERRUPTED_S = 30.0
_MOST_FAILURES = 10
"""After this many episodes in a row that can't be played, playback stops."""
_MOST_BEFORE = 50
_TITLE = 60


class FollowingMemory(Struct, frozen=True):
    """The episodes that played before, oldest first; the ones that couldn't be played; and the list that is playing, in
    the format stored under `PLAYED_FROM`."""

    by_itself: bool = False
    tried: frozenset[EpisodeId] = frozenset()
    failures: int = 0
    before: tuple[EpisodeId, ...] = ()
    played_from: str = ""


class Following:
    """An episode left with at most `played_within_ms` to play counts as played.

    A chain begins with an episode that a person chose, and continues with those that follow automatically.
    """

    def __init__(
        self,
        library: Library,
        saver: Saver,
        configured: Configured,
        events: EventTracker,
        notify: Callable[[Notice], None],
        wake: Callable[[], None],
    ) -> None:
        """`wake` makes the session's thread ask for the status again; any thread may call it."""
        self._library = library
        self._saver = saver
        self._configured = configured
        self._events = events
        self._notify = notify
        self._by_itself = False
        self._tried: frozenset[EpisodeId] = frozenset()
        self._failures = 0
        self._list: tuple[View, EpisodeId] | None = None
        """The list that is playing, and the episode that it has reached."""
        self._before: list[EpisodeId] = []
        """The episodes that played before the current one, oldest first."""
        self._going_back = False
        self._wake = wake
        self._ahead = ListAhead(library, self._list_came)
        self._came = False
        """Set when the list has been read ahead; cleared when `shown` has taken that into account."""
        self._next: NextUp | None = None
        self._next_after: EpisodeId | None = None
        self.outdated = True
        """Set, by any thread, when what is next may have changed."""

    @property
    def played_within_ms(self) -> int:
        return parse_time(self._configured.queue.played_within)

    # -- what is shown ----------------------------------------------------------------------------------------

    def shown(self, status: PlaybackStatus) -> PlaybackStatus:
        """The status, including the next episode."""
        current = status.episode.id if status.episode else None
        if (again := self.outdated or current != self._next_after) or self._came:
            self.outdated, self._came, self._next_after = False, False, current
            self._look_ahead(current, again=again)
        return replace(status, next_up=None if status.clip else self._next)

    @property
    def next_up(self) -> NextUp | None:
        return self._next

    def close(self) -> None:
        self._ahead.close()

    def _list_came(self) -> None:
        self._came = True
        self._wake()

    def _look_ahead(self, current: EpisodeId | None, *, again: bool) -> None:
        """`again`: the list's contents may have changed."""
        try:
            match self._choose(Ended(current, EndedBy.SKIPPED), partial(self._known_of_list, again)):
                case Play(episode_id, _position, source):
                    found = self._library.episodes.rows([episode_id])
                    self._next = NextUp(found[0], source) if found else None
                case Nothing():
                    self._next = None
        except LibraryError as error:
            log.warning("what is next can't be read: %s", error)  # shown as nothing
            self._next = None

    # -- a person chooses -------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Restores the list that was playing when Earmark was quit. Raises LibraryError."""
        self._list = _list_in(self._library.state.get(PLAYED_FROM) or "")

    def memory(self) -> FollowingMemory:
        played_from = _text_of(*self._list) if self._list else ""
        return FollowingMemory(self._by_itself, self._tried, self._failures, tuple(self._before), played_from)

    def recall(self, memory: FollowingMemory) -> None:
        self._by_itself, self._tried, self._failures = memory.by_itself, memory.tried, memory.failures
        self._before, self._list = list(memory.before), _list_in(memory.played_from)
        self.outdated = True

    def chosen(self, episode_id: EpisodeId, view: View | None) -> None:
        """A person plays an episode, from a list or elsewhere, which begins a new chain."""
        self._begin_chain()
        self._by_itself = False
        if view is None or view.name is not ViewName.QUEUE:
            self._play_from(view.whole if view else None, episode_id)

    def retried(self) -> None:
        """A person tries again to play an episode that failed."""
        self._begin_chain()
        self._by_itself = False

    @contextmanager
    def going_back(self, current: EpisodeId | None) -> Iterator[EpisodeId | None]:
        """A context manager with the episode that played before, to be played within it; None if there was none. Raises
        LibraryError."""
        self._going_back = True
        try:
            yield self._before_this(current)
        finally:
            self._going_back = False

    # -- the controller asks and reports ----------------------------------------------------------------------

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        """Raises LibraryError. `error` says why the episode couldn't be played, if it failed."""
        if ended.by is EndedBy.SKIPPED:
            self._begin_chain()
        elif ended.by is EndedBy.FINISHED:
            self._failures = 0
        elif ended.by is EndedBy.FAILED and self._by_itself and ended.episode_id is not None:
            self._tried |= {ended.episode_id}
            self._failures += 1
            self._notify_failure(ended.episode_id, error)
            if self._failures >= _MOST_FAILURES:
                return Nothing()
        chosen = self._choose(ended, self._first_of_list)
        if isinstance(chosen, Play):
            self._by_itself = True
            if ended.by is not EndedBy.SKIPPED:
                self._events.begin(Cause.RULE)
            if chosen.source is NextFrom.LIST and self._list:
                self._play_from(self._list[0], chosen.episode_id)
        return chosen

    def leave(self, left: Left) -> None:
        """Another episode takes over. The position of the one that is left is on its way to the disk."""
        self._remember(left)
        episode_id = left.episode.id
        if left.by is EndedBy.SKIPPED:
            self._saver.put(Skip(episode_id, played=self._counts_as_played(left)))
        elif left.by is EndedBy.REPLACED and self._counts_as_played(left):
            self._saver.put(CountAsPlayed(episode_id))
        elif left.by is EndedBy.REPLACED and self._was_interrupted(left):
            self._saver.put(QueueInterrupted(episode_id))

    def begins_again(self, episode: Episode, saved: SavedPosition) -> bool:
        """True for an episode that counted as played though its end wasn't heard."""
        left_ms = None if episode.duration_ms is None else episode.duration_ms - saved.position_ms
        return episode.played and left_ms is not None and left_ms <= self.played_within_ms

    # -- inside -----------------------------------------------------------------------------------------------

    def _before_this(self, current: EpisodeId | None) -> EpisodeId | None:
        while self._before:
            episode_id = self._before.pop()
            if episode_id != current and self._library.episodes.rows([episode_id]):
                self.retried()
                return episode_id
        return None

    def _begin_chain(self) -> None:
        self._tried = frozenset()
        self._failures = 0

    def _choose(self, ended: Ended, of_list: FirstOf) -> Nothing | Play:
        return up_next(ended, self._first_of_queue, of_list, by_itself=self._by_itself, tried=self._tried)

    def _first_of_queue(self, excluded: frozenset[EpisodeId]) -> EpisodeId | None:
        """As the queue will be once every waiting change to it is written."""
        coming, leaving = self._saver.queue_changes()
        excluded |= leaving
        for episode_id in coming:
            if episode_id not in excluded and not self._library.queue.has(episode_id):
                return episode_id
        return self._library.queue.first(besides=tuple(excluded))

    def _first_of_list(self, excluded: frozenset[EpisodeId]) -> EpisodeId | None:
        """Uses what was read ahead if that is enough; a list that has only just begun to play is read here."""
        if self._list is None:
            return None
        view, after = self._list
        newest_first = self._library.continued.newest_first(view)
        if newest_first is None:
            return None
        excluded |= self._saver.queue_changes()[1]
        if known := self._ahead.known(view, after):
            found = self._library.continued.first_unplayed(known.ids, excluded)
            if found is not None or known.all_of_it:
                return found
        return self._library.continued.next_of(view, after, newest_first=newest_first, besides=excluded)

    def _known_of_list(self, again: bool, excluded: frozenset[EpisodeId]) -> EpisodeId | None:
        """The same without a long wait: None until the list has been read ahead."""
        if self._list is None or self._list[0].list_id is None:
            return self._first_of_list(excluded)
        if self._library.continued.newest_first(self._list[0]) is None:
            return None
        if again:
            self._ahead.look(*self._list)
        known = self._ahead.known(*self._list)
        if known is None:
            return None
        return self._library.continued.first_unplayed(known.ids, excluded | self._saver.queue_changes()[1])

    def _play_from(self, view: View | None, episode_id: EpisodeId) -> None:
        self._list = (view, episode_id) if view else None
        self.outdated = True
        self._saver.put(Remember(PLAYED_FROM, _text_of(view, episode_id) if view else ""))

    def _remember(self, left: Left) -> None:
        if not self._going_back and not (left.by is EndedBy.FAILED and self._by_itself):
            self._before = [*self._before, left.episode.id][-_MOST_BEFORE:]

    def _counts_as_played(self, left: Left) -> bool:
        near = left.left_ms is not None and left.left_ms <= self.played_within_ms
        return near and self.played_within_ms > 0 and not left.live

    def _was_interrupted(self, left: Left) -> bool:
        return self._configured.queue.interrupted and left.heard_s >= _INTERRUPTED_S and not left.live

    def _notify_failure(self, episode_id: EpisodeId, error: str | None) -> None:
        try:
            title = clean_line(self._library.episodes.get(episode_id).title, _TITLE)
        except NotFound:
            return
        if self._failures >= _MOST_FAILURES:
            text = _("“{title}” can't be played either, so nothing more is tried. {error}", title=title, error=error)
        else:
            text = _("“{title}” can't be played and was skipped. {error}", title=title, error=error or "")
        self._notify(Notice(text.rstrip(), Severity.WARNING))


def _text_of(view: View, episode_id: EpisodeId) -> str:
    return f"{episode_id} {view.key}"


def _list_in(text: str) -> tuple[View, EpisodeId] | None:
    number, _space, key = text.partition(" ")
    view = View.of_key(key)
    return (view, EpisodeId(int(number))) if view and number.isdecimal() else None
