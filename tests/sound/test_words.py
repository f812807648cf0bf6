"""What a program hears is found by the search, and played from the word: in a real terminal, by real sound."""

import json
import sys
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.conftest import FEED, ITEM
from tests.pty.terminal import Terminal
from tests.sound import tells_seconds
from tests.sound.pitch import heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.pty, pytest.mark.long]

NEAR_S = 0.5


@pytest.mark.parametrize("kind", ["mp3 vbr", "m4a", "opus"])
def test_a_word_that_was_recognised_here_is_found_and_heard(
    kind: str, sound: SoundServer, server: LoopbackServer, paths: Paths
) -> None:
    paths.config.mkdir(parents=True)
    command = [sys.executable, str(Path(tells_seconds.__file__)), "{audio}", "{out}"]
    paths.settings.write_text(f"[transcribe]\ncommand = {json.dumps(command)}\non_battery = true\n")
    audio = server.audio("/episode", pitch_coded(kind, 100))
    address = server.page("/feed.xml", FEED.format(items=ITEM.format(number=1, day=1, url=audio)).encode())
    with sound.recording() as recording, Terminal(environ=sound.environment(), columns=120) as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(address, "enter")
        terminal.wait_for("Tone 1")
        terminal.press("3")
        terminal.wait_for("This episode has no transcript")
        terminal.press("enter")
        terminal.wait_for("second[0-9]")
        terminal.wait_for("Transcribed “Tone 1”")
        terminal.press("ctrl+f")
        terminal.wait_for("Search")
        terminal.press("said:second73 ")
        terminal.wait_for(r"1:1[0-3] .*second73")
        terminal.press("down", "enter") if "enter play from" not in terminal.text else terminal.press("enter")
        terminal.wait_for("▶ Tone 1")
        terminal.wait_for("1:15 /")
        terminal.press("q")
        terminal.wait_exit()
    first = steady(heard(recording))[0]
    assert first.position_s is not None
    assert abs(first.position_s - 73) <= NEAR_S
