"""What is asked for last counts, and whatever comes of an earlier question doesn't; without a screen."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.directory.directory import FoundPodcast
from player.directory.searching import Condition, DirectoryState, SearchState
from player.errors import DirectoryError, FeedError
from player.jobs.runner import Cancelled
from player.model.podcast import PodcastId
from player.player import Player
from tests.tui.controllers.fake import FakeUi
from tui.controllers.finder import Finder, Shown, Source

ONE = FoundPodcast("One", feed_url="https://example.com/1", topics=("Web",))
TWO = FoundPodcast("Two", feed_url="https://example.com/2", topics=("Data",))
NO_FEED = FoundPodcast("Nowhere", apple_id=7)
ANSWERED = (DirectoryState("A", Condition.ANSWERED, 1),)


class FakeDirectories:
    """Answers when a test says so: `asked` are the questions, each with its function to tell it, `cancelled` theirs."""

    country = "AT"
    topics = (SimpleNamespace(id="technology", name="Technology"), SimpleNamespace(id="news", name="News"))

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Callable[[SearchState[FoundPodcast]], None]]] = []
        self.cancelled: list[Any] = []

    def search(self, words: str, tell: Callable[[SearchState[FoundPodcast]], None]) -> Any:
        return self._begin(words, tell)

    def charts(self, tell: Callable[[SearchState[FoundPodcast]], None], *, country: str, topic: str) -> Any:
        return self._begin((country, topic), tell)

    def _begin(self, question: Any, tell: Callable[[SearchState[FoundPodcast]], None]) -> Any:
        self.asked.append((question, tell))
        state = SearchState(directories=(DirectoryState("A"), DirectoryState("B")))
        return SimpleNamespace(cancel=lambda: self.cancelled.append(question), state=state)

    def starter_podcasts(self) -> tuple[FoundPodcast, ...]:
        return ONE, TWO

    def marked(self, podcasts: tuple[FoundPodcast, ...]) -> Future[tuple[FoundPodcast, ...]]:
        done: Future[tuple[FoundPodcast, ...]] = Future()
        done.set_result(tuple(podcasts))
        return done


class Ui(FakeUi):
    again_key = "ctrl+r"


class Finding:
    def __init__(self) -> None:
        self.directories, self.ui = FakeDirectories(), Ui()
        self.added: dict[str, Future[Any]] = {}
        self.given_up: list[str] = []
        self.shown = Shown()
        player = SimpleNamespace(directories=self.directories, add=self._add, cancel_add=self.given_up.append)
        self.finder = Finder(cast(Player, player), self.ui, self._show)

    def _add(self, url: str) -> Future[Any]:
        return self.added.setdefault(url, Future())

    def _show(self, shown: Shown) -> None:
        self.shown = shown

    async def ask(self, words: str) -> Callable[[SearchState[FoundPodcast]], None]:
        self.finder.search(words)
        await self.ui.finish()
        return self.directories.asked[-1][1]


@pytest.fixture
def finding() -> Finding:
    return Finding()


async def test_answers_are_shown_as_they_come(finding: Finding) -> None:
    tell = await finding.ask("rust")
    assert finding.shown.busy
    assert (finding.shown.empty, finding.shown.line) == ("Searching for “rust”…", "Asking A, B…"), "before any answers"
    tell(SearchState((ONE,), (*ANSWERED, DirectoryState("B"))))
    assert (finding.shown.found, finding.shown.line, finding.shown.busy) == ((ONE,), "1 podcast · Asking B…", True)
    failed = DirectoryState("B", Condition.FAILED, problem=DirectoryError("B is down", "Try again later."))
    tell(SearchState((ONE, TWO), (*ANSWERED, failed), over=True))
    assert (finding.shown.line, finding.shown.busy) == ("2 podcasts · B is down. Try again later.", False)


async def test_a_new_question_cancels_the_old_one_whose_answers_are_dropped(finding: Finding) -> None:
    old = await finding.ask("rust")
    new = await finding.ask("go")
    assert finding.directories.cancelled == ["rust"]
    new(SearchState((TWO,), ANSWERED, over=True))
    old(SearchState((ONE,), ANSWERED, over=True))
    assert finding.shown.found == (TWO,)
    finding.finder.close()
    assert finding.directories.cancelled == ["rust", "go"]
    new(SearchState((ONE,), ANSWERED, over=True))
    assert finding.shown.found == (TWO,)


async def test_every_way_to_find_nothing_has_a_sentence(finding: Finding) -> None:
    tell = await finding.ask("rust")
    tell(SearchState((), ANSWERED, over=True))
    assert finding.shown.empty.startswith("Nothing found.")
    tell(SearchState((), (), over=True))
    assert finding.shown.empty.startswith("All directories are off.")
    tell(SearchState((), (DirectoryState("A", Condition.FAILED, problem=DirectoryError("A is down")),), over=True))
    assert finding.shown.empty.startswith("A is down. ctrl+r asks again")
    finding.finder.again()
    await finding.ui.finish()
    assert [question for question, _tell in finding.directories.asked] == ["rust", "rust"]


async def test_topics_go_round_and_charts_are_asked_for_each(finding: Finding) -> None:
    finding.finder.starters()
    await finding.ui.finish()
    assert (finding.shown.found, finding.shown.heading) == ((ONE, TWO), "Suggested by Earmark · all topics")
    finding.finder.turn_topic(-1)
    assert (finding.shown.found, finding.shown.heading) == ((TWO,), "Suggested by Earmark · Data")
    finding.finder.charts()
    await finding.ui.finish()
    finding.finder.turn_topic(1)
    await finding.ui.finish()
    assert finding.shown.heading == "Charts · AT · Technology"
    assert finding.finder.choose_country(" de ")
    await finding.ui.finish()
    assert [question for question, _tell in finding.directories.asked] == [
        ("AT", ""), ("AT", "technology"), ("DE", "technology"),
    ]  # fmt: skip
    assert not finding.finder.choose_country("Österreich")
    assert not finding.finder.choose_country("1!")
    assert finding.shown.source is Source.CHARTS


async def test_a_podcast_is_subscribed_to_once_and_a_failure_is_said(finding: Finding) -> None:
    tell = await finding.ask("rust")
    tell(SearchState((ONE, NO_FEED), ANSWERED, over=True))
    finding.finder.subscribe(ONE)
    finding.finder.subscribe(ONE)
    assert len(finding.shown.adding) == 1
    finding.added[ONE.feed_url].set_exception(FeedError("It isn't there", "Look elsewhere."))
    await finding.ui.finish()
    assert (finding.shown.line, finding.shown.trouble) == ("One: It isn't there. Look elsewhere.", True)
    assert not finding.shown.adding
    finding.finder.subscribe(NO_FEED)
    assert "No directory knows the feed of “Nowhere”" in finding.shown.line
    finding.finder.subscribe(FoundPodcast("Mine", feed_url="https://x.example/", podcast_id=PodcastId(3)))
    assert finding.shown.line == "You are already subscribed to “Mine”"


async def test_closing_gives_up_what_is_being_subscribed_to(finding: Finding) -> None:
    tell = await finding.ask("rust")
    tell(SearchState((ONE,), ANSWERED, over=True))
    finding.finder.subscribe(ONE)
    finding.finder.close()
    assert finding.given_up == [ONE.feed_url]
    finding.added[ONE.feed_url].set_exception(Cancelled("It was cancelled"))
    assert not finding.shown.trouble
