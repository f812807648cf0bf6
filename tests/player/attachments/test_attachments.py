"""What goes with an episode is fetched once, in the background, kept, and said so."""

import gzip
import json
import threading

import pytest
from msgspec.structs import replace

from player.attachments.attachments import CHAPTERS_LIMIT
from player.events import PlaybackChanged
from player.library import AttachmentKind
from player.model.episode import Chapter, Chapters, ChapterSource, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from tests.loopback import Answer, LoopbackServer, Request
from tests.player.attachments.conftest import House
from tests.player.library.helpers import apply_feed, episode

JSON = json.dumps({"chapters": [{"startTime": 0, "title": "One"}, {"startTime": 60, "title": "Two"}]})
CHAPTERS = Chapters((Chapter(0, "One"), Chapter(60_000, "Two")), ChapterSource.JSON)


@pytest.fixture
def url(server: LoopbackServer) -> str:
    return server.page("/chapters.json", JSON.encode(), "application/json+chapters")


def test_chapters_come_once_and_are_kept(house: House, server: LoopbackServer, url: str) -> None:
    one = house.add(chapters_url=url)
    assert house.attachments.chapters(one) == Chapters()
    house.wanted(one)
    assert house.attachments.chapters(one) == CHAPTERS
    server.answers.clear()
    assert house.attachments.fetch(one.id) == ""
    assert house.attachments.chapters(one) == CHAPTERS
    assert len(server.seen) == 1


def test_a_new_address_is_fetched_anew(house: House, server: LoopbackServer, url: str) -> None:
    one = house.add(chapters_url=url)
    house.wanted(one)
    body = json.dumps({"chapters": [{"startTime": 5, "title": "Other"}]}).encode()
    moved = server.page("/moved.json", body, "application/json")
    apply_feed(house.library, house.podcast, episode(0, chapters_url=moved))
    assert house.attachments.chapters(one) == Chapters()
    house.wanted(one)
    assert [chapter.title for chapter in house.attachments.chapters(one).items] == ["Other"]


def test_what_is_kept_goes_with_its_episode(house: House, url: str) -> None:
    one = house.add(chapters_url=url)
    house.wanted(one)
    house.library.podcasts.remove(house.podcast.id)
    assert house.library.attachments.listed(one.id, AttachmentKind.CHAPTERS) == ()


