"""A setting of one podcast: how it is written, shown and parsed."""

from collections.abc import Callable

from msgspec import Struct

from player.library.search.title_filter import terms_of
from player.model.podcast_settings import PodcastSettings
from player.text.sentences import _

_LONGEST_TEXT = 500


class Field(Struct, frozen=True):
    """`title` is marked for translation. `written` is the value as it can be typed, "" for the default.

    `shown` is the value in words. `typed` returns the settings after a value was typed; it raises ValueError with a
    sentence that says what is possible. `stepped` does the same for one step up (1) or down (-1); it is None if there
    are no steps.
    """

    name: str
    title: str
    written: Callable[[PodcastSettings], str]
    shown: Callable[[PodcastSettings], str]
    typed: Callable[[PodcastSettings, str], PodcastSettings]
    stepped: Callable[[PodcastSettings, int], PodcastSettings] | None = None


def filter_text(text: str) -> str:
    """A filter by title as it was typed. Raises ValueError with a sentence."""
    if text and not terms_of(text):
        raise ValueError(_("A title filter needs a word, or a phrase in double quotes."))
    if len(text) > _LONGEST_TEXT:
        raise ValueError(_("A title filter can be {most} characters long at most.", most=_LONGEST_TEXT))
    return text
