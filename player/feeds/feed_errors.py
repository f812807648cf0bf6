"""Why an address can't be read, in plain words: what happened, to what, and what to do now."""

from urllib.parse import urlsplit

from player.errors import BadAddress, FeedError, HttpFailure, NoAudio, NotAFeed, Offline, TooLarge, Unreachable
from player.links.urls import without_secrets
from player.net.failures import RequestFailed, Trouble
from player.text.cleaning import clean_line


def shown(url: str) -> str:
    """An address as it stands in a sentence."""
    return clean_line(without_secrets(url), 120)


def host(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or url, 80)
    except ValueError:
        return shown(url)


def of_status(url: str, status: int, pause_s: float | None = None) -> HttpFailure:
    """The server's refusal. `pause_s`: it asked not to be asked again before."""
    here, server = shown(url), host(url)
    known = {
        401: (
            f"{server} wants a name and a password for this feed",
            f"Add it with both in its address: https://NAME:PASSWORD@{server}/…",
        ),
        402: (f"{server} wants payment for this feed", "If you have paid, use the address that you got for it."),
        403: (
            f"{server} doesn't hand out {here} (403)",
            "It may be for members only, or closed to your network. Open it in a browser to see.",
        ),
        404: (
            f"There is nothing at {here} (404)",
            "Check the address, or look on the podcast's website for a new one.",
        ),
        410: (f"{here} is gone for good (410)", "Look on the podcast's website for a new address."),
        429: (f"{server} was asked too often and wants a pause (429)", "Try again in an hour."),
    }
    if status in known:
        return HttpFailure(*known[status], status=status, pause_s=pause_s)
    if status >= 500:
        return HttpFailure(f"{server} is in trouble itself ({status})", "Try again later.", status, pause_s)
    return HttpFailure(f"{server} gives an answer that is no feed ({status})", "Check the address.", status)


def of_network(url: str, error: RequestFailed, *, connect: float, silence: float) -> FeedError:
    """No answer, or a broken one. `connect` and `silence` are the limits that held, in seconds."""
    server = host(url)
    match error.trouble:
        case Trouble.NOBODY_TO_ASK:
            return Offline(f"The network isn't there: {server} can't be looked up", "Check your connection.")
        case Trouble.NO_NAME:
            return Unreachable(
                f"No server called {server} can be found", "Check the spelling of the address, and your connection."
            )
        case Trouble.BAD_ADDRESS:
            return Unreachable(f"{shown(url)} is no address that can be opened", "Check its spelling.")
        case Trouble.CERTIFICATE:
            return Unreachable(
                f"{server} can't prove who it is: {clean_line(error.detail, 120)}",
                "Nothing was fetched. Check this computer's clock, and the address; the server may have to be mended.",
            )
        case Trouble.CERTIFICATES:
            return Unreachable(
                f"No server can prove who it is: {clean_line(error.detail, 200)}",
                "Install your system's certificates (ca-certificates), or check SSL_CERT_FILE and SSL_CERT_DIR.",
            )
        case Trouble.TLS:
            return Unreachable(
                f"No encrypted connection to {server} comes about",
                "Check this computer's clock, or try again later: the server may have to be mended.",
            )
        case Trouble.NOT_IN_TIME:
            return Unreachable(
                f"{server} didn't answer within {connect:g} s", "Check your connection, or try again later."
            )
        case Trouble.SILENT:
            return Unreachable(f"{server} stopped sending for {silence:g} s", "Try again later.")
        case Trouble.REFUSED:
            return Unreachable(f"{server} takes no connections", "Check the address, or try again later.")
        case Trouble.NO_WAY:
            return Offline(f"There is no way to {server} from here", "Check your connection.")
        case Trouble.PROXY:
            return Unreachable(f"The proxy doesn't let Earmark through to {server}", "Check the proxy settings.")
        case Trouble.BROKEN | Trouble.CUT_SHORT | Trouble.CIRCLE:
            return odd_answer(url, "the connection broke off or was no HTTP")


def odd_answer(url: str, why: str) -> Unreachable:
    return Unreachable(f"The answer of {host(url)} can't be used: {why}", "Try again later.")


def too_slow(url: str, seconds: float) -> Unreachable:
    return Unreachable(f"{host(url)} is too slow: the feed wasn't here after {seconds:g} s", "Try again later.")


def bad_redirect(url: str) -> Unreachable:
    return Unreachable(f"{shown(url)} leads on to something that is no web address", "Check the address.")


def endless_redirect(url: str) -> Unreachable:
    return Unreachable(
        f"{shown(url)} leads from one address to the next without end",
        "Open it in a browser; it may want you to sign in.",
    )


def aborted(url: str) -> Unreachable:
    return Unreachable(f"Fetching {shown(url)} was stopped")


def reason_of(error: FeedError) -> str:
    """The same in a few words without the address, for a list of the podcasts that failed for it."""
    if isinstance(error, HttpFailure):
        known = {401: "Sign-in needed", 402: "Payment needed", 403: "Access denied", 404: "Not found", 410: "Gone"}
        words = "Server problem" if error.status >= 500 else known.get(error.status, "Refused")
        return f"{words} ({error.status})"
    for kind, words in (
        (Offline, "No network"), (Unreachable, "Server not reached"), (NotAFeed, "Not a feed"), (NoAudio, "No audio"),
        (TooLarge, "Feed too large"), (BadAddress, "Not a web address"),
    ):  # fmt: skip
        if isinstance(error, kind):
            return words
    return "Couldn't be read"
