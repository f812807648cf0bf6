"""The listener's actions on episodes: marks, the queue, decisions about new episodes. Each act can be undone."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

from player.events import (
    BookmarksChanged,
    Bus,
    Cause,
    EpisodesChanged,
    EpisodesMarked,
    InboxChanged,
    Mark,
    PodcastAdded,
    PodcastRemoved,
    PodcastsArranged,
    QueueChanged,
    SegmentsChanged,
)
from player.library import Library
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId
from player.model.listening import ActKind, Part, Reverted
from player.model.podcast import PodcastId
from player.model.segments import SegmentId, SegmentKind

T = TypeVar("T")
Ids = Sequence[EpisodeId]

_MARKS = {
    (Mark.PLAYED, True): ActKind.PLAYED,
    (Mark.PLAYED, False): ActKind.UNPLAYED,
    (Mark.STARRED, True): ActKind.STARRED,
    (Mark.STARRED, False): ActKind.UNSTARRED,
}
_SAME_MOVE_S = 10.0
"""Moves of the same rows that follow each other within this time are one act."""
_PARTS = {Mark.PLAYED: Part.PLAYED, Mark.STARRED: Part.STARRED}


class Toggled(NamedTuple):
    """Whether the mark was set or removed, and the episodes that this changed."""

    on: bool
    ids: list[EpisodeId]


class _Move(NamedTuple):
    """A move of rows of the queue: when it was made (monotonic, seconds), and the act that it is part of."""

    ids: tuple[EpisodeId, ...]
    act_id: int
    at: float


class Writes(Protocol):
    """Runs work on the thread that writes, and notifies the listener when it fails."""

    def __call__(self, work: Callable[[], T]) -> Future[T]: ...


class Acts:
    """Every command returns at once. Its future has the changed episodes; by then the change is on the disk, and
    published. Changes that no person made can't be undone.

    `stop_playing` is called with a podcast that is about to be removed.
    """

    def __init__(
        self,
        library: Library,
        bus: Bus,
        write: Writes,
        stop_playing: Callable[[PodcastId], object] = lambda _podcast_id: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._last_move: _Move | None = None
        self._stop_playing = stop_playing
        self._library = library
        self._bus = bus
        self._write = write

    def then(self, reading: Callable[[], T]) -> Future[T]:
        """Reads the library once everything asked for so far has been written, on the thread that writes."""
        return self._write(reading)

    # -- marks ------------------------------------------------------------------------------------------------

    def set_played(self, ids: Ids, played: bool, *, cause: Cause = Cause.PERSON) -> Future[list[EpisodeId]]:
        """A played episode is removed from the queue, and isn't new any more."""
        return self._act(ids, lambda: self._mark(Mark.PLAYED, ids, played, cause))

    def set_starred(self, ids: Ids, starred: bool, *, cause: Cause = Cause.PERSON) -> Future[list[EpisodeId]]:
        """A star is a decision: a starred episode isn't new any more."""
        return self._act(ids, lambda: self._mark(Mark.STARRED, ids, starred, cause))

    def toggle(self, mark: Mark, ids: Ids) -> Future[Toggled]:
        """All episodes get the mark, unless all of them have it: then it is removed from all."""

        def work() -> Toggled:
            on = not self._library.episodes.all_marked(mark, ids)
            return Toggled(on, self._mark(mark, ids, on, Cause.PERSON))

        return self._write(work)

    def mark_older_played(self, ids: Ids, episode_id: EpisodeId) -> Future[list[EpisodeId]]:
        """Marks those of `ids` that are older than the given episode."""
        return self._write(
            lambda: self._mark(Mark.PLAYED, self._library.episodes.older(ids, episode_id), True, Cause.PERSON)
        )

    def dismiss(self, ids: Ids) -> Future[list[EpisodeId]]:
        """Removes the episodes from the inbox, and changes nothing else."""
        return self._done(ActKind.DISMISSED, ids, lambda: self._library.inbox.remove(ids), Part.INBOX)

    # -- segments ---------------------------------------------------------------------------------------------

    def mark_segment(
        self, episode_id: EpisodeId, start_ms: int, end_ms: int, kind: SegmentKind
    ) -> Future[list[SegmentId]]:
        """The future has its id; it raises NotFound when the episode is gone, and EarmarkError for an impossible
        length."""
        segments = self._library.segments
        return self._segments(
            ActKind.SEGMENT_MARKED, (), lambda: [segments.mark(episode_id, start_ms, end_ms, kind).id]
        )

    def change_segment(self, segment_id: SegmentId, kind: SegmentKind) -> Future[list[SegmentId]]:
        """The future raises NotFound when the segment is gone."""
        segments = self._library.segments
        return self._segments(ActKind.SEGMENT_CHANGED, [segment_id], lambda: [segments.change(segment_id, kind).id])

    def delete_segments(self, ids: Sequence[SegmentId]) -> Future[list[SegmentId]]:
        """The future has those that existed. What was found of them goes, too, and comes back with them."""
        return self._segments(ActKind.SEGMENT_DELETED, ids, lambda: self._library.segments.delete(ids))

    def _segments(
        self, kind: ActKind, ids: Sequence[SegmentId], change: Callable[[], list[SegmentId]]
    ) -> Future[list[SegmentId]]:
        def work() -> list[SegmentId]:
            segments = self._library.segments
            concerned = segments.found_in(ids)
            with self._library.acts.recorded_segments(kind, ids):
                changed = change()
            if changed:
                episodes = {*concerned, *segments.found_in(changed)}
                self._bus.publish(SegmentsChanged(tuple(sorted(episodes)), Cause.PERSON))
            return changed

        return self._write(work)

    # -- the queue --------------------------------------------------------------------------------------------

    def queue_last(self, ids: Ids) -> Future[list[EpisodeId]]:
        """To the end of the queue; episodes already queued stay where they are."""
        return self._queued(ActKind.QUEUED, ids, self._library.queue.add_last)

    def queue_next(self, ids: Ids) -> Future[list[EpisodeId]]:
        """To the head of the queue."""
        return self._queued(ActKind.QUEUED_NEXT, ids, self._library.queue.add_next)

    def unqueue(self, ids: Ids) -> Future[list[EpisodeId]]:
        return self._done(ActKind.UNQUEUED, ids, lambda: self._library.queue.remove(ids), Part.QUEUE)

    def move_in_queue(self, ids: Ids, by: int) -> Future[list[EpisodeId]]:
        """`by` rows up (less than 0) or down. Moves of the same rows in quick succession are undone together."""
        return self._write(lambda: self._move(tuple(ids), by))

    def sort_queue(self, order: QueueOrder) -> Future[list[EpisodeId]]:
        return self._reordered(ActKind.SORTED, lambda: self._library.queue.sort(order))

    def shuffle_queue(self) -> Future[list[EpisodeId]]:
        return self._reordered(ActKind.SHUFFLED, self._library.queue.shuffle)

    def mix_queue(self) -> Future[list[EpisodeId]]:
        """Spreads the podcasts evenly."""
        return self._reordered(ActKind.MIXED, self._library.queue.mix)

    def clear_queue(self) -> Future[list[EpisodeId]]:
        return self._reordered(ActKind.CLEARED, self._library.queue.clear)

    # -- taking back ------------------------------------------------------------------------------------------

    def undo(self) -> Future[Reverted | None]:
        """Undoes the last act; None when there is none."""

        def work() -> Reverted | None:
            from player.downloads.trash import undo

            return self._reverted(undo(self._library))

        return self._write(work)

    def redo(self) -> Future[Reverted | None]:
        """Redoes the act that was undone last; None when there is none."""

        def work() -> Reverted | None:
            from player.downloads.trash import redo

            podcast_ids = self._library.acts.to_remove_again()
            return self._reverted(self._removing(podcast_ids, lambda: redo(self._library)))

        return self._write(work)

    # -- subscriptions ----------------------------------------------------------------------------------------

    def unsubscribe(
        self, podcast_id: PodcastId, *, cause: Cause = Cause.PERSON, at: datetime | None = None
    ) -> Future[str | None]:
        """Removes the podcast and deletes the files of its downloads; everything else comes back when that is undone,
        together with other podcasts that were removed with the same `at`. Returns its title; None if it is gone
        already."""

        def work() -> str | None:
            title = self._removing([podcast_id], lambda: self._library.acts.unsubscribe(podcast_id, at))
            self._bus.publish(PodcastRemoved(podcast_id, cause))
            return title

        return self._write(work)

    def _removing(self, podcast_ids: Sequence[PodcastId], remove: Callable[[], T]) -> T:
        """Takes the podcasts out of playback first, and deletes their files when they are gone."""
        from player.downloads.files import delete_files

        for one in podcast_ids:
            self._stop_playing(one)
        files = [file for one in podcast_ids for file in self._library.downloads.of_podcast(one)]
        removed = remove()
        delete_files(files)
        return removed

    # -- inside -----------------------------------------------------------------------------------------------

    def _queued(self, kind: ActKind, ids: Ids, add: Callable[[Ids], list[EpisodeId]]) -> Future[list[EpisodeId]]:
        def change() -> list[EpisodeId]:
            self._library.inbox.remove(ids)
            return add(ids)

        return self._done(kind, ids, change, Part.QUEUE, Part.INBOX)

    def _reordered(self, kind: ActKind, change: Callable[[], list[EpisodeId]]) -> Future[list[EpisodeId]]:
        """Records an act that may affect the whole queue."""

        def work() -> list[EpisodeId]:
            ids = [EpisodeId(one) for one in self._library.queue.ids()]
            with self._library.acts.recorded(kind, ids, Part.QUEUE):
                changed = change()
            self._publish(changed, {Part.QUEUE}, Cause.PERSON)
            return changed

        return self._write(work)

    def _move(self, moved: tuple[EpisodeId, ...], by: int) -> list[EpisodeId]:
        """Each move is written to the disk separately. Runs on the thread that writes."""
        queue = [EpisodeId(one) for one in self._library.queue.ids()]
        now, last = self._clock(), self._last_move
        onto = last.act_id if last and last.ids == moved and now - last.at <= _SAME_MOVE_S else None
        # The moved rows come first, so that the act gets their title.
        named = list(dict.fromkeys([*(one for one in queue if one in moved), *queue]))
        with self._library.acts.recorded(ActKind.MOVED, named, Part.QUEUE, onto=onto) as act_id:
            changed = self._library.queue.move(moved, by)
        self._last_move = _Move(moved, act_id, now)
        self._publish(changed, {Part.QUEUE}, Cause.PERSON)
        return changed

    def _done(
        self, kind: ActKind, ids: Ids, change: Callable[[], list[EpisodeId]], *parts: Part
    ) -> Future[list[EpisodeId]]:
        def work() -> list[EpisodeId]:
            with self._library.acts.recorded(kind, ids, *parts):
                changed = change()
            self._publish(ids, set(parts), Cause.PERSON)
            return changed

        return self._act(ids, work)

    def _act(self, ids: Ids, work: Callable[[], T]) -> Future[T]:
        """If an act fails, lists may already show its expected result: they are told to read those episodes again."""

        def act() -> T:
            try:
                return work()
            except Exception:
                self._bus.publish(EpisodesChanged(tuple(ids)))
                raise

        return self._write(act)

    def _mark(self, mark: Mark, ids: Ids, on: bool, cause: Cause) -> list[EpisodeId]:
        """Returns the episodes that this changed. Runs on the thread that writes."""
        library = self._library
        with_queue = (Part.QUEUE, Part.INBOX) if mark is Mark.PLAYED else (Part.INBOX,)
        parts = (_PARTS[mark], *(with_queue if on else ()))
        act = library.acts.recorded(_MARKS[mark, on], ids, *parts) if cause is Cause.PERSON else nullcontext()
        with library.transaction(), act:
            changed = (library.episodes.set_played if mark is Mark.PLAYED else library.episodes.set_starred)(ids, on)
            if Part.QUEUE in parts:
                library.queue.remove(ids)
            if Part.INBOX in parts:
                library.inbox.remove(ids)
        self._publish(ids, set(parts), cause)
        if changed:
            self._bus.publish(EpisodesMarked(tuple(changed), mark, on, cause))
        return changed

    def _reverted(self, reverted: Reverted | None) -> Reverted | None:
        if reverted is not None and reverted.podcast_id is not None:
            for one in (reverted, *reverted.together):
                self._publish_podcast(one, one.podcast_id or reverted.podcast_id)
        elif reverted is not None and reverted.arranged:
            self._bus.publish(PodcastsArranged(reverted.arranged))
        elif reverted is not None:
            self._publish(reverted.episode_ids, set(reverted.parts), Cause.PERSON)
            for mark, part in ((Mark.PLAYED, Part.PLAYED), (Mark.STARRED, Part.STARRED)):
                if part in reverted.parts:
                    self._publish_marks(mark, reverted.episode_ids)
        return reverted

    def _publish_podcast(self, reverted: Reverted, podcast_id: PodcastId) -> None:
        if reverted.replaced is not None:
            self._bus.publish(PodcastRemoved(reverted.replaced))
        self._bus.publish(PodcastAdded(podcast_id) if reverted.is_undone else PodcastRemoved(podcast_id))
        self._bus.publish(QueueChanged(Cause.PERSON))
        self._bus.publish(InboxChanged(Cause.PERSON))

    def _publish_marks(self, mark: Mark, ids: tuple[EpisodeId, ...]) -> None:
        rows = self._library.episodes.rows(ids)
        for on in (True, False):
            having = tuple(row.id for row in rows if (row.played if mark is Mark.PLAYED else row.starred) is on)
            if having:
                self._bus.publish(EpisodesMarked(having, mark, on, Cause.PERSON))

    def _publish(self, ids: Ids, parts: set[Part], cause: Cause) -> None:
        self._bus.publish(EpisodesChanged(tuple(ids)))
        if Part.QUEUE in parts:
            self._bus.publish(QueueChanged(cause))
        if Part.INBOX in parts:
            self._bus.publish(InboxChanged(cause))
        if Part.BOOKMARKS in parts:
            self._bus.publish(BookmarksChanged(cause))
        if Part.SEGMENTS in parts:
            self._bus.publish(SegmentsChanged(tuple(ids), cause))
