"""Raw elements of a feed, from both parsers, that `podcasting20` interprets."""

from typing import NamedTuple

MOST = 2_000
"""Most such elements of an item or channel."""
DEEPEST = 6


class Tag(NamedTuple):
    """An element. Names, also those of attributes, are in lower case and without their prefix."""

    name: str
    attributes: dict[str, str]
    text: str = ""
    inside: tuple["Tag", ...] = ()

    def get(self, name: str) -> str:
        return self.attributes.get(name, "")


PODCAST_NAMESPACES = (
    "podcastindex.org/namespace/1.0",
    "github.com/podcastindex-org/podcast-namespace/blob/main/docs/1.0.md",
)
"""Both mean the same; in lower case, without scheme."""
PSC_NAMESPACE = "podlove.org/simple-chapters"
PLAIN = frozenset({"skiphours", "skipdays"})
"""Elements of RSS itself that hold a list."""


def first(tags: list[Tag], name: str) -> Tag | None:
    return next((tag for tag in tags if tag.name == name), None) if tags else None
