"""Addresses as they are shown: without what only tells a server where a reader came from.

What is opened or copied is always the whole address.
"""

import re

_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "oly_")
_TRACKERS = frozenset({
    "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "ttclid", "yclid", "li_fat_id",
    "igsh", "igshid", "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "hsctatracking", "_ga", "_gl", "ref_src",
    "ref_url", "vero_id", "wickedid", "cmpid", "s_cid", "feature", "si",
})  # fmt: skip
_ONLY_THERE = {"si": ("youtu.be", "youtube.com", "spotify.com"), "feature": ("youtu.be", "youtube.com")}
_SCHEME = re.compile(r"(?:https?://(?:www\.)?|www\.|mailto:)", re.IGNORECASE)
_HOST = re.compile(r"[a-z]+://(?:[^/?#]*@)?([^/?#:]*)", re.IGNORECASE)


def without_trackers(address: str) -> str:
    """The address without `utm_source` and its like; the rest as it was written."""
    before, mark, rest = address.partition("?")
    if not mark:
        return address
    query, hash_mark, fragment = rest.partition("#")
    host = found[1].lower() if (found := _HOST.match(before)) else ""
    kept = "&".join(part for part in query.split("&") if part and not _tracks(part.partition("=")[0].lower(), host))
    return before + ("?" + kept if kept else "") + hash_mark + fragment


def _tracks(name: str, host: str) -> bool:
    if name in _ONLY_THERE:
        return host.removeprefix("www.").endswith(_ONLY_THERE[name])
    return name in _TRACKERS or name.startswith(_PREFIXES)


def bare(address: str) -> str:
    """An address as a reader says it: no scheme, no www, no slash at the end."""
    return _SCHEME.sub("", address.strip(), count=1).rstrip("/")


def shown(address: str) -> str:
    """An address as it stands in a text: bare, and without trackers."""
    return bare(without_trackers(address))
