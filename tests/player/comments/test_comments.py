"""Comments fetched from a server of the fediverse, over HTTP, when they are asked for."""

import json
import threading
import time
from collections.abc import Iterator

import pytest

from player.comments import comments
from player.comments.comments import EpisodeComments, fetch_thread, post_with_comments
from player.errors import AttachmentError
from player.links.urls import host
from player.model.episode import EpisodeId
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from tests.fediverse import asked, serve, status
from tests.loopback import LoopbackServer, Request

DEADLINE_S = 30.0
ONE = EpisodeId(1)


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(5, 5)
    yield loop
    loop.close()


def extra(*posts: tuple[str, str]) -> str:
    return json.dumps({"socialInteract": [{"uri": uri, "protocol": protocol} for uri, protocol in posts]})


def why_not(post: str, network: NetworkLoop) -> str:
    with pytest.raises(AttachmentError) as caught:
        fetch_thread(post, network, CancelToken())
    return str(caught.value)


def test_the_post_and_its_replies_come_from_its_server_alone(server: LoopbackServer, network: NetworkLoop) -> None:
    post = serve(server, status(1), status(2, 1), status(3, 2))
    found = fetch_thread(post, network, CancelToken())
    assert [one.depth for one in found.posts] == [0, 1, 2]
    assert asked(server) == ["/api/v1/statuses/1", "/api/v1/statuses/1/context"]
    assert all("Authorization" not in request.headers for request in server.seen)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (401, "127.0.0.1 shows replies only to its members (401). Open the post in the browser instead."),
        (403, "127.0.0.1 shows replies only to its members (403). Open the post in the browser instead."),
        (404, "127.0.0.1 no longer has the post with the comments (404)."),
        (410, "127.0.0.1 no longer has the post with the comments (410)."),
        (429, "127.0.0.1 received too many requests (429). Try again later."),
        (503, "127.0.0.1 has a server problem (503). Try again later."),
        (418, "127.0.0.1 sent an unexpected response (418). Open the post in the browser instead."),
    ],
)
def test_what_a_server_refuses_is_a_sentence(
    server: LoopbackServer, network: NetworkLoop, code: int, sentence: str
) -> None:
    server.page("/api/v1/statuses/1", b'{"error": "no"}', "application/json", status=code)
    assert why_not(server.url("/@show/1"), network) == sentence


def test_nonsense_and_addresses_without_a_number_are_sentences(server: LoopbackServer, network: NetworkLoop) -> None:
    cannot = "Earmark can't read the comments on 127.0.0.1. Open the post in the browser instead."
    server.page("/api/v1/statuses/1", b"<!doctype html><title>Hello</title>", "text/html")
    server.page("/api/v1/statuses/1/context", b"{}", "application/json")
    assert why_not(server.url("/@show/1"), network) == cannot
    before = len(server.seen)
    assert why_not(server.url("/objects/6f9619ff"), network) == cannot
    assert len(server.seen) == before, "nothing was asked"


def test_no_other_server_is_asked_even_if_the_first_one_refers_to_it(
    server: LoopbackServer, network: NetworkLoop
) -> None:
    with LoopbackServer() as other:
        elsewhere = other.page("/api/v1/statuses/1", json.dumps(status(1)).encode(), "application/json")
        server.page("/api/v1/statuses/1", b"", "text/plain", status=302, headers={"Location": elsewhere})
        assert why_not(server.url("/@show/1"), network).startswith("127.0.0.1 refers to 127.0.0.1 for the comments.")
        assert not other.seen


