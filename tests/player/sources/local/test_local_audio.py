"""A folder of audio as a podcast: added, refreshed, and never changed."""

import os
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import AlreadySubscribed, BadAddress, NoAudio, NotThere
from player.events import Bus
from player.feeds.opml import Outline, subscribe_all, write_opml
from player.feeds.refresh import Refresher
from player.feeds.source import Sources
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.links.addresses import file_address, path_of
from player.model.episode import Episode
from player.model.filters import Order, View, ViewName
from player.model.podcast import Podcast
from player.paths import Paths
from player.sources import all_sources
from player.sources.local.file_tags import FileTags, read_tags
from player.sources.local.local_audio import LocalAudio
from tests.player.sources.books import m4b, mp3, tag


class Shelf:
    """A library, and a folder beside it."""

    def __init__(self, library: Library, folder: Path) -> None:
        self.library = library
        self.folder = folder
        self.sources = all_sources()

    def add(self, what: Path | str | None = None) -> Podcast:
        return Subscriber(self.library, sources=self.sources).add(str(what or self.folder))

    def refresh(self) -> Podcast:
        Refresher(self.library, Bus(), sources=self.sources).refresh()
        (podcast,) = self.library.podcasts.all()
        return podcast

    def episodes(self) -> list[Episode]:
        """In the order in which they are heard."""
        (podcast,) = self.library.podcasts.all()
        view = View.of(ViewName.PODCAST, podcast.id).shown(self.library.podcast_settings.get(podcast.id).view)
        listing = self.library.episodes.listing(view)
        return self.library.episodes.rows(listing.page(0, 100_000))

    def titles(self) -> list[str]:
        return [episode.title for episode in self.episodes()]

    def hear(self, title: str, position_ms: int) -> None:
        (episode,) = (one for one in self.episodes() if one.title == title)
        self.library.progress.save(episode.id, position_ms, None, datetime.now(UTC))

    def positions(self) -> dict[str, int]:
        return {episode.title: episode.position_ms for episode in self.episodes() if episode.position_ms}


@pytest.fixture
def shelf(library: Library, tmp_path: Path) -> Shelf:
    folder = tmp_path / "My Book"
    folder.mkdir()
    return Shelf(library, folder)


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_ino, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def test_a_folder_is_a_podcast_in_natural_order(shelf: Shelf) -> None:
    for number in (10, 2, 1):
        mp3(shelf.folder / f"Chapter {number}.mp3")
    podcast = shelf.add()
    assert (podcast.title, podcast.url, podcast.episode_count) == ("My Book", file_address(shelf.folder), 3)
    assert podcast.description == f"Audio files in {shelf.folder}"
    assert shelf.titles() == ["Chapter 1", "Chapter 2", "Chapter 10"]
    assert [round((one.duration_ms or 0) / 1000) for one in shelf.episodes()] == [10, 10, 10]
    assert path_of(shelf.episodes()[0].url) == shelf.folder / "Chapter 1.mp3"


def test_titles_album_and_author_come_from_the_tags(shelf: Shelf) -> None:
    mp3(shelf.folder / "a.mp3", title="The end", album="A Book", artist="An Author", track="2")
    mp3(shelf.folder / "b.mp3", title="The start", album="A Book", artist="An Author", track="1")
    podcast = shelf.add()
    assert (podcast.title, podcast.author) == ("A Book", "An Author")
    assert shelf.titles() == ["The start", "The end"]


def test_files_that_all_carry_the_book_s_title_go_by_their_names(shelf: Shelf) -> None:
    for name in ("Disc 1/01_Intro.mp3", "Disc 1/02.mp3", "Disc 2/02.mp3"):
        mp3(shelf.folder / name, name, title="A Book")
    shelf.add()
    assert shelf.titles() == ["01 Intro", "Disc 1 / 02", "Disc 2 / 02"]


def test_a_single_file_is_a_podcast_with_one_episode(shelf: Shelf) -> None:
    book = m4b(shelf.folder / "whole.m4b", "One", "Two", title="Whole Book", artist="Somebody")
    podcast = shelf.add(book)
    assert (podcast.title, podcast.author, podcast.url) == ("Whole Book", "Somebody", file_address(book))
    assert shelf.titles() == ["Whole Book"]


