"""What can go wrong with an episode's bytes, in words for the listener."""

import errno
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from urllib.parse import urlsplit

from player.errors import MediaError, NoFile
from player.net.failures import RequestFailed, Trouble
from player.text.cleaning import clean_line
from player.text.sentences import _

LONGEST_PAUSE_S = 3600.0
"""A server that asks for a longer pause is tried after this one all the same."""


class FailureKind(Enum):
    FINAL = "trying again won't help"
    PASSING = "it comes right by itself: nobody answers, the connection broke, the server is in trouble"
    IN_BETWEEN = "it looks final, but for a file that came before it is the network in between: a page to sign in to"
    CHANGED = "it is another file now"
    EXPIRED = "the address that redirects led to is no longer valid"


class Failure(Exception):
    """A request came to nothing. `pause_s`: the server asked not to be tried again before."""

    def __init__(self, kind: FailureKind, what: str, advice: str = "", pause_s: float = 0.0) -> None:
        super().__init__(what)
        self.kind = kind
        self.error: MediaError = MediaError(what, advice)
        self.pause_s = pause_s


class BrokeOff(Failure):
    """The server ended the body, in good order but too soon. `promised`: it had said that there is more."""

    def __init__(self, host: str, *, promised: bool = True) -> None:
        super().__init__(FailureKind.PASSING, f"The connection to {host} broke off")
        self.promised = promised


class LiveStream(Failure):
    """What comes has no end; an engine plays it from `address`."""

    def __init__(self, address: str) -> None:
        super().__init__(FailureKind.FINAL, "This is a live stream")
        self.error = NoFile("This is a live stream")
        self.address = address


class EndsAt(Failure):
    """The file has `length` bytes, other than the server said before."""

    def __init__(self, length: int) -> None:
        super().__init__(FailureKind.PASSING, f"The episode ends after {length} bytes")
        self.length = length


def host_of(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or "", 80) or "the server"
    except ValueError:
        return "the server"


def status_failure(status: int, url: str, retry_after: str = "") -> Failure:
    host = host_of(url)
    if status in (404, 410):
        return Failure(
            FailureKind.FINAL,
            f"{host} has no such episode any more ({status})",
            "Refresh the podcast: it may have a new address.",
        )
    if status in (401, 407):
        return Failure(
            FailureKind.FINAL,
            f"{host} wants a name and password ({status})",
            "“Name and password” among the commands takes them.",
        )
    if status == 403:
        return Failure(
            FailureKind.FINAL,
            f"{host} refuses to give out the episode ({status})",
            "Its address may have expired: refresh the podcast.",
        )
    if status in _BUSY or status >= 500:
        pause_s = seconds_until(retry_after, datetime.now(UTC))
        return Failure(FailureKind.PASSING, f"{host} can't serve the episode now ({status})", pause_s=pause_s)
    return Failure(FailureKind.FINAL, f"{host} gave an answer that is no episode ({status})")


_BUSY = (408, 425, 429)


def seconds_until(retry_after: str, now: datetime) -> float:
    """`Retry-After` (RFC 9110, 10.2.3): seconds, or a date. 0 where there is none, or none that can be read."""
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
        f"{host_of(url)} sent a web page instead of audio",
        "If this network asks you to sign in, do so first.",
    )


def changed_failure() -> Failure:
    return Failure(
        FailureKind.CHANGED,
        "The episode has changed on its server since it was kept",
        "The next try fetches the new one.",
    )


def network_failure(error: RequestFailed, url: str) -> Failure:
    """What it means that a request has no answer. Whichever of a chain of redirects it was is named: blocklists like
    to name those in the middle."""
    host = host_of(error.url or url)
    match error.trouble:
        case Trouble.CIRCLE:
            return Failure(FailureKind.IN_BETWEEN, f"The address at {host} leads round in circles")
        case Trouble.BAD_ADDRESS:
            return bad_address_failure()
        case Trouble.CERTIFICATE | Trouble.TLS:
            return Failure(
                FailureKind.IN_BETWEEN,
                f"No safe connection to {host}: its certificate or its encryption is not in order",
                "Check this computer's date and network.",
            )
        case Trouble.CERTIFICATES:
            return Failure(
                FailureKind.IN_BETWEEN,
                f"No safe connection to {host}: this computer's certificates can't be read",
                "Install them (ca-certificates), or check SSL_CERT_FILE and SSL_CERT_DIR.",
            )
        case Trouble.NO_NAME | Trouble.NOBODY_TO_ASK:
            return Failure(FailureKind.PASSING, f"Can't find {host}", "Check the network.")
        case Trouble.NOT_IN_TIME | Trouble.SILENT:
            return Failure(FailureKind.PASSING, f"{host} does not answer in time")
        case Trouble.REFUSED | Trouble.NO_WAY:
            return Failure(FailureKind.PASSING, f"Can't reach {host}", "Check the network.")
        case Trouble.PROXY:
            return Failure(
                FailureKind.PASSING,
                _("The proxy refused to connect to {host}", host=host),
                _("Check the proxy settings."),
            )
        case Trouble.CUT_SHORT:
            return BrokeOff(host)
        case Trouble.BROKEN:
            return Failure(FailureKind.PASSING, f"The connection to {host} broke off")


def bad_address_failure() -> Failure:
    return Failure(FailureKind.FINAL, "The episode's address is not one that can be fetched", "Refresh the podcast.")


def disk_error(error: OSError, what: str = "The episode can't be kept in the cache folder") -> MediaError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return MediaError("There is no space left on this disk to keep the episode", "Free some space.")
    return MediaError(
        f"{what}: {error.strerror or 'the disk refuses'}",
        "“earmark doctor” shows where the folder is.",
    )
