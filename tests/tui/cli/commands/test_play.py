"""`play`: in the foreground, with the silent engine: its clock stands in for the sound."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest

from player.errors import ControlError
from player.integrations.client import request
from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.paths import Paths
from tests.bad_network import BadFile, close, status
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal
from tests.quick import mostly_long
from tests.tui.cli.conftest import Earmark, feed
from tui.cli.foreground import progress_line, state_line
from tui.drawing.cells import width

HOUR_MS = 3_600_000


@pytest.fixture(autouse=True)
def silent(paths: Paths) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text('[playback]\nengine = "silent"\n')


@pytest.fixture
def rain(earmark: Earmark, server: LoopbackServer, library: Library) -> Episode:
    """An hour of WAV (8 bits, 10 Hz)."""
    audio = server.audio("/rain.wav", wav(HOUR_MS), "audio/wav")
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", audio=audio, duration="1:00:00"))).code == 0
    return library.episodes.find("Rain")


def wav(duration_ms: int) -> bytes:
    rate = 10
    size = duration_ms * rate // 1000
    header = b"RIFF" + (36 + size).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    header += (1).to_bytes(2, "little") * 2 + rate.to_bytes(4, "little") * 2
    header += (1).to_bytes(2, "little") + (8).to_bytes(2, "little")
    return header + b"data" + size.to_bytes(4, "little") + b"\x80" * size


@contextmanager
def playing(paths: Paths, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """`earmark play` without a terminal, once it can be steered and plays."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "play", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: state(paths) == "playing", process)
        yield process
    finally:
        process.kill()
        process.communicate()


def state(paths: Paths) -> str | None:
    try:
        return str(request(paths.socket, "status")["status"]["state"])
    except ControlError:
        return None


def wait_until(holds: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 20
    while not holds():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(f"it ended with {process.returncode}: {process.communicate()}")
        time.sleep(0.01)


# -- without a terminal ---------------------------------------------------------------------------------------


def test_without_a_terminal_it_plays_to_the_end_with_a_line_for_each_state(earmark: Earmark, rain: Episode) -> None:
    ended = earmark("play", "rain", "--at", "59:59.8")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Opening: Rain · Slow Radio, at 59:59 of 1:00:00 (99%)",
        "Playing: Rain · Slow Radio, at 59:59 of 1:00:00 (99%)",
        "Ended: Rain · Slow Radio",
    ]


def test_the_end_marks_it_played_and_going_on_starts_it_anew(
    earmark: Earmark, rain: Episode, library: Library, paths: Paths
) -> None:
    earmark("play", "rain", "--at", "59:59.8")
    assert library.episodes.get(rain.id).played
    with playing(paths):
        assert request(paths.socket, "status")["status"]["position_ms"] < 10_000


def test_a_time_past_the_end_is_refused_and_changes_nothing(earmark: Earmark, rain: Episode, library: Library) -> None:
    library.progress.save(rain.id, 600_000, None, datetime.now(UTC))
    ended = earmark("play", "rain", "--at", "1:39:00")
    assert ended.code == 1
    assert ended.err == (
        "earmark: Rain: This episode is only 1:00:00 long, so it can't be played from 1:39:00. "
        "Choose an earlier time.\n"
    )
    place = library.progress.position(rain.id)
    assert place is not None
    assert (place.position_ms, library.episodes.get(rain.id).played) == (600_000, False)


def test_a_server_in_trouble_is_told_and_waited_for(earmark: Earmark, rain: Episode, server: LoopbackServer) -> None:
    file = BadFile(wav(HOUR_MS), [status(503), close, status(503)], content_type="audio/wav")
    server.answer("/rain.wav", file)
    ended = earmark("play", "rain", "--at", "59:59.8")
    assert ended.code == 0
    assert "earmark: 127.0.0.1 has a server problem (503). Playback resumes automatically.\n" in ended.err
    assert "Waiting for the network: Rain · Slow Radio, at 59:59 of 1:00:00 (99%)" in ended.out.splitlines()
    assert ended.out.splitlines()[-1] == "Ended: Rain · Slow Radio"


