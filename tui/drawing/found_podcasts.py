"""The rows of podcasts found by directories, and links to podcasts outside the library."""

from collections.abc import Hashable, Sequence
from datetime import date
from urllib.parse import quote, unquote

from msgspec import Struct

from player.directory.directory import FoundPodcast
from player.links.addresses import url_key
from player.text.regional import Grouped
from player.text.sentences import _, plural
from tui.drawing.cells import width
from tui.drawing.labels import DATE_CELLS, short_date

_PREVIEW, _FIND = "earmark:preview/", "earmark:find/"


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


_LANGUAGE = 3
_COUNT = 7
_TITLE_FIRST = 24
"""The least cells of a title beside other columns."""
_AUTHOR = range(10, 31)


class Columns(Struct, frozen=True):
    """The cells of each column, with the spaces before it; 0: the column isn't shown. `title` gets the rest."""

    title: int
    author: int = 0
    newest: int = 0
    count: int = 0
    language: int = 0


def columns(cells: int, podcasts: Sequence[FoundPodcast]) -> Columns:
    """The columns of rows of this many cells, which begin with a mark and a space and end with a space. Facts that no
    podcast has get no column."""
    has = {
        "newest": any(one.newest for one in podcasts),
        "count": any(one.episode_count is not None for one in podcasts),
        "language": any(one.language for one in podcasts),
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


def identity(podcast: FoundPodcast) -> Hashable:
    """A value that is the same for the same podcast in a later result."""
    if podcast.feed_url:
        return url_key(podcast.feed_url)
    return podcast.apple_id or podcast.guid or (podcast.title, podcast.author)


def newest_words(podcast: FoundPodcast, today: date) -> str:
    return short_date(podcast.newest, today)


def count_words(podcast: FoundPodcast) -> str:
    """The number of episodes, for a narrow column."""
    if podcast.episode_count is None:
        return ""
    return f"{Grouped(podcast.episode_count):,}" if podcast.episode_count < 100_000 else f"{Grouped(99_999):,}+"


def language_words(podcast: FoundPodcast) -> str:
    """The language without the region: `en` for `en-us`."""
    word = podcast.language.replace("_", "-").partition("-")[0]
    return word.lower() if 0 < width(word) <= _LANGUAGE else ""


def facts(podcast: FoundPodcast, today: date, dot: str) -> str:
    """A line about the podcast under the cursor, with the facts that may not fit into its row."""
    number = podcast.episode_count
    words = (
        podcast.author,
        plural(number, "{n:,} episode", "{n:,} episodes") if number else "",
        _("newest {day}", day=newest_words(podcast, today)) if podcast.newest else "",
        podcast.language,
        ", ".join(podcast.topics[:2]),
        _("explicit") if podcast.explicit else "",
        _("from {directories}", directories=", ".join(podcast.directories)) if podcast.directories else "",
    )
    return f" {dot} ".join(filter(None, words))
