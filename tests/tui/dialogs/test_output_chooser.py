"""The choice of the sound's output."""

from concurrent.futures import Future

import pytest

from player.errors import NoSoundLibrary
from player.playback.outputs import FoundOutput, SoundOutput
from player.player import Player
from tests.tui.stage import Stage, stocked
from tui.dialogs.output_chooser import OutputScreen

KITCHEN = FoundOutput(SoundOutput("chromecast", "1234"), "Kitchen (Chromecast)")
PHONES = FoundOutput(SoundOutput("pulse", "headset"), "Phones [USB] (PulseAudio)")
HDMI = FoundOutput(SoundOutput("alsa", "hdmi:0"), "Television (ALSA)")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> "Future[tuple[FoundOutput, ...]]":
    """What looking for outputs brings, when the test says so."""
    future: Future[tuple[FoundOutput, ...]] = Future()
    monkeypatch.setattr(Player, "find_outputs", lambda _player: future)
    return future


@pytest.fixture(autouse=True)
def devices(monkeypatch: pytest.MonkeyPatch) -> "Future[tuple[FoundOutput, ...]]":
    """What looking for devices on the network brings."""
    future: Future[tuple[FoundOutput, ...]] = Future()
    monkeypatch.setattr(Player, "find_devices", lambda _player: future)
    return future


async def open_it(stage: Stage) -> None:
    await stage.press("ctrl+p")
    await stage.write("sound output")
    await stage.until(lambda: stage.shows("Choose the sound output"), "the command")
    await stage.press("enter")
    await stage.until(lambda: isinstance(stage.app.screen, OutputScreen), "the dialog")


async def test_an_output_is_chosen_from_the_palette_and_kept(
    found: "Future[tuple[FoundOutput, ...]]", devices: "Future[tuple[FoundOutput, ...]]"
) -> None:
    devices.set_result(())
    async with stocked() as stage:
        await open_it(stage)
        assert stage.shows("System default")
        assert stage.shows("Looking")
        found.set_result((PHONES, HDMI))
        await stage.until(lambda: stage.shows("Phones [USB] (PulseAudio)"), "the list")
        await stage.until(lambda: not stage.shows("Looking"), "the end of the search")
        await stage.press("j", "enter")
        await stage.until(lambda: stage.ready, "the dialog to be gone")
        assert stage.player.output.now == PHONES.output
        await stage.until(lambda: stage.library.state.get("output"), "the choice to be written")


@pytest.mark.long
async def test_the_output_in_force_is_marked_even_when_it_is_gone(
    found: "Future[tuple[FoundOutput, ...]]",
) -> None:
    async with stocked() as stage:
        stage.player.output.choose(PHONES.output)
        await open_it(stage)
        found.set_result((HDMI,))
        await stage.until(lambda: stage.shows("Television (ALSA)"), "the list")
        assert stage.shows("headset (not found)  now")
        await stage.press("enter")
        await stage.until(lambda: stage.ready, "the dialog to be gone")
        assert stage.player.output.now == PHONES.output


async def test_without_libvlc_the_dialog_says_so(found: "Future[tuple[FoundOutput, ...]]") -> None:
    async with stocked() as stage:
        await open_it(stage)
        found.set_exception(NoSoundLibrary("libvlc, which plays the audio, isn't installed", "Install VLC."))
        await stage.until(lambda: stage.shows("isn't installed"), "the sentence")
        await stage.press("escape")
        await stage.until(lambda: stage.ready, "the dialog to be gone")


@pytest.mark.long
async def test_an_answer_after_the_dialog_was_closed_is_let_go(found: "Future[tuple[FoundOutput, ...]]") -> None:
    async with stocked() as stage:
        await open_it(stage)
        await stage.press("escape")
        await stage.until(lambda: stage.ready, "the dialog to be gone")
        found.set_result((PHONES,))
        await stage.settle()
        assert stage.ready


async def test_devices_on_the_network_follow_and_the_cursor_stays(
    found: "Future[tuple[FoundOutput, ...]]", devices: "Future[tuple[FoundOutput, ...]]"
) -> None:
    async with stocked() as stage:
        await open_it(stage)
        found.set_result((PHONES,))
        await stage.until(lambda: stage.shows("Looking for devices on the network"), "the search")
        await stage.press("j")
        devices.set_result((KITCHEN,))
        await stage.until(lambda: stage.shows("Kitchen (Chromecast)"), "the device")
        assert not stage.shows("Looking")
        await stage.press("j", "enter")
        await stage.until(lambda: stage.ready, "the dialog to be gone")
        assert stage.player.output.now == KITCHEN.output
        assert stage.player.output.title == "Kitchen (Chromecast)"


async def test_without_the_extra_a_sentence_says_how_to_get_it(
    found: "Future[tuple[FoundOutput, ...]]", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.playback.casting.finding.device_kinds", dict)
    async with stocked() as stage:
        await open_it(stage)
        found.set_result((PHONES,))
        await stage.until(lambda: stage.shows("'earmark[cast]'"), "the sentence")
        assert stage.shows("To play on Chromecasts and DLNA devices")
