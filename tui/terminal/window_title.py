"""The title of the terminal's window or tab: the playing episode while Earmark runs, and the previous title afterwards.

OSC 2 sets it; the previous title is kept on the terminal's own stack (XTWINOPS 22 and 23, supported by xterm, kitty,
WezTerm, foot, iTerm2, VTE and tmux). A terminal without that stack is left with an empty title, which means its
default.
"""

from collections.abc import Callable

from player.model.playback import PlaybackState, PlaybackStatus
from player.text.cleaning import clean_line
from tui.look.glyphs import Glyphs

_PUSH, _POP = "\x1b[22;2t", "\x1b[23;2t"
_LONGEST = 150


class WindowTitle:
    """`write` sends text to the terminal unchanged."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._shown: str | None = None

    def show(self, title: str) -> None:
        """Writes a title only if it has changed."""
        if title != self._shown:
            self._write(("" if self._shown is not None else _PUSH) + _named(title))
            self._shown = title

    def take_away(self) -> None:
        """Shows the previous title again."""
        self._write(self.restored())
        self._shown = None

    def restored(self) -> str:
        """The codes to write at the end; "" if no title was set."""
        return "" if self._shown is None else _named("") + _POP


def title_of(status: PlaybackStatus, glyphs: Glyphs) -> str:
    """`▶ Episode · Podcast` while it plays, with the pause sign while it is paused; otherwise just `Earmark`."""
    signs = {
        PlaybackState.PLAYING: glyphs.playing, PlaybackState.BUFFERING: glyphs.playing,
        PlaybackState.OPENING: glyphs.playing, PlaybackState.PAUSED: glyphs.paused,
    }  # fmt: skip
    if status.episode is None or status.state not in signs:
        return "Earmark"
    parts = [clean_line(part, _LONGEST) for part in (status.episode.title, status.episode.podcast)]
    return f"{signs[status.state]} {f' {glyphs.dot} '.join(filter(None, parts))}"


def _named(title: str) -> str:
    return f"\x1b]2;{title}\x1b\\"
