"""The links of an episode, numbered as in its notes, with the names that people use for such pages."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from player.links.page_names import PageKind, recognised
from player.links.urls import bare, host, shown, without_secrets
from player.notes import Code, Notes, Span
from player.text.cleaning import clean_line
from player.text.sentences import _
from player.text.times import leading, timestamps

_TITLE_CHARACTERS = 200
_AROUND_CHARACTERS = 100
_MOST_TIMES = 10_000
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_FORGES = frozenset({"github.com", "gitlab.com", "codeberg.org"})
_AROUND_TIMES, _OPENING = " \t:-–—|.()[]", ("(", "[")
_EMPTY_BRACKETS = re.compile(r"\s*[(\[]\s*[)\]]")
_SAYS_NOTHING = frozenset({"here", "link", "this", "click here", "read more", "more", "source", "website", "url"})


class Link(Struct, frozen=True):
    """`address` is the complete address to open; the rest is for display. `name` is "" if the page isn't `Known`."""

    number: int
    title: str
    address: str
    host: str
    kind: PageKind = PageKind.PAGE
    name: str = ""

    @property
    def leads_to(self) -> str:
        """The text to show next to the title: the name, or the host if there is no name or the title contains it."""
        return self.name if self.name and self.name.casefold() not in self.title.casefold() else self.host


class TimeLink(Struct, frozen=True):
    """A timestamp in the notes; `text` is the time as written there."""

    ms: int
    text: str
    title: str


class Links(Struct, frozen=True):
    """The links in the order of the notes; the pages of the episode and of its podcast, and others that the feed names,
    come last."""

    pages: tuple[Link, ...] = ()
    times: tuple[TimeLink, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.pages or self.times)

    @property
    def markdown(self) -> str:
        """The pages as a Markdown list to paste; "" without pages."""
        return "".join(f"- [{_escaped(link.title)}](<{link.address}>)\n" for link in self.pages)


def numbers(notes: Notes) -> dict[str, int]:
    """The number of each address in the notes, from 1, in reading order."""
    return {href: number for number, href in enumerate(notes.links, start=1)}


def links(
    notes: Notes,
    duration_ms: int | None = None,
    *,
    episode: str = "",
    podcast: str = "",
    others: Iterable[tuple[str, str]] = (),
) -> Links:
    """All links of `notes`, then the pages of the episode and of the podcast, and the `others`, each an address and a
    title, if these aren't among them."""
    found = numbers(notes)
    titles = dict[str, str]()
    for block in notes.blocks:
        for line in _lines(block.spans):
            for href, title in _titles(line):
                if title and not titles.get(href):
                    titles[href] = title
    pages = [(episode, _("This episode")), (podcast, _("This podcast"))]
    for address, title in (*pages, *others):
        if address and address not in found:
            found[address] = len(found) + 1
            titles[address] = title
    return Links(
        tuple(_link(number, href, titles.get(href, "")) for href, number in found.items()), _times(notes, duration_ms)
    )


def _link(number: int, address: str, title: str) -> Link:
    known = recognised(address)
    if known is None:
        kind = PageKind.MAIL if address.lower().startswith("mailto:") else PageKind.PAGE
        return Link(number, title or _readable(address), address, host_of(address), kind)
    return Link(number, title or known.name, address, host_of(address), *known)


def _readable(address: str) -> str:
    return clean_line(shown(without_secrets(address)), _TITLE_CHARACTERS)


def host_of(address: str) -> str:
    """The host that an address really leads to, the recipient of a `mailto:` address, or the room of a chat that has no
    host."""
    if address.startswith(("xmpp:", "matrix:")):
        room = address.partition(":")[2].removeprefix("roomid/").removeprefix("r/").removesuffix("?join")
        return clean_line(unquote(room), _AROUND_CHARACTERS)
    if address.lower().startswith("mailto:"):
        return clean_line(bare(address).partition("?")[0], _AROUND_CHARACTERS)
    return host(address).removeprefix("www.")


