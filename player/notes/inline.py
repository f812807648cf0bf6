"""Markup within plain text: addresses become links, and Markdown that wasn't rendered becomes style."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from player.links.urls import web_address
from player.notes.blocks import Span, Spans
from player.notes.urls_in_text import WEB, ends, target, without_trailing_marks

_DEEPEST = 3
_MOST_SIGNS = 20_000
"""Most marks (addresses and Markdown) that are read in one text; the rest of it stays plain text."""

# The domain of an address without a scheme or `www.` ends in one of these, which tells it from a path, `and/or`, or a
# file name.
_DOMAINS = (
    "com|org|net|io|fm|dev|co|co[.]uk|org[.]uk|de|tv|me|gg|info|be|app|ai|edu|gov|fr|nl|eu|ca|au|com[.]au|ch|at|it|es|"
    "se|no|dk|fi|pl|jp|us|uk|in|ly|to|cc|sh|xyz|blog|show|link|audio|media|news|social|cloud|tech|gl|page|rocks|sx"
)
_END = r"[^\s<>\"“”«»、。，）」』】》；！？]"
# None of these patterns scans its text twice: every attempt ends at the next mark of its kind, without backtracking.
_WEB = f"(?P<web>{WEB.pattern})"
_BARE = (
    rf"(?<![\w@./:-])(?P<bare>(?:www\.(?:[\w-]{{1,63}}\.){{1,5}}[A-Za-z]{{2,24}}(?![\w.-]*@)|"
    rf"(?:[A-Za-z0-9-]{{1,63}}\.){{1,5}}(?:{_DOMAINS})(?=/))(?:[/?#]{_END}*+)?)"
)
_MAIL = r"(?<![\w.+/:@-])(?P<mail>[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})(?![\w@-])"
_TO = r"(?:https?://|mailto:)(?:[^\s()<>]|\([^\s()<>]*+\))++"
_LINK = rf"(?P<image>!?)\[(?P<label>[^\[\]\n]{{0,400}}+)\]\(\s?<?(?P<to>{_TO})>?(?:\s+\"[^\"\n]*+\")?\s?\)"
_PICTURE = rf"\[!\[(?P<alt>[^\[\]\n]{{0,400}}+)\]\([^()\s]*+\)\]\((?P<behind>{_TO})\)"
_CODE = r"(?<!`)(?P<ticks>`{1,3}+)(?P<code>[^`\n]++)(?P=ticks)(?!`)"
_BOLD = r"(?<![A-Za-z0-9*\\])\*\*(?=[^\s*])(?P<bold>[^*\n]++)(?<=[^\s\\])\*\*(?![A-Za-z0-9*])"
_BOLD_2 = r"(?<![\w\\])__(?=[^\s_])(?P<bold2>[^_\n]++)(?<=[^\s\\])__(?!\w|[.]\w)"
_EM = r"(?<![A-Za-z0-9*\\])\*(?=[^\s*])(?P<em>[^*\n]++)(?<=[^\s\\])\*(?![A-Za-z0-9*])"
_EM_2 = r"(?<![\w\\])_(?=[^\s_])(?P<em2>[^_\n]++)(?<=[^\s\\])_(?!\w)"
_ESCAPE = r"\\(?P<escaped>[\\`*_{}\[\]()#+.!~>|-])"
_ANGLE = r"<(?P<angle>(?:https?://|mailto:)[^\s<>]++|[\w.+-]{1,64}@[\w-]++(?:\.[\w-]++)++)>"

_SIGNS = re.compile(rf"{_PICTURE}|{_LINK}|{_CODE}|{_ANGLE}|{_WEB}|{_BARE}|{_MAIL}|{_BOLD}", re.IGNORECASE)
_MAYBE = re.compile(r"[/@`\[]|\*\*|www\.")
_MAYBE_MARKDOWN = re.compile(r"[/@`\[*_\\]|www\.")
_SURE = re.compile(rf"\]\((?:https?://|mailto:)|^#{{1,6}} \S|^(?:```|~~~)|{_BOLD}", re.MULTILINE)
_NAME_OF_PYTHON = re.compile("__[a-z]+__")
_LABEL_AT_END = re.compile(r"!?\[([^\[\]\n]{1,400})\]\(<?$")


@cache
def _markdown() -> re.Pattern[str]:
    return re.compile(f"{_SIGNS.pattern}|{_BOLD_2}|{_EM}|{_EM_2}|{_ESCAPE}", re.IGNORECASE)


def is_markdown(text: str) -> bool:
    """Whether a text is certainly Markdown, so that even a single asterisk in it is markup."""
    return any(sign in text for sign in ("](", "**", "```", "~~~", "# ")) and bool(_SURE.search(text))


def inline(spans: Spans, markdown: bool) -> Spans:
    """The spans with their addresses made links, and their Markdown made style."""
    maybe = (_MAYBE_MARKDOWN if markdown else _MAYBE).search
    if not any(not span.href and maybe(span.text) for span in spans):
        return spans
    if len(spans) > 2:
        spans = _rejoined(spans)
    read: list[Span] = []
    for span in spans:
        if span.href or not maybe(span.text):
            read.append(span)
        elif span.code:
            read += _linked(span)
        else:
            read += _read(span, markdown, 0)
    return tuple(span for span in read if span.text)


def _rejoined(spans: Spans) -> Spans:
    """Makes `[label](` and `)` around an address that the host made a link into a link with that label."""
    joined: list[Span] = []
    for span in spans:
        if span.text[:1] == ")" and len(joined) > 1 and joined[-1].href and not joined[-2].href:
            label = _LABEL_AT_END.search(joined[-2].text)
            if label and web_address(joined[-1].text.strip()):
                joined[-1] = joined[-1]._replace(text=label[1])
                joined[-2] = joined[-2]._replace(text=joined[-2].text[: label.start()])
                span = span._replace(text=span.text[1:])
        joined.append(span)
    return tuple(joined)


def _linked(span: Span) -> Iterator[Span]:
    """The parts of a span of code, in which only addresses are markup."""
    at = 0
    for found in WEB.finditer(span.text):
        for start, end in _addresses(span.text, found.start(), found.end()):
            yield span._replace(text=span.text[at:start])
            yield span._replace(text=span.text[start:end], href=web_address(span.text[start:end]))
            at = end
    yield span._replace(text=span.text[at:])


def linked(spans: Spans) -> Spans:
    """The spans of code with their addresses made links."""
    if not any("://" in span.text for span in spans):
        return spans
    return tuple(part for span in spans for part in ([span] if span.href else _linked(span)) if part.text)


def _addresses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the addresses in `text[start:end]`, which has no spaces; each without the punctuation that ends its
    sentence."""
    for stop in ends(text, start, end):
        url = without_trailing_marks(text[start:stop])
        if web_address(url):
            yield start, start + len(url)
        start = stop


