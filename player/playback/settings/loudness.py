"""The listener's volume: set, muted, remembered."""

from player.playback.last_session import LOUDEST
from player.playback.saver import Remember, Saver
from player.playback.transport import Transport

_NORMAL = 100


class Loudness:
    """A percentage, from 0 to LOUDEST. Runs on the session's thread."""

    def __init__(self, transport: Transport, saver: Saver) -> None:
        self._transport = transport
        self._saver = saver
        self.unmuted = _NORMAL
        """What it is again after muting."""

    def set(self, volume: int) -> None:
        self._transport.set_volume(max(0, min(LOUDEST, volume)))
        self._saver.put(Remember("volume", str(self._transport.volume)))

    def mute(self) -> None:
        """Mutes, or restores the volume from before."""
        volume = self._transport.volume
        if volume:
            self.unmuted = volume
        self.set(0 if volume else self.unmuted)
