"""Devices that sync through one action of each episode, of which each has missed another part, come to agree."""

from itertools import count

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.merging.fold import fold
from player.merging.seconds import as_servers_keep_it
from player.merging.statements import DAY_MS
from player.model.syncing import Action, EpisodeState
from player.sync.nextcloud.kept_actions import KeptActions
from tests.player.merging.stories import DEVICES, HOUR_MS, NOON, Device
from tests.quick import LONG, examples

pytestmark = pytest.mark.timeout(1_800 if LONG else 120)

_MINUTE_MS = 60_000
_STEPS = st.one_of(
    st.integers(1, 9),  # minutes that are heard
    st.integers(-20, -1),  # minutes that it goes back
    st.sampled_from(["played", "unplayed", "sync", "sync", "all sync", "a day passes"]),
)


class Syncing(Device):
    """`there` has what the server has."""

    def __init__(self, name: str, wrong_ms: int, there: list[Action]) -> None:
        super().__init__(name, wrong_ms, step_ms=1_000, keeps=as_servers_keep_it)
        self._there = there
        self._sent: set[Action] = set()
        self._kept = KeptActions()

    def sync(self) -> None:
        own = {one for one in self.log if one.device == self.name}
        self.log |= {one for one in self._there if one not in {replace(mine, device="") for mine in own}}
        if shown(fold(self._there)) != shown(self.state):
            self._sent.clear()
        waiting = sorted(own - self._sent, key=lambda one: one.at)
        self._sent = own
        self._kept.learn_all(self._there)
        known = dict.fromkeys(range(len(waiting)), tuple(self.log))
        for _numbers, action in self._kept.merged(list(enumerate(waiting)), known)[0]:
            self._there[:] = [replace(as_servers_keep_it(action), device="")]


def shown(state: EpisodeState) -> tuple[bool, int]:
    return state.played, state.position_ms


@settings(max_examples=examples(6_000), deadline=None)
@given(
    st.lists(st.sampled_from([0, 0, 0, 5 * HOUR_MS, -7 * HOUR_MS]), min_size=2, max_size=3),
    st.sampled_from(["played", 9]),
    st.lists(st.tuples(st.integers(0, 2), _STEPS), max_size=12),
)
# One has missed that another went back after it had begun a played episode again, and a third one begins it again, too.
@example([0, 0, 0], "played", [(1, 2), (1, "sync"), (1, -1), (2, 1)])
@example([0, 0, 0], "played", [(1, 3), (1, "sync"), (2, "sync"), (1, -1), (1, "sync"), (0, "sync"), (0, -1)])
# One has missed the second mark, and has a position from before it, of which the one that begins again doesn't know.
@example(
    [0, 0, 0],
    "played",
    [(0, 2), (0, "sync"), (1, "sync"), (0, "played"), (0, "sync"), (2, "sync"), (2, 1), (2, "sync")],
)
@example([0, 0, 0], "played", [(1, 2), (1, "sync"), (1, "played"), (2, 1)])
@example([0, -7 * HOUR_MS, 0], "played", [(1, 2), (2, 1), (1, "sync"), (1, "played")])
@example(
    [0, 0, 0],
    9,
    [(0, 1), (1, "played"), (0, "sync"), (1, 1), (0, "played"), (1, "a day passes"), (2, "sync"), (1, 1)],
)
# Nobody has seen the second mark itself, because it was taken back, or the episode was begun again, before the sync.
@example([0, 0, 0], "played", [(0, 2), (0, "sync"), (0, "played"), (0, "unplayed"), (2, "sync"), (1, 1)])
@example([0, 0, 0], 2, [(1, 2), (1, "sync"), (1, "played"), (1, 1), (0, "a day passes"), (2, 1)])
@example(
    [0, 0, 0],
    2,
    [(0, 1), (1, "played"), (0, "sync"), (1, 1), (0, "played"), (0, 1), (1, "a day passes"), (2, "sync"), (1, 1)],
)
# Two mark it within the same second, by clocks that are wrong.
@example([0, -7 * HOUR_MS, -7 * HOUR_MS], "played", [(1, 2), (2, "played"), (2, 1), (1, "sync"), (1, "played")])
def test_devices_agree_whatever_each_has_missed(
    wrong: list[int], first: int | str, steps: list[tuple[int, int | str]]
) -> None:
    """At first they know that one has played the episode, or has heard so many minutes."""
    there: list[Action] = []
    devices = [Syncing(name, ms, there) for name, ms in zip(DEVICES, wrong, strict=False)]
    time = count(NOON, _MINUTE_MS)
    for number, step in ((0, first), (0, "all sync"), *steps):
        device, now = devices[number % len(devices)], next(time)
        played, position_ms = shown(device.state)
        if isinstance(step, int):
            to_ms = position_ms + step * _MINUTE_MS
            if to_ms > 0:
                device.listen(now, to_ms)
        elif step == "a day passes":
            time = count(now + DAY_MS, _MINUTE_MS)
        elif step == "played" or (step == "unplayed" and played):
            device.mark(now, played=step == "played")
        else:
            for one in devices if step == "all sync" else [device]:
                one.sync()
    for device in devices * 3:
        device.sync()
    assert len({shown(device.state) for device in devices}) == 1
