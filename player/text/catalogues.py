"""Translations as files: which languages there are, and a compiled catalogue that is looked up where it is.

A catalogue is `LANGUAGE/LC_MESSAGES/earmark.mo` in a folder (GNU gettext's manual, “The Format of GNU MO Files”), in
UTF-8. Its header may have lines of Earmark's own: `X-Name: Deutsch` is what speakers call their language, and
`X-Number: 1.234,5` how they write a number.
"""

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from gettext import NullTranslations, c2py
from pathlib import Path

from player import regular_file

DOMAIN = "earmark"
BUNDLED = Path(__file__).parent.parent / "locale"
"""The catalogues that come with Earmark."""
_LARGEST = 32_000_000
"""The most bytes of a catalogue."""
_LONGEST = 40
"""The most letters of the name of a language."""
_ORDERS = {b"\xde\x12\x04\x95": "<", b"\x95\x04\x12\xde": ">"}


class Catalogue(NullTranslations):
    """A compiled catalogue. Only the sentences that are asked for are read: a start needs one in twenty of them, and
    `GNUTranslations`, which reads all, takes 10 ms.

    Raises ValueError if the content isn't a catalogue. What is broken in one is left in English.
    """

    def __init__(self, content: bytes) -> None:
        super().__init__()
        order = _ORDERS.get(content[:4])
        if order is None or len(content) < 20:
            raise ValueError("it isn't a compiled catalogue")
        self._content = content
        self._pair = struct.Struct(f"{order}2I")
        _version, self._count, self._sentences, self._translations = struct.unpack_from(f"{order}4I", content, 4)
        if max(self._sentences, self._translations) + self._count * self._pair.size > len(content):
            raise ValueError("it is cut off")
        self._known: dict[str, Sequence[str]] = {}
        self._form: Callable[[int], int] | None = None

    def gettext(self, message: str) -> str:
        forms = self.forms(message)
        return forms[0] if forms else super().gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        forms = self.forms(msgid1)
        if forms:
            if self._form is None:
                self._form = self._rule()
            try:
                return forms[self._form(n)]
            except (ArithmeticError, IndexError):
                pass
        return super().ngettext(msgid1, msgid2, n)

    def forms(self, sentence: str) -> Sequence[str]:
        """The translation, or one for each form of the plural; () if the catalogue lacks the sentence."""
        found = self._known.get(sentence)
        if found is None:
            self._known[sentence] = found = self._found(sentence.encode())
        return found

    def info(self) -> dict[str, str]:
        """The lines of the header, by their names in small letters."""
        pairs = (line.partition(":") for line in "".join(self.forms("")).splitlines())
        return {name.strip().lower(): value.strip() for name, colon, value in pairs if colon}

    def _found(self, sentence: bytes) -> Sequence[str]:
        """By halves: the sentences are sorted by their bytes."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            there = self._text(self._sentences, middle).partition(b"\0")[0]  # of a plural, the first form
            if there == sentence:
                try:
                    forms = self._text(self._translations, middle).decode().split("\0")
                except UnicodeDecodeError:
                    return ()
                return forms if all(forms) else ()
            if there < sentence:
                low = middle + 1
            else:
                high = middle
        return ()

    def _text(self, table: int, number: int) -> bytes:
        length, start = self._pair.unpack_from(self._content, table + number * self._pair.size)
        return self._content[start : start + length]

    def _rule(self) -> Callable[[int], int]:
        """Which form a number has, by the header; as in English where that can't be read."""
        parts = dict(one.strip().partition("=")[::2] for one in self.info().get("plural-forms", "").split(";"))
        try:
            rule: Callable[[int], int] = c2py(parts["plural"])
        except (LookupError, ValueError, RecursionError):
            return lambda n: int(n != 1)
        return rule


def languages(folders: Sequence[Path]) -> tuple[str, ...]:
    """English, in which the sentences are written, and the languages that have a catalogue in these folders, by the
    names that they have there."""
    found = {one for folder in folders for one in _names_in(folder) if _file(folder, one).is_file()}
    return ("en", *sorted(found - {"en"}))


def read(language: str, folders: Sequence[Path]) -> Catalogue | None:
    """The catalogue of a language or, for `de_AT.UTF-8`, of the nearest that there is. What the first folder's lacks
    comes from the next. Never raises: a catalogue that can't be read is logged and ignored."""
    found: Catalogue | None = None
    for file in (_file(folder, name) for name in _nearest(language) for folder in folders):
        try:
            one = Catalogue(regular_file.read(file, _LARGEST))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            import logging

            logging.getLogger(__name__).warning("the translation %s can't be read: %s", file, error)
            continue
        if found is None:
            found = one
        else:
            found.add_fallback(one)
    return found


@cache
def name_of(language: str, folders: tuple[Path, ...]) -> str:
    """What its speakers call a language: `Deutsch`; the word itself for a language that has no catalogue with a name,
    and for what isn't a language, like `auto`."""
    if language == "en":
        return "English"
    found = read(language, folders)
    name = found.info().get("x-name", "")[:_LONGEST] if found is not None else ""
    return name if name.isprintable() and name else language


def _file(folder: Path, name: str) -> Path:
    return folder / name / "LC_MESSAGES" / f"{DOMAIN}.mo"


def _names_in(folder: Path) -> Iterator[str]:
    try:
        yield from filter(_is_name, os.listdir(folder))  # noqa: PTH208 - names are enough
    except OSError:
        return


def _nearest(language: str) -> Iterator[str]:
    """The names that a catalogue of the language may have: `ca_ES.UTF-8@valencia` has it under `ca_ES@valencia`,
    `ca_ES`, `ca@valencia` or `ca`."""
    place, at, kind = language.partition("@")
    place = place.partition(".")[0]
    bare = place.partition("_")[0]
    yield from filter(_is_name, dict.fromkeys((f"{place}{at}{kind}", place, f"{bare}{at}{kind}", bare)))


def _is_name(text: str) -> bool:
    """Whether it can be the name of a language, and of no folder elsewhere."""
    return len(text) <= _LONGEST and text[:2].isalpha() and text.replace("_", "").replace("@", "").isalnum()
