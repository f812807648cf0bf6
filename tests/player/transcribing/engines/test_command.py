"""The listener's own program: what it writes is read, whatever it does is a sentence, and nothing of it stays."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from player.errors import TranscriptionError
from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.processes.threads import CancelToken, on_own_thread
from player.settings import Transcribe
from player.transcribing.engine import Patience
from player.transcribing.engines import command
from player.transcribing.engines.command import CommandEngine
from tests.player.transcribing.engines import odd_program
from tests.player.transcribing.engines.ending import is_gone, wait_until

_PROGRAM = str(Path(odd_program.__file__))
_GOOD_DAY = TranscriptLine("Good day.", 1000, 2500)


def engine(what: str, **more: object) -> CommandEngine:
    words = (sys.executable, _PROGRAM, what, "{audio}", "{out}", "{language}", "{threads}")
    return CommandEngine(Transcribe(command=words, **more))  # type: ignore[arg-type]


def words_of(what: str, length_ms: int = 30_000, **more: object) -> Transcript:
    return engine(what, **more).transcribe(Path("/somewhere/clip.wav"), length_ms, CancelToken())


def failure(call: Callable[[], object]) -> TranscriptionError:
    with pytest.raises(TranscriptionError) as caught:
        call()
    return caught.value


@pytest.fixture
def pid_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a program that hangs writes its number."""
    monkeypatch.setenv("ODD_PID", str(tmp_path / "pid"))
    return tmp_path / "pid"


# -- results --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["vtt", "srt", "without ending", "in a folder", "printed"])
def test_captions_are_read_from_wherever_it_writes_them(what: str) -> None:
    assert words_of(what) == Transcript((_GOOD_DAY,))


def test_the_json_of_whisper_cpp_brings_words_and_the_language() -> None:
    line = TranscriptLine("Guten Tag.", 500, 2000, words=(SpokenWord(0, 500), SpokenWord(6, 900)))
    assert words_of("json") == Transcript((line,), "de")


def test_a_text_without_times_lasts_as_long_as_the_piece() -> None:
    assert words_of("txt", 7_000).lines == (TranscriptLine("Good day.", 0, 7_000),)


def test_control_characters_and_colours_are_cleaned() -> None:
    assert [line.text for line in words_of("control characters").lines] == ["Good day."]


@pytest.mark.parametrize("what", ["silence", "an empty file", "blank audio"])
def test_where_nothing_is_said_there_are_no_lines(what: str) -> None:
    assert words_of(what).lines == ()


def test_its_places_are_filled_and_it_runs_in_a_folder_of_its_own_at_the_lowest_priority() -> None:
    (line,) = words_of("arguments", language="pt-BR", threads=3).lines
    assert line.text == "clip.wav pt 3 nice 19 read 0 inside"
    (line,) = words_of("arguments", threads=1).lines
    assert line.text.startswith("clip.wav auto 1 ")


def test_it_is_named_by_its_program_and_model(own_home: Path) -> None:
    named = CommandEngine(Transcribe(command=("~/bin/whisper-cli", "-m", "~/models/ggml-tiny.en.bin", "{audio}")))
    assert named.name == "whisper-cli, ggml-tiny.en.bin"
    assert CommandEngine(Transcribe(command=("hark", "--model=small", "{audio}"))).name == "hark, small"
    assert CommandEngine(Transcribe(command=("hark", "{audio}"))).name == "hark"


# -- faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("nothing", "wrote and printed nothing."),
        ("garbage", "wrote something that isn't a transcript."),
        ("a web page", "wrote something that isn't a transcript."),
        ("half of it", "wrote something that isn't a transcript."),
        ("a pipe", "wrote and printed nothing."),
        ("far too much", "wrote a transcript that can't be read (File too large)."),
        ("failure", "exited with 3. It said: error: no such model"),
        ("a crash", "was ended by signal 11."),
    ],
)
def test_a_piece_that_fails_is_a_sentence_and_the_next_may_succeed(what: str, sentence: str) -> None:
    error = failure(lambda: words_of(what))
    assert str(error).startswith(f"{Path(sys.executable).name} {sentence}")
    assert "earmark transcribe --setup" in error.advice or "It said" in error.advice
    assert not error.lasting


@pytest.mark.parametrize("what", ["printing without end", "complaining without end"])
def test_a_program_that_prints_for_ever_is_ended(what: str) -> None:
    assert failure(lambda: words_of(what)).what.endswith("printed without end, and was ended")


