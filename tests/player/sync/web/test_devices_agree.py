"""Three devices that keep no more than a log and an outbox, at each kind of server: in the end they agree."""

from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.merging.clock import next_at
from player.merging.fold import fold, seen_ms
from player.merging.seconds import told_apart
from player.model.syncing import Action, ActionKind, EpisodeState, Outgoing
from player.net.loop import NetworkLoop
from player.sync.target import SyncError
from tests.quick import examples
from tests.sync_servers.devices import HOUR, MINUTE, Clock, episode, target
from tests.sync_servers.gpodder import GpodderNet, GpodderServer, OPodSync
from tests.sync_servers.nextcloud import NextcloudServer
from tests.sync_servers.server import SyncServer

EPISODES = (1, 2)
Server = type[GpodderServer] | type[NextcloudServer]


class Device:
    """`skew_ms`: how wrong its clock is."""

    def __init__(self, name: str, server: SyncServer, network: NetworkLoop, clock: Clock, skew_ms: int) -> None:
        self.name = name
        self.log: set[Action] = set()
        self.outbox: dict[int, Action] = {}
        self.own: list[Action] = []
        self._cursor = ""
        self._now: Callable[[], float] = lambda: (clock.ms + skew_ms) / 1000
        self._target = target(server, network, name, now=self._now)

    def state(self, number: int) -> EpisodeState:
        return fold(self._of(number))

    def listen(self, number: int, kind: ActionKind, minutes: int) -> None:
        """To another position, or a mark; knowing what this device knows."""
        known = self._of(number)
        at = next_at(int(self._now() * 1000), max((one.at for one in known), default=0), 1_000)
        seen = seen_ms(fold(known))
        position_ms = minutes * MINUTE if kind is ActionKind.PLAY else 0
        action = told_apart(Action(episode(number), self.name, at, kind, None, position_ms, HOUR, seen), known)
        self.own.append(action)
        self.log.add(action)
        self.outbox[len(self.own)] = action

    def sync(self, *, whole: bool = False) -> None:
        pulled = self._target.pull(self._cursor, whole=whole)
        self._cursor = pulled.cursor
        self.log.update(pulled.actions)
        if pulled.forgotten:
            self.outbox = dict(enumerate(self.own, 1))
        elif whole:  # what the server has lost is sent again
            told = {(one.episode, one.kind, one.at, one.position_ms) for one in pulled.actions}
            for number, one in enumerate(self.own, 1):
                there = fold(other for other in pulled.actions if other.episode == one.episode)
                known = fold(other for other in self.log if other.episode == one.episode)
                is_other = (there.played, there.position_ms) != (known.played, known.position_ms)
                if is_other and (one.episode, one.kind, one.at, one.position_ms) not in told:
                    self.outbox[number] = one
        if self.outbox:
            of_same = {
                number: [other for other in self.log if other.episode == one.episode]
                for number, one in self.outbox.items()
            }
            pushed = self._target.push(Outgoing(actions=tuple(self.outbox.items()), known=of_same))
            for number in pushed.sent:
                del self.outbox[number]

    def _of(self, number: int) -> list[Action]:
        return [one for one in self.log if one.episode == episode(number)]


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("listen"),
            st.integers(0, 2),
            st.sampled_from(EPISODES),
            st.sampled_from([ActionKind.PLAY, ActionKind.PLAY, ActionKind.PLAY, *ActionKind]),
            st.integers(1, 48),
        ),
        st.tuples(st.just("sync"), st.integers(0, 2), st.booleans()),
        st.tuples(st.just("wait"), st.sampled_from([1_000, 5 * MINUTE, HOUR, 30 * HOUR, 2_000 * HOUR])),
        st.tuples(st.sampled_from(["lose an answer", "forget"])),
    ),
    min_size=4,
    max_size=25,
)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", [GpodderServer, OPodSync, GpodderNet, NextcloudServer])
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps, skews=st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_devices_agree_in_the_end(
    network: NetworkLoop, kind: Server, steps: list[tuple[object, ...]], skews: list[int]
) -> None:
    they_agree(network, kind, steps, skews)


@pytest.mark.parametrize("kind", [GpodderServer, OPodSync, GpodderNet, NextcloudServer])
def test_they_agree_after_a_server_has_lost_everything_and_the_answer_that_says_so(
    network: NetworkLoop, kind: Server
) -> None:
    heard = ("listen", 1, 1, ActionKind.PLAY, 2), ("sync", 1, False)
    lost = ("lose an answer",), ("forget",), ("listen", 0, 1, ActionKind.PLAY, 1), ("sync", 1, False)
    they_agree(network, kind, [("listen", 0, 1, ActionKind.PLAY, 1), *heard, *lost], [0, 0, 0])


def test_they_agree_on_a_minute_that_was_heard_again_after_five(network: NetworkLoop) -> None:
    """Which gpodder.net takes for the same, if it is said to begin where it did."""
    heard = ("listen", 0, 1, ActionKind.PLAY, 1)
    steps = [heard, ("listen", 0, 1, ActionKind.UNPLAYED, 1), ("wait", 5 * MINUTE), heard]
    they_agree(network, GpodderNet, steps, [0, 0, 0])


def they_agree(network: NetworkLoop, kind: Server, steps: Sequence[tuple[object, ...]], skews: Sequence[int]) -> None:
    clock = Clock()
    with kind(clock) as server:
        devices = [Device(f"device{n}", server, network, clock, skew * HOUR) for n, skew in enumerate(skews)]
        for step in steps:
            match step:
                case "listen", int(who), int(number), ActionKind() as what, int(minutes):
                    devices[who].listen(number, what, minutes)
                case "sync", int(who), bool(whole):
                    with suppress(SyncError):
                        devices[who].sync(whole=whole)
                case "wait", int(ms):
                    clock.ms += ms
                case ("lose an answer",):
                    server.lost_answers = 2
                case ("forget",):
                    server.forget()
        server.lost_answers = 0
        clock.ms += 10 * HOUR  # gpodder.net answers with nothing from the future
        for _round in range(3):
            for device in devices:
                device.sync(whole=True)
        for number in EPISODES:
            states = [(one.played, one.position_ms) for one in (device.state(number) for device in devices)]
            assert len(set(states)) == 1, states
        assert not any(device.outbox for device in devices)
