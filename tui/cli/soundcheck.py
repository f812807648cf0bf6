"""Loads libvlc and plays half a second of silence: `python -m tui.cli.soundcheck LANGUAGE`, in which it says what is
wrong.

Prints `{"version": "3.0.24 ..." | null, "what": the problem | null, "advice": ..., "missing": [...]}`, the latter the
filters that effects on the sound need and that aren't here. libvlc may crash this process.
"""

import io
import json
import sys
import wave
from queue import Empty, SimpleQueue

from player.errors import NoSoundDevice, NoSoundLibrary, PlaybackError
from player.media.built_in import BuiltInMedia
from player.paths import Paths
from player.playback.effects.chain import missing_filters
from player.playback.engine import EngineFailed, EngineReport, Finished, Ready
from player.playback.vlc.engine import VlcEngine
from player.playback.vlc.instance import version
from player.text.sentences import _, speak

_LENGTH_S = 0.5
_WAIT_S = 10.0
_RATE = 44_100


def silence() -> BuiltInMedia:
    """Half a second of silence, as a WAV file in memory."""
    made = io.BytesIO()
    with wave.open(made, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(_RATE)
        written.writeframes(bytes(2 * int(_RATE * _LENGTH_S)))
    return BuiltInMedia(made.getvalue())


def try_sound() -> None:
    """Raises PlaybackError when the silence wasn't played; NoSoundLibrary where there is no libvlc."""
    reports: SimpleQueue[EngineReport] = SimpleQueue()
    engine = VlcEngine(reports.put)
    try:
        engine.load(1, silence(), 0, speed=1.0, volume=0)
        while not isinstance(report := reports.get(timeout=_WAIT_S), Finished):
            if isinstance(report, EngineFailed):
                raise report.error
            if isinstance(report, Ready):
                engine.poll()
    except Empty:
        raise NoSoundDevice(_("The sound output accepts no sound"), _("Restart the sound server.")) from None
    finally:
        engine.close()


def main() -> int:
    speak(Paths.of().translations, environ={"LANGUAGE": "".join(sys.argv[1:2])})
    wrong: PlaybackError | None = None
    try:
        try_sound()
    except PlaybackError as error:
        wrong = error
    print(
        json.dumps(
            {
                "version": None if isinstance(wrong, NoSoundLibrary) else version(),
                "what": wrong.what if wrong else None,
                "advice": wrong.advice if wrong else "",
                "missing": missing_filters(),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
