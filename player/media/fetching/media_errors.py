"""Failures with an episode's bytes, in words for the listener."""

import errno
from collections.abc import Mapping
from enum import Enum

from player.errors import FileChanged, MediaError, NoFile, NoNetwork, NoRoom, NotWritable
from player.net.failures import FailureReason, RequestFailed, Subject, explain, refusal, server_name
from player.text.sentences import _, mark

LONGEST_PAUSE_S = 3600.0
"""The longest pause a server can ask for."""


class FailureKind(Enum):
    FINAL = "trying again won't help"
    PASSING = "it comes right by itself: nobody answers, the connection broke, the server is in trouble"
    IN_BETWEEN = "it looks final, but for a file that came before it is the network in between: a page to sign in to"
    CHANGED = "it is another file now"
    EXPIRED = "the address that redirects led to is no longer valid"


class Failure(Exception):
    """A request failed. `pause_s`: the pause that the server asked for."""

    def __init__(self, kind: FailureKind, what: str, advice: str = "", pause_s: float = 0.0) -> None:
        super().__init__(what)
        self.kind = kind
        self.error: MediaError = MediaError(what, advice)
        self.error.pause_s = self.pause_s = pause_s


class NetworkAway(Failure):
    """Nothing can be reached just now."""

    def __init__(self, what: str, advice: str) -> None:
        super().__init__(FailureKind.PASSING, what)
        self.error = NoNetwork(what, advice)


class BrokeOff(Failure):
    """The server ended the body cleanly but too soon. `promised`: it had announced more."""

    def __init__(self, host: str, *, promised: bool = True) -> None:
        super().__init__(FailureKind.PASSING, _("The connection to {host} was lost", host=host))
        self.promised = promised


class Gone(Failure):
    """The server says that it has nothing there (any more)."""


class LiveStream(Failure):
    """The response is a live stream, at `address`, or (`hls`) a playlist that may be one of a recording."""

    def __init__(self, address: str, *, hls: bool = False) -> None:
        super().__init__(FailureKind.FINAL, _("This is a live stream"))
        self.error = NoFile(_("This is a live stream"))
        self.address = address
        self.hls = hls


class EndsAt(Failure):
    """The file has `length` bytes, not what the server said before."""

    def __init__(self, length: int) -> None:
        super().__init__(FailureKind.PASSING, _("The episode ends after {length:,} bytes", length=length))
        self.length = length


def status_failure(status: int, headers: Mapping[str, str], url: str) -> Failure:
    return request_failure(refusal(status, headers, url), url)


def page_failure(url: str) -> Failure:
    return Failure(
        FailureKind.IN_BETWEEN,
        _("{host} sent a web page instead of audio", host=server_name(url)),
        _("If this network requires you to sign in, do that first."),
    )


def changed_failure() -> Failure:
    failure = Failure(FailureKind.CHANGED, _("The episode has changed on its server since it was cached"))
    failure.error = FileChanged(failure.error.what, _("Play it again to fetch the new version."))
    return failure


R = FailureReason
_GONE = mark("The episode is no longer available on {server} ({status})")
_MOVED = mark("Refresh the podcast; the episode may have a new URL.")
EPISODE = Subject(
    mark("the episode"),
    address=mark("Refresh the podcast."),
    later="",  # it is tried again by itself
    own={
        R.REFUSED: ("", mark("Check your connection.")),
        R.DENIED: ("", mark("Its URL may have expired; refresh the podcast.")),
        R.NOT_FOUND: (_GONE, _MOVED),
        R.REMOVED: (_GONE, _MOVED),
    },
)
_KINDS = {
    **dict.fromkeys((R.REDIRECT_LOOP, R.CERTIFICATE, R.NO_CERTIFICATES, R.TLS), FailureKind.IN_BETWEEN),
    **dict.fromkeys(
        (R.TIMED_OUT, R.STALLED, R.REFUSED, R.PROXY, R.CONNECTION_LOST, R.BUSY, R.TOO_MANY, R.FAULT),
        FailureKind.PASSING,
    ),
}


def request_failure(failed: RequestFailed, url: str) -> Failure:
    """A failed request in words for the listener. In a chain of redirects the one that failed is named: blocklists
    often block one in the middle."""
    what, advice = explain(failed, EPISODE, url)
    match failed.reason:
        case R.OFFLINE | R.UNKNOWN_HOST | R.NO_NAME_SERVER | R.UNREACHABLE:
            return NetworkAway(what, advice)
        case R.CUT_SHORT:
            return BrokeOff(server_name(failed.url or url))
        case R.NOT_FOUND | R.REMOVED:
            return Gone(FailureKind.FINAL, what, advice)
    pause_s = min(failed.pause_s or 0.0, LONGEST_PAUSE_S)
    return Failure(_KINDS.get(failed.reason, FailureKind.FINAL), what, advice, pause_s)


def bad_address_failure() -> Failure:
    return request_failure(RequestFailed(R.BAD_ADDRESS), "")


NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
"""The codes of an OSError that a person has to fix, not the program."""


def disk_error(error: OSError, what: str = "") -> MediaError:
    """`what` couldn't be done, where the disk isn't just full; "": caching it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return NoRoom(_("There is no space left on the disk for the episode"), _("Free some space."))
    cached = _("The episode can't be saved in the cache folder")
    sentence = f"{what or cached}: {error.strerror or _('disk error')}"
    if what and error.errno in NOT_WRITABLE:
        return NotWritable(sentence, _("Make the folder writable, or choose another one (downloads in [media])."))
    return MediaError(sentence, _("“earmark doctor” shows where the folder is."))
