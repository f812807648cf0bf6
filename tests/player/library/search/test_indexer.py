"""The index follows the library by itself."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from player.errors import EarmarkError, FeedError, LibraryError
from player.library import Library
from player.library.search.index import SearchIndexer
from player.model.podcast import Podcast
from tests.player.library.helpers import apply_feed, episode


@pytest.fixture
def keeper(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[SearchIndexer]:
    monkeypatch.setattr("player.library.search.index._QUIET_S", 0.01)
    keeper = SearchIndexer()
    keeper.start(library.search)
    yield keeper
    keeper.close()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_comes_can_be_found_soon_after(keeper: SearchIndexer, library: Library, podcast: Podcast) -> None:
    apply_feed(library, podcast, episode(0, title="Needle"))
    keeper.poke()
    until(lambda: library.search.find("needle ", 5).ids)
    apply_feed(library, podcast, episode(0, title="Thread"))
    keeper.poke()
    until(lambda: library.search.find("thread ", 5).ids)
    assert not library.search.find("needle ", 5).ids


@pytest.mark.parametrize("error", [LibraryError("No space is left"), FeedError("The helper ended")])
def test_a_failure_is_a_sentence_in_the_log_and_is_tried_again_at_the_next_change(
    keeper: SearchIndexer,
    library: Library,
    podcast: Podcast,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: EarmarkError,
) -> None:
    failed = threading.Event()
    catch_up = library.search.catch_up

    def fail(_enough: object) -> bool:
        monkeypatch.setattr(library.search, "catch_up", catch_up)
        failed.set()
        raise error

    monkeypatch.setattr(library.search, "catch_up", fail)
    keeper.poke()
    assert failed.wait(5)
    apply_feed(library, podcast, episode(0, title="Needle"))
    keeper.poke()
    until(lambda: library.search.find("needle ", 5).ids)
    assert [(record.getMessage(), record.exc_info) for record in caplog.records] == [
        (f"the search index is behind: {error}", None)
    ]


def test_closing_waits_for_nothing(library: Library, podcast: Podcast, monkeypatch: pytest.MonkeyPatch) -> None:
    apply_feed(library, podcast, *(episode(number, notes="many words " * 300) for number in range(3000)))
    started = threading.Event()
    catch_up = library.search.catch_up

    def begin(enough: Callable[[], bool]) -> bool:
        started.set()
        while not enough():
            time.sleep(0.001)
        return catch_up(enough)

    monkeypatch.setattr(library.search, "catch_up", begin)
    keeper = SearchIndexer()
    keeper.start(library.search)
    assert started.wait(5)
    keeper.close()
    assert library.search.left() > 0
