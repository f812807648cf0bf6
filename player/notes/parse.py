"""The text of notes, whatever it is, becomes blocks: once for the page, the links and the chapters."""

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
"""How many spans, and how many links and times, are read. Real notes have hundreds; the rest of any that have more is
left out, and the page says so."""

_LINK_OR_TIME = re.compile(r"://|\d:[0-5]\d")

_EVERY = 50_000
"""Characters of a part, read in about 10 ms."""

_SIMPLE_TAG = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?:\s[^<>]*)?/?>")
_ESCAPED_TAG = re.compile(r"&lt;(/?)([A-Za-z][A-Za-z0-9]*)\s?/?&gt;")
# As the tokenizer of the HTML standard has it: a quote means something right after "=" alone. Unlike there, a value
# that isn't closed ends with its tag. No part crosses a "<", so that every attempt ends at the next one: linear.
_VALUE = r"""=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s<>"'][^\s<>]*+)?+"""
_NAME = "<(/?)([A-Za-z][A-Za-z0-9:-]*+)"
_TAG_ALONE = re.compile(rf"{_NAME}((?:[^<>=]++|{_VALUE})*+)>")
# The same with values that have a "<" in them, where it is plain that they end; it goes as far as a tag may go, and
# where that isn't one there may be tags within, found by the other.
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
    """The blocks of `text`, whatever it is. Never raises; links lead to http, https and mailto alone."""
    return Notes(tuple(block for part in read_in_parts(text) for block in part))


def read_in_parts(text: str, every: int = _EVERY) -> Iterator[list[Block]]:
    """The same in parts of about `every` characters, so that other threads can run in between."""
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
    """Without what follows the last link or time that is read."""
    if len(text) < 3 * _MOST_LINKS:
        return text
    excess = next(islice(_LINK_OR_TIME.finditer(text), _MOST_LINKS, None), None)
    if excess is None:
        return text
    word = max(text.rfind(mark, 0, excess.start()) for mark in " \n<")
    return text[: word if word > 0 else excess.start()]


def beginning(text: str, limit: int) -> str:
    """At most `limit` characters of notes, up to the end of a block if possible: what to show before the rest."""
    if len(text) <= limit:
        return text
    ends = [found.end() for found in _BLOCK_END.finditer(text, limit // 2, limit)]
    return text[: ends[-1] if ends else max(limit // 2, *(text.rfind(mark, 0, limit) for mark in "\n< "))]


def _has_tag(text: str, names: AbstractSet[str]) -> bool:
    return any(_is_tag(found, names) for found in _SIMPLE_TAG.finditer(text))


def _is_tag(found: re.Match[str], names: AbstractSet[str]) -> bool:
    """A rare tag's name may be a placeholder in a text: “cp <source> <target>”."""
    name = found[1].lower()
    return name in names or (name in blocks.RARE and ("=" in found[0] or found[0][1] == "/"))


def _without_cut_tag(text: str) -> str:
    """Some hosts cut notes at a length, in the middle of a tag."""
    found = _CUT_TAG.match(text, text.rfind("<")) if "<" in text else None
    return text[: found.start()] if found and (found[1] is None or found[1].lower() in blocks.KNOWN) else text


def _escaped_whole(text: str) -> str:
    """Without the single paragraph that some hosts put around escaped HTML."""
    wrapped = _WRAPPED.fullmatch(text) if "<p>&lt;" in text[:200] or "<div>&lt;" in text[:200] else None
    return wrapped[2] if wrapped else text


def _has_escaped_tag(text: str) -> bool:
    """Whether the notes were escaped twice. Closing tags and line breaks say so; texts about tags rarely have them."""
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
    """What lies between comments, declarations, and what scripts and their like hold. What is never closed is shown."""
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
    """Where `mark` comes next, -1 if never. What was missing once isn't searched again: quadratic."""
    if mark in missing:
        return -1
    found = re.compile(re.escape(mark), re.IGNORECASE).search(text, start)
    if found is None:
        missing.add(mark)
        return -1
    return found.start()


_STEP = 4_000
"""Characters that are parsed in one go, in a millisecond or two."""
_REST_S = 0.001
_LONG = 20_000
"""With more characters than this, the parsing thread rests after each step, so that no key waits for it."""
_MOST_TEXTS, _MOST_CHARACTERS = 32, 500_000
"""Limits on the texts that are remembered; the newest one always is."""


class ParsedNotes:
    """The blocks of a text. For any thread: the first one that needs a part parses it for all."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = read_in_parts(text, _STEP)
        self._turn = Lock()
        self._blocks: list[Block] = []
        self._notes: Notes | None = None

    @property
    def so_far(self) -> Sequence[Block]:
        """The blocks that are there already. Never waits."""
        return tuple(self._blocks)

    def advance(self) -> bool:
        """Parses another part; False when there is none left. A long text's parts are followed by a short rest."""
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
    """The texts requested last, by the text itself: changed notes are different notes."""

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
