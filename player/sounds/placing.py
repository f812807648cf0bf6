"""Where the sound around another device's position is in the bytes here."""

from array import array

from player.measuring.around import far_values, read
from player.measuring.sound import VALUE_MS, Sound
from player.sounds.matching import Run, edges_of, keys_of, occurrences

_MOST_INSERTED_MS = 300_000
"""Advertisements between the position and what is heard two minutes away take at most so much."""
_LEAST_MOVED_MS = 250
"""An offset of fingerprints is exact to a value. The same sound at nearly the same second hasn't moved."""


def shift_in(sound: Sound, text: str) -> int | None:
    """How much later, in ms, the sound of the position is in these bytes; where it is gone, but what adjoins it isn't,
    how much later that is. 0 if it hasn't moved; None when in doubt.

    What is around the position may be an advertisement, which another download has elsewhere: a surrounding of the
    episode, two minutes away, has to be found in agreement with it.
    """
    given = read(text)
    run = _only(given.near, sound) if given is not None else None
    if given is None or run is None:
        return None
    shift = run.offset * VALUE_MS - (given.position_ms - given.early_ms)
    others = [
        (found.offset - begin) * VALUE_MS
        for begin, values in zip(far_values(given.position_ms), (given.before, given.after), strict=True)
        if (found := _only(values, sound)) is not None
    ]
    is_surrounded = given.before or given.after
    if is_surrounded and not any(abs(other - shift) <= _MOST_INSERTED_MS for other in others):
        return None
    begins, ends = edges_of(given.near, sound.values, run)
    heard_ms: float = given.early_ms
    if begins is not None and heard_ms < begins:
        heard_ms = begins
    elif ends is not None and heard_ms > ends:
        heard_ms = ends
    moved = round(shift + heard_ms - given.early_ms)
    return 0 if abs(moved) < _LEAST_MOVED_MS else moved


def _only(values: "array[int]", sound: Sound) -> Run | None:
    """Where the values are in the episode; None if that is nowhere, or in more than one place."""
    found = occurrences(values, sound.values, keys_of(values)) if values else []
    return found[0] if len(found) == 1 else None
