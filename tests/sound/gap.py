"""The silence between an episode and the one after it, heard at the sink of a sound server."""

import time
from collections.abc import Callable
from typing import Protocol

import numpy as np

from tests.sound.sound_server import RATE, Recording, SoundServer

SECONDS = 8
"""How long the episodes are. Long enough to be sought in, short enough to end soon."""
FROM_MS = (SECONDS - 2) * 1000
_SETTLED_MS = 500
"""After a start or a jump the sound is steady for so long before anything is measured."""
_HEARD_S = 0.5
_LEAST = 0.01


class Wait(Protocol):
    def __call__(self, true: Callable[[], object], what: str, /) -> None:
        """Returns when it is true."""


def gap(sound: SoundServer, go: Callable[[], object], position: Callable[[], tuple[str, int]], wait: Wait) -> float:
    """The longest silence at the end of the episode that is played from `FROM_MS` by `go`, in seconds.

    `position`: what is playing, and its position in ms; "" for nothing.
    """
    with sound.recording() as recording:
        go()
        wait(lambda: position()[1] >= FROM_MS + _SETTLED_MS, "sound")
        last, since = position()[0], time.monotonic()
        wait(lambda: position()[0] not in ("", last) and position()[1] >= _SETTLED_MS, "the next episode")
        heard = time.monotonic() + _HEARD_S
        wait(lambda: time.monotonic() > heard, "its sound")
        return _silence(recording, since)


def _silence(recording: Recording, since: float) -> float:
    """The longest, in seconds."""
    samples, first = recording.samples()
    heard = np.flatnonzero(np.abs(samples[max(0, int((since - first) * RATE)) :]) > _LEAST)
    return float(np.max(np.diff(heard))) / RATE
