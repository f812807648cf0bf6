"""Finds the sound around another device's position in the audio here."""

from array import array

from player.measuring.around import far_values, read
from player.measuring.sound import VALUE_MS, Sound
from player.sounds.matching import Run, edges_of, keys_of, occurrences

_MOST_INSERTED_MS = 300_000
"""The most that advertisements inserted between the position and the far values can take."""
_LEAST_MOVED_MS = 250
"""Offsets of fingerprints are exact only to one value: a smaller difference isn't a move."""


def shift_in(sound: Sound, text: str) -> int | None:
    """How many ms later the sound at the position is in this audio. If it has been cut out, but sound next to it
    hasn't, the position of the cut counts. 0 if it hasn't moved; None when in doubt.

    The near values may be those of an advertisement, which another download has in another place. So the far values,
    two minutes before or after, have to be found at about the same offset.
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
    """Where the values are in the episode; None if they aren't in it, or in more than one place."""
    found = occurrences(values, sound.values, keys_of(values)) if values else []
    return found[0] if len(found) == 1 else None
