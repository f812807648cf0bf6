"""Addresses as a reader says them, and where they lead."""

import re
from urllib.parse import urlsplit

_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_SCHEME = re.compile(r"(?:https?://(?:www\.)?|www\.|mailto:)", re.IGNORECASE)
_CODE_HOSTS = frozenset({"github.com", "gitlab.com", "codeberg.org"})


def is_address(label: str, href: str) -> bool:
    return bool(_URL.fullmatch(label)) or bare(label) == bare(href)


def bare(address: str) -> str:
    """An address as a reader says it: no scheme, no www, no slash at the end."""
    return _SCHEME.sub("", address.strip(), count=1).rstrip("/")


def leads_to(href: str) -> str:
    """The host; for code, whose it is and which; for mail, to whom."""
    parts = urlsplit(href)
    host = parts.netloc.rpartition("@")[2].lower().removeprefix("www.")
    steps = [step for step in parts.path.split("/") if step]
    if host in _CODE_HOSTS and len(steps) >= 2:
        return f"{steps[0]}/{steps[1]}"
    return host or bare(href)
