"""Which engine makes the sound: one on this computer, or the one for devices on the network."""

from player.media.protocol import Media
from player.model.effects import NO_EFFECTS, Effects
from player.model.episode import BytePosition
from player.playback.casting.kinds import is_kind
from player.playback.engine import Engine, EngineFactory, Listener
from player.playback.outputs import OutputChoice


def engine_factory(name: str, output: OutputChoice) -> EngineFactory:
    """The engine of that name (`vlc`, `silent`), or a device while `output` is one. Their modules, and libvlc, are
    loaded when they are first needed."""

    def make(listener: Listener) -> Engine:
        if name == "silent":
            from player.playback.silent_engine import SilentEngine

            return EngineHereOrThere(SilentEngine(listener), listener, output)
        from player.playback.vlc.engine import VlcEngine

        return EngineHereOrThere(VlcEngine(listener, lambda: output.now), listener, output)

    return make


class EngineHereOrThere:
    """Plays `here`, or on the device that is the chosen output when an episode is loaded."""

    def __init__(self, here: Engine, listener: Listener, output: OutputChoice) -> None:
        self._here = self._now = here
        self._there: Engine | None = None
        self._listener = listener
        self._output = output

    def warm_up(self) -> None:
        if not is_kind(self._output.now.output):
            self._here.warm_up()

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,
        claimed_ms: int | None = None,
        title: str = "",
    ) -> None:
        chosen = self._made_there() if is_kind(self._output.now.output) else self._here
        if chosen is not self._now:
            self._now.stop()
            self._now = chosen
        chosen.load(
            generation, media, start_ms, speed=speed, volume=volume, nearby=nearby, claimed_ms=claimed_ms, title=title
        )

    def _made_there(self) -> Engine:
        if self._there is None:
            from player.playback.casting.cast_engine import CastEngine

            self._there = CastEngine(self._listener, self._output)
        return self._there

    def set_effects(self, effects: Effects) -> Effects:
        possible = self._here.set_effects(effects)
        return possible if self._now is self._here else NO_EFFECTS

    def close(self) -> None:
        try:
            if self._there is not None:
                self._there.close()
        finally:
            self._here.close()

    def pause(self) -> None:
        self._now.pause()

    def resume(self) -> None:
        self._now.resume()

    def stop(self) -> None:
        self._now.stop()

    def seek(self, position_ms: int) -> None:
        self._now.seek(position_ms)

    def set_speed(self, speed: float) -> None:
        self._now.set_speed(speed)

    def set_volume(self, volume: int) -> None:
        self._now.set_volume(volume)

    def position(self) -> int | None:
        return self._now.position()

    def byte_position(self) -> BytePosition | None:
        return self._now.byte_position()

    def poll(self) -> None:
        self._now.poll()
