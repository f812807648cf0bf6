"""Copies to the clipboard: through the terminal (OSC 52), which also reaches the listener's own computer over SSH, and
with a program."""

import logging
import os
import shutil
import subprocess
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any

from player.links.urls import shown, without_secrets
from player.notes.episode_links import Links
from player.text.sentences import _, mark, plural, translate
from tui.terminal.capabilities import knows_osc

if TYPE_CHECKING:
    from textual.app import App

log = logging.getLogger(__name__)

_PROGRAMS = (
    ("TMUX", ("tmux", "load-buffer", "-w", "-")),
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("TERMUX_VERSION", ("termux-clipboard-set",)),
)
"""Environment variables that show that a program works here, and the command that copies its standard input."""
_DONE_S = 5.0
_ESC = "\x1b"
_SCREEN_PIECE = 256
"""The number of characters per string that GNU screen passes on; it accepts no more than 768."""
_NO_CLIPBOARD = mark("This terminal has no clipboard")

Find = Callable[[str], str | None]


def programs(
    environ: Mapping[str, str], platform: str = sys.platform, find: Find = shutil.which
) -> list[tuple[str, ...]]:
    """Programs that copy in addition to the terminal: some terminals don't know OSC 52, and tmux doesn't pass it on."""
    if platform == "darwin" and not environ.get("SSH_CONNECTION"):
        return [("pbcopy",)]
    return [command for variable, command in _PROGRAMS if environ.get(variable) and find(command[0])]


def passed_through(text: str, environ: Mapping[str, str], find: Find = shutil.which) -> str:
    """OSC 52 wrapped so that tmux or screen passes it on to its terminal; "" outside of them, or if the `tmux` command
    copies.

    tmux passes it on if `allow-passthrough` is on.
    """
    copying = f"\x1b]52;c;{b64encode(text.encode()).decode()}\a"
    if environ.get("TMUX"):
        return "" if find("tmux") else f"\x1bPtmux;{copying.replace(_ESC, _ESC * 2)}{_ESC}\\"
    if environ.get("STY"):
        pieces = (copying[at : at + _SCREEN_PIECE] for at in range(0, len(copying), _SCREEN_PIECE))
        return "".join(f"{_ESC}P{piece}{_ESC}\\" for piece in pieces)
    return ""


def copy(app: "App[Any]", text: str) -> bool:
    """Copies a text, and returns at once; False if that isn't possible here. Whether the terminal accepts it can't be
    known."""
    commands = programs(os.environ)
    if commands:
        Thread(target=_hand_over, args=(commands, text), name="earmark-copy", daemon=True).start()
    by_terminal = knows_osc(os.environ)
    if by_terminal:
        app.copy_to_clipboard(text)
        if app._driver is not None and (passed := passed_through(text, os.environ)):
            app._driver.write(passed)
    return by_terminal or bool(commands)


def copy_text(app: "App[Any]", text: str, done: str = "") -> str:
    """Copies text. Returns a sentence that says so (`done`, if given), or why it can't."""
    if not copy(app, text):
        return translate(_NO_CLIPBOARD)
    return done or plural(len(text), "Copied {n:,} character", "Copied {n:,} characters")


def copy_link(app: "App[Any]", address: str, what: str = "") -> str:
    """Copies an address. Returns a sentence that says so, or why it can't; `what` describes the address."""
    if not address:
        return _("No link to copy")
    if not copy(app, address):
        return translate(_NO_CLIPBOARD)
    link = shown(without_secrets(address))
    return _("Copied {what}: {link}", what=what, link=link) if what else _("Copied: {link}", link=link)


def copy_links(app: "App[Any]", links: Links) -> str:
    """Copies all links as a Markdown list. Returns a sentence that says so, or why it can't."""
    count = len(links.pages)
    if not count:
        return _("No links to copy")
    if not copy(app, links.markdown):
        return translate(_NO_CLIPBOARD)
    return plural(count, "{n:,} link copied as a Markdown list", "{n:,} links copied as a Markdown list")


def _hand_over(commands: Iterable[tuple[str, ...]], text: str) -> None:
    nothing = subprocess.DEVNULL
    for command in commands:
        try:
            subprocess.run(
                command, input=text.encode(), stdout=nothing, stderr=nothing, timeout=_DONE_S, start_new_session=True
            )
        except (OSError, subprocess.SubprocessError):
            log.warning("%s can't copy", command[0], exc_info=True)
