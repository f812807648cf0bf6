"""A fingerprint of the sound around a position. It is sent with the position to other devices, which find it in their
own audio (`player.sounds.placing`).

Its format is base64 (RFC 4648, URL-safe alphabet) of little-endian 32-bit integers: the position in ms; how many ms
before the position the next part begins; NEAR values of the fingerprint; FAR values from FAR_MS before the position;
FAR values from FAR_MS after it. Where the episode has no such sound, the FAR values are 0.
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
"""Near values that begin before the position. Most come after it: the sound to come matters more than the sound
heard."""
_NUMBERS = 2 + NEAR + 2 * FAR


class Around(Struct, frozen=True):
    """The near values begin `early_ms` before the position. `before` and `after` are the far values; empty if the
    episode has none."""

    position_ms: int
    early_ms: int
    near: "array[int]"
    before: "array[int]"
    after: "array[int]"


def around(sound: Sound, position_ms: int) -> str:
    """The fingerprint, in the format above; "" if too little of the episode is known there."""
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
    """Parses that format; None for any other text."""
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
    """The indexes, in the whole fingerprint, at which the far values before and after a position begin."""
    at, far = round(position_ms / VALUE_MS), round(FAR_MS / VALUE_MS)
    return at - far, at + far


class SoundsAround:
    """Finds the fingerprint to send with a position. Any thread; reads the disk."""

    def __init__(self, library: Library, kept: KeptSounds) -> None:
        self._library = library
        self._kept = kept

    def __call__(self, episode_id: EpisodeId, position_ms: int, audio: int) -> str:
        """The sound around a position in the audio with this number; "" if it isn't known. Raises LibraryError."""
        sound = self._kept.read(episode_id)
        if sound is None or self._library.audio.number(episode_id, sound.version) != audio:
            return ""
        return around(sound, position_ms)
