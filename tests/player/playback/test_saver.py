"""Places reach the disk in order, the latest at last, whatever the disk does meanwhile."""

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from player.errors import DiskFull, LibraryError
from player.library import Library
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.playback.saver import Finish, Remember, SavePosition, Saver, Start, Write, add
from tests.player.playback.support import wait_until

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ONE, TWO = EpisodeId(1), EpisodeId(2)


def at(ms: int, episode: EpisodeId = ONE, *, announce: bool = False) -> SavePosition:
    return SavePosition(episode, ms, None, NOW, announce)


def after(*writes: Write) -> list[Write]:
    waiting: deque[Write] = deque()
    for write in writes:
        add(waiting, write)
    return list(waiting)


class Heard:
    def __init__(self) -> None:
        self.saved: list[EpisodeId] = []
        self.failed: list[LibraryError] = []


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def saver(library: Library, heard: Heard) -> Iterator[Saver]:
    made = Saver(library, heard.saved.append, heard.failed.append)
    made.start()
    yield made
    made.close(1.0)


def test_only_the_latest_of_several_places_waits() -> None:
    assert after(at(1), at(2), at(3)) == [at(3)]


def test_what_lists_should_show_stays_so() -> None:
    assert after(at(1, announce=True), at(2)) == [at(2, announce=True)]


def test_what_was_heard_is_not_overwritten_by_the_next_position() -> None:
    first, second = ListeningSpan(ONE, 0, 1_000, NOW), ListeningSpan(ONE, 9_000, 9_500, NOW + timedelta(seconds=5))
    grown = replace(first, to_ms=2_000)
    writes = (replace(at(1), heard=(first,)), replace(at(2), heard=(grown, second)), at(3))
    assert after(*writes) == [replace(at(3), heard=(grown, second))]


def test_what_was_heard_is_on_the_disk_with_the_position_also_at_the_end(
    saver: Saver, library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    span = ListeningSpan(ids[0], 0, 1_000, NOW)
    saver.put(replace(at(1_000, ids[0]), heard=(span,)))
    assert saver.flush(5)
    assert library.history.spans(ids[0]) == (span,)
    saver.put(Finish(ids[0], heard=(replace(span, to_ms=5_000),)))
    assert saver.flush(5)
    assert library.history.spans(ids[0]) == (replace(span, to_ms=5_000),)


def test_the_order_of_different_things_stays() -> None:
    writes = (Start(ONE), at(1), Finish(ONE), Start(TWO), at(5, TWO), at(9))
    assert after(*writes) == list(writes)


def test_of_a_speed_turned_up_the_last_one_waits() -> None:
    assert after(Remember("speed", "1.1"), Remember("speed", "1.2")) == [Remember("speed", "1.2")]


def test_a_place_is_on_the_disk_after_flush(
    saver: Saver, library: Library, ids: tuple[EpisodeId, ...], heard: Heard
) -> None:
    saver.put(at(1_000, ids[0]))
    saver.put(at(61_000, ids[0], announce=True))
    assert saver.flush(5)
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 61_000
    wait_until(lambda: heard.saved == [ids[0]])


def test_a_place_that_waits_can_be_asked_for(library: Library, ids: tuple[EpisodeId, ...], heard: Heard) -> None:
    unstarted = Saver(library, heard.saved.append, heard.failed.append)
    unstarted.put(at(5_000, ids[0]))
    saved = unstarted.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 5_000
    assert unstarted.position(ids[1]) is None


def test_a_full_disk_is_told_once_and_tried_until_it_has_room(
    saver: Saver,
    library: Library,
    ids: tuple[EpisodeId, ...],
    heard: Heard,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = threading.Semaphore(0)
    save = library.progress.save

    def full(*_what: object) -> None:
        tried.release()
        raise DiskFull("No space left for the library", "Free some space on that disk.")

    monkeypatch.setattr(library.progress, "save", full)
    monkeypatch.setattr("player.playback.saver._AGAIN_S", 0.01)
    saver.put(at(1_000, ids[0]))
    for _ in range(3):
        assert tried.acquire(timeout=5)
    saver.put(at(2_000, ids[0]))
    monkeypatch.setattr(library.progress, "save", save)
    assert saver.flush(5)
    assert len(heard.failed) == 1
    saved = library.progress.position(ids[0])
    assert saved is not None
    assert saved.position_ms == 2_000


def test_an_end_with_a_full_disk_is_an_end(
    library: Library, ids: tuple[EpisodeId, ...], heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_what: object) -> None:
        raise DiskFull("No space left for the library")

    monkeypatch.setattr(library.progress, "save", full)
    saver = Saver(library, heard.saved.append, heard.failed.append)
    saver.start()
    saver.put(at(1_000, ids[0]))
    assert not saver.close(0.1)


def test_the_end_of_an_episode_is_on_the_disk_as_a_whole_or_not_at_all(
    library: Library, ids: tuple[EpisodeId, ...], saver: Saver, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.playback.saver._AGAIN_S", 0.05)
    library.progress.save(ids[0], 60_000, None, NOW)
    finish = library.progress.finish

    def breaks_off(episode_id: EpisodeId, spans: Sequence[ListeningSpan] = ()) -> bool:
        finish(episode_id, spans)
        raise DiskFull("No space is left for the library", "Make room on that disk.")

    monkeypatch.setattr(library.progress, "finish", breaks_off)
    saver.put(Finish(ids[0]))
    wait_until(lambda: heard.failed)
    assert (library.episodes.get(ids[0]).played, library.progress.position(ids[0]) is None) == (False, False)
    monkeypatch.setattr(library.progress, "finish", finish)
    assert saver.flush(5)
    assert (library.episodes.get(ids[0]).played, library.progress.position(ids[0]) is None) == (True, True)
