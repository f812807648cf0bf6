"""A download is a file of the listener's own: made of what is kept, fetched through any network, named for a person."""

import errno
import os
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import MediaError
from player.media import MediaStore
from player.media.export import delete, file_name
from player.media.fetching import range_fetcher
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.net.cancel import CancelToken
from player.paths import Paths
from tests.bad_network import BadFile, close, short, sign_in, stall, status
from tests.loopback import LoopbackServer
from tests.player.media.conftest import eventually, fetchers, whole
from tests.player.media.sounds import flac_head, mp3, noise

BODY = mp3(1500)


def episode(url: str, title: str = "One: two/three?", podcast: str = "A “Show”") -> Episode:
    published = datetime(2026, 3, 1, 12, tzinfo=UTC)
    return Episode(EpisodeId(1), PodcastId(1), podcast, title, guid="1", url=url, published=published)


class Bench:
    def __init__(self, paths: Paths, folder: Path) -> None:
        self.folder = folder
        self.recorded: list[Path] = []
        self.reported: list[tuple[float | None, str]] = []
        self.paths = paths
        self.store = MediaStore(paths, downloaded=lambda _: self.recorded[-1] if self.recorded else None)

    def download(self, one: Episode, stop: CancelToken | None = None) -> Path:
        self.store.download(
            one,
            self.folder,
            self.recorded.append,
            lambda part, trouble: self.reported.append((part, str(trouble or ""))),
            stop or CancelToken(),
        )
        eventually(lambda: not fetchers())
        return self.recorded[-1]


@pytest.fixture
def bench(paths: Paths, tmp_path: Path) -> Bench:
    return Bench(paths, tmp_path / "episodes")


def test_it_stands_in_a_folder_of_its_podcast_under_its_day_and_title(bench: Bench, server: LoopbackServer) -> None:
    path = bench.download(episode(server.audio("/a", BODY)))
    assert path == bench.folder / "A “Show”" / "2026-03-01 One two three.mp3"
    assert path.read_bytes() == BODY
    assert list(bench.paths.media.iterdir()) == []


def test_what_is_kept_is_not_fetched_again(bench: Bench, server: LoopbackServer) -> None:
    one = episode(server.audio("/a", BODY))
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    eventually(lambda: not fetchers())
    assert bench.download(one).read_bytes() == BODY
    assert len(server.seen) == 1


def test_only_what_is_missing_is_fetched(bench: Bench, server: LoopbackServer) -> None:
    one = episode(server.answer("/a", BadFile(BODY, [stall], 300_000)))
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
        one = episode(server.audio("/a", BODY))
        bench.download(one)
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    assert (media.complete, media.seekable, media.size, media.format) == (True, True, len(BODY), "mp3")
    assert media.duration_ms == pytest.approx(1500 * 1152 / 44.1, abs=1)
    assert media.reached_end
    media.close()
    with pytest.raises(MediaError):
        media.read(0, 1)


def test_who_plays_it_meanwhile_plays_on(bench: Bench, server: LoopbackServer) -> None:
    one = episode(server.audio("/a", BODY))
    media = bench.store.open(one, lambda: None)
    assert media.read(0, 10) == BODY[:10]
    bench.store.download(one, bench.folder, bench.recorded.append, lambda *_: None, CancelToken())
    assert whole(media) == BODY
    media.close()


def test_a_download_whose_file_is_gone_is_played_from_the_network(bench: Bench, server: LoopbackServer) -> None:
    one = episode(server.audio("/a", BODY))
    delete(bench.download(one))
    assert not (bench.folder / "A “Show”").exists()
    media = bench.store.open(one, lambda: None)
    assert whole(media) == BODY
    media.close()
    eventually(lambda: not fetchers())


def test_a_bad_network_is_waited_for(bench: Bench, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01,))
    file = BadFile(BODY, [short(200_000), close, sign_in, status(503)])
    assert bench.download(episode(server.answer("/a", file))).read_bytes() == BODY
    assert any("503" in trouble for _, trouble in bench.reported)


def test_what_can_never_be_had_is_a_sentence(bench: Bench, server: LoopbackServer) -> None:
    with pytest.raises(MediaError, match="is no longer available on"):
        bench.download(episode(server.page("/gone", b"", status=404)))
    with pytest.raises(MediaError, match="needs no download"):
        bench.download(episode("earmark:welcome/1-press-play.opus"))
    with pytest.raises(MediaError, match="It is a live stream"):
        bench.download(episode("https://example.com/live.m3u8"))
    assert not bench.folder.exists()


def test_it_is_stopped_at_once_and_goes_on_the_next_time(bench: Bench, server: LoopbackServer) -> None:
    file = BadFile(BODY, [stall], 300_000)
    one = episode(server.answer("/a", file))
    stop = CancelToken()
    raised: list[BaseException] = []

    def work() -> None:
        try:
            bench.download(one, stop)
        except MediaError as error:
            raised.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    eventually(lambda: bench.reported)
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
    bench.store = MediaStore(bench.paths)
    bodies = [mp3(100, seed=seed) for seed in (1, 2, 3)]
    paths = [bench.download(episode(server.audio(f"/{number}", body))) for number, body in enumerate(bodies)]
    assert [path.name[11:] for path in paths] == ["One two three.mp3", "One two three (2).mp3", "One two three (3).mp3"]
    assert [path.read_bytes() for path in paths] == bodies


@pytest.mark.parametrize("code", [errno.EXDEV, errno.EPERM])
def test_on_another_disk_it_is_copied(
    bench: Bench, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("player.media.export.os.link", refuse)
    path = bench.download(episode(server.audio("/a", BODY)))
    assert path.read_bytes() == BODY
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_a_sentence_and_nothing_is_lost(
    bench: Bench, server: LoopbackServer
) -> None:
    bench.folder.write_text("a file stands where the folder should be")
    one = episode(server.audio("/a", BODY))
    with pytest.raises(MediaError, match="saved in the downloads folder"):
        bench.download(one)
    eventually(lambda: not fetchers())
    bench.folder.unlink()
    assert bench.download(one).read_bytes() == BODY
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("body", "suffix"),
    [(b"fLaC" + flac_head(44_100)[4:] + noise(9_000), ".flac"), (noise(9_000), ".audio"), (mp3(50), ".mp3")],
)
def test_the_bytes_tell_the_suffix(bench: Bench, server: LoopbackServer, body: bytes, suffix: str) -> None:
    assert bench.download(episode(server.audio("/a.exe", body))).suffix == suffix


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc passwd"), ("...", "x"), ("", "x"), ("a\x00b\nc", "ab c"), ("CON: <|>", "CON"),
        ("x" * 500, "x" * 120), ("雪" * 500, "雪" * 80), (" .hidden ", "hidden"),
    ],
)  # fmt: skip
def test_names_are_fit_for_any_disk(title: str, name: str) -> None:
    assert file_name(title, "x") == name
    assert len(file_name(title, "x").encode()) <= 240
