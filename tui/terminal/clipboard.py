"""Copying: through the terminal (OSC 52), which reaches the user's own computer over SSH too, and with a program."""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from threading import Thread
from typing import TYPE_CHECKING, Any

from player.links.trackers import shown
from player.links.urls import without_secrets
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
"""The environment variable that shows that a program works here, and the command that reads a text from its input."""
_DONE_S = 5.0
_NO_CLIPBOARD = mark("This terminal has no clipboard")

Find = Callable[[str], str | None]


def programs(
    environ: Mapping[str, str], platform: str = sys.platform, find: Find = shutil.which
) -> list[tuple[str, ...]]:
    """Programs to copy with as well: some terminals don't know OSC 52, and tmux doesn't pass it on to those that do."""
    if platform == "darwin" and not environ.get("SSH_CONNECTION"):
        return [("pbcopy",)]
    return [command for variable, command in _PROGRAMS if environ.get(variable) and find(command[0])]


def copy(app: "App[Any]", text: str) -> bool:
    """Copies, and returns at once; False if that isn't possible here. Whether a terminal accepted it can't be known."""
    commands = programs(os.environ)
    if commands:
        Thread(target=_hand_over, args=(commands, text), name="earmark-copy", daemon=True).start()
    by_terminal = knows_osc(os.environ)
    if by_terminal:
        app.copy_to_clipboard(text)
    return by_terminal or bool(commands)


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
