"""The video of an episode in another program: its arguments, the positions that it reports, and their effect."""

import json
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import ViewingError
from player.events import (
    Bus,
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodesChanged,
    EpisodesMarked,
    EpisodeStarted,
    Notice,
)
from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.paths import Paths
from player.processes.threads import CancelToken
from player.settings import Queue, Video
from player.video.viewer import Viewer, Watched, words_of
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.player.video import fake_mpv

FAKE = Path(fake_mpv.__file__)
FILM = "https://user.example.com/film.mp4?token=s3cret"
AT = datetime(2026, 11, 1, tzinfo=UTC)
LENGTH_MS = round(fake_mpv.LENGTH_S * 1000)
WAIT_S = 20.0


class Cinema:
    """An episode of twenty minutes with a video, left at two minutes, and a program called mpv."""

    def __init__(self, paths: Paths, folder: Path) -> None:
        self.paths, self.folder = paths, folder
        self.library = Library(paths)
        self.library.open()
        podcast = self.library.podcasts.add(URL, "A show")
        film = episode(0, title="Passes", url=FILM, media_type="video/mp4", duration_ms=LENGTH_MS)
        other = episode(1, title="Audio")
        (first, second) = apply_feed(self.library, podcast, film, other).new
        self.film, self.audio = self.library.episodes.get(first), self.library.episodes.get(second)
        self.library.progress.save(self.film.id, 120_000, None, AT)
        self.bus = Bus()
        self.news: list[object] = []
        for kind in (Notice, EpisodesChanged, EpisodesMarked, EpisodeStarted, EpisodeLeft, EpisodeFinished):
            self.bus.subscribe(kind, self.news.append)
        self.logins: dict[str, tuple[str, str]] = {}
        self.files: dict[EpisodeId, Path] = {}
        self.heard: dict[EpisodeId, int] = {}
        self.sounding = False
        self.hushed: list[EpisodeId] = []
        self.record = folder / "record"
        self.cancel = CancelToken()

    def with_mpv(self, what: str) -> str:
        """A command that runs the imitation; it is called mpv."""
        program = self.folder / "mpv"
        words = f'exec "{sys.executable}" -I -S "{FAKE}" "{what}" "{self.record}" "$@"'
        program.write_text(f"#!/bin/sh\n{words}\n", encoding="utf-8")
        program.chmod(0o700)
        return f"'{program}'"

    def viewer(self, player: str, runtime: Path | None = None) -> Viewer:
        return Viewer(
            self.library,
            self.bus,
            Video(player),
            Queue(),
            runtime or self.paths.runtime,
            file_of=lambda one: self.files.get(one.id),
            login=self.logins.get,
            hush=self._hush,
            sounds=lambda _id: self.sounding,
        )

    def _hush(self, episode_id: EpisodeId) -> int | None:
        self.hushed.append(episode_id)
        return self.heard.get(episode_id)

    def show(self, what: str, one: Episode | None = None, runtime: Path | None = None) -> Watched:
        return self.viewer(self.with_mpv(what), runtime).show((one or self.film).id, self.cancel)

    @property
    def told(self) -> list[dict[str, Any]]:
        """The records of the imitation."""
        if not self.record.exists():
            return []
        return [json.loads(line) for line in self.record.read_text(encoding="utf-8").splitlines()]

    @property
    def position_ms(self) -> int | None:
        saved = self.library.progress.position(self.film.id)
        return saved.position_ms if saved else None

    @property
    def notices(self) -> list[str]:
        return [one.text for one in self.news if isinstance(one, Notice)]


@pytest.fixture
def cinema(paths: Paths, tmp_path: Path) -> Iterator[Cinema]:
    made = Cinema(paths, tmp_path)
    yield made
    made.library.close()


# -- what the program is told -------------------------------------------------------------------------------------


