"""What a terminal shows, as text for another one: only the cells that have changed, and only codes that are needed."""

from collections.abc import Iterator
from typing import Any

import pyte
from msgspec import Struct

_FLAGS = (("bold", "1"), ("italics", "3"), ("underscore", "4"), ("strikethrough", "9"), ("reverse", "7"))
_NEAR = 4
"""Unchanged cells that are shorter to write again than to jump over."""
_NAMED = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")


class _Look(Struct, frozen=True):
    foreground: str = "default"
    background: str = "default"
    flags: tuple[str, ...] = ()


_PLAIN = _Look()


class Frames:
    """`feed` it what an app writes; `next` says what has changed on its screen since the last time."""

    def __init__(self, columns: int, rows: int) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self._screen)
        self._shown = [[(" ", _PLAIN)] * columns for _ in range(rows)]
        self._look = _PLAIN

    def feed(self, text: str) -> None:
        self._stream.feed(text)

    def text(self) -> str:
        """What the screen shows, line by line."""
        return "\n".join(self._screen.display)

    def next(self) -> str:
        """ "" if it looks the same."""
        written: list[str] = []
        for row, shown in enumerate(self._shown):
            line = [_cell(self._screen.buffer[row][column]) for column in range(len(shown))]
            for start, end in _changes(shown, line):
                written.append(f"\x1b[{row + 1};{start + 1}H")
                written += self._cells(line[start:end])
            self._shown[row] = line
        return "".join(written)

    def _cells(self, cells: list[tuple[str, _Look]]) -> Iterator[str]:
        for text, look in cells:
            codes, self._look = _codes(self._look, look, blank=text == " ")
            if codes:
                yield f"\x1b[{';'.join(codes)}m"
            yield text


def _cell(char: Any) -> tuple[str, _Look]:
    """The second cell of a wide character is empty."""
    flags = tuple(code for name, code in _FLAGS if getattr(char, name))
    if char.data == " " and "4" not in flags and "7" not in flags:
        return " ", _Look(background=char.bg)
    return char.data, _Look(char.fg, char.bg, flags)


def _codes(before: _Look, after: _Look, *, blank: bool) -> tuple[list[str], _Look]:
    """SGR parameters (ECMA-48) from one look to another, and the look they lead to. A blank needs only its ground."""
    codes: list[str] = []
    if not {*before.flags} <= {*after.flags}:
        codes, before = ["0"], _PLAIN
    codes += [code for code in after.flags if code not in before.flags]
    foreground = before.foreground if blank and not after.flags else after.foreground
    if foreground != before.foreground:
        codes += _colour(foreground, "3")
    if after.background != before.background:
        codes += _colour(after.background, "4")
    return codes, _Look(foreground, after.background, after.flags)


def _colour(name: str, kind: str) -> list[str]:
    if name == "default":
        return [f"{kind}9"]
    if name in _NAMED:
        return [f"{kind}{_NAMED.index(name)}"]
    red, green, blue = (str(int(name[at : at + 2], 16)) for at in (0, 2, 4))
    return [f"{kind}8", "2", red, green, blue]


def _changes(before: list[tuple[str, _Look]], after: list[tuple[str, _Look]]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        if old == new:
            continue
        if spans and at - spans[-1][1] <= _NEAR:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at - (new[0] == "" and at > 0), at + 1))
    return spans
