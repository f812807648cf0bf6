"""`watch`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from player.library import Library
from player.model.episode import EpisodeId
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.player.video import fake_mpv
from tests.tui.cli.conftest import Earmark

FILM = "https://example.com/film.mp4"


def set_up(paths: Paths, what: str, tmp_path: Path) -> Path:
    """Returns the file with the records of the imitation of mpv."""
    record = tmp_path / "record"
    words = f"{sys.executable} {fake_mpv.__file__} '{what}' {record} --start={{start}} --input-ipc-server={{socket}}"
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text(f'[video]\nplayer = "{words}"\n', encoding="utf-8")
    return record


def film(library: Library) -> EpisodeId:
    podcast = library.podcasts.add(URL, "A show")
    (added,) = apply_feed(
        library, podcast, episode(0, title="Passes", url=FILM, media_type="video/mp4", duration_ms=1_200_000)
    ).new
    return added


def test_the_position_where_the_video_is_left_is_printed_and_saved(
    earmark: Earmark, paths: Paths, library: Library, tmp_path: Path
) -> None:
    added, name = film(library), Path(sys.executable).name
    set_up(paths, "left", tmp_path)
    ended = earmark("watch", "Passes")
    assert (ended.code, ended.out) == (0, "Watched “Passes” up to 1:40\n")
    assert ended.err == f"“Passes” is open in {name}.\n"
    assert library.episodes.get(added).position_ms == 100_000
    assert earmark("watch", "--json").json == {
        "id": added,
        "title": "Passes",
        "player": name,
        "position_ms": 200_000,
        "to_the_end": False,
    }, "the last one played"


def test_failures_are_reported(earmark: Earmark, paths: Paths, library: Library, tmp_path: Path) -> None:
    film(library)
    ended = earmark("watch", "1. Press play")
    assert (ended.code, ended.err) == (1, "earmark: “1. Press play” has no video.\n")
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    paths.settings.write_text('[video]\nplayer = "/nowhere/mpv"\n', encoding="utf-8")
    ended = earmark("watch", "Passes")
    assert ended.code == 1
    assert ended.err.startswith("earmark: The video can't be shown: /nowhere/mpv doesn't exist. Install mpv ")


def test_interrupting_it_saves_the_position_and_leaves_the_video_open(
    paths: Paths, library: Library, tmp_path: Path
) -> None:
    added = film(library)
    record = set_up(paths, "open", tmp_path)
    command = subprocess.Popen(
        [sys.executable, "-m", "tui", "watch", "Passes"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: library.progress.last() == added, "a second of it")
    command.send_signal(signal.SIGINT)
    out, _err = command.communicate(timeout=20)
    assert (command.returncode, out) == (0, "Watched “Passes” up to 1:40\n")
    assert library.episodes.get(added).position_ms == 100_000
    wait_until(lambda: "left alone" in record.read_text(encoding="utf-8"), "that mpv goes on")
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        if os.fsencode(record) in one.read_bytes().split(b"\0"):
            os.kill(int(one.parent.name), signal.SIGKILL)
