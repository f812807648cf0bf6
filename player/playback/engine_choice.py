"""Which engine makes the sound."""

from collections.abc import Callable

from player.playback.engine import Engine, EngineFactory, Listener
from player.playback.outputs import SoundOutput


def engine_factory(name: str, output: Callable[[], SoundOutput] = SoundOutput) -> EngineFactory:
    """The engine of that name (`vlc`, `silent`); its module, and libvlc, are loaded when it is first needed.

    `output` tells where the sound is to go.
    """

    def make(listener: Listener) -> Engine:
        if name == "silent":
            from player.playback.silent_engine import SilentEngine

            return SilentEngine(listener)
        from player.playback.vlc.engine import VlcEngine

        return VlcEngine(listener, output)

    return make
