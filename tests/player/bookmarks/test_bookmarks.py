"""Bookmarking what is heard: chapter and line with it, on the disk, published, and in the listener's file."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.bookmarks import Here, heard_now
from player.errors import LibraryError
from player.events import BookmarksChanged, Notice
from player.model.episode import Chapter, Chapters, Episode, EpisodeId, Transcript, TranscriptLine
from player.model.playback import PlaybackState, PlaybackStatus, Severity
from player.paths import Paths
from player.player import Player
from player.settings import BookmarksFile, Settings
from tests.player.library.helpers import URL, apply_feed, episode


class Known:
    """What is on this disk beside the audio."""

    def __init__(self) -> None:
        self.damaged = False
        self.lines = (TranscriptLine("Hello.", 0, 4_000), TranscriptLine("And now the news.", 60_000, 64_000))

    def chapters(self, _episode: Episode) -> Chapters:
        return Chapters((Chapter(0, "Intro"), Chapter(50_000, "News")))

    def transcript(self, _episode_id: EpisodeId) -> Transcript | None:
        if self.damaged:
            raise LibraryError("It can't be read")
        return Transcript(self.lines)


class Opened:
    def __init__(self, player: Player, known: Known) -> None:
        self.player, self.known = player, known
        self.player.bookmarks._attachments = lambda: known  # type: ignore[assignment, return-value]
        found = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), *map(episode, range(2))).new
        self.first, self.second = player.library.episodes.rows(found)
        self.events: list[object] = []
        player.bus.subscribe(object, self.events.append)

    def of(self, kind: type) -> list[object]:
        return [event for event in self.events if isinstance(event, kind)]


@pytest.fixture
def opened(open_with: Callable[[BookmarksFile], Opened]) -> Opened:
    return open_with(BookmarksFile())


@pytest.fixture
def open_with(paths: Paths, request: pytest.FixtureRequest) -> Callable[[BookmarksFile], Opened]:
    def opening(settings: BookmarksFile) -> Opened:
        player = Player(paths, replace(Settings(), bookmarks=settings))
        player.open()
        request.addfinalizer(player.close)
        return Opened(player, Known())

    return opening


def test_the_position_is_the_one_that_is_heard(opened: Opened) -> None:
    status = PlaybackStatus(PlaybackState.PLAYING, opened.first, 10_000, speed=2.0, measured_at=time.monotonic() - 3)
    here = heard_now(status)
    assert here
    assert here.episode == opened.first
    assert 16_000 <= here.position_ms < 17_000
    assert heard_now(replace(status, live=True)) is None
    assert heard_now(PlaybackStatus()) is None


def test_chapter_and_line_are_kept_with_it(opened: Opened) -> None:
    made = opened.player.bookmarks.add(Here(opened.first, 61_000)).result(10).bookmark
    assert (made.chapter, made.line) == ("News", "And now the news.")
    assert opened.player.library.bookmarks.all() == [made]
    assert len(opened.of(BookmarksChanged)) == 1


def test_a_line_that_was_said_long_ago_is_not_the_one_that_is_heard(opened: Opened) -> None:
    assert opened.player.bookmarks.add(Here(opened.first, 18_000)).result(10).bookmark.line == "Hello."
    assert opened.player.bookmarks.add(Here(opened.first, 45_000)).result(10).bookmark.line == ""


def test_a_bookmark_does_not_fail_with_its_transcript(opened: Opened) -> None:
    opened.known.damaged = True
    made = opened.player.bookmarks.add(Here(opened.first, 61_000)).result(10).bookmark
    assert (made.chapter, made.line) == ("News", "")


def test_it_is_undone_and_redone_as_any_act(opened: Opened) -> None:
    made = opened.player.bookmarks.add(Here(opened.first, 61_000)).result(10).bookmark
    assert opened.player.bookmarks.delete([made.id]).result(10) == [made.id]
    assert opened.player.acts.undo().result(10)
    assert opened.player.library.bookmarks.all() == [made]
    assert opened.player.acts.undo().result(10)
    assert opened.player.library.bookmarks.all() == []
    assert len(opened.of(BookmarksChanged)) == 4


def test_each_is_appended_to_the_file_once(open_with: Callable[[BookmarksFile], Opened], tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    opened = open_with(BookmarksFile(str(file), "{time} {note} {chapter}"))
    opened.player.bookmarks.add(Here(opened.first, 61_000))
    opened.player.bookmarks.add(Here(opened.first, 62_000))
    opened.player.bookmarks.add(Here(opened.second, 5_000)).result(10)
    opened.player.close()
    assert file.read_text() == "1:01  News\n0:05  Intro\n"


def test_a_note_that_follows_replaces_the_entry_without(
    open_with: Callable[[BookmarksFile], Opened], tmp_path: Path
) -> None:
    file = tmp_path / "notes.md"
    opened = open_with(BookmarksFile(str(file), "{time} {note}"))
    opened.player.bookmarks.add(Here(opened.first, 61_000))
    opened.player.bookmarks.add(Here(opened.first, 61_000), "the news")
    opened.player.close()
    assert file.read_text() == "1:01 the news\n"


def test_a_file_that_cannot_be_written_keeps_the_bookmark(
    open_with: Callable[[BookmarksFile], Opened], tmp_path: Path
) -> None:
    opened = open_with(BookmarksFile(str(tmp_path / "nowhere" / "notes.md")))
    made = opened.player.bookmarks.add(Here(opened.first, 61_000)).result(10).bookmark
    opened.player.bookmarks.close()
    (notice,) = opened.of(Notice)
    assert isinstance(notice, Notice)
    assert notice.severity is Severity.ERROR
    assert "notes.md" in notice.text
    assert opened.player.library.bookmarks.all() == [made]
