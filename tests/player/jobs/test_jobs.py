"""Jobs: feeds are checked and written in a process of their own."""

import itertools
import os
import pickle
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial

import pytest
from msgspec.structs import replace

from player.errors import FeedError, NotAFeed
from player.events import Bus, Cause, InboxChanged, PodcastRefreshed, RefreshProgress
from player.feeds.check import decide
from player.feeds.parsing.parse import read_feed
from player.feeds.refresh_summary import RefreshSummary
from player.jobs.runner import Cancelled, Follower, JobRunner, _JobProcess
from player.jobs.worker import EventSender, JobEvents
from player.library import Library
from player.model.feed import FeedState
from player.model.filters import View
from player.model.podcast import PodcastId
from player.paths import Paths
from player.processes.python_child import receive
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, page, rss
from tests.quick import mostly_long


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    opened = Library(paths)
    opened.open()
    for podcast in opened.podcasts.all():
        opened.podcasts.remove(podcast.id)
    yield opened
    opened.close()


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def jobs(paths: Paths, library: Library, bus: Bus) -> Iterator[JobRunner]:
    made = JobRunner(paths, bus)
    yield made
    made.close()


class Hold:
    """Answers that wait until the test is over."""

    def __init__(self) -> None:
        self.asked, self.over = threading.Event(), threading.Event()

    def __call__(self, request: Request) -> None:
        self.asked.set()
        self.over.wait(20)
        request.reply(rss(item(1)), "text/xml")


@pytest.fixture
def hold() -> Iterator[Hold]:
    made = Hold()
    yield made
    made.over.set()


def test_what_happens_there_is_told_here(server: LoopbackServer, library: Library, jobs: JobRunner, bus: Bus) -> None:
    refreshed: list[PodcastRefreshed] = []
    progress: list[RefreshProgress] = []
    bus.subscribe(PodcastRefreshed, refreshed.append)
    bus.subscribe(RefreshProgress, progress.append)
    good = library.podcasts.add(server.page("/good", rss(*(item(number) for number in range(30)))))
    bad = library.podcasts.add(server.url("/nothing"))
    summary = jobs.refresh()
    assert (summary.refreshed, summary.new) == (1, 30)
    assert [one for one, _ in summary.failed] == [bad.id]
    assert {event.podcast_id: len(event.new) for event in refreshed} == {good.id: 30, bad.id: 0}
    assert replace(progress[-1], number=0) == RefreshProgress(2, 2, 30, 1)
    assert len(library.episodes.ids(View())) == 30
    assert not jobs.busy


def test_adding_brings_the_podcast_or_the_reason(server: LoopbackServer, library: Library, jobs: JobRunner) -> None:
    podcast = jobs.add(server.page("/feed", rss(item(1), item(2))))
    assert (podcast.title, podcast.episode_count) == ("A show", 2)
    assert library.podcasts.get(podcast.id) == podcast
    with pytest.raises(NotAFeed, match="has no link to a podcast feed"):
        jobs.add(server.page("/page", page(), "text/html"))


@pytest.mark.parametrize("uses_inbox", [True, False])
def test_new_episodes_wait_in_the_inbox_unless_it_is_off(
    server: LoopbackServer, library: Library, paths: Paths, bus: Bus, uses_inbox: bool
) -> None:
    changes: list[InboxChanged] = []
    bus.subscribe(InboxChanged, changes.append)
    jobs = JobRunner(paths, bus, uses_inbox=uses_inbox)
    library.podcasts.add(server.page("/imported", rss(item(1), item(2))))
    jobs.refresh()
    assert changes == [InboxChanged(Cause.FEED)] * uses_inbox
    jobs.add(server.page("/added", rss(item(3), item(4))))
    assert len(library.inbox) == 2 * uses_inbox
    jobs.close()


