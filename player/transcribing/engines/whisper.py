"""faster-whisper, the extra earmark[whisper]: in a process of its own, which keeps the model from piece to piece."""

import logging
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from msgspec.structs import replace

from player.errors import TranscriptionError
from player.model.episode import Transcript
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes.python_child import with_pip
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.text.cleaning import clean_line
from player.text.durations import long_time
from player.text.sentences import _
from player.transcribing.engine import (
    MODEL_IS_KEPT_MS,
    Choice,
    EngineKind,
    Kept,
    Patience,
    cancelled,
    spoken,
    threads_of,
)
from player.transcribing.models import ctranslate2_model, ctranslate2_models
from player.transcribing.recognition import recognised
from player.transcribing.results import read_result

log = logging.getLogger(__name__)

_PACKAGE = "faster_whisper"
_MEMORY, _MEMORY_PER_BYTE = 3 << 30, 4
"""The address space that it may take, besides so much for each byte of the model."""
_IDLE_S = 120.0
_NICE = 19
_LINE = 200

_Recogniser = Sandbox[bytes, bytes, bytes, str, int]


class WhisperEngine:
    """Uses the model of the setting `model`, which is on this disk."""

    def __init__(self, settings: Transcribe) -> None:
        self._settings = settings
        self._patience = Patience()
        self._model = Path()
        self._recogniser: Kept[_Recogniser] = Kept(self._started, Sandbox.close)

    longest_ms = MODEL_IS_KEPT_MS

    @property
    def name(self) -> str:
        model = clean_line(Path(self._settings.model).name, 60)
        return f"faster-whisper, {model}" if model else "faster-whisper"

    def transcribe(self, audio: Path, length_ms: int, cancel: CancelToken) -> Transcript:
        self._model = self._found_model()
        with self._recogniser.used() as recogniser, self._patience.waiting(length_ms) as limit_s:
            try:
                body = recogniser.call(
                    os.fsencode(audio), os.fsencode(self._model), spoken(self._settings), threads_of(self._settings),
                    seconds=limit_s, cancel=cancel,
                )  # fmt: skip
            except SandboxError as error:
                log.info("faster-whisper: %s", error)
                raise _failed(error, limit_s) from error
        if (found := read_result(body, length_ms)) is None:
            raise TranscriptionError(_("{name} made something that isn't a transcript", name=self.name))
        return found

    def close(self) -> None:
        self._recogniser.close()

    def _found_model(self) -> Path:
        """The folder of the model. Raises TranscriptionError."""
        if find_spec(_PACKAGE) is None:
            raise TranscriptionError(_("faster-whisper isn't installed"), _install(), lasting=True)
        model = self._settings.model
        if found := ctranslate2_model(model):
            return found
        names = ", ".join(clean_line(name, 60) for name in ctranslate2_models())
        what = (
            _("There is no model “{model}” for faster-whisper on this disk", model=clean_line(model, _LINE))
            if model
            else _("There is no model for faster-whisper on this disk")
        )
        here = _("Set “transcribe.model” to one of these: {names}", names=names) if names else ""
        raise TranscriptionError(what, here or _get_model(), lasting=True)

    def _started(self) -> _Recogniser:
        size = (self._model / "model.bin").stat().st_size
        memory = _MEMORY + _MEMORY_PER_BYTE * size
        limit_s = self._patience.limit_s(0)
        return Sandbox(recognised, memory=memory, seconds=limit_s, nice=_NICE, idle_s=_IDLE_S)


def _failed(error: SandboxError, limit_s: float) -> TranscriptionError:
    if error.trouble is Trouble.STOPPED:
        return cancelled()
    smaller = _("A smaller model needs less.")
    if error.trouble is Trouble.MEMORY or "bad_alloc" in str(error):
        return TranscriptionError(_("faster-whisper ran out of memory"), smaller, lasting=True)
    if error.trouble is Trouble.LATE:
        took = long_time(round(limit_s * 1000))
        return TranscriptionError(_("faster-whisper wasn't done after {time}, and was ended", time=took), smaller)
    said = clean_line(str(error), _LINE)
    if said.startswith(("ImportError", "ModuleNotFoundError")):
        return TranscriptionError(
            _("faster-whisper can't be loaded: {problem}", problem=said), _install(), lasting=True
        )
    return TranscriptionError(_("faster-whisper failed: {problem}", problem=said), _("Try another model."))


def _install() -> str:
    return _("Install it: {command}", command=with_pip("earmark[whisper]"))


def _get_model() -> str:
    return _(
        "Download one, for example with: {command}",
        command=f"{sys.executable} -c \"import faster_whisper; faster_whisper.download_model('base')\"",
    )


def _found(settings: Transcribe, _network: NetworkLoop) -> Iterator[Choice]:
    if find_spec(_PACKAGE) is not None:
        for name in ctranslate2_models():
            title = f"faster-whisper, {clean_line(name, 60)}"
            yield Choice(title, replace(settings, model=name, engine="whisper"))


def _open(settings: Transcribe, _network: NetworkLoop, _login: Login) -> WhisperEngine:
    return WhisperEngine(settings)


ENGINE = EngineKind(lambda settings: settings.engine == "whisper", _open, _found)
