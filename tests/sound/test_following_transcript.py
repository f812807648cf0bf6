"""The line of the transcript that stands out is the one that is heard: in a real terminal, by real sound."""

import re
import time

import pytest

from tests.loopback import LoopbackServer
from tests.pty.conftest import FEED, ITEM
from tests.pty.terminal import Terminal
from tests.sound.pitch import Heard, heard, heard_at, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.pty]

NEAR_S = 0.7
"""How late a line may be marked: the screen is drawn and read in between, on a busy computer."""
LINES = 6
_MARKED = re.compile(r"▌ Second (\d+)\b")


def transcript(seconds: int) -> bytes:
    cues = (f"00:00:{second:02}.000 --> 00:00:{second + 1:02}.000\nSecond {second}." for second in range(seconds))
    return ("WEBVTT\n\n" + "\n\n".join(cues) + "\n").encode()


@pytest.mark.long
def test_the_marked_line_is_heard_and_enter_on_another_one_goes_there(
    sound: SoundServer, server: LoopbackServer
) -> None:
    audio = server.audio("/episode.mp3", pitch_coded("mp3 vbr", 50))
    words = server.page("/episode.vtt", transcript(50), "text/vtt")
    item = ITEM.format(number=1, day=1, url=audio).replace("audio/wav", "audio/mpeg")
    item = item.replace("</item>", f'<podcast:transcript url="{words}" type="text/vtt" language="en"/></item>')
    namespace = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    feed = FEED.format(items=item).replace("<rss ", f"<rss {namespace} ", 1)
    address = server.page("/feed.xml", feed.encode())
    with sound.recording() as recording, Terminal(environ=sound.environment(), columns=120) as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(address, "enter")
        terminal.wait_for("Tone 1")
        terminal.press("enter")
        terminal.wait_for("▶ Tone 1")
        terminal.press("3")
        terminal.wait_for(r"▌ Second \d+")
        changes = marks(terminal, LINES)
        terminal.press("j" * 20, "enter")
        there = marked(terminal) + 20
        terminal.wait_for(f"▌ Second {there}\\b")
        terminal.press("f")
        terminal.wait_until(lambda: marked(terminal) > there, "the sound going on there")
        changes += marks(terminal, 3)
        terminal.press("q")
        terminal.wait_exit()
    tones = steady(heard(recording))
    errors = [place_heard(tones, moment) - second for second, moment in changes]
    assert max(map(abs, errors)) <= NEAR_S, errors
    assert changes[-1][0] - changes[0][0] >= 20


def marked(terminal: Terminal) -> int:
    found = _MARKED.search(terminal.text)
    return int(found[1]) if found else -1


def marks(terminal: Terminal, lines: int) -> list[tuple[int, float]]:
    """The next so many lines that come to be marked, each with the moment at which it was."""
    found: list[tuple[int, float]] = []
    for _ in range(lines):
        before = marked(terminal)
        terminal.wait_until(lambda before=before: marked(terminal) not in (before, -1), "the next line")  # type: ignore[misc]
        found.append((marked(terminal), time.monotonic()))
    return found


def place_heard(tones: list[Heard], moment: float) -> float:
    near = heard_at(tones, moment)
    assert near.position_s is not None
    assert abs(near.at - moment) < 0.3, "there was no sound then"
    return near.position_s + (moment - near.at)
