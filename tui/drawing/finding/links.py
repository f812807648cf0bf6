"""Links to podcasts that aren't in the library: to the page of one, or to what directories find for some words."""

from urllib.parse import quote, unquote

_PREVIEW, _FIND = "earmark:preview/", "earmark:find/"


def preview_link(url: str) -> str:
    return f"{_PREVIEW}{quote(url, safe='')}"


def preview_of(href: str) -> str:
    """The feed that a link leads to; "" for any other link."""
    return unquote(href.removeprefix(_PREVIEW)) if href.startswith(_PREVIEW) else ""


def find_link(words: str) -> str:
    return f"{_FIND}{quote(words, safe='')}"


def find_of(href: str) -> str:
    """The words that a link looks for; "" for any other link."""
    return unquote(href.removeprefix(_FIND)) if href.startswith(_FIND) else ""
