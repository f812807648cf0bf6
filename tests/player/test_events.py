import threading
import time

import pytest

from player.events import (
    Bus,
    Cause,
    EpisodeLeft,
    EpisodeStarted,
    Event,
    LibraryChanged,
    Notice,
    Paused,
    PlaybackChanged,
    PodcastAdded,
    RefreshProgress,
)
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId


def test_a_listener_hears_its_kind_of_event_alone() -> None:
    bus, heard = Bus(), list[object]()
    bus.subscribe(Notice, heard.append)
    bus.publish(LibraryChanged())
    bus.publish(Notice("here"))
    assert heard == [Notice("here")]


def test_who_listens_to_objects_hears_everything_in_order() -> None:
    bus, heard = Bus(), list[object]()
    bus.subscribe(object, heard.append)
    events: list[Event] = [PodcastAdded(PodcastId(1)), LibraryChanged()]
    for event in events:
        bus.publish(event)
    assert heard == events


def test_after_unsubscribing_nothing_is_heard() -> None:
    bus, heard = Bus(), list[object]()
    unsubscribe = bus.subscribe(Notice, heard.append)
    unsubscribe()
    unsubscribe()
    bus.publish(Notice("here"))
    assert heard == []


def test_a_listener_that_fails_is_logged_and_keeps_the_event_from_nobody(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard = Bus(), list[object]()

    def broken(_: Notice) -> None:
        raise RuntimeError("broken")

    bus.subscribe(Notice, broken)
    bus.subscribe(Notice, heard.append)
    bus.publish(Notice("here"))
    assert heard == [Notice("here")]
    assert "a listener failed" in caplog.text


def test_events_from_many_threads_all_arrive() -> None:
    bus, heard = Bus(), list[object]()
    bus.subscribe(Notice, heard.append)

    def publish_many() -> None:
        for _ in range(200):
            bus.publish(Notice("x"))

    threads = [threading.Thread(target=publish_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heard) == 800


# -- lanes --------------------------------------------------------------------------------------------------------


class Slow:
    """A subscriber in a lane that is stuck with its first event until the test lets it go."""

    def __init__(self, bus: Bus, kind: type[object] = object) -> None:
        self.heard: list[object] = []
        self.stuck, self.released = threading.Event(), threading.Event()
        self.lane = bus.lane("the test")
        self.unsubscribe = bus.subscribe(kind, self.collect, self.lane)

    def collect(self, event: object) -> None:
        self.heard.append(event)
        self.stuck.set()
        self.released.wait(10)


def test_who_is_slow_in_a_lane_holds_up_neither_the_publisher_nor_the_others() -> None:
    bus, heard = Bus(), list[object]()
    slow = Slow(bus)
    bus.subscribe(Notice, heard.append)
    bus.publish(Notice("1"))
    assert slow.stuck.wait(10)
    bus.publish(Notice("2"))
    assert heard == [Notice("1"), Notice("2")]
    assert slow.heard == [Notice("1")]
    slow.released.set()
    bus.close(10)
    assert slow.heard == heard


def test_in_a_lane_states_supersede_each_other_and_no_happening_is_lost() -> None:
    bus = Bus()
    slow = Slow(bus)
    one, other = EpisodeId(1), EpisodeId(2)
    bus.publish(LibraryChanged())
    assert slow.stuck.wait(10)
    for ms in range(50):
        bus.publish(PlaybackChanged(PlaybackStatus(position_ms=ms)))
        bus.publish(RefreshProgress(ms, 50))
    bus.publish(Paused(one, 49, Cause.PERSON))
    bus.publish(RefreshProgress(50, 50))
    bus.publish(RefreshProgress(0, 7))
    bus.publish(PlaybackChanged(PlaybackStatus(position_ms=99)))
    bus.publish(EpisodeLeft(one, 49, Cause.PERSON))
    bus.publish(EpisodeStarted(other, 0, Cause.PERSON))
    slow.released.set()
    bus.close(10)
    assert slow.heard == [
        LibraryChanged(),
        Paused(one, 49, Cause.PERSON),
        RefreshProgress(50, 50),
        RefreshProgress(0, 7),
        PlaybackChanged(PlaybackStatus(position_ms=99)),
        EpisodeLeft(one, 49, Cause.PERSON),
        EpisodeStarted(other, 0, Cause.PERSON),
    ]


def test_two_handlers_in_one_lane_hear_events_in_the_order_in_which_they_happened() -> None:
    bus, heard = Bus(), list[object]()
    lane = bus.lane("the test")
    for kind in (Notice, LibraryChanged, PlaybackChanged):
        bus.subscribe(kind, heard.append, lane)
    events: list[Event] = [Notice("a"), LibraryChanged(), Notice("b"), PlaybackChanged(PlaybackStatus())]
    for event in events:
        bus.publish(event)
    bus.close(10)
    assert heard == events


def test_a_status_that_one_handler_waits_for_is_not_taken_from_another_in_the_same_lane() -> None:
    bus, heard = Bus(), list[object]()
    slow = Slow(bus, Notice)
    bus.subscribe(LibraryChanged, lambda _event: heard.append(1), slow.lane)
    bus.subscribe(LibraryChanged, lambda _event: heard.append(2), slow.lane)
    bus.publish(Notice("1"))
    assert slow.stuck.wait(10)
    bus.publish(LibraryChanged())
    bus.publish(LibraryChanged())
    slow.released.set()
    bus.close(10)
    assert heard == [1, 2]


def test_after_unsubscribing_from_a_lane_not_even_what_waits_in_it_is_heard() -> None:
    bus = Bus()
    slow = Slow(bus)
    bus.publish(Notice("1"))
    assert slow.stuck.wait(10)
    bus.publish(Notice("2"))
    slow.unsubscribe()
    slow.released.set()
    bus.close(10)
    assert slow.heard == [Notice("1")]


def test_a_handler_in_a_lane_that_fails_is_logged_with_its_event(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard = Bus(), list[object]()

    def broken(event: Notice) -> None:
        heard.append(event)
        raise RuntimeError("broken")

    bus.subscribe(Notice, broken, bus.lane("the test"))
    bus.publish(Notice("1"))
    bus.publish(Notice("2"))
    bus.close(10)
    assert heard == [Notice("1"), Notice("2")]
    assert "a listener failed on Notice(text='2'" in caplog.text


def test_a_bus_closes_in_time_though_a_lane_hangs_and_the_other_lanes_lose_nothing() -> None:
    bus = Bus()
    slow, heard, all_heard = Slow(bus), list[object](), threading.Event()

    def collect(event: Notice) -> None:
        heard.append(event)
        if event == Notice("2"):
            all_heard.set()

    bus.subscribe(Notice, collect, bus.lane("another"))
    bus.publish(Notice("1"))
    assert slow.stuck.wait(10)
    bus.publish(Notice("2"))
    started = time.monotonic()
    bus.close(0.2)
    assert time.monotonic() - started < 5
    assert all_heard.wait(10)
    assert heard == [Notice("1"), Notice("2")]
    slow.released.set()


def test_a_lane_that_is_asked_for_after_the_end_carries_nothing() -> None:
    bus, heard = Bus(), list[object]()
    bus.close(10)
    bus.subscribe(Notice, heard.append, bus.lane("late"))
    bus.publish(Notice("1"))
    assert heard == []
