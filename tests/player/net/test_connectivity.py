"""Whether the network is there: one broken server isn't a missing network, and nothing is asked more than it needs."""

import threading
from collections.abc import Iterator

import pytest

from player.net.connectivity import Connectivity, Evidence, Seen
from player.net.failures import FailureReason, RequestFailed
from player.net.loop import NetworkLoop
from player.net.requester import Requester
from tests.loopback import LoopbackServer, Request

A, B, C, D = (f"https://{name}.example" for name in "abcd")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class World:
    """Servers that answer or don't, and what was asked of them."""

    def __init__(self, *used: str) -> None:
        self.clock = Clock()
        self.up: set[str] = set()
        self.reason = FailureReason.TIMED_OUT
        self.asked: list[str] = []
        self.changes: list[tuple[bool, bool]] = []
        self.network = Connectivity(self.reach, lambda: used, self.changed, clock=self.clock, has_route=lambda: True)

    def reach(self, origin: str) -> bool:
        self.asked.append(origin)
        up = origin in self.up
        self.network.seen(Seen(origin, None if up else self.reason))
        return up

    def changed(self) -> None:
        self.changes.append((self.network.offline, self.network.by_hand))

    def fails(self, *origins: str, reason: FailureReason = FailureReason.TIMED_OUT) -> None:
        for origin in origins:
            self.network.seen(Seen(origin, reason))

    def run(self, seconds: float) -> None:
        """Time passes, with all the checks that are due in it."""
        end = self.clock.now + seconds
        while (due := self.network.due_in()) is not None and self.clock.now + due <= end:
            self.clock.now += due
            self.network.check()
        self.clock.now = end


# -- going --------------------------------------------------------------------------------------------------------


def test_a_broken_server_is_not_a_missing_network() -> None:
    world = World(A, B)
    world.up = {B}
    world.fails(A)
    world.run(0)
    assert world.asked == [B]
    assert not world.network.offline
    assert world.changes == []


def test_while_another_server_answers_nothing_is_checked() -> None:
    world = World(A, B)
    world.network.seen(Seen(B))
    world.fails(A)
    assert world.network.due_in() is None


def test_a_server_that_fails_for_long_has_others_asked_rarely() -> None:
    world = World(A, B)
    world.up = {B}
    for _second in range(120):
        world.fails(A)
        world.run(1)
    assert len(world.asked) <= 7


def test_when_the_other_server_fails_too_the_network_is_gone() -> None:
    world = World(A, B)
    world.fails(A)
    world.run(0)
    assert world.network.offline
    assert not world.network.by_hand
    assert world.changes == [(True, False)]


@pytest.mark.parametrize("reason", [FailureReason.REFUSED, FailureReason.TIMED_OUT, FailureReason.UNKNOWN_HOST])
def test_the_only_server_may_be_broken(reason: FailureReason) -> None:
    world = World(A)
    world.fails(A, reason=reason)
    world.run(60)
    assert not world.network.offline
    assert world.asked == []


@pytest.mark.parametrize("reason", [FailureReason.NO_NAME_SERVER, FailureReason.UNREACHABLE])
def test_without_a_name_server_or_a_route_the_only_server_is_enough(reason: FailureReason) -> None:
    world = World(A)
    world.fails(A, reason=reason)
    world.run(0)
    assert world.network.offline


def test_three_servers_do_not_fail_together_by_themselves() -> None:
    world = World()
    world.fails(A, B)
    world.run(0)
    assert not world.network.offline
    world.fails(C)
    world.run(60)
    assert world.network.offline


@pytest.mark.parametrize("reason", [FailureReason.CERTIFICATE, FailureReason.REDIRECT_LOOP])
def test_what_something_answered_is_no_sign(reason: FailureReason) -> None:
    world = World()
    world.fails(A, B, C, D, reason=reason)
    assert world.network.due_in() is None


def test_old_failures_are_forgotten() -> None:
    clock = Clock()
    evidence = Evidence(clock)
    evidence.note(Seen(A, FailureReason.TIMED_OUT))
    clock.now += 121
    assert not evidence.is_suspicious


