"""Why a request has no answer. What that means for a feed, an episode or a transcript, those say who asked."""

from enum import Enum, auto


class FailureReason(Enum):
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
    """A request has no answer, or not all of it. `detail` is the certificate's own reason, or what is the matter with
    our own ones. `url`: which of a chain of redirects it was, where there may be one.
    """

    def __init__(self, reason: FailureReason, detail: str = "", url: str = "") -> None:
        super().__init__(reason, detail)
        self.url = url
        self.reason = reason
        self.detail = detail
