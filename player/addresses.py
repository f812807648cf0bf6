"""Addresses from outside, made safe to open and to show."""

import re
from urllib.parse import urljoin, urlsplit

from player.text import clean_line

LIMIT = 8_000
"""Characters. What is longer is no address."""

# What most addresses are: nothing to clean, to resolve or to check.
_PLAIN = re.compile(r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?:[/?#][!-~]*)?")


def web_address(text: str, base: str = "") -> str:
    """An absolute http or https address, resolved against `base` if that is one; "" where there is none."""
    if len(text) > LIMIT:
        return ""
    if _PLAIN.fullmatch(text):
        return text
    address = clean_line(text, LIMIT).replace(" ", "%20")
    if not address:
        return ""
    try:
        whole = urljoin(base, address) if base.startswith(("http://", "https://")) else address
        parts = urlsplit(whole)
        _ = parts.port  # raises for a port that is none
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or len(whole) > LIMIT:
        return ""
    return parts.scheme + whole[len(parts.scheme) :]


def without_secrets(address: str) -> str:
    """The address without the name and password it may carry: for sentences and logs."""
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path
