"""When two addresses mean the same feed."""

from urllib.parse import urlsplit

from player.links.radio import stream_of

_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def url_key(url: str) -> str:
    """What addresses of one feed share: a host in lower case; no scheme, trailing slash, default port or fragment. A
    radio stream's is that of its web address."""
    url = stream_of(url.strip())
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    if scheme not in _DEFAULT_PORTS:
        return url
    login, at, host = parts.netloc.rpartition("@")
    host = host.lower().removesuffix(_DEFAULT_PORTS[scheme])
    query = f"?{parts.query}" if parts.query else ""
    return f"{login}{at}{host}{parts.path.rstrip('/')}{query}"
