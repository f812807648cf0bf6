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


class Failed(Exception):
    """A request has no answer. `detail` is the certificate's own reason, or what is the matter with our own ones."""

    def __init__(self, trouble: Trouble, detail: str = "") -> None:
        super().__init__(trouble, detail)
        self.trouble = trouble
        self.detail = detail
