"""Why an address can't be read, in plain words: what happened, to what, and what to do now."""

from urllib.parse import urlsplit

from player.errors import (
    BadAddress,
    FeedError,
    HttpFailure,
    NoAudio,
    NotAFeed,
    NotThere,
    Offline,
    TooLarge,
    Unreachable,
)
from player.links.urls import without_secrets
from player.net.failures import FailureReason, RequestFailed
from player.text.cleaning import clean_line
from player.text.sentences import _


def shown(url: str) -> str:
    """An address as sentences show it."""
    return clean_line(without_secrets(url), 120)


def host(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or url, 80)
    except ValueError:
        return shown(url)


def of_status(url: str, status: int, pause_s: float | None = None) -> HttpFailure:
    """The error for a server's refusal. `pause_s`: the pause that it asked for."""
    here, server = shown(url), host(url)
    known = {
        401: (
            _("{host} requires a username and password for this feed", host=server),
            _("Add both to its URL: https://NAME:PASSWORD@{host}/…", host=server),
        ),
        402: (
            _("{host} requires payment for this feed", host=server),
            _("If you have paid, use the URL that you were given."),
        ),
        403: (
            _("{host} denied access to {url} (403)", host=server, url=here),
            _("The feed may be for members only, or blocked on your network. Open it in a browser to check."),
        ),
        404: (
            _("Not found (404): {url}", url=here),
            _("Check the URL, or look for a new one on the podcast's website."),
        ),
        410: (
            _("This feed was removed for good (410): {url}", url=here),
            _("Look for a new one on the podcast's website."),
        ),
        429: (
            _("{host} received too many requests and asked for a pause (429)", host=server),
            _("Try again in an hour."),
        ),
    }
    if status in known:
        return HttpFailure(*known[status], status=status, pause_s=pause_s)
    if status >= 500:
        what = _("{host} has a server problem ({status})", host=server, status=status)
        return HttpFailure(what, _("Try again later."), status, pause_s)
    what = _("{host} sent an unexpected response ({status})", host=server, status=status)
    return HttpFailure(what, _("Check the URL."), status)


def of_network(url: str, error: RequestFailed, *, connect: float, silence: float) -> FeedError:
    """The error for a missing or incomplete response. `connect` and `silence` are the timeouts used, in seconds."""
    server = host(url)
    match error.reason:
        case FailureReason.OFFLINE:
            return Offline(_("Earmark is offline"), _("Go online first."))
        case FailureReason.NO_NAME_SERVER:
            return Offline(_("No network: can't look up {host}", host=server), _("Check your connection."))
        case FailureReason.UNKNOWN_HOST:
            return Unreachable(_("Can't find the server {host}", host=server), _("Check the URL and your connection."))
        case FailureReason.BAD_ADDRESS:
            return Unreachable(_("{url} isn't a valid URL", url=shown(url)), _("Check its spelling."))
        case FailureReason.CERTIFICATE:
            return Unreachable(
                _("{host} has an invalid certificate: {reason}", host=server, reason=clean_line(error.detail, 120)),
                _("Nothing was fetched. Check the URL and this computer's clock; the server may need fixing."),
            )
        case FailureReason.NO_CERTIFICATES:
            return Unreachable(
                _("Can't check certificates: {reason}", reason=clean_line(error.detail, 200)),
                _("Install your system's certificates (ca-certificates), or check SSL_CERT_FILE and SSL_CERT_DIR."),
            )
        case FailureReason.TLS:
            return Unreachable(
                _("Couldn't establish a secure connection to {host}", host=server),
                _("Check this computer's clock, or try again later; the server may need fixing."),
            )
        case FailureReason.TIMED_OUT:
            return Unreachable(
                _("{host} didn't respond within {seconds:g} s", host=server, seconds=connect),
                _("Check your connection, or try again later."),
            )
        case FailureReason.STALLED:
            return Unreachable(
                _("{host} stopped sending for {seconds:g} s", host=server, seconds=silence), _("Try again later.")
            )
        case FailureReason.REFUSED:
            return Unreachable(_("{host} refused the connection", host=server), _("Check the URL, or try again later."))
        case FailureReason.UNREACHABLE:
            return Offline(_("{host} is unreachable from this network", host=server), _("Check your connection."))
        case FailureReason.PROXY:
            return Unreachable(_("The proxy refused to connect to {host}", host=server), _("Check the proxy settings."))
        case FailureReason.CONNECTION_LOST | FailureReason.CUT_SHORT | FailureReason.REDIRECT_LOOP:
            return odd_answer(url, _("the connection was lost, or it isn't HTTP"))


def odd_answer(url: str, why: str) -> Unreachable:
    return Unreachable(
        _("The response from {host} can't be used: {reason}", host=host(url), reason=why), _("Try again later.")
    )


def too_slow(url: str, seconds: float) -> Unreachable:
    return Unreachable(
        _("{host} is too slow: the feed didn't arrive within {seconds:g} s", host=host(url), seconds=seconds),
        _("Try again later."),
    )


def bad_redirect(url: str) -> Unreachable:
    return Unreachable(_("{url} redirects to something that isn't a URL", url=shown(url)), _("Check the URL."))


def endless_redirect(url: str) -> Unreachable:
    return Unreachable(
        _("Redirect loop at {url}", url=shown(url)), _("Open it in a browser; it may want you to sign in.")
    )


def aborted(url: str) -> Unreachable:
    return Unreachable(_("Fetching {url} was cancelled", url=shown(url)))


def reason_of(error: FeedError) -> str:
    """The same in a few words without the address, for a list of podcasts that failed alike."""
    if isinstance(error, HttpFailure):
        known = {
            401: _("Sign-in required"),
            402: _("Payment required"),
            403: _("Access denied"),
            404: _("Not found"),
            410: _("Removed"),
        }
        words = _("Server problem") if error.status >= 500 else known.get(error.status, _("Refused"))
        return f"{words} ({error.status})"
    for kind, words in (
        (Offline, _("No network")), (Unreachable, _("Server unreachable")), (NotAFeed, _("Not a feed")),
        (NoAudio, _("No audio")), (TooLarge, _("Feed too large")), (BadAddress, _("Not a URL")),
        (NotThere, _("Not found on this computer")),
    ):  # fmt: skip
        if isinstance(error, kind):
            return words
    return _("Couldn't be read")
