"""Sentences that people read. Each is marked with `_` where it is said, so that a translator finds it there.

`_("{host} refused the connection", host=host)`: the sentence is its own key in a catalogue of gettext, and its fields
have names, so that another language may put them in another order. `python -m tests.translating` writes the template
of a catalogue; `use` takes the translated one. Until then everything is said as it is written.
"""

from collections.abc import Callable
from gettext import NullTranslations

_catalogue = NullTranslations()


def use(catalogue: NullTranslations) -> Callable[[], None]:
    """From now on sentences are said as in `catalogue`; what is returned goes back to the one before."""
    global _catalogue
    before, _catalogue = _catalogue, catalogue

    def back() -> None:
        global _catalogue
        _catalogue = before

    return back


def _(sentence: str, **fields: object) -> str:
    """`sentence` in the listener's language, with `fields` in their places. A constant, never an f-string."""
    said = _catalogue.gettext(sentence)
    return said.format(**fields) if fields else said


def plural(number: int, one: str, many: str, **fields: object) -> str:
    """Whichever form goes with `number`, which is the field `{n}` of both; thousands are set apart by `{n:,}`."""
    return _catalogue.ngettext(one, many, number).format(n=number, **fields)
