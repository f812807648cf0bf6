"""The fields of a page of settings, a podcast's or the general ones, and their groups."""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import Struct

from player.text.cleaning import fold
from player.text.sentences import translate

S = TypeVar("S")


class Field(Struct, Generic[S], frozen=True):
    """One of the settings S. `title` is marked for translation. `written` returns the value as it can be typed,
    `default` that of the default. `about` says what the setting is for.

    `shown` returns the value in words. `typed` returns the settings with a typed value; it raises ValueError or
    EarmarkError with a sentence about the possible values. `stepped` returns the settings with the next (1) or previous
    (-1) value; it is None if the field has no steps. `is_choice`: its steps lead to all of its values.
    """

    name: str
    title: str
    written: Callable[[S], str]
    shown: Callable[[S], str]
    typed: Callable[[S, str], S]
    stepped: Callable[[S, int], S] | None = None
    default: str = ""
    about: str = ""
    is_choice: bool = False
    is_secret: bool = False

    def differs(self, settings: S) -> bool:
        return self.written(settings) != self.default

    def has(self, words: str, besides: str = "") -> bool:
        """Whether its name and title, or the text `besides`, have all of these words."""
        text = fold(f"{translate(self.title)} {self.name} {besides}")
        return all(word in text for word in fold(words).split())


class Group(Struct, Generic[S], frozen=True):
    """`title` and `words`, a sentence about its fields, are marked for translation. A `folded` group shows only the
    fields that differ from their default, until it is unfolded."""

    title: str
    words: str
    fields: tuple[Field[S], ...]
    folded: bool = False

    def found(self, words: str) -> list[Field[S]]:
        """The fields whose name, title, description or group have all of these words."""
        return [one for one in self.fields if one.has(words, f"{one.about} {translate(self.title)}")]


def change_in_words(changed: Field[S], settings: S) -> str:
    """The field and its value, such as `Speed: 1.4×`."""
    return f"{translate(changed.title)}: {changed.shown(settings)}"
