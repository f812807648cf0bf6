"""The title of the terminal's window or tab: what plays, while Earmark runs; at its end the one from before.

OSC 2 sets it; the title from before is kept on the terminal's own stack (XTWINOPS 22 and 23, as xterm, kitty, WezTerm,
foot, iTerm2, VTE and tmux know them). A terminal without that stack is left with an empty title, its own default.
"""

from collections.abc import Callable

from player.model.playback import PlaybackState, PlaybackStatus
from player.text.cleaning import clean_line
from tui.look.glyphs import Glyphs

_PUSH, _POP = "\x1b[22;2t", "\x1b[23;2t"
_LONGEST = 150


class WindowTitle:
    """`write` hands text to the terminal as it is."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._shown: str | None = None

    def show(self, title: str) -> None:
        """Writes only what is other than before."""
        if title != self._shown:
            self._write(("" if self._shown is not None else _PUSH) + _named(title))
            self._shown = title

    def restored(self) -> str:
        """What to write at the end; "" where nothing was shown."""
        return "" if self._shown is None else _named("") + _POP


def title_of(status: PlaybackStatus, glyphs: Glyphs) -> str:
    """`▶ Episode · Podcast` while it plays, with the sign of a pause while it is paused; else just `Earmark`."""
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