def test_an_answer_is_bounded_in_bytes_and_time(
    server: LoopbackServer, network: NetworkLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.page("/api/v1/statuses/1", b" " * (comments.LIMIT + 1), "application/json")
    assert "sent more than 4 MB for the comments" in why_not(server.url("/@show/1"), network)
    ended = threading.Event()

    def crawl(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        while not ended.wait(0.02):
            request.wfile.write(b" ")

    monkeypatch.setattr(comments, "TOTAL_S", 0.3)
    server.answer("/api/v1/statuses/2", crawl)
    try:
        assert "is too slow: the comments didn't arrive within 0.3 s" in why_not(server.url("/@show/2"), network)
    finally:
        ended.set()


def test_without_a_server_there_is_a_sentence(network: NetworkLoop) -> None:
    with LoopbackServer() as gone:
        post = gone.url("/@show/1")
    assert why_not(post, network) == "127.0.0.1 refused the connection. Try again later."


# -- the comments of episodes -----------------------------------------------------------------------------------


class Room:
    def __init__(self, network: NetworkLoop) -> None:
        self.came: list[EpisodeId] = []
        self._news = threading.Condition()
        self.comments = EpisodeComments(network, self._take, wanted=True)

    def _take(self, episode_id: EpisodeId) -> None:
        with self._news:
            self.came.append(episode_id)
            self._news.notify_all()

    def until(self, count: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.came) >= count, DEADLINE_S), "they never came"


@pytest.fixture
def room(network: NetworkLoop) -> Iterator[Room]:
    made = Room(network)
    yield made
    made.comments.close()


def test_nothing_is_asked_before_the_comments_are_wanted_and_then_they_stay(room: Room, server: LoopbackServer) -> None:
    post = serve(server, status(1), status(2, 1))
    named = extra((post, "activitypub"))
    before = room.comments.of(named)
    assert before is not None
    assert (before.thread, before.trouble, before.server) == (None, "", host(post))
    assert not server.seen
    room.comments.want(ONE, post)
    room.until(1)
    known = room.comments.of(named)
    assert known is not None
    assert known.thread is not None
    assert (room.came, known.thread.replies) == ([ONE], 1)
    serve(server, status(1), status(2, 1), status(3, 1))
    assert room.comments.of(named) == known
    room.comments.want(ONE, post)
    room.until(2)
    again = room.comments.of(named)
    assert again is not None
    assert again.thread is not None
    assert again.thread.replies == 2


def test_a_failure_is_kept_until_they_are_wanted_again(room: Room, server: LoopbackServer) -> None:
    post = server.url("/@show/1")
    room.comments.want(ONE, post)
    room.until(1)
    failed = room.comments.of(extra((post, "activitypub")))
    assert failed is not None
    assert failed.trouble.startswith("127.0.0.1 no longer has the post")
    serve(server, status(1))
    room.comments.want(ONE, post)
    room.until(2)
    known = room.comments.of(extra((post, "activitypub")))
    assert known is not None
    assert known.thread is not None
    assert known.trouble == ""
    server.answers.clear()
    room.comments.want(ONE, post)
    room.until(3)
    kept = room.comments.of(extra((post, "activitypub")))
    assert kept is not None
    assert kept.thread == known.thread, "what was read before can still be read"
    assert kept.trouble.startswith("127.0.0.1 no longer has the post")


def test_only_so_many_threads_are_kept(room: Room, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments, "_MOST_KEPT", 2)
    posts = [serve(server, status(number)) for number in (1, 2, 3)]
    for number, post in enumerate(posts, 1):
        room.comments.want(ONE, post)
        room.until(number)
    known = [room.comments.of(extra((post, "activitypub"))) for post in posts]
    assert [one is not None and one.thread is not None for one in known] == [False, True, True]


def test_closing_ends_a_request_at_once(room: Room, server: LoopbackServer) -> None:
    asked_for, over = threading.Event(), threading.Event()

    def hang(request: Request) -> None:
        asked_for.set()
        over.wait(DEADLINE_S)

    post = server.url("/@show/1")
    server.answer("/api/v1/statuses/1", hang)
    try:
        room.comments.want(ONE, post)
        assert asked_for.wait(DEADLINE_S)
        began = time.monotonic()
        room.comments.close()
        room.until(1)
        assert time.monotonic() - began < comments.SILENCE_S / 2
    finally:
        over.set()
    room.comments.want(ONE, post)
    assert len(room.came) == 1


def test_only_posts_of_the_fediverse_are_read_and_nothing_if_that_is_off(room: Room) -> None:
    both = extra(("https://x.example/1", "twitter"), ("https://social.example/@show/1", "activitypub"))
    found = post_with_comments(both)
    assert found is not None
    assert found.url == "https://social.example/@show/1"
    assert post_with_comments(extra(("https://x.example/1", "twitter"))) is None
    assert post_with_comments(extra(("javascript:alert(1)", "activitypub"))) is None
    assert post_with_comments("") is None
    room.comments.wanted = False
    assert room.comments.of(both) is None
