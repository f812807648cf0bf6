"""Parses the text of notes, whatever its markup, into blocks: once for the page, the links and the chapters."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from threading import Lock
from time import sleep

from player.notes import blocks
from player.notes.blocks import Block, Notes, Paragraph, Span
from player.notes.building import Builder
from player.notes.mending import Mender
from player.text.cleaning import clean_block, unescape
from player.text.sentences import _

_MOST_SPANS, _MOST_LINKS = 20_000, 10_000
"""Limits on the spans, and on the links and times, that are read. Real notes have hundreds; the rest of longer ones is
left out, and the page says so."""

_LINK_OR_TIME = re.compile(r"://|\d:[0-5]\d")

_EVERY = 50_000
"""Characters in a part, which is parsed in about 10 ms."""

_SIMPLE_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?/?>")
_ESCAPED_TAG = re.compile(r"&lt;(/?)([A-Za-z][A-Za-z0-9]*)\s?/?&gt;")
# Follows the tokenizer of the HTML standard: a quotation mark has a meaning only right after "=". Unlike there, an
# unclosed value ends with its tag. No part of the pattern crosses a "<", so every attempt ends at the next "<", and the
# time is linear.
_VALUE = r"""=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'][^\s<>]*+)?+"""
_NAME = "<(/?)([A-Za-z][A-Za-z0-9:-]*+)"
_TAG_ALONE = re.compile(rf"{_NAME}((?:[^<>=]++|{_VALUE})*+)>")
# The same, except that a quoted value may contain "<" if it clearly has an end. A match extends as far as a tag could;
# without a closing ">" it isn't a tag, and `_TAG_ALONE` finds the tags inside it.
_LOOSE_VALUE = _VALUE.replace("|[^", r"""|"[^"\n]{0,300}+"(?=[\s/>])|'[^'\n]{0,300}+'(?=[\s/>])|[^""")
_TAG = re.compile(rf"{_NAME}((?:[^<>=]++|{_LOOSE_VALUE})*+)(>)?+")
_CUT_TAG = re.compile(r"</?(?:([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*+)?)?\Z")
_UNSHOWN_OPENING = re.compile(
    rf"<!--|<!\[CDATA\[|\]\]>|<[!?][^<>]*+>|<({'|'.join(sorted(blocks.UNSHOWN))})\b[^<>]*+(?<!/)>", re.IGNORECASE
)
_WRAPPED = re.compile(r"\s*<(p|div)>(&lt;(?:p|div|h[1-6]|ul|ol)(?:\s[^<>]*)?&gt;[^<>]*&lt;/[a-z0-9]+&gt;)</\1>\s*")
_BLOCK_END = re.compile(
    r"</(?:p|li|[uo]l|h[1-6]|div|blockquote|pre|tr)>|<br\s*/?>\s*<br\s*/?>|\n[ \t]*\n", re.IGNORECASE
)


def read_notes(text: str) -> Notes:
    """The blocks of `text`, whatever its markup. Never raises; links lead only to http, https and mailto."""
    return Notes(tuple(block for part in read_in_parts(text) for block in part))


def read_in_parts(text: str, every: int = _EVERY) -> Iterator[list[Block]]:
    """The same blocks, in parts of about `every` characters, so that other threads can run in between."""
    text = clean_block(text)
    length = len(text)
    text = _without_excess(text)
    left_out = len(text) < length
    text = _escaped_whole(text)
    marked_up = _has_tag(text, blocks.KNOWN)
    while not marked_up and "&" in text:
        twice = _has_escaped_tag(text)
        text = unescape(text)
        if not twice:
            break
        marked_up = _has_tag(text, blocks.KNOWN)
    if marked_up:
        text = _without_cut_tag(text)
    builder = Builder(keep_lines=not (marked_up and _has_tag(text, blocks.STRUCTURE)))
    mender = Mender(text)
    room = _MOST_SPANS
    for _part in _html(builder, text, every) if marked_up else _plain(builder, text, every):
        part = mender.take(builder.take())
        room -= sum(len(block.spans) for block in part)
        yield part
        if room < 0 or builder.room < 0:
            left_out = True
            break
    yield [*mender.take(builder.end()), *mender.end(), *([_left_out()] if left_out else [])]


def _left_out() -> Block:
    return Paragraph((Span(_("These notes are too long to show in full. The rest is left out."), italic=True),))


def _without_excess(text: str) -> str:
    """The text up to the first link or time beyond the limit."""
    if len(text) < 3 * _MOST_LINKS:
        return text
    excess = next(islice(_LINK_OR_TIME.finditer(text), _MOST_LINKS, None), None)
    if excess is None:
        return text
    word = max(text.rfind(mark, 0, excess.start()) for mark in " \n<")
    return text[: word if word > 0 else excess.start()]


