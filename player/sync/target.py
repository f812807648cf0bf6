"""The interface of a server or a folder that devices sync through."""

from enum import StrEnum
from typing import Protocol

from player.errors import EarmarkError
from player.model.syncing import Carried, Outgoing, Pulled, Pushed


class SyncFailure(StrEnum):
    """Why a target couldn't be used; the caller decides what happens next."""

    BUSY = "busy"
    """It asks to wait (429, 503); `retry_s` may say how long."""
    LOGIN = "login"
    """The name or password is wrong, or was withdrawn."""
    UNREACHABLE = "unreachable"
    """There is no network, no such host, no answer; the folder isn't there (a stick that isn't plugged in)."""
    NOT_A_SERVER = "not_a_server"
    """Something else answered: HTML, nonsense, 404."""
    FAULT = "fault"
    """It answered 5xx, or the disk refused."""


class SyncError(EarmarkError):
    """A target couldn't be used; nothing was lost. `retry_s`: seconds that it asked us to wait, 0 if it didn't say."""

    def __init__(self, failure: SyncFailure, what: str, advice: str = "", retry_s: float = 0.0) -> None:
        super().__init__(what, advice)
        self.failure = failure
        self.retry_s = retry_s


class SyncTarget(Protocol):
    """Used by one thread; `abort` comes from any, and ends what is under way with a SyncError."""

    carries: frozenset[Carried]
    most_at_once: int
    """How many actions, and how many subscriptions, one `push` takes."""

    def pull(self, cursor: str, *, whole: bool) -> Pulled:
        """What is new since `cursor` ("" at first), or all there is. Raises SyncError."""
        ...

    def push(self, outgoing: Outgoing) -> Pushed:
        """Sends `outgoing`; sending the same again changes nothing. Raises SyncError, and then nothing counts as
        sent."""
        ...

    def abort(self) -> None: ...
