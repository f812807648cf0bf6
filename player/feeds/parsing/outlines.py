"""The outlines of an OPML file (http://opml.org/spec2.opml), one after the other: a large file needs little memory.

Entities are never looked up, and a broken file is read at least up to the break.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple


class OutlineEvent(NamedTuple):
    """An outline that begins or ends, or the `title` of the list. Names of attributes are in lower case."""

    kind: str
    attributes: dict[str, str]


TITLE, START, END = "title", "start", "end"


def outline_events(pieces: Iterable[bytes]) -> Iterator[OutlineEvent]:
    """Never raises for what the file contains."""
    from lxml import etree

    parser = etree.XMLPullParser(
        events=("start", "end"), recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    for piece in pieces:
        whole = _fed(parser.feed, piece)
        yield from _read(parser.read_events())
        if not whole:
            return
    _fed(parser.close)
    yield from _read(parser.read_events())


def _fed(work: Callable[..., object], *arguments: object) -> bool:
    """False if the parser can't recover from broken input."""
    from lxml import etree

    try:
        work(*arguments)
    except etree.XMLSyntaxError:
        return False
    return True


def _read(events: Iterable[tuple[str, Any]]) -> Iterator[OutlineEvent]:
    for event, element in events:
        name = element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""
        if name == "title" and event == "end":
            yield OutlineEvent(TITLE, {"text": element.text or ""})
        elif name == "outline" and event == "start":
            yield OutlineEvent(START, {str(key).lower(): str(value) for key, value in element.attrib.items()})
        elif name == "outline":
            yield OutlineEvent(END, {})
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
