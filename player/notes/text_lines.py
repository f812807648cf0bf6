"""Recognises lines of plain text: list items, headings, quotes, rules, code fences."""

import re
from typing import NamedTuple

SHORT = 60
"""Most characters of a heading."""

LEAD_IN = 40

BULLETS = "•●▪◦‣⁃∙■▸►·"
_MARK = re.compile(
    rf"(?:([{BULLETS}])\s*(?=\S)|([-–—*+])\s+(?=[^\s-])|([-–])(?=[^\W\d_])|(\d{{1,3}})[.)](?:\s+(?=\S)|(?=[^\W\d_]{{2}})))"
)
_RULE = re.compile(r"(?:[-–—*_=#+•·─━]\s*+){3,}")
_HASHES = re.compile(r"(#{1,6})\s+(?=\S)")
_QUOTED = re.compile(r"(?:>\s?)+(?=[^\s>]|$)")
_FENCE = re.compile(r"(`{3,}|~{3,})\s*([\w+#.-]{0,30})")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S", re.IGNORECASE)
_TIME = re.compile(r"[(\[]?(?:\d{1,2}:)?\d{1,2}:[0-5]\d(?!\d)")
_ENDS_A_SENTENCE = re.compile(r"[.!?…。！？][\"'”’)]*$")

_OF_EPISODE = [
    "",
    " mentioned",
    *(f"{lead} {where}" for lead in ("", " mentioned") for where in (
        "in this episode", "in this show", "in the episode", "in the show", "in today's episode", "in today's show",
        "from this episode", "from the episode", "from the show", "for this episode",
    )),
]  # fmt: skip
NAMES = frozenset((
    *(f"{what}{where}" for where in _OF_EPISODE for what in (
        "links", "link", "links & resources", "links and resources", "resources", "resource", "references", "reference",
        "mentions", "mentioned", "books", "topics", "topic", "topics discussed", "topics covered",
    )),
    "further reading", "further listening", "recommended reading", "read more", "learn more", "show notes",
    "shownotes", "full show notes", "useful links", "relevant links", "episode links", "show links", "selected links",
    "other links", "timestamps", "time stamps", "time-stamps", "timestamp", "timecodes", "time codes", "timecode",
    "chapters", "chapter", "chapter markers", "episode outline", "episode chapters", "episode notes",
    "table of contents", "in this episode", "on this episode", "in today's episode", "sponsors", "sponsor",
    "our sponsors", "today's sponsors", "episode sponsors", "brought to you by", "credits", "transcript",
    "full transcript", "follow us", "follow me", "follow the show", "connect", "connect with us", "connect with me",
    "picks", "picks of the week", "support us", "support the show", "guest", "guests", "host", "hosts",
    "about the guest", "about the guests", "about our guest", "about our guests", "about the host", "about the hosts",
    "about the show", "about the podcast", "about this podcast", "about this episode", "about the episode",
    "key takeaways", "takeaways", "key points", "highlights", "quote", "quotes", "feedback", "outline", "overview",
    "summary", "contact", "contact us", "disclaimer", "source", "sources", "weiterführende links",
    "links und quellen", "links zur folge", "links zur sendung", "links zur episode", "quellen", "kapitel",
    "kapitelmarken", "inhalt", "themen", "werbung", "chapitres", "liens", "références", "enlaces", "capítulos",
    "notas", "目次", "リンク", "関連リンク", "参考リンク",
))  # fmt: skip
"""Usual headings in notes, in lower case."""

_NAME_ALONE = re.compile(r"[^\w\s]{0,4}\s*(\w.*\w)\s*[^\w\s]{0,3}")


class Mark(NamedTuple):
    """The marker of a list item. `number` is None for a bullet or a dash; the item's text begins at `end`."""

    sign: str
    number: int | None
    end: int

    @property
    def is_bullet(self) -> bool:
        """Whether only a list item begins like this."""
        return self.sign in BULLETS


def mark_of(text: str) -> Mark | None:
    """The marker of a line that may be a list item; None for any other line."""
    found = _MARK.match(text)
    if found is None:
        return None
    if found[4]:
        return Mark("1", int(found[4]), found.end())
    return Mark(found[1] or found[2] or found[3], None, found.end())


def is_rule(text: str) -> bool:
    return bool(_RULE.fullmatch(text))


def hashes(text: str) -> tuple[int, int]:
    """The level of a Markdown heading, and the offset of its text; (0, 0) for any other line."""
    found = _HASHES.match(text)
    if found is None or (len(found[1]) == 1 and text[found.end()].isdigit()):
        return 0, 0
    return len(found[1]), found.end()


def quoted(text: str) -> int:
    """The offset of the text in a line that is quoted as in an email (`>`); 0 for any other line."""
    found = _QUOTED.match(text)
    return found.end() if found else 0


def fence(text: str) -> tuple[str, str] | None:
    """The backticks or tildes of a line that begins or ends code, and the language; None for any other line."""
    found = _FENCE.fullmatch(text)
    return (found[1], found[2]) if found else None


def is_name(text: str) -> bool:
    """Whether a line is a heading for the lines below it: “Links:”, “🔗 Further reading.”."""
    found = _NAME_ALONE.fullmatch(text) if len(text) <= SHORT else None
    return found is not None and is_named(found[1])


def is_named(words: str) -> bool:
    return words.lower().replace("’", "'") in NAMES


def leads_in(text: str, after: str) -> bool:
    """Whether a short line announces a list."""
    if len(text) > LEAD_IN:
        return False
    return begins_list(after) if text.endswith((":", "：")) else text.endswith(".") and mark_of(after) is not None


def begins_list(text: str) -> bool:
    """Whether a line can be the first one of a list: an item, an address or a time."""
    return bool(_ADDRESS.match(text) or _TIME.match(text)) or mark_of(text) is not None


def begins_with_time(text: str) -> bool:
    return bool(_TIME.match(text))


def ends_a_sentence(text: str) -> bool:
    return bool(_ENDS_A_SENTENCE.search(text))
