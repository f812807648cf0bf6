"""A downloads folder that becomes read-only loses nothing: downloads and deletions say so, and what waits goes on by
itself once it can be written to."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.downloads import attempt
from player.downloads.ruling import RuleRunner
from player.errors import NotWritable
from player.events import Bus, Notice
from player.model.downloads import DownloadEntry, DownloadRules, DownloadState
from player.model.episode import EpisodeId
from player.model.playback import Severity
from player.paths import Paths
from player.player import Player
from player.settings import Downloads, Media, Playback, Settings
from tests.loopback import LoopbackServer, Request
from tests.player.downloads.ruling.conftest import Kept
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually, fetchers
from tests.player.media.sounds import mp3

BODY = mp3(1500)
MakeWritable = Callable[[bool], None]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128m", "earmark-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def make_writable(disk: Path) -> MakeWritable:
    def make(writable: bool) -> None:
        mode = "rw" if writable else "ro"
        subprocess.run(["mount", "-o", f"remount,{mode}", str(disk)], check=True)

    return make


class Listening:
    """A player whose downloads go to that folder."""

    def __init__(self, paths: Paths, folder: Path) -> None:
        self.folder = folder
        settings = Settings(
            playback=Playback(engine="silent"), media=Media(downloads=str(folder)), downloads=Downloads(tags=True)
        )
        self.player = Player(paths, settings)
        self.player.open()
        self.warnings: list[str] = []
        self.player.bus.subscribe(Notice, self._told)

    def _told(self, notice: Notice) -> None:
        if notice.severity is not Severity.INFORMATION:
            self.warnings.append(notice.text)

    def episodes(self, *urls: str) -> tuple[EpisodeId, ...]:
        podcast = self.player.library.podcasts.add(URL, "A show")
        return apply_feed(self.player.library, podcast, *(episode(n, url=url) for n, url in enumerate(urls, 1))).new

    def entries(self) -> tuple[DownloadEntry, ...]:
        """Those that aren't done."""
        return tuple(one for one in self.player.downloads.snapshot().entries if one.state is not DownloadState.DONE)

    def all_wait(self) -> bool:
        return all(one.state is DownloadState.WAITING and one.problem for one in self.entries())

    def files(self) -> list[Path]:
        return [one for one in self.folder.rglob("*") if one.is_file()]


@pytest.fixture
def listening(paths: Paths, disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listening]:
    monkeypatch.setattr(attempt, "ROOM_S", 0.2)
    made = Listening(paths, disk / "episodes")
    yield made
    made.player.close()


def problem(folder: Path) -> str:
    return (
        f"The episode can't be saved in the downloads folder {folder}: Read-only file system."
        " Make the folder writable, or choose another one (downloads in [media])."
    )


def test_downloads_wait_without_fetching_and_resume_by_themselves(
    listening: Listening, make_writable: MakeWritable, server: LoopbackServer
) -> None:
    ids = listening.episodes(*(server.audio(f"/{name}", BODY) for name in "abc"))
    make_writable(False)
    listening.player.downloads.download(ids).result(5)
    eventually(lambda: len(listening.entries()) == 3 and listening.all_wait())
    assert {one.problem for one in listening.entries()} == {problem(listening.folder)}
    assert {one.attempts for one in listening.entries()} == {0}
    assert server.seen == [], "what can't be saved isn't fetched again and again"
    assert listening.warnings == [f"Downloads wait. {problem(listening.folder)} They resume automatically."]
    make_writable(True)
    eventually(lambda: all(one.downloaded for one in listening.player.library.episodes.rows(ids)))
    assert sorted(listening.player.library.downloads.path(one) or Path() for one in ids) == sorted(listening.files())
    assert len(listening.warnings) == 1


def test_what_was_fetched_when_the_folder_became_read_only_is_fetched_once(
    listening: Listening, make_writable: MakeWritable, server: LoopbackServer
) -> None:
    fetching, goes_on = threading.Event(), threading.Event()

    def slow(request: Request) -> None:
        fetching.set()
        assert goes_on.wait(20)
        request.reply_ranges(BODY, "audio/mpeg")

    (wanted,) = listening.episodes(server.answer("/a", slow))
    listening.player.downloads.download(wanted).result(5)
    assert fetching.wait(20)
    make_writable(False)
    goes_on.set()
    eventually(listening.all_wait)
    eventually(lambda: not fetchers())
    assert listening.entries()[0].problem == problem(listening.folder)
    asked = len(server.seen)
    make_writable(True)
    eventually(lambda: listening.player.library.episodes.get(wanted).downloaded)
    path = listening.player.library.downloads.path(wanted)
    assert path is not None
    assert path.read_bytes().endswith(BODY)
    assert path.read_bytes().startswith(b"ID3"), "its tags were written, too"
    assert listening.files() == [path]
    assert len(server.seen) == asked


