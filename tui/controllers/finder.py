"""Finding podcasts: by words in all directories, in charts, and among the podcasts that Earmark suggests; and single
episodes by words."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Hashable, Sequence
from concurrent.futures import CancelledError, Future
from enum import Enum
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.directory.directory import FoundEpisode, FoundPodcast
from player.directory.searching import Condition, OnChange, Search, SearchState
from player.errors import AlreadySubscribed, EarmarkError
from player.jobs.runner import Cancelled
from player.model.podcast import Podcast
from player.text.cleaning import clean_line
from player.text.sentences import _, plural
from tui.drawing.found_podcasts import Found, identity
from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from player.directory.directories import Directories
    from player.new_podcasts import OpenedEpisode
    from player.player import Player


class FindingUi(Protocol):
    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def again_key(self) -> str:
        """The listener's key for asking again, as sentences name it."""

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        """Runs `work` on the event loop until it is done, or until other work of the same `group` begins."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        """Schedules a call on the screen's thread. May be called from any thread."""


log = logging.getLogger(__name__)

Ask = Callable[["Directories", OnChange[Any]], Search[Any]]


class Source(Enum):
    """Where the listed podcasts come from; for EPISODES, episodes are listed instead."""

    STARTERS = "starters"
    CHARTS = "charts"
    WORDS = "words"
    EPISODES = "episodes"


class Shown(Struct, frozen=True):
    """The contents of the screen. `line` is the progress, or what went wrong (`trouble`); `empty` is shown in place of
    rows.

    `begun` is another number for each requested list; `adding` are the identities of podcasts whose subscription is
    under way, and of episodes that are being opened.
    """

    source: Source = Source.STARTERS
    found: tuple[Found, ...] = ()
    heading: str = ""
    line: str = ""
    trouble: bool = False
    empty: str = ""
    busy: bool = False
    begun: int = 0
    adding: frozenset[Hashable] = frozenset()


