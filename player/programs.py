"""Programs of the listener's own in config.toml: how they are written, found and checked, and how they ended."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from player.text.sentences import _


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
