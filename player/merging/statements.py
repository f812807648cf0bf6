"""The parts of an action that count, without anything that can't be true."""

from collections.abc import Iterable
from typing import NamedTuple

from player.merging.clock import usable
from player.model.syncing import SEEN_PLAYED, Action, ActionKind

END_MS = 10_000
"""A listener who stops this near the end has heard the episode."""
DAY_MS = 86_400_000
LONGEST_MS = 240 * 3_600_000
"""Positions and lengths beyond this are nonsense."""


class Statement(NamedTuple):
    """An action reduced to what the rules look at; they sort in the order in which they are applied.

    `device` is "" if a target, such as Nextcloud, doesn't name it: no two unnamed devices are taken for the same.
    `knew_ms` is the furthest position that the device says it knew of, 0 unknown. `knew_played`: it says that it knew
    the episode as played. `is_mark`: it marks the episode as played. `begins`: it was played from the very start, by a
    device that doesn't say what it knew.
    """

    at: int
    device: str
    kind: ActionKind
    position_ms: int
    knew_ms: int
    knew_played: bool
    is_mark: bool
    begins: bool = False

    def knows(self, mark: "Statement") -> bool:
        """Whether the action can mean to begin the episode again after `mark`, which is earlier."""
        is_same = self.device == mark.device and self.device != ""
        return self.knew_played or self.begins or is_same or self.at - mark.at > DAY_MS


def statement(action: Action) -> Statement | None:
    """None if nothing in the action can be true.

    A length that the position is well beyond is wrong, and counts as unknown. A protocol without `seen_ms` says by
    `started_ms` that the listener went back: it is beyond the position, and at the very end or later after a played
    mark. Other apps only say that they played from the start, or that the episode is marked as not played, which
    listeners do when it is shown as played.
    """
    at, seen_ms = usable(action.at), action.seen_ms
    knew_played = seen_ms >= SEEN_PLAYED
    if action.kind is not ActionKind.PLAY:
        is_mark = action.kind is ActionKind.PLAYED
        knew_played = not is_mark and (knew_played or not seen_ms)
        return Statement(at, action.device, action.kind, 0, 0, knew_played, is_mark)
    position_ms = action.position_ms
    if not 0 <= position_ms <= LONGEST_MS:
        return None
    total_ms, started_ms = possible(action.total_ms), possible(action.started_ms)
    if position_ms and total_ms and abs(position_ms - total_ms) <= END_MS:
        return Statement(at, action.device, action.kind, position_ms, 0, False, True)
    begins = action.started_ms == 0 < position_ms and not seen_ms
    if started_ms <= position_ms:
        started_ms = 0
    knew_ms = possible(seen_ms - SEEN_PLAYED * knew_played)
    if position_ms < total_ms <= started_ms:
        knew_played, started_ms = True, started_ms - total_ms if position_ms else started_ms
    knew_ms = max(knew_ms, started_ms)
    return Statement(at, action.device, action.kind, position_ms, knew_ms, knew_played, False, begins)


def statements(actions: Iterable[Action]) -> list[Statement]:
    """Each statement once, in the order in which they are applied."""
    return sorted({one for one in map(statement, actions) if one is not None})


def possible(ms: int | None) -> int:
    """0 for an unknown position, and for a number that can't be one."""
    return ms if ms is not None and 0 < ms <= LONGEST_MS else 0
