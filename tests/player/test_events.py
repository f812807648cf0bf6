import threading

import pytest

from player.events import Bus, Event, LibraryChanged, Notice, PodcastAdded
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
