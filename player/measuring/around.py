"""The sound around a position, small enough to travel with it to other devices, which find it in their own bytes
(`player.sounds.placing`).

As text: base64 (RFC 4648, for URLs) of little-endian numbers of 32 bits. The first two are the position in ms, and how
many ms before it NEAR values of the fingerprint begin, which follow. Then come FAR values from FAR_MS before the
position, and as many from FAR_MS after it, or 0s where the episode has none.
"""

from array import array
from base64 import urlsafe_b64decode, urlsafe_b64encode

from msgspec import Struct

from player.library import Library
from player.measuring.kept_sounds import KeptSounds
from player.measuring.sound import VALUE_MS, Sound, in_file_order
from player.model.episode import EpisodeId

NEAR, FAR = 80, 32
FAR_MS = 120_000
_BEFORE = 24
"""So many of the near values begin before the position: what comes next counts more than what was heard."""
_NUMBERS = 2 + NEAR + 2 * FAR


class Around(Struct, frozen=True):
    """The near values begin `early_ms` before the position. The values far before and after it are empty if there are
    none."""

    position_ms: int
    early_ms: int
    near: "array[int]"
    before: "array[int]"
    after: "array[int]"


def around(sound: Sound, position_ms: int) -> str:
    """ "" if the episode is too short there to be recognised."""
    at = round(position_ms / VALUE_MS)
    first = max(0, min(at - _BEFORE, len(sound.values) - NEAR))
    near = sound.values[first : first + NEAR]
    early_ms = position_ms - sound.value_ms(first)
    if len(near) < NEAR or early_ms < 0:
        return ""
    parts = [array("I", [position_ms, early_ms]), near]
    for begin in far_values(position_ms):
        there = sound.values[begin : begin + FAR] if begin >= 0 else array("I")
        parts.append(there if len(there) == FAR else array("I", bytes(4 * FAR)))
    return urlsafe_b64encode(b"".join(in_file_order(part).tobytes() for part in parts)).decode()


def read(text: str) -> Around | None:
    """None for text that `around` didn't write."""
    try:
        data = urlsafe_b64decode(text.encode("ascii"))
    except ValueError:
        return None
    if len(data) != 4 * _NUMBERS or urlsafe_b64encode(data).decode() != text:
        return None
    numbers = in_file_order(array("I", data))
    values, far = numbers[2 : 2 + NEAR], (numbers[2 + NEAR : -FAR], numbers[-FAR:])
    before, after = (one if any(one) else array("I") for one in far)
    return Around(numbers[0], numbers[1], values, before, after)


def far_values(position_ms: int) -> tuple[int, int]:
    """With which values of the other device's bytes the far ones begin."""
    at, far = round(position_ms / VALUE_MS), round(FAR_MS / VALUE_MS)
    return at - far, at + far


class SoundsAround:
    """What goes to other devices with a position. Any thread; reads the disk."""

    def __init__(self, library: Library, kept: KeptSounds) -> None:
        self._library = library
        self._kept = kept

    def __call__(self, episode_id: EpisodeId, position_ms: int, audio: int) -> str:
        """The sound around a position in the audio with this number; "" if it isn't known. Raises LibraryError."""
        sound = self._kept.read(episode_id)
        if sound is None or self._library.audio.number(episode_id, sound.version) != audio:
            return ""
        return around(sound, position_ms)
