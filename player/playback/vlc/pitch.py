"""Keeps libvlc 3 from bending the pitch, by the audio delay that it is given and the messages it logs.

libvlc wants each block of sound at the moment its clock says. PulseAudio gets whatever is due within some 100 ms at
once (libvlc's pulse.c takes what is queued for latency), and time stretching holds 40 ms of a file back; so at the
start sound is early by some 10 ms, the decoder's first silence and, at another speed, 40 ms divided by the speed. A
device with a long latency makes it late. libvlc slows down sound that is 40 ms early and speeds up sound that is 60 ms
late (dec.c: 2 Hz more with each block, returning from halfway on), which bent the pitch by up to 1.5 % over 8 s. As
there is no picture to match, the clock's idea of the sound can be moved instead, by an audio delay.
"""

import re
from threading import Lock
from typing import Any

from player.media.formats.timeline import Timeline

_SILENT_FRAMES = {"mp3": 2, "aac": 1}
"""How many frames of a stream libvlc's decoders (mpg123, faad) read before their first sound."""

_RESERVE_US = 80_000
"""How much smaller than at the start the delay may become: the most that was measured, at half speed."""

_BENDS = re.compile(r"playback too (?:early|late) \((-?\d+)\): (?:up|down)-sampling")


class Tuning:
    """The audio delay of one start, and what it has to become. Any thread may call `bends` and `late_ms`."""

    def __init__(self, timeline: Timeline | None) -> None:
        """`timeline` belongs to the cut that is played."""
        # Rounded down: a block that is due before the start is dropped.
        self._start_ms = int(_SILENT_FRAMES[timeline.form] * timeline.frame_ms) if timeline else 0
        self._delay_us = -1000 * self._start_ms
        self._lock = Lock()
        self._early_us: int | None = None

    @property
    def option(self) -> str:
        """The initial delay, as an option of the media."""
        return f":audio-desync={-self._start_ms}"

    @property
    def least_us(self) -> int:
        """The smallest value that the delay will have.

        libvlc decodes ahead by as much as the delay of sound or of subtitles is negative: more and more, never less. So
        the subtitles' delay must have this value from the start; the sound's may then be anything above it.
        """
        return -1000 * self._start_ms - _RESERVE_US

    def bends(self, line: str) -> bool:
        """Reads a line of libvlc's log; True when libvlc begins to bend the pitch, and `delay_us` would stop it."""
        found = _BENDS.search(line)
        if found:
            with self._lock:
                self._early_us = -int(found[1])
        return found is not None

    def begin(self, player: Any) -> None:
        """Call this before libvlc opens the media. `player` is a media player of python-vlc's."""
        player.video_set_spu_delay(self.least_us)

    def follow(self, player: Any, speed: float = 1.0) -> None:
        """Sets the delay in libvlc if it has changed since the last call."""
        delay_us = self.delay_us(speed)
        if delay_us is not None:
            player.audio_set_delay(delay_us)

    def repeat(self, player: Any) -> None:
        """Sets the same delay once more, on any thread."""
        with self._lock:
            delay_us = self._delay_us
        player.audio_set_delay(delay_us)

    def delay_us(self, speed: float) -> int | None:
        """The delay with which sound is due when it is heard; None if nothing has changed since the last call."""
        with self._lock:
            early_us, self._early_us = self._early_us, None
        if early_us is None:
            return None
        self._delay_us = max(self.least_us, self._delay_us - round(early_us * speed))
        return self._delay_us

    @property
    def late_ms(self) -> int:
        """How much later than by libvlc's clock sound is heard, in ms of the episode."""
        return max(0, self._delay_us // 1000 + self._start_ms)
