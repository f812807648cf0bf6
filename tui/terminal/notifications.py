"""Notifications through the terminal, by a sequence that it is known to support.

OSC 9 is iTerm2's, OSC 777 rxvt's (foot, WezTerm, Ghostty), OSC 99 kitty's ("Desktop notifications" in its protocol
extensions). tmux passes a sequence on to its terminal if `allow-passthrough` is on. Unknown terminals get none, as they
may print sequences that they don't support.
"""

import subprocess
from base64 import b64encode
from collections.abc import Callable, Mapping
from enum import StrEnum

from player.integrations.notification import Notification
from player.text.cleaning import clean_line

_LONGEST = 200
_TMUX_S = 2.0


class Way(StrEnum):
    """The sequence that a terminal supports."""

    ITERM = "OSC 9"
    RXVT = "OSC 777"
    KITTY = "OSC 99"


_BY_PROGRAM = {"iTerm.app": Way.ITERM, "WezTerm": Way.RXVT, "ghostty": Way.RXVT}
_BY_TERM = {"xterm-kitty": Way.KITTY, "xterm-ghostty": Way.RXVT, "wezterm": Way.RXVT, "foot": Way.RXVT}


def way_of(environ: Mapping[str, str]) -> Way | None:
    """How the terminal shows notifications; None if it isn't known to do so. Inside tmux, always None."""
    name = environ.get("TERM", "")
    if in_tmux(environ) or name.startswith("screen"):
        return None
    return _by_term(name) or _BY_PROGRAM.get(environ.get("TERM_PROGRAM", ""))


def _by_term(name: str) -> Way | None:
    return _BY_TERM.get(name) or (Way.RXVT if name.startswith("foot-") else None)


def in_tmux(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("TMUX"))


def way_through_tmux() -> Way | None:
    """How the terminal of tmux shows notifications, if tmux may pass them on; otherwise None. Runs `tmux`, 5 ms."""
    try:
        asked = subprocess.run(
            ["tmux", "display-message", "-p", "#{allow-passthrough} #{client_termname}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TMUX_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    allowed, _, name = asked.stdout.decode("utf-8", "replace").strip().partition(" ")
    return None if allowed in ("off", "0", "") else _by_term(name)


def sequence(way: Way, title: str, body: str) -> str:
    """The sequence for a notification. Both texts are cleaned, so that they can't end the sequence or begin another."""
    title, body = clean_line(title, _LONGEST), clean_line(body, _LONGEST)
    match way:
        case Way.ITERM:  # a text that begins with a digit could be another command of OSC 9
            return f"\x1b]9;Earmark: {title}{f' ({body})' if body else ''}\x1b\\"
        case Way.RXVT:
            return f"\x1b]777;notify;{title.replace(';', ',')};{body.replace(';', ',')}\x1b\\"
        case Way.KITTY:
            head, rest = (b64encode(text.encode()).decode() for text in (title, body))
            ends = "0" if body else "1"
            first = f"\x1b]99;i=earmark:d={ends}:o=unfocused:e=1;{head}\x1b\\"
            return first + (f"\x1b]99;i=earmark:p=body:e=1;{rest}\x1b\\" if body else "")


def through_tmux(text: str) -> str:
    """Wraps sequences so that tmux passes each one on unchanged."""
    parts = (part + "\x1b\\" for part in text.split("\x1b\\") if part)
    return "".join("\x1bPtmux;" + part.replace("\x1b", "\x1b\x1b") + "\x1b\\" for part in parts)


class Terminal:
    """Shows notifications through the terminal that Earmark runs in. `write` sends text to it, and may be called from
    any thread."""

    def __init__(self, environ: Mapping[str, str], write: Callable[[str], None]) -> None:
        self._environ = environ
        self._write = write

    def show(self, notification: Notification) -> bool:
        """Shows a notification; False if the terminal can't. In tmux it asks tmux first, which takes 5 ms."""
        if (way := self.way) is None:
            return False
        text = sequence(way, notification.title, notification.body)
        self._write(through_tmux(text) if in_tmux(self._environ) else text)
        return True

    @property
    def way(self) -> Way | None:
        """The sequence that the terminal supports; None if it supports none."""
        return way_through_tmux() if in_tmux(self._environ) else way_of(self._environ)
