"""Opens links in a browser: never in this terminal, never through a shell, and without waiting for it."""

import logging
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import PurePath
from threading import Thread
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.links.urls import openable
from player.text.sentences import _
from tui.terminal.clipboard import copy

if TYPE_CHECKING:
    from textual.app import App

log = logging.getLogger(__name__)

_IN_A_TERMINAL = frozenset(
    {"w3m", "lynx", "links", "links2", "elinks", "browsh", "cha", "chawan", "retawq", "www-browser"}
)
_OPENERS = (
    ("xdg-open",), ("gio", "open"), ("x-www-browser",), ("firefox",), ("chromium",), ("google-chrome",),
)  # fmt: skip
_SETTLED_S = 5.0
"""A command that hasn't failed after this time has started its browser."""

Find = Callable[[str], str | None]


class Browser(Struct, frozen=True):
    """A browser's command; the address replaces `%s`, or is appended."""

    command: tuple[str, ...]

    def with_address(self, address: str) -> list[str]:
        if any("%s" in word for word in self.command[1:]):
            return [self.command[0], *(word.replace("%s", address) for word in self.command[1:])]
        return [*self.command, address]


class NoBrowser(Struct, frozen=True):
    why: str


def find_browser(
    environ: Mapping[str, str], platform: str = sys.platform, find: Find = shutil.which
) -> Browser | NoBrowser:
    """The command that opens links on this machine: $BROWSER first, then the system's own opener if there is a
    graphical screen."""
    refused = ""
    for wish in environ.get("BROWSER", "").split(os.pathsep):
        try:
            words = shlex.split(wish)
        except ValueError:
            continue
        if words and PurePath(words[0]).name in _IN_A_TERMINAL:
            refused = refused or PurePath(words[0]).name
        elif words and find(words[0]):
            return Browser(tuple(words))
    if refused:
        return NoBrowser(_("{browser} would take over this terminal", browser=refused))
    here = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    if environ.get("SSH_CONNECTION") and not here:
        return NoBrowser(_("No browser found"))
    if platform == "darwin":
        return Browser(("open",))
    for variable, opener in (("TERMUX_VERSION", "termux-open-url"), ("WSL_DISTRO_NAME", "wslview")):
        if environ.get(variable) and find(opener):
            return Browser((opener,))
    found = next((command for command in _OPENERS if find(command[0])), None) if here else None
    return Browser(found) if found else NoBrowser(_("No browser found"))


def open_link(app: "App[Any]", address: str, say: Callable[[str], None]) -> None:
    """Opens a link, or copies it if there is no browser; `say` shows which. Returns at once."""
    link = openable(address)
    if not link:
        say(_("Only web and mail links can be opened"))
        return
    browser = find_browser(os.environ)
    if isinstance(browser, NoBrowser):
        _copy_instead(app, link, browser.why, say)
        return

    def failed() -> None:
        app.call_later(_copy_instead, app, link, _("The browser didn't start"), say)

    say(_("Opening in the browser"))
    Thread(target=_run, args=(browser.with_address(link), failed), name="earmark-browser", daemon=True).start()


def _copy_instead(app: "App[Any]", link: str, why: str, say: Callable[[str], None]) -> None:
    if copy(app, link):
        say(_("{reason}: link copied", reason=why))
    else:
        say(f"{why}.")
        app.notify(link, title=_("{reason}. The link:", reason=why), severity="warning", markup=False, timeout=30)


def _run(command: list[str], failed: Callable[[], None]) -> None:
    """Runs the command detached from this terminal, with no input or output and in a new session. Calls `failed` if it
    fails."""
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)
    except OSError:
        log.warning("%s can't be started", command[0], exc_info=True)
        failed()
        return
    try:
        code = process.wait(_SETTLED_S)
    except subprocess.TimeoutExpired:
        process.wait()
        return
    if code:
        log.warning("%s ended with %s", command[0], code)
        failed()
