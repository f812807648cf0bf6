"""A session as the desktop needs it, which also publishes what happens."""

import time
from concurrent.futures import Future

from player.events import Bus, Cause, PlaybackChanged, Seeked
from player.playback.outcomes import Outcome
from tests.player.integrations.fake_session import FakeSession


class DesktopSession(FakeSession):
    def __init__(self, bus: Bus | None = None, *, loaded: bool = True) -> None:
        super().__init__(loaded=loaded)
        self._bus = bus or Bus()

    def _become(self, command: str, value: float = 0, /, **changes: object) -> Future[Outcome]:
        before = self.status
        done = super()._become(command, value, measured_at=time.monotonic(), **changes)
        episode, after = before.episode, self.status
        if episode and before.position_ms != after.position_ms:
            self._bus.publish(Seeked(episode.id, before.position_ms, after.position_ms, Cause.PERSON))
        if before != after:
            self._bus.publish(PlaybackChanged(after))
        return done
