"""Right-to-left text: which terminals reorder it for the screen, and where Earmark has to.

Terminals that support Hebrew and Arabic reorder the text that they are sent. The others draw the first letter at the
left, so Earmark has to send the last letter first. According to their documentation:

- VTE (GNOME Terminal, Tilix, xfce4-terminal and others) reorders since 0.58, Konsole, mintty and Apple's Terminal do
  too. VTE and mintty can be told to leave that to the program: mode BDSM of ECMA-48, `CSI 8 l`, as described in “BiDi
  in Terminal Emulators” by its terminal working group.
- mlterm reorders too, but gives isolates and marks of direction a cell each. It leaves the order to the program after
  its own `OSC 5379 ; use_ctl=false` (its “PROTOCOL” manual).
- kitty draws letters of such a script that follow each other from right to left, unless `force_ltr` is set, but leaves
  the words, and the text between them, in the order in which they are sent.
- xterm, foot, Alacritty, WezTerm (unless `bidi_enabled`), Ghostty, iTerm2, tmux and the console of Linux draw
  everything from left to right.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color

from player.text.directions import has_right_to_left
from tui.framework.rendering import TextFilter, each_of

if TYPE_CHECKING:
    from textual.app import App

_VTE_REORDERS = 5800
_REORDER = frozenset({"Apple_Terminal", "mintty"})
_EXPLICIT, _IMPLICIT = "\x1b[8l", "\x1b[8h"
_MLTERM_EXPLICIT, _MLTERM_IMPLICIT = "\x1b]5379;use_ctl=false\x07", "\x1b]5379;use_ctl=true\x07"

T = TypeVar("T")


class Reorder(Protocol):
    def __call__(self, pieces: Iterable[tuple[str, T]]) -> list[tuple[str, T]]: ...


class Bidi(Enum):
    """Which program reorders right-to-left text for the screen."""

    TERMINAL = "the terminal"
    EARMARK = "Earmark"
    WORDS = "Earmark the words, the terminal their letters"


def orders(environ: Mapping[str, str]) -> tuple[str, str]:
    """The codes that ask the terminal to draw characters in the order in which they are sent, and to reorder them
    again."""
    if _is_mlterm(environ):
        return _EXPLICIT + _MLTERM_EXPLICIT, _IMPLICIT + _MLTERM_IMPLICIT
    return _EXPLICIT, _IMPLICIT


def _is_mlterm(environ: Mapping[str, str]) -> bool:
    """Whether Earmark runs in mlterm itself: tmux doesn't pass mlterm's own codes on."""
    return bool(environ.get("MLTERM")) and not environ.get("TMUX")


def bidi_for(wish: str, environ: Mapping[str, str]) -> Bidi:
    """Decides which program reorders. `wish` is the setting: `auto`, `always` (Earmark reorders) or `never`.

    In tmux, the environment is that of the terminal in which tmux was started. SSH doesn't pass it on: there Earmark
    reorders, after asking the terminal not to.
    """
    if wish != "auto":
        return Bidi.EARMARK if wish == "always" else Bidi.TERMINAL
    version = environ.get("VTE_VERSION", "")
    if version.isdigit() and int(version) >= _VTE_REORDERS:
        return Bidi.TERMINAL
    if environ.get("KONSOLE_VERSION") or (environ.get("MLTERM") and not _is_mlterm(environ)):
        return Bidi.TERMINAL
    if environ.get("TERM_PROGRAM") in _REORDER:
        return Bidi.TERMINAL
    if environ.get("KITTY_WINDOW_ID") or environ.get("TERM") == "xterm-kitty":
        return Bidi.WORDS
    return Bidi.EARMARK


class ReadingOrder(TextFilter):
    """The last of a widget's filters: reorders right-to-left text in lines, if that is left to Earmark.

    `reorder` takes pieces of text, each with its style or other data; it is only called for lines that need it.
    """

    def __init__(self, reorder: Reorder) -> None:
        super().__init__()
        self.reorder = reorder

    def changes(self, strip: Iterable[Segment]) -> bool:
        """Whether a line has right-to-left text."""
        return has_right_to_left("".join([segment.text for segment in strip]))

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - as Textual calls it
        if not self.changes(segments):
            return segments
        return [Segment(text, style) for text, style in self.reorder([(text, style) for text, style, _ in segments])]


def in_reading_order(app: "App[Any]", pieces: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
    """The pieces of a line in their order on the screen, from left to right."""
    line = list(pieces)
    for filter_ in each_of(app.get_line_filters()):
        if isinstance(filter_, ReadingOrder) and any(has_right_to_left(text) for text, _ in line):
            return filter_.reorder(line)
    return line


def cell_as_written(app: "App[Any]", graphemes: list[tuple[str, int]], cell: int) -> int:
    """Converts a cell of the screen to the cell of the line before reordering. `graphemes` are the line's, each with
    its cell."""
    if not any(has_right_to_left(text) for text, _ in graphemes):
        return cell
    end = 0
    for text, written in in_reading_order(app, graphemes):
        before, end = end, end + cell_len(text)
        if before <= cell < end:
            return written + cell - before
    return cell
