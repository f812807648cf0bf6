"""The engine around faster-whisper: here with a package of that name that does what the test wants of it. The real one
is in test_real_whisper.py."""

import sys
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.errors import TranscriptionError
from player.model.episode import SpokenWord, TranscriptLine
from player.processes.threads import CancelToken, on_own_thread
from player.settings import Transcribe
from player.transcribing.engine import Patience
from player.transcribing.engines.whisper import ENGINE, WhisperEngine
from tests.player.transcribing.engines.ending import is_gone, wait_until
from tests.player.transcribing.test_models import make_model

INSTALL = f"{sys.executable} -m pip install 'earmark[whisper]'"
_PACKAGE = """
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace as Made


class WhisperModel:
    made = 0

    def __init__(self, folder, device, compute_type, cpu_threads):
        WhisperModel.made += 1
        self.folder, self.threads = Path(folder), cpu_threads

    def transcribe(self, samples, language, word_timestamps, vad_filter, condition_on_previous_text):
        segments = getattr(self, (self.folder / "config.json").read_text().replace(" ", "_"))(samples)
        return segments, Made(language=language or "en")

    def words(self, samples):
        said = [(0.5, "Good"), (0.9, "day.")]
        words = [Made(word=f" {word}", start=start, end=start + 0.4) for start, word in said]
        yield Made(start=0.5, end=1.3, text=" Good day.", words=words)

    def circumstances(self, samples):
        offline = os.environ["HF_HUB_OFFLINE"]
        told = f"{len(samples)} of {samples.max():.1f}, {self.threads} threads, offline {offline}, nice {os.nice(0)}"
        yield Made(start=0, end=1, text=f"{told}, model {WhisperModel.made}", words=None)

    def silence(self, samples):
        yield from ()

    def loop(self, samples):
        for one in range(100):
            yield Made(start=one / 100, end=one / 100, text="Thank you.", words=None)

    def crash(self, samples):
        os.kill(os.getpid(), signal.SIGSEGV)

    def error(self, samples):
        raise RuntimeError("\\x1b[31mno such tensor")

    def import_error(self, samples):
        raise ImportError("no requests")

    def no_memory(self, samples):
        return [bytearray(1 << 50)]

    def bad_alloc(self, samples):
        raise RuntimeError("std::bad_alloc")

    def hanging(self, samples):
        (self.folder / f"pid-{os.getpid()}").touch()
        time.sleep(3600)
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where packages are installed: faster_whisper, for this process and those that it starts."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "faster_whisper.py").write_text(_PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    path = tmp_path / "piece.wav"
    with path.open("wb") as file, wave.open(file) as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(16_000)
        out.writeframes(b"\x00\x40" * 32_000)
    return path


Make = Callable[..., WhisperEngine]


@pytest.fixture
def make(site: Path) -> Iterator[Make]:
    """An engine with a model that makes it do that."""
    made: list[WhisperEngine] = []

    def engine(what: str, **settings: object) -> WhisperEngine:
        (make_model(site / what.replace(" ", "-")) / "config.json").write_text(what)
        chosen = Transcribe(engine="whisper", model=what.replace(" ", "-"), **settings)  # type: ignore[arg-type]
        made.append(WhisperEngine(chosen))
        return made[-1]

    yield engine
    for one in made:
        one.close()


def failure(engine: WhisperEngine, wav: Path) -> TranscriptionError:
    with pytest.raises(TranscriptionError) as caught:
        engine.transcribe(wav, 2000, CancelToken())
    return caught.value


def test_sentences_and_words_are_read(make: Make, wav: Path) -> None:
    engine = make("words", language="de-AT")
    found = engine.transcribe(wav, 2000, CancelToken())
    assert found.lines == (TranscriptLine("Good day.", 500, 1300, words=(SpokenWord(0, 500), SpokenWord(5, 900))),)
    assert found.language == "de"
    assert engine.name == "faster-whisper, words"


def test_the_model_is_loaded_once_at_the_lowest_priority_and_with_no_network(make: Make, wav: Path) -> None:
    engine = make("circumstances", threads=3)
    for _piece in range(2):
        (line,) = engine.transcribe(wav, 2000, CancelToken()).lines
        assert line.text == "32000 of 0.5, 3 threads, offline 1, nice 19, model 1"


def test_silence_is_no_error_and_a_loop_is_short(make: Make, wav: Path) -> None:
    assert make("silence").transcribe(wav, 2000, CancelToken()).lines == ()
    assert 1 <= len(make("loop").transcribe(wav, 2000, CancelToken()).lines) <= 3


@pytest.mark.parametrize(
    ("what", "sentence", "lasting"),
    [
        ("crash", "faster-whisper failed: its process ended: signal 11. Try another model.", False),
        ("error", "faster-whisper failed: RuntimeError: [31mno such tensor. Try another model.", False),
        (
            "import error",
            f"faster-whisper can't be loaded: ImportError: no requests. Install it: {INSTALL}",
            True,
        ),
        ("no memory", "faster-whisper ran out of memory. A smaller model needs less.", True),
        ("bad alloc", "faster-whisper ran out of memory. A smaller model needs less.", True),
    ],
)
def test_a_fault_is_a_sentence_and_the_next_piece_may_succeed(
    make: Make, wav: Path, what: str, sentence: str, lasting: bool
) -> None:
    engine = make(what)
    for _piece in range(2):
        error = failure(engine, wav)
        assert (str(error), error.lasting) == (sentence, lasting)


def test_one_that_hangs_is_ended(make: Make, wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience, "_ANYWAY_S", 1.0)
    monkeypatch.setattr(Patience, "_FIRST", 0.0)
    assert failure(make("hanging"), wav).what == "faster-whisper wasn't done after < 1 min, and was ended"


def test_cancelling_ends_it_at_once(make: Make, site: Path, wav: Path) -> None:
    cancel = CancelToken()
    running = on_own_thread(lambda: make("hanging").transcribe(wav, 2000, cancel), "piece")
    wait_until(lambda: list(site.glob("hanging/pid-*")))
    (pid,) = site.glob("hanging/pid-*")
    cancel.set()
    with pytest.raises(TranscriptionError, match="Making the transcript was stopped"):
        running.result(20)
    wait_until(lambda: is_gone(int(pid.name.removeprefix("pid-"))))


def test_cancelled_before_it_begins_it_ends_too(make: Make, wav: Path) -> None:
    cancel = CancelToken()
    cancel.set()
    with pytest.raises(TranscriptionError, match="Making the transcript was stopped"):
        make("hanging").transcribe(wav, 2000, cancel)


def test_without_the_package_the_sentence_says_how_to_get_it(
    wav: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.transcribing.engines.whisper.find_spec", lambda _name: None)
    engine = WhisperEngine(Transcribe(engine="whisper", model="tiny"))
    error = failure(engine, wav)
    assert str(error) == f"faster-whisper isn't installed. Install it: {INSTALL}"
    assert error.lasting


def test_without_the_model_the_sentence_says_which_there_are(make: Make, wav: Path, site: Path) -> None:
    engine = WhisperEngine(Transcribe(engine="whisper", model="tiny"))
    error = failure(engine, wav)
    assert str(error).startswith("There is no model “tiny” for faster-whisper on this disk. Download one, for example")
    assert "download_model('base')" in error.advice
    assert error.lasting
    make("words")
    assert failure(engine, wav).advice == "Set “transcribe.model” to one of these: words"
    assert failure(WhisperEngine(Transcribe(engine="whisper", model=str(site))), wav).lasting


def test_its_models_are_found(make: Make, site: Path) -> None:
    make("words")
    before = Transcribe(command=("hark", "{audio}"), threads=2)
    (choice,) = ENGINE.found(before, None)  # type: ignore[arg-type]  # it asks nobody
    assert choice.title == "faster-whisper, words"
    assert choice.settings == Transcribe(("hark", "{audio}"), model="words", engine="whisper", threads=2)
