"""Downloads in a real terminal: three are paused, left and resumed; then they are played offline."""

import threading

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.pty.conftest import FEED, ITEM, silence
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.pty

BODY = silence(600)


class Slow:
    """Gives a part of each file, and the rest once it may."""

    def __init__(self) -> None:
        self.may = threading.Event()

    def __call__(self, request: Request) -> None:
        start = int(request.headers.get("Range", "bytes=0-")[6:].partition("-")[0])
        request.send_response(206)
        request.send_header("Content-Type", "audio/wav")
        request.send_header("ETag", '"1"')
        request.send_header("Content-Range", f"bytes {start}-{len(BODY) - 1}/{len(BODY)}")
        request.send_header("Content-Length", str(len(BODY) - start))
        request.end_headers()
        part = max(start, 200_000)
        request.wfile.write(BODY[start:part])
        request.wfile.flush()
        self.may.wait(30)
        request.wfile.write(BODY[part:])


@pytest.mark.long
def test_three_are_downloaded_paused_left_and_resumed_and_played_offline(silent: Paths, server: LoopbackServer) -> None:
    slow = Slow()
    urls = [server.answer(f"/{number}.wav", slow) for number in range(1, 5)]
    items = "".join(ITEM.format(number=number, day=number, url=url) for number, url in enumerate(urls, 1))
    feed = server.page("/feed.xml", FEED.format(items=items).encode())
    with Terminal(columns=120, rows=40) as terminal:
        terminal.wait_for("enter play")
        terminal.press("a")
        terminal.wait_for("Words; or a URL")
        terminal.press(feed, "enter")
        terminal.wait_for("Tone 4")
        for _number in range(3):
            terminal.press("d", "j")
        terminal.wait_for(r"Tone 4.*⇣41%")
        terminal.wait_for(r"Tone 3.*⇣41%")
        terminal.wait_for(r"Tone 2.*◌")
        terminal.wait_for("↓ Downloads")
        terminal.press("h", "g", "j", "j", "j", "l")
        terminal.wait_for("Downloads  0 of 3")
        terminal.press("?", "all downloads", "enter")
        terminal.wait_for("All downloads are paused")
        terminal.press("q")
        assert terminal.wait_exit() == 0
    slow.may.set()
    with Terminal(columns=50, rows=15) as again:
        again.wait_for("All downloads are paused")
        again.press("?", "all downloads", "enter")
        again.wait_for(r"3 episodes · 1.4 MB")
        asked = len(server.seen)
        again.press("?", "offline", "enter")
        again.wait_for("again to show")
        again.press("g", "enter")
        again.wait_for(r"▶ Tone 4")
        again.press("h", "G", "k", "k", "enter")
        again.wait_for(r"Tone 1 .*⊘")
        again.press("G", "enter")
        again.wait_for("Offline: “Tone 1” isn't on this")
        assert "▶ Tone 4" in again.text
        again.press("q")
        assert again.wait_exit() == 0
    assert len(server.seen) == asked
