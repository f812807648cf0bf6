"""A screen that isn't there: it writes down what a controller asks of it."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

from textual.screen import Screen

from player.model.episode import Chapter, Chapters, Episode, EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState, PlaybackStatus, Severity
from player.model.podcast import Podcast, PodcastId
from player.notes.episode_links import Links
from player.playback.outcomes import Done, Outcome
from player.settings import Settings
from tui.actions.action import Focus
from tui.controllers.lists.selection import Targets
from tui.controllers.panes import Arrangement
from tui.controllers.ui import no_episode
from tui.drawing.about.sheet import Build
from tui.look.glyphs import UNICODE, Glyphs
from tui.widgets.episode_list import EpisodeList

T = TypeVar("T")


def episode(number: int = 1, **more: Any) -> Episode:
    made = {"podcast": "Loop", "title": f"Episode {number}", "guid": str(number), "url": f"http://h/{number}.mp3"}
    return Episode(EpisodeId(number), PodcastId(1), **{**made, **more})


class FakeTicker:
    """Ticks when a test says so."""

    def __init__(self, function: Callable[[], None]) -> None:
        self.tick = function
        self.runs = False

    def pause(self) -> None:
        self.runs = False

    def resume(self) -> None:
        self.runs = True


class FakeUi:
    """`messages` are those in the footer, `panels` those in the corner, `links` what was opened or copied, `abouts` the
    pages of their own, `podcasts` those that were shown. It has the page of `episode`, to which the listener has `gone`
    so often."""

    glyphs: Glyphs = UNICODE
    rows = 40
    on_page = True
    held = False
    episode: Episode | None = None
    playback: Any = None
    gone = 0

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.panels: list[tuple[str, str]] = []
        self.links: list[tuple[str, ...]] = []
        self.abouts: list[Callable[[], Build]] = []
        self.podcasts: list[PodcastId] = []
        self.work: dict[str, Callable[[], Coroutine[Any, Any, object]]] = {}
        self.tickers: list[FakeTicker] = []
        self.dialog: Any = None
        self.answer: Callable[[Any], None] = lambda _: None

    async def finish(self) -> None:
        """Does what was begun in the background, and what that begins."""
        while self.work:
            await self.work.pop(next(iter(self.work)))()

    def say(self, words: str, severity: Severity = Severity.INFORMATION) -> None:
        self.messages.append(words)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        self.panels.append((title, message))

    def key_of(self, action_id: str) -> str:
        return f"<{action_id}>"

    def push(self, screen: Screen[T], closed: Callable[[T | None], None] | None = None) -> None:
        self.dialog = screen
        if closed is not None:
            self.answer = closed

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        self.work[group] = work

    def cancel(self, group: str) -> None:
        self.work.pop(group, None)

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        return callback(*args)

    def say_later(self, words: Callable[[], str]) -> None:
        def say() -> None:
            if said := words():
                self.say(said)

        self.call_later(say)

    def every(self, seconds: float, function: Callable[[], None]) -> FakeTicker:
        self.tickers.append(FakeTicker(function))
        return self.tickers[-1]

    def keys_wait(self, until: Awaitable[object]) -> None:
        """A test types nothing ahead."""
        if isinstance(until, Coroutine):
            until.close()
        elif isinstance(until, asyncio.Future):
            until.cancel()

    def show_hints(self) -> None:
        """There is no footer."""

    def no_episode(self) -> str:
        return no_episode()

    def instead(self) -> tuple[str, ...]:
        return ("No episodes",)

    def go_to_page(self) -> None:
        self.gone += 1

    def show_podcast(self, podcast_id: PodcastId) -> None:
        self.podcasts.append(podcast_id)

    def open_about(self, read: Callable[[], Build], podcast_id: PodcastId | None = None) -> None:
        self.abouts.append(read)

    def open_link(self, address: str) -> None:
        self.links.append(("open", address))

    def copy_link(self, address: str, what: str = "") -> None:
        self.links.append(("copy", address, what))

    def copy_links(self, links: Links) -> None:
        self.links.append(("copy", *(page.address for page in links.pages)))


class FakeMain(FakeUi):
    """The main screen: how its panes `shared` the columns, which had the focus, and which `lists` were gone to."""

    def __init__(self) -> None:
        super().__init__()
        self.columns = 120
        self.shared: list[Arrangement] = []
        self.focused: list[Focus] = []
        self.lists: list[tuple[View, EpisodeId | None]] = []
        self.previews: list[Episode] = []
        self.in_front: list[EpisodeList] = []
        self.load: Callable[[], None] = lambda: None
        self.came = 0

    def share_out(self, sidebar: int, episodes: int, notes: int) -> None:
        self.shared.append(Arrangement(sidebar, episodes, notes))

    def give_focus(self, where: Focus) -> None:
        self.focused.append(where)

    def load_list(self) -> None:
        self.load()

    async def list_shown(self) -> None:
        self.came += 1

    def show_list(self, view: View, episode_id: EpisodeId | None = None) -> None:
        self.lists.append((view, episode_id))

    def preview(self, episode: Episode) -> None:
        self.previews.append(episode)

    def open_suggestion(self, podcast: Podcast) -> None:
        """Nothing opens."""

    def episode_lists(self) -> list[EpisodeList]:
        return self.in_front

    def read(self) -> None:
        """Nothing opens."""

    def add(self) -> None:
        """Nothing opens."""


class FakeTargets:
    """The episodes that keys act on, in a list of three; `shown` is how they look since."""

    def __init__(self, *episodes: Episode) -> None:
        self.targets = Targets(tuple(one.id for one in episodes), episodes[0] if len(episodes) == 1 else None)
        self.shown: list[Episode] = []

    def episodes(self, act: Callable[[Targets], object]) -> None:
        if self.targets.ids:
            act(self.targets)

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object]) -> None:
        act(EpisodeId(2), [EpisodeId(1), EpisodeId(2), EpisodeId(3)])

    def put(self, episode: Episode) -> None:
        self.shown.append(episode)

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None) -> None:
        """Nothing is new."""

    def downloading(self, ids: Sequence[EpisodeId]) -> None:
        """Nothing is new."""

    def take_back(self, ids: Sequence[EpisodeId]) -> None:
        """Nothing follows."""


class FakePodcasts:
    """The podcast that keys are about, and the titles of some."""

    def __init__(self, podcast_id: PodcastId | None = None, **titles: PodcastId) -> None:
        self.podcast_id = podcast_id
        self.podcasts_here = None if podcast_id is None else [podcast_id]
        self.titles = {found: title for title, found in titles.items()}

    def no_podcast(self) -> str:
        return "Select a podcast or episode first"


class Calls:
    """An object of which every method can be called: `made` are the calls, as (name, *arguments)."""

    def __init__(self, made: list[tuple[Any, ...]], **answers: Any) -> None:
        self.made = made
        self._answers = answers

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            self.made.append((name, *args))
            return self._answers.get(name)

        return call


class FakeActs(Calls):
    """The acts: what is asked for has been written at once."""

    def then(self, reading: Callable[[], Any]) -> "Future[Any]":
        done: Future[Any] = Future()
        done.set_result(reading())
        return done


class FakeSession(Calls):
    """The session: each command is done as soon as it is asked for."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        ask = super().__getattr__(name)

        def command(*args: Any) -> "Future[Outcome]":
            ask(*args)
            done: Future[Outcome] = Future()
            done.set_result(Done(PlaybackStatus()))
            return done

        return command


class FakePlayer(Calls):
    """The player, its session and its downloads: what was asked of them is in `made`."""

    def __init__(self, status: PlaybackStatus | None = None, **answers: Any) -> None:
        made: list[tuple[Any, ...]] = []
        super().__init__(made, **answers)
        self.status = status or PlaybackStatus()
        self.settings = Settings()
        self.library: Any = None
        self.segment_begun: Any = None
        self.session = FakeSession(made)
        self.acts = FakeActs(made, **answers)
        self.downloads = Calls(made, **answers)
        self.attachments = Calls(made, **answers)


def playing(state: PlaybackState = PlaybackState.PLAYING, **more: Any) -> PlaybackStatus:
    return PlaybackStatus(state, episode(), **more)


def chapters(*starts: int) -> Chapters:
    return Chapters(tuple(Chapter(start, f"From {start}") for start in starts))
