"""Sentences that people read. Each is marked with `_` where it is written, so that translators find it.

`_("{host} refused the connection", host=host)`: the sentence itself is the key in a gettext catalogue, and its fields
have names, so that a translation can put them in another order. `python -m tests.translating` writes the template for
translators; a finished catalogue is `LANGUAGE/LC_MESSAGES/earmark.mo` in a `locale` folder (`speak`). Without one,
sentences appear as written.

A table that is made when its module is imported only marks its sentences, `mark("Quit")`. The code that shows a
sentence translates it then, `translate(action.title)`.
"""

import io
import os
from collections.abc import Callable, Mapping, Sequence
from gettext import NullTranslations
from itertools import takewhile
from pathlib import Path

from player import regular_file

DOMAIN = "earmark"
_LARGEST = 32_000_000
"""The most bytes of a catalogue."""
BUNDLED = Path(__file__).parent.parent / "locale"
"""The catalogues that come with Earmark."""

_catalogue = NullTranslations()
_for_screen = False


def use(catalogue: NullTranslations) -> Callable[[], None]:
    """Sentences come from `catalogue` from now on; the function returned restores the previous one."""
    global _catalogue
    before, _catalogue = _catalogue, catalogue

    def restore() -> None:
        global _catalogue
        _catalogue = before

    return restore


def speak(*folders: Path) -> Callable[[], None]:
    """Uses the catalogues in `folders`, then Earmark's own, for the languages that the environment names.

    Never raises: a catalogue that can't be read is logged and ignored. Takes microseconds if there is no catalogue.
    """
    found = [folder for folder in (*folders, BUNDLED) if os.path.isdir(folder)]  # noqa: PTH112 - is_dir may raise
    return use(_read(found, _languages(os.environ)) if found else NullTranslations())


def _languages(environ: Mapping[str, str]) -> list[str]:
    """The listener's languages, the preferred one first, down to English, in which the sentences are written."""
    named = next(filter(None, map(environ.get, ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return list(takewhile(lambda one: not one.startswith(("en", "C", "POSIX")), filter(None, named.split(":"))))


def _read(folders: Sequence[Path], languages: Sequence[str]) -> NullTranslations:
    """Sentences that one catalogue lacks come from the next."""
    from gettext import GNUTranslations, find

    read = NullTranslations()
    for language in languages:
        for folder in folders:
            try:
                if file := find(DOMAIN, str(folder), [language]):
                    read.add_fallback(GNUTranslations(io.BytesIO(regular_file.read(file, _LARGEST))))
            except Exception as error:  # noqa: BLE001 - gettext may raise anything for the bytes of a broken file
                import logging

                log = logging.getLogger(__name__)
                log.warning("the translation for %s in %s can't be read: %s", language, folder, error)
    return read


def for_screen() -> Callable[[], None]:
    """From now on a field that is read from right to left doesn't change the order of the words around it; the function
    returned ends that. It adds characters that no command should print."""
    global _for_screen
    before, _for_screen = _for_screen, True

    def restore() -> None:
        global _for_screen
        _for_screen = before

    return restore


def _(sentence: str, **fields: object) -> str:
    """`sentence`, a constant and never an f-string, in the listener's language and with its fields filled in."""
    return translate(sentence, **fields)


def mark(sentence: str) -> str:
    """`sentence`, a constant, as it is: only marked for translators, like `N_` in gettext's manual."""
    return sentence


def translate(marked: str, **fields: object) -> str:
    """Like `_`, for a sentence that is marked elsewhere; "" for ""."""
    if not marked:
        return ""  # gettext keeps the header of a catalogue there
    return _filled(_catalogue.gettext(marked), marked, fields) if fields else _catalogue.gettext(marked)


def plural(number: int, one: str, many: str, **fields: object) -> str:
    """The form of a sentence for `number`, which both forms call `{n}`; `{n:,}` separates thousands."""
    return _filled(_catalogue.ngettext(one, many, number), one if number == 1 else many, {"n": number, **fields})


def _filled(translated: str, sentence: str, fields: dict[str, object]) -> str:
    """The translation with its fields filled in; the original sentence if the translation misspells a field."""
    from player.text import regional  # not before a sentence has fields: it takes longer to load than a status line

    if regional.region().thousands != ",":
        fields = {name: regional.Grouped(one) if type(one) is int else one for name, one in fields.items()}
    if _for_screen:
        from player.text import directions

        fields = {name: directions.field(one) for name, one in fields.items()}
    try:
        return translated.format(**fields)
    except (LookupError, ValueError, AttributeError):
        if translated == sentence:
            raise
        return sentence.format(**fields)
