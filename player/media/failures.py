"""What can go wrong with an episode's bytes, in words for the listener."""

import contextlib
import errno
from enum import Enum
from urllib.parse import urlsplit

from player.errors import MediaError
from player.text import clean_line


class Kind(Enum):
    FINAL = "trying again won't help"
    UNREACHABLE = "nobody answers, or with an excuse"
    DROPPED = "the connection broke"
    EXPIRED = "the address that redirects led to is no longer valid"


class Failure(Exception):
    """A request came to nothing."""

    def __init__(self, kind: Kind, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.kind = kind
        self.error = MediaError(what, advice)


def host_of(url: str) -> str:
    try:
        return clean_line(urlsplit(url).hostname or "", 80) or "the server"
    except ValueError:
        return "the server"


def status_failure(status: int, url: str) -> Failure:
    host = host_of(url)
    if status in (404, 410):
        return Failure(
            Kind.FINAL,
            f"{host} has no such episode any more ({status})",
            "Refresh the podcast: it may have a new address.",
        )
    if status in (401, 407):
        return Failure(Kind.FINAL, f"{host} wants a name and password ({status})", "Check the podcast's address.")
    if status == 403:
        return Failure(
            Kind.FINAL,
            f"{host} refuses to give out the episode ({status})",
            "Its address may have expired: refresh the podcast.",
        )
    if status == 429 or status >= 500:
        return Failure(Kind.UNREACHABLE, f"{host} can't serve the episode now ({status})", "Wait a little.")
    return Failure(Kind.FINAL, f"{host} gave an answer that is no episode ({status})")


def page_failure(url: str) -> Failure:
    return Failure(
        Kind.FINAL,
        f"{host_of(url)} sent a web page instead of audio",
        "If this network asks you to sign in, do so first.",
    )


def changed_failure() -> Failure:
    return Failure(
        Kind.FINAL,
        "The episode has changed on its server since it was kept",
        "The next try fetches the new one.",
    )


def network_failure(error: Exception, url: str) -> Failure:
    """What an exception of httpx means."""
    import socket
    import ssl

    import httpx

    if isinstance(error, httpx.RequestError):
        # Whichever of a chain of redirects it was: blocklists like to name those in the middle.
        with contextlib.suppress(RuntimeError):
            url = str(error.request.url)
    host = host_of(url)
    causes = _causes(error)
    if isinstance(error, httpx.TooManyRedirects):
        return Failure(Kind.FINAL, f"The episode's address at {host} leads round in circles")
    if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL):
        return bad_address_failure()
    if isinstance(error, httpx.ConnectError) and any(isinstance(cause, ssl.SSLError) for cause in causes):
        return Failure(
            Kind.FINAL,
            f"No safe connection to {host}: its certificate or its encryption is not in order",
            "Check this computer's date and network.",
        )
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Failure(Kind.UNREACHABLE, f"Can't find {host}", "Check the network.")
    if isinstance(error, httpx.TimeoutException):
        return Failure(Kind.UNREACHABLE, f"{host} does not answer in time")
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return Failure(Kind.UNREACHABLE, f"Can't reach {host}", "Check the network.")
    return Failure(Kind.DROPPED, f"The connection to {host} broke off")


def bad_address_failure() -> Failure:
    return Failure(Kind.FINAL, "The episode's address is not one that can be fetched", "Refresh the podcast.")


def disk_error(error: OSError) -> MediaError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return MediaError("There is no space left on this disk to keep the episode", "Free some space.")
    return MediaError(
        f"The episode can't be kept in the cache folder: {error.strerror or 'the disk refuses'}",
        "“earmark doctor” shows where the folder is.",
    )


def _causes(error: BaseException | None) -> list[BaseException]:
    """An exception and what led to it."""
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