def test_a_refresh_can_be_cancelled(
    server: LoopbackServer, library: Library, jobs: JobRunner, bus: Bus, hold: Hold
) -> None:
    progress: list[RefreshProgress] = []
    bus.subscribe(RefreshProgress, progress.append)
    library.podcasts.add(server.answer("/slow", hold))
    summaries: list[RefreshSummary] = []
    thread = threading.Thread(target=lambda: summaries.append(jobs.refresh(by_person=False)))
    thread.start()
    assert hold.asked.wait(10)
    assert jobs.refresh(by_person=False) == RefreshSummary()  # all are under way
    start = time.monotonic()
    assert jobs.cancel()
    thread.join(10)
    assert time.monotonic() - start < 10
    assert summaries[0].left == 1
    ended = [replace(one, number=0) for one in progress if one.done == one.total]
    assert ended == [RefreshProgress(0, 0, cause=Cause.RULE)]
    assert not jobs.cancel()


def test_whoever_hears_that_a_refresh_has_ended_can_begin_another(
    server: LoopbackServer, library: Library, jobs: JobRunner, bus: Bus
) -> None:
    """The first one's process is still ending."""
    again: list[RefreshSummary] = []
    another = threading.Thread(target=lambda: again.append(jobs.refresh()))

    def ask_again(progress: RefreshProgress) -> None:
        if progress.done == progress.total and not another.ident:
            another.start()
            another.join(20)

    library.podcasts.add(server.page("/feed", rss(item(1))))
    bus.subscribe(RefreshProgress, ask_again)
    jobs.refresh()
    assert [one.refreshed for one in again] == [1]
    assert len(server.seen) == 2


