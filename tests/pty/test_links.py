"""Links in a real terminal: what it is told of them (OSC 8), what it is to copy (OSC 52), and what it is spared."""

import re
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.pty.terminal import Terminal
from tests.quick import mostly_long

pytestmark = pytest.mark.pty

LINK = "https://example.org/guide?utm_source=feed"
NOTES = f"""<p>1:00 Where it starts</p>
<p><a href="{LINK}">A guide whose title is so long that no pane has room for it in a line, however wide</a></p>
<p><a href="https://github.com/pytorch/pytorch/pull/7">The change</a></p>"""
NO_SCREEN = {
    "DISPLAY": "",
    "WAYLAND_DISPLAY": "",
    "BROWSER": "",
    "TMUX": "",
    "SSH_CONNECTION": "10.0.0.1 5 10.0.0.2 22",
}


@pytest.fixture
def feed(server: LoopbackServer) -> str:
    """A podcast of one episode with links in its notes."""
    audio = server.audio("/a.wav", b"RIFF")
    return server.page(
        "/links.xml",
        f"<rss version='2.0'><channel><title>Linked</title><item><title>Episode of links</title>"
        f"<description><![CDATA[{NOTES}]]></description><enclosure url='{audio}' type='audio/wav'/>"
        "</item></channel></rss>".encode(),
    )


def show_notes(terminal: Terminal, feed: str) -> None:
    terminal.wait_for("enter play")
    terminal.press("a")
    terminal.wait_for("Words; or a URL")
    terminal.press(feed, "enter")
    terminal.wait_for("Where it starts")
    terminal.wait_for("The change")


def choose(terminal: Terminal, number: str) -> None:
    terminal.press("o")
    terminal.wait_for("pytorch/pytorch#7")
    terminal.press(number, "enter")


def copied(terminal: Terminal) -> list[str]:
    return [b64decode(found).decode() for found in re.findall(rb"\x1b]52;c;([^\x07]*)\x07", bytes(terminal.raw))]


@pytest.mark.long
def test_a_wrapped_link_has_one_id_and_times_have_none(silent: Paths, feed: str) -> None:
    with Terminal(environ=NO_SCREEN) as terminal:
        show_notes(terminal, feed)
        told = re.findall(rb"\x1b]8;id=([^;]*);([^\x1b]*)\x1b\\(?:\x1b\[[^m]*m)?([^\x1b]*)", bytes(terminal.raw))
        lines = [text for _, link, text in told if link == LINK.encode()]
        assert len(lines) > 1
        assert len({ident for ident, link, _ in told if link == LINK.encode()}) == 1
        assert {link for _, link, _ in told} - {b""} == {LINK.encode(), b"https://github.com/pytorch/pytorch/pull/7"}
        assert len({ident for ident, link, _ in told if link}) == 2
        assert b"earmark:time" not in terminal.raw


@pytest.mark.long
@pytest.mark.parametrize(
    ("environ", "settings"),
    mostly_long(
        [({"TERM": "linux"}, ""), ({"FORCE_HYPERLINK": "0"}, ""), ({}, '[appearance]\nhyperlinks = "never"\n')]
    ),
    ids=["console", "environment", "settings"],
)
def test_a_terminal_that_knows_no_links_is_told_of_none(
    silent: Paths, feed: str, environ: dict[str, str], settings: str
) -> None:
    with silent.settings.open("a", encoding="utf-8") as file:
        file.write(settings)
    with Terminal(environ=NO_SCREEN | environ) as terminal:
        show_notes(terminal, feed)
        assert b"\x1b]8;" not in terminal.raw


@pytest.mark.long
def test_over_ssh_a_link_is_copied_by_the_terminal(silent: Paths, feed: str) -> None:
    with Terminal(environ=NO_SCREEN) as terminal:
        show_notes(terminal, feed)
        choose(terminal, "2")
        terminal.wait_for("No browser found: link copied")
        assert copied(terminal) == ["https://github.com/pytorch/pytorch/pull/7"]
        terminal.press("Y")
        terminal.wait_for("2 links copied")
        assert copied(terminal)[1].endswith("- [The change](<https://github.com/pytorch/pytorch/pull/7>)\n")


@pytest.mark.long
def test_a_browser_that_talks_reaches_neither_screen_nor_keys(silent: Paths, feed: str, tmp_path: Path) -> None:
    noted = tmp_path / "noted"
    half = tmp_path / "half"
    browser = tmp_path / "browser"
    browser.write_text(
        f"#!{sys.executable}\nimport os, sys\nos.write(1, b'LOUD'); os.write(2, b'LOUD')\n"
        "try:\n    os.write(os.open('/dev/tty', os.O_WRONLY), b'LOUD')\nexcept OSError:\n    pass\n"
        f"with open({str(half)!r}, 'w') as file:\n    file.write(sys.argv[1] + sys.stdin.read())\n"
        f"os.rename({str(half)!r}, {str(noted)!r})\n"
    )
    browser.chmod(0o700)
    with Terminal(environ=NO_SCREEN | {"BROWSER": str(browser)}) as terminal:
        show_notes(terminal, feed)
        choose(terminal, "2")
        terminal.wait_for("Opening in the browser")
        terminal.wait_until(noted.exists, "the browser to have noted the link")
        terminal.press("?")
        terminal.wait_for("Commands and keys")
        assert noted.read_text() == "https://github.com/pytorch/pytorch/pull/7"
        assert b"LOUD" not in terminal.raw


@pytest.mark.long
def test_a_browser_for_terminals_is_not_started(silent: Paths, feed: str) -> None:
    with Terminal(environ=NO_SCREEN | {"BROWSER": "w3m"}) as terminal:
        show_notes(terminal, feed)
        choose(terminal, "1")
        terminal.wait_for("w3m would take over this terminal: link copied")
        assert copied(terminal) == [LINK]