def test_what_was_added_is_heard_from_the_first_on_and_fills_no_inbox(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3")
    podcast = shelf.add()
    assert shelf.library.podcast_settings.get(podcast.id).view.order is Order.OLDEST
    mp3(shelf.folder / "2.mp3")
    shelf.refresh()
    assert shelf.titles() == ["1", "2"]
    assert shelf.library.episodes.counts().new == 0


def test_nothing_is_added_twice(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3")
    shelf.add()
    with pytest.raises(AlreadySubscribed):
        shelf.add(f"{shelf.folder}/")


def test_a_refresh_finds_new_renamed_and_changed_files_in_their_places(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3", "one")
    mp3(shelf.folder / "3.mp3", "three")
    shelf.add()
    ids = {one.title: one.id for one in shelf.episodes()}
    mp3(shelf.folder / "2.mp3", "two")
    assert shelf.refresh().episode_count == 3
    assert shelf.titles() == ["1", "2", "3"]
    (shelf.folder / "1.mp3").rename(shelf.folder / "4.mp3")
    tag(shelf.folder / "3.mp3", {"title": "Third"})
    shelf.refresh()
    assert shelf.titles() == ["2", "Third", "4"]
    assert {one.title: one.id for one in shelf.episodes()}.items() >= {("4", ids["1"]), ("Third", ids["3"])}


def test_positions_follow_their_files_through_any_renaming(shelf: Shelf) -> None:
    for name in "abc":
        mp3(shelf.folder / f"{name}.mp3", name)
    shelf.add()
    shelf.hear("a", 1111)
    shelf.hear("b", 2222)
    # Each takes another's name, which is what renumbering does, and one moves to a folder and is tagged as well.
    (shelf.folder / "a.mp3").rename(shelf.folder / "x")
    (shelf.folder / "b.mp3").rename(shelf.folder / "a.mp3")
    (shelf.folder / "x").rename(shelf.folder / "b.mp3")
    (shelf.folder / "disc").mkdir()
    (shelf.folder / "c.mp3").rename(shelf.folder / "disc" / "c.mp3")
    tag(shelf.folder / "b.mp3", {"title": "Was a"}, b"x" * 50_000)
    podcast = shelf.refresh()
    assert shelf.positions() == {"Was a": 1111, "a": 2222}
    assert podcast.episode_count == 3


def test_a_file_that_was_exchanged_under_the_same_name_keeps_its_position(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3", "one")
    shelf.add()
    shelf.hear("1", 4321)
    mp3(shelf.folder / "1.mp3", "the same in better quality")
    assert shelf.refresh().episode_count == 1
    assert shelf.positions() == {"1": 4321}


def test_copies_of_the_same_sound_are_episodes_of_their_own(shelf: Shelf) -> None:
    for name in "abc":
        mp3(shelf.folder / f"{name}.mp3", "the same")
    assert shelf.add().episode_count == 3
    shelf.refresh()
    assert shelf.titles() == ["a", "b", "c"]


def test_a_missing_file_goes_unless_the_listener_has_touched_it(shelf: Shelf) -> None:
    for name in ("heard", "starred", "queued", "played", "untouched", "kept"):
        mp3(shelf.folder / f"{name}.mp3")
    shelf.add()
    ids = {one.title: one.id for one in shelf.episodes()}
    shelf.hear("heard", 5000)
    shelf.library.episodes.set_starred([ids["starred"]], True)
    shelf.library.episodes.set_played([ids["played"]], True)
    shelf.library.queue.add_last([ids["queued"]])
    for name in ("heard", "starred", "queued", "played", "untouched"):
        (shelf.folder / f"{name}.mp3").unlink()
    podcast = shelf.refresh()
    assert sorted(shelf.titles()) == ["heard", "kept", "played", "queued", "starred"]
    assert (podcast.episode_count, podcast.unplayed_count) == (5, 4)
    mp3(shelf.folder / "heard.mp3")
    shelf.refresh()
    assert shelf.positions() == {"heard": 5000}


def test_a_vanished_disk_takes_nothing_with_it(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3")
    mp3(shelf.folder / "2.mp3")
    shelf.add()
    away = shelf.folder.rename(shelf.folder.with_name("away"))
    podcast = shelf.refresh()
    assert podcast.error == (f"{shelf.folder} isn't there. Connect the disk it is on, or check the name; then refresh.")
    assert podcast.episode_count == 2
    shelf.folder.mkdir()  # an empty mount point
    podcast = shelf.refresh()
    assert podcast.error is not None
    assert podcast.error.startswith(f"No audio files are left in {shelf.folder}")
    assert podcast.episode_count == 2
    shelf.folder.rmdir()
    away.rename(shelf.folder)
    podcast = shelf.refresh()
    assert (podcast.error, podcast.episode_count) == (None, 2)


def test_a_subfolder_that_cannot_be_read_takes_nothing_with_it(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    mp3(shelf.folder / "1.mp3")
    mp3(shelf.folder / "sub" / "2.mp3")
    shelf.add()
    scandir = os.scandir

    def refusing(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", refusing)
    assert shelf.refresh().episode_count == 2


def test_an_unreadable_file_is_an_episode_by_its_name_and_found_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = mp3(shelf.folder / "1.mp3", title="Tagged")
    opens = os.open

    def refusing(path: str, *more: int) -> int:
        if str(path) == str(file):
            raise PermissionError(13, "Permission denied")
        return opens(path, *more)

    with monkeypatch.context() as patched:
        patched.setattr("os.open", refusing)
        shelf.add()
    assert shelf.titles() == ["1"]
    shelf.hear("1", 777)
    file.chmod(0o640)
    shelf.refresh()
    assert shelf.positions() == {"Tagged": 777}


def test_nothing_of_the_listener_s_is_changed_or_deleted(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3", title="One")
    m4b(shelf.folder / "sub" / "2.m4b", "a", "b")
    (shelf.folder / "cover.jpg").write_bytes(b"\xff\xd8\xff")
    before = state_of(shelf.folder)
    podcast = shelf.add()
    shelf.refresh()
    shelf.library.acts.unsubscribe(podcast.id)
    assert state_of(shelf.folder) == before


def test_unsubscribing_is_undone_with_all_positions(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3")
    podcast = shelf.add()
    shelf.hear("1", 3000)
    shelf.library.acts.unsubscribe(podcast.id)
    assert shelf.library.podcasts.all() == []
    shelf.library.acts.undo()
    assert shelf.positions() == {"1": 3000}


def test_an_unchanged_folder_is_not_read_again(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    mp3(shelf.folder / "1.mp3")
    shelf.add()
    monkeypatch.setattr("player.sources.local.local_audio.read_tags", lambda *_: pytest.fail("it was read"))
    assert shelf.refresh().error is None


def test_of_a_large_folder_only_what_has_changed_is_read_again(
    shelf: Shelf, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.sources.local.file_tags._FEW", 2)
    shelf.sources = all_sources(paths.cache)
    read: list[str] = []

    def noted(path: str, beat: Callable[[], None]) -> FileTags:
        read.append(Path(path).name)
        return read_tags(path, beat)

    monkeypatch.setattr("player.sources.local.local_audio.read_tags", noted)
    for name in "abc":
        mp3(shelf.folder / f"{name}.mp3", title=f"Title {name}")
    shelf.add()
    assert sorted(read) == ["a.mp3", "b.mp3", "c.mp3"]
    read.clear()
    tag(shelf.folder / "b.mp3", {"title": "New b"})
    mp3(shelf.folder / "d.mp3", title="Title d")
    shelf.refresh()
    assert sorted(read) == ["b.mp3", "d.mp3"]
    assert shelf.titles() == ["Title a", "New b", "Title c", "Title d"]
    (kept,) = (paths.cache / "folders").iterdir()
    for damage in (b"", b"nonsense", b"\x81\xa1a\x93\x01\x02\x03", kept.read_bytes()[:40]):
        kept.write_bytes(damage)
        (shelf.folder / "a.mp3").touch()
        os.chmod(shelf.folder / "a.mp3", 0o600)  # noqa: PTH101
        assert shelf.refresh().error is None
    assert shelf.titles() == ["Title a", "New b", "Title c", "Title d"]


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        ("", NotThere, "isn't there"),
        ("empty/", NoAudio, "There are no audio files in"),
        ("list.txt", NoAudio, "is not an audio file that Earmark knows"),
    ],
)
def test_what_cannot_be_added_says_why(shelf: Shelf, made: str, error: type[Exception], says: str) -> None:
    path = shelf.folder / (made or "missing")
    if made.endswith("/"):
        path.mkdir()
    elif made:
        path.write_text("x")
    with pytest.raises(error, match=says):
        shelf.add(path)
    assert shelf.library.podcasts.all() == []


def test_a_disk_that_does_not_respond_is_waited_for_a_moment_and_named(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = threading.Event()
    monkeypatch.setattr("player.sources.local.local_audio.find_audio", lambda *_: never.wait(30))
    shelf.sources = Sources((LocalAudio(patience_s=0.1),))
    with pytest.raises(NotThere, match=r"The disk with .*My Book hasn't responded for 0\.1 s"):
        shelf.add()
    never.set()


def test_a_name_that_is_not_utf_8_is_played_and_found_again(shelf: Shelf) -> None:
    mp3(os.fsencode(shelf.folder) + b"/caf\xe9.mp3", title="")
    shelf.add()
    (episode,) = shelf.episodes()
    assert episode.title == "caf\N{REPLACEMENT CHARACTER}"
    assert path_of(episode.url).is_file()
    shelf.refresh()
    assert len(shelf.episodes()) == 1


def test_lists_for_other_players_leave_it_out_and_lists_of_others_cannot_bring_it(shelf: Shelf) -> None:
    mp3(shelf.folder / "1.mp3")
    podcast = shelf.add()
    assert "file:" not in write_opml([podcast], podcast.last_refreshed)  # type: ignore[arg-type]
    shelf.library.podcasts.remove(podcast.id)
    for url in (file_address(shelf.folder), str(shelf.folder)):
        subscribed = subscribe_all(shelf.library, [Outline(url)])
        assert subscribed.added == ()
        assert len(subscribed.refused) == 1


def test_without_its_source_a_path_is_no_address(shelf: Shelf) -> None:
    with pytest.raises(BadAddress):
        Subscriber(shelf.library).add(str(shelf.folder))
