"""Addresses of sync servers, as people type them and as servers answer them."""

import re

from player.links.urls import host, origin, split_login, web_address
from player.sync.web import server_errors

_INSIDE = re.compile(r"/(?:index\.php|api/2|apps/gpoddersync|login)(?:/.*)?$")
_HAS_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def server_address(typed: str) -> str:
    """The address that a server's paths are added to, without a slash at its end. Raises SyncError.

    People type a name alone, or copy the address of a page.
    """
    typed = typed.strip()
    is_one = typed.isprintable() and " " not in typed
    address = web_address(typed if _HAS_SCHEME.match(typed) else f"https://{typed}") if is_one else ""
    address = split_login(address)[0] if address else ""
    if not address or not host(address):
        raise server_errors.bad_address()
    address = address.partition("?")[0].partition("#")[0]
    return _INSIDE.sub("", address.rstrip("/")).rstrip("/")


def own_origins(here: str) -> frozenset[str]:
    """The origins from which the server at `here` answers: its own, and the same with encryption."""
    return frozenset({origin(here), origin(here).replace("http:", "https:", 1)})


def on_same_server(address: str, here: str) -> bool:
    """Whether `address` has the same host and port as `here`, and is encrypted if `here` is."""
    return origin(address) in own_origins(here)
