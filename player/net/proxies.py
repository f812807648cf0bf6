"""The proxy for a server, from the environment: http_proxy, https_proxy, all_proxy and no_proxy, lower case first. On
macOS, the system's settings where the environment has none.
"""

import os
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_USUAL = 1080
_FAR = {"socks4": "socks4a", "socks5": "socks5h", "socks": "socks5h"}
"""Variants of a proxy's scheme by which the proxy looks names up."""


class Proxies:
    """`settings` maps `http`, `https` and `all` to a proxy's address, and `no` to hosts that need none."""

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
