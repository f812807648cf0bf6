"""The listener's programs: found, and looked at before they are needed."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from player.settings import Hooks
from player.text.sentences import _


def expanded(words: Sequence[str]) -> list[str]:
    """With the home folder for a `~` that begins a word."""
    return [os.path.expanduser(word) if word == "~" or word.startswith("~/") else word for word in words]  # noqa: PTH111


def problems(hooks: Hooks) -> dict[str, str]:
    """A sentence for each setting whose program can't be run."""
    looked = {setting: problem(words[0]) for setting, words in hooks.programs.items()}
    return {
        setting: _("“hooks.{setting}” in config.toml can't run: {problem}", setting=setting, problem=why)
        for setting, why in looked.items()
        if why
    }


def problem(program: str) -> str:
    """What keeps it from being run; "" for nothing that can be seen."""
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
