"""`play` is on the session bus: media keys steer it."""

import os

import pytest

from player.model.episode import Episode
from player.paths import Paths
from tests.player.integrations.desktop.bus import session_bus
from tests.player.integrations.desktop.controller import PLAYER, PROPERTIES, ROOT, Controller, Variant
from tests.tui.cli.commands.test_play import playing, rain, silent, wait_until

__all__ = ["rain", "silent"]


@pytest.mark.long
async def test_a_controller_steers_it_is_told_of_jumps_alone_and_quits_it(
    rain: Episode, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    with session_bus() as bus:
        panel = await Controller.at(bus.address)
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", bus.address)
        assert os.environ["DBUS_SESSION_BUS_ADDRESS"]
        with playing(paths, "rain") as process:
            while not await panel.owners():
                assert process.poll() is None
            shown = await panel.ask(PROPERTIES, "GetAll", "s", [PLAYER])
            assert shown["PlaybackStatus"] == "Playing"
            assert shown["Metadata"]["xesam:title"] == "Rain"
            assert shown["Metadata"]["xesam:artist"] == ["Slow Radio"]
            assert shown["Metadata"]["mpris:length"] == 3_600_000_000
            track = shown["Metadata"]["mpris:trackid"]
            before = await panel.get("Position")
            while await panel.get("Position") < before + 2_500_000:
                pass
            assert panel.signals.empty(), "playing on is no news"

            await panel.do("SetPosition", "ox", track, 600_000_000)
            (position,) = await panel.told("Seeked")
            assert 600_000_000 <= position < 605_000_000
            await panel.do("Seek", "x", -300_000_000)
            (position,) = await panel.told("Seeked")
            assert 300_000_000 <= position < 306_000_000
            await panel.do("Pause")
            assert await panel.told("PropertiesChanged") == [PLAYER, {"PlaybackStatus": "Paused"}, []]
            await panel.ask(PROPERTIES, "Set", "ssv", [PLAYER, "Volume", Variant("d", 0.5)])
            assert await panel.told("PropertiesChanged") == [PLAYER, {"Volume": 0.5}, []]
            await panel.do("OpenUri", "s", rain.url)
            assert await panel.told("PropertiesChanged") == [PLAYER, {"PlaybackStatus": "Playing"}, []]
            await panel.ask(ROOT, "Quit")
            assert process.wait(20) == 0
            wait_until(lambda: process.poll() == 0, process)
            assert await panel.owners() == []
        panel.leave()
