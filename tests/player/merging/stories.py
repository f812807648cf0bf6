"""What devices may say of an episode, drawn by Hypothesis; and devices that listen, as Earmark does."""

from collections.abc import Callable

from hypothesis import strategies as st

from player.merging.clock import next_at
from player.merging.fold import fold, newest_at, seen_ms
from player.merging.statements import DAY_MS
from player.model.syncing import SEEN_PLAYED, Action, ActionKind, EpisodeName, EpisodeState

NAME = EpisodeName("https://example.org/feed", "https://example.org/1.mp3", "1")
NOON = 1_700_000_000_000
HOUR_MS = 3_600_000
TOTAL_MS = HOUR_MS
DEVICES = ("desktop", "laptop", "phone")

POSITIONS = st.sampled_from([0, 60_000, 120_000, 600_000, 1_200_000, 1_800_000, 3_000_000])
_WHEN = st.sampled_from([0, 1, 2, 1000, HOUR_MS, 20 * HOUR_MS, DAY_MS, DAY_MS + 1, 2 * DAY_MS, 3 * DAY_MS])
WHEN = st.builds(lambda base, more: NOON + base + more, _WHEN, st.integers(0, 3))
_NONSENSE = st.sampled_from([-1, -(10**18), 10**10, 10**30, SEEN_PLAYED, SEEN_PLAYED + 1])


def actions(*devices: str) -> st.SearchStrategy[Action]:
    """Also what no device of ours would say."""
    return st.builds(
        Action,
        st.just(NAME),
        st.sampled_from(devices or DEVICES),
        WHEN | st.sampled_from([0, -5, 10**16]),
        st.sampled_from([ActionKind.PLAY] * 4 + [ActionKind.PLAYED, ActionKind.UNPLAYED]),
        st.none() | POSITIONS | st.just(TOTAL_MS) | _NONSENSE,
        POSITIONS | st.just(TOTAL_MS - 5_000) | _NONSENSE,
        st.none() | st.just(TOTAL_MS) | _NONSENSE,
        POSITIONS | POSITIONS.map(SEEN_PLAYED.__add__) | _NONSENSE,
    )


def position(to_ms: int, device: str, at: int) -> Action:
    """Of an app that says nothing but the position."""
    return Action(NAME, device, at, ActionKind.PLAY, position_ms=to_ms)


class Device:
    """It knows what it has heard of, its clock is wrong, and its listener does what listeners do. `keeps` is what the
    target makes of an action."""

    def __init__(self, name: str, wrong_ms: int, step_ms: int = 1, keeps: "Keeps" = lambda action: action) -> None:
        self.name = name
        self.log: set[Action] = set()
        self._wrong_ms = wrong_ms
        self._step_ms = step_ms
        self._keeps = keeps

    @property
    def state(self) -> EpisodeState:
        return fold(self.log)

    def listen(self, now: int, to_ms: int) -> None:
        self._do(now, ActionKind.PLAY, to_ms)

    def mark(self, now: int, *, played: bool) -> None:
        self._do(now, ActionKind.PLAYED if played else ActionKind.UNPLAYED)

    def meet(self, other: "Device") -> None:
        self.log |= other.log
        other.log |= self.log

    def _do(self, now: int, kind: ActionKind, to_ms: int = 0) -> None:
        at = next_at(now + self._wrong_ms, newest_at(self.log), self._step_ms)
        seen = seen_ms(self.state)
        self.log.add(self._keeps(Action(NAME, self.name, at, kind, None, to_ms, TOTAL_MS, seen)))


Keeps = Callable[[Action], Action]
