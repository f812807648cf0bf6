"""Finding a way to make transcripts on this computer, trying it on the built-in show, and saving it."""

import logging
import os
import tempfile
import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from player.configuration.changing import change
from player.errors import TranscriptionError
from player.measuring.measurement import Audio
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.text.durations import long_time
from player.text.sentences import _
from player.transcribing.engine import Choice, Engine
from player.transcribing.engines import engine_for, engine_kinds
from player.transcribing.pieces import Wanted, cut
from player.welcome import resource

log = logging.getLogger(__name__)

_SHOW, _LANGUAGE = ("1-press-play.opus", "2-find-your-way.opus", "3-make-it-yours.opus"), "en"
_WORDS_MS = 10_000
_PACES = ((10.0, 110_000), (60.0, 30_000))
"""How much audio the pace is measured with, in ms, by how many seconds those words took. They alone don't tell it: the
model had to be loaded, and Whisper takes as long for them as for half a minute."""
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
        show = b"".join(map(resource, _SHOW))  # a chain of Ogg streams is one, too
        cut(Audio(b"", (), None, show), Wanted(0, length_ms), os.fsencode(audio))
        began = time.monotonic()
        found = engine.transcribe(audio, length_ms, cancel)
        return " ".join(line.text for line in found.lines), time.monotonic() - began