def test_nothing_was_played_yet_is_a_sentence(earmark: Earmark) -> None:
    ended = earmark("play")
    assert ended.code == 1
    assert ended.err == "earmark: Nothing has been played yet. Choose an episode from: earmark episodes\n"


def test_an_unknown_episode_is_a_sentence(earmark: Earmark) -> None:
    ended = earmark("play", "nothing like this")
    assert ended.code == 1
    assert "nothing like this" in ended.err


def test_what_can_not_be_played_is_a_sentence_and_is_not_marked(
    earmark: Earmark, rain: Episode, server: LoopbackServer, library: Library
) -> None:
    del server.answers["/rain.wav"]
    ended = earmark("play", "rain")
    assert ended.code == 1
    assert ended.err.startswith("earmark: ")
    assert ended.err.count("\n") == 1
    assert not library.episodes.get(rain.id).played


def test_a_playlist_in_place_of_audio_is_a_sentence_that_names_the_episode(
    earmark: Earmark, server: LoopbackServer
) -> None:
    audio = server.audio("/a.mp3", b"ID3\x04\0\0\0\0\0\0#EXTM3U\nfile:///etc/passwd\n", "audio/mpeg")
    assert earmark("add", server.page("/feed", feed("Slow Radio", "Rain", audio=audio))).code == 0
    ended = earmark("play", "rain")
    assert ended.code == 1
    assert ended.err == (
        "earmark: Rain: This episode's file is a playlist, not audio. "
        "Refresh the podcast; it may have a new file by now.\n"
    )


@pytest.mark.parametrize("number", mostly_long([signal.SIGTERM, signal.SIGINT, signal.SIGHUP]))
def test_a_signal_saves_the_place_and_ends_it(
    paths: Paths, rain: Episode, library: Library, number: signal.Signals
) -> None:
    with playing(paths, "rain", "--at", "10:00") as process:
        status = request(paths.socket, "status")["status"]
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert process.returncode == 128 + number
    place = library.progress.position(rain.id)
    assert place is not None
    assert status["position_ms"] <= place.position_ms < status["position_ms"] + 5_000
    assert err == ""
    assert out.splitlines()[-1].startswith("Rain: stopped at 10:0")
    assert out.endswith("Resume: earmark play\n")
    assert not paths.socket.exists()


_HANGING = """
import sys, threading
from player.playback.silent_engine import SilentEngine
from tui.cli.main import process
setattr(SilentEngine, sys.argv.pop(1), lambda *_, **__: threading.Event().wait())
process()
"""


