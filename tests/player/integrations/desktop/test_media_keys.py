"""Earmark on a real session bus, and controllers beside it."""

import asyncio
import gc
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from msgspec.structs import replace

from player.events import Bus, PlaybackChanged
from player.integrations.desktop import media_keys
from player.integrations.desktop.media_keys import MediaKeys, bus_address
from player.model.playback import PlaybackState
from player.settings import Desktop, Settings
from tests.player.integrations.desktop.bus import SessionBus
from tests.player.integrations.desktop.controller import (
    NAME,
    PATH,
    PLAYER,
    PROPERTIES,
    ROOT,
    CallFailed,
    Controller,
    Message,
    Variant,
)
from tests.player.integrations.desktop.session import DesktopSession
from tests.player.playback.support import wait_until

Start = Callable[..., MediaKeys]


async def flood(hostile: Controller, times: int) -> None:
    """Forty calls each time, whose answers nobody waits for; the bus has them all when this returns."""
    for _ in range(times):
        for _ in range(40):
            hostile.bus.send(
                Message(
                    destination=NAME, path=PATH, interface=PROPERTIES, member="GetAll", signature="s", body=[PLAYER]
                )
            )
        await hostile.owners()


async def test_a_controller_sees_what_plays_steers_it_and_is_told_of_each_change_once(
    start: Start, daemon: SessionBus
) -> None:
    keys = start()
    panel = await Controller.at(daemon.address)
    assert keys.name == NAME
    shown = await panel.ask(PROPERTIES, "GetAll", "s", [PLAYER])
    assert shown["PlaybackStatus"] == "Paused"
    assert shown["Position"] == 60_000_000
    assert shown["Metadata"]["xesam:title"] == "An episode"
    assert shown["Metadata"]["mpris:artUrl"] == "file:///cover.jpg"
    assert (await panel.ask(PROPERTIES, "GetAll", "s", [ROOT]))["Identity"] == "Earmark"

    await panel.do("PlayPause")
    assert await panel.told("PropertiesChanged") == [PLAYER, {"PlaybackStatus": "Playing"}, []]
    await panel.do("Seek", "x", 30_000_000)
    assert await panel.told("Seeked") == [90_000_000]
    await panel.do("SetPosition", "ox", shown["Metadata"]["mpris:trackid"], 300_000_000)
    assert await panel.told("Seeked") == [300_000_000]
    await panel.set("Rate", "d", 1.5)
    assert await panel.told("PropertiesChanged") == [PLAYER, {"Rate": 1.5}, []]
    await panel.set("Volume", "d", 0.8)
    assert await panel.told("PropertiesChanged") == [PLAYER, {"Volume": 0.8}, []]
    await panel.do("OpenUri", "s", "https://example.com/feed")
    await panel.do("Pause")
    assert await panel.told("PropertiesChanged") == [PLAYER, {"PlaybackStatus": "Paused"}, []]

    keys.close()
    assert await panel.owners() == []
    panel.leave()


async def test_playing_on_is_no_news(start: Start, daemon: SessionBus, events: Bus, session: DesktopSession) -> None:
    start()
    panel = await Controller.at(daemon.address)
    session.resume()
    assert await panel.told("PropertiesChanged") == [PLAYER, {"PlaybackStatus": "Playing"}, []]
    before = session.status
    for tenth in range(1, 50):
        status = replace(
            before, position_ms=before.position_ms + tenth * 100, measured_at=before.measured_at + tenth / 10
        )
        session.status = replace(status, cached=((0.0, tenth / 50),))
        events.publish(PlaybackChanged(session.status))
    session.set_volume(40)
    assert await panel.told("PropertiesChanged") == [PLAYER, {"Volume": 0.4}, []]
    panel.leave()


