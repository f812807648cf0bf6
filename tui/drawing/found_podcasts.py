"""The rows of podcasts and episodes found by directories, and links to podcasts outside the library."""

from collections.abc import Hashable, Sequence
from datetime import date, datetime
from urllib.parse import quote, unquote

from msgspec import Struct

from player.directory.directory import FoundEpisode, FoundPodcast
from player.links.addresses import url_key
from player.text.durations import clock
from player.text.regional import Grouped
from player.text.sentences import _, plural
from tui.drawing.cells import width
from tui.drawing.labels import DATE_CELLS, short_date

Found = FoundPodcast | FoundEpisode

_PREVIEW, _FIND, _EPISODES = "earmark:preview/", "earmark:find/", "earmark:episodes/"


def preview_link(url: str) -> str:
    return f"{_PREVIEW}{quote(url, safe='')}"


def preview_of(href: str) -> str:
    """The feed address in a preview link; "" for any other link."""
    return unquote(href.removeprefix(_PREVIEW)) if href.startswith(_PREVIEW) else ""


def find_link(words: str) -> str:
    return f"{_FIND}{quote(words, safe='')}"


def find_of(href: str) -> str:
    """The words in a link that searches for podcasts; "" for any other link."""
    return unquote(href.removeprefix(_FIND)) if href.startswith(_FIND) else ""


def episodes_link(words: str) -> str:
    return f"{_EPISODES}{quote(words, safe='')}"


def episodes_of(href: str) -> str:
    """The words in a link that searches for single episodes; "" for any other link."""
    return unquote(href.removeprefix(_EPISODES)) if href.startswith(_EPISODES) else ""


_LANGUAGE = 3
_COUNT = 7
_TITLE_FIRST = 24
"""The least cells of a title beside other columns."""
_AUTHOR = range(10, 31)


class Columns(Struct, frozen=True):
    """The cells of each column, with the spaces before it; 0: the column isn't shown. `title` gets the rest. For an
    episode, `author` is its podcast, `newest` its date, `count` its length."""

    title: int
    author: int = 0
    newest: int = 0
    count: int = 0
    language: int = 0


def columns(cells: int, found: Sequence[Found]) -> Columns:
    """The columns of rows with this many cells, which begin with a mark and a space and end with a space. A fact that
    no row has gets no column."""
    has = {
        "newest": any(map(_moment, found)),
        "count": any(map(count_words, found)),
        "language": any(map(language_words, found)),
    }
    room = max(0, cells - 3)
    shown = {}
    for name, wanted in (("newest", DATE_CELLS + 2), ("count", _COUNT + 1), ("language", _LANGUAGE + 1)):
        if has[name] and room - wanted >= _TITLE_FIRST:
            shown[name] = wanted
            room -= wanted
    author = min(_AUTHOR[-1], room // 3) if room - _TITLE_FIRST >= _AUTHOR[0] else 0
    author = author if author in _AUTHOR else 0
    return Columns(room - author, author, **shown)


def identity(found: Found) -> Hashable:
    """A value that is the same for the same podcast or episode in a later result."""
    if isinstance(found, FoundEpisode):
        return url_key(found.feed_url), found.guid or url_key(found.url), found.title
    if found.feed_url:
        return url_key(found.feed_url)
    return found.apple_id or found.guid or (found.title, found.author)


def author_words(found: Found) -> str:
    """Podcasts of the built-in list show their topic in place of an author."""
    if isinstance(found, FoundEpisode):
        return found.podcast
    return found.author or ", ".join(found.topics[:1])


def newest_words(found: Found, today: date) -> str:
    return short_date(_moment(found), today)


def _moment(found: Found) -> datetime | None:
    return found.published if isinstance(found, FoundEpisode) else found.newest


def count_words(found: Found) -> str:
    """The number of episodes, or the length of an episode, for a narrow column."""
    if isinstance(found, FoundEpisode):
        return clock(found.duration_ms) if found.duration_ms else ""
    if found.episode_count is None:
        return ""
    return f"{Grouped(found.episode_count):,}" if found.episode_count < 100_000 else f"{Grouped(99_999):,}+"


def language_words(found: Found) -> str:
    """The language without the region: `en` for `en-us`."""
    word = found.language.replace("_", "-").partition("-")[0] if isinstance(found, FoundPodcast) else ""
    return word.lower() if 0 < width(word) <= _LANGUAGE else ""


def facts(found: Found, today: date, dot: str) -> str:
    """A line about the row under the cursor, with the facts for which the row may have no room."""
    directories = _("from {directories}", directories=", ".join(found.directories)) if found.directories else ""
    if isinstance(found, FoundEpisode):
        words: tuple[str, ...] = (found.podcast, newest_words(found, today), count_words(found), directories)
        return f" {dot} ".join(filter(None, words))
    number = found.episode_count
    words = (
        found.author,
        plural(number, "{n:,} episode", "{n:,} episodes") if number else "",
        _("newest {day}", day=newest_words(found, today)) if found.newest else "",
        found.language,
        ", ".join(found.topics[:2]),
        _("explicit") if found.explicit else "",
        directories,
    )
    return f" {dot} ".join(filter(None, words))