def test_mpv_begins_where_the_listener_is_and_no_address_is_among_its_arguments(cinema: Cinema) -> None:
    with tempfile.TemporaryDirectory() as short:  # a socket's path has about 100 bytes
        runtime = Path(short, "run")
        cinema.show("left", runtime=runtime)
        first, *rest = cinema.told
        options = first["arguments"][3:]
        assert options[:3] == ["--idle=once", "--force-window=yes", "--start=120"]
        assert options[3].startswith(f"--input-ipc-server={runtime}/video-{os.getpid()}-")
        assert "s3cret" not in json.dumps(first)
        assert rest[-1] == {"command": ["loadfile", FILM]}
        assert cinema.hushed == [cinema.film.id]
        assert stat.S_IMODE(runtime.stat().st_mode) == 0o700
        assert list(runtime.iterdir()) == [], "the socket is gone"


def test_the_position_in_the_player_precedes_the_saved_one_and_a_played_episode_begins_at_0(cinema: Cinema) -> None:
    cinema.heard[cinema.film.id] = 360_500
    cinema.show("left")
    assert "--start=360" in cinema.told[0]["arguments"]
    cinema.heard.clear()
    cinema.record.unlink()
    cinema.library.progress.save(cinema.film.id, 120_000, None, AT)
    cinema.library.episodes.set_played([cinema.film.id], True)
    cinema.show("left")
    assert "--start=0" in cinema.told[0]["arguments"]


def test_a_file_of_the_listeners_own_is_shown_in_place_of_its_address(cinema: Cinema) -> None:
    cinema.files[cinema.film.id] = cinema.folder / "-- odd 'name'.mp4"
    cinema.logins[FILM] = ("ada", "s3cret")
    cinema.show("left")
    assert cinema.told[-1] == {"command": ["loadfile", str(cinema.files[cinema.film.id])]}


def test_another_program_gets_its_arguments_and_is_waited_for(cinema: Cinema) -> None:
    script = cinema.folder / "odd player"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{cinema.record}'\n", encoding="utf-8")
    script.chmod(0o700)
    watched = cinema.viewer(f"'{script}' --start-time={{start}} --at={{url}}").show(cinema.film.id, cinema.cancel)
    assert cinema.record.read_text(encoding="utf-8").splitlines() == ["--start-time=120", f"--at={FILM}"]
    assert watched == Watched("Passes", "odd player")
    assert watched.sentence == ""
    assert cinema.position_ms == 120_000


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("mpv", ["mpv", "--idle=once", "--force-window=yes", "--start=7", "--input-ipc-server=/s"]),
        (
            "/opt/mpv --fs",
            ["/opt/mpv", "--fs", "--idle=once", "--force-window=yes", "--start=7", "--input-ipc-server=/s"],
        ),
        ("vlc", ["vlc", "U"]),
        ("vlc --start-time={start}", ["vlc", "--start-time=7", "U"]),
        ("mpv --start={start} -- {url}", ["mpv", "--start=7", "--", "U"]),
        ("'my player' '{url}' -x", ["my player", "U", "-x"]),
        ("celluloid --mpv-input-ipc-server={socket}", ["celluloid", "--mpv-input-ipc-server=/s"]),
    ],
)
def test_the_command_line_of_a_player(player: str, expected: list[str]) -> None:
    assert words_of(player, "U", 7_900, "/s").words == expected


@given(st.text(max_size=30), st.sampled_from(["{url}", "x{start}{url}{url}", "{socket} {url}"]))
def test_an_address_is_never_split_and_its_braces_are_kept(text: str, template: str) -> None:
    address = f"https://e.com/{text}{{start}}{{socket}}$(x) -x"
    words = words_of(f"vlc {template}", address, 5_000, "/s").words
    assert len(words) == 1 + len(template.split())
    assert words[-1].endswith(address)


# -- what it tells ------------------------------------------------------------------------------------------------


