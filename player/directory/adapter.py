"""The declaration of a directory, the ADAPTER of its module, and what the directory is opened with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from player.directory.directory import Chart, Directory, EpisodeSearch
from player.settings import DirectorySettings

if TYPE_CHECKING:
    from player.directory.answers import Answers

Key = Callable[[], tuple[str, str] | None]
"""Returns the listener's API key and its secret, either is "" if it is missing; None if the listener has no key. It may
block on a keyring."""


class Access(Struct, frozen=True):
    """`urls` are the adapter's URLs as they are set; `country` is the listener's country, a code of two letters (ISO
    3166)."""

    answers: Answers
    urls: Mapping[str, str]
    country: str
    key: Key


class Opened(NamedTuple):
    """A directory; its charts and its search for single episodes, if it has them."""

    directory: Directory
    chart: Chart | None = None
    episodes: EpisodeSearch | None = None


class KeySettings(Struct, frozen=True):
    """The settings in [directories] for an API key and its secret, and their documentation."""

    key: str
    secret: str
    words: str


class Adapter(Struct, frozen=True, kw_only=True):
    """A directory, before it is opened.

    `name` identifies it in the setting `directories.ask`, `title` is its name for people. `urls` are its settings in
    [directories], which end with `_url`, with their defaults; the first is the directory's own server. `key` is None if
    no API key is needed. `charts` names its charts within a sentence, as `mark` marks it; "" if it has none.
    `finds_episodes`: it can search for single episodes. Where two directories differ about a podcast, the one with more
    `trust` is right.
    """

    name: str
    title: str
    urls: Mapping[str, str]
    open: Callable[[Access], Opened]
    key: KeySettings | None = None
    charts: str = ""
    finds_episodes: bool = False
    trust: int = 0

    def server(self, settings: DirectorySettings) -> str:
        """The URL of the directory's own server."""
        return str(getattr(settings, next(iter(self.urls))))
