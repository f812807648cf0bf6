"""Addresses inside the listener's own network, to which nothing from the web may redirect."""

import ipaddress
import socket
from urllib.parse import urlsplit


def is_inside(address: str) -> bool:
    """Whether a web address leads to this computer or to its own network (loopback, link-local, private).

    Waits for the name to be looked up; False for one that isn't found.
    """
    try:
        host = urlsplit(address).hostname or ""
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, ValueError, UnicodeError):
        return False
    return any(is_inside_ip(str(entry[4][0])) for entry in found)


def is_inside_ip(text: str) -> bool:
    """The same for an IPv4 or IPv6 address."""
    try:
        ip = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or ip.sixtofour or ip
    return not ip.is_global or ip.is_multicast
