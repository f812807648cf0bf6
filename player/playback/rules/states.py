"""Which playback state may follow which. A move that isn't listed is a bug, and raises."""

from collections.abc import Mapping

from player.model.playback import PlaybackState
from player.model.playback import PlaybackState as S

LEGAL: Mapping[PlaybackState, frozenset[PlaybackState]] = {
    # With an episode in hand that isn't loaded: back from the last session (PAUSED), or heard to its end (ENDED).
    S.STOPPED: frozenset({S.OPENING, S.PAUSED, S.ENDED}),
    S.OPENING: frozenset({S.PLAYING, S.PAUSED, S.ENDED, S.ERROR, S.STOPPED}),
    S.PLAYING: frozenset({S.PAUSED, S.BUFFERING, S.ENDED, S.ERROR, S.STOPPED}),
    # A seek while it waits for bytes opens it again at the new position.
    S.BUFFERING: frozenset({S.PLAYING, S.OPENING, S.PAUSED, S.ENDED, S.ERROR, S.STOPPED}),
    # PAUSED has the engine loaded (PLAYING follows) or not (OPENING); a device may vanish meanwhile (ERROR).
    S.PAUSED: frozenset({S.PLAYING, S.OPENING, S.ENDED, S.ERROR, S.STOPPED}),
    # A seek away from the end, or from where an error happened, waits there for `resume`.
    S.ENDED: frozenset({S.OPENING, S.PAUSED, S.STOPPED}),
    S.ERROR: frozenset({S.OPENING, S.PAUSED, S.STOPPED}),
}


class IllegalMove(RuntimeError):
    """A state followed one that it can't follow."""


def move(old: PlaybackState, new: PlaybackState) -> PlaybackState:
    """Returns `new` if it may follow `old`; staying in a state is always allowed. Raises IllegalMove."""
    if new is not old and new not in LEGAL[old]:
        raise IllegalMove(f"{old.value} -> {new.value}")
    return new
