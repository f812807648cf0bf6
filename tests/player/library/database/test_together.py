"""Many threads, and several Earmarks, use one library."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import LibraryBusy, LibraryError
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View
from player.paths import Paths
from tests.player.library.helpers import apply_feed, episode, other_process

AT = datetime(2026, 4, 1, tzinfo=UTC)

START = """
from datetime import UTC, datetime
from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
library = Library(Paths.of())
library.open()
print("open")
"""


def test_threads_write_and_read_at_once(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    together = threading.Barrier(8)
    podcasts = [library.podcasts.add(f"https://{number}.example") for number in range(4)]

    def refresh(number: int) -> None:
        together.wait()
        for more in range(10):
            items = (episode(item) for item in range(5 * more, 5 * more + 5))
            assert len(apply_feed(library, podcasts[number], *items).new) == 5

    def listen(number: int) -> None:
        together.wait()
        for position_ms in range(50):
            library.progress.save(ids[number], position_ms, None, AT)
            assert library.progress.position(ids[number]) is not None
            shown = library.episodes.ids(View())
            assert len(shown) % 5 == 0
            assert len(library.episodes.rows(shown[:20])) == min(20, len(shown))

    with ThreadPoolExecutor(8) as pool:
        work = [pool.submit(task, number) for task in (refresh, listen) for number in range(4)]
        for future in work:
            future.result(timeout=30)
    assert library.episodes.counts().all == 5 + 4 * 50
    for number in range(4):
        saved = library.progress.position(ids[number])
        assert saved
        assert saved.position_ms == 49


def test_closing_waits_for_the_write_under_way(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def write() -> None:
        with library.transaction():
            library.progress.save(ids[0], 7, None, AT)
            writing.set()
            assert go_on.wait(10)

    with ThreadPoolExecutor(2) as pool:
        written = pool.submit(write)
        assert writing.wait(10)
        closed = pool.submit(library.close)
        go_on.set()
        written.result(10)
        closed.result(10)
    library.open()
    saved = library.progress.position(ids[0])
    assert saved
    assert saved.position_ms == 7


def test_threads_that_come_after_closing_are_told(library: Library) -> None:
    late: tuple[Callable[[], object], ...] = (library.podcasts.all, lambda: library.state.set("a", "b"))
    library.close()
    with ThreadPoolExecutor(1) as pool:
        for call in late:
            with pytest.raises(LibraryError, match="closed"):
                pool.submit(call).result(10)


def test_reading_never_waits_for_writing(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    with ThreadPoolExecutor(1) as pool, library.transaction():
        library.progress.save(ids[0], 1000, None, AT)
        assert pool.submit(library.progress.position, ids[0]).result(10) is None
        assert len(pool.submit(library.episodes.ids, View()).result(10)) == 5
        assert isinstance(pool.submit(library.version).result(10), int)


def test_another_process_is_waited_for_and_then_said_to_be_busy(
    paths: Paths, library: Library, ids: tuple[EpisodeId, ...]
) -> None:
    impatient = Library(paths, patience_s=0.1)
    impatient.open()
    code = (
        START
        + """
with library.transaction():
    library.state.set("holding", "yes")
    print("holds")
    input()
print("let go")
input()
"""
    )
    with other_process(code) as other:
        assert [other.line(), other.line()] == ["open", "holds"]
        with pytest.raises(LibraryBusy, match="is busy: another program is writing"):
            impatient.progress.save(ids[0], 1000, None, AT)
        assert len(impatient.episodes.ids(View())) == 5
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(library.progress.save, ids[0], 2000, None, AT)
            other.go_on()
            assert other.line() == "let go"
            waiting.result(10)
    impatient.progress.save(ids[1], 3000, None, AT)
    assert library.state.get("holding") == "yes"
    assert [row.position_ms for row in library.episodes.rows(ids[:2])] == [2000, 3000]
    impatient.close()


def test_two_processes_save_at_once_and_lose_nothing(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    code = (
        START
        + f"""
input()
for position_ms in range(1, 201):
    library.progress.save(EpisodeId({ids[1]}), position_ms, None, datetime.now(UTC))
    library.state.set(f"other-{{position_ms}}", "x")
library.close()
print("done")
"""
    )
    with other_process(code) as other:
        assert other.line() == "open"
        other.go_on()
        for position_ms in range(1, 201):
            library.progress.save(ids[0], position_ms, None, AT)
            library.state.set(f"own-{position_ms}", "x")
        assert other.line() == "done"
    assert [row.position_ms for row in library.episodes.rows(ids[:2])] == [200, 200]
    assert all(library.state.get(f"{who}-{position_ms}") for who in ("own", "other") for position_ms in range(1, 201))


def test_the_version_tells_of_other_processes_alone(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    before = library.version()
    library.progress.save(ids[0], 1000, None, AT)
    library.podcasts.all()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(library.state.set, "speed", "2").result(10)
    assert library.version() == before
    with other_process(START + "input()\nlibrary.state.set('speed', '3')\nprint('written')\ninput()") as other:
        assert other.line() == "open"
        assert library.version() == before
        other.go_on()
        assert other.line() == "written"
        after = library.version()
        assert after != before
        assert library.version() == after
    assert library.state.get("speed") == "3"


def test_several_first_starts_make_one_library(paths: Paths) -> None:
    libraries = [Library(paths) for _ in range(6)]
    together = threading.Barrier(len(libraries))

    def start(library: Library) -> bool:
        together.wait()
        library.open()
        return library.fresh

    with ThreadPoolExecutor(len(libraries)) as pool:
        fresh = [future.result(20) for future in [pool.submit(start, library) for library in libraries]]
    assert fresh.count(True) == 1
    assert len(libraries[0].podcasts.all()) == 1
    for library in libraries:
        library.close()


def test_what_is_read_in_a_snapshot_is_of_one_moment(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    with ThreadPoolExecutor(1) as pool, library.episodes.snapshot():
        before = library.episodes.rows(ids)
        pool.submit(library.episodes.set_starred, ids, True).result(10)
        assert library.episodes.rows(ids) == before
        assert library.episodes.counts().starred == 0
    assert library.episodes.counts().starred == len(ids)


def test_a_snapshot_that_fails_holds_up_no_later_reading(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    def fail() -> None:
        with library.episodes.snapshot():
            library.episodes.rows(ids)
            raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        fail()
    library.episodes.set_starred(ids, True)
    assert library.episodes.counts().starred == len(ids)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_connections_that_many_threads_needed_at_once_leave_no_more_files_each_time(library: Library) -> None:
    """SQLite keeps the file of a closed connection open until nobody holds a lock, and uses it for the next one."""

    def files() -> int:
        links = list(Path("/proc/self/fd").iterdir())
        return sum(link.is_symlink() and link.readlink() == Paths.of().library for link in links)

    def read_at_once(threads: int) -> None:
        meeting = threading.Barrier(threads)

        def read() -> None:
            assert library._connections is not None
            with library._connections.reading() as connection:
                connection.execute("SELECT 1 FROM podcasts").fetchone()
                meeting.wait(10)

        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(read) for _ in range(threads)]:
                done.result()

    read_at_once(10)
    first = files()
    for _ in range(20):
        read_at_once(10)
    assert files() == first <= 11