async def test_what_a_hostile_program_sends_harms_nothing(
    start: Start, daemon: SessionBus, session: DesktopSession
) -> None:
    start()
    hostile, panel = await Controller.at(daemon.address), await Controller.at(daemon.address)
    wrong: list[tuple[str, str, str, list[Any]]] = [
        (PLAYER, "Seek", "s", ["far"]),
        (PLAYER, "SetPosition", "sx", ["no path", 5]),
        (PLAYER, "Sing", "", []),
        (PLAYER, "OpenUri", "s", ["x" * 1_000_000]),
        (PLAYER, "Play", "av", [[Variant("s", "x")]]),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Volume", Variant("a{sv}", {"x": Variant("i", 1)})]),
        (PROPERTIES, "Set", "ssv", [PLAYER, "Metadata", Variant("s", "x")]),
        (PROPERTIES, "Set", "sss", [PLAYER, "Volume", "loud"]),
        (PROPERTIES, "Get", "ss", [PLAYER, "Secrets"]),
        (PROPERTIES, "GetAll", "s", ["org.example.Nothing"]),
        (PROPERTIES, "GetAll", "", []),
        ("org.example.Nothing", "Play", "", []),
    ]
    for interface, member, signature, body in wrong:
        with pytest.raises(CallFailed):
            await hostile.ask(interface, member, signature, body)
    before = session.status
    await flood(hostile, 5)
    assert await panel.get("PlaybackStatus") == "Paused"
    assert session.status is before
    hostile.leave()
    panel.leave()


async def test_a_second_one_has_a_name_of_its_own(start: Start, daemon: SessionBus) -> None:
    first, second = start(), start()
    panel = await Controller.at(daemon.address)
    assert second.name.startswith(f"{first.name}.instance")
    assert sorted(await panel.owners()) == [first.name, second.name]
    panel.leave()


async def test_after_the_bus_went_away_it_comes_back(start: Start, daemon: SessionBus, session: DesktopSession) -> None:
    keys = start()
    daemon.stop()
    wait_until(lambda: not keys.name, "the end of the connection")
    session.resume()  # nobody is told
    daemon.start()
    wait_until(lambda: keys.name, "another connection")
    panel = await Controller.at(daemon.address)
    assert await panel.get("PlaybackStatus") == "Playing"
    await panel.do("Pause")
    assert session.status.state is PlaybackState.PAUSED
    panel.leave()


async def test_a_bus_that_is_gone_when_it_is_told_something_is_no_fault(
    started: MediaKeys, daemon: SessionBus, session: DesktopSession, caplog: pytest.LogCaptureFixture
) -> None:
    def in_its_loop() -> None:
        daemon.stop()
        session.set_volume(40)  # told before the end of the connection is read

    assert started._loop is not None
    started._loop.call_soon_threadsafe(in_its_loop)
    wait_until(lambda: not started.name, "the end of the connection")
    gc.collect()
    assert session.commands == [("set_volume", 40)]
    assert [record.getMessage() for record in caplog.records if record.levelname not in ("DEBUG", "INFO")] == []


