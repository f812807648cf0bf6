"""How loud an episode is, from its start to where its bytes are known."""

from msgspec import Struct

MOST_LEVELS = 2_000
"""Levels of one waveform."""


class Waveform(Struct, frozen=True):
    """`levels` has one byte for each `step_ms` of the episode: 0 is silence, 255 a full-scale tone.

    A level is the square root of the mean amplitude, so that quiet speech can be told from silence.
    """

    step_ms: int
    levels: bytes

    @property
    def known_ms(self) -> int:
        """How far it reaches."""
        return self.step_ms * len(self.levels)
