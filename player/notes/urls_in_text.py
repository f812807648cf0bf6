"""Addresses in notes: where a link leads, and which parts of a text are addresses."""

import re
from itertools import pairwise
from typing import NamedTuple

from player.links.urls import web_address
from player.text.cleaning import clean_line

WEB = re.compile(r"https?://[^\s<>\"“”«»、。，）」』】》；！？]++", re.IGNORECASE)
STARTERS = frozenset({
    "A", "About", "After", "All", "Also", "An", "And", "Are", "As", "Ask", "At", "Be", "Because", "Become", "Before",
    "Both", "But", "Buy", "By", "Can", "Chapters", "Check", "Click", "Connect", "Contact", "Credits", "Dans", "Das",
    "Der", "Die", "Do", "Does", "Don", "Download", "Each", "Ein", "Eine", "El", "Email", "En", "Enjoy", "Episode",
    "Et", "Every", "Find", "First", "Folgt", "Follow", "For", "From", "Further", "Für", "Get", "Go", "Guest",
    "Guests", "Have", "He", "Her", "Here", "Hier", "His", "Host", "Hosted", "Hosts", "How", "I", "Ich", "If", "Im",
    "In", "Is", "It", "Join", "Just", "Keep", "La", "Le", "Learn", "Leave", "Les", "Let", "Like", "Links", "Listen",
    "Longer", "Los", "Many", "Mehr", "Mentioned", "Mit", "More", "Music", "My", "No", "Not", "Nous", "Now", "Of",
    "On", "One", "Or", "Our", "Please", "Produced", "Rate", "Read", "Recorded", "References", "Resources", "See",
    "Send", "She", "Show", "Sign", "So", "Some", "Special", "Sponsor", "Sponsored", "Sponsors", "Subscribe",
    "Support", "Thank", "Thanks", "That", "The", "Then", "There", "These", "They", "This", "Those", "Timestamps",
    "To", "Today", "Topics", "Try", "Twitter", "Un", "Und", "Une", "Until", "Use", "Visit", "Want", "Watch", "We",
    "Werbung", "What", "When", "Where", "Who", "Why", "Wir", "With", "Write", "Yes", "You", "Your", "Zu",
})  # fmt: skip
"""Words with which sentences begin."""

_BRACKETS = {")": "(", "]": "[", "}": "{"}
_INNER = re.compile(r"(?<=[\w)\]])https?://", re.IGNORECASE)
# The end of an address that is followed by letters: after a file extension or a bracket, before a capital letter. Any
# extension in lower case counts if the file name before it has no capital either.
_GLUED = re.compile(
    r"(?:(?<=\w)\.(?:[sx]?html?|php|aspx?|jsp|cfm|pdf|md|rst|txt|ipynb|xml|json|csv|docx?|pptx?|epub|zip|jpe?g|png|gif|svg"
    r"|webp|mp[34]|m4a)|(?<=[/_.-])[a-z\d]++\.[a-z][a-z\d]{0,4}|\))(?=(?P<word>[A-ZÀ-ÖØ-Þ][^\W\d_]*))(?!BB)"
)
# The last part of an address, without capitals, and a capitalised word behind it that may belong to the text instead.
_LAST_PART = re.compile(
    r"[/#](?P<part>[a-z\d][a-z\d_.-]*+)?(?P<word>[A-ZÀ-ÖØ-Þ][^\W\d_]*+)(?:[-'’][^\W_]++)?[.,:;!?)”\"…]*$"
)
_EXTENSION = re.compile(r"\.[a-z][a-z\d]{0,4}$")
_IN_SMALL_LETTERS = re.compile(r"https?://[^/]+(?:/[a-z\d_.~-]+){2,}/?", re.IGNORECASE)
_LONGEST = 2_000
_REST = re.compile("[?#]")
_WORD = re.compile(r"(?:(?<=/\d)|(?<=\d\d))[A-Z][a-z]{2,}$|(?<=[a-z])[A-Z][a-z]+$")


def target(href: str) -> str:
    """The address of a link that is safe to follow (http, https, mailto); "" for others."""
    address = clean_line(href, 2_000)
    if address.lower().startswith("mailto:") and "@" in address and "…" not in address:
        return address.replace(" ", "%20")
    return web_address(href)


def ends(text: str, start: int, end: int) -> list[int]:
    """The offsets at which the addresses in `text[start:end]`, which has no space, end: several may have run together.

    If a word is between two of them, its end is in the list as well.
    """
    cuts = [found.start() for found in _INNER.finditer(text, start + 8, end)]
    if cuts and (query := text.find("?", start, cuts[-1])) >= 0:
        # An address in a query belongs to the address around it.
        cuts = [cut for cut in cuts if cut < query or text[cut - 1] not in "=&"]
    cuts += [cut for one, two in pairwise([start, *cuts, end]) for cut in _glued(text, one, two)]
    cuts.sort()
    last = cuts[-1] if cuts else start
    if (word := glued_word(text, last, end)) is not None:
        end = word.at
    return [*cuts, *([end] if not cuts or end > cuts[-1] else [])]


class GluedWord(NamedTuple):
    """A word right behind an address: its offset, and whether it certainly isn't part of the address."""

    at: int
    sure: bool


def glued_word(text: str, start: int, end: int) -> GluedWord | None:
    """The word at the end of the address `text[start:end]`, if it probably isn't part of the address: after a space,
    the text continues. None if there is no such word."""
    if text[end : end + 1] != " " or not WEB.match(text, start):
        return None
    if (known := _WORD.search(text, max(start, end - 20), end)) and (
        known[0] in STARTERS or text[known.start() - 1].isdigit()
    ):
        return GluedWord(known.start(), True)
    if "?" in text[start:end].rstrip("?"):
        return None
    begin = max(start + 8, end - _LONGEST, text.rfind("/", start + 8, end), text.rfind("#", start + 8, end))
    found = _LAST_PART.match(text, begin, end)
    if found is None:
        return None
    part, word, at = found["part"], found["word"], found.start("word")
    is_letter = len(word) == 1 and word not in STARTERS
    if part:
        if len(part) == 1 or is_letter or (word == "BB" and part.endswith("php")):
            return None
        return GluedWord(at, bool(word in STARTERS or "-" in part or _EXTENSION.search(part)))
    if is_letter or word.isupper() or text[begin] == "#":
        return None
    if word in STARTERS:
        return GluedWord(at, True)
    return GluedWord(at, False) if _IN_SMALL_LETTERS.fullmatch(text, start, at) else None


def _glued(text: str, start: int, end: int) -> list[int]:
    """The offset, if any, at which the address at `start` ends and a word follows; not in a query, nor in a name such
    as `Foo_(Bar)Baz`."""
    path = text.find("/", start + 8, end)
    if path < 0:
        return []
    end = min(end, start + _LONGEST)
    rest = _REST.search(text, path, end)
    for found in _GLUED.finditer(text, path, rest.start() if rest else end):
        opening = text.rfind("(", path, found.start()) if found[0] == ")" else -1
        if opening < 0 or text[opening - 1] != "_" or found["word"] in STARTERS:
            return [found.end()]
    return []


def without_trailing_marks(url: str) -> str:
    """The address without the punctuation that ends a sentence, and without an enclosing bracket."""
    for _ in range(20):
        if url[-1] not in ".,;:!?'\"*_)]}>»’":
            break
        if url[-1] in _BRACKETS and url.count(url[-1]) <= url.count(_BRACKETS[url[-1]]):
            break
        url = url[:-1]
    return url
