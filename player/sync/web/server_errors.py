"""Why a sync server can't be used, in words for the listener."""

from player.directory.searching import is_inside_address
from player.links.urls import host, origin
from player.net.failures import FailureReason, RequestFailed, Subject, explain, refusal
from player.sync.target import SyncError, SyncFailure
from player.text.cleaning import clean_line
from player.text.sentences import _, mark, plural

LONGEST_PAUSE_S = 3600.0
"""The longest pause that a server can ask for."""
_ENCRYPTION = frozenset({FailureReason.CONNECTION_LOST, FailureReason.TLS})
_REFUSED = (400, 409, 413, 422)
"""Statuses that say that the request is at fault."""
_AWAY = 503


class StatusError(SyncError):
    """The server answered with an error status."""

    def __init__(self, failure: SyncFailure, what: str, advice: str, status: int, retry_s: float = 0.0) -> None:
        super().__init__(failure, what, advice, retry_s)
        self.status = status


R = FailureReason
_CHECK_ADDRESS = mark("Check the server's address.")
_LOGIN = (mark("{server} refused the login ({status})"), mark("Check the username and password."))
_NO_SERVER = (mark("{server} doesn't answer like a sync server ({status})"), _CHECK_ADDRESS)
_NONSENSE = (mark("{server} sent a response that Earmark can't read"), _CHECK_ADDRESS)
SYNC = Subject(
    mark("its answer"),
    address=_CHECK_ADDRESS,
    later=mark("Earmark tries again later."),
    own={
        R.OFFLINE: ("", ""),
        R.BAD_ADDRESS: (mark("The address of the sync server isn't a URL"), mark("It looks like https://example.com.")),
        R.REFUSED: ("", mark("Check the server's address and your connection.")),
        **dict.fromkeys((R.LOGIN, R.DENIED), _LOGIN),
        **dict.fromkeys((R.PAYMENT, R.NOT_FOUND, R.REMOVED, R.ODD_STATUS), _NO_SERVER),
        **dict.fromkeys((R.CORRUPT, R.ENCODING), _NONSENSE),
        R.CUT_SHORT: (mark("The answer of {server} was cut short"), None),
        R.CANCELLED: (mark("Syncing with {server} was stopped"), None),
    },
)
_KINDS = {
    **dict.fromkeys((R.LOGIN, R.DENIED), SyncFailure.LOGIN),
    **dict.fromkeys((R.BUSY, R.TOO_MANY), SyncFailure.BUSY),
    **dict.fromkeys((R.PAYMENT, R.NOT_FOUND, R.REMOVED, R.ODD_STATUS), SyncFailure.NOT_A_SERVER),
    **dict.fromkeys((R.BAD_ADDRESS, R.BAD_REDIRECT, R.REDIRECT_LOOP), SyncFailure.NOT_A_SERVER),
    **dict.fromkeys((R.TOO_LARGE, R.CORRUPT, R.ENCODING), SyncFailure.NOT_A_SERVER),
    R.FAULT: SyncFailure.FAULT,
}


def of_request(failed: RequestFailed, url: str) -> SyncError:
    """The error for a failed request to `url`."""
    what, advice = explain(failed, SYNC, url, server_name(url))
    kind = _KINDS.get(failed.reason, SyncFailure.UNREACHABLE)
    if not failed.status:
        return SyncError(kind, what, _may_be_plain() if failed.reason in _ENCRYPTION and _is_at_home(url) else advice)
    if failed.status in _REFUSED:
        kind, advice = SyncFailure.FAULT, ""
        what = _("{host} refused the request ({status})", host=server_name(url), status=failed.status)
    if failed.status == _AWAY:
        kind = SyncFailure.BUSY
    retry_s = min(failed.pause_s or 0.0, LONGEST_PAUSE_S) if kind is SyncFailure.BUSY else 0.0
    return StatusError(kind, what, advice, failed.status, retry_s)


def _is_at_home(url: str) -> bool:
    """Whether its server, when asked with encryption, is in the listener's own network, where many servers have
    none."""
    return url.startswith("https:") and is_inside_address(url)


def _may_be_plain() -> str:
    return _("If it doesn't use encryption, set up syncing with http:// before its address.")


def of_status(url: str, status: int) -> SyncError:
    return of_request(refusal(status, {}, url), url)


def web_page(url: str) -> SyncError:
    """A network's sign-in page, an error page, or no sync server at all."""
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} sent a web page instead of data", host=server_name(url)),
        _("If this network requires you to sign in, do that first; otherwise check the server's address."),
    )


def nonsense(url: str) -> SyncError:
    return of_request(RequestFailed(R.CORRUPT), url)


def cut_short(url: str) -> SyncError:
    return of_request(RequestFailed(R.CUT_SHORT), url)


def moved_away(url: str, there: str) -> SyncError:
    """The login isn't sent to another server, and the same host on another port counts as another server."""
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} redirects to another server, {there}", host=server_name(url), there=clean_line(origin(there), 80)),
        _("If it has moved there, set up syncing again with the new address."),
    )


def not_secure(url: str) -> SyncError:
    return SyncError(
        SyncFailure.NOT_A_SERVER,
        _("{host} redirects to an address without encryption", host=server_name(url)),
        _("Nothing was sent there. Tell the person who runs the server."),
    )


def bad_address() -> SyncError:
    return of_request(RequestFailed(R.BAD_ADDRESS), "")


def no_password(url: str) -> SyncError:
    what = _("There is no password for {host} on this computer", host=server_name(url))
    return SyncError(SyncFailure.LOGIN, what, _("Set up syncing again."))


def other_user(name: str, expected: str) -> SyncError:
    what = _("You signed in as {user}, but Earmark syncs as {other}", user=name, other=expected)
    advice = _("Sign in with that name; or forget the account, and set up syncing again.")
    return SyncError(SyncFailure.LOGIN, what, advice)


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
