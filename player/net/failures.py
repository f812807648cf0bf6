"""Why a request failed. Callers word what that means for a feed, an episode or a transcript."""

from enum import Enum, auto


class FailureReason(Enum):
    OFFLINE = auto()
    """No request was made: Earmark is offline."""
    UNKNOWN_HOST = auto()
    NO_NAME_SERVER = auto()
    BAD_ADDRESS = auto()
    TIMED_OUT = auto()
    STALLED = auto()
    REFUSED = auto()
    UNREACHABLE = auto()
    PROXY = auto()
    CERTIFICATE = auto()
    NO_CERTIFICATES = auto()
    TLS = auto()
    CONNECTION_LOST = auto()
    CUT_SHORT = auto()
    REDIRECT_LOOP = auto()


class RequestFailed(Exception):
    """A request has no response, or an incomplete one. `detail` is why the certificate was refused, or what is wrong
    with our own certificates. `url` is the one that failed in a chain of redirects.
    """

    def __init__(self, reason: FailureReason, detail: str = "", url: str = "") -> None:
        super().__init__(reason, detail)
        self.url = url
        self.reason = reason
        self.detail = detail
