"""`output`: listed and chosen."""

import sys

import pytest

from player.errors import NoSoundLibrary
from player.integrations.control_socket import ControlServer
from player.paths import Paths
from player.playback.outputs import FoundOutput, SoundOutput
from player.player import Player
from player.settings import Playback, Settings
from tests.player.integrations.fake_session import FakeSession
from tests.tui.cli.conftest import Earmark

KITCHEN = FoundOutput(SoundOutput("chromecast", "1234"), "Kitchen (Chromecast)")
FOUND = (
    FoundOutput(SoundOutput("pulse", "headset"), "Phones [USB] (PulseAudio)"),
    FoundOutput(SoundOutput("alsa", "hdmi:0"), "Television (ALSA)"),
    FoundOutput(SoundOutput("alsa", "hdmi:1"), "Television 2 (ALSA)"),
)


@pytest.fixture(autouse=True)
def found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.playback.vlc.instance.find_outputs", lambda: FOUND)


def now(earmark: Earmark) -> list[str]:
    return [one["title"] for one in earmark("output", "--json").json if one["now"]]


def test_the_choice_is_kept_for_the_next_start(earmark: Earmark) -> None:
    assert earmark("output").out.splitlines() == [
        "System default (now)", "Phones [USB] (PulseAudio)", "Television (ALSA)", "Television 2 (ALSA)",
    ]  # fmt: skip
    assert earmark("output", "phones").out == "Sound output: Phones [USB] (PulseAudio)\n"
    assert now(earmark) == ["Phones [USB] (PulseAudio)"]
    assert earmark("output", "hdmi:1").code == 0
    assert now(earmark) == ["Television 2 (ALSA)"]
    assert earmark("output", "default").out == "Sound output: System default\n"


def test_the_running_earmark_plays_on_there(earmark: Earmark, paths: Paths) -> None:
    player = Player(paths, Settings(playback=Playback(engine="silent")))
    player.open()
    server = ControlServer(paths.socket, FakeSession(), machine=player.services)
    server.start()
    try:
        assert earmark("output", "headset").code == 0
        assert player.output.now == SoundOutput("pulse", "headset")
        assert now(earmark) == ["Phones [USB] (PulseAudio)"]
    finally:
        server.close()
        player.close()
    assert now(earmark) == ["Phones [USB] (PulseAudio)"]


def test_what_is_not_there_any_more_is_listed_all_the_same(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    earmark("output", "phones")
    monkeypatch.setattr("player.playback.vlc.instance.find_outputs", lambda: FOUND[1:])
    assert earmark("output").out.splitlines()[-1] == "Phones [USB] (PulseAudio) (not found) (now)"


def test_devices_on_the_network_are_outputs(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []

    def find_devices() -> tuple[FoundOutput, ...]:
        searches.append(1)
        return (KITCHEN,)

    monkeypatch.setattr("player.playback.casting.finding.find_devices", find_devices)
    assert earmark("output").out.splitlines()[-1] == "Kitchen (Chromecast)"
    assert earmark("output", "kitchen").out == "Sound output: Kitchen (Chromecast)\n"
    assert now(earmark) == ["Kitchen (Chromecast)"]
    assert len(searches) == 3
    assert earmark("output", "phones").code == 0
    assert len(searches) == 3, "what is on this computer needs no search"
    earmark("config", "set", "audio.network", "false")
    assert "Kitchen" not in earmark("output").out
    assert len(searches) == 3


def test_without_the_extra_a_sentence_says_how_to_get_it(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.playback.casting.finding.device_kinds", dict)
    how = f"To play on Chromecasts and DLNA devices: {sys.executable} -m pip install 'earmark[cast]'"
    assert earmark("output").out.splitlines()[-1] == how
    assert how in earmark("output", "kitchen").err
    assert "earmark[cast]" not in earmark("output", "--json").out


def test_a_name_that_fits_none_or_several_is_a_sentence(earmark: Earmark, monkeypatch: pytest.MonkeyPatch) -> None:
    none, several = earmark("output", "radio"), earmark("output", "tele")
    assert (none.code, none.err) == (1, "earmark: No sound output matches “radio”. See `earmark output`.\n")
    assert (several.code, several.out) == (1, "")
    assert "“Television (ALSA)”, “Television 2 (ALSA)”" in several.err

    def no_library() -> None:
        raise NoSoundLibrary("libvlc isn't installed", "Install it.")

    monkeypatch.setattr("player.playback.vlc.instance.find_outputs", no_library)
    assert earmark("output").err == "earmark: libvlc isn't installed. Install it.\n"
