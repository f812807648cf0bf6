"""Text from outside, made safe for a terminal.

Feeds are hostile: control and escape characters, newlines in titles, bidi overrides left open, heaps of combining
marks, titles of ten megabytes. Nothing from a feed or a server's answer is shown or stored before it has been cleaned
here.
"""

import re
import unicodedata
from functools import cache

LINE_LIMIT = 500
"""The most characters of a title, an author, a name."""

BLOCK_LIMIT = 1_200_000
"""The most characters of an episode's notes."""

_SPACES = re.compile(r"[ \t\r\n\v\f\x1c-\x1f\xa0\u2028\u2029]+")
_GAPS = re.compile(" {2,}")
_LINE_ENDS = re.compile(r"\r\n?|[\v\f\u2028\u2029]")
# C1 control characters are never meant: they are windows-1252 that was taken for ISO-8859-1, and HTML also reads
# `&#146;` that way (HTML standard, 13.2.5.80). Five of them are undefined in windows-1252, too.
_C1 = re.compile("[\x80-\x9f]")
_MEANT = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
# C0 except tab and newline, DEL, C1, bidi embeddings, overrides and isolates, the byte order mark, interlinear marks,
# lone surrogates and noncharacters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff"
    "\U000e0000-\U000e001f\ud800-\udfff]"
)
_MARK_LIMIT = 4
# The number of a character reference that Python would refuse to read: it has a limit of 4,300 digits.
_ENDLESS_NUMBER = re.compile(r"&#[0-9]{1000,};?")
# Marks are neither letters nor ASCII, so only a run of such characters can contain a heap of marks.
_HEAP = re.compile(rf"[^\w\s\x00-\x7f]{{{_MARK_LIMIT + 1},}}")


def clean_line(text: str, limit: int = LINE_LIMIT) -> str:
    """One line without control characters, no longer than `limit`, cut with an ellipsis."""
    if len(text) <= limit and text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()  # true of most lines
    cut = text[: limit * 8]
    if cut.isprintable():
        line = _tame_marks(_GAPS.sub(" ", cut) if "  " in cut else cut).strip()
    else:
        line = _tame_marks(_GAPS.sub(" ", _UNSAFE.sub("", _SPACES.sub(" ", _meant(cut))))).strip()
    if len(line) > limit or len(text) > len(cut):
        return line[: limit - 1].rstrip() + "…"
    return line


def clean_block(text: str, limit: int = BLOCK_LIMIT) -> str:
    """Lines without control characters (newline and tab stay), no longer than `limit` in all."""
    cut = text[:limit]
    # Everything unsafe is also unprintable, and testing for that is ten times as fast as searching for it.
    if not cut.replace("\n", "").replace("\t", "").isprintable():
        cut = _UNSAFE.sub("", _LINE_ENDS.sub("\n", _meant(cut)))
    block = _tame_marks(cut)
    return block.rstrip() + "…" if len(text) > limit else block


def unescape(text: str) -> str:
    """The text with its character references (HTML) resolved, and cleaned as by `clean_block`: a reference may stand
    for a control character or a newline. Use it instead of `html.unescape`, which raises for very long numbers.

    A text without references is returned unchanged.
    """
    import html  # so that the first frame doesn't wait for its tables

    if "&" not in text:
        return text
    try:
        resolved = html.unescape(text)
    except ValueError:
        resolved = html.unescape(_ENDLESS_NUMBER.sub("&#xfffd;", text))
    return clean_block(resolved, len(resolved))


def _meant(text: str) -> str:
    return text.translate(_MEANT) if _C1.search(text) else text


def fold(text: str) -> str:
    """A form that is the same for texts that differ only in case and accents: for filters."""
    if text.isascii():
        return text.lower()
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in bare if not unicodedata.combining(character))


@cache
def _marked() -> re.Pattern[str]:
    """A quick test that spares most texts the slow search for heaps: every mark is in one of these ranges."""
    return re.compile(
        "[\u0300-\u036f\u0483-\u1dff\u20d0-\u20ff\u2cef-\u302f\u3099\u309a\ua66f-\uabff\ufb1e\ufe20-\ufe2f"
        "\U000101fd-\U0001efff]"
    )


def _tame_marks(text: str) -> str:
    """No more than four combining marks on a character: heaps of them spill over the lines around."""
    if text.isascii() or not _marked().search(text):
        return text
    return _HEAP.sub(_tame_heap, text)


def _tame_heap(found: re.Match[str]) -> str:
    marks = "".join(filter(is_mark, set(found[0])))  # few, however long the heap is
    return re.sub(f"([{marks}]{{{_MARK_LIMIT}}})[{marks}]+", r"\1", found[0]) if marks else found[0]


def is_mark(character: str) -> bool:
    """Whether the character is drawn over the preceding character."""
    return bool(unicodedata.combining(character)) or unicodedata.category(character) == "Me"
