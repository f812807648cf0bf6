"""Pixel pictures on the terminal: which protocol it supports, and the codes that draw them."""

import base64
import re
from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from player.artwork.picture import Picture
from tui.terminal.capabilities import knows_osc


class CoverMode(Enum):
    """How covers are shown, from the best way to none."""

    KITTY = "kitty"
    """Pixels, in kitty's graphics protocol."""
    SIXEL = "sixel"
    """Pixels, as DEC's sixels."""
    BLOCKS = "blocks"
    """Block characters in colour."""
    PLAIN = "plain"
    """No pictures, and tiles drawn with lines: the terminal has too few colours or characters for more."""
    OFF = "off"
    """Neither pictures nor tiles."""


PIXELS = (CoverMode.KITTY, CoverMode.SIXEL)


class Screenful(Struct, frozen=True):
    """`cell` is the width and height of a cell in pixels, `colours` the number of colours that a sixel may have."""

    cell: tuple[int, int] = (10, 20)
    colours: int = 64


def cover_mode(wish: str, color_system: str | None, *, ascii_only: bool, no_color: bool) -> CoverMode:
    """The mode before the terminal has answered. `wish` is the setting `art`, `color_system` is Rich's name for the
    terminal's range of colours."""
    if wish == "off":
        return CoverMode.OFF
    if ascii_only or no_color or color_system not in ("truecolor", "256"):
        return CoverMode.PLAIN
    return CoverMode(wish) if wish != "auto" else CoverMode.BLOCKS


# -- asking ---------------------------------------------------------------------------------------------------

_MOST_COLOURS = 128
_IN_ANOTHER = re.compile("screen|tmux")
_KITTY_QUERY = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
_ATTRIBUTES = "\x1b[c"
"""DA1 (ECMA-48, DEC STD 070). All terminals answer it, so its answer also shows that earlier queries got none."""
_SIXEL_QUERY = f"\x1b[?1;1;0S\x1b[16t{_ATTRIBUTES}"
"""XTSMGRAPHICS, for the number of colours, and XTWINOPS 16, for the size of a cell in pixels (xterm's ctlseqs)."""


def in_another(environ: Mapping[str, str]) -> bool:
    """Whether tmux or screen is between this program and the terminal: then pixel pictures are shown only if the
    listener has chosen a protocol.

    tmux (since 3.4, if built so) answers that it supports sixels whichever terminal it is shown in, writes words in
    their place if that terminal doesn't support them, and makes each as high as a multiple of six pixels, over the line
    below. It doesn't pass the terminal's answers on, drops passed-through codes while another window is in front, and
    doesn't report that it is shown in another terminal: then pictures in the first terminal's memory can't be removed.
    """
    return bool(environ.get("TMUX") or environ.get("STY") or _IN_ANOTHER.match(environ.get("TERM", "")))


def may_be_kitty(environ: Mapping[str, str]) -> bool:
    """Whether the terminal may support kitty's protocol; other terminals aren't queried with it."""
    name = environ.get("TERM", "")
    if in_another(environ):
        return False
    return (
        "kitty" in name
        or "ghostty" in name
        or environ.get("TERM_PROGRAM") in ("WezTerm", "ghostty")
        or any(environ.get(variable) for variable in ("KITTY_WINDOW_ID", "KONSOLE_VERSION"))
    )


class Asking:
    """Queries the terminal step by step: `begin` and `answered` return what to write to it, "" when nothing is left to
    ask. Then `mode` and `terminal` are the results."""

    def __init__(self, mode: CoverMode, wish: str, environ: Mapping[str, str]) -> None:
        self.mode = mode
        self.terminal = Screenful()
        self._wish = wish
        self._environ = environ
        self._inside = in_another(environ)
        self._kitty = False
        self._asked_sixel = False

    def begin(self) -> str:
        if self.mode in (CoverMode.PLAIN, CoverMode.OFF) or self._wish == "blocks" or not knows_osc(self._environ):
            return ""
        if self._wish == "sixel":
            return self._ask_sixel()
        if self._wish == "auto" and self._inside:
            return ""
        return (_KITTY_QUERY if self._wish == "auto" and may_be_kitty(self._environ) else "") + _ATTRIBUTES

    def answered(self, answer: str) -> str:
        if answer.startswith("\x1b_G"):
            self._kitty = self._kitty or ";OK" in answer
        elif answer.endswith("S"):
            status, _, number = answer[3:-1].partition(";")[2].partition(";")
            if status == "0" and number.isdecimal() and int(number[:9]) >= 2:
                self._keep(colours=min(int(number[:9]), _MOST_COLOURS))
        elif answer.endswith("t"):
            height, _, width = answer[2:-1].partition(";")[2].partition(";")
            if height.isdecimal() and width.isdecimal():
                self.sized((int(width[:4]), int(height[:4])))
        elif answer.endswith("c") and not self._asked_sixel and self._wish == "auto" and not self._inside:
            if self._kitty:
                self.mode = CoverMode.KITTY
            elif "4" in answer[3:-1].split(";")[1:]:
                return self._ask_sixel()
        elif answer.endswith("c") and self._asked_sixel:
            self.mode = CoverMode.SIXEL
        return ""

    def sized(self, cell: tuple[int, int]) -> None:
        """Takes over the size of a cell in pixels, as the system or the terminal reports it."""
        width, height = cell
        if 3 <= width <= 64 and 6 <= height <= 128:
            self._keep(cell=cell)

    def _ask_sixel(self) -> str:
        self._asked_sixel = True
        return _SIXEL_QUERY

    def _keep(self, *, cell: tuple[int, int] | None = None, colours: int | None = None) -> None:
        self.terminal = Screenful(cell or self.terminal.cell, colours or self.terminal.colours)


# -- drawing --------------------------------------------------------------------------------------------------

_PIECE = 4096
"""The most characters of base64 in one escape code of kitty's protocol."""


def kitty_send(number: int, picture: Picture) -> str:
    """Sends a picture to the terminal, which keeps it under `number`. `q=2`: without an answer."""
    data = base64.b64encode(picture.png).decode("ascii")
    pieces = [data[at : at + _PIECE] for at in range(0, len(data), _PIECE)] or [""]
    made = []
    for index, piece in enumerate(pieces):
        more = int(index < len(pieces) - 1)
        head = f"a=t,f=100,t=d,i={number},q=2,m={more}" if index == 0 else f"m={more},q=2"
        made.append(f"\x1b_G{head};{piece}\x1b\\")
    return "".join(made)


def kitty_place(number: int, place: int, picture: Picture, first: int, rows: int) -> str:
    """Shows the picture's rows of cells from `first` on at the cursor, which doesn't move. Replaces an earlier picture
    of the same `place`."""
    shape = picture.shape
    width, height = shape.columns * shape.cell_width, rows * shape.cell_height
    part = f"x=0,y={first * shape.cell_height},w={width},h={height},"
    return f"\x1b_Ga=p,i={number},p={place},{part}c={shape.columns},r={rows},C=1,q=2\x1b\\"


def kitty_hide(number: int, place: int) -> str:
    return f"\x1b_Ga=d,d=i,i={number},p={place},q=2\x1b\\"


def kitty_forget(number: int) -> str:
    """Removes the picture from the screen and from the terminal's memory."""
    return f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\"


def at(column: int, row: int) -> str:
    """Moves the cursor (CUP, ECMA-48)."""
    return f"\x1b[{row + 1};{column + 1}H"
