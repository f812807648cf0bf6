"""A program of the listener's own, started anew for each piece: whisper.cpp, Whisper itself, or a script."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from player import regular_file
from player.errors import TranscriptionError
from player.model.episode import Transcript
from player.net.loop import NetworkLoop
from player.net.requester import Login
from player.processes import program_guard as guard
from player.processes.bounded_program import Outcome, run
from player.processes.threads import CancelToken
from player.programs import expanded, last_words, model_of, name_of, problem, trouble
from player.settings import Transcribe
from player.text.cleaning import clean_line
from player.text.sentences import _
from player.transcribing.engine import Choice, EngineKind, Patience, cancelled, spoken, threads_of
from player.transcribing.models import ctranslate2_models, openai_models, whisper_cpp_models
from player.transcribing.results import LARGEST, read_result

_WRITTEN = 1024**3
"""The most bytes of its files: some programs convert the audio first."""
_OUT = "words"
_ENDINGS = (".json", ".vtt", ".srt", "", ".txt")
"""The endings of results, the one that says most first. Only `{out}` itself may have none."""
_MOST_LOOKED_AT = 100
_MODEL_FILES = (".bin", ".gguf", ".pt")
_LINE = 200
_COLOUR = rb"\x1b\[[0-9;]*[A-Za-z]"


class CommandEngine:
    """Runs the program of the setting `command`."""

    def __init__(self, settings: Transcribe) -> None:
        self._settings = settings
        self._words = expanded(settings.command)
        self._program = clean_line(Path(self._words[0]).name, 60)
        self._model = model_of(self._words)
        self._patience = Patience()

    longest_ms = 600_000
    """The program loads its model for each piece."""

    @property
    def name(self) -> str:
        return name_of(self._words)

    def transcribe(self, audio: Path, length_ms: int, cancel: CancelToken) -> Transcript:
        self._check()
        try:
            with (
                self._patience.waiting(length_ms) as limit_s,
                tempfile.TemporaryDirectory(prefix="earmark-", ignore_cleanup_errors=True) as named,
            ):
                folder = Path(named)
                words = self._filled(audio, folder)
                outcome = run(words, folder, cancel, seconds=limit_s, printed=LARGEST, written=_WRITTEN)
                self._check_outcome(outcome, limit_s)
                return self._read(folder, re.sub(_COLOUR, b"", outcome.printed), length_ms)
        except OSError as error:
            raise self._failed(_("couldn't be started ({reason})", reason=error.strerror), lasting=True) from error

    def close(self) -> None:
        """The program ends with its piece."""

    # -- before -------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        if why := problem(self._settings.command[0]):
            what = _("The program that makes transcripts can't be run: {problem}", problem=why)
            raise TranscriptionError(what, _check_command(), lasting=True)
        if self._model.endswith(_MODEL_FILES) and self._model.startswith("/") and not Path(self._model).exists():
            path = clean_line(self._model, _LINE)
            raise self._failed(_("needs a model that isn't there: {path}", path=path), lasting=True)

    def _filled(self, audio: Path, folder: Path) -> list[str]:
        """The program's words with their places filled in."""
        places = {
            "{audio}": str(audio),
            "{out}": str(folder / _OUT),
            "{language}": spoken(self._settings) or "auto",
            "{threads}": str(threads_of(self._settings)),
        }
        words = self._words
        for place, value in places.items():
            words = [word.replace(place, value) for word in words]
        return words

    # -- after --------------------------------------------------------------------------------------------------

    def _check_outcome(self, outcome: Outcome, limit_s: float) -> None:
        if outcome.outcome == guard.STOPPED:
            raise cancelled()
        if what := trouble(outcome, limit_s):
            advices = {guard.LATE: _("A smaller model is faster."), guard.ENDED: last_words(outcome.errors)}
            advice = advices.get(outcome.outcome, "")
            raise self._failed(what, advice, lasting=outcome.outcome == guard.UNSTARTABLE)

    def _read(self, folder: Path, printed: bytes, length_ms: int) -> Transcript:
        try:
            bodies = [regular_file.read(path, LARGEST) for path in _results(folder)]
        except OSError as error:
            what = _("wrote a transcript that can't be read ({reason})", reason=error.strerror)
            raise self._failed(what) from error
        if not bodies and not printed:
            raise self._failed(_("wrote and printed nothing"))
        read = (read_result(body, length_ms) for body in bodies or [printed])
        found = [one for one in read if one is not None]
        if not found:
            raise self._failed(_("wrote something that isn't a transcript"))
        return next((one for one in found if one.lines), found[0])

    def _failed(self, what: str, advice: str = "", *, lasting: bool = False) -> TranscriptionError:
        return TranscriptionError(f"{self._program} {what}", advice or _check_command(), lasting=lasting)


def _check_command() -> str:
    return _("Check “transcribe.command”, or choose another way with: earmark transcribe --setup")


def _results(folder: Path) -> list[Path]:
    """The files that may be the result, those at `{out}` first; some programs make a folder of it."""
    found = [path for path in (*folder.glob("*"), *folder.glob("*/*"))[:_MOST_LOOKED_AT] if path.is_file()]
    named = {path: path.name.startswith(_OUT) or path.parent.name == _OUT for path in found}
    wanted = [path for path in found if path.suffix in _ENDINGS and (path.suffix or path.name == _OUT)]
    return sorted(wanted, key=lambda path: (not named[path], _ENDINGS.index(path.suffix)))


# -- what is on this computer -----------------------------------------------------------------------------------


def _found(settings: Transcribe, _network: NetworkLoop) -> Iterator[Choice]:
    """whisper.cpp (its program was called whisper-cpp before), whisper-ctranslate2 and Whisper, with the models that
    are on this disk."""
    for program, model, words in _commands():
        if shutil.which(program):
            title = f"{program}, {clean_line(model, 60)}"
            yield Choice(title, replace(settings, command=(program, *words), engine="command"))


def _commands() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Programs, their models and their arguments."""
    for program in ("whisper-cli", "whisper-cpp"):
        for file in whisper_cpp_models():
            words = ("-m", str(file), "-l", "{language}", "-t", "{threads}", "-np", "-ojf", "-of", "{out}", "{audio}")
            yield program, file.name, words
    output = ("--output_format", "json", "--word_timestamps", "True", "--threads", "{threads}", "--output_dir", "{out}")
    for name, folder in ctranslate2_models().items():
        yield "whisper-ctranslate2", name, ("{audio}", "--model_directory", str(folder), "--device", "cpu", *output)
    for file in openai_models():
        model = ("--model", file.stem, "--model_dir", str(file.parent), "--fp16", "False")
        yield "whisper", file.stem, ("{audio}", *model, *output)


def _open(settings: Transcribe, _network: NetworkLoop, _login: Login) -> CommandEngine:
    return CommandEngine(settings)


ENGINE = EngineKind(lambda settings: bool(settings.command), _open, _found)
