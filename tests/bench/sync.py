"""Syncing 10,000 positions from one device to another. The servers run in this process; those of the tests that are
left out here search all they have for each action, which takes longer than anything that Earmark does.
"""

import time
from collections.abc import Callable

from tests.bench.table import ms, print_table
from tests.player.sync.simulation import MINUTE, World

_FEEDS, _EPISODES = 100, 100
_BAR_S = 5.0
_KINDS = ("folder", "gpodder", "opodsync")


def measure() -> None:
    rows = []
    for kind in _KINDS:
        sent, taken, nothing = _measured(kind)
        verdict = "holds" if max(sent, taken) < _BAR_S else "MISSED"
        rows.append((kind, ms(sent), ms(taken), ms(nothing), ms(_BAR_S), verdict))
    print_table(
        f"Syncing {_FEEDS * _EPISODES:,} positions",
        ("", "first round", "the other device", "nothing new", "bar", ""),
        rows,
    )


def _measured(kind: str) -> tuple[float, float, float]:
    """Seconds: until the first device has sent all, until the second has taken it, and the first one's next round."""
    world = World(kind)
    feeds = [f"https://example.org/{number}.xml" for number in range(_FEEDS)]
    try:
        laptop, phone = world.add(0), world.add(0)
        for device in (laptop, phone):
            for url in feeds:
                device.subscribe(url)
        world.published = dict.fromkeys(feeds, _EPISODES)
        laptop.refresh()
        phone.refresh()
        with laptop.library.transaction():
            for one in laptop.episodes().values():
                laptop.hear(one, 7 * MINUTE)
        world.ms += MINUTE
        times = _timed(laptop.sync), _timed(phone.sync), _timed(laptop.sync)
        if phone.state() != laptop.state():
            raise AssertionError("the two devices aren't equal")
        return times
    finally:
        world.close()


def _timed(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start
