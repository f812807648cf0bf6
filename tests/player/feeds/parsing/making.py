"""Feeds for tests."""

from xml.sax.saxutils import escape, quoteattr

NAMESPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" '
    'xmlns:content="http://purl.org/rss/1.0/modules/content/" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)
AUDIO = '<enclosure url="https://media.example/1.mp3" length="1000" type="audio/mpeg"/>'


def rss(*items: str, channel: str = "<title>A show</title>", namespaces: str = NAMESPACES) -> bytes:
    """A feed with these items, each the inside of an `<item>`."""
    inside = "".join(f"<item>{item}</item>" for item in items)
    start = f'<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" {namespaces}>'
    return f"{start}<channel>{channel}{inside}</channel></rss>".encode()


def item(number: int = 1, *, title: str | None = None, guid: str | None = None, url: str | None = None) -> str:
    """An episode of its own for each number."""
    address = url if url is not None else f"https://media.example/{number}.mp3"
    name = title if title is not None else f"Episode {number}"
    identity = guid if guid is not None else f"guid-{number}"
    return (
        f"<title>{escape(name)}</title>"
        + (f'<guid isPermaLink="false">{escape(identity)}</guid>' if identity else "")
        + f"<enclosure url={quoteattr(address)} length='1000' type='audio/mpeg'/>"
    )


def page(*links: str, title: str = "A show") -> bytes:
    """A web page with these elements in its head."""
    head = f"<head><title>{title}</title>{''.join(links)}</head>"
    return f"<!DOCTYPE html><html>{head}<body><p>Hello</p></body></html>".encode()


def feed_link(href: str, title: str = "RSS", kind: str = "application/rss+xml") -> str:
    return f'<link rel="alternate" type="{kind}" title="{title}" href="{href}">'
