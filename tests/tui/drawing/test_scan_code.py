"""Codes to scan, in characters."""

import subprocess
import sys
import unicodedata

import pytest
import segno

from tui.drawing.scan_code import scan_code, small_scan_code

LOGIN = f"https://cloud.example.com/login/v2/flow/{'g' * 128}"
_UPPER, _LOWER = "▀█", "▄█"


@pytest.mark.parametrize("light_background", [False, True])
@pytest.mark.parametrize("address", ["https://a.example", LOGIN])
def test_the_characters_show_the_modules_of_the_code(address: str, light_background: bool) -> None:
    lines = scan_code(address, light_background=light_background)
    rows = [[character in half for character in line] for line in lines for half in (_UPPER, _LOWER)]
    code = [[bool(module) for module in row] for row in segno.make_qr(address, error="l", boost_error=False).matrix]
    shown = [[drawn is light_background for drawn in row[2:-2]] for row in rows[2 : 2 + len(code)]]
    assert shown == code
    assert not any(drawn is light_background for row in (*rows[:2], *rows[2 + len(code) : -1]) for drawn in row)


def test_the_code_of_a_login_fits_into_a_terminal() -> None:
    lines = scan_code(LOGIN)
    assert len(lines) <= 28
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) <= 60


@pytest.mark.parametrize("address", ["https://a.example", LOGIN])
def test_the_small_one_shows_the_same_modules_in_less_room(address: str) -> None:
    lines = small_scan_code(address)
    rows = [[part in _parts(character) for character in line for part in pair] for line in lines for pair in _PAIRS]
    code = [[bool(module) for module in row] for row in segno.make_qr(address, error="l", boost_error=False).matrix]
    assert [[not light for light in row[2 : 2 + len(code)]] for row in rows[2 : 2 + len(code)]] == code
    assert all(light for row in (*rows[:2], *rows[2 + len(code) : 4 + len(code)]) for light in row[: 4 + len(code)])
    assert len(lines) <= 18
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) <= 27


_PAIRS = ((1, 2), (3, 4), (5, 6))
"""The parts of a sextant in each of its rows, as Unicode counts them."""


def _parts(character: str) -> set[int]:
    known = {" ": set(), "█": {1, 2, 3, 4, 5, 6}, "▌": {1, 3, 5}, "▐": {2, 4, 6}}
    return known.get(character) or {int(digit) for digit in unicodedata.name(character, "").partition("SEXTANT-")[2]}


def test_what_makes_codes_is_loaded_with_the_first_one() -> None:
    shown = "import sys, tui.drawing.scan_code; print('segno' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", shown], capture_output=True, check=True).stdout == b"False\n"