def site_of(address: str) -> str:
    """The host; for a repository, its owner and name; for a `mailto:` address, the recipient."""
    host = host_of(address)
    steps = [step for step in urlsplit(address).path.split("/") if step] if host in _FORGES else []
    return clean_line(f"{steps[0]}/{steps[1]}", _AROUND_CHARACTERS) if len(steps) >= 2 else host


# -- titles ---------------------------------------------------------------------------------------------------


def is_address(label: str, href: str) -> bool:
    """Whether a link's text is only an address."""
    return bool(_URL.fullmatch(label.strip())) or bare(label) in (bare(href), shown(href))


def _titles(line: Sequence[Span]) -> Iterator[tuple[str, str]]:
    """Each link in a line with its title; "" if the line has no title for it."""
    text = _text(line)
    runs = [(href, _text(spans)) for href, spans in groupby(line, lambda span: span.href)]
    linked = [(href, label) for href, label in runs if href and label.strip()]
    for href, label in linked:
        title = clean_line(label, _TITLE_CHARACTERS)
        if is_address(title, href) or title.casefold().strip(" .!:") in _SAYS_NOTHING:
            title = _before(text, label.strip()) if len(linked) == 1 else ""
        yield href, title


def _before(text: str, label: str) -> str:
    """The words that introduce an address at the end of a short line: “Lowering guide: https://…”."""
    end = text.rstrip(" .)")
    words = end.removesuffix(label).strip(" \t:-–—(") if end.endswith(label) else ""
    return clean_line(words) if len(words) <= _AROUND_CHARACTERS else ""


def _lines(spans: Sequence[Span]) -> Iterator[Sequence[Span]]:
    if not any("\n" in span.text for span in spans):
        yield spans
        return
    line: list[Span] = []
    for span in spans:
        first, *others = span.text.split("\n")
        line.append(span._replace(text=first))
        for other in others:
            yield line
            line = [span._replace(text=other)]
    yield line


def _text(spans: Iterable[Span]) -> str:
    return "".join(span.text for span in spans)


def _escaped(title: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", title)


# -- times ----------------------------------------------------------------------------------------------------


def _times(notes: Notes, duration_ms: int | None) -> tuple[TimeLink, ...]:
    found = dict[int, TimeLink]()
    looked_at = 0
    for block in notes.blocks:
        if isinstance(block, Code):
            continue
        for line in _lines(block.spans):
            for time in _times_of_line(line, duration_ms):
                found.setdefault(time.ms, time)
                looked_at += 1
                if looked_at >= _MOST_TIMES:
                    return tuple(found.values())
    return tuple(found.values())


def _times_of_line(line: Sequence[Span], duration_ms: int | None) -> Iterator[TimeLink]:
    text = _text(line)
    if ":" not in text:
        return
    first = leading(text, duration_ms)
    if first is not None:
        yield TimeLink(first.ms, first.text, clean_line(text[first.end :], _TITLE_CHARACTERS))
    at = 0
    for span in line:
        if not (span.code or span.href):
            for time in timestamps(span.text, duration_ms):
                start, end = at + time.start, at + time.end
                if first is None or start != first.start:
                    yield TimeLink(time.ms, time.text, _around(text, start, end))
        at += len(span.text)


def _around(text: str, start: int, end: int) -> str:
    """The sentence that contains a time: without the time if that is at either end or in brackets, else with it."""
    before = text[max(0, start - _AROUND_CHARACTERS) : start].rpartition(". ")[2]
    after = text[end : end + _AROUND_CHARACTERS].partition(". ")[0]
    if before.strip(_AROUND_TIMES) and after.strip(_AROUND_TIMES) and before[-1:] not in _OPENING:
        return clean_line((before + text[start:end] + after).strip())
    return clean_line(_EMPTY_BRACKETS.sub("", before + after).strip(" \t:-–—|."))
