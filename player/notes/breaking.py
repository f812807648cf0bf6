"""Separates lines that ran together where markup was removed without a replacement.

Only in clear cases: an address, a usual heading, or the first word of a sentence right after the end of another; a list
whose bullets, numbers or times are on one line.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from player.notes.text_lines import BULLETS, is_named
from player.notes.urls_in_text import STARTERS, WEB, ends, glued_word, without_trailing_marks

Cut = tuple[int, int, str]
"""A range of a text, and its replacement: a new line, a new paragraph, or a space."""

_LINE, _PARAGRAPH, _BLANK = "\n", "\n\n", " "
_FARTHEST = 200
_WINDOW = 20_000
_MOST = 20_000
"""Most cuts in one line; the rest of the line is left as it is."""
_HIDDEN = "\x00"
"""Stands for each character of an address while the text around it is examined."""

_SENTENCE = re.compile(
    r"(?:(?<=[^\W_A-Z]|[+#%])[.!?…]{1,3}[”\"’')\]]?|(?<=[)\]”\"’])[.!?…])(?=(?P<word>[^\W\d_a-zß-ÿ]\w*+))"
)
_BEFORE = re.compile(r"[^\W\d_A-Z]{2,} ([^\W\d_A-Z]{6,})$")
_GOES_ON = re.compile(r" [^\W\d_A-Z]+ ")
_NUMBERS = re.compile(r"\d[\d.]*\d")
_NAMED = re.compile(
    rf"(?:^|(?<=[.!?)\]”\"…]))(?P<before>\s*)(?P<name>(?P<words>[^\W\d_][^.:!?{_HIDDEN}\n\d(\[{BULLETS}]{{2,40}}+)[:.]?)(?P<after>\s*)"
    rf"(?={_HIDDEN}|[(\[]?\d{{1,2}}:\d\d|[{BULLETS}])"
)
_NAMED_BEFORE_WORD = re.compile(
    r"(?:^|(?<=[.!?)\]”\"…]))(?P<before>\s*)(?P<name>(?P<words>[^\W\d_][^.:!?\x00\n\d(\[]{2,40}+)[:.])(?=[^\W\d_a-zß-ÿ])"
)
_SCHEME = re.compile("https?://", re.IGNORECASE)
_ENDINGS = re.compile(
    r"(?<=[\w.!?)\]”\"…])(?<!Acast\.)(\s*)(?:Learn more about your ad choices\.|Hosted on Acast\.|Hosted by Simplecast|"
    r"See (?:acast|omnystudio)\.com/|Our GDPR privacy policy was updated|Advertising Inquiries:|Privacy & Opt-Out:|"
    r"Get full access to |This is a public episode\.)"
)
_RULED = re.compile(r"[-–—_=*]{3,}(\s+)(?=[^\W_])")
_LABEL = re.compile(r"(\s+)[^\s.!?:;,()a-z\x00][^.!?:;\n]{0,40}[:–—-]\s*")
_BULLET = re.compile(rf"(?<!\s)(\s*+)[{BULLETS}](?=\s*+[^\s{BULLETS}])")
_NUMBER = re.compile(r"(?<!\S)(\d{1,2})[.)]\s+(?=\S)")
_CLOCK = r"[(\[]?(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)[)\]]?"
_GLUED_TIME = re.compile(rf"(?<=[^\W\d_][.!?:)])(?={_CLOCK}\s)")
_TIME = re.compile(rf"(?<![\s|,;·/–—-])(?P<gap>[\s|,;·/–—-]*+)(?<![\w:./])(?P<time>{_CLOCK})(?![\w:]|[.,]\d)")
_MAYBE = re.compile(
    rf"[{BULLETS}.!?:…)\]”’\"](?:(?<=[{BULLETS}])|[^\W\d_a-zß-ÿ]|\S?\d{{1,2}}:\d\d|"
    r"\s?(?:See |Hosted|Learn|Our GDPR|Adver|Priva|Get full|This is a pub))"
)
"""A quick test that spares most texts the slower ones."""


def cuts(text: str) -> list[Cut]:
    """The cuts in a line that is really several lines, in order; none for most lines."""
    found: list[Cut] = []
    if "://" in text or _MAYBE.search(text):
        for start, end in _windows(text):
            found += [(at + start, to + start, instead) for at, to, instead in _run_together(text[start:end])]
            if len(found) > _MOST:
                break
        found += _bullets(text)
    if "2. " in text or "2) " in text:
        found += _numbers(text)
    if text.count(":") > 1:
        found += _times(text)
    if ruled := _RULED.match(text):
        found.append((*ruled.span(1), _LINE))
    return _apart(found)[:_MOST] if found else found


def _apart(found: Iterable[Cut]) -> list[Cut]:
    """The cuts in order and without overlaps; of several at one place, the one that separates most."""
    widest: list[Cut] = []
    for cut in sorted(found, key=lambda cut: (cut[0], -len(cut[2]), cut[2] == _BLANK, -cut[1])):
        if not widest or (cut[0] >= widest[-1][1] and cut[0] > widest[-1][0]):
            widest.append(cut)
    return widest


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of the parts of a line of any length. Each part takes a few ms, and other threads can run in
    between."""
    start = 0
    while start < len(text):
        end = text.find(" ", start + _WINDOW) + 1 or len(text)
        yield start, end
        start = end