def test_the_position_is_where_the_video_was_left(cinema: Cinema) -> None:
    watched = cinema.show("left")
    assert watched == Watched("Passes", "mpv", 220_000)
    assert watched.sentence == "Watched “Passes” up to 3:40"
    assert cinema.position_ms == 220_000
    assert cinema.library.progress.last() == cinema.film.id
    wait_until(lambda: EpisodesChanged((cinema.film.id,)) in cinema.news)
    wait_until(
        lambda: EpisodeLeft(cinema.film.id, 220_000, Cause.PERSON) in cinema.news, "what syncing and hooks are told"
    )
    assert EpisodeStarted(cinema.film.id, 120_000, Cause.PERSON) in cinema.news


def test_watching_counts_as_listening(cinema: Cinema) -> None:
    cinema.show("played")
    (span,) = cinema.library.history.spans(cinema.film.id)
    assert span.from_ms == 120_000
    assert 1_500 <= span.content_ms <= 2_100
    assert span.to_ms == cinema.position_ms


def test_a_video_watched_to_its_end_marks_the_episode_as_played(cinema: Cinema) -> None:
    cinema.library.queue.add_last([cinema.film.id])
    watched = cinema.show("ended")
    assert watched.to_the_end
    assert watched.sentence == "Watched “Passes” to its end"
    assert cinema.library.episodes.get(cinema.film.id).played
    assert cinema.position_ms is None
    assert list(cinema.library.queue.ids()) == []
    wait_until(lambda: EpisodeFinished(cinema.film.id, Cause.ENGINE) in cinema.news)


def test_a_video_left_close_to_its_end_counts_as_played(cinema: Cinema) -> None:
    cinema.show("nearly ended")
    wait_until(lambda: cinema.library.episodes.get(cinema.film.id).played)
    assert cinema.position_ms == LENGTH_MS - 10_000


def test_the_last_position_is_kept_if_mpv_is_killed(cinema: Cinema) -> None:
    assert cinema.show("killed").position_ms == cinema.position_ms == 220_000


def test_a_page_that_leads_to_its_video_isnt_the_end(cinema: Cinema) -> None:
    assert cinema.show("redirected").position_ms == 220_000


@pytest.mark.parametrize("what", ["nonsense", "searched", "from the beginning", "other length"])
def test_implausible_positions_change_nothing(cinema: Cinema, what: str) -> None:
    watched = cinema.show(what)
    assert watched.position_ms is None
    assert cinema.position_ms == 120_000
    assert cinema.library.history.spans(cinema.film.id) == ()
    assert cinema.library.progress.last() != cinema.film.id
    assert cinema.news == []
    said = "Your position in “Passes” stays as it was: the video is 28:20 long, the episode 20:00"
    assert watched.sentence == (said if what == "other length" else "")


def test_an_endless_line_ends_the_connection_but_keeps_the_position(cinema: Cinema) -> None:
    assert cinema.show("endless line").position_ms == cinema.position_ms == 220_000


def test_an_episode_that_is_heard_again_meanwhile_keeps_its_own_position(cinema: Cinema) -> None:
    cinema.sounding = True
    cinema.show("left")
    assert cinema.position_ms == 120_000


def test_when_earmark_ends_the_position_is_saved_and_the_video_stays_open(cinema: Cinema) -> None:
    viewer = cinema.viewer(cinema.with_mpv("open"))
    assert viewer.ask(cinema.film.id).result(WAIT_S) == "mpv"
    wait_until(lambda: cinema.library.progress.last() == cinema.film.id, "that it counts as begun")
    viewer.close()
    assert cinema.position_ms == 220_000
    assert cinema.notices == []
    wait_until(lambda: {"left alone": True} in cinema.told)
    (pid,) = _pids_with(os.fsencode(cinema.record))
    os.kill(pid, signal.SIGKILL)


