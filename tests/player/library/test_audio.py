"""Marks know the bytes that they were made in, and move all together."""

import os
import signal
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from player.library import Library
from player.library.audio import MovedMarks
from player.model.episode import EpisodeId
from player.model.listening import ActKind, ListeningSpan, Moment
from player.model.segments import SegmentKind
from player.paths import Paths

AT = datetime(2026, 4, 1, 10, tzinfo=UTC)
LATER = AT + timedelta(hours=1)


def hear(library: Library, episode_id: EpisodeId, position_ms: int, version: str, at: datetime = AT) -> None:
    """The listener hears the last ten seconds before a position."""
    span = ListeningSpan(episode_id, position_ms - 10_000, position_ms, at)
    library.progress.save(episode_id, position_ms, None, at, None, [span], version=version)


def marks(library: Library, episode_id: EpisodeId) -> tuple[int, list[int], list[tuple[int, int]]]:
    """The position, the bookmarks, and the spans of the history."""
    position = library.progress.position(episode_id)
    spans = [(span.from_ms, span.to_ms) for span in library.history.spans(episode_id)]
    bookmarks = [one.position_ms for one in library.bookmarks.of_episode(episode_id)]
    return position.position_ms if position else -1, bookmarks, spans


def half_a_minute_later(ms: int) -> int:
    return ms + 34_000


def test_all_marks_in_the_former_bytes_move_and_those_in_the_new_ones_stay(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    one, other = ids[:2]
    hear(library, one, 60_000, "A")
    hear(library, other, 60_000, "A")
    library.bookmarks.put(one, Moment(20_000))
    hear(library, one, 100_000, "B", LATER)
    library.bookmarks.put(one, Moment(95_000))
    assert library.audio.move(one, "A", "B", half_a_minute_later) == MovedMarks(None, 1)
    assert marks(library, one) == (100_000, [54_000, 95_000], [(84_000, 94_000), (90_000, 100_000)])
    assert marks(library, other) == (60_000, [], [(50_000, 60_000)])
    assert library.audio.move(one, "A", "B", half_a_minute_later) == MovedMarks(), "they have been moved"
    assert library.audio.move(other, "A", "C", half_a_minute_later) == MovedMarks((60_000, 94_000), 0)


def test_marks_from_before_belong_to_the_first_bytes_that_are_known(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    hear(library, ids[0], 50_000, "")
    library.bookmarks.put(ids[0], Moment(20_000))
    hear(library, ids[0], 60_000, "A", LATER)
    assert library.audio.has_marks(ids[0], "A")
    library.audio.move(ids[0], "A", "B", half_a_minute_later)
    assert marks(library, ids[0]) == (94_000, [54_000], [(74_000, 84_000), (84_000, 94_000)])


def test_a_position_set_while_nothing_is_open_is_in_the_audio_it_was_in(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    hear(library, ids[0], 60_000, "A")
    library.progress.save(ids[0], 70_000, None, LATER)
    assert library.audio.move(ids[0], "A", "B", half_a_minute_later).position_ms == (70_000, 104_000)


def test_segments_move_and_a_find_that_was_rejected_stays_rejected(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    hear(library, ids[0], 60_000, "A")
    marked = library.segments.mark(ids[0], 10_000, 40_000, SegmentKind.INTRO)
    other = library.segments.mark(ids[1], 10_000, 40_000, SegmentKind.SPONSOR)
    library.segments.put_found(ids[0], [(other.id, 200_000, 230_000)])
    library.segments.reject(ids[0], [(other.id, 100_000, 130_000)])
    assert library.audio.move(ids[0], "A", "B", half_a_minute_later).segments == 1
    (moved,) = library.segments.of_episode(ids[0])  # the other find is found again in the new audio
    assert (moved.id, moved.start_ms, moved.end_ms) == (marked.id, 44_000, 74_000)
    assert library.segments.get(other.id).start_ms == 10_000
    library.segments.put_found(ids[0], [(other.id, 134_000, 164_000)])
    assert len(library.segments.of_episode(ids[0])) == 1


def test_bytes_with_the_same_sound_are_one_audio(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    """As the cache and a download of it."""
    hear(library, ids[0], 60_000, "cache")
    library.audio.note_same(ids[0], "cache", "download")
    assert library.audio.number(ids[0], "cache") == library.audio.number(ids[0], "download")
    hear(library, ids[0], 70_000, "cache", LATER)
    assert library.audio.move(ids[0], "download", "B", half_a_minute_later).position_ms == (70_000, 104_000)


def test_a_bookmark_that_was_deleted_comes_back_to_the_audio_it_was_made_in(
    library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    hear(library, ids[0], 60_000, "A")
    put = library.bookmarks.put(ids[0], Moment(20_000))
    with library.acts.recorded_bookmarks(ActKind.BOOKMARK_DELETED, [put.bookmark.id]):
        library.bookmarks.delete([put.bookmark.id])
    library.acts.undo()
    library.audio.move(ids[0], "A", "B", half_a_minute_later)
    assert marks(library, ids[0])[1] == [54_000]


def test_unsubscribing_and_undoing_that_keeps_the_audio(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    hear(library, ids[0], 60_000, "A")
    library.acts.unsubscribe(library.episodes.get(ids[0]).podcast_id)
    assert library.audio.move(ids[0], "A", "B", half_a_minute_later) == MovedMarks()
    library.acts.undo()
    assert library.audio.move(ids[0], "A", "B", half_a_minute_later).position_ms == (60_000, 94_000)


@pytest.mark.parametrize("calls", [1, 5, 10, 11])
def test_killed_while_marks_move_all_of_them_have_moved_or_none(
    library: Library, ids: tuple[EpisodeId, ...], paths: Paths, calls: int
) -> None:
    for number in range(3):
        hear(library, ids[0], 60_000 + number * 10_000, "A", AT + timedelta(minutes=number))
        library.bookmarks.put(ids[0], Moment(20_000 + number * 10_000))
    before = marks(library, ids[0])
    library.close()
    call = f"from {__name__} import killed_at; killed_at({ids[0]}, {calls})"
    code = subprocess.run([sys.executable, "-c", call], check=False).returncode
    again = Library(paths)
    again.open()
    with closing(again):
        after = marks(again, ids[0])
        moved = (94_000 + 20_000, [position + 34_000 for position in before[1]],
                 [(begin + 34_000, end + 34_000) for begin, end in before[2]])  # fmt: skip
        assert code == -signal.SIGKILL
        assert after == (moved if calls > 2 * len(before[1]) + len(before[2]) + 1 else before)


def killed_at(episode_id: EpisodeId, calls: int) -> None:
    """In a process of its own."""
    made = 0

    def moved(ms: int) -> int:
        nonlocal made
        made += 1
        if made == calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return half_a_minute_later(ms)

    library = Library(Paths.of())
    library.open()
    with closing(library):
        library.audio.move(episode_id, "A", "B", moved)
