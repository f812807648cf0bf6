"""Speech recognition by faster-whisper, in a process of its own that keeps the model. It fetches nothing."""

import os
import wave
from typing import Any

import msgspec

from player import regular_file

_models: dict[tuple[bytes, int], Any] = {}
"""The model that is loaded."""


def recognised(audio: bytes, model: bytes, language: str, threads: int) -> bytes:
    """The words in a WAV file, as JSON of the OpenAI form. Paths are in the encoding of the file system. Raises
    ImportError, OSError, and what faster-whisper raises for a model that it can't read."""
    import numpy

    with regular_file.opened(os.fsdecode(audio)) as file, wave.open(file) as sound:
        samples = numpy.frombuffer(sound.readframes(sound.getnframes()), numpy.int16)
    segments, info = _loaded(model, threads).transcribe(
        samples.astype(numpy.float32) / 32768,
        language=language or None,
        word_timestamps=True,
        vad_filter=True,  # in silence it makes words up
        condition_on_previous_text=False,  # with it, it repeats itself more often
    )
    told = {"language": info.language, "segments": [_told(one) for one in segments]}
    return msgspec.json.encode(told, enc_hook=float)  # times may be numpy's


def _told(one: Any) -> dict[str, Any]:
    """A segment. Its times are numpy's numbers."""
    words = [{"word": word.word, "start": float(word.start), "end": float(word.end)} for word in one.words or ()]
    return {"start": float(one.start), "end": float(one.end), "text": one.text, "words": words}


def _loaded(model: bytes, threads: int) -> Any:
    if (found := _models.get((model, threads))) is None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(threads)
        import faster_whisper

        found = faster_whisper.WhisperModel(os.fsdecode(model), device="cpu", compute_type="int8", cpu_threads=threads)
        _models.clear()
        _models[model, threads] = found
    return found
