"""The machine's network settings: proxies, trusted certificates, and addresses inside the listener's own network."""

import ipaddress
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct


def is_inside(address: str) -> bool:
    """Whether a web address leads to this computer or to its own network (loopback, link-local, private).

    Blocks while the name is looked up; False for an unknown name.
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


_PORTS = {"http": 80, "https": 443}
_USUAL = 1080
_FAR = {"socks4": "socks4a", "socks5": "socks5h", "socks": "socks5h"}
"""The variants of a proxy's scheme with which the proxy itself looks names up."""


class Proxies:
    """`settings` maps `http`, `https` and `all` to a proxy's address, and `no` to the hosts that need no proxy."""

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        settings = _environment() if settings is None else settings
        self._of = {scheme: _whole(address) for scheme in _SCHEMES if (address := settings.get(scheme, ""))}
        self._without = [one.strip().lower() for one in settings.get("no", "").split(",") if one.strip()]

    def of(self, scheme: str, host: str) -> str:
        """The proxy's address, with scheme and port; "" for none."""
        found = self._of.get(scheme) or self._of.get("all", "")
        return found if found and not any(_covers(one, host) for one in self._without) else ""


_SCHEMES = ("http", "https", "all")


def _environment() -> Mapping[str, str]:
    names = (*_SCHEMES, "no")
    settings = {name: os.environ.get(f"{name}_proxy", os.environ.get(f"{name.upper()}_PROXY", "")) for name in names}
    if sys.platform == "darwin" and not any(settings.values()):
        from urllib.request import getproxies  # noqa: TID251 — asks the system, and nothing else

        return getproxies()
    return settings


def _whole(address: str) -> str:
    if "://" not in address:
        address = f"http://{address}"
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if not parts.hostname:
        return ""
    return f"{_FAR.get(parts.scheme, parts.scheme)}://{parts.netloc}" + (
        "" if port else f":{_PORTS.get(parts.scheme, _USUAL)}"
    )


def _covers(rule: str, host: str) -> bool:
    """`example.com` stands for itself and its subdomains, `.example.com` for subdomains alone; ports are ignored."""
    if rule == "*":
        return True
    rule = rule.rpartition("://")[2].removeprefix("*")
    if rule.count(":") == 1:
        rule = rule.partition(":")[0]
    rule = rule.strip("[]")
    return bool(rule) and (host == rule or host.endswith(rule if rule.startswith(".") else f".{rule}"))


_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Arch, Alpine, Gentoo
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",  # macOS, Alpine, the BSDs
)


class Trust(Struct, frozen=True):
    """A file and a folder of certificates, either of which may be ""."""

    file: str
    folder: str


def trusted() -> Trust:
    """The certificates named by SSL_CERT_FILE and SSL_CERT_DIR, else the system's, else certifi's."""
    file, folder = os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", "")
    if file or folder:
        return Trust(file, folder)
    for known in _FILES:
        if Path(known).is_file():
            return Trust(known, "")
    import ssl

    paths = ssl.get_default_verify_paths()
    if paths.cafile or paths.capath:
        return Trust(paths.cafile or "", paths.capath or "")
    import certifi

    return Trust(certifi.where(), "")
