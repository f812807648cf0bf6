"""The listener's programs: how they are found and checked before they are needed, and their recent failures."""

import os
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from player import regular_file
from player.integrations.hooks.program_worker import DROPPED, LATE, MOST_NOTED, UNSTARTABLE
from player.settings import Hooks
from player.text.cleaning import clean_line
from player.text.sentences import _

RECENT = timedelta(days=7)


def expanded(words: Sequence[str]) -> list[str]:
    """The words, with a leading `~` replaced by the home folder."""
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


class Failure(Struct, frozen=True):
    """A failure, with the fields of its line in the file that `program_worker.py` writes."""

    moment: datetime
    setting: str
    words: tuple[str, ...]
    outcome: str
    code: int | None = None
    errors: str = ""


def recent_failures(path: Path, now: datetime) -> list[Failure]:
    """The failures of the last seven days, oldest first; none if the file can't be read."""
    try:
        with regular_file.opened(path) as file:
            lines = file.read(2 * MOST_NOTED).splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            failure = msgspec.json.decode(line, type=Failure)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        since = failure.moment if failure.moment.tzinfo else failure.moment.replace(tzinfo=UTC)
        if now - since <= RECENT:
            found.append(failure)
    return found


def problem_of(outcome: str, code: int | None, errors: str) -> str:
    """What went wrong, to follow the program's name in a sentence."""
    if outcome == UNSTARTABLE:
        return _("can't be run ({reason})", reason=clean_line(errors, 200))
    if outcome == DROPPED:
        return _("wasn't run, because too many events waited")
    if outcome == LATE:
        return _("took too long and was killed")
    code = code or 0
    return _("was ended by signal {n}", n=-code) if code < 0 else _("exited with {code}", code=code)