# -- coming back --------------------------------------------------------------------------------------------------


def test_a_request_that_succeeds_ends_it() -> None:
    world = World(A, B)
    world.fails(A)
    world.run(0)
    world.network.seen(Seen(C))
    assert world.changes == [(True, False), (False, False)]


def test_servers_of_the_listener_are_asked_now_and_then_until_one_answers() -> None:
    world = World(A, B, C)
    world.fails(A)
    world.run(0)
    world.asked.clear()
    world.run(3600)
    assert world.network.offline
    assert 10 <= len(world.asked) <= 40
    assert set(world.asked) <= {A, B, C}
    world.up = {A, B, C}
    world.run(300)
    assert world.changes == [(True, False), (False, False)]
    assert world.network.due_in() is None


# -- by hand ------------------------------------------------------------------------------------------------------


def test_offline_by_hand_asks_nobody_and_stays_whatever_answers() -> None:
    world = World(A, B)
    world.network.choose(True)
    assert (world.network.offline, world.network.by_hand) == (True, True)
    world.network.seen(Seen(A))
    world.fails(A, B, C, D)
    world.run(3600)
    assert world.asked == []
    assert world.network.offline
    world.network.choose(False)
    assert world.changes == [(True, True), (False, False)]


def test_choosing_the_same_again_changes_nothing() -> None:
    world = World()
    world.network.choose(False)
    world.network.choose(True)
    world.network.choose(True)
    assert world.changes == [(True, True)]


# -- with real requests -------------------------------------------------------------------------------------------


class Real:
    def __init__(self, *used: str) -> None:
        self.news = threading.Event()
        self.watch = Connectivity(lambda origin: self.loop.reach(origin), lambda: used, self.news.set)
        self.loop = NetworkLoop(5.0, 5.0, self.watch)

    def get(self, url: str) -> int:
        with Requester(self.loop, lambda _address: None, 5.0).get(url, {}) as response:
            b"".join(response.pieces)
            return response.status


@pytest.fixture
def real() -> Iterator[list[Real]]:
    made: list[Real] = []
    yield made
    for one in made:
        one.watch.close()
        one.loop.close()


@pytest.mark.usefixtures("notices_network")
def test_servers_that_go_away_together_are_noticed_and_nothing_is_requested_then(real: list[Real]) -> None:
    with LoopbackServer() as one, LoopbackServer() as other:
        urls = [server.page("/a", b"x") for server in (one, other)]
        real.append(network := Real(*(url.removesuffix("/a") for url in urls)))
        network.watch._evidence._last_answer = float("-inf")
    with pytest.raises(RequestFailed) as failed:
        network.get(urls[0])
    assert failed.value.reason is FailureReason.REFUSED
    assert network.news.wait(10)
    assert network.watch.offline
    with pytest.raises(RequestFailed) as refused:
        network.get(urls[1])
    assert refused.value.reason is FailureReason.OFFLINE


def test_a_server_that_answers_is_asked_for_a_head_alone(real: list[Real], server: LoopbackServer) -> None:
    server.page("/", b"y" * 1_000_000)
    real.append(network := Real())
    assert network.loop.reach(server.url(""))
    assert [request.command for request in server.seen] == ["HEAD"]


def test_going_offline_by_hand_ends_what_is_being_fetched(real: list[Real], server: LoopbackServer) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000000")
        request.end_headers()
        request.wfile.write(b"z" * 1000)
        request.wfile.flush()
        begun.set()
        go.wait(10)

    url = server.answer("/slow", slow)
    real.append(network := Real())
    failed: list[FailureReason] = []

    def fetch() -> None:
        try:
            network.get(url)
        except RequestFailed as error:
            failed.append(error.reason)

    fetching = threading.Thread(target=fetch)
    fetching.start()
    assert begun.wait(10)
    network.watch.choose(True)
    network.loop.cut()
    fetching.join(10)
    go.set()
    assert failed == [FailureReason.OFFLINE]