@pytest.mark.parametrize("what", ["filling the disk", "making files without end"])
def test_a_program_that_writes_for_ever_is_ended_and_its_files_go(
    what: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(command, "_WRITTEN", 8 << 20)
    assert failure(lambda: words_of(what)).what.endswith("wrote too much into its folder, and was ended")
    assert list(tmp_path.glob("earmark-*")) == []


def test_a_program_that_hangs_is_ended_and_the_sentence_says_after_how_long(
    pid_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patience, "_ANYWAY_S", 1.0)
    monkeypatch.setattr(Patience, "_FIRST", 0.0)
    error = failure(lambda: words_of("hanging"))
    assert error.what.endswith("wasn't done after < 1 min, and was ended")


def test_what_can_never_work_is_lasting(tmp_path: Path) -> None:
    def lasting(*words: str) -> str:
        error = failure(
            lambda: CommandEngine(Transcribe(command=words)).transcribe(tmp_path / "x.wav", 1000, CancelToken())
        )
        assert error.lasting
        return error.what

    assert lasting("no-such-program", "{audio}").endswith("can't be run: there is no program “no-such-program”.")
    data = tmp_path / "data"
    data.touch()
    assert lasting(str(data), "{audio}").endswith(f"{data} isn't executable. Run: chmod +x {data}")
    data.chmod(0o700)
    data.write_bytes(b"\x7fELF")
    assert lasting(str(data), "{audio}") == "data couldn't be started (Exec format error)"
    model = tmp_path / "ggml-none.bin"
    assert lasting("sh", "-m", str(model), "{audio}") == f"sh needs a model that isn't there: {model}"


# -- ending it ------------------------------------------------------------------------------------------------


def test_cancelling_ends_it_with_everything_that_it_has_started(pid_file: Path, tmp_path: Path) -> None:
    cancel = CancelToken()
    running = on_own_thread(lambda: engine("grandchildren").transcribe(tmp_path / "x.wav", 1000, cancel), "piece")
    wait_until(pid_file.exists)
    cancel.set()
    assert str(failure(lambda: running.result(20))) == "Making the transcript was stopped."
    wait_until(lambda: is_gone(int(pid_file.read_text())))


def test_cancelled_before_it_begins_it_writes_nothing(tmp_path: Path) -> None:
    cancel = CancelToken()
    cancel.set()
    error = failure(lambda: engine("hanging").transcribe(tmp_path / "x.wav", 1000, cancel))
    assert error.what == "Making the transcript was stopped"


def test_it_never_outlives_an_earmark_that_is_killed(pid_file: Path) -> None:
    script = (
        "from pathlib import Path; from player.processes.threads import CancelToken;"
        "from tests.player.transcribing.engines.test_command import engine;"
        "engine('grandchildren').transcribe(Path('x.wav'), 1000, CancelToken())"
    )
    with subprocess.Popen([sys.executable, "-c", script]) as earmark:
        wait_until(pid_file.exists)
        os.kill(earmark.pid, signal.SIGKILL)
    wait_until(lambda: is_gone(int(pid_file.read_text())))


# -- patience -------------------------------------------------------------------------------------------------


def test_patience_begins_at_a_minute_a_second_and_then_follows_the_engine() -> None:
    patience = Patience()
    assert patience.limit_s(60_000) == 120 + 60 * 60
    patience.took(60_000, 30)
    assert patience.limit_s(60_000) == 120 + 60 * 10
    patience.took(60_000, 6)
    assert patience.limit_s(600_000) == 120 + 600 * 10


def test_after_silence_patience_is_enough_for_speech() -> None:
    patience = Patience()
    patience.took(60_000, 0.01)
    assert patience.limit_s(600_000) == 120 + 600 * 3


def test_a_piece_that_fails_or_is_cancelled_says_nothing_of_the_pace_and_one_that_is_late_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moments = iter((0.0, 5.0, 0.0, 9.0, 0.0, 720.0))
    monkeypatch.setattr("player.transcribing.engine.time", SimpleNamespace(monotonic=lambda: next(moments)))
    patience = Patience()
    with pytest.raises(TranscriptionError), patience.waiting(60_000):
        raise TranscriptionError("It failed")
    assert patience.limit_s(60_000) == 120 + 60 * 60
    with patience.waiting(60_000):
        pass
    assert patience.limit_s(60_000) == 120 + 60 * 3
    with pytest.raises(TranscriptionError), patience.waiting(60_000):
        raise TranscriptionError("It was late")
    assert patience.limit_s(60_000) == 120 + 60 * 60
