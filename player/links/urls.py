"""Addresses from outside: made safe to open, shown without trackers, and compared."""

import re
from contextlib import suppress
from urllib.parse import quote, unquote, urljoin, urlsplit

from player.text.cleaning import clean_line

LIMIT = 8_000
"""Most characters of an address."""
FEED_SCHEMES = {"feed": "http", "pcast": "http", "podcast": "http", "itpc": "http", "rss": "http", "feeds": "https"}
"""Schemes that open a feed in a podcast player, and the schemes that they stand for."""

# Most addresses match this, and then needn't be cleaned, resolved or checked.
_PLAIN = re.compile(
    r"https?://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,4}|:[1-5][0-9]{4})?(?:[/?#][!-~]*)?"
)

_LEGAL = "!#$%&'()*+,/:;=?@[]~"
_CHAT = re.compile(
    r"irc://[A-Za-z0-9.:-]+/[A-Za-z0-9%._~-]*|xmpp:[A-Za-z0-9%._~-]+@[A-Za-z0-9%._~-]+\?join"
    r"|matrix:r(?:oomid)?/[A-Za-z0-9%._~:-]+"
)
"""As `chat_address` writes them: none has a query but XMPP's `join`."""
_END_OF_PLACE = re.compile("[/?#]")
_NOT_ASCII = re.compile("(?:%[89A-Fa-f][0-9A-Fa-f])+")
_USER_INFO = re.compile(r"://[^\s/?#@]+@(?:[^\s/?#@]*@)*")
_PORTS = {"http": 80, "https": 443}


def web_address(text: str, base: str = "") -> str:
    """An absolute http or https address, resolved against `base` if that is one; "" if there is none."""
    if not text or len(text) > LIMIT:
        return ""
    if _PLAIN.fullmatch(text):
        return text
    address = clean_line(text, LIMIT).replace(" ", "%20")
    if not address:
        return ""
    try:
        whole = urljoin(base, address) if base.startswith(("http://", "https://")) else address
        parts = urlsplit(whole)
        _ = parts.port  # raises for an invalid port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname or len(whole) > LIMIT:
        return ""
    return parts.scheme + whole[len(parts.scheme) :]


def openable(address: str) -> str:
    """The address in a form that may be passed to a browser, a mail program or a terminal: http, https, mailto, or that
    of a chat room, in the characters of RFC 3986; "" for any other. Of a mail's headers, only the ones that the sender
    sees are kept: `attach` would send a file.
    """
    if _CHAT.fullmatch(address) and len(address) <= LIMIT:
        return address
    if not address.lower().startswith("mailto:"):
        return quote(web_address(address), safe=_LEGAL)
    to, _, headers = clean_line(address[len("mailto:") :], LIMIT).partition("?")
    kept = "&".join(one for one in headers.split("&") if one.partition("=")[0].lower() in ("subject", "body", "cc"))
    return quote(f"mailto:{to}" + (f"?{kept}" if kept else ""), safe=_LEGAL) if "@" in to else ""


def without_secrets(address: str) -> str:
    """The address without any name and password in it: for sentences and logs."""
    scheme, separator, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return scheme + separator + host.rpartition("@")[2] + slash + path


def split_login(address: str) -> tuple[str, tuple[str, str] | None]:
    """The address without any name and password in it, and these two; None if there are none."""
    user_info = urlsplit(address).netloc.rpartition("@")[0]
    if not user_info:
        return address, None
    name, _, password = user_info.partition(":")
    return without_secrets(address), (unquote(name), unquote(password))


def with_login(address: str, name: str, password: str) -> str:
    """The address with name and password in it, for programs that accept them in no other way."""
    scheme, separator, rest = without_secrets(address).partition("://")
    return f"{scheme}{separator}{quote(name, safe='')}:{quote(password, safe='')}@{rest}"


def origin(address: str) -> str:
    """`https://example.com`, with the port unless it is the default (RFC 6454); "" if there is none."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in _PORTS or not parts.hostname:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{port}" if port and port != _PORTS[parts.scheme] else "")


def own_origins(here: str) -> frozenset[str]:
    """The origins from which the server at `here` answers: its own, and the same with encryption."""
    return frozenset({origin(here), origin(here).replace("http:", "https:", 1)})


def on_same_server(address: str, here: str) -> bool:
    """Whether `address` has the same host and port as `here`, and is encrypted if `here` is."""
    return origin(address) in own_origins(here)


def host(address: str) -> str:
    """`example.com`; "" if there is none."""
    try:
        return clean_line(urlsplit(address).hostname or "", 80)
    except ValueError:
        return ""


def in_ascii(address: str) -> str:
    """The same web address in ASCII (RFC 3987, 3.1): the host name in IDNA, the rest percent-encoded. "" if it has no
    such form, or contains a name and password."""
    if address.isascii():
        return address
    import idna  # few addresses need it

    before, mark, rest = address.partition("://")
    place = _END_OF_PLACE.split(rest, maxsplit=1)[0]
    name, colon, port = place.partition(":")
    try:
        name = name if name.isascii() else idna.encode(name, uts46=True).decode()
    except UnicodeError:  # includes idna's errors
        return ""
    return "" if "@" in place else f"{before}{mark}{name}{colon}{port}{quote(rest[len(place) :], safe=_LEGAL)}"


def in_unicode(address: str) -> str:
    """The same web address with the letters that `in_ascii` encodes in ASCII (RFC 3987, 3.2)."""
    host_name = host(address)
    if "xn--" in host_name:
        import idna

        with suppress(UnicodeError):
            address = address.replace(host_name, idna.decode(host_name), 1)
    return _NOT_ASCII.sub(_decoded, address)


def _decoded(found: re.Match[str]) -> str:
    try:
        return unquote(found[0], errors="strict")
    except UnicodeDecodeError:
        return found[0]


def redacted(text: str) -> str:
    """The text with the name and password of every address in it hidden: for logs."""
    return _USER_INFO.sub("://…@", text) if "@" in text else text


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
    """The address without `utm_source` and similar parameters; otherwise as it was written."""
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
    """An address as people say it: no scheme, no www, no slash at the end."""
    return _SCHEME.sub("", address.strip(), count=1).rstrip("/")


def shown(address: str) -> str:
    """An address as shown in a text: bare, and without trackers."""
    return bare(without_trackers(address))


_YOUTUBE = {"youtube.com", "www.youtube.com", "m.youtube.com", "youtu.be"}
_UNSAFE_IN_LINK = re.compile(r"[\x00-\x20<>\\]")


def link_at(link: str, position_ms: int | None) -> str:
    """A link to that second: by a media fragment (W3C Media Fragments URI 1.0, `#t=754`) if the link has no fragment of
    its own; on YouTube by its own `t=754s`. "" if it isn't a link on the web."""
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    address = _UNSAFE_IN_LINK.sub(lambda found: quote(found[0]), link)
    if parts.fragment or position_ms is None:
        return address
    seconds = position_ms // 1000
    if parts.netloc.lower() in _YOUTUBE and not re.search(r"(^|&)t=", parts.query):
        return f"{address.rstrip('#')}{'&' if parts.query else '?'}t={seconds}s"
    return f"{address.rstrip('#')}#t={seconds}"
