"""The position that is heard right now, computed from an engine's rare ticks.

libvlc reports its time about every 0.3 s; each such tick is accurate to 0.05 s when it arrives (measured at a sound
server's sink). Between ticks the position advances at the current speed.
"""

from msgspec import Struct
from msgspec.structs import replace

_RUN_ON_MS = 1_000
"""How far libvlc has decoded ahead: without a tick, sound continues for that long at most before it runs dry."""

_DRY_MS, _DRY_MORE_MS = 680, 60
"""The same while libvlc waits for bytes: after its last tick 480 to 730 ms of the episode were heard at normal speed.

Up to 1,190 ms were heard at three times that (measured at the sink): the position shown stops within half a second of
the sound. This much more is added for each step of 1 in the speed.
"""

_EARLY_MS = 100
"""At twice the speed libvlc reports its time this much too early, and twice as much at three times the speed.

Its time stretching holds back samples that it counts as played (measured at the sink: 0.14 to 0.19 s at 2.0, up to 0.34
s at 3.0).
"""

_NEAR_MS = 3_000
_SEEK_TAKES_S = 2.0


class PositionClock(Struct, frozen=True):
    """`position_ms` was heard at `since` (monotonic, seconds); the clock either runs or stands still."""

    position_ms: int
    since: float
    speed: float = 1.0
    running: bool = False
    sought_at: float | None = None
    """When a seek was requested from which no tick has come yet."""

    @property
    def _early_ms(self) -> int:
        return int(_EARLY_MS * max(0.0, self.speed - 1.0))

    @property
    def _dry_ms(self) -> int:
        return _DRY_MS + int(_DRY_MORE_MS * max(0.0, self.speed - 1.0))

    def at(self, now: float, *, dry: bool = False) -> int:
        """`dry`: the engine is waiting for bytes, and may have sent its last tick."""
        if not self.running:
            return self.position_ms
        most = (self._dry_ms if dry else _RUN_ON_MS) + self._early_ms
        return self.position_ms + min(most, int(max(0.0, now - self.since) * 1000 * self.speed))

    def tick(self, position_ms: int, now: float) -> "PositionClock":
        """The engine reports `position_ms`.

        Right after a seek, ticks from before it may still arrive: they are ignored.
        """
        if self.sought_at is not None and now - self.sought_at <= _SEEK_TAKES_S:
            far = abs(position_ms - self.at(now)) > _NEAR_MS
            if far or not self.running:
                return self
        return PositionClock(max(0, position_ms - self._early_ms), now, self.speed, running=True)

    def hold(self, now: float, *, dry: bool = False) -> "PositionClock":
        return replace(self, position_ms=self.at(now, dry=dry), since=now, running=False)

    def run_dry(self, now: float) -> "PositionClock":
        """Stands still once nothing more arrives: what was held back is heard to its end."""
        if not self.running:
            return self.hold(now)
        heard = min(self.at(now) + self._early_ms, self.position_ms + self._dry_ms + self._early_ms)
        return replace(self.hold(now), position_ms=heard)

    def run(self, now: float) -> "PositionClock":
        """Sound is playing; after a seek, slightly later than the engine reports."""
        if self.running:
            return replace(self, position_ms=self.at(now), since=max(now, self.since))
        late_s = self._early_ms / 1000 / self.speed if self.sought_at is not None else 0.0
        return replace(self, since=now + late_s, running=True)

    def seek(self, position_ms: int, now: float) -> "PositionClock":
        """Stands still at the new position until sound comes from there."""
        return replace(self, position_ms=position_ms, since=now, running=False, sought_at=now)

    def with_speed(self, speed: float, now: float) -> "PositionClock":
        return replace(self, position_ms=self.at(now), since=now, speed=speed)
