"""Keeps columns aligned if the terminal draws a character with another width than Earmark assumes.

Terminals disagree on the widths of marks of Indian scripts, of flags, and of emoji that are newer than the terminal.
After such characters the cursor is placed in the next column (CHA, ECMA-48), and before them their cells are erased
(ECH), so that nothing is left of the previous text.
"""

import re
from functools import cache, partial

from rich.cells import cell_len

_SURE = (
    "\x00-\x1f !-~\xa0-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u0482\u048a-\u0556\u05d0-\u05ea"
    "\u0620-\u0643\u0645-\u064a\u0660-\u0669\u2010-\u2027\u2030-\u205e\u2070-\u209c\u20a0-\u20bf\u2100-\u218b\u2190-\u2319\u231c-\u23e8\u23f4-\u2429"
    "\u2460-\u25fc\u25ff-\u2613\u2616-\u2647\u2654-\u267e\u2680-\u2692\u2694-\u26a0\u2701-\u2704\u2706-\u2709\u270c-\u2727"
    "\u2729-\u274b\u2800-\u28ff\u3001-\u3029\u3030-\u3096\u309b-\u30ff\u3131-\u318e\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uff01-\uff60\u200e\u200f\u2066-\u2069"
)
"""The characters whose width is the same in all terminals. They include marks of direction, which are only sent to
terminals that know them, but not the Arabic lam, which mlterm draws in one cell with an alef."""
_USUAL = frozenset("●◐✓★☾♫…−⏸").union(
    *(
        map(chr, range(first, end))
        for first, end in (
            (0, 0x7F),
            (0xA0, 0xAD),
            (0xAE, 0x180),
            (0x2010, 0x2028),
            (0x2190, 0x2319),
            (0x2500, 0x25FC),
            (0x2800, 0x2900),
        )
    )
)
"""The characters of a sure width that most screens consist of. Texts of these alone don't need the expressions for all
characters, which take 5 ms to compile."""


@cache
def _unsure() -> re.Pattern[str]:
    """Matches a character whose width may differ between terminals."""
    return re.compile(f"[^{_SURE}]")


@cache
def _word() -> re.Pattern[str]:
    """Matches the rest of a word from such a character on."""
    return re.compile(f"[^{_SURE}][^ ]*")


@cache
def _tokens() -> re.Pattern[str]:
    """Matches control sequences (with their numbers and final characters), line ends, and texts."""
    return re.compile(
        r"\x1b\[([0-9;?<>=]*)([ -/]*[@-~])|\x1b[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\r\n]|[^\x1b\r\n]+", re.DOTALL
    )


def anchored(output: str) -> str:
    """The output with the cursor placed after each word that has a character of unsure width."""
    if _USUAL.issuperset(set(output)) or not _unsure().search(output):
        return output
    made: list[str] = []
    column: int | None = None
    for found in _tokens().finditer(output):
        token = found[0]
        if token[0] == "\x1b":
            column = _after(found[1] or "", found[2] or "", column)
            made.append(token)
        elif token in "\r\n":
            column = 0 if token == "\r" else column
            made.append(token)
        else:
            made.append(token if column is None else _word().sub(partial(_placed, token, column), token))
            column = None if column is None else column + cell_len(token)
    return "".join(made)


def _placed(token: str, column: int, found: re.Match[str]) -> str:
    """A word with characters of unsure width, confined to its own cells. `column` is where its text begins."""
    cells = cell_len(found[0])
    end = column + cell_len(token[: found.start()]) + cells
    return f"\x1b[{max(1, cells)}X{found[0]}\x1b[{end + 1}G"


def _after(numbers: str, final: str, column: int | None) -> int | None:
    """The column of the cursor after a control sequence, from 0."""
    if final in ("H", "f"):
        _row, _, wanted = numbers.partition(";")
        return int(wanted) - 1 if wanted.isdigit() and wanted != "0" else 0
    if final == "G":
        return int(numbers) - 1 if numbers.isdigit() and numbers != "0" else 0
    if final in ("C", "D") and column is not None:
        return column + (1 if final == "C" else -1) * int(numbers or 1)
    return column
