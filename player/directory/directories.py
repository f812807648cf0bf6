"""All directories together: searches for podcasts and for single episodes, charts, and podcasts to start with."""

import logging
import os
import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec.structs import replace

from player.directory import starters
from player.directory.adapter import Access, Adapter, Opened
from player.directory.adapters import by_trust, settings_kind
from player.directory.answers import Answers, RecentAnswers
from player.directory.directory import TOPICS, FoundEpisode, FoundPodcast, Item, Topic
from player.directory.searching import (
    Arrange,
    OnChange,
    Patience,
    Question,
    Search,
    chart,
    episode_results,
    outside,
    search_results,
)
from player.links.addresses import url_key
from player.model.podcast import PodcastId
from player.net.loop import NetworkLoop
from player.processes.threads import on_own_thread
from player.settings import DirectorySettings
from player.text.cleaning import clean_line

log = logging.getLogger(__name__)

LIMIT = 50
"""Podcasts or episodes that each directory is asked for, unless the caller wants another number."""
_COUNTRY = re.compile(r"[A-Za-z]{2,3}_([A-Z]{2})\b")
_EVERYWHERE = "US"
"""The country if the system names none. Apple has the largest choice there."""

Subscriptions = Callable[[], Mapping[str, PodcastId]]
"""Returns the podcasts of the library by `url_key` and by guid. It may block on the disk, and raise any exception."""
Logins = Callable[[str], tuple[str, str] | None]


class Directories:
    """All methods return at once. No directory is asked before the first search."""

    def __init__(
        self,
        settings: DirectorySettings | None,
        subscriptions: Subscriptions,
        login: Logins,
        network: NetworkLoop,
        *,
        patience: Patience | None = None,
    ) -> None:
        """Without `settings` the defaults apply. `login` finds the stored name and password for a server; it may block
        on a keyring."""
        settings = settings or settings_kind()()
        self.country = settings.country or local_country(os.environ)
        self._settings = settings
        self._subscriptions = subscriptions
        self._login = login
        self._patience = patience or Patience()
        self._answers = Answers(network)
        self._recent = RecentAnswers()
        self._lock = threading.Lock()
        self._searches: set[Search[Any]] = set()
        self._addresses = {one.name: one.server(settings) for one in by_trust()}
        opened = {one.name: self._open(one) for one in by_trust()}
        self._directories = {name: one.directory for name, one in opened.items()}
        self._charts = {name: one.chart for name, one in opened.items() if one.chart is not None}
        self._with_episodes = {name: one.episodes for name, one in opened.items() if one.episodes is not None}

    def search(self, words: str, on_change: OnChange[FoundPodcast], *, limit: int = LIMIT) -> Search[FoundPodcast]:
        """Asks all directories that are switched on; `on_change` is called as they answer, on a thread of the search.
        Without words the search is over at once."""
        words = clean_line(words)
        questions = {
            one.name: self._asking(id, partial(one.search, words, limit), words, limit)
            for id, one in self._directories.items()
            if id in self._settings.ask
        }
        return self._begin(questions if words else {}, lambda found: search_results(found, words), on_change)

    def episodes(self, words: str, on_change: OnChange[FoundEpisode], *, limit: int = LIMIT) -> Search[FoundEpisode]:
        """Like `search`, for single episodes: by words of their titles and descriptions, or by a person. Only some
        directories can search for episodes."""
        words = clean_line(words)
        questions = {
            self._directories[id].name: self._asking(
                id, partial(one.find_episodes, words, limit), "episodes", words, limit
            )
            for id, one in self._with_episodes.items()
            if id in self._settings.ask
        }
        return self._begin(questions if words else {}, lambda found: episode_results(found, words), on_change)

    def charts(
        self, on_change: OnChange[FoundPodcast], *, country: str = "", topic: str = "", limit: int = LIMIT
    ) -> Search[FoundPodcast]:
        """Asks for the popular podcasts in a country (a code of two letters; "" for the listener's) and about a topic
        (the `id` of one of `topics`; "" for all). A directory may have only charts of all countries."""
        what = (country or self.country, topic, limit)
        questions = {
            one.name: self._asking(id, partial(one.top, *what), *what)
            for id, one in self._charts.items()
            if id in self._settings.ask
        }
        return self._begin(questions, chart, on_change)

    def starter_podcasts(self) -> tuple[FoundPodcast, ...]:
        """Thirty podcasts for developers, known without a network. `marked` tells which of them the listener is
        subscribed to."""
        return starters.starter_podcasts()

    def marked(self, found: Sequence[Item]) -> Future[tuple[Item, ...]]:
        """The same podcasts or episodes, with the `podcast_id` of the present subscriptions."""
        return on_own_thread(lambda: self._mark(tuple(found)), "earmark-subscribed")

    @property
    def topics(self) -> tuple[Topic, ...]:
        """The topics that `charts` knows."""
        return TOPICS

    def close(self) -> None:
        """Cancels all searches. May be called twice."""
        with self._lock:
            searches = list(self._searches)
        for search in searches:
            search.cancel()

    # -- inside -----------------------------------------------------------------------------------------------

    def _open(self, adapter: Adapter) -> Opened:
        urls = {name: getattr(self._settings, name) for name in adapter.urls}
        access = Access(self._answers, urls, self.country, partial(self._key, adapter))
        return adapter.open(access)

    def _key(self, adapter: Adapter) -> tuple[str, str] | None:
        """The directory's API key and its secret: from config.toml, or stored as the login of its server."""
        if adapter.key is None:
            return None
        key, secret = getattr(self._settings, adapter.key.key), getattr(self._settings, adapter.key.secret)
        if not (key and secret):
            kept = self._login(adapter.server(self._settings)) or ("", "")
            key, secret = key or kept[0], secret or kept[1]
        return (clean_line(key), clean_line(secret)) if key or secret else None

    def _asking(self, id: str, question: Question[Item], *words: Hashable) -> Question[Item]:
        """The question to a directory, which the cache answers if it was asked a moment ago."""
        here = self._addresses[id]
        return lambda attempt: self._recent.get((id, *words), lambda: outside(question(attempt), here))

    def _begin(
        self, questions: Mapping[str, Question[Item]], arrange: Arrange[Item], tell: OnChange[Item]
    ) -> Search[Item]:
        search = Search(questions, lambda found: self._mark(arrange(found)), tell, self._patience)
        with self._lock:
            self._searches = {one for one in self._searches if not one.state.over} | {search}
        return search

    def _mark(self, found: tuple[Item, ...]) -> tuple[Item, ...]:
        try:
            known = self._subscriptions()
        except Exception:
            log.exception("the subscriptions can't be read")
            return found
        ids = [known.get(url_key(one.feed_url)) or known.get(_guid(one)) for one in found]
        return tuple(
            one if one.podcast_id == id else replace(one, podcast_id=id) for one, id in zip(found, ids, strict=True)
        )


def _guid(one: FoundPodcast | FoundEpisode) -> str:
    """The podcast's guid; "" if it isn't known."""
    return one.guid if isinstance(one, FoundPodcast) else ""


def local_country(environ: Mapping[str, str]) -> str:
    """The listener's country as the system's settings name it (`de_AT.UTF-8`), else the United States."""
    for name in ("LC_ALL", "LC_TIME", "LANG"):
        if found := _COUNTRY.match(environ.get(name, "")):
            return found[1]
    return _EVERYWHERE
