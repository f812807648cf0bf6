"""The action by which this device reports a change of an episode. Pure."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from player.library.syncing.names_here import EpisodeHere, LastSpan
from player.merging.clock import LATEST, next_at
from player.merging.fold import newest_at, seen_ms
from player.merging.seconds import told_apart
from player.merging.statements import END_MS
from player.model.syncing import Action, ActionKind, EpisodeName, EpisodeState

SAME_MS = 1_000
"""Positions that differ by less are the same: servers store whole seconds."""
_MOST_A_SECOND = 500
"""gpodder.net returns 1,000 actions at a time and goes on by their seconds: of more than that within one second, no
device ever gets the rest."""


class Device(NamedTuple):
    """This device. `step_ms` 1000: its actions go to a server, which stores whole seconds; `seconds` then counts its
    actions in each second. `has_facts`: whether it reports facts, too."""

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
    """None if other devices know the state already. `known` are all actions about the episode, `seen` is the state that
    the listener knew of. `played_at`: when its mark was set or removed, in ms since 1970; 0 if that isn't known, None
    if it wasn't changed."""
    made = _made(here, played_at, seen, span, now)
    if made is None:
        return None
    kind, at, position_ms, started_ms = made
    at = _apart(next_at(min(at, now, LATEST - 1), newest_at(known), device.step_ms), device)
    action = Action(name, device.id, at, kind, started_ms, position_ms, here.total_ms, seen_ms(seen))
    return told_apart(action, known) if device.step_ms > 1 else action


def _apart(at: int, device: Device) -> int:
    """A little later, if the device already has enough actions in that second."""
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
        # Played before there was an account: dated when it was last heard, else when it was published.
        return ActionKind.PLAYED, played_at or (span.ended_at if span else here.sort), 0, None
    position_ms = short_of_end(here.position_ms, here.total_ms)
    if position_ms < SAME_MS:
        if not seen.played and seen.position_ms < SAME_MS:
            return None
        return ActionKind.UNPLAYED, played_at or now, 0, None
    if not seen.played and abs(position_ms - seen.position_ms) < SAME_MS:
        return None
    saved_at = here.saved_at or 0
    # If removing the mark restored a position, the position has the time of that removal.
    at = max(saved_at, played_at or 0) if seen.played else saved_at
    started_ms = span.start_of(here.position_ms) if span else None
    # Starting from 0 would mean that it was begun again, though nobody here may have known that it was played.
    return ActionKind.PLAY, at, position_ms, None if started_ms is None else max(SAME_MS, started_ms)


def short_of_end(position_ms: int, total_ms: int | None) -> int:
    """A listener who stopped just before the end, without hearing it out, must not count as having finished."""
    return min(position_ms, max(0, total_ms - END_MS - SAME_MS)) if total_ms else position_ms
