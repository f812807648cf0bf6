"""The reasons why requests fail, and the one table of sentences about them. `explain` words a failure for a subject:
the feed, the episode, a directory."""

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum, auto

from msgspec import Struct

from player.links.urls import host, without_secrets
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, translate


class FailureReason(Enum):
    OFFLINE = auto()
    """No request was made: Earmark is offline."""
    UNKNOWN_HOST = auto()
    NO_NAME_SERVER = auto()
    BAD_ADDRESS = auto()
    TIMED_OUT = auto()
    """No connection in time."""
    STALLED = auto()
    """No sign of life for too long."""
    REFUSED = auto()
    UNREACHABLE = auto()
    PROXY = auto()
    CERTIFICATE = auto()
    NO_CERTIFICATES = auto()
    TLS = auto()
    CONNECTION_LOST = auto()
    CUT_SHORT = auto()
    REDIRECT_LOOP = auto()
    BAD_REDIRECT = auto()

    # The server's answer was refused. The status says more.
    LOGIN = auto()
    PAYMENT = auto()
    DENIED = auto()
    NOT_FOUND = auto()
    REMOVED = auto()
    BUSY = auto()
    TOO_MANY = auto()
    FAULT = auto()
    ODD_STATUS = auto()

    # The body was refused.
    TOO_LARGE = auto()
    TOO_SLOW = auto()
    ENCODING = auto()
    """Its compression isn't supported."""
    CORRUPT = auto()
    """It isn't compressed as its header says."""
    INCOMPLETE = auto()
    """The compressed data ends early, though the connection wasn't lost."""

    CANCELLED = auto()


class RequestFailed(Exception):
    """A request got no response, or no usable response.

    `detail` is why the certificate was refused, or what is wrong with our own certificates, or the name of a
    compression. `url` is the address that failed in a chain of redirects. `limit` is the limit that was exceeded: in
    bytes for TOO_LARGE, else in seconds. `pause_s`: how many seconds the server asked for before the next request; None
    if it didn't.
    """

    def __init__(
        self,
        reason: FailureReason,
        detail: str = "",
        url: str = "",
        *,
        limit: float = 0.0,
        status: int = 0,
        pause_s: float | None = None,
    ) -> None:
        super().__init__(reason, detail or status)
        self.reason = reason
        self.detail = detail
        self.url = url
        self.limit = limit
        self.status = status
        self.pause_s = pause_s


R = FailureReason
_BY_STATUS = {
    401: R.LOGIN, 407: R.LOGIN, 402: R.PAYMENT, 403: R.DENIED, 404: R.NOT_FOUND, 410: R.REMOVED,
    408: R.BUSY, 425: R.BUSY, 429: R.TOO_MANY,
}  # fmt: skip


def refusal(status: int, headers: Mapping[str, str], url: str) -> RequestFailed:
    """The failure that corresponds to a status other than 200."""
    reason = _BY_STATUS.get(status, R.FAULT if status >= 500 else R.ODD_STATUS)
    return RequestFailed(reason, url=url, status=status, pause_s=pause_asked(headers, datetime.now(UTC)))


def pause_asked(headers: Mapping[str, str], now: datetime) -> float | None:
    """`Retry-After` (RFC 9110, 10.2.3) in seconds, from a number or a date; None if absent or invalid."""
    text = headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdecimal():
        return float(text[:9])
    until = http_date(text)
    return None if until is None else max(0.0, (until - now).total_seconds())


def http_date(text: str) -> datetime | None:
    """Parses a date in a header; None if it isn't a date."""
    if not text:
        return None
    from email.utils import parsedate_to_datetime  # 5 ms to import, for few servers

    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


# -- sentences --------------------------------------------------------------------------------------------------

Words = tuple[str, str | None]
"""What happened, and what to do now, marked for translators; `""` and None stand for the general sentences.

Their fields: `{server}`, `{what}` (the subject of the request), `{url}`, `{status}`, `{seconds:g}`, `{limit}` in MB,
`{reason}`.
"""


class Subject(Struct, frozen=True):
    """The subject of a request, as sentences name it. All texts are marked for translators.

    `address`: what to do if its URL seems wrong. `later`: what to do about a temporary failure. `own`: sentences that
    replace the general ones.
    """

    what: str
    address: str
    later: str = mark("Try again later.")
    own: Mapping[FailureReason, Words] = {}


