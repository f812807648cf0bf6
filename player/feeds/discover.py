"""The feeds that a web page names: `<link rel="alternate" type="application/rss+xml" href=...>` (HTML standard)."""

from typing import cast

from player.links.urls import web_address

_TYPES = {
    "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml",
}  # fmt: skip
_PAGE_LIMIT = 2_000_000
_FEED_LIMIT = 10


def feed_links(page: bytes, url: str) -> tuple[str, ...]:
    """Absolute addresses in the order of the page, comments last; `url` is the page's own. At most ten."""
    from lxml import etree

    try:
        parser = etree.HTMLParser(no_network=True, huge_tree=True)
        root = cast("etree._Element | None", etree.fromstring(page[:_PAGE_LIMIT], parser))
    except (etree.XMLSyntaxError, ValueError):
        return ()
    if root is None:  # nothing but white space and comments
        return ()
    base = url
    found: dict[str, bool] = {}
    for element in root.iter("base", "link"):
        href = element.get("href", "")
        if element.tag == "base":
            base = web_address(href, url) or base
            continue
        relations = element.get("rel", "").lower().split()
        kind = element.get("type", "").partition(";")[0].strip().lower()
        address = web_address(href, base)
        if address and address != url and kind in _TYPES and {"alternate", "feed"} & set(relations):
            found.setdefault(address, "comment" in f"{href} {element.get('title', '')}".lower())
    return tuple(sorted(found, key=found.__getitem__))[:_FEED_LIMIT]