def test_a_start_with_a_read_only_folder_keeps_downloads_and_queue(
    listening: Listening, paths: Paths, make_writable: MakeWritable, server: LoopbackServer
) -> None:
    one, two = listening.episodes(server.audio("/a", BODY), server.audio("/b", BODY))
    listening.player.downloads.download(one).result(5)
    eventually(lambda: listening.player.library.episodes.get(one).downloaded)
    make_writable(False)
    listening.player.downloads.download(two).result(5)
    eventually(listening.all_wait)
    listening.player.close()
    again = Listening(paths, listening.folder)
    again.player.downloads.start()
    eventually(lambda: [entry.problem for entry in again.entries()] == [problem(again.folder)])
    assert again.player.library.episodes.get(one).downloaded
    make_writable(True)
    eventually(lambda: again.player.library.episodes.get(two).downloaded)
    again.player.close()


def test_deleting_says_why_it_cannot_and_can_be_done_later(
    listening: Listening, make_writable: MakeWritable, server: LoopbackServer
) -> None:
    ids = listening.episodes(server.audio("/a", BODY), server.audio("/b", BODY))
    listening.player.downloads.download(ids).result(5)
    library, rules = listening.player.library, listening.player.services.rules
    eventually(lambda: all(one.downloaded for one in library.episodes.rows(ids)))
    before = listening.files()
    make_writable(False)
    with pytest.raises(NotWritable, match=r"2 downloads can't be deleted\. .*Read-only file system.*then try again\.$"):
        rules.delete(ids)
    with pytest.raises(Exception, match=r"can't be deleted: Read-only file system\. Make its folder writable"):
        listening.player.delete_download(ids[0]).result(5)
    assert all(one.downloaded for one in library.episodes.rows(ids))
    make_writable(True)
    assert listening.files() == before
    assert sorted(rules.delete(ids)) == sorted(ids)


def test_bringing_back_waits_for_the_folder_and_forgets_nothing(
    listening: Listening, make_writable: MakeWritable, server: LoopbackServer
) -> None:
    (one,) = listening.episodes(server.audio("/a", BODY))
    listening.player.downloads.download(one).result(5)
    library, acts = listening.player.library, listening.player.acts
    eventually(lambda: library.episodes.get(one).downloaded)
    path = library.downloads.path(one)
    listening.player.services.rules.delete([one])
    make_writable(False)
    with pytest.raises(NotWritable, match="can't be moved to"):
        acts.undo().result(5)
    assert not library.episodes.get(one).downloaded
    make_writable(True)
    assert acts.undo().result(5)
    assert library.downloads.path(one) == path
    assert listening.files() == [path]
    make_writable(False)
    with pytest.raises(NotWritable, match="can't be moved to"):
        acts.redo().result(5)
    assert library.downloads.path(one) == path
    make_writable(True)
    assert acts.redo().result(5)
    assert not library.episodes.get(one).downloaded


def test_a_clean_up_says_so_once_and_deletes_later(paths: Paths, disk: Path, make_writable: MakeWritable) -> None:
    kept = Kept(paths)
    kept.folder = disk / "episodes"
    kept.settings = DownloadRules(newest=2, delete_played="at once", keep_free="0")
    _podcast, ids = kept.podcast(2)
    assert kept.follow().begun == ids
    kept.library.episodes.set_played(ids, True)
    bus, told = Bus(), list[str]()
    bus.subscribe(Notice, lambda notice: told.append(notice.text))
    make_writable(False)
    runner = RuleRunner(
        kept.library,
        bus,
        kept.around(),
        kept.folder,
        kept,
        first_after_s=0,
        gather_s=0,
        tick_s=0.01,
        now=lambda: kept.at,
    )
    runner.start()
    eventually(lambda: runner.rounds > 3)
    assert len(told) == 1
    assert told[0].startswith("2 downloads can't be deleted. ")
    assert told[0].endswith("then try again. Earmark tries again by itself.")
    assert "Read-only file system" in told[0]
    make_writable(True)
    eventually(lambda: not kept.library.downloads.all())
    eventually(lambda: len(told) == 2)
    assert told[1].startswith("A clean-up deleted 2 downloads.")
    runner.close()
    kept.library.close()
