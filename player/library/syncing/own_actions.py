"""What this device says of an episode that was changed here. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from player.library.syncing.episodes_here import EpisodeHere, LastSpan
from player.merging.clock import LATEST, next_at
from player.merging.fold import newest_at, seen_ms
from player.merging.seconds import told_apart
from player.merging.statements import END_MS
from player.model.syncing import Action, ActionKind, EpisodeName, EpisodeState

SAME_MS = 1_000
"""Positions that are less apart are the same: servers keep seconds."""
_MOST_A_SECOND = 500
"""gpodder.net answers with 1,000 actions at a time and goes by their seconds: what is beyond that in one second, nobody
ever gets."""


class Device(NamedTuple):
    """This one. `step_ms` 1000: what it says goes to a server, which keeps whole seconds; `seconds` then counts what
    it says in each. `has_facts`: whether it says facts, too."""

    id: str
    step_ms: int = 1
    seconds: Counter[int] | None = None
    has_facts: bool = True


def own_action(
    here: EpisodeHere,
    name: EpisodeName,
    played_at: int | None,
    known: Sequence[Action],
    seen: EpisodeState,
    span: LastSpan | None,
    device: Device,
    now: int,
) -> Action | None:
    """None where others know it already. `known` are all actions about the episode, `seen` is what the listener knew of
    them. `played_at`: when its mark was set or removed, in ms since 1970; 0 if nobody knows, None if it wasn't."""
    made = _made(here, played_at, seen, span, now)
    if made is None:
        return None
    kind, at, position_ms, started_ms = made
    at = _apart(next_at(min(at, now, LATEST - 1), newest_at(known), device.step_ms), device)
    action = Action(name, device.id, at, kind, started_ms, position_ms, here.total_ms, seen_ms(seen))
    return told_apart(action, known) if device.step_ms > 1 else action


def _apart(at: int, device: Device) -> int:
    """A little later, if the device already says enough in that second."""
    if device.seconds is None:
        return at
    while device.seconds[at] >= _MOST_A_SECOND:
        at += device.step_ms
    device.seconds[at] += 1
    return at


def _made(
    here: EpisodeHere, played_at: int | None, seen: EpisodeState, span: LastSpan | None, now: int
) -> tuple[ActionKind, int, int, int | None] | None:
    """Kind, time, position, and where the listening began."""
    if here.played:
        if seen.played and not played_at:
            return None
        # Played before there was an account: when it was heard last, else when it came out.
        return ActionKind.PLAYED, played_at or (span.ended_at if span else here.sort), 0, None
    position_ms = short_of_end(here.position_ms, here.total_ms)
    if position_ms < SAME_MS:
        if not seen.played and seen.position_ms < SAME_MS:
            return None
        return ActionKind.UNPLAYED, played_at or now, 0, None
    if not seen.played and abs(position_ms - seen.position_ms) < SAME_MS:
        return None
    saved_at = here.saved_at or 0
    # A position that came back as the mark was taken away is of that moment.
    at = max(saved_at, played_at or 0) if seen.played else saved_at
    started_ms = span.start_of(here.position_ms) if span else None
    # From 0 on it would be begun anew, though nobody here may have known that it is played.
    return ActionKind.PLAY, at, position_ms, None if started_ms is None else max(SAME_MS, started_ms)


def short_of_end(position_ms: int, total_ms: int | None) -> int:
    """Who stopped just before the end, and didn't hear it out, isn't to be taken for one who has."""
    return min(position_ms, max(0, total_ms - END_MS - SAME_MS)) if total_ms else position_ms
