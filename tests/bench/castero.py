"""castero, another player for the terminal on libvlc: installed into a folder of the bench, driven by its keys."""

import re
import subprocess
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import quoteattr

from tests.bench.house import BUILD, House, rest
from tests.pty.terminal import Terminal

_FOLDER = BUILD / "castero"
_PYTHON = _FOLDER / "bin" / "python"
_ITEM = """<item><title>{title}</title><guid>{title}</guid><link>{url}</link><description>-</description>
<pubDate>Mon, 02 Nov 2026 10:00:00 +0000</pubDate><enclosure url="{url}" type="audio/mpeg" length="1"/></item>"""
_FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Long Radio</title><link>{url}</link>
<description>-</description>{items}</channel></rss>"""
_SHOWN = re.compile(r"\[(\d\d):(\d\d):(\d\d)/")


def install() -> str:
    """Its version. It comes from the package index, once."""
    if not _PYTHON.exists():
        venv.create(_FOLDER, with_pip=True)
        # Elsewhere pip would take Earmark's own folder for something that is installed.
        subprocess.run([_PYTHON, "-m", "pip", "install", "-qq", "castero"], check=True, cwd=_FOLDER)
    asked = "import importlib.metadata as m; print(m.version('castero'))"
    return subprocess.run([_PYTHON, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()


def subscribe(home: House, title: str, url: str) -> None:
    """Gives it a podcast of one episode, and libvlc as its player."""
    settings = Path(home.folder) / ".config" / "castero" / "castero.conf"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text("[client]\nplayer = vlc\n", encoding="utf-8")
    feed = home.server.page("/castero.xml", _FEED.format(url=url, items=_ITEM.format(title=title, url=url)).encode())
    opml = home.folder / "castero.opml"
    outline = f'<outline type="rss" text="Long Radio" xmlUrl={quoteattr(feed)}/>'
    opml.write_text(f'<opml version="2.0"><head/><body>{outline}</body></opml>', encoding="utf-8")
    subprocess.run(
        [_PYTHON, "-m", "castero", "--import", opml], check=True, env=home.environment(), stdout=subprocess.DEVNULL
    )


@contextmanager
def running(home: House) -> Iterator[Terminal]:
    """Open, the episode selected."""
    environ = {**home.environment(), "TERM": "xterm"}
    with Terminal(environ=environ, command=(str(_PYTHON), "-m", "castero")) as terminal:
        terminal.wait_for("Long Radio")
        rest(terminal, 0.5)
        terminal.press("\x1bOC")
        rest(terminal, 0.3)
        yield terminal


def shown(terminal: Terminal) -> float | None:
    """The place it shows, in seconds."""
    found = _SHOWN.search(terminal.text)
    if not found:
        return None
    hours, minutes, seconds = map(int, found.groups())
    return hours * 3600.0 + minutes * 60 + seconds
