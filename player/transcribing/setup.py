"""Finding a way to make transcripts on this computer, trying it on the built-in show, and saving it."""

import io
import logging
import tempfile
import time
import wave
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from player.configuration.changing import change
from player.errors import TranscriptionError
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.text.durations import long_time
from player.text.sentences import _
from player.transcribing.engine import Choice, Engine
from player.transcribing.engines import engine_for, engine_kinds
from player.welcome import resource

log = logging.getLogger(__name__)

_SAMPLE, _LANGUAGE = "1-press-play.opus", "en"
_WORDS_MS = 10_000
_PACES = ((10.0, 120_000), (60.0, 30_000))
"""How much audio the pace is measured with, in ms, by how many seconds those words took. They alone don't tell it: the
model had to be loaded, and Whisper takes as long for them as for half a minute."""
_RATE = 16_000
_HOUR_MS = 3_600_000
_WRITTEN = ("command", "url", "model", "engine")


class Trial(Struct, frozen=True):
    """The words that were heard, and the `seconds` that so much audio took."""

    words: str
    seconds: float
    audio_ms: int

    @property
    def pace(self) -> str:
        hour_ms = round(self.seconds * 1000 * _HOUR_MS / self.audio_ms)
        return _("about {time} for an hour here", time=long_time(max(60_000, hour_ms)))


def choices(settings: Transcribe, network: NetworkLoop) -> list[Choice]:
    """The ways that are found, each as `settings` would be with it."""
    found: list[Choice] = []
    for name, kind in engine_kinds().items():
        try:
            found += kind.found(settings, network)
        except OSError as error:
            log.warning("looking for a %s that makes transcripts failed: %s", name, error)
    return found


def trial(choice: Choice, network: NetworkLoop, login: Login, cancel: CancelToken) -> Trial:
    """Listens to the beginning of the built-in show. Raises TranscriptionError, and OSError if there is no room for the
    audio."""
    engine = engine_for(replace(choice.settings, language=_LANGUAGE), network, login)
    if engine is None:
        raise TranscriptionError(_("Nothing that makes transcripts is set up"), lasting=True)
    try:
        words, seconds = _heard(engine, _WORDS_MS, cancel)
        if not words:
            raise TranscriptionError(_("{name} heard no words", name=engine.name), _("Try another model."))
        for most_s, length_ms in _PACES:
            if seconds <= most_s:
                return Trial(words, _heard(engine, length_ms, cancel)[1], length_ms)
        return Trial(words, seconds, _WORDS_MS)
    finally:
        engine.close()


def save(path: Path, choice: Choice) -> None:
    """Writes it to config.toml. Raises CantChange and CantSave."""
    for name in _WRITTEN:
        value = getattr(choice.settings, name)
        words = None if value == getattr(Transcribe(), name) else [value] if isinstance(value, str) else value
        change(path, f"transcribe.{name}", words)


def _heard(engine: Engine, length_ms: int, cancel: CancelToken) -> tuple[str, float]:
    """The words in so much of the show, and how many seconds it took."""
    with tempfile.TemporaryDirectory(prefix="earmark-", ignore_cleanup_errors=True) as folder:
        audio = Path(folder) / "sample.wav"
        _write_show(audio, length_ms)
        began = time.monotonic()
        found = engine.transcribe(audio, length_ms, cancel)
        return " ".join(line.text for line in found.lines), time.monotonic() - began


def _write_show(path: Path, length_ms: int) -> None:
    """Writes so much of the show to a WAV file, again from its beginning where it is too short. Raises OSError."""
    import av

    samples = bytearray()
    with av.open(io.BytesIO(resource(_SAMPLE)), "r") as container:
        resampler = av.AudioResampler("s16", "mono", _RATE)
        for frame in container.decode(audio=0):
            for made in resampler.resample(frame):
                samples += bytes(made.planes[0])[: 2 * made.samples]
    size = 2 * _RATE * length_ms // 1000
    with path.open("wb") as file, wave.open(file) as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(_RATE)
        out.writeframes(bytes(samples * (size // len(samples) + 1))[:size])