def test_what_comes_for_an_episode_that_is_gone_is_dropped(house: House, server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        house.library.podcasts.remove(house.podcast.id)
        request.reply(JSON.encode(), "application/json")

    one = house.add(chapters_url=server.answer("/late.json", answer))
    house.wanted(one)
    assert house.attachments.chapters(one) == Chapters()


def test_an_episode_that_begins_to_play_wants_them_by_itself(house: House, server: LoopbackServer, url: str) -> None:
    one = house.add(chapters_url=url)
    playing = PlaybackStatus(PlaybackState.PLAYING, one)
    house.bus.publish(PlaybackChanged(replace(playing, state=PlaybackState.PAUSED)))
    house.bus.publish(PlaybackChanged(playing))
    house.until(lambda: house.changed)
    house.bus.publish(PlaybackChanged(replace(playing, position_ms=1_000)))
    assert house.attachments.chapters(one) == CHAPTERS
    assert len(server.seen) == 1


def test_what_failed_without_a_network_comes_when_playback_goes_on(house: House, server: LoopbackServer) -> None:
    one = house.add(chapters_url=server.answer("/chapters.json", _refusal(503)))
    playing = PlaybackStatus(PlaybackState.PLAYING, one)
    waiting = replace(playing, state=PlaybackState.BUFFERING, waiting="127.0.0.1 can't be reached.")
    for status in (replace(waiting, waiting=None), playing, waiting):
        house.bus.publish(PlaybackChanged(status))
    house.until(lambda: house.attachments.trouble(one.id))
    server.page("/chapters.json", JSON.encode(), "application/json+chapters")
    house.bus.publish(PlaybackChanged(waiting))
    house.bus.publish(PlaybackChanged(playing))
    house.until(lambda: house.attachments.chapters(one) == CHAPTERS)
    assert len(server.seen) == 2


def _refusal(status: int) -> Answer:
    return lambda request: request.reply(b"", "text/plain", status=status)


def _body(body: bytes, packed: str = "identity") -> Answer:
    return lambda request: request.reply(body, "text/html", headers={"Content-Encoding": packed})


def _round(request: Request) -> None:
    request.reply(b"", "", status=302, headers={"Location": request.path})


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (_refusal(404), "127.0.0.1 no longer has the chapters (404)"),
        (_refusal(401), "127.0.0.1 requires a username and password for the chapters (401)"),
        (_refusal(403), "127.0.0.1 denied access to the chapters (403)"),
        (_refusal(503), "127.0.0.1 has a server problem (503)"),
        (_refusal(418), "127.0.0.1 sent an unexpected response (418)"),
        (_body(b"<html>Sign in</html>"), "The chapters from 127.0.0.1 can't be read"),
        (_body(b"[]" * CHAPTERS_LIMIT), "127.0.0.1 sent more than 4 MB for the chapters"),
        (_body(gzip.compress(b" " * 5_000_000), "gzip"), "127.0.0.1 sent more than 4 MB for the chapters"),
        (_body(b"no gzip at all", "gzip"), "127.0.0.1 sent corrupt data for the chapters"),
        (_body(gzip.compress(b"{}")[:-9], "gzip"), "127.0.0.1 sent only part of the chapters"),
        (_body(b"x", "zip"), "127.0.0.1 compressed the chapters in a way that Earmark doesn't support"),
        (_round, "Redirect loop at 127.0.0.1"),
    ],
)
def test_what_fails_is_told_in_a_sentence(house: House, server: LoopbackServer, answer: Answer, sentence: str) -> None:
    one = house.add(chapters_url=server.answer("/chapters.json", answer))
    house.wanted(one)
    assert house.attachments.trouble(one.id).startswith(sentence)
    assert house.attachments.chapters(one) == Chapters()


def test_packed_chapters_are_unpacked_and_redirects_followed(house: House, server: LoopbackServer) -> None:
    packed = gzip.compress(JSON.encode())
    there = server.page("/there", packed, headers={"Content-Encoding": "gzip"})
    here = server.page("/here", b"", status=307, headers={"Location": there})
    one = house.add(chapters_url=here)
    house.wanted(one)
    assert house.attachments.chapters(one) == CHAPTERS


def test_a_login_is_given_to_its_server(house: House, server: LoopbackServer, url: str) -> None:
    house.logins[url] = ("me", "secret")
    house.wanted(house.add(chapters_url=url))
    assert server.seen[0].headers["Authorization"].startswith("Basic ")


def test_what_failed_is_not_tried_again_at_once(house: House, server: LoopbackServer) -> None:
    one = house.add(chapters_url=server.url("/nothing"))
    house.wanted(one)
    house.attachments.want(one.id)
    house.wanted(house.add(1, chapters_url=server.url("/nothing/either")))
    assert [request.path for request in server.seen] == ["/nothing", "/nothing/either"]


def test_closing_waits_for_no_server(house: House, server: LoopbackServer) -> None:
    asked, over = threading.Event(), threading.Event()

    def silent(request: Request) -> None:
        asked.set()
        over.wait(30)

    house.attachments.want(house.add(chapters_url=server.answer("/silent", silent)).id)
    assert asked.wait(10)
    house.attachments.close()
    over.set()
    assert not [thread for thread in threading.enumerate() if thread.name == "earmark-attachments"]


def test_an_episode_that_is_gone_has_none(house: House) -> None:
    one = replace(house.add(), id=EpisodeId(9_999))
    assert house.attachments.chapters(one) == Chapters()
    assert house.attachments.transcripts(one.id) == ()
    house.attachments.want(one.id)
