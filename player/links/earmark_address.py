"""`earmark:` addresses, which other programs and pages can link to.

    earmark://play?feed=URL&guid=GUID&t=TIME    plays that episode of the podcast; without guid its newest
    earmark://show?feed=URL&guid=GUID           shows it in the app; without guid the podcast
    earmark://subscribe?feed=URL                opens Earmark's search with the URL; the listener decides

Values are percent-encoded (RFC 3986). A field that isn't known is ignored. They come from anywhere: what an address
asks for changes nothing that the listener can't see, and deletes nothing.
"""

import unicodedata
from enum import StrEnum
from urllib.parse import parse_qsl, quote, urlsplit

from msgspec import Struct

from player.errors import EarmarkError
from player.links.urls import web_address
from player.text.durations import parse_time
from player.text.sentences import _
from player.text.suggestion import suggestion

SCHEME = "earmark"
LONGEST = 8_000
"""Characters."""
_MOST_FIELDS = 20
_LONGEST_GUID = 2_000


class BadAddress(EarmarkError):
    """It isn't an address that Earmark can open."""


class Verb(StrEnum):
    PLAY = "play"
    SHOW = "show"
    SUBSCRIBE = "subscribe"


class EarmarkAddress(Struct, frozen=True):
    """`feed` is an http or https address. Without a `guid` the podcast is meant; `at_ms`: where to begin."""

    verb: Verb
    feed: str
    guid: str = ""
    at_ms: int | None = None


def is_address(text: str) -> bool:
    """Whether somebody means such an address."""
    return text[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def parse(text: str) -> EarmarkAddress:
    """Raises BadAddress."""
    if len(text) > LONGEST:
        raise BadAddress(_("That address is too long"))
    if not is_address(text):
        raise BadAddress(_("That isn't an earmark: address"), _example())
    if any(letter.isspace() or _is_control(letter) for letter in text):
        raise BadAddress(_("That address contains a space or a control character"), _example())
    try:
        parts = urlsplit(text)
        fields = parse_qsl(parts.query, max_num_fields=_MOST_FIELDS, errors="strict")
    except ValueError as error:
        raise BadAddress(_("That address can't be read"), _example()) from error
    name = (parts.netloc or parts.path).strip("/").lower()
    if name not in {*Verb} or (parts.netloc and parts.path.strip("/")):
        near = suggestion(name[:40], Verb) or _(" There are {verbs}.", verbs=", ".join(Verb))
        raise BadAddress(_("An earmark: address can't “{verb}”", verb=_shown(name)), near.strip())
    return _checked(Verb(name), fields)


def _checked(verb: Verb, fields: list[tuple[str, str]]) -> EarmarkAddress:
    given = dict(fields)
    if len(given) != len(fields):
        raise BadAddress(_("That address says something twice"), _example())
    if any(_is_control(letter) for value in given.values() for letter in value):
        raise BadAddress(_("That address contains a control character"), _example())
    feed, guid = given.get("feed", ""), given.get("guid", "")
    if not feed:
        raise BadAddress(_("That address names no feed"), _example())
    web = web_address(feed)
    if not web:
        raise BadAddress(_("The feed in that address isn't an http or https URL"), _example())
    if len(guid) > _LONGEST_GUID:
        raise BadAddress(_("That address is too long"))
    try:
        at_ms = parse_time(given["t"]) if verb is Verb.PLAY and given.get("t") else None
    except ValueError as error:
        raise BadAddress(_("The time in that address can't be used: {error}", error=error)) from error
    return EarmarkAddress(verb, web, guid if verb is not Verb.SUBSCRIBE else "", at_ms)


def written(address: EarmarkAddress) -> str:
    """The address as a link."""
    fields = {"feed": address.feed, "guid": address.guid, "t": f"{(address.at_ms or 0) // 1000 or ''}"}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items() if value)
    return f"{SCHEME}://{address.verb}?{query}"


def _is_control(letter: str) -> bool:
    """Control characters, and those that turn the direction of text or can't be seen."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _shown(name: str) -> str:
    return name if len(name) <= 40 and name.isprintable() else name[:40].encode("ascii", "replace").decode() + "…"


def _example() -> str:
    return _("One is like {example}", example="earmark://subscribe?feed=https%3A%2F%2Fexample.org%2Ffeed")