_ADDRESS, _LATER = "{address}", "{later}"
"""The subject's own advice."""
_CONNECTION = mark("Check your connection.")
_GENERAL: Mapping[FailureReason, tuple[str, str]] = {
    R.OFFLINE: (mark("Earmark is offline"), mark("Go online first.")),
    R.NO_NAME_SERVER: (mark("No network: can't look up {server}"), _CONNECTION),
    R.UNKNOWN_HOST: (mark("Can't find {server}"), _CONNECTION),
    R.BAD_ADDRESS: (mark("The URL of {what} isn't valid"), _ADDRESS),
    R.TIMED_OUT: (
        mark("{server} didn't respond within {seconds:g} s"),
        mark("Check your connection, or try again later."),
    ),
    R.STALLED: (mark("{server} stopped sending for {seconds:g} s"), _LATER),
    R.REFUSED: (mark("{server} refused the connection"), _LATER),
    R.UNREACHABLE: (mark("{server} is unreachable from this network"), _CONNECTION),
    R.PROXY: (mark("The proxy refused to connect to {server}"), mark("Check the proxy settings.")),
    R.CERTIFICATE: (
        mark("{server} has an invalid certificate: {reason}"),
        mark("Nothing was fetched. Check this computer's clock and network; the server may need fixing."),
    ),
    R.NO_CERTIFICATES: (
        mark("Can't check the certificate of {server}: {reason}"),
        mark("Install your system's certificates (ca-certificates), or check SSL_CERT_FILE and SSL_CERT_DIR."),
    ),
    R.TLS: (
        mark("Couldn't establish a secure connection to {server}"),
        mark("Check this computer's clock, or try again later; the server may need fixing."),
    ),
    R.CONNECTION_LOST: (mark("The connection to {server} was lost"), _LATER),
    R.CUT_SHORT: (mark("The connection to {server} was lost"), _LATER),
    R.REDIRECT_LOOP: (
        mark("Redirect loop at {server}"),
        mark("If this network requires you to sign in, do that first."),
    ),
    R.BAD_REDIRECT: (mark("{server} redirects to something that isn't a URL"), _ADDRESS),
    R.LOGIN: (
        mark("{server} requires a username and password for {what} ({status})"),
        mark("Enter them with the command “Sign in to a server”."),
    ),
    R.PAYMENT: (
        mark("{server} requires payment for {what} ({status})"),
        mark("If you have paid, use the URL that you were given."),
    ),
    R.DENIED: (mark("{server} denied access to {what} ({status})"), _ADDRESS),
    R.NOT_FOUND: (mark("{server} no longer has {what} ({status})"), _ADDRESS),
    R.REMOVED: (mark("{server} no longer has {what} ({status})"), _ADDRESS),
    R.BUSY: (mark("{server} is busy ({status})"), _LATER),
    R.TOO_MANY: (mark("{server} received too many requests ({status})"), _LATER),
    R.FAULT: (mark("{server} has a server problem ({status})"), _LATER),
    R.ODD_STATUS: (mark("{server} sent an unexpected response ({status})"), _ADDRESS),
    R.TOO_LARGE: (mark("{server} sent more than {limit} MB for {what}"), _ADDRESS),
    R.TOO_SLOW: (mark("{server} is too slow: {what} didn't arrive within {seconds:g} s"), _LATER),
    R.ENCODING: (mark("{server} compressed {what} in a way that Earmark doesn't support ({reason})"), _LATER),
    R.CORRUPT: (mark("{server} sent corrupt data for {what}"), _LATER),
    R.INCOMPLETE: (mark("{server} sent only part of {what}"), _LATER),
    R.CANCELLED: (mark("Fetching {what} was cancelled"), ""),
}


def explain(failed: RequestFailed, subject: Subject, url: str = "", server: str = "") -> tuple[str, str]:
    """What happened, and what to do now. `url` is the address of the first request. `server` is the server's name if
    that isn't the host of the URL."""
    what, advice = _GENERAL[failed.reason]
    own_what, own_advice = subject.own.get(failed.reason, ("", None))
    advice = advice if own_advice is None else own_advice
    fields = {
        "server": server or server_name(failed.url or url),
        "what": translate(subject.what),
        "url": shown(failed.url or url),
        "status": failed.status,
        "seconds": failed.limit,
        "limit": int(failed.limit) // 1024**2,
        "reason": clean_line(failed.detail, 200),
    }
    advice = {_ADDRESS: subject.address, _LATER: subject.later}.get(advice, advice)
    return translate(own_what or what, **fields), translate(advice, **fields)


def server_name(url: str) -> str:
    """The host of a URL, as sentences name it."""
    return host(url) or _("the server")


def shown(url: str) -> str:
    """A URL as sentences show it."""
    return clean_line(without_secrets(url), 120)