class Finder:
    """Each request for podcasts cancels the previous one. `changed` is called on the screen's thread with the new
    contents of the screen."""

    def __init__(self, player: "Player", ui: FindingUi, changed: Callable[[Shown], None]) -> None:
        self._player = player
        self._ui = ui
        self._changed = changed
        self._lock = Lock()
        self._number = 0
        self._search: Search[Any] | None = None
        self._state: SearchState[Any] = SearchState()
        self._starters: tuple[FoundPodcast, ...] = ()
        self._topics: Sequence[tuple[str, str]] = ()
        self._topic = {Source.STARTERS: 0, Source.CHARTS: 0}
        self._adding: dict[Hashable, tuple[str, Future[Any]]] = {}
        self._trouble = ""
        self.source = Source.STARTERS
        self.words = ""
        self.country = ""

    # -- asking -----------------------------------------------------------------------------------------------

    def starters(self) -> None:
        """Lists the podcasts that Earmark suggests, which need no network."""
        self.source, self.words = Source.STARTERS, ""
        number = self._another()
        self._ui.in_background(partial(self._read_starters, number), "find")

    def search(self, words: str) -> None:
        """Searches all directories."""
        self.source, self.words = Source.WORDS, clean_line(words)
        words = self.words
        self._ask(lambda directories, tell: directories.search(words, tell))

    def episodes(self, words: str) -> None:
        """Searches for single episodes, in the directories that have them."""
        self.source, self.words = Source.EPISODES, clean_line(words)
        words = self.words
        self._ask(lambda directories, tell: directories.episodes(words, tell))

    def charts(self) -> None:
        """Lists the charts of the chosen country and topic."""
        self.source, self.words = Source.CHARTS, ""
        country, chosen = self.country, self._topic[Source.CHARTS]

        def ask(directories: "Directories", tell: OnChange[Any]) -> Search[Any]:
            self.country = country or directories.country
            topic = directories.topics[chosen - 1].id if chosen else ""
            return directories.charts(tell, country=self.country, topic=topic)

        self._ask(ask)

    def again(self) -> None:
        """Repeats the last request."""
        match self.source:
            case Source.STARTERS:
                self.starters()
            case Source.CHARTS:
                self.charts()
            case Source.WORDS:
                self.search(self.words)
            case Source.EPISODES:
                self.episodes(self.words)

    def choose_country(self, country: str) -> bool:
        """Lists the charts of another country, a code of two letters; False if it isn't one."""
        code = country.strip().upper()
        if len(code) != 2 or not (code.isascii() and code.isalpha()):
            return False
        self.country = code
        self.charts()
        return True

    def turn_topic(self, by: int) -> None:
        """Turns to the next topic (1) or the previous one (-1); after the last come all topics together."""
        if self.source not in self._topic or not self._topics:
            return
        self._topic[self.source] = (self._topic[self.source] + by) % (len(self._topics) + 1)
        if self.source is Source.CHARTS:
            self.charts()
        else:
            self._number += 1
            self._tell()

    def close(self) -> None:
        """Cancels the search, and subscriptions and openings under way."""
        self._another()
        for url, _adding in list(self._adding.values()):
            self._player.cancel_add(url)

    # -- subscribing ------------------------------------------------------------------------------------------

    def subscribe(self, podcast: FoundPodcast) -> None:
        """Subscribes to a podcast, without opening it first."""
        key = identity(podcast)
        if podcast.podcast_id is not None:
            self._say(_("You are already subscribed to “{title}”", title=podcast.title))
        elif not podcast.feed_url:
            self._say(self.no_feed(podcast))
        elif key not in self._adding:
            adding = self._player.add(podcast.feed_url)
            self._adding[key] = podcast.feed_url, adding
            self._say("")
            adding.add_done_callback(lambda done: self._ui.call_later(self._added, podcast, done))

    def no_feed(self, found: Found) -> str:
        if isinstance(found, FoundEpisode):
            return _("No directory knows the feed of “{title}”. Its web page may.", title=found.title)
        return _("No directory knows the feed of “{title}”. Its website may.", title=found.title)

    def _added(self, podcast: FoundPodcast, adding: "Future[Podcast]") -> None:
        if (trouble := self._why_not(podcast, adding)) is not None:
            self._say(trouble)
            self.mark_again()

    def _why_not(self, found: Found, done: "Future[Any]") -> str | None:
        """Why a podcast couldn't be added or an episode opened; "" if it was, None if that was cancelled."""
        self._adding.pop(identity(found), None)
        try:
            done.result()
        except (Cancelled, CancelledError):
            return None
        except AlreadySubscribed as error:  # its feed redirects to the feed of a subscription
            return f"{found.title}: {error.what}"
        except EarmarkError as error:
            return f"{found.title}: {error}"
        except Exception:
            log.exception("adding a podcast failed")
            return _("Something went wrong inside Earmark. See the log.")
        return ""

    # -- single episodes --------------------------------------------------------------------------------------

    def open_episode(self, episode: FoundEpisode, then: Callable[["OpenedEpisode"], None]) -> None:
        """Brings an episode into the library without subscribing to its podcast, and then calls `then`."""
        key = identity(episode)
        if not episode.feed_url:
            self._say(self.no_feed(episode))
        elif key not in self._adding:
            opening = self._player.previews.open_episode(episode)
            self._adding[key] = episode.feed_url, opening
            self._say("")
            opening.add_done_callback(lambda done: self._ui.call_later(self._opened, episode, done, then))

    def _opened(
        self, episode: FoundEpisode, opening: "Future[OpenedEpisode]", then: Callable[["OpenedEpisode"], None]
    ) -> None:
        trouble = self._why_not(episode, opening)
        self._say(trouble or "")
        if trouble == "":
            then(opening.result())

    def mark_again(self) -> None:
        """Marks again which of the podcasts are subscriptions: the listener may have subscribed to more of them."""
        self._ui.in_background(partial(self._mark, self._number), "marks")

    async def _mark(self, number: int) -> None:
        before, starters = self._state.found, self._starters

        def mark() -> tuple[tuple[Found, ...], tuple[FoundPodcast, ...]]:
            directories = self._player.directories
            return directories.marked(before).result(), directories.marked(starters).result()

        found, marked = await asyncio.to_thread(mark)
        self._starters = marked
        if number == self._number and before == self._state.found:
            self._state = replace(self._state, found=found)
        self._tell()

    # -- results ----------------------------------------------------------------------------------------------

    def _another(self) -> int:
        """Cancels the previous request. Returns the number of the next one."""
        with self._lock:
            self._number += 1
            search, self._search = self._search, None
        if search is not None:
            search.cancel()
        self._state, self._trouble = SearchState(), ""
        return self._number

    def _ask(self, ask: Ask) -> None:
        number = self._another()
        self._tell()
        self._ui.in_background(partial(self._begin, number, ask), "find")

    async def _begin(self, number: int, ask: Ask) -> None:
        def begin() -> Search[Any] | None:
            directories = self._player.directories
            topics = tuple((one.id, one.name) for one in directories.topics)
            search = ask(directories, lambda state: self._told(number, state))
            with self._lock:
                if number == self._number:
                    self._search = search
                    self._topics = topics if self.source is Source.CHARTS else self._topics
                    return search
            search.cancel()
            return None

        search = await asyncio.to_thread(begin)
        if search is not None and number == self._number and self._state == SearchState():
            self._state = search.state  # the directories that are asked, before any has answered
        self._tell()

    def _told(self, number: int, state: SearchState[Any]) -> None:
        """Called on a thread of the search."""
        self._ui.call_later(self._arrived, number, state)

    def _arrived(self, number: int, state: SearchState[Any]) -> None:
        if number == self._number:
            self._state = state
            self._tell()

    async def _read_starters(self, number: int) -> None:
        def read() -> tuple[FoundPodcast, ...]:
            directories = self._player.directories
            return directories.marked(directories.starter_podcasts()).result()

        self._starters = await asyncio.to_thread(read)
        if number == self._number:
            self._topics = tuple((name, name) for name in dict.fromkeys(one.topics[0] for one in self._starters))
            self._tell()

    # -- contents ---------------------------------------------------------------------------------------------

    @property
    def topic(self) -> str:
        """The name of the chosen topic; "" for all."""
        chosen = self._topic.get(self.source, 0)
        return self._topics[chosen - 1][1] if 0 < chosen <= len(self._topics) else ""

    def _say(self, trouble: str) -> None:
        self._trouble = trouble
        self._tell()

    def _tell(self) -> None:
        adding = frozenset(self._adding)
        if self.source is Source.STARTERS:
            podcasts = tuple(one for one in self._starters if self.topic in ("", *one.topics))
            heading = self._heading(_("Suggested by Earmark"))
            line = self._trouble or plural(len(podcasts), "{n:,} podcast", "{n:,} podcasts")
            shown = Shown(self.source, podcasts, heading, line, bool(self._trouble), begun=self._number, adding=adding)
            self._changed(shown)
            return
        state = self._state
        heading = _("“{words}”", words=self.words)
        if self.source is Source.CHARTS:
            heading = self._heading(_("Charts"), self.country)
        elif self.source is Source.EPISODES:
            heading = _("Episodes: “{words}”", words=self.words)
        over = state.over and not state.cancelled
        self._changed(
            Shown(
                self.source,
                state.found,
                heading,
                self._trouble or self._progress(state),
                bool(self._trouble),
                self._empty(state) if over else self._searching(),
                not over,
                self._number,
                adding,
            )
        )

    def _heading(self, *parts: str) -> str:
        topic = self.topic or _("all topics")
        return f" {self._ui.glyphs.dot} ".join(filter(None, (*parts, topic)))

    def _progress(self, state: SearchState[Any]) -> str:
        """One line: how much was found, which directories haven't answered yet, and which failed."""
        ellipsis, dot = self._ui.glyphs.ellipsis, self._ui.glyphs.dot
        slow = [one.name for one in state.directories if one.condition is Condition.SLOW]
        asked = slow or [one.name for one in state.directories if not one.done]
        number, words = len(state.found), []
        if number and self.source is Source.EPISODES:
            words.append(plural(number, "{n:,} episode", "{n:,} episodes"))
        elif number:
            words.append(plural(number, "{n:,} podcast", "{n:,} podcasts"))
        if asked:
            names = ", ".join(asked)
            words.append(_("Asking {names}{ellipsis}", names=names, ellipsis=ellipsis))
        elif not state.over:
            words.append(_("Asking directories{ellipsis}", ellipsis=ellipsis))
        if not state.failed:
            words += state.problems
        return f" {dot} ".join(words)

    def _searching(self) -> str:
        """The sentence in place of rows until there are any. It isn't animated, so it costs nothing."""
        ellipsis = self._ui.glyphs.ellipsis
        if self.source is Source.CHARTS:
            return _("Reading the charts{ellipsis}", ellipsis=ellipsis)
        return _("Searching for “{words}”{ellipsis}", words=self.words, ellipsis=ellipsis)

    def _empty(self, state: SearchState[Any]) -> str:
        again = self._ui.again_key
        if not state.directories and self.source is Source.EPISODES:
            return _("All directories with single episodes are off. See [directories] in config.toml.")
        if not state.directories:
            return _("All directories are off. See [directories] in config.toml; a feed's URL works without them.")
        if state.failed:
            problems = " ".join(state.problems)
            return f"{problems} {_('{key} asks again; a feed can be added by its URL.', key=again)}"
        if self.source is Source.CHARTS:
            return _("There are no charts for this country and topic. {key} asks again.", key=again)
        if self.source is Source.EPISODES:
            return _("No episodes found. Try fewer or other words; {key} looks for podcasts.", key="tab")
        return _("Nothing found. Try fewer or other words, or paste the URL of the feed or its website.")
