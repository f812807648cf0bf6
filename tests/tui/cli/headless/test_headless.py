"""`earmark play --headless`, as a process of its own."""

import os
import signal
import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from player.errors import ControlError
from player.integrations.client import request
from player.integrations.single_instance import InstanceLock
from player.library import Library
from player.model.episode import Episode
from player.model.playback import PlaybackState
from player.paths import Paths
from player.player import Player
from player.settings_file import load_settings
from tests.loopback import LoopbackServer
from tests.player.integrations.desktop.bus import session_bus
from tests.player.integrations.desktop_of_notifications import Desktop
from tests.tui.cli.headless.conftest import headless, plays, saved_ms, settings, wait_until


def in_order(out: str) -> list[str]:
    """The lines, without what a slow machine adds: that it waits for bytes, and plays again."""
    lines = [line for line in out.splitlines() if not line.startswith("Waiting")]
    return [line for place, line in enumerate(lines) if place <= 1 or not line.startswith("Playing")]


def test_it_says_what_happens_and_a_signal_ends_it_with_the_position_saved(
    rain: Episode, paths: Paths, library: Library
) -> None:
    with headless("Rain", "--at", "12:34") as process:
        wait_until(plays(paths), process)
        request(paths.socket, "seek", to_ms=1_200_000)
        request(paths.socket, "pause")
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        took = time.monotonic() - begun
    assert (process.returncode, err) == (128 + signal.SIGTERM, "")
    assert in_order(out) == [
        "Opening: Rain · Slow Radio",
        "Playing: Rain · Slow Radio, at 12:34",
        "Jumped to 20:00",
        "Paused at 20:00",
        "Rain: stopped at 20:00. Resume: earmark play",
    ]
    assert abs(saved_ms(library, rain) - 1_200_000) < 1_000
    assert took < 2.5, "a second, on a machine with nothing else to do"
    assert not paths.socket.exists()


def test_a_pipe_that_nobody_reads_holds_nothing_up(rain: Episode, paths: Paths, library: Library) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(writer, True)
    with headless("Rain", "--at", "30:00", stdout=writer) as process:
        wait_until(plays(paths, beyond_ms=1_800_000), process)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=20) == 128 + signal.SIGHUP
    os.close(writer)
    os.close(reader)
    assert saved_ms(library, rain) >= 1_800_000


@pytest.mark.long
def test_a_kill_costs_a_moment_at_most(rain: Episode, paths: Paths, library: Library) -> None:
    library.progress.save(rain.id, 1_800_000, None, datetime.now(UTC))
    with headless("--stay") as process:
        wait_until(paths.socket.exists, process)
        request(paths.socket, "play", episode=rain.id)
        wait_until(plays(paths, beyond_ms=1_801_000), process)
        request(paths.socket, "pause")
        wait_until(lambda: saved_ms(library, rain) > 1_801_000, process)
        process.kill()
    again = saved_ms(library, rain)
    with headless() as process:
        wait_until(plays(paths), process)
        assert request(paths.socket, "status")["status"]["position_ms"] >= again - 3_000


def test_it_ends_by_itself_once_nothing_has_played_for_the_time_in_the_settings(rain: Episode, paths: Paths) -> None:
    settings(paths, '[background]\nends_after = "0"\n')
    with headless("Rain", "--at", "59:59.8") as process:
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert out.splitlines()[-2:] == ["Ended: Rain · Slow Radio", "Nothing has played for a while."]


def test_what_cant_be_played_at_first_is_a_sentence_and_exit_code_1_and_the_desktop_is_told(
    rain: Episode, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(paths, "[notifications]\ntrouble = true\n")
    monkeypatch.setenv("DISPLAY", ":0")
    server.page("/rain.wav", b"", status=404)
    with session_bus() as bus:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
        monkeypatch.delenv("SSH_CONNECTION", raising=False)
        desktop = Desktop(bus.address)
        with headless("Rain") as process:
            _, err = process.communicate(timeout=30)
        desktop.close()
    assert process.returncode == 1
    assert err.startswith("earmark: Rain: ")
    assert [shown[3] for shown in desktop.shown] == ["Can't play “Rain”"]


@pytest.mark.long
def test_one_that_stays_waits_while_another_plays_and_hands_over_to_the_app(
    rain: Episode, paths: Paths, library: Library
) -> None:
    lock = InstanceLock(paths.lock)
    lock.take()
    with headless("--stay") as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("This one waits for its turn.\n")
        lock.release()
        wait_until(paths.socket.exists, process)
        request(paths.socket, "play", episode=rain.id, at_ms=754_000)
        wait_until(plays(paths, beyond_ms=754_000), process)
        app = Player(paths, load_settings(paths.settings).settings)
        app.open()
        app.start()
        try:
            assert app.status.state is PlaybackState.PLAYING
            assert app.status.position_ms >= 754_000
        finally:
            app.close()
        wait_until(lambda: request_or_none(paths) == "background", process)
        assert request(paths.socket, "status")["status"]["position_ms"] >= 754_000
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 128 + signal.SIGTERM


def request_or_none(paths: Paths) -> str | None:
    with suppress(ControlError):
        return str(request(paths.socket, "status")["status"]["runs_in"])
    return None
