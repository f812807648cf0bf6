"""The transcripts that haven't been fetched are fetched when the listener asks for them, or by themselves."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest

from player.attachments import backlog
from player.attachments.backlog import Progress
from player.events import PodcastRefreshed
from player.library import AttachmentKind
from player.model.episode import Episode, TranscriptRef
from tests.loopback import LoopbackServer, Request
from tests.player.attachments.conftest import DEADLINE_S, House
from tests.player.attachments.test_episode_transcripts import VTT
from tests.player.library.helpers import apply_feed, episode


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlog, "PAUSE_S", 0.01)


def named(house: House, server: LoopbackServer, number: int, *, gone: bool = False) -> Episode:
    """An episode whose feed names a transcript, which the server has or (`gone`) doesn't have."""
    path = f"/{number}.vtt"
    url = server.url(path) if gone else server.page(path, VTT, "text/vtt")
    return house.add(number, transcripts=(TranscriptRef(url, "text/vtt", "en"),))


def lacking(house: House) -> list[int]:
    return [one for one, _ref in house.attachments.backlog.missing()]


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.005)


def fetched(house: House) -> None:
    """Fetches all that are missing, and waits for the end."""
    house.attachments.backlog.fetch(house.attachments.backlog.missing())
    until(lambda: not house.attachments.backlog.progress.under_way)


def has_transcript(house: House, one: Episode) -> bool:
    return bool(house.library.attachments.listed(one.id, AttachmentKind.TRANSCRIPT))


def test_all_that_are_missing_are_fetched_one_after_another_of_a_server(house: House, server: LoopbackServer) -> None:
    at_once, most = [0], [0]
    lock = threading.Lock()

    def answer(request: Request) -> None:
        with lock:
            at_once[0] += 1
            most[0] = max(most[0], at_once[0])
        time.sleep(0.01)
        with lock:
            at_once[0] -= 1
        request.reply(VTT, "text/vtt")

    refs = [TranscriptRef(server.answer(f"/{number}.vtt", answer), "text/vtt", "en") for number in range(5)]
    episodes = [house.add(number, transcripts=(ref,)) for number, ref in enumerate(refs)]
    house.add(5)
    pdf = TranscriptRef(server.url("/6.pdf"), "application/pdf", "en")
    house.add(6, transcripts=(pdf,))
    assert {*lacking(house)} == {one.id for one in episodes}
    fetched(house)
    assert house.attachments.backlog.progress == Progress(5, 5, by_person=True)
    assert lacking(house) == []
    assert all(has_transcript(house, one) for one in episodes)
    assert most == [1]
    assert house.notices == []


def test_only_those_of_some_episodes_are_looked_for(house: House, server: LoopbackServer) -> None:
    one, _other = named(house, server, 0), named(house, server, 1)
    assert [found for found, _ref in house.attachments.backlog.missing([one.id])] == [one.id]


def test_failures_are_told_once_and_not_tried_again_until_the_next_day(house: House, server: LoopbackServer) -> None:
    here, gone, also_gone = (named(house, server, number, gone=number > 0) for number in range(3))
    fetched(house)
    (notice,) = house.notices
    assert notice.startswith("2 transcripts couldn't be fetched: 127.0.0.1 no longer has the transcript (404)")
    asked = len(server.seen)
    assert lacking(house) == []
    fetched(house)
    assert len(server.seen) == asked
    assert has_transcript(house, here)

    house.now += timedelta(days=2)
    assert {*lacking(house)} == {gone.id, also_gone.id}
    house.now -= timedelta(days=2)
    elsewhere = TranscriptRef(server.page("/moved.vtt", VTT, "text/vtt"), "text/vtt", "en")
    apply_feed(house.library, house.podcast, episode(1, transcripts=(elsewhere,)))
    assert lacking(house) == [gone.id], "another address is another chance"


def test_a_server_that_only_fails_is_left_alone(house: House, server: LoopbackServer) -> None:
    for number in range(30):
        named(house, server, number, gone=True)
    fetched(house)
    assert len(server.seen) == 10
    assert len(lacking(house)) == 20
    assert len(house.notices) == 1


def test_nothing_is_fetched_while_offline(house: House, server: LoopbackServer) -> None:
    one = named(house, server, 0)
    house.offline = True
    house.attachments.backlog.fetch(house.attachments.backlog.missing())
    until(lambda: not house.attachments.backlog._asked)
    assert server.seen == []
    assert house.attachments.backlog.progress == Progress(0, 1, by_person=True)
    house.offline = False
    house.attachments.network_is_back()
    until(lambda: has_transcript(house, one))
    assert house.notices == []


def test_what_fails_because_the_network_is_gone_is_fetched_later(
    house: House, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "PAUSE_S", 1.0)
    one = named(house, server, 0, gone=True)

    def refuse(request: Request) -> None:
        request.reply(b"", "text/plain", status=503)
        threading.Timer(0.05, lambda: setattr(house, "offline", True)).start()

    server.answer("/0.vtt", refuse)
    house.attachments.backlog.fetch(house.attachments.backlog.missing())
    until(lambda: house.offline and not house.attachments.backlog._asked)
    assert lacking(house) == [one.id]
    assert house.notices == []
    server.page("/0.vtt", VTT, "text/vtt")
    house.offline = False
    house.attachments.network_is_back()
    until(lambda: has_transcript(house, one))


def test_what_waits_can_be_cancelled(house: House, server: LoopbackServer) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def answer(request: Request) -> None:
        asked.set()
        go_on.wait(DEADLINE_S)
        request.reply(VTT, "text/vtt")

    for number in range(3):
        ref = TranscriptRef(server.answer(f"/{number}.vtt", answer), "text/vtt", "en")
        house.add(number, transcripts=(ref,))
    transcripts = house.attachments.backlog
    transcripts.fetch(transcripts.missing())
    assert asked.wait(DEADLINE_S)
    transcripts.cancel()
    assert transcripts.progress == Progress()
    go_on.set()
    until(lambda: not transcripts._asked)
    assert len(server.seen) == 1
    assert transcripts.progress == Progress()


def test_what_closing_interrupts_has_not_failed(house: House, server: LoopbackServer) -> None:
    asked, over = threading.Event(), threading.Event()

    def silent(_request: Request) -> None:
        asked.set()
        over.wait(DEADLINE_S)

    one = house.add(transcripts=(TranscriptRef(server.answer("/silent", silent), "text/vtt", "en"),))
    house.attachments.backlog.fetch(house.attachments.backlog.missing())
    assert asked.wait(DEADLINE_S)
    house.attachments.close()
    until(lambda: not house.attachments.backlog._asked)
    over.set()
    assert lacking(house) == [one.id]
    assert house.notices == []


def test_the_setting_says_what_is_fetched_by_itself(house: House, server: LoopbackServer) -> None:
    old, first, new = (named(house, server, number) for number in range(3))
    transcripts = house.attachments.backlog

    def refreshed(one: Episode, *, first: bool = False) -> None:
        house.bus.publish(PodcastRefreshed(house.podcast.id, (one.id,), changed=True, first=first))

    refreshed(new)
    assert not transcripts._task.is_waited_for, "only what is opened"
    transcripts.follow("new")
    refreshed(first, first=True)
    assert not transcripts._task.is_waited_for, "the episodes of a podcast just added aren't new"
    refreshed(new)
    until(lambda: has_transcript(house, new))
    assert [request.path for request in server.seen] == ["/2.vtt"]
    assert not transcripts.progress.by_person
    transcripts.follow("all")
    until(lambda: has_transcript(house, old) and has_transcript(house, first))
