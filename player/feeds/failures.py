"""Why an address can't be read, in plain words: what happened, to what, and what to do now."""

import errno
from urllib.parse import urlsplit

from player.addresses import without_secrets
from player.errors import FeedError, HttpFailure, Offline, Unreachable
from player.text import clean_line


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


def of_network(url: str, error: Exception, *, connect: float, silence: float) -> FeedError:
    """No answer, or a broken one. `connect` and `silence` are the limits that held, in seconds."""
    import socket
    import ssl

    import httpx

    server = host(url)
    causes = tuple(_causes(error))
    if lookup := next((cause for cause in causes if isinstance(cause, socket.gaierror)), None):
        if lookup.errno == socket.EAI_AGAIN:  # nobody could be asked
            return Offline(f"The network isn't there: {server} can't be looked up", "Check your connection.")
        return Unreachable(
            f"No server called {server} can be found", "Check the spelling of the address, and your connection."
        )
    if isinstance(error, httpx.InvalidURL | UnicodeError):
        return Unreachable(f"{shown(url)} is no address that can be opened", "Check its spelling.")
    if certificate := next((cause for cause in causes if isinstance(cause, ssl.SSLCertVerificationError)), None):
        return Unreachable(
            f"{server} can't prove who it is: {clean_line(certificate.verify_message, 120)}",
            "Nothing was fetched. Check this computer's clock, and the address; the server may have to be mended.",
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return Unreachable(
            f"No encrypted connection to {server} comes about", "Try the address with http:// instead of https://."
        )
    if isinstance(error, httpx.ConnectTimeout):
        return Unreachable(f"{server} didn't answer within {connect:g} s", "Check your connection, or try again later.")
    if isinstance(error, httpx.TimeoutException):
        return Unreachable(f"{server} stopped sending for {silence:g} s", "Try again later.")
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Unreachable(f"{server} takes no connections", "Check the address, or try again later.")
    if any(isinstance(cause, OSError) and cause.errno in _NO_WAY for cause in causes):
        return Offline(f"There is no way to {server} from here", "Check your connection.")
    if isinstance(error, httpx.ProxyError):
        return Unreachable(f"The proxy doesn't let Earmark through to {server}", "Check the proxy settings.")
    return odd_answer(url, "the connection broke off or was no HTTP")


_NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}


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


def _causes(error: BaseException) -> list[BaseException]:
    """The error and what led to it."""
    causes: list[BaseException] = []
    here: BaseException | None = error
    while here is not None and here not in causes:
        causes.append(here)
        here = here.__cause__ or here.__context__
    return causes
