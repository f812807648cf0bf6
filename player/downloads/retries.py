"""What becomes of a download whose attempt has failed."""

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
"""The longest pause while the network is away, which is nobody's fault and ends by itself."""

LATELY_S = 600.0
"""For so long after something came from the network, it isn't away."""

LONGEST_S = 3600.0
"""Whatever a server asks for; a stored moment further ahead was written while the clock was ahead."""
ROOM_S = 60.0
"""How often to look whether there is room again, or the folder can be written to."""


class Verdict(Struct, frozen=True):
    """`pause_s` is None for what isn't tried again by itself."""

    state: DownloadState
    attempts: int
    pause_s: float | None


def after(error: EarmarkError, attempts: int, *, passing: bool, progressed: bool, network_seen: bool) -> Verdict:
    """`attempts` have failed before this one. `passing`: it may come right by itself. `progressed`: this one brought
    bytes, which starts the count anew. `network_seen`: something came from the network a moment ago."""
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
    """How long until the next attempt; 0: it is due."""
    return left(retry_at, now, timedelta(seconds=LONGEST_S)).total_seconds()


def in_words(error: Exception) -> EarmarkError:
    """What is said of an error; one that nobody has foreseen goes to the log."""
    match error:
        case DiskFull():
            return NoRoom(error.what, error.advice)
        case EarmarkError():
            return error
        case _:
            log.error("a download failed", exc_info=error)
            return MediaError(_("Something went wrong inside Earmark"), _("See the log."))
