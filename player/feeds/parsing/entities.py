"""Entities declared in a feed: those that stand for a character are resolved, all others refused.

XML 1.0, 4.1 to 4.6. They are replaced here, before parsing: no parser expands any, and no other file is read for one.
"""

import re
from html import escape

_LONGEST = 8
"""Most characters that an entity may stand for."""
_PROLOG = re.compile(
    rb"(?:\s++|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->)*+(<!DOCTYPE\s[^\[<>]*+)(\[)?", re.DOTALL | re.IGNORECASE
)
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_FIRST_ELEMENT = re.compile(rb"<\w")
_NAME = rb"[A-Za-z_:][\w.:-]{0,60}"
_DECLARATION = rb"<!ENTITY\s++(%b)\s++(?:\"([^\"<%%]{0,80})\"|'([^'<%%]{0,80})')\s*+>" % _NAME
_SUBSET = re.compile(rb"(?:\s++|<!--.*?-->|%b|<!(?:ELEMENT|ATTLIST)\s[^<>]*+>)*+\]\s*+>" % _DECLARATION, re.DOTALL)
_DECLARED = re.compile(rb"<!--.*?-->|%b" % _DECLARATION, re.DOTALL)
_NUMBER = re.compile("&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
_USED = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|<!--(?:.*?-->|.*)|&(%b);" % _NAME, re.DOTALL)


class Harmful(ValueError):
    """The feed has other entities, which can fill a computer's memory."""


def resolved(body: bytes) -> bytes:
    """The feed, which is UTF-8, with its declared entities replaced. Raises Harmful.

    A declaration counts where a parser sees one: after a DOCTYPE, or (feedparser) before the first element. Show
    notes may mention `<!ENTITY`.
    """
    doctype = _PROLOG.match(body)
    if not (_ENTITY.search(body) if doctype else _declares(body)):
        return body
    subset = _SUBSET.match(body, doctype.end()) if doctype and doctype[2] else None
    if not doctype or subset is None:
        raise Harmful
    characters: dict[bytes, bytes] = {}
    for name, *values in _DECLARED.findall(subset[0]):
        if name:
            characters.setdefault(name, _characters(b"".join(values)))
    rest = body[: doctype.start(1)] + body[subset.end() :]
    if _declares(rest):
        raise Harmful

    def character(used: re.Match[bytes]) -> bytes:
        return characters.get(used[1], used[0])

    return _USED.sub(character, rest)


def _declares(body: bytes) -> bool:
    """Whether there is a declaration before the first element."""
    first = _FIRST_ELEMENT.search(body)
    return bool(_ENTITY.search(body, 0, first.start() if first else len(body)))


def _characters(value: bytes) -> bytes:
    """A declared value's characters, escaped for XML. `&#38;#60;` is how XML writes `<` there."""
    text = _NUMBER.sub(_one, _NUMBER.sub(_one, value.decode("utf-8", "replace")))
    if len(text) > _LONGEST or ("&" in text and text != "&"):
        raise Harmful
    return escape(text).encode("utf-8", "replace")


def _one(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return chr(code) if 32 <= code < 0xD800 or code in (9, 10, 13) or 0xE000 <= code <= 0x10FFFF else ""
