"""A download is a file of the listener's own: made of what is kept, fetched through any network, named for a person."""

import errno
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from player.downloads.files import delete
from player.downloads.making import Fetched, FileMaker, FileRules
from player.errors import MediaError
from player.library import Library
from player.media import MediaStore
from player.media.fetching import range_fetcher
from player.model.downloads import NAME_TEMPLATE, Download
from player.model.episode import Episode
from player.paths import Paths
from player.processes.threads import CancelToken
from tests.bad_network import BadFile, Part, close, short, sign_in, stall, status
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed
from tests.player.library.helpers import episode as a_fed_episode
from tests.player.media.conftest import eventually, fetchers, whole
from tests.player.media.sounds import adts, flac_head, mp3, noise

BODY = mp3(1500)


class Bench:
    """A library with episodes, and what makes files of them."""

    def __init__(self, paths: Paths, library: Library, folder: Path) -> None:
        self.folder = folder
        self.paths = paths
        self.library = library
        self.lost: list[Download] = []
        self.store = MediaStore(paths, downloaded=lambda one: library.downloads.get(one.id), lost=self.lost.append)
        self.troubles: set[str] = set()
        self._numbers = count(1)
        self.podcast = library.podcasts.add(URL, "A show")

    def episode(self, url: str, title: str = "One: two/three?") -> Episode:
        published = datetime(2026, 3, 1, 12, tzinfo=UTC)
        item = a_fed_episode(next(self._numbers), title=title, url=url, published=published)
        (added,) = apply_feed(self.library, self.podcast, item).new
        return self.library.episodes.get(added)

    def download(self, one: Episode, stop: CancelToken | None = None, template: str = NAME_TEMPLATE) -> Path:
        over = threading.Event()

        def watch(media: Fetched) -> None:
            def look() -> None:
                while not over.wait(0.002):
                    self.troubles.add(str(media.trouble or ""))

            threading.Thread(target=look, daemon=True).start()

        try:
            maker = FileMaker(self.library, self.store, FileRules(self.folder, template))
            path = maker.make(one, stop or CancelToken(), watch=watch)
        finally:
            over.set()
        eventually(lambda: not fetchers())
        return path

    def forget(self, one: Episode) -> None:
        self.library.downloads.remove(one.id)


@pytest.fixture
def bench(paths: Paths, tmp_path: Path) -> Iterator[Bench]:
    library = Library(paths)
    library.open()
    yield Bench(paths, library, tmp_path / "episodes")
    library.close()


def test_it_stands_in_a_folder_of_its_podcast_under_its_day_and_title(bench: Bench, server: LoopbackServer) -> None:
    path = bench.download(bench.episode(server.audio("/a", BODY)))
    assert path == bench.folder / "A show" / "2026-03-01 One two three.mp3"
    assert path.read_bytes() == BODY
    assert list(bench.paths.media.iterdir()) == []


def test_what_is_kept_is_not_fetched_again(bench: Bench, server: LoopbackServer) -> None:
    one = bench.episode(server.audio("/a", BODY))
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    eventually(lambda: not fetchers())
    assert bench.download(one).read_bytes() == BODY
    assert len(server.seen) == 1


def test_only_what_is_missing_is_fetched(bench: Bench, server: LoopbackServer) -> None:
    one = bench.episode(server.answer("/a", BadFile(BODY, [stall], 300_000)))
    media = bench.store.open(one, lambda: None)
    eventually(lambda: len(media.available(0, len(BODY))) == 300_000)
    media.close()
    eventually(lambda: not fetchers())
    server.audio("/a", BODY)
    before = len(server.seen)
    assert bench.download(one).read_bytes() == BODY
    assert server.seen[before].headers["Range"] == "bytes=300000-"


def test_a_download_plays_without_the_network(bench: Bench) -> None:
    with LoopbackServer() as server:
        one = bench.episode(server.audio("/a", BODY))
        bench.download(one)
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    assert (media.complete, media.seekable, media.size, media.format) == (True, True, len(BODY), "mp3")
    assert media.duration_ms == pytest.approx(1500 * 1152 / 44.1, abs=1)
    assert media.reached_end
    media.close()
    with pytest.raises(MediaError):
        media.read(0, 1)


