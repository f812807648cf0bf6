"""Programs of the listener's own in config.toml: how they are written, found, checked and named, and how they ended."""

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from player.processes import program_guard
from player.processes.bounded_program import Outcome
from player.text.cleaning import clean_line
from player.text.durations import long_time
from player.text.sentences import _

_MODEL = ("-m", "--model")
_COLOUR = r"\x1b\[[0-9;]*[A-Za-z]"
_LINE = 200


def expanded(words: Sequence[str]) -> list[str]:
    """The words, with a leading `~` replaced by the home folder."""
    return [os.path.expanduser(word) if word == "~" or word.startswith("~/") else word for word in words]  # noqa: PTH111


def problem(program: str) -> str:
    """Why the program can't be run; "" if no reason is found."""
    if "/" not in program:
        return "" if shutil.which(program) else _("there is no program “{name}”.", name=program)
    path = Path(expanded([program])[0])
    try:
        if path.is_dir():
            return _("{path} is a folder.", path=program)
        if not path.exists():
            return _("{path} doesn't exist.", path=program)
    except OSError as error:
        return _("{path} can't be read ({reason}).", path=program, reason=error.strerror)
    if not os.access(path, os.X_OK):
        return _("{path} isn't executable. Run: chmod +x {path}", path=program)
    return ""


def ending(code: int) -> str:
    """How a program with that exit code ended, to follow its name in a sentence."""
    return _("was ended by signal {n}", n=-code) if code < 0 else _("exited with {code}", code=code)


def trouble(ended: Outcome, limit_s: float) -> str:
    """What went wrong in a run of at most `limit_s`, to follow the program's name in a sentence; "" for nothing, and if
    the program was stopped."""
    match ended.outcome:
        case program_guard.UNSTARTABLE:
            return _("couldn't be started ({reason})", reason=clean_line(ended.errors, _LINE))
        case program_guard.LATE:
            return _("wasn't done after {time}, and was ended", time=long_time(round(limit_s * 1000)))
        case program_guard.FLOOD:
            return _("printed without end, and was ended")
        case program_guard.FULL:
            return _("wrote too much into its folder, and was ended")
        case program_guard.ENDED if ended.code != 0:
            return ending(ended.code or 0)
        case _:
            return ""


def last_words(errors: str) -> str:
    """A sentence with the last line of what a program has written to its standard error; "" if that is empty."""
    lines = [line for line in re.sub(_COLOUR, "", errors).splitlines() if line.strip()]
    return _("It said: {errors}", errors=clean_line(lines[-1], _LINE)) if lines else ""


def name_of(words: Sequence[str]) -> str:
    """The program and the model that it is told to use, if any, for people: `whisper-cli, ggml-tiny.en.bin`."""
    program, model = clean_line(Path(words[0]).name, 60), model_of(words)
    return f"{program}, {clean_line(Path(model).name, 60)}" if model else program


def model_of(words: Sequence[str]) -> str:
    """The model that the program is told to use; "" if none is found."""
    for word, after in zip(words[1:], (*words[2:], ""), strict=True):
        if word in _MODEL:
            return after
        if word.startswith("--model="):
            return word.partition("=")[2]
    return ""
