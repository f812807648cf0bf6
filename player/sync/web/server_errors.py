"""Why a sync server can't be used, in words for the listener."""

from datetime import UTC, datetime

from player.directory.merging import is_inside_address
from player.links.urls import host, origin
from player.media.fetching.media_errors import network_failure, seconds_until
from player.net.failures import FailureReason, RequestFailed
from player.sync.target import SyncError, SyncFailure
from player.text.cleaning import clean_line
from player.text.sentences import _, plural

_ENCRYPTION = frozenset({FailureReason.CONNECTION_LOST, FailureReason.TLS})


class StatusError(SyncError):
    """The server answered with an error status."""

    def __init__(self, failure: SyncFailure, what: str, advice: str, status: int, retry_s: float = 0.0) -> None:
        super().__init__(failure, what, advice, retry_s)
        self.status = status


def of_network(error: RequestFailed, url: str) -> SyncError:
    if error.reason is FailureReason.BAD_ADDRESS:
        return bad_address()
    found = network_failure(error, url).error
    if error.reason is FailureReason.CUT_SHORT:
        return cut_short(url)
    nowhere = error.reason is FailureReason.REDIRECT_LOOP
    advice = _may_be_plain() if error.reason in _ENCRYPTION and _is_at_home(url) else found.advice
    return SyncError(SyncFailure.NOT_A_SERVER if nowhere else SyncFailure.UNREACHABLE, found.what, advice)


def _is_at_home(url: str) -> bool:
    """Whether its server, asked with encryption, is one in the listener's own network, where many have none."""
    return url.startswith("https:") and is_inside_address(url)


def _may_be_plain() -> str:
    return _("If it doesn't use encryption, set up syncing with http:// before its address.")


def of_status(url: str, status: int, retry_after: str = "") -> StatusError:
    name = server_name(url)
    if status in (401, 403, 407):
        what = _("{host} refused the login ({status})", host=name, status=status)
        return StatusError(SyncFailure.LOGIN, what, _("Check the username and password."), status)
    if status in (408, 425, 429, 503):
        what = _("{host} is busy ({status})", host=name, status=status)
        advice = _("Earmark tries again later.")
        return StatusError(SyncFailure.BUSY, what, advice, status, seconds_until(retry_after, datetime.now(UTC)))
    if status >= 500:
        what = _("{host} has a server problem ({status})", host=name, status=status)
        return StatusError(SyncFailure.FAULT, what, _("Earmark tries again later."), status)
    if status in (400, 409, 413, 422):
        return StatusError(
            SyncFailure.FAULT, _("{host} refused the request ({status})", host=name, status=status), "", status
        )
    what = _("{host} doesn't answer as a sync server does ({status})", host=name, status=status)
    return StatusError(SyncFailure.NOT_A_SERVER, what, _check_address(), status)


def web_page(url: str) -> SyncError:
    """A network's page to sign in to, an error page, or no sync server at all."""
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} sent a web page instead of data", host=server_name(url)),
        _("If this network requires you to sign in, do that first; otherwise check the server's address."),
    )


def nonsense(url: str) -> SyncError:
    what = _("{host} sent a response that Earmark can't read", host=server_name(url))
    return SyncError(SyncFailure.NOT_A_SERVER, what, _check_address())


def cut_short(url: str) -> SyncError:
    what = _("The answer of {host} was cut short", host=server_name(url))
    return SyncError(SyncFailure.UNREACHABLE, what, _("Earmark tries again later."))


def too_large(url: str, limit: int) -> SyncError:
    what = _("{host} sent more than {limit} MB", host=server_name(url), limit=limit // 1024**2)
    return SyncError(SyncFailure.NOT_A_SERVER, what, _check_address())


def too_slow(url: str, seconds: float) -> SyncError:
    return SyncError(
        SyncFailure.UNREACHABLE,
        _("{host} is too slow: its answer didn't arrive within {seconds:g} s", host=server_name(url), seconds=seconds),
    )


def moved_away(url: str, there: str) -> SyncError:
    """The login isn't sent to another server, and the same host at another port is one."""
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} redirects to another server, {there}", host=server_name(url), there=clean_line(origin(there), 80)),
        _("If it has moved there, set up syncing again with the new address."),
    )


def not_secure(url: str) -> SyncError:
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} redirects to an address without encryption", host=server_name(url)),
        _("Nothing was sent there. Tell whoever runs the server."),
    )


def bad_address() -> SyncError:
    what = _("The address of the sync server isn't a URL")
    return SyncError(SyncFailure.NOT_A_SERVER, what, _("It looks like https://example.com."))


def no_password(url: str) -> SyncError:
    what = _("There is no password for {host} on this computer", host=server_name(url))
    return SyncError(SyncFailure.LOGIN, what, _("Set up syncing again."))


def refused(url: str, status: int) -> str:
    """A sentence about one action or subscription that the server doesn't take."""
    return _("{host} doesn't accept it ({status}).", host=server_name(url), status=status)


def refused_address(url: str) -> str:
    return _("{host} doesn't accept its address.", host=server_name(url))


def refused_feed(url: str, feed: str) -> str:
    return _("{host} keeps no podcast with this address: {feed}", host=server_name(url), feed=feed)


def skipped(url: str, count: int) -> str:
    return plural(
        count,
        "{host} sent an action that Earmark can't read; it was skipped.",
        "{host} sent {n:,} actions that Earmark can't read; they were skipped.",
        host=server_name(url),
    )


def not_linked(url: str, devices: str) -> str:
    return _(
        "{host} didn't link this device with {devices}: podcasts that you add or remove there stay there."
        " Link them on its page of devices ({page}).",
        host=server_name(url),
        devices=devices,
        page=f"{url}/devices/",
    )


def server_name(url: str) -> str:
    return host(url) or _("The server")


def _check_address() -> str:
    return _("Check the server's address.")
