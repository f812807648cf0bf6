"""Why a request has no answer. What that means for a feed, an episode or a transcript, those say who asked."""

from enum import Enum, auto


class Trouble(Enum):
    NO_NAME = auto()
    NOBODY_TO_ASK = auto()
    BAD_ADDRESS = auto()
    NOT_IN_TIME = auto()
    SILENT = auto()
    REFUSED = auto()
    NO_WAY = auto()
    PROXY = auto()
    CERTIFICATE = auto()
    CERTIFICATES = auto()
    TLS = auto()
    BROKEN = auto()
    CUT_SHORT = auto()
    CIRCLE = auto()


class RequestFailed(Exception):
    """A request has no answer, or not all of it. `detail` is the certificate's own reason, or what is the matter with
    our own ones. `url`: which of a chain of redirects it was, where there may be one.
    """

    def __init__(self, trouble: Trouble, detail: str = "", url: str = "") -> None:
        super().__init__(trouble, detail)
        self.url = url
        self.trouble = trouble
        self.detail = detail