def _read(span: Span, markdown: bool, depth: int) -> Iterator[Span]:
    text, at = span.text, 0
    for found in islice((_markdown() if markdown else _SIGNS).finditer(text), _MOST_SIGNS):
        parts = list(_sign(span, found, markdown, depth))
        if parts:
            yield span._replace(text=text[at : found.start()])
            yield from parts
            at = found.end()
    yield span._replace(text=text[at:])


def _sign(span: Span, found: re.Match[str], markdown: bool, depth: int) -> Iterator[Span]:
    """The spans that a mark in a text stands for; none if it is only text."""
    kind, matched = found.lastgroup, found[0]
    match kind:
        case "web":
            yield from _web(span, found)
        case "bare":
            url = without_trailing_marks(matched)
            if href := web_address(f"https://{url}"):
                yield span._replace(text=url, href=href)
                yield span._replace(text=matched[len(url) :])
        case "mail":
            yield span._replace(text=matched, href=f"mailto:{matched}")
        case "angle":
            matched = found["angle"]
            yield span._replace(text=matched, href=target(matched if ":" in matched else f"mailto:{matched}"))
        case "to":
            yield from _named(span, found["label"], found["to"], markdown, depth, image=bool(found["image"]))
        case "behind":
            yield from _named(span, found["alt"], found["behind"], markdown, depth)
        case "code":
            yield from _linked(span._replace(text=found["code"], code=True))
        case "bold" | "bold2":
            if kind == "bold" or not _NAME_OF_PYTHON.fullmatch(matched):
                yield from _within(span._replace(text=found[kind], bold=True), markdown, depth)
        case "em" | "em2":
            yield from _within(span._replace(text=found[kind], italic=True), markdown, depth)
        case "escaped":
            yield span._replace(text=found["escaped"])


def _web(span: Span, found: re.Match[str]) -> Iterator[Span]:
    text, at = found.string, found.start()
    for start, end in _addresses(text, found.start(), found.end()):
        yield span._replace(text=text[at:start] or ("\n" if start > found.start() else ""))
        yield span._replace(text=text[start:end], href=web_address(text[start:end]))
        at = end
    if at > found.start():
        yield span._replace(text=text[at : found.end()])


def _named(span: Span, label: str, href: str, markdown: bool, depth: int, *, image: bool = False) -> Iterator[Span]:
    """The spans of a link or an image in Markdown; an image becomes a link to its address."""
    href = target(href)
    if not href:
        return
    label = " ".join(label.split())
    if image:
        label = f"[image: {label}]" if label else "[image]"
    elif label and depth < _DEEPEST and (markdown or "**" in label or "`" in label):
        for part in _read(span._replace(text=label), markdown, _DEEPEST):
            yield part._replace(href=href)
        return
    yield span._replace(text=label or href, href=href)


def _within(span: Span, markdown: bool, depth: int) -> Iterator[Span]:
    return _read(span, markdown, depth + 1) if depth < _DEEPEST else iter((span,))