def test_who_plays_it_meanwhile_plays_on_and_it_is_fetched_once(bench: Bench, server: LoopbackServer) -> None:
    file = BadFile(BODY, [stall], 300_000)
    one = bench.episode(server.answer("/a", file))
    media = bench.store.open(one, lambda: None)
    eventually(lambda: not file.faults)
    paths: list[Path] = []
    thread = threading.Thread(target=lambda: paths.append(bench.download(one)))
    thread.start()
    assert media.read(0, 10) == BODY[:10]
    file.let_go.set()
    assert whole(media) == BODY
    thread.join(10)
    assert paths[0].read_bytes() == BODY
    # The first 300,000 bytes, a stall, and the rest: just what playing alone takes.
    assert [seen.headers["Range"] for seen in server.seen] == ["bytes=0-", "bytes=300000-", "bytes=300000-"]
    media.close()


def test_when_playing_ends_the_download_goes_on_by_itself(bench: Bench, server: LoopbackServer) -> None:
    file = BadFile(BODY, [stall], 300_000)
    one = bench.episode(server.answer("/a", file))
    media = bench.store.open(one, lambda: None)
    eventually(lambda: not file.faults)
    paths: list[Path] = []
    thread = threading.Thread(target=lambda: paths.append(bench.download(one)))
    thread.start()
    media.close()
    thread.join(10)
    assert paths[0].read_bytes() == BODY
    file.let_go.set()


@pytest.mark.parametrize("harm", ["gone", "cut", "no audio"])
def test_a_download_whose_file_is_gone_or_damaged_is_played_from_the_network(
    bench: Bench, server: LoopbackServer, harm: str
) -> None:
    one = bench.episode(server.audio("/a", BODY))
    path = bench.download(one)
    if harm == "gone":
        delete(path)
        assert not path.parent.exists()
    else:
        path.write_bytes(BODY[:-1000] if harm == "cut" else noise(len(BODY)))
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    eventually(lambda: not fetchers())
    assert [lost.path for lost in bench.lost] == [path]


def test_a_bad_network_is_waited_for(bench: Bench, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))

    def once_it_is_told(part: Part) -> None:
        eventually(lambda: any("503" in trouble for trouble in bench.troubles))
        part.serve()

    file = BadFile(BODY, [short(200_000), close, sign_in, status(503), once_it_is_told])
    assert bench.download(bench.episode(server.answer("/a", file))).read_bytes() == BODY
    assert any("503" in trouble for trouble in bench.troubles)


def test_what_can_never_be_had_is_a_sentence(bench: Bench, server: LoopbackServer) -> None:
    with pytest.raises(MediaError, match="is no longer available on"):
        bench.download(bench.episode(server.page("/gone", b"", status=404)))
    with pytest.raises(MediaError, match="needs no download"):
        bench.download(bench.episode("earmark:welcome/1-press-play.opus"))
    playlist = b"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n0.aac\n"
    for path in ("/live.m3u8", "/live"):
        with pytest.raises(MediaError, match="It is a live stream"):
            bench.download(bench.episode(server.page(path, playlist, "application/x-mpegurl")))
    assert not bench.folder.exists()


@pytest.mark.parametrize("path", ["/recorded.m3u8", "/recorded"])
def test_a_recording_in_segments_is_one_file(bench: Bench, server: LoopbackServer, path: str) -> None:
    lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:2"]
    for number in range(3):
        server.page(f"/{number}.aac", adts(100 + number), "audio/aac")
        lines.append(f"#EXTINF:2,\n{number}.aac")
    url = server.page(path, "\n".join([*lines, "#EXT-X-ENDLIST"]).encode(), "application/x-mpegurl")
    made = bench.download(bench.episode(url))
    assert made.suffix == ".aac"
    assert made.read_bytes() == adts(100 + 101 + 102)


def test_it_is_stopped_at_once_and_goes_on_the_next_time(bench: Bench, server: LoopbackServer) -> None:
    file = BadFile(BODY, [stall], 300_000)
    one = bench.episode(server.answer("/a", file))
    stop = CancelToken()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            bench.download(one, stop)
        except MediaError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    eventually(lambda: not file.faults)
    stop.set()
    thread.join(5)
    assert len(raised) == 1
    eventually(lambda: not fetchers())
    before = len(server.seen)
    assert bench.download(one).read_bytes() == BODY
    assert server.seen[before].headers["Range"] == "bytes=300000-"
    file.let_go.set()