def beginning(text: str, limit: int) -> str:
    """The first characters of notes, at most `limit`, up to the end of a block if possible: shown before the rest."""
    if len(text) <= limit:
        return text
    ends = [found.end() for found in _BLOCK_END.finditer(text, limit // 2, limit)]
    return text[: ends[-1] if ends else max(limit // 2, *(text.rfind(mark, 0, limit) for mark in "\n< "))]


def _has_tag(text: str, names: AbstractSet[str]) -> bool:
    return any(_is_tag(found, names) for found in _SIMPLE_TAG.finditer(text))


def _is_tag(found: re.Match[str], names: AbstractSet[str]) -> bool:
    """Whether the match is a tag. The name of a rare tag may also be a placeholder, as in “cp <source> <target>”, so it
    counts only as a closing tag or with an attribute."""
    name = found[1].lower()
    return name in names or (name in blocks.RARE and ("=" in found[0] or found[0][1] == "/"))


def _without_cut_tag(text: str) -> str:
    """The text without an incomplete tag at its end: some hosts cut notes at a length, in the middle of a tag."""
    found = _CUT_TAG.match(text, text.rfind("<")) if "<" in text else None
    return text[: found.start()] if found and (found[1] is None or found[1].lower() in blocks.KNOWN) else text


def _escaped_whole(text: str) -> str:
    """The text without the single paragraph that some hosts put around escaped HTML."""
    wrapped = _WRAPPED.fullmatch(text) if "<p>&lt;" in text[:200] or "<div>&lt;" in text[:200] else None
    return wrapped[2] if wrapped else text


def _has_escaped_tag(text: str) -> bool:
    """Whether the notes were escaped twice: they contain escaped closing tags or line breaks, which are rare in texts
    about HTML."""
    return any(name.lower() in (blocks.KNOWN if closing else ("br",)) for closing, name in _ESCAPED_TAG.findall(text))


def _plain(builder: Builder, text: str, every: int) -> Iterator[None]:
    start = 0
    while start < len(text):
        end = text.find("\n", start + every) + 1 or len(text)
        builder.add_text(text[start:end])
        start = end
        yield


def _html(builder: Builder, text: str, every: int) -> Iterator[None]:
    reached = every
    for start, end in _shown(text):
        at = start
        for found in _tags(text, start, end):
            if found.start() > at:
                builder.text(text[at : found.start()])
            builder.tag(found[1] == "/", found[2].lower(), found[3])
            at = found.end()
            if at > reached:
                reached = at + every
                yield
        if at < end:
            builder.text(text[at:end])


def _tags(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    for found in _TAG.finditer(text, start, end):
        if found[4]:
            yield found
        else:
            yield from _TAG_ALONE.finditer(text, found.start() + 1, found.end())


def _shown(text: str) -> Iterator[tuple[int, int]]:
    """The ranges outside comments, declarations, and the contents of scripts and similar elements. The contents of an
    unclosed comment or element are shown."""
    at = 0
    missing: set[str] = set()
    while opening := _UNSHOWN_OPENING.search(text, at):
        yield at, opening.start()
        at = opening.end()
        if opening[0] == "<!--":
            closing = _find(text, "-->", at, missing)
            at = closing + 3 if closing >= 0 else at
        elif name := opening[1]:
            at = max(at, _find(text, f"</{name.lower()}", at, missing))
    yield at, len(text)


def _find(text: str, mark: str, start: int, missing: set[str]) -> int:
    """The offset of the next `mark`, -1 if there is none. A mark that was missing once isn't searched for again, as
    that would take quadratic time."""
    if mark in missing:
        return -1
    found = re.compile(re.escape(mark), re.IGNORECASE).search(text, start)
    if found is None:
        missing.add(mark)
        return -1
    return found.start()


_STEP = 4_000
"""Characters parsed in one step, which takes a millisecond or two."""
_REST_S = 0.001
_LONG = 20_000
"""In notes with more characters, the parsing thread rests after each step, so that no key waits for it."""
_MOST_TEXTS, _MOST_CHARACTERS = 32, 500_000
"""Limits on the remembered texts; the newest text is always remembered."""


class ParsedNotes:
    """The blocks of a text. Any thread; the first thread that needs a part parses it for all threads."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = read_in_parts(text, _STEP)
        self._turn = Lock()
        self._blocks: list[Block] = []
        self._notes: Notes | None = None

    @property
    def so_far(self) -> Sequence[Block]:
        """The blocks parsed so far. Never waits."""
        return tuple(self._blocks)

    def advance(self) -> bool:
        """Parses another part; returns False if none is left. Rests briefly after each part of a long text."""
        with self._turn:
            if self._notes is not None:
                return False
            part = next(self._parts, None)
            if part is None:
                self._notes = Notes(tuple(self._blocks))
                return False
            self._blocks += part
        if len(self.text) > _LONG:
            sleep(_REST_S)
        return True

    def whole(self) -> Notes:
        while self._notes is None:
            self.advance()
        return self._notes


class _Remembered:
    """The most recently requested notes, by their text: changed notes are different notes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._texts: OrderedDict[str, ParsedNotes] = OrderedDict()
        self._characters = 0

    def of(self, text: str) -> ParsedNotes:
        with self._lock:
            found = self._texts.get(text)
            if found is None:
                found = self._texts[text] = ParsedNotes(text)
                self._characters += len(text)
                while len(self._texts) > 1 and self._is_full:
                    self._characters -= len(self._texts.popitem(last=False)[0])
            else:
                self._texts.move_to_end(text)
        return found

    @property
    def _is_full(self) -> bool:
        return len(self._texts) > _MOST_TEXTS or self._characters > _MOST_CHARACTERS


_remembered = _Remembered()


def parsed(text: str) -> ParsedNotes:
    """The notes of `text`, parsed recently or still to be parsed. Returns at once."""
    return _remembered.of(text)
