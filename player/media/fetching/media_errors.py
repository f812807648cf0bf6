"""What can go wrong with an episode's bytes, in words for the listener."""

import errno
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from urllib.parse import urlsplit

from player.errors import FileChanged, MediaError, NoFile, NoNetwork, NoRoom, NotWritable
from player.net.failures import FailureReason, RequestFailed
from player.text.cleaning import clean_line
from player.text.sentences import _

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


def host_of(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or "", 80) or _("the server")
    except ValueError:
        return _("the server")


def status_failure(status: int, url: str, retry_after: str = "") -> Failure:
    host = host_of(url)
    if status in (404, 410):
        return Gone(
            FailureKind.FINAL,
            _("The episode is no longer available on {host} ({status})", host=host, status=status),
            _("Refresh the podcast; the episode may have a new URL."),
        )
    if status in (401, 407):
        return Failure(
            FailureKind.FINAL,
            _("{host} requires a username and password ({status})", host=host, status=status),
            _("Enter them with the command “Sign in to a server”."),
        )
    if status == 403:
        return Failure(
            FailureKind.FINAL,
            _("{host} denied access to this episode ({status})", host=host, status=status),
            _("Its URL may have expired; refresh the podcast."),
        )
    if status in _BUSY or status >= 500:
        pause_s = seconds_until(retry_after, datetime.now(UTC))
        what = _("{host} can't provide the episode right now ({status})", host=host, status=status)
        return Failure(FailureKind.PASSING, what, pause_s=pause_s)
    return Failure(FailureKind.FINAL, _("{host} sent an unexpected response ({status})", host=host, status=status))


_BUSY = (408, 425, 429)


def seconds_until(retry_after: str, now: datetime) -> float:
    """`Retry-After` (RFC 9110, 10.2.3): seconds, or a date. 0 if absent or invalid."""
    text = retry_after.strip()
    if text.isdecimal():
        return min(float(text[:9]), LONGEST_PAUSE_S)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_PAUSE_S)


def page_failure(url: str) -> Failure:
    return Failure(
        FailureKind.IN_BETWEEN,
        _("{host} sent a web page instead of audio", host=host_of(url)),
        _("If this network requires you to sign in, do that first."),
    )


def changed_failure() -> Failure:
    failure = Failure(FailureKind.CHANGED, _("The episode has changed on its server since it was cached"))
    failure.error = FileChanged(failure.error.what, _("Play it again to fetch the new version."))
    return failure


def network_failure(error: RequestFailed, url: str) -> Failure:
    """A failed request in words for the listener. In a chain of redirects the one that failed is named: blocklists
    often block one in the middle."""
    host = host_of(error.url or url)
    match error.reason:
        case FailureReason.OFFLINE:
            return NetworkAway(_("Earmark is offline"), "")
        case FailureReason.REDIRECT_LOOP:
            return Failure(FailureKind.IN_BETWEEN, _("Redirect loop at {host}", host=host))
        case FailureReason.BAD_ADDRESS:
            return bad_address_failure()
        case FailureReason.CERTIFICATE | FailureReason.TLS:
            return Failure(
                FailureKind.IN_BETWEEN,
                _("No secure connection to {host}: its certificate or encryption is invalid", host=host),
                _("Check this computer's clock and network."),
            )
        case FailureReason.NO_CERTIFICATES:
            return Failure(
                FailureKind.IN_BETWEEN,
                _("No secure connection to {host}: this computer's certificates can't be read", host=host),
                _("Install them (ca-certificates), or check SSL_CERT_FILE and SSL_CERT_DIR."),
            )
        case FailureReason.UNKNOWN_HOST | FailureReason.NO_NAME_SERVER:
            return NetworkAway(_("Can't find {host}", host=host), _("Check the network."))
        case FailureReason.TIMED_OUT | FailureReason.STALLED:
            return Failure(FailureKind.PASSING, _("{host} didn't respond in time", host=host))
        case FailureReason.UNREACHABLE:
            return NetworkAway(_("Can't reach {host}", host=host), _("Check the network."))
        case FailureReason.REFUSED:
            return Failure(FailureKind.PASSING, _("Can't reach {host}", host=host), _("Check the network."))
        case FailureReason.PROXY:
            return Failure(
                FailureKind.PASSING,
                _("The proxy refused to connect to {host}", host=host),
                _("Check the proxy settings."),
            )
        case FailureReason.CUT_SHORT:
            return BrokeOff(host)
        case FailureReason.CONNECTION_LOST:
            return Failure(FailureKind.PASSING, _("The connection to {host} was lost", host=host))


def bad_address_failure() -> Failure:
    return Failure(FailureKind.FINAL, _("The episode's URL isn't valid"), _("Refresh the podcast."))


NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
"""The codes of an OSError that somebody has to mend, and not the program."""


def disk_error(error: OSError, what: str = "") -> MediaError:
    """`what` couldn't be done, where the disk isn't just full; "": caching it."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return NoRoom(_("There is no space left on the disk for the episode"), _("Free some space."))
    cached = _("The episode can't be saved in the cache folder")
    sentence = f"{what or cached}: {error.strerror or _('disk error')}"
    if what and error.errno in NOT_WRITABLE:
        return NotWritable(sentence, _("Make the folder writable, or choose another one (downloads in [media])."))
    return MediaError(sentence, _("“earmark doctor” shows where the folder is."))
