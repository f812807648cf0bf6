"""A day of listening by ear: what a screen reader finds under the terminal's own cursor after each key, and in the
news."""

import sys
from collections.abc import Iterator

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.integrations.desktop.bus import session_bus
from tests.pty.conftest import FEED, ITEM, silence
from tests.pty.day import World, beside, queued
from tests.pty.reader import Reader
from tests.pty.terminal import Terminal
from tests.quick import mostly_long
from tests.sound.sound_server import SoundServer, sound, sound_server
from tests.tui.cli.conftest import own_logging

__all__ = ["own_logging", "sound", "sound_server"]

pytestmark = [pytest.mark.pty, pytest.mark.timeout(180)]


@pytest.fixture
def world() -> Iterator[World]:
    with World() as made:
        yield made


@pytest.mark.parametrize(("columns", "rows"), mostly_long([(80, 24), (40, 12), (120, 40)]))
def test_a_day_of_listening_by_ear(silent: Paths, world: World, columns: int, rows: int) -> None:
    beside("add", *world.urls)
    with Terminal("--screen-reader", columns=columns, rows=rows) as terminal:
        reader = Reader(terminal)
        reader.is_told(r"\? shows all keys")
        _moves_through_episodes_and_podcasts(reader)
        _plays_pauses_and_jumps(reader)
        _reads_notes_and_chapters(reader)
        _filters_and_searches(reader)
        _queues_marks_and_thinks_better_of_it(reader)
        _changes_a_setting(reader)
        _asks_for_help(reader)
        _adds_a_podcast(reader, world)
        _unsubscribes(reader)
        terminal.resize(columns + 10, rows + 2)
        terminal.wait_until(lambda: len(terminal.lines) == rows + 2 and reader.line != "", "the screen in its new size")
        reader.hears("^playing, Morning Tones")
        reader.hears("^Evening Hum", after="up")
        reader.press("q")
        assert terminal.wait_exit() == 0
        assert b"\x1b[?25h" in terminal.raw[-100:], "the shell has its cursor"
    assert queued() == []


def _moves_through_episodes_and_podcasts(reader: Reader) -> None:
    reader.hears("^new, Allocators, .*10 min")
    reader.hears("^unplayed, Barriers, .*10 min", after="down")
    reader.hears("^new, Lighthouses, .*30 min", after="down")
    reader.hears("^unplayed, Barriers", after="up")
    reader.hears("^unplayed, 3. Make it yours", after="G")
    reader.hears("^new, Allocators", after="g")
    reader.hears("^All episodes$", after="h")
    reader.is_told("^Podcasts$")
    reader.hears("^Evening Hum, 1 new$", after="down")
    reader.hears("^Morning Tones, 1 new$", after="down")
    reader.hears("^new, Allocators, 10 min", after="enter")
    reader.is_told("^Episodes$")


def _plays_pauses_and_jumps(reader: Reader) -> None:
    reader.is_told("^Allocators, Morning Tones, 0:0[0-9] of 10:00, playing$", after="enter")
    reader.hears("^playing, Allocators, 10 min")
    reader.is_told("^0:[0-9]+ of 10:00, paused$", after="space")
    reader.hears("^paused, Allocators, 10 min")
    reader.is_told("^Forward 30s, 0:3[0-9] of 10:00$", after="right")
    reader.is_told("^Jump undone, 0:0[0-9] of 10:00$", after="u")
    reader.is_told("^Speed 1.1$", after="]")
    reader.is_told("^0:[03][0-9] of 10:00, paused, speed 1.1, Allocators, Morning Tones(, Hello)?$", after="W")
    reader.is_told("^Volume 95%$", after="-")
    reader.is_told("^0:[03][0-9] of 10:00, playing, speed 1.1$", after="space")
    reader.is_told("^Bookmarked 0:", after="b")
    reader.hears("^playing, Allocators")


def _reads_notes_and_chapters(reader: Reader) -> None:
    reader.hears("^Allocators$", after="tab")
    reader.is_told("^Notes$")
    reader.hears("^Morning Tones, .* 20[0-9][0-9], 10 min$", after="down")
    reader.hears("^Notes, Chapters", after="down")
    reader.hears("^The notes of Allocators.$", after="down")
    reader.hears("^0:00  Hello$", after="2")
    reader.is_told("^Chapters$")
    reader.hears("^3:20  The middle$", after="down")
    reader.is_told("^Jumped to 3:20$", after="enter")
    reader.hears("^6:40  Goodbye$", after="down")
    reader.hears("^playing, Allocators", after="escape")
    reader.is_told("^3:[2-5][0-9] of 10:00, playing, speed 1.1, Allocators, Morning Tones, The middle$", after="W")
    reader.is_told("^“Goodbye”, 6:40 of 10:00$", after=".")
    reader.is_told("^Jump undone, (0:0|3:2)[0-9] of 10:00$", after="u")


def _filters_and_searches(reader: Reader) -> None:
    reader.hears("^/ Filter", after="/")
    reader.hears("^/ barr$", after="barr")
    assert reader.terminal.cursor[0] == len("/ barr")
    reader.hears("^unplayed, Barriers, 10 min", after="enter")
    reader.press("escape")
    reader.terminal.wait_gone("barr")
    reader.hears("^unplayed, Barriers, 10 min")
    reader.hears("^Search podcasts", after="ctrl+f")
    reader.is_told("two words")
    reader.hears("^night$", after="night")
    reader.is_told("1 match")
    passage = r".*The notes of Night trains\.$" if reader.terminal.columns >= 80 else ""
    reader.hears(f"^unplayed, Night trains, Evening{passage}", after="down")
    reader.hears("^nights$", after="s")
    reader.is_told("0 matches")
    reader.hears("^unplayed, Barriers, 10 min", after="escape")