@pytest.mark.parametrize("call", mostly_long(["stop", "poll", "position"]))
def test_a_signal_ends_it_whatever_the_sound_hangs_in(paths: Paths, rain: Episode, library: Library, call: str) -> None:
    library.progress.save(rain.id, 600_000, HOUR_MS, at=datetime.now(UTC))
    process = subprocess.Popen(
        [sys.executable, "-c", _HANGING, call, "play", "rain"], stdout=subprocess.PIPE, text=True
    )
    try:
        wait_until(paths.socket.exists, process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        # On a machine that is too busy for Earmark's own thread the system ends it.
        assert process.returncode in (128 + signal.SIGTERM, -signal.SIGALRM)
    finally:
        process.kill()
    place = library.progress.position(rain.id)
    assert place is not None
    assert place.position_ms >= 600_000


def test_a_signal_ends_it_though_nobody_reads_what_it_prints(paths: Paths, rain: Episode) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while os.write(writer, bytes(4096)):
            pass
    os.set_blocking(writer, True)
    command = [sys.executable, "-m", "tui", "play", "rain"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=writer, text=True)
    try:
        wait_until(lambda: state(paths) == "playing", process)
        process.send_signal(signal.SIGTERM)
        # On a machine with too much to do the system's alarm comes first: `processes.ending.LAST_S`.
        assert process.wait(timeout=20) in (128 + signal.SIGTERM, -signal.SIGALRM)
    finally:
        process.kill()
        os.close(reader)
        os.close(writer)


def test_an_ignored_hangup_stays_ignored(paths: Paths, rain: Episode) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with playing(paths, "rain") as process:
            process.send_signal(signal.SIGHUP)
            assert request(paths.socket, "pause")["status"]["state"] == "paused"
            assert process.poll() is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_the_other_commands_steer_it_and_stop_ends_it(earmark: Earmark, paths: Paths, rain: Episode) -> None:
    with playing(paths, "rain", "--at", "30:00", "--speed", "2") as process:
        assert earmark("status", "--json").json["speed"] == 2.0
        assert earmark("pause", "--json").json["state"] == "paused"
        assert earmark("seek", "-10:00", "--json").json["position_ms"] == pytest.approx(20 * 60_000, abs=10_000)
        assert earmark("volume", "40", "--json").json["volume"] == 40
        assert earmark("toggle", "--json").json["state"] == "playing"
        assert earmark("stop", "--json").json["state"] == "stopped"
        process.communicate(timeout=20)
        assert process.returncode == 0
    assert earmark("status").code == 1


def test_a_second_one_says_who_plays_and_how_to_steer_it(earmark: Earmark, paths: Paths, rain: Episode) -> None:
    with playing(paths, "rain") as process:
        ended = earmark("play", "rain")
        assert ended.code == 1
        assert ended.err.startswith(f"earmark: Earmark is already running (PID {process.pid}).")
        assert "earmark toggle" in ended.err
        assert earmark("podcasts").code == 0
        assert state(paths) == "playing"


# -- in a terminal --------------------------------------------------------------------------------------------


@pytest.mark.pty
def test_in_a_terminal_keys_steer_it(paths: Paths, rain: Episode) -> None:
    with Terminal("play", "rain", "--at", "10:00", columns=100, rows=12) as terminal:
        terminal.wait_for("space pause")
        terminal.wait_for(r"Rain · Slow Radio .*Playing .*10:0\d / 1:00:00  1x  100%")
        terminal.press("u")
        terminal.wait_for(r" 0:0\d / ")
        terminal.press("space")
        terminal.wait_for("Paused")
        terminal.press("right")
        terminal.wait_for(r" 0:3\d / ")
        terminal.press("shift+right", "shift+right")
        terminal.wait_for(r" 2:3\d / ")
        terminal.press("left")
        terminal.wait_for(r" 2:[12]\d / ")
        terminal.press("]", "]", "-")
        terminal.wait_for(r"1\.2x  95%")
        terminal.press("[", "=")
        terminal.wait_for(r"1\.1x  100%")
        terminal.press("0")
        terminal.wait_for(r" 0:00 / ")
        terminal.press("q")
        assert terminal.wait_exit() == 0
        assert re.search(r"Rain: stopped at 0:00 of 1:00:00 \(0%\)\. Resume: earmark play", terminal.text)


@pytest.mark.pty
@pytest.mark.usefixtures("library")
def test_in_a_terminal_keys_lead_from_chapter_to_chapter_and_over_some(paths: Paths) -> None:
    with paths.settings.open("a") as settings:
        settings.write('[chapters]\nskip = ["pause"]\n')
    with Terminal("play", "Press play", "--at", "9.5", columns=100, rows=12) as terminal:
        terminal.wait_for(r"(?m)^Skipped “Pause and jump” · u returns\n.*Playing .* 0:2\d / ")
        terminal.press("space")
        terminal.wait_for("Paused")
        terminal.press("u")
        terminal.wait_for(r" 0:10 / ")
        terminal.press(".")
        terminal.wait_for(r" 0:26 / ")
        terminal.press(".")
        terminal.wait_for("This is the last chapter")
        terminal.press(",")
        terminal.wait_for(r" 0:10 / ")
        terminal.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.pty
@pytest.mark.usefixtures("rain")
def test_in_a_terminal_a_key_that_comes_to_nothing_says_why() -> None:
    with Terminal("play", "rain", columns=100, rows=12) as terminal:
        terminal.wait_for("Playing")
        terminal.press("u")
        terminal.wait_for(r"(?m)^There is no jump to undo\n.*Playing ")
        terminal.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.pty
def test_ctrl_c_in_a_terminal_is_quiet_and_gives_the_terminal_back(paths: Paths, rain: Episode) -> None:
    play = f"'{sys.executable}' -m tui play rain --at 10:00"
    command = f"trap : INT; {play}; echo code $?; stty -a | grep -o -e '-*icanon' -e '-*echo '"
    with Terminal("-c", command, command=("/bin/sh",), columns=100, rows=12) as terminal:
        terminal.wait_for("Playing")
        terminal.press("ctrl+c")
        assert terminal.wait_exit() == 0
        assert "code 130" in terminal.text
        assert "Traceback" not in terminal.text
        assert "-icanon" not in terminal.text
        assert "-echo " not in terminal.text


@pytest.mark.pty
@pytest.mark.usefixtures("rain")
def test_in_the_background_it_leaves_the_terminal_alone_until_it_is_brought_back() -> None:
    with Terminal("--norc", "-i", command=("/bin/bash",), columns=100, rows=24) as terminal:
        terminal.press(f"'{sys.executable}' -m tui play rain --at 10:00 &\r")
        earmark = f"'{sys.executable}' -m tui"
        terminal.press(f"until {earmark} status 2>/dev/null | grep '^Play'; do :; done; {earmark} seek 20:00\r")
        terminal.wait_for("Playing: Rain · Slow Radio\n20:0")
        assert "Playing  " not in terminal.text
        terminal.press("fg\r")
        terminal.wait_for(r"Playing +\S+ +20:\d\d / ")
        terminal.press("space")
        terminal.wait_for("Paused  ")
        terminal.press("\x1a")
        terminal.wait_for("Stopped")
        terminal.press("echo the shell is ba''ck\r")
        terminal.wait_for("\nthe shell is back")
        terminal.press("fg\r", "space")
        terminal.wait_for(r"Playing +\S+ +20:\d\d / ")
        terminal.press("q")
        terminal.wait_for("Resume: earmark play")
        terminal.press("exit\r")
        assert terminal.wait_exit() == 0


@pytest.mark.pty
def test_the_line_fits_a_narrow_terminal(paths: Paths, rain: Episode) -> None:
    with Terminal("play", "rain", columns=40, rows=12) as terminal:
        terminal.wait_for(r"R\S* +Playing  0:0\d / 1:00:00")
        assert sum("Playing" in line for line in terminal.lines) == 1
        terminal.press("q")
        assert terminal.wait_exit() == 0


# -- the lines ------------------------------------------------------------------------------------------------

_STATUS = PlaybackStatus(
    PlaybackState.PLAYING,
    Episode(EpisodeId(1), PodcastId(1), "Slow Radio", "雪の音", guid="", url=""),
    position_ms=HOUR_MS // 2,
    duration_ms=HOUR_MS,
    speed=1.5,
    volume=80,
)


@pytest.mark.parametrize("room", [10, 20, 40, 60, 72, 100, 200])
def test_the_progress_line_fits(room: int) -> None:
    assert width(progress_line(_STATUS, room)) <= room


def test_the_progress_line_has_a_bar_where_there_is_room() -> None:
    assert progress_line(_STATUS, 100) == "雪の音 · Slow Radio  Playing  ━━━━━━━━────────  30:00 / 1:00:00  1.5x  80%"
    assert "━" not in progress_line(_STATUS, 60)


def test_an_unknown_length_is_a_question_mark() -> None:
    unknown = PlaybackStatus(PlaybackState.BUFFERING, _STATUS.episode, 61_000)
    assert progress_line(unknown, 80).endswith("Waiting for the network  1:01 / ?  1x  100%")
    assert state_line(unknown) == "Waiting for the network: 雪の音 · Slow Radio, at 1:01"