def _pids_with(word: bytes) -> list[int]:
    """The processes with that word among their arguments."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = one.read_bytes().split(b"\0")
        except OSError:
            continue
        if word in words:
            found.append(int(one.parent.name))
    return found


def test_the_outcome_is_a_notice(cinema: Cinema) -> None:
    viewer = cinema.viewer(cinema.with_mpv("left"))
    assert viewer.ask(cinema.film.id).result(WAIT_S) == "mpv"
    wait_until(lambda: cinema.notices)
    assert cinema.notices == ["Watched “Passes” up to 3:40"]


# -- what goes wrong ----------------------------------------------------------------------------------------------


def refused(cinema: Cinema, player: str, one: Episode | None = None) -> str:
    with pytest.raises(ViewingError) as raised:
        cinema.viewer(player).show((one or cinema.film).id, cinema.cancel)
    assert cinema.position_ms == 120_000
    return str(raised.value)


def test_a_video_that_cannot_be_played_says_so(cinema: Cinema) -> None:
    assert refused(cinema, cinema.with_mpv("failed")) == (
        "mpv can't play the video of “Passes” (loading failed). Watch it on its web page, or try again later."
    )


def test_a_program_that_ends_at_once_says_so(cinema: Cinema) -> None:
    assert refused(cinema, cinema.with_mpv("unstartable")).startswith("mpv exited with 7. Run it in a terminal ")
    assert refused(cinema, "false {url}").startswith("false exited with 1. ")


def test_a_program_that_never_answers_on_its_socket_is_named(cinema: Cinema, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.video.viewer._CONNECT_S", 0.3)
    deaf = cinema.folder / "deaf"
    deaf.write_text("#!/bin/sh\nwhile sleep 1; do :; done\n", encoding="utf-8")
    deaf.chmod(0o700)
    assert refused(cinema, f"'{deaf}' {{socket}}").startswith("deaf doesn't answer on its socket. ")
    wait_until(lambda: not _pids_with(os.fsencode(deaf)), "its end")


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("/nowhere/mpv", "The video can't be shown: /nowhere/mpv doesn't exist. Install mpv "),
        ("no-such-player {url}", "The video can't be shown: there is no program “no-such-player”. Install mpv "),
        ("'", "“video.player” in config.toml can't be read: No closing quotation"),
        ("", "“video.player” in config.toml can't be read: it names no program"),
    ],
)
def test_a_missing_program_is_a_sentence_and_nothing_is_paused(cinema: Cinema, player: str, expected: str) -> None:
    assert refused(cinema, player).startswith(expected)
    assert cinema.hushed == []


def test_an_episode_without_a_video_says_so(cinema: Cinema) -> None:
    assert refused(cinema, cinema.with_mpv("left"), cinema.audio) == "“Audio” has no video."
    assert (cinema.hushed, cinema.told) == ([], [])


def test_a_video_that_needs_a_login_is_not_passed_to_a_program(cinema: Cinema) -> None:
    cinema.logins[FILM] = ("ada", "s3cret")
    for player in (cinema.with_mpv("left"), "echo {url}"):
        assert refused(cinema, player) == (
            "The video of “Passes” needs your login for user.example.com, which a player would show to other users. "
            "Watch it on its web page."
        )
    assert (cinema.hushed, cinema.told) == ([], [])


def test_youtube_needs_yt_dlp(cinema: Cinema, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.sources.youtube.program.program", lambda: "")
    linked = episode(2, title="Linked", link="https://youtu.be/dQw4w9WgXcQ")
    (added,) = apply_feed(cinema.library, cinema.library.podcasts.all()[0], linked).new
    said = refused(cinema, cinema.with_mpv("left"), cinema.library.episodes.get(added))
    assert said.startswith("yt-dlp isn't installed; mpv needs it to show videos on YouTube. ")
    monkeypatch.setattr("player.sources.youtube.program.program", lambda: "yt-dlp")
    cinema.show("left", cinema.library.episodes.get(added))
    assert cinema.told[-1] == {"command": ["loadfile", "https://www.youtube.com/watch?v=dQw4w9WgXcQ"]}


def test_a_runtime_folder_with_too_long_a_path_is_replaced(cinema: Cinema) -> None:
    far = cinema.folder / ("x" * 120)
    cinema.viewer(cinema.with_mpv("left"), far).show(cinema.film.id, cinema.cancel)
    assert cinema.position_ms == 220_000
    assert not far.exists()
    socket = next(one.partition("=")[2] for one in cinema.told[0]["arguments"] if "ipc" in one)
    assert not Path(socket).parent.exists()


def test_a_runtime_folder_that_cannot_be_written_is_a_sentence(cinema: Cinema) -> None:
    with tempfile.NamedTemporaryFile() as blocked, pytest.raises(ViewingError, match="can't be written"):
        cinema.viewer(cinema.with_mpv("left"), Path(blocked.name, "run")).show(cinema.film.id, cinema.cancel)


# -- the real one -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("mpv") is None, reason="mpv isn't installed")
def test_a_real_mpv_begins_at_the_position_and_reports_it(cinema: Cinema, tmp_path: Path) -> None:
    film = tmp_path / "film.mkv"
    _make_film(film, 90)
    podcast = cinema.library.podcasts.all()[0]
    real = episode(3, title="Real", url=FILM, media_type="video/x-matroska", duration_ms=90_000)
    (added,) = apply_feed(cinema.library, podcast, real).new
    cinema.library.progress.save(added, 10_000, None, AT)
    cinema.files[added] = film
    player = f"mpv --no-config --vo=null --ao=null --title={tmp_path}"
    watched: Future[Watched] = Future()

    def work() -> None:
        watched.set_result(cinema.viewer(player).show(added, cinema.cancel))

    threading.Thread(target=work, daemon=True).start()
    wait_until(lambda: cinema.library.progress.last() == added, "a second of it")
    for pid in _pids_with(f"--title={tmp_path}".encode()):
        os.kill(pid, signal.SIGTERM)
    ended = watched.result(WAIT_S)
    assert ended.position_ms is not None
    assert 11_000 <= ended.position_ms < 60_000
    saved = cinema.library.progress.position(added)
    assert saved is not None
    assert saved.position_ms == ended.position_ms
    (span,) = cinema.library.history.spans(added)
    assert abs(span.from_ms - 10_000) < 1_000


@pytest.mark.skipif(shutil.which("mpv") is None, reason="mpv isn't installed")
def test_a_real_mpv_plays_over_http_to_the_end(cinema: Cinema, tmp_path: Path, server: LoopbackServer) -> None:
    film = tmp_path / "film.mkv"
    _make_film(film, 24)
    address = server.answer("/film.mkv", lambda one: one.reply_ranges(film.read_bytes(), "video/x-matroska"))
    real = episode(4, title="Real", url=address, media_type="video/x-matroska", duration_ms=24_000)
    (added,) = apply_feed(cinema.library, cinema.library.podcasts.all()[0], real).new
    cinema.library.progress.save(added, 5_000, None, AT)
    watched = cinema.viewer("mpv --no-config --vo=null --ao=null --speed=8").show(added, cinema.cancel)
    assert watched.to_the_end
    assert cinema.library.episodes.get(added).played
    spans = cinema.library.history.spans(added)
    assert {one.speed for one in spans} == {8.0}
    assert abs(spans[0].from_ms - 5_000) < 2_000
    missing = episode(5, title="Gone", url=server.url("/nothing.mkv"), media_type="video/x-matroska")
    (added,) = apply_feed(cinema.library, cinema.library.podcasts.all()[0], missing).new
    said = refused(cinema, "mpv --no-config --vo=null --ao=null", cinema.library.episodes.get(added))
    assert said.startswith("mpv can't play the video of “Gone” (loading failed).")


def _make_film(path: Path, seconds: int) -> None:
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(seconds * 10):
            frame = av.VideoFrame(64, 48, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes(plane.buffer_size))
            frame.pts = number
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
