"""What happens to a download whose attempt has failed."""

import logging
from datetime import datetime, timedelta

from msgspec import Struct

from player.errors import DiskFull, EarmarkError, FileChanged, MediaError, NoNetwork, NoRoom, NotWritable
from player.model.downloads import DownloadState
from player.model.moments import left
from player.text.sentences import _

log = logging.getLogger(__name__)

PAUSES_S = (60.0, 120.0, 300.0, 600.0, 1200.0, 2400.0, 3600.0)
"""Seconds before the next attempt."""

NETWORK_S = 300.0
"""The longest pause while there is no network, which is nobody's fault and temporary."""

LATELY_S = 600.0
"""For this long after any bytes from the network, it counts as present."""

LONGEST_S = 3600.0
"""The longest pause, whatever a server asks for; a stored moment further ahead was written while the clock was
ahead."""
ROOM_S = 60.0
"""How often to check whether there is room again, or whether the folder can be written to."""


class Verdict(Struct, frozen=True):
    """`pause_s` is None if it isn't tried again automatically."""

    state: DownloadState
    attempts: int
    pause_s: float | None


def after(error: EarmarkError, attempts: int, *, passing: bool, progressed: bool, network_seen: bool) -> Verdict:
    """`attempts` have failed before this one. `passing`: the failure may be temporary. `progressed`: this attempt
    brought bytes, which starts the count again. `network_seen`: bytes have just arrived from the network."""
    if isinstance(error, (NoRoom, NotWritable)):
        return Verdict(DownloadState.WAITING, attempts, ROOM_S)
    if isinstance(error, FileChanged):
        passing = attempts < len(PAUSES_S)
    if not passing:
        return Verdict(DownloadState.FAILED, attempts + 1, None)
    made = 0 if progressed else attempts
    away = isinstance(error, NoNetwork) and not network_seen
    if away:
        pause_s = min(PAUSES_S[min(made, len(PAUSES_S) - 1)], NETWORK_S)
        return Verdict(DownloadState.WAITING, min(made + 1, len(PAUSES_S)), pause_s)
    if made >= len(PAUSES_S):
        return Verdict(DownloadState.FAILED, made + 1, None)
    return Verdict(DownloadState.WAITING, made + 1, min(max(PAUSES_S[made], getattr(error, "pause_s", 0.0)), LONGEST_S))


def wait_s(retry_at: datetime | None, now: datetime) -> float:
    """Seconds until the next attempt; 0: it is due."""
    return left(retry_at, now, timedelta(seconds=LONGEST_S)).total_seconds()


def in_words(error: Exception) -> EarmarkError:
    """The sentence for an error; an unforeseen error is logged."""
    match error:
        case DiskFull():
            return NoRoom(error.what, error.advice)
        case EarmarkError():
            return error
        case _:
            log.error("a download failed", exc_info=error)
            return MediaError(_("Something went wrong inside Earmark"), _("See the log."))
