"""What went wrong with programs lately, as the process that runs them noted it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from player import regular_file
from player.integrations.hooks.worker import DROPPED, LATE, MOST_NOTED, UNSTARTABLE
from player.text.cleaning import clean_line
from player.text.sentences import _

RECENT = timedelta(days=7)


class Failure(Struct, frozen=True):
    """A line of the file; the fields are as in `worker.py`."""

    moment: datetime
    setting: str
    words: tuple[str, ...]
    outcome: str
    code: int | None = None
    errors: str = ""


def recent_failures(path: Path, now: datetime) -> list[Failure]:
    """Those of the last seven days, the oldest first; none if the file can't be read."""
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
    """What went wrong, to be said after the program's name."""
    if outcome == UNSTARTABLE:
        return _("can't be run ({reason})", reason=clean_line(errors, 200))
    if outcome == DROPPED:
        return _("wasn't run, because too many events waited")
    if outcome == LATE:
        return _("took too long and was killed")
    code = code or 0
    return _("was ended by signal {n}", n=-code) if code < 0 else _("exited with {code}", code=code)