def test_a_refresh_that_is_asked_for_while_one_is_ending_is_carried_out(
    server: LoopbackServer, library: Library, jobs: JobRunner, bus: Bus
) -> None:
    """The first one's process has read everything and ended, and nobody has noticed that yet."""
    again: list[RefreshSummary] = []
    another = threading.Thread(target=lambda: again.append(jobs.refresh()))
    waits = threading.Event()

    class IsOver(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.set()
            return super().wait(timeout)

    def ask_again(_event: PodcastRefreshed) -> None:
        if not another.ident:
            assert jobs._of_all is not None
            jobs._of_all.is_over = IsOver()
            (process,) = jobs._running
            process._child.process.wait(10)
            another.start()
            assert waits.wait(10)

    library.podcasts.add(server.page("/feed", rss(item(1))))
    bus.subscribe(PodcastRefreshed, ask_again)
    jobs.refresh()
    another.join(20)
    assert [one.refreshed for one in again] == [1]
    assert len(server.seen) == 2


def test_an_automatic_refresh_of_what_is_due_is_given_up_for_one_of_everything_that_a_person_asks_for(
    server: LoopbackServer, library: Library, jobs: JobRunner, hold: Hold
) -> None:
    def slow_at_first(request: Request) -> None:
        if hold.asked.is_set():
            request.reply(rss(item(1)), "text/xml")
        else:
            hold(request)

    library.podcasts.add(server.answer("/feed", slow_at_first))
    automatic: list[RefreshSummary] = []
    thread = threading.Thread(target=lambda: automatic.append(jobs.refresh(by_person=False)))
    thread.start()
    assert hold.asked.wait(10)
    assert jobs.refresh().refreshed == 1
    thread.join(10)
    assert [one.left for one in automatic] == [1]


def test_after_a_cancelled_refresh_another_begins_though_the_first_has_not_returned(
    server: LoopbackServer, library: Library, jobs: JobRunner, bus: Bus, hold: Hold
) -> None:
    ending, go_on = threading.Event(), threading.Event()

    def keep_the_first(progress: RefreshProgress) -> None:
        if progress.done == progress.total and not ending.is_set():
            ending.set()
            go_on.wait(10)

    slow = library.podcasts.add(server.answer("/slow", hold))
    bus.subscribe(RefreshProgress, keep_the_first)
    thread = threading.Thread(target=jobs.refresh)
    thread.start()
    assert hold.asked.wait(10)
    assert jobs.cancel()
    assert ending.wait(10)
    hold.over.set()
    jobs.refresh()
    assert library.podcasts.get(slow.id).last_refreshed or library.podcasts.get(slow.id).error
    go_on.set()
    thread.join(10)


def test_closing_lets_go_of_everything(server: LoopbackServer, jobs: JobRunner, hold: Hold) -> None:
    errors: list[BaseException] = []

    def add() -> None:
        try:
            jobs.add(server.answer("/slow", hold))
        except FeedError as error:
            errors.append(error)

    thread = threading.Thread(target=add)
    thread.start()
    assert hold.asked.wait(10)
    start = time.monotonic()
    jobs.close()
    thread.join(10)
    assert time.monotonic() - start < 10
    assert isinstance(errors[0], Cancelled)
    with pytest.raises(Cancelled):
        jobs.add(server.url("/slow"))


def test_a_process_that_ends_by_itself_is_a_sentence(server: LoopbackServer, jobs: JobRunner, hold: Hold) -> None:
    errors: list[BaseException] = []

    def add() -> None:
        try:
            jobs.add(server.answer("/slow", hold))
        except FeedError as error:
            errors.append(error)

    thread = threading.Thread(target=add)
    thread.start()
    assert hold.asked.wait(10)
    (process,) = jobs._running
    os.kill(process._child.process.pid, signal.SIGTERM)
    thread.join(10)
    assert str(errors[0]) == "Earmark's helper process for feeds ended unexpectedly. Try again."


def test_a_job_ends_with_the_app_that_started_it(
    paths: Paths, library: Library, server: LoopbackServer, hold: Hold
) -> None:
    from player.jobs.worker import Refresh

    library.podcasts.add(server.answer("/slow", hold))
    process = _JobProcess(Refresh(paths, None, True), Bus())

    def run() -> None:
        with pytest.raises(FeedError):
            process.run()

    thread = threading.Thread(target=run)
    thread.start()
    assert hold.asked.wait(10)
    process._child._socket.shutdown(socket.SHUT_WR)  # as when the app was killed
    assert process._child.process.wait(10) == 0
    thread.join(10)


@pytest.fixture
def follower(paths: Paths) -> Iterator[Follower]:
    with closing(Follower(paths)) as made:
        yield made


def write_some(library: Library, podcast: str, episodes: int) -> None:
    feed = read_feed(rss(*(item(number) for number in range(episodes))), "", podcast)
    library.podcasts.apply(library.podcasts.add(podcast).id, feed, FeedState(), decide)


def test_what_is_written_meanwhile_can_be_found_when_the_follower_is_finished(
    library: Library, follower: Follower
) -> None:
    write_some(library, "https://one.example/", 50)
    follower.more()
    write_some(library, "https://two.example/", 50)
    follower.finish()
    assert library.search.left() == 0
    assert len(library.search.find("Episode", 1000).ids) == 100


def test_a_follower_that_was_never_told_anything_does_nothing(library: Library, follower: Follower) -> None:
    write_some(library, "https://one.example/", 5)
    follower.finish()
    assert library.search.left() == 5


def test_a_follower_that_dies_costs_nothing_but_its_work(library: Library, follower: Follower) -> None:
    write_some(library, "https://one.example/", 50)
    follower.more()
    assert follower._process is not None
    follower._process._child.kill()
    follower._process._child.process.wait(10)
    follower.more()
    follower.finish()
    library.search.catch_up()
    assert len(library.search.find("Episode", 1000).ids) == 50


def test_a_follower_ends_with_who_started_it(library: Library, follower: Follower) -> None:
    follower.more()
    assert follower._process is not None
    child = follower._process._child
    child._socket.shutdown(socket.SHUT_WR)  # as when that was killed
    assert child.process.wait(10) == 0


_ENDLESS = """
CREATE VIEW numbers AS WITH RECURSIVE n(x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n;
CREATE TRIGGER endless AFTER INSERT ON episodes BEGIN SELECT count(*) FROM numbers; END;
"""
"""Whoever inserts an episode from now on is in that transaction until it is killed."""


@pytest.mark.parametrize("moment", mostly_long(range(4)))
def test_a_refresh_killed_at_any_moment_leaves_a_whole_library(
    server: LoopbackServer, paths: Paths, library: Library, moment: int
) -> None:
    """The long form of this kills 20 times."""
    kill_while_importing(server, paths, library, moment / 4, commits=bool(moment % 2))


@pytest.mark.long
@pytest.mark.timeout(900)
def test_twenty_imports_killed_leave_whole_libraries(server: LoopbackServer, paths: Paths, library: Library) -> None:
    for moment in range(20):
        kill_while_importing(server, paths, library, moment / 20, commits=bool(moment % 2))
        for podcast in library.podcasts.all():
            library.podcasts.remove(podcast.id)


def kill_while_importing(
    server: LoopbackServer, paths: Paths, library: Library, share: float, *, commits: bool
) -> None:
    """SIGKILL while the next feeds after this `share` of them are written: amid a transaction that ends no earlier, or
    with `commits` as soon as anything of one is in the file. Nothing is damaged or half then, and the next refresh
    completes it. One feed is answered only after the kill, so that the refresh can't be over before."""
    shows, episodes = 24, 100
    free = int(share * shows)
    asked, go_on, killed = itertools.count(), threading.Event(), threading.Event()

    def answer(request: Request, body: bytes) -> None:
        number = next(asked)
        if number >= free:
            go_on.wait(60)
        if number == shows - 1:
            killed.wait(60)
        request.reply(body, "text/xml")

    for show in range(shows):
        body = rss(*(item(number, guid=f"{show}-{number}") for number in range(episodes)))
        library.podcasts.add(server.answer(f"/{show}", partial(answer, body=body)))
    bus = Bus()
    jobs = JobRunner(paths, bus)

    def kill(progress: RefreshProgress) -> None:
        if go_on.is_set() or not progress.total or progress.done < free:
            return
        (process,) = jobs._running
        with closing(sqlite3.connect(paths.library, timeout=0, isolation_level=None)) as watching:
            log = paths.library.with_name(f"{paths.library.name}-wal")
            before = log.stat().st_mtime_ns
            if not commits:
                with closing(sqlite3.connect(paths.library)) as preparing:
                    preparing.executescript(_ENDLESS)
            go_on.set()
            while not (log.stat().st_mtime_ns > before if commits else is_written_to(watching)):
                assert not process.has_ended
            process._child.kill()

    bus.subscribe(RefreshProgress, kill)
    with pytest.raises(FeedError):
        jobs.refresh()
    killed.set()
    library.check()
    with sqlite3.connect(paths.library) as connection:
        connection.executescript("DROP TRIGGER IF EXISTS endless; DROP VIEW IF EXISTS numbers")
    with sqlite3.connect(paths.library) as connection:
        counts = connection.execute("SELECT count(*) FROM episodes GROUP BY podcast_id").fetchall()
        assert free <= len(counts) < shows
        assert all(count == (episodes,) for count in counts)
        assert (
            connection.execute("SELECT count(*) FROM episodes").fetchone()
            == connection.execute("SELECT count(*) FROM details").fetchone()
        )
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    again = JobRunner(paths, Bus())
    summary = again.refresh()
    assert (summary.failed, summary.left) == ((), 0)
    assert all(podcast.episode_count == episodes for podcast in library.podcasts.all())
    assert len(library.podcasts.all()) == shows


def is_written_to(connection: sqlite3.Connection) -> bool:
    """Whether somebody else's transaction is under way."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return True
    connection.execute("ROLLBACK")
    return False


def test_of_how_far_a_refresh_is_only_the_latest_is_sent_and_it_is_sent_in_time() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as sent, os.fdopen(writing, "wb") as stream:
        sender = EventSender(stream)
        read = [PodcastRefreshed(PodcastId(number), changed=True) for number in range(4)]
        for number, one in enumerate(read):
            sender.send(one)
            sender.send(RefreshProgress(number + 1, 5))
        assert pickle.loads(receive(sent)) == JobEvents((read[0],))
        assert pickle.loads(receive(sent)) == JobEvents((*read[1:], RefreshProgress(4, 5)))
