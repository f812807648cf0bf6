"""Why an address can't be read, in plain words: what happened, to what, and what to do now."""

from player.errors import (
    BadAddress,
    FeedError,
    HttpFailure,
    NoAudio,
    NotAFeed,
    NotThere,
    Offline,
    SignInNeeded,
    TooLarge,
    Unreachable,
)
from player.net.failures import FailureReason, RequestFailed, Subject, explain
from player.text.sentences import _, mark

R = FailureReason
_CHECK = mark("Check the URL.")
_BLOCKED = mark("The feed may be for members only, or blocked on your network. Open it in a browser to check.")
FEED = Subject(
    mark("the feed"),
    address=_CHECK,
    own={
        R.UNKNOWN_HOST: ("", mark("Check the URL and your connection.")),
        R.BAD_ADDRESS: (mark("{url} isn't a valid URL"), mark("Check its spelling.")),
        R.REFUSED: ("", mark("Check the URL, or try again later.")),
        R.CONNECTION_LOST: (
            mark("The response from {server} can't be used: the connection was lost, or it isn't HTTP"),
            None,
        ),
        R.REDIRECT_LOOP: (
            mark("Redirect loop at {url}"),
            mark("Open it in a browser; it may want you to sign in."),
        ),
        R.BAD_REDIRECT: (mark("{url} redirects to something that isn't a URL"), None),
        R.LOGIN: ("", mark("Add both to its URL: https://NAME:PASSWORD@{server}/…")),
        R.DENIED: (mark("{server} denied access to {url} ({status})"), _BLOCKED),
        R.NOT_FOUND: (
            mark("Not found ({status}): {url}"),
            mark("Check the URL, or look for a new one on the podcast's website."),
        ),
        R.REMOVED: (
            mark("This feed was removed for good ({status}): {url}"),
            mark("Look for a new one on the podcast's website."),
        ),
        R.TOO_MANY: ("", mark("Try again in an hour.")),
        R.TOO_LARGE: (mark("{url} is larger than {limit} MB, too large for a podcast feed"), None),
        R.CANCELLED: (mark("Fetching {url} was cancelled"), None),
    },
)
_KINDS = {
    R.OFFLINE: Offline, R.NO_NAME_SERVER: Offline, R.UNREACHABLE: Offline, R.TOO_LARGE: TooLarge,
}  # fmt: skip


def of_request(failed: RequestFailed, url: str) -> FeedError:
    """The error for a failed request to the feed at `url`."""
    what, advice = explain(failed, FEED, url)
    if failed.status:
        return HttpFailure(what, advice, failed.status, failed.pause_s)
    return _KINDS.get(failed.reason, Unreachable)(what, advice)


def aborted(url: str) -> FeedError:
    return of_request(RequestFailed(R.CANCELLED), url)


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
        (SignInNeeded, _("Sign-in required")),
        (Offline, _("No network")), (Unreachable, _("Server unreachable")), (NotAFeed, _("Not a feed")),
        (NoAudio, _("No audio")), (TooLarge, _("Feed too large")), (BadAddress, _("Not a URL")),
        (NotThere, _("Not found on this computer")),
    ):  # fmt: skip
        if isinstance(error, kind):
            return words
    return _("Couldn't be read")