@pytest.mark.parametrize(
    "environ", [{}, {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}, {"DBUS_SESSION_BUS_ADDRESS": "nonsense"}]
)
def test_without_a_session_bus_there_are_no_media_keys_and_no_error(
    environ: dict[str, str], session: DesktopSession, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(media_keys, "_START_S", 0.0)
    keys = MediaKeys(
        Bus(),
        session,
        Settings(),
        find=lambda _address: None,
        known=lambda _episode: ("", ""),
        quit=lambda: None,
        environ=environ,
    )
    with caplog.at_level("DEBUG", logger=media_keys.__name__):
        keys.start()
        assert keys._thread is not None
        keys._thread.join(20)
    assert not keys._thread.is_alive()
    assert [record.levelname for record in caplog.records] == ["DEBUG"]
    assert caplog.records[0].message.startswith("no media keys: ")
    keys.close()


def test_switched_off_they_start_nothing(session: DesktopSession) -> None:
    keys = MediaKeys(
        Bus(),
        session,
        Settings(desktop=Desktop(media_keys=False)),
        find=lambda _address: None,
        known=lambda _episode: ("", ""),
        quit=lambda: None,
    )
    keys.start()
    assert keys._thread is None
    keys.close()


def test_the_bus_is_found_where_systemd_has_it(tmp_path: Any) -> None:
    runtime = tmp_path / "a folder"
    runtime.mkdir()
    assert bus_address({"XDG_RUNTIME_DIR": str(runtime)}) == ""
    (runtime / "bus").touch()
    assert bus_address({"XDG_RUNTIME_DIR": str(runtime)}).endswith("/a%20folder/bus")
    assert bus_address({"XDG_RUNTIME_DIR": str(runtime), "DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"}) == (
        "unix:abstract=x"
    )


async def test_quit_is_asked_of_whoever_runs_it(start: Start, daemon: SessionBus) -> None:
    asked: list[str] = []
    start(quit=lambda: asked.append("quit"))
    panel = await Controller.at(daemon.address)
    await panel.ask(ROOT, "Raise")
    await panel.ask(ROOT, "Quit")
    assert asked == ["quit"]
    panel.leave()


async def another_player_says(panel: Controller, state: str) -> None:
    changed = {"PlaybackStatus": Variant("s", state)}
    await panel.bus.send(Message.new_signal(PATH, PROPERTIES, "PropertiesChanged", "sa{sv}as", [PLAYER, changed, []]))


async def test_another_player_that_starts_pauses_earmark_but_not_one_that_only_repeats_it(
    start: Start, daemon: SessionBus, session: DesktopSession
) -> None:
    start(Desktop(pause_for_others=True))
    other, repeater = await Controller.at(daemon.address), await Controller.at(daemon.address)
    await repeater.bus.request_name("org.mpris.MediaPlayer2.playerctld")
    session.resume()
    await other.told("PropertiesChanged")
    await another_player_says(repeater, "Playing")
    await another_player_says(other, "Paused")
    for asking in (repeater, other, repeater, other):  # by then whose signal it was has been asked
        assert await asking.get("PlaybackStatus") == "Playing"
    await another_player_says(other, "Playing")
    for name in ("PropertiesChanged", "PropertiesChanged", "PropertiesChanged"):
        await other.told(name)  # its own three
    assert (await other.told("PropertiesChanged"))[1] == {"PlaybackStatus": "Paused"}
    assert [name for name, _value in session.commands] == ["resume", "pause"]
    other.leave()
    repeater.leave()


def test_playerctl_steers_it(start: Start, daemon: SessionBus, session: DesktopSession) -> None:
    if (program := shutil.which("playerctl")) is None:
        pytest.skip("no playerctl on this machine")
    start()

    def playerctl(*words: str) -> str:
        done = subprocess.run(
            [program, "--player=earmark", *words],
            env={"DBUS_SESSION_BUS_ADDRESS": daemon.address},
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert playerctl("status") == "Paused"
    assert playerctl("metadata", "--format", "{{artist}}: {{title}} {{duration(mpris:length)}}") == (
        "A podcast: An episode 10:00"
    )
    playerctl("play-pause")
    playerctl("position", "120")
    playerctl("volume", "0.5")
    assert session.commands == [("toggle", 0), ("seek_to", 120_000), ("set_volume", 50)]


async def test_closing_closes_the_connection_too(
    started: MediaKeys, daemon: SessionBus, recwarn: pytest.WarningsRecorder
) -> None:
    await asyncio.to_thread(started.close)
    assert started._thread is not None
    assert not started._thread.is_alive()
    gc.collect()
    assert [str(one.message) for one in recwarn if one.category is ResourceWarning] == []


async def test_closing_takes_no_longer_when_a_program_floods_it(start: Start, daemon: SessionBus) -> None:
    keys = start()
    hostile = await Controller.at(daemon.address)
    await flood(hostile, 10)
    await asyncio.to_thread(keys.close)
    assert keys._thread is not None
    assert not keys._thread.is_alive()
    with suppress(CallFailed):
        await hostile.get("Rate")
    hostile.leave()
