"""Which parts of pauses are left out, and what is left of the time."""

import pytest

from player.model.effects import Trim, heard_ms, left_out

PAUSES = ((1_000, 1_450), (3_000, 3_600), (5_000, 6_000), (9_000, 12_000))


@pytest.mark.parametrize(
    ("trim", "parts"),
    [
        (Trim.OFF, []),
        (Trim.GENTLE, [(5_200, 5_800), (9_200, 11_800)]),
        (Trim.STRONG, [(3_100, 3_500), (5_100, 5_900), (9_100, 11_900)]),
    ],
)
def test_long_pauses_become_short_ones_and_short_ones_stay(trim: Trim, parts: list[tuple[int, int]]) -> None:
    assert left_out(PAUSES, trim) == tuple(parts)


@pytest.mark.parametrize(
    ("begin", "end", "heard"),
    [
        (0, 20_000, 20_000 - 400 - 800 - 2_800),
        (0, 3_100, 3_100),
        (3_200, 3_400, 0),
        (3_300, 6_000, 2_700 - 200 - 800),
        (12_000, 12_000, 0),
        (12_000, 11_000, 0),
        (13_000, 14_000, 1_000),
    ],
)
def test_what_is_heard_between_two_positions(begin: int, end: int, heard: int) -> None:
    assert heard_ms(begin, end, left_out(PAUSES, Trim.STRONG)) == heard
    assert heard_ms(begin, end, []) == max(0, end - begin)
