"""Columns are straight, and text is in reading order, in real terminal emulators: by their cursors and their pixels."""

import string
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from player.text.cleaning import clean_line
from tests.tui.terminal.emulators import EMULATORS, ROWS, Emulator, Page, Shown, shown
from tests.tui.terminal.hard_cases import CASES
from tests.tui.terminal.test_anchors import REST
from tui.drawing.bidi import reordered
from tui.drawing.cells import fit
from tui.terminal.anchors import anchored
from tui.terminal.bidi import Bidi, bidi_for, orders

pytestmark = [pytest.mark.pty, pytest.mark.long]

TITLE = 24
FIRST = 3
_MOST = ROWS - 3
END = FIRST + TITLE + len(REST)
READ = (
    "שלום", "פרק 12: שלום עולם", "Ivrit שלום a סוף", "صباح الخير 42", "שלום Earmark עולם",
    "עברית בשורת הפקודה: מה מיושר", "כן? לא! אולי, 50%", "Episode 3: שלום, עולם", 'צה"ל - 2026', "a שלום b",
)  # fmt: skip
"""Titles that are read from right to left, wholly or in part."""
BRACKETS = ("Title (שלום)", "כן (לא) [אולי]", "שלום (a)")


@pytest.fixture(params=EMULATORS, ids=lambda one: one.name)
def emulator(request: pytest.FixtureRequest) -> Emulator:
    one: Emulator = request.param
    if one.missing:
        pytest.skip(one.missing)
    return one


def test_columns_are_straight(emulator: Emulator, tmp_path: Path) -> None:
    mode, begin = begun(emulator)
    with shown(emulator, tmp_path, begin) as one:
        for first in range(0, len(CASES), _MOST):
            names = list(CASES)[first : first + _MOST]
            rows = written(["plain", *(CASES[name] for name in names)], mode)
            page = one.page(rows, lambda page: not moved(page))
            crooked = [name for name, column in zip(["plain", *names], page.cursors, strict=True) if column != END]
            # mlterm gives a non-joiner and the letter before it no cell.
            astray = [
                name for at in moved(page) if (name := names[at - 1]) != "non joiner" or emulator.name != "mlterm"
            ]
            assert (crooked, astray) == ([], [])


def test_text_is_in_reading_order(emulator: Emulator, tmp_path: Path) -> None:
    """What is between the letters of such a script stands where its reader expects it, in columns that are straight."""
    mode, begin = begun(emulator)
    # Konsole draws brackets as they are written.
    titles = ["plain", *READ, *(() if emulator.name == "konsole" else BRACKETS)]
    with shown(emulator, tmp_path, begin) as one:
        assert wrong(one, titles, mode) == []


@pytest.mark.parametrize("emulator", [one for one in EMULATORS if one.name == "vte"], indirect=True, ids=["vte"])
def test_a_terminal_that_isnt_known_is_asked_not_to_reorder(emulator: Emulator, tmp_path: Path) -> None:
    """As over SSH, where the environment says nothing."""
    with shown(emulator, tmp_path, orders({})[0]) as one:
        assert wrong(one, ["plain", *READ, *BRACKETS], bidi_for("auto", {})) == []


def begun(emulator: Emulator) -> tuple[Bidi, str]:
    """Who orders text there, and what Earmark writes first."""
    mode = bidi_for("auto", emulator.sets)
    return mode, "" if mode is Bidi.TERMINAL else orders(emulator.sets)[0]


def written(titles: list[str], mode: Bidi) -> list[str]:
    """Each over a line that is full."""
    return ["~" * 50 + anchored(f"\x1b[{line};{FIRST}H{row(title, mode)}") for line, title in enumerate(titles, 2)]


def row(title: str, mode: Bidi) -> str:
    column = fit(clean_line(title), TITLE)
    if mode is not Bidi.TERMINAL:
        column = "".join(piece for piece, _ in reordered([(column, "")], mode))
    return column + REST


def moved(page: Page) -> list[int]:
    """The rows whose last columns don't look like those of the first. A letter may lean out of its own by a little."""
    return [at for at, _ in enumerate(page.cursors) if not same(page, 2 + at, 2, FIRST + TITLE + 1, END)]


def wrong(one: Shown, titles: list[str], mode: Bidi) -> list[str]:
    """The titles that aren't as they are read, or don't keep to their column."""
    drawn = [row(title, Bidi.EARMARK) for title in titles]
    known = string.ascii_letters + string.digits + string.punctuation
    alone = ["".join(letter if letter in known else " " for letter in line) for line in drawn]
    model = one.page(
        [f"\x1b[{line};{FIRST}H{text}" for line, text in enumerate(alone, 2)], lambda page: not moved(page)
    )

    def found(page: Page) -> list[str]:
        return [
            title
            for line, (title, text) in enumerate(zip(titles, alone, strict=True), 2)
            for column, letter in enumerate(text, FIRST)
            if letter != " " and not alike(page.cells(line, column, column + 1), model.cells(line, column, column + 1))
        ]

    return list(dict.fromkeys(found(one.page(written(titles, mode), lambda page: not found(page)))))


def same(page: Page, line: int, other: int, first: int, end: int) -> bool:
    one, two = page.cells(line, first, end), page.cells(other, first, end)
    return one.size == two.size and alike(one, two)


def alike(one: Image.Image, two: Image.Image) -> bool:
    """Pictures of the same letters; those beside them may lean into their cells."""
    ground = two.getpixel((0, 0))
    ink = changed(two, Image.new("RGB", two.size, ground))
    return changed(one, two) * 3 < ink


def changed(one: Image.Image, two: Image.Image) -> int:
    """How many pixels differ."""
    return sum(ImageChops.difference(one, two).convert("L").histogram()[1:])