def _run_together(text: str) -> Iterator[Cut]:
    addresses = list(_addresses(text))
    hidden = _hide(text, addresses)
    sure = [*_at_addresses(text, addresses), *_named(hidden)]
    sure += [(found.start(), found.start(), _LINE) for found in _GLUED_TIME.finditer(hidden)]
    maybe = list(_SENTENCE.finditer(hidden))
    ended = [_ends_sentence(hidden, found) for found in maybe]
    if sure or any(ended):
        ended = [known or _may_end_sentence(hidden, found) for known, found in zip(ended, maybe, strict=True)]
    sentences = [found.end() for found, known in zip(maybe, ended, strict=True) if known]
    between = _PARAGRAPH if sure or len(sentences) > 1 else _BLANK
    yield from sure
    yield from ((at, at, between) for at in sentences)
    yield from ((*found.span(1), _PARAGRAPH) for found in _ENDINGS.finditer(hidden))


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    for found in WEB.finditer(text):
        start = found.start()
        for end in ends(text, start, found.end()):
            if _SCHEME.match(text, start):
                yield start, start + len(without_trailing_marks(text[start:end]))
            start = end


def _hide(text: str, addresses: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in addresses:
        parts += [text[at:start], _HIDDEN * (end - start)]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def _at_addresses(text: str, addresses: Sequence[tuple[int, int]]) -> Iterator[Cut]:
    """The cuts around addresses: an address begins a new line after another address and after the end of a sentence; a
    label between two addresses begins a new line as well."""
    last = begin = 0
    for start, end in addresses:
        between = text[last:start]
        if not between.strip():
            if last:
                yield last, start, _LINE
        elif between[-1] in ".!?…":
            yield start, start, _LINE
        elif between[-1].isalnum() or between[-1] in ":;,)”’":
            yield start, start, _BLANK
        if last and between[:1].isalpha() and _is_apart(text, begin, last):
            yield last, last, _LINE
        elif last and (label := _LABEL.fullmatch(between)):
            yield last, last + len(label[1]), _LINE
        begin, last = start, end
    if last and text[last : last + 1].isupper() and _is_apart(text, begin, last):
        yield last, last, _LINE


def _is_apart(text: str, start: int, end: int) -> bool:
    """Whether the word right behind an address certainly isn't part of it."""
    word = glued_word(text, start, text.find(" ", end))
    return word is None or word.sure


def _named(text: str) -> Iterator[Cut]:
    """The cuts around usual headings: one right before an address, a time, a bullet or the next word gets a line of its
    own."""
    for found in _NAMED.finditer(text):
        if is_named(found["words"].rstrip()):
            if found.start("name"):
                yield *found.span("before"), _PARAGRAPH
            yield *found.span("after"), _LINE
    for found in _NAMED_BEFORE_WORD.finditer(text):
        if is_named(found["words"]):
            if found.start("name"):
                yield *found.span("before"), _PARAGRAPH
            yield found.end(), found.end(), _LINE


def _ends_sentence(text: str, found: re.Match[str]) -> bool:
    """Whether an apparent end of a sentence, with the next sentence right behind it, is certainly one."""
    word = found["word"]
    sure = word in STARTERS or (found[0] in ("?", "!") and word[1:2].islower())
    return sure and not _in_a_name(text, found.start())


def _may_end_sentence(text: str, found: re.Match[str]) -> bool:
    """Whether it is the end of a sentence in a text whose lines ran together elsewhere: the words around it are in
    lower case, except for the next sentence's first letter, and it isn't a module with its class, as in
    `logging.Handler`."""
    before, word = _BEFORE.search(text, max(0, found.start() - 60), found.start()), found["word"]
    return bool(
        found[0] == "."
        and before
        and before[1] not in sys.stdlib_module_names
        and text.count(f"{before[1]}.") == 1
        and word[1:].islower()
        and _GOES_ON.match(text, found.end("word"))
    )


def _in_a_name(text: str, at: int) -> bool:
    """Whether the word that ends at `at` is a name with dots or the like in it, such as `os.path.The`; a number such as
    `v2.0` isn't."""
    word = _NUMBERS.sub("", text[max(0, at - 60) : at].rpartition(" ")[2])
    return any(sign in word for sign in "._/@\\")


def _bullets(text: str) -> Iterator[Cut]:
    """The cuts before the bullets of a list on one line, unless they only separate words: “Blog • Shop • Contact”."""
    row = list(_BULLET.finditer(text))
    if row and ((before := text[: row[0].start()]) == "" or before[-1] in ":.!?…：。"):
        yield from ((*found.span(1), _LINE) for found in row if found.start())


def _numbers(text: str) -> Iterator[Cut]:
    """The cuts before the items of a list 1, 2, 3 on one line."""
    row: list[re.Match[str]] = []
    for found in _NUMBER.finditer(text):
        if int(found[1]) == len(row) + 1:
            row.append(found)
    if not row:
        return
    before = text[: row[0].start()].rstrip()
    if len(row) >= (3 if before else 2) and (not before or before[-1] in ":.!?…：。"):
        yield from ((found.start(), found.start(), _LINE) for found in row if found.start())


def _times(text: str) -> Iterator[Cut]:
    """The cuts before the entries of a list of chapters on one line: increasing times, each with its title after it."""
    row = list(_TIME.finditer(text))
    if len(row) < 2:
        return
    before = text[: row[0].start()].rstrip()
    if (before and before[-1] not in ":.!?…)：。") or (
        len(row) < 3 and (before or not row[0]["time"].strip("([0").startswith(":0"))
    ):
        return
    seconds = [
        int(hours or 0) * 3600 + int(minutes) * 60 + int(rest)
        for hours, minutes, rest in (found.groups()[2:] for found in row)
    ]
    gaps = [text[one.end() : two.start()] for one, two in pairwise(row)]
    if sorted(set(seconds)) == seconds and all(len(gap) <= _FARTHEST and any(map(str.isalpha, gap)) for gap in gaps):
        yield from ((found.start(), found.start("time"), _LINE) for found in row if found.start("time"))