def test_two_with_one_name_get_two_files(bench: Bench, server: LoopbackServer) -> None:
    bodies = [mp3(100, seed=seed) for seed in (1, 2, 3)]
    paths = [bench.download(bench.episode(server.audio(f"/{number}", body))) for number, body in enumerate(bodies)]
    assert [path.name[11:] for path in paths] == ["One two three.mp3", "One two three (2).mp3", "One two three (3).mp3"]
    assert [path.read_bytes() for path in paths] == bodies


@pytest.mark.parametrize("code", [errno.EXDEV, errno.EPERM])
def test_on_another_disk_it_is_copied(
    bench: Bench, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("player.downloads.files.os.link", refuse)
    bench.folder.mkdir(mode=0o700)
    path = bench.download(bench.episode(server.audio("/a", BODY)))
    assert path.read_bytes() == BODY
    assert list(path.parent.iterdir()) == [path]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_is_a_sentence_and_nothing_is_lost(
    bench: Bench, server: LoopbackServer
) -> None:
    bench.folder.write_text("a file stands where the folder should be")
    one = bench.episode(server.audio("/a", BODY))
    with pytest.raises(MediaError, match="saved in the downloads folder"):
        bench.download(one)
    eventually(lambda: not fetchers())
    bench.folder.unlink()
    assert bench.download(one).read_bytes() == BODY
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("body", "suffix"),
    [(b"fLaC" + flac_head(44_100)[4:] + noise(9_000), ".flac"), (mp3(50), ".mp3")],
)
def test_the_bytes_tell_the_suffix(bench: Bench, server: LoopbackServer, body: bytes, suffix: str) -> None:
    assert bench.download(bench.episode(server.audio("/a.exe", body))).suffix == suffix


def test_what_is_no_audio_is_no_download_and_is_not_kept(bench: Bench, server: LoopbackServer) -> None:
    one = bench.episode(server.answer("/a", BadFile(b"PK\3\4" + noise(9_000), [])))
    with pytest.raises(MediaError, match="This episode's file is an archive, not audio"):
        bench.download(one)
    assert not bench.folder.exists()
    assert [path for path in bench.paths.media.iterdir() if path.suffix == ".bytes"] == []


def test_the_library_knows_its_size_and_why(bench: Bench, server: LoopbackServer) -> None:
    one = bench.episode(server.audio("/a", BODY))
    path = bench.download(one)
    download = bench.library.downloads.get(one.id)
    assert download is not None
    assert (download.path, download.size, download.why) == (path, len(BODY), "manual")


def test_a_file_that_a_crash_left_unrecorded_is_found_again(bench: Bench, server: LoopbackServer) -> None:
    one = bench.episode(server.audio("/a", BODY))
    bench.library.downloads.queue.add([one.id])
    path = bench.download(one)
    bench.forget(one)
    maker = FileMaker(bench.library, bench.store, FileRules(bench.folder))
    assert maker.make(one, CancelToken(), planned=path) == path
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("mode", [0o755, 0o700])
def test_who_may_see_its_folder_may_read_it(bench: Bench, server: LoopbackServer, mode: int) -> None:
    (bench.folder / "A show").mkdir(parents=True)
    (bench.folder / "A show").chmod(mode)
    path = bench.download(bench.episode(server.audio("/a", BODY)))
    assert path.stat().st_mode & 0o777 == mode & 0o666


@pytest.mark.parametrize("mode", [0o2775, 0o755, 0o700])
def test_a_podcast_s_folder_is_as_open_as_the_one_it_lies_in(bench: Bench, server: LoopbackServer, mode: int) -> None:
    bench.folder.mkdir()
    bench.folder.chmod(mode)
    path = bench.download(bench.episode(server.audio("/a", BODY)))
    assert path.parent.stat().st_mode & 0o7777 == mode
    assert path.stat().st_mode & 0o777 == mode & 0o666


def test_a_folder_that_earmark_makes_for_downloads_is_private(bench: Bench, server: LoopbackServer) -> None:
    path = bench.download(bench.episode(server.audio("/a", BODY)))
    assert bench.folder.stat().st_mode & 0o777 == path.parent.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600
