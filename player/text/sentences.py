"""Sentences that people read. Each is marked with `_` where it is written, so that translators find it.

`_("{host} refused the connection", host=host)`: the sentence itself is the key in a gettext catalogue, and its fields
have names, so that a translation can put them in another order. `make translations` brings new sentences into the
catalogues (`player/locale`); `speak` chooses one. Without one, sentences appear as written.

A table that is made when its module is imported only marks its sentences, `mark("Quit")`. The code that shows a
sentence translates it then, `translate(action.title)`.
"""

import os
from collections.abc import Callable, Mapping
from gettext import NullTranslations
from itertools import takewhile
from typing import TYPE_CHECKING

from player import regular_file

if TYPE_CHECKING:  # a status line loads neither
    from pathlib import Path

IN_CONTEXT = "\x04"
"""Between a context and its sentence, as catalogues have it (GNU gettext's manual, "The Format of GNU MO Files")."""
AUTO = "auto"
"""The language that the environment names, as a setting."""
_LARGEST = 1_000_000
"""The most bytes of config.toml."""

_catalogue = NullTranslations()
_spoken = ""
_folders: tuple["Path", ...] = ()
"""Of the listener's own catalogues."""
_for_screen = False


def use(catalogue: NullTranslations) -> Callable[[], None]:
    """Sentences come from `catalogue` from now on; the function returned restores the previous one."""
    global _catalogue
    before, _catalogue = _catalogue, catalogue

    def restore() -> None:
        global _catalogue
        _catalogue = before

    return restore


def speak(*folders: "Path", settings: "Path | None" = None, environ: Mapping[str, str] = os.environ) -> None:
    """Uses the catalogues in `folders`, then Earmark's own, for the language that the file `settings` (config.toml)
    names, or the languages of the environment.

    Never raises. Takes microseconds for English, and little more for another language: `Catalogue`.
    """
    global _catalogue, _folders, _spoken
    _catalogue, _folders, _spoken = NullTranslations(), folders, ""
    chosen = AUTO if settings is None else _chosen(settings)
    wanted = _languages(environ) if chosen == AUTO else [] if chosen == "en" else [chosen]
    if not wanted:
        _spoken = "en"
        return
    from player.text import catalogues

    if chosen != AUTO and chosen not in languages():  # config.toml's mistakes are named elsewhere
        wanted = _languages(environ)
    for language in wanted:
        if (found := catalogues.read(language, (*folders, catalogues.BUNDLED))) is None:
            continue
        if _spoken:
            _catalogue.add_fallback(found)
        else:
            _catalogue, _spoken = found, language


def spoken() -> str:
    """The language of the sentences, as the environment or config.toml names it; "" if it was to be one that has no
    catalogue, and they are English."""
    return _spoken


def languages() -> tuple[str, ...]:
    """The languages that can be chosen: English, and those with a catalogue."""
    from player.text import catalogues

    return catalogues.languages((*_folders, catalogues.BUNDLED))


def name_of(language: str) -> str:
    """What its speakers call a language, like `Deutsch`; the word itself if no catalogue says it."""
    from player.text import catalogues

    return catalogues.name_of(language, (*_folders, catalogues.BUNDLED))


def header() -> Mapping[str, str]:
    """The header of the catalogue in use, by names in small letters; empty for English."""
    return _catalogue.info()


def _chosen(settings: "Path") -> str:
    """`appearance.language`. The file is parsed only if it seems to say it: most people have none that does."""
    try:
        content = regular_file.read(settings, _LARGEST)
        if not any(b"language" in line.partition(b"#")[0] for line in content.splitlines()):
            return AUTO
        import tomllib

        language = tomllib.loads(content.decode())["appearance"]["language"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return AUTO
    return language if isinstance(language, str) else AUTO


def _languages(environ: Mapping[str, str]) -> list[str]:
    """The listener's languages, the preferred one first, down to English, in which the sentences are written. As for
    gettext, `LANGUAGE` counts only if the locale isn't `C`."""
    locale = next(filter(None, map(environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    named = locale if locale in ("C", "POSIX") else environ.get("LANGUAGE") or locale
    return list(takewhile(lambda one: not one.startswith(("en", "C", "POSIX")), filter(None, named.split(":"))))


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


def mark(sentence: str, context: str = "") -> str:
    """`sentence`, a constant: only marked for translators, like `N_` in gettext's manual, and for `translate`. Where
    English has one word for two things, `context` says which is meant, as the `msgctxt` of a catalogue does."""
    return f"{context}{IN_CONTEXT}{sentence}" if context else sentence


def translate(marked: str, **fields: object) -> str:
    """Like `_`, for a sentence that is marked elsewhere; "" for ""."""
    if not marked:
        return ""  # gettext keeps the header of a catalogue there
    said = _catalogue.gettext(marked)
    if said == marked and IN_CONTEXT in marked:
        said = marked = marked.partition(IN_CONTEXT)[2]
    return _filled(said, marked, fields) if fields else said


def plural(number: int, one: str, many: str, **fields: object) -> str:
    """The form of a sentence for `number`, which both forms call `{n}`; `{n:,}` separates thousands."""
    # French has the form for one for none as well, which says nothing of the number where English doesn't.
    said = _catalogue.ngettext(one, many, number if number or "{n" in one else 2)
    return _filled(said, one if number == 1 else many, {"n": number, **fields})


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