def _queues_marks_and_thinks_better_of_it(reader: Reader) -> None:
    reader.is_told("^Queued, 1st", after="e")
    reader.hears("Barriers, .*queued")
    assert queued() == ["Barriers"]
    reader.is_told("^Undone: queued “Barriers”", after="U")
    reader.is_told("^Star added", after="s")
    reader.hears("Barriers, .*starred")
    reader.is_told("^Downloaded “Barriers”", after="d")
    reader.hears("Barriers, .*downloaded, starred$" if reader.terminal.columns >= 80 else "Barriers, 10 min$")
    reader.is_told("^1 selected", after="V")
    reader.hears("^selected, unplayed, Barriers")
    reader.is_told("^2 selected", after="up")
    reader.hears("^selected, playing, Allocators")
    reader.hears("^playing, Allocators", after="escape")


def _changes_a_setting(reader: Reader) -> None:
    reader.hears("^Jump back, 15 seconds$", after="C")
    reader.is_told("^Jump back: 15 seconds How far")
    reader.hears("^Jump forward, 30 seconds$", after="down")
    reader.hears("^- Jump forward, 35 seconds$", after="right")
    reader.is_told("35 seconds")
    reader.hears("^Jump forward, 30 seconds$", after="left")
    reader.hears("^playing, Allocators", after="escape")


def _asks_for_help(reader: Reader) -> None:
    reader.hears("^What to do", after="?")
    reader.is_told("^Commands and keys$")
    reader.hears("^stop after$", after="stop after")
    reader.hears("^([A-Z]+, )?Stop after this episode, T$", after="down")
    reader.is_told("^Stops after this episode$", after="enter")
    reader.hears("^playing, Allocators")
    reader.is_told("^Continues after this episode$", after="T")


def _adds_a_podcast(reader: Reader, world: World) -> None:
    reader.hears("^Words; or a URL", after="a")
    reader.is_told("^[0-9]+ podcasts$")
    reader.terminal.wait_for("PyTorch Developer Podcast")
    reader.hears("^PyTorch Developer Podcast", after="down")
    reader.hears("^The Changelog, ", after="down")
    reader.hears(r"morning\.xml$", after=world.urls[0])
    reader.is_told("Add a podcast|already|Already", after="enter")
    reader.hears("^playing, Allocators", after="escape")


def _unsubscribes(reader: Reader) -> None:
    reader.hears("^playing, Morning Tones", after="h")
    reader.hears("^Unsubscribe from “Morning Tones”", after="delete")
    reader.is_told("^[^.]+. Unsubscribe from “Morning Tones”")
    reader.is_told("^Unsubscribe|^unsubscribe|^Remove|^remove", after="down")
    reader.hears("^playing, Morning Tones", after="n")


@pytest.mark.parametrize("seconds", mostly_long([10, 60]))
def test_nothing_is_written_while_an_episode_plays(
    sound: SoundServer, paths: Paths, server: LoopbackServer, seconds: int
) -> None:
    paths.config.mkdir(parents=True)
    paths.settings.write_text(
        "[feeds]\nrefresh_on_start = false\n[appearance]\nscreen_reader = true\n", encoding="utf-8"
    )
    url = server.audio("/tone.wav", silence(600, rate=8000), "audio/wav")
    items = "".join(ITEM.format(number=number, day=number, url=f"{url}?{number}") for number in (1, 2, 3))
    beside("add", server.page("/feed.xml", FEED.format(items=items).encode()))
    with Terminal(columns=80, rows=24, environ={"PULSE_SERVER": sound.address}) as terminal:
        reader = Reader(terminal)
        reader.is_told("shows all keys")
        reader.hears("^new, Tone 3, Loopback Radio")
        reader.is_told("^Tone 3, Loopback Radio, 0:0[0-9] of 10:00, playing$", after="enter")
        reader.hears("^playing, Tone 3, Loopback Radio, 10 min, 3 Jun$")  # now that the length is known
        terminal.read_all()
        written, started = len(terminal.raw), beside("status")["position_ms"]

        def played() -> bool:
            status = beside("status")
            assert status["state"] == "playing"
            return bool(status["position_ms"] >= started + 1000 * seconds)

        terminal.wait_until(played, f"{seconds} s to have been played", deadline_s=seconds + 30)
        assert not terminal.raw[written:], repr(bytes(terminal.raw[written:]))
        reader.is_told(r"^[01]:[0-9][0-9] of 10:00, playing, Tone 3, Loopback Radio$", after="W")
        reader.press("q")
        assert terminal.wait_exit() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="needs a session bus")
def test_it_is_offered_once_where_a_screen_reader_runs_and_switched_on_and_off_in_place(silent: Paths) -> None:
    from tests.player.integrations.desktop.accessibility import accessibility

    with session_bus() as bus, accessibility(bus.address, reads=True):
        environ = {"DBUS_SESSION_BUS_ADDRESS": bus.address}
        with Terminal(columns=120, rows=30, environ=environ) as terminal:
            terminal.wait_for("A screen reader is running: . “Screen reader mode")
            terminal.press("?", "screen reader", "enter")
            reader = Reader(terminal)
            reader.is_told(r"\? shows all keys")
            reader.hears("^new, 1. Press play")
            assert "screen_reader = true" in silent.settings.read_text(encoding="utf-8")
            reader.press("?", "screen reader", "enter")
            terminal.wait_for("enter play")
            terminal.press("j")
            terminal.wait_for("▌. 2. Find your way")
            assert "is running" not in terminal.text
            assert "screen_reader = true" not in silent.settings.read_text(encoding="utf-8")
            terminal.press("q")
            assert terminal.wait_exit() == 0
